"""Weaker decisions: facts show each one, and where none are found, no facts of a small table show any."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from policy_support import head
from proofs_support import (
    RANK,
    REST,
    Facts,
    Spec,
    by_kind,
    document,
    edits,
    everything,
    outcome,
    row,
    specs,
    table_of,
)

from toolkit.authoring.comparison.weakening import weakened as weakened_rows
from toolkit.policy.language.rules import TableDocument
from toolkit.policy.proofs import MAX_BOXES, NOT_PROVED, PROVED, REFUTED, prove
from toolkit.policy.tables import Table

STRENGTH = {"a": 3, "b": 2, "c": 1}


class Known(NamedTuple):
    """What is known of one row: whether it is decided weaker, facts that show it, and how."""

    status: str
    witness: Mapping[str, Any] | None = None
    message: str = ""


def weakened(before: TableDocument, after: TableDocument, row: str, *, budget: int = MAX_BOXES) -> Known:
    found = weakened_rows(before, after, budget=budget)
    assert found.boxes <= budget
    shown = next((one for one in found.changes if one.row_before == row), None)
    if shown is not None:
        return Known(REFUTED, shown.witness, shown.message)
    return Known(NOT_PROVED if found.unproved else PROVED)


def is_weaker(before: Table, after: Table, row: str, facts: Facts) -> bool:
    """Whether the one ordered output of the row is strictly weaker in every answer that these facts have now."""
    old, new = outcome(before, facts), outcome(after, facts)
    if isinstance(old, str) or isinstance(new, str):
        return False
    least = [STRENGTH[str(one.outputs["y"])] for one in old if one.row == row]
    return any(all(STRENGTH[str(one.outputs["y"])] < strength for one in new) for strength in least)


@settings(max_examples=120, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(st.data())
def test_a_decision_of_a_small_table_is_weaker_exactly_where_some_facts_show_it(data: st.DataObject) -> None:
    body = {**data.draw(specs()), "require": []}
    edited = data.draw(edits(body))
    before, after = Table(document(body)), Table(document(edited))
    for table in (before, after):
        assume(all(proof.status == PROVED for proof in by_kind(prove(table.document), "overlap")))
    for name in (one.id for one in before.document.rows):
        known = weakened(before.document, after.document, name)
        broken = any(is_weaker(before, after, name, facts) for facts in everything(body))
        assert known.status == (REFUTED if broken else PROVED), known
        if known.witness is not None:
            assert is_weaker(before, after, name, dict(known.witness))


def asked(before: list[Spec], after: list[Spec], identity: str, **more: Any) -> Known:
    return weakened(table_of(before, **more), table_of(after, **more), identity)


def test_a_weaker_answer_is_shown_with_what_it_was_and_is() -> None:
    before = [row("one", "high", t="high"), REST]
    proof = asked(before, [row("other", "middle", t="high"), REST], "one")
    assert proof == (REFUTED, {"t": "high", "p": "other"}, "answer 'high' -> 'middle'")


@pytest.mark.parametrize(
    "after",
    [
        [row("one", "high", t="high"), REST],
        [row("one", "high", "for another reason", t="high"), REST],
        [row("all", "high")],
        [{"id": "one", "when": {"t": "high"}, "then": {"error": "unsure"}}, REST],
        [row("apart", "low", t="low"), row("one", "high", t="high"), REST],
    ],
    ids=["the same", "another reason", "stronger", "refused", "elsewhere"],
)
def test_what_is_as_strong_or_refused_or_only_otherwise_is_not_weaker(after: list[Spec]) -> None:
    before = [row("one", "middle", t="high"), REST]
    assert asked(before, after, "one").status == PROVED


def test_what_was_refused_has_no_strength_to_lose() -> None:
    declines = {"id": "one", "when": {"t": "high"}, "then": {"error": "unsure"}}
    assert asked([declines, REST], [row("one", "low", t="high"), REST], "one").status == PROVED


def test_a_row_takes_from_another_only_where_it_is_reached() -> None:
    before = [row("one", "high", p={"glob": ["src/**"]}), REST]
    exempt = row("exempt", "low", p={"glob": ["src/generated/**"]})
    proof = asked(before, [exempt, *before], "one")
    assert proof.witness is not None
    assert str(proof.witness["p"]).startswith("src/generated/")
    assert asked(before, [before[0], exempt, REST], "one").status == PROVED


def test_a_list_is_weaker_where_no_row_answers_as_strongly_any_more() -> None:
    before = [row("one", "middle", t=["high", "low"]), row("two", "low")]
    kept = [row("new", "high", t="high"), row("other", "middle", t="low"), row("two", "low")]
    assert asked(before, kept, "one", hit="collect").status == PROVED
    proof = asked(before, kept[:1], "one", hit="collect")
    assert proof.witness is not None
    assert (proof.witness["t"], proof.message) == ("low", "answer 'middle' -> no answer")
    declines = [*kept[:1], {"id": "not", "when": {"t": "low"}, "then": {"error": "unsure"}}]
    assert asked(before, declines, "one", hit="collect").status == PROVED


def test_each_item_of_a_list_is_looked_at_for_itself() -> None:
    item = {"type": "record", "fields": {"t": {"type": "term", "of": "t.rank"}}}
    more = {"each": "items", "inputs": {"items": {"type": "list", "items": item}}}
    proof = asked([row("one", "high", t="high"), REST], [REST], "one", **more)
    assert (proof.status, proof.witness) == (REFUTED, {"items": [{"t": "high"}]})


def test_an_output_that_takes_over_a_value_is_compared_value_by_value() -> None:
    inputs = {one: {"type": "term", "of": "t.rank"} for one in ("t", "u")}
    before = [row("one", {"value": "t"})]
    assert asked(before, [row("one", "high")], "one", inputs=inputs).status == PROVED
    proof = asked(before, [row("one", {"value": "u"})], "one", inputs=inputs)
    assert proof.witness is not None
    order = ["high", "middle", "low"]
    assert order.index(str(proof.witness["u"])) > order.index(str(proof.witness["t"]))


SWAPPED = RANK.replace("high}", "HELD}").replace("middle}", "high}").replace("HELD}", "middle}")
LOWEST = head("vocabulary", "t.rank") + (
    "order: descending\nanchors: []\n"
    "terms:\n  - {term: high}\n  - {term: middle}\n  - {term: low}\n  - {term: nothing}\n"
)


def test_strength_is_what_it_was_before_and_of_a_new_term_what_is_said_of_it_now() -> None:
    rows, lowered = [row("one", "high")], [row("one", "middle")]
    assert weakened(table_of(rows), table_of(rows, SWAPPED), "one").status == PROVED
    assert weakened(table_of(rows), table_of(lowered, SWAPPED), "one").status == REFUTED
    proof = weakened(table_of([row("one", "low")]), table_of([row("one", "nothing")], LOWEST), "one")
    assert proof.message == "answer 'low' -> 'nothing'"


def test_a_vocabulary_can_weaken_a_table_that_nobody_edited() -> None:
    rows = [row("one", "high", t={"gte": "middle"}), REST]
    moved = head("vocabulary", "t.rank") + (
        "order: descending\nanchors: []\nterms:\n  - {term: high}\n  - {term: low}\n  - {term: middle}\n"
    )
    assert weakened(table_of(rows), table_of(rows, moved), "one").witness is None
    below = [row("one", "high", t={"gt": "middle"}), row("rest", "low")]
    proof = weakened(table_of(rows), table_of(below, moved), "one")
    assert proof.witness is not None
    assert proof.witness["t"] == "middle"


@pytest.mark.parametrize(
    "more",
    [
        {"hit": "unique"},
        {"inputs": {"t": {"type": "term", "of": "t.rank"}}},
        {"outputs": {"answer": {"type": "term", "of": "t.rank"}, "why": {"type": "string", "optional": True}}},
    ],
    ids=["hit", "inputs", "outputs"],
)
def test_tables_that_are_asked_otherwise_are_not_compared(more: Any) -> None:
    assert weakened(table_of([REST]), table_of([REST], **more), "rest").status == NOT_PROVED


def test_lets_that_compute_otherwise_are_compared_by_what_they_compute() -> None:
    numbers = {"inputs": {"n": {"type": "integer"}, "t": {"type": "term", "of": "t.rank"}}}
    one, same, other = (
        table_of([row("one", "high", v={"gte": 3}), REST], let={"v": let}, **numbers)
        for let in ("2 * n + 1", "3 * n + 1", "n + 1")
    )
    assert weakened(one, same, "one").status == PROVED
    assert weakened(one, other, "one").status == REFUTED
    renamed = table_of([row("one", "high", w={"gte": 3}), REST], let={"w": "2 * n + 1"}, **numbers)
    assert weakened(one, renamed, "one").status == NOT_PROVED


def test_a_new_term_is_decided_as_the_table_before_reads_it() -> None:
    graver = RANK.replace("terms:\n", "terms:\n  - {term: gravest}\n")
    before = [row("one", "high", t={"gte": "high"}), REST]
    proof = weakened(table_of(before), table_of([row("one", "high", t="high"), REST], graver), "one")
    assert proof.witness is not None
    assert (proof.status, proof.witness["t"]) == (REFUTED, "gravest")
    assert weakened(table_of(before), table_of(before, graver), "one").status == PROVED


@pytest.mark.parametrize("hit", ["first", "collect"])
def test_where_the_budget_ends_nothing_is_said(hit: str) -> None:
    numbers = {f"n{place}": {"type": "integer", "minimum": 0, "maximum": 9} for place in range(4)}
    after = [row(f"r{place}", "high", **{f"n{place % 4}": place % 5}) for place in range(20)]
    more = {"inputs": numbers, "hit": hit}
    before, later = table_of([row("one", "high")], **more), table_of([*after, REST], **more)
    assert weakened(before, later, "one", budget=0).status == NOT_PROVED
    assert weakened(before, later, "one").status == REFUTED
