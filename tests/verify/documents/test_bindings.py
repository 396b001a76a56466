"""Statements that bind labels: the grammar of their lists, where they may stand, and what binds nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.policy.sets import PolicySet
from verify.criteria import CriteriaRules
from verify.criteria.labels import find_mentions
from verify.criteria.pieces import cut
from verify.documents.bindings import Bound, before_names, bound_in, leading_labels
from verify.documents.rules import DocumentRules
from verify.markdown import parse_markdown

Read = Callable[[str], list[Bound]]


@pytest.fixture(scope="module")
def read(policies: PolicySet) -> Read:
    """The statements of a document that are called "Verifies" or in Russian."""
    labels = CriteriaRules.from_policy(policies).labels
    rules = DocumentRules.from_policy(policies).bindings

    def statements(text: str) -> list[Bound]:
        pieces = cut(parse_markdown(text))
        return list(bound_in(pieces, rules.verifies, lambda it: find_mentions(it, labels), rules.joiners))

    return statements


def labels(found: list[Bound]) -> list[tuple[str, ...]]:
    return [statement.labels for statement in found]


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("Verifies: V-AC-1", ("V-AC-1",)),
        ("Verifies: V-AC-1.", ("V-AC-1",)),
        ("verifies : V-AC-1", ("V-AC-1",)),
        ("**Verifies:** V-AC-1", ("V-AC-1",)),
        ("**Verifies**: V-AC-1", ("V-AC-1",)),
        ("*Verifies: V-AC-1*", ("V-AC-1",)),
        ("***Verifies:*** **V-AC-1**", ("V-AC-1",)),
        ("Verifies: `V-AC-1`", ("V-AC-1",)),
        ("Verifies: `V-AC-1`, `V-AC-2`", ("V-AC-1", "V-AC-2")),
        ("Verifies: [V-AC-1], (V-AC-2)", ("V-AC-1", "V-AC-2")),
        ("Verifies： V-AC-1", ("V-AC-1",)),
        ("Проверяет: V-AC-1 и V-AC-2", ("V-AC-1", "V-AC-2")),
        ("Verifies: V-AC-1, V-AC-2 and V-AC-3", ("V-AC-1", "V-AC-2", "V-AC-3")),
        ("Verifies: V-AC-1; V-AC-2 / V-AC-3 & V-AC-4 + V-AC-5", tuple(f"V-AC-{n}" for n in range(1, 6))),
        ("Verifies: V-AC-1..V-AC-3", ("V-AC-1", "V-AC-2", "V-AC-3")),
        ("Verifies: V-AC-1 – V-AC-3, V-AC-7", ("V-AC-1", "V-AC-2", "V-AC-3", "V-AC-7")),
        ("Verifies: V-AC-1, V-AC-1", ("V-AC-1", "V-AC-1")),
        ("Store it (Verifies: V-AC-1).", ("V-AC-1",)),
        ("Store it. Verifies: V-AC-1, TV-2. Then go.", ("V-AC-1", "TV-2")),
        ("Verifies: V-AC-1 (the totals), see V-AC-9", ("V-AC-1",)),
        ("Verifies: V-AC-1 but not V-AC-9", ("V-AC-1",)),
        ("Verifies: V-AC-1. V-AC-9 follows.", ("V-AC-1",)),
        ("Verifies: all of it, as V-AC-9 asks", ()),
        ("Verifies: nothing", ()),
        ("Verifies:", ()),
    ],
)
def test_a_list_ends_at_the_first_word_that_is_none_of_it(text: str, bound: tuple[str, ...], read: Read) -> None:
    assert labels(read(text + "\n")) == [bound]


@pytest.mark.parametrize(
    "text",
    [
        "It verifies V-AC-1",
        "`Verifies: V-AC-1`",
        "```\nVerifies: V-AC-1\n```",
        "    Verifies: V-AC-1",
        "<!-- Verifies: V-AC-1 -->",
        "Overifies: V-AC-1",
        "Un-verifies: V-AC-1",
        "Verifies V-AC-1",
    ],
)
def test_code_comments_and_other_words_state_nothing(text: str, read: Read) -> None:
    assert read(text + "\n") == []


def test_what_follows_the_list_is_told_with_its_code(read: Read) -> None:
    (found,) = read("- Verifies: V-AC-1 — `pytest -k x` exits 0\n")
    assert (found.name, found.line, found.text) == ("Verifies", 1, "— pytest -k x exits 0")


def test_two_statements_on_a_line_are_two(read: Read) -> None:
    assert labels(read("Verifies: V-AC-1; Verifies: V-AC-2\n")) == [("V-AC-1",), ("V-AC-2",)]


@pytest.mark.parametrize(
    ("text", "bound", "end"),
    [
        ("Verifies:\nV-AC-1, V-AC-2\n", ("V-AC-1", "V-AC-2"), 2),
        ("Verifies: V-AC-1,\nV-AC-2\n", ("V-AC-1", "V-AC-2"), 2),
        ("Verifies: V-AC-1,\nV-AC-2,\nV-AC-3\n", ("V-AC-1", "V-AC-2", "V-AC-3"), 3),
        ("- Verifies:\n  - V-AC-1\n  - V-AC-2\n", ("V-AC-1", "V-AC-2"), 3),
        ("Verifies:\n\n- V-AC-1\n- V-AC-2\n", ("V-AC-1", "V-AC-2"), 4),
        ("Verifies: V-AC-1\nV-AC-2\n", ("V-AC-1",), 1),
        ("Verifies: V-AC-1,\nthen V-AC-2\n", ("V-AC-1",), 1),
        ("- Verifies:\n- V-AC-1\n", (), 1),
        ("Verifies:\n\nV-AC-1\n", (), 1),
    ],
)
def test_a_list_that_is_not_at_its_end_goes_on_right_below(
    text: str, bound: tuple[str, ...], end: int, read: Read
) -> None:
    (found,) = read(text)
    assert (found.labels, found.line, found.end) == (bound, 1, end)


def test_cells_state_by_name_or_by_their_column(read: Read) -> None:
    text = "| step | Verifies | note |\n| - | - | - |\n| 1 | V-AC-1, V-AC-2 | Verifies: V-AC-3 |\n| 2 | - | V-AC-9 |\n"
    assert [(it.line, it.labels) for it in read(text)] == [(3, ("V-AC-1", "V-AC-2")), (3, ("V-AC-3",)), (4, ())]


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("Store it (Verifies: V-AC-1)", "Store it"),
        ("Store it — Verifies: V-AC-1", "Store it"),
        ("Store it", "Store it"),
        ("Verifies: V-AC-1", ""),
    ],
)
def test_what_leads_to_a_statement_is_cut_off(text: str, before: str) -> None:
    assert before_names(text, ("Verifies",)) == before


JOINERS = [", ", "; ", " / ", " & ", " + ", " and ", " и ", ","]


@given(st.lists(st.tuples(st.integers(1, 60), st.integers(0, 5), st.sampled_from(JOINERS)), min_size=1, max_size=8))
def test_any_list_of_labels_and_ranges_binds_each_of_them(read: Read, parts: list[tuple[int, int, str]]) -> None:
    text, wanted = "", []
    for place, (first, more, joiner) in enumerate(parts):
        text += joiner if place else ""
        text += f"V-AC-{first}" + (f"..V-AC-{first + more}" if more else "")
        wanted += [f"V-AC-{number}" for number in range(first, first + more + 1)]
    assert labels(read(f"1. Do it. *Verifies: {text}*\n")) == [tuple(wanted)]


@given(st.text(alphabet="Verifies: V-AC-12,..\n-*`|()", max_size=120))
def test_any_text_has_an_answer_within_its_lines(read: Read, text: str) -> None:
    last = text.count("\n") + 1
    for found in read(text):
        assert 1 <= found.line <= found.end <= last


def test_a_label_first_and_the_rest(policies: PolicySet) -> None:
    rules = CriteriaRules.from_policy(policies).labels
    read = leading_labels("[V-AC-1], V-AC-2) — text V-AC-3", lambda it: find_mentions(it, rules), {",", "and"})
    assert read == (("V-AC-1", "V-AC-2"), "— text V-AC-3")
