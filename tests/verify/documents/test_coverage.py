"""Which steps serve which criteria: said in the step, or in a table of both."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.policy.sets import PolicySet
from verify.criteria import CriteriaRules
from verify.documents.coverage import bindings_of
from verify.documents.rules import DocumentRules
from verify.documents.steps import find_steps
from verify.errors import VerificationUndetermined
from verify.markdown import parse_markdown

Read = Callable[[str], list[tuple[str, int, str | None]]]
STEPS = "## Steps\n\n1. Store it\n2. Read it\n3. Show it\n\n"


@pytest.fixture(scope="module")
def read(policies: PolicySet) -> Read:
    """Each binding of a plan: the label, the line, and the number of the step (null: one that is only described)."""
    rules, criteria = DocumentRules.from_policy(policies), CriteriaRules.from_policy(policies)

    def bindings(text: str) -> list[tuple[str, int, str | None]]:
        blocks = parse_markdown(text)
        found = bindings_of(blocks, find_steps(blocks, rules, criteria), rules, criteria)
        return [(it.label, it.line, it.step.number if it.step else None) for it in found]

    return bindings


def table(head: str, *rows: str) -> str:
    columns = head.count("|") + 1
    return "\n".join(f"| {line} |" for line in (head, " | ".join(["---"] * columns), *rows)) + "\n"


def test_a_step_says_what_it_verifies(read: Read) -> None:
    assert read("## Steps\n\n1. a. Verifies: V-AC-1\n2. b\n   - Verifies: V-AC-2, V-AC-1\n") == [
        ("V-AC-1", 3, "1"),
        ("V-AC-2", 5, "2"),
        ("V-AC-1", 5, "2"),
    ]


@pytest.mark.parametrize(
    ("head", "row", "steps"),
    [
        ("AC | Step", "V-AC-1 | 2", ["2"]),
        ("AC | Step", "V-AC-1 | Step 2", ["2"]),
        ("AC | Steps", "V-AC-1 | 1, 3", ["1", "3"]),
        ("AC | Steps", "V-AC-1 | 1-3", ["1", "2", "3"]),
        ("AC | Steps", "V-AC-1 | 1–2, 3", ["1", "2", "3"]),
        ("AC | Steps", "V-AC-1 | 1 and 3", ["1", "3"]),
        ("AC | Шаги", "V-AC-1 | 1 и 3", ["1", "3"]),
        ("AC | Plan step", "V-AC-1 | Read it", ["2"]),
        ("Step | AC", "**2** | V-AC-1", ["2"]),
        ("AC | where", "V-AC-1 | in step 2, mostly", ["2"]),
        ("AC | where", "V-AC-1 | Steps 2", []),
        ("AC | Шаг", "V-AC-1 | 2", ["2"]),
        ("AC | where", "V-AC-1 | шаг 2", ["2"]),
        ("AC | where", "V-AC-1 | 2", []),
        ("AC | Step", "V-AC-1 | 9", []),
        ("AC | Step", "V-AC-1 | ", []),
        ("AC | Step", "V-AC-1 | TBD", []),
        ("AC | Step", "V-AC-1 | -", []),
    ],
)
def test_a_row_means_a_step_by_number_or_name(head: str, row: str, steps: list[str], read: Read) -> None:
    assert read(STEPS + "## Coverage\n\n" + table(head, row)) == [("V-AC-1", 11, step) for step in steps]


def test_a_row_may_describe_a_step_that_has_no_number(read: Read) -> None:
    assert read(table("AC | Step", "V-AC-1 | write the store")) == [("V-AC-1", 3, None)]
    assert read(STEPS + table("AC | Step", "V-AC-1 | write the store")) == [("V-AC-1", 9, None)]


def test_a_number_describes_a_step_only_where_none_is_known(read: Read) -> None:
    assert read(table("AC | Step", "V-AC-1 | Step 2")) == [("V-AC-1", 3, None)]
    assert read(STEPS + table("AC | Step", "V-AC-1 | Step 9")) == []


@pytest.mark.parametrize(("said", "steps"), [("2a", ["2a"]), ("1.2", ["1.2"]), ("1, 2a and 3", ["1", "2a", "3"])])
def test_numbers_with_letters_or_parts_are_read_too(said: str, steps: list[str], read: Read) -> None:
    plan = "".join(f"## Step {number} x{number}\n\n" for number in ("1", "2a", "1.2", "3"))
    found = read(plan + "## Coverage\n\n" + table("AC | Steps", f"V-AC-1 | {said}"))
    assert {step for _, _, step in found} == set(steps)


def test_each_label_of_a_row_is_bound_to_each_of_its_steps(read: Read) -> None:
    found = read(STEPS + table("AC | Steps", "V-AC-1, V-AC-2 | 1, 3"))
    assert sorted(found) == [("V-AC-1", 9, "1"), ("V-AC-1", 9, "3"), ("V-AC-2", 9, "1"), ("V-AC-2", 9, "3")]


def test_a_row_without_a_label_binds_nothing(read: Read) -> None:
    assert read(STEPS + table("AC | Step", "totals | 1")) == []


def test_a_pair_that_is_stated_in_both_shapes_stands_twice(read: Read) -> None:
    text = "## Steps\n\n1. a. Verifies: V-AC-1\n\n" + table("AC | Step", "V-AC-1 | 1")
    assert read(text) == [("V-AC-1", 3, "1"), ("V-AC-1", 7, "1")]


def test_a_range_that_is_too_long_stands_for_its_ends(read: Read) -> None:
    assert [step for _, _, step in read(STEPS + table("AC | Steps", "V-AC-1 | 1-999999"))] == ["1"]


def test_a_fence_binds_nothing(read: Read) -> None:
    assert read("```\n" + STEPS + table("AC | Step", "V-AC-1 | 1") + "```\n") == []


def test_a_range_that_is_longer_than_one_of_labels_may_be_stands_for_its_two_ends(read: Read) -> None:
    steps = "## Steps\n\n" + "".join(f"{n}. step number {n}\n" for n in range(1, 151)) + "\n"
    assert [step for _, _, step in read(steps + table("AC | Step", "V-AC-1 | 1-150"))] == ["1", "150"]
    assert len(read(steps + table("AC | Step", "V-AC-1 | 51-150"))) == 100


@given(st.sets(st.integers(1, 9), min_size=1), st.sampled_from([", ", "; ", " and ", " / "]))
def test_any_list_of_step_numbers_is_read(read: Read, numbers: set[int], joiner: str) -> None:
    steps = "## Steps\n\n" + "".join(f"{n}. step number {n}\n" for n in range(1, 10)) + "\n"
    row = f"V-AC-1 | {joiner.join(map(str, sorted(numbers)))}"
    found = read(steps + table("AC | Steps", row))
    assert [step for _, _, step in found] == [str(n) for n in sorted(numbers)]


@pytest.mark.parametrize(
    "text",
    [
        STEPS + "1. " + "Verifies: V-AC-1..V-AC-100. " * 600,
        "".join(f"## Step {number}\n\n" for number in range(1, 701))
        + table("ac | steps", *["V-AC-1..V-AC-100 | 1-99"] * 6),
    ],
    ids=["in a step", "in a table"],
)
def test_a_plan_that_binds_more_than_anybody_reads_is_not_judged(text: str, read: Read) -> None:
    with pytest.raises(VerificationUndetermined, match="more than 50000"):
        read(text)
