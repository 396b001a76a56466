"""Each rule of the spec graph: what breaks it, what does not, at which levels and with which documents it is due."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from verify.errors import VerificationUndetermined
from verify.spec_graph.lint import faults_of

REQUIREMENTS = "### D-REQ-01: keep\n### D-REQ-02: show\n\n## Criteria\n\n"
Wishes = Callable[..., str]


@pytest.mark.parametrize(
    "cover",
    [
        "Covers: D-REQ-01, D-REQ-02",
        "**Covers:** D-REQ-01, D-REQ-02.",
        "**Covers**: D-REQ-01 and D-REQ-02",
        "*Covers: D-REQ-01..D-REQ-02.*",
        "`x` holds (Covers: D-REQ-01; D-REQ-02)",
        "Покрывает: D-REQ-01..02",
    ],
)
def test_covers_binds_in_any_emphasis_with_lists_and_ranges(reader: Any, cover: str) -> None:
    assert reader.found(f"{REQUIREMENTS}- V-AC-1: x\n  {cover}\n") == []


def test_covers_binds_in_a_cell_and_in_a_column_of_that_name(reader: Any) -> None:
    table = "| label | what | links |\n| --- | --- | --- |\n| V-AC-1 | x | **Covers:** D-REQ-01. |\n"
    column = "| label | Covers |\n| --- | --- |\n| V-AC-2 | D-REQ-02 |\n"
    assert reader.found(f"{REQUIREMENTS}{table}\n{column}") == []


def test_an_incidental_mention_binds_nothing(reader: Any) -> None:
    prd = f"{REQUIREMENTS}- V-AC-1: as D-REQ-01 asks. Covers: the rest of D-REQ-02\n"
    rules = [rule for rule, _ in reader.found(prd)]
    assert rules == ["dreq-orphan", "dreq-orphan", "vac-covers-present"]


def test_a_statement_of_which_nothing_is_declared_dangles(reader: Any) -> None:
    prd = f"{REQUIREMENTS}- V-AC-1: x. Covers: D-REQ-01, D-REQ-02\n- V-AC-2: y. Covers: D-REQ-77, D-REQ-78\n"
    assert reader.found(prd) == [("dreq-dangling", 7)]


def test_a_statement_of_which_something_is_declared_fails_to_resolve_once_for_each_id_that_is_not(reader: Any) -> None:
    prd = f"{REQUIREMENTS}- V-AC-1: x. Covers: D-REQ-01..D-REQ-09, D-REQ-77\n"
    assert reader.found(prd) == [("covers-resolves", 6), ("covers-resolves", 6)]


def test_a_plain_criterion_is_no_part_of_the_graph(reader: Any) -> None:
    prd = "### D-REQ-01: keep\n\n- AC-1: x. Covers: D-REQ-77\n- TV-1: y. Covers: D-REQ-01\n"
    assert reader.found(prd) == [("dreq-orphan", 1)]


def test_a_criterion_that_no_step_verifies_is_told_where_there_is_a_plan(reader: Any) -> None:
    prd = f"{REQUIREMENTS}- V-AC-1: x. Covers: D-REQ-01\n- V-AC-2: y. Covers: D-REQ-02\n"
    assert reader.found(prd) == []
    assert reader.found(prd, "# Plan\n\n1. Write it. **Verifies:** V-AC-1, and V-AC-2 later\n") == []
    assert reader.found(prd, "# Plan\n\n1. Write it. Verifies: V-AC-1; see V-AC-2\n") == [("vac-binding-present", 7)]
    assert reader.found(prd, "# Plan\n\n1. Write V-AC-1..V-AC-2\n") == [
        ("vac-binding-present", line) for line in (6, 7)
    ]


@pytest.mark.parametrize(
    "plan",
    [
        "# Plan\n\n1. Write. Verifies: V-AC-1..V-AC-2\n",
        "# Plan\n\n### Step 1: write\n\n*Verifies: V-AC-1, V-AC-2.*\n",
        "# Plan\n\n1. Write.\n\n| criterion | step |\n| --- | --- |\n| V-AC-1 | 1 |\n| V-AC-2 | 1 |\n",
    ],
)
def test_steps_verify_in_every_shape(reader: Any, plan: str) -> None:
    prd = f"{REQUIREMENTS}- V-AC-1: x. Covers: D-REQ-01\n- V-AC-2: y. Covers: D-REQ-02\n"
    assert reader.found(prd, plan) == []


def test_a_pair_that_is_stated_twice_in_one_document_is_told_and_many_to_many_is_not(reader: Any) -> None:
    prd = f"{REQUIREMENTS}- V-AC-1: x. Covers: D-REQ-01, D-REQ-02\n- V-AC-2: y. Covers: D-REQ-01, D-REQ-02\n"
    plan = "# Plan\n\n1. A. Verifies: V-AC-1, V-AC-2\n2. B. Verifies: V-AC-1..V-AC-2\n"
    assert reader.found(prd, plan) == []
    again = prd + "\n  Covers: D-REQ-02\n"
    assert reader.found(again, plan + "   Verifies: V-AC-2\n") == [("binding-no-duplicate", line) for line in (5, 9)]


@pytest.mark.parametrize(
    ("block", "mixed"),
    [
        ("- V-AC-A1, V-AC-B2: x. Covers: D-REQ-01..02", True),
        ("- V-AC-A1: x. Covers: D-REQ-01..02. Verifies: V-AC-B2", True),
        ("- V-AC-A1, V-AC-A2: x. Covers: D-REQ-01..02", False),
        ("- V-AC-A1: x, like V-AC-B2. Covers: D-REQ-01..02", False),
        ("- V-AC-1, V-AC-A2: x. Covers: D-REQ-01..02", False),
        ("- V-AC-A1: x. Covers: D-REQ-01..02\n- V-AC-B1: y. Covers: D-REQ-01", False),
    ],
)
def test_a_block_belongs_to_one_axis(reader: Any, block: str, *, mixed: bool) -> None:
    assert reader.found(f"{REQUIREMENTS}{block}\n") == ([("axis-separation", 6)] if mixed else [])


def test_every_wish_needs_a_criterion_with_a_requirement_and_with_a_step_where_there_is_a_plan(
    reader: Any, wishes: Wishes
) -> None:
    prd = "### D-REQ-01: keep\n\n- V-AC-1: x. Covers: D-REQ-01\n- V-AC-2: y. Covers: D-REQ-01\n- V-AC-3: z\n"
    plan = "# Plan\n\n1. A. Verifies: V-AC-1, V-AC-3\n"
    checklist = wishes(whole="V-AC-1, V-AC-2", stepless="V-AC-2", bare="V-AC-3", unknown="V-AC-9", alone="")
    items = [number for number, line in enumerate(checklist.split("\n"), 1) if line.startswith("- **")]
    without = reader.found(prd, None, checklist)
    assert [line for rule, line in without if rule == "graph-complete-l3"] == items[2:]
    complete = [line for rule, line in reader.found(prd, plan, checklist) if rule == "graph-complete-l3"]
    assert complete == items[1:]


def test_a_wish_that_was_given_up_owes_no_path_and_wishes_may_share_one(reader: Any, wishes: Wishes) -> None:
    prd = "### D-REQ-01: keep\n\n- V-AC-1: x. Covers: D-REQ-01\n"
    checklist = wishes(one="V-AC-1", two="V-AC-1", three=("", "deleted"), four=("", "n-a"))
    assert reader.found(prd, "# Plan\n\n1. A. Verifies: V-AC-1\n", checklist) == []


def test_a_wish_that_the_operator_let_pass_owes_no_path(reader: Any, wishes: Wishes) -> None:
    prd = "### D-REQ-01: keep\n\n- V-AC-1: x. Covers: D-REQ-01\n"
    plan = "# Plan\n\n1. A. Verifies: V-AC-1\n"
    checklist = wishes(one=("", "partial"))
    let_pass = "  - override: {}\n  - override_by: {}\n  - How to verify"
    for reason, who, owes in (
        ("accepted for this release", "operator", False),
        ("accepted for this release", "agent", True),
        ("nope", "operator", True),
    ):
        written = checklist.replace("  - How to verify", let_pass.format(reason, who))
        assert bool(reader.found(prd, plan, written)) is owes
    pending = checklist.replace("partial", "pending").replace(
        "  - How to verify", let_pass.format("x" * 10, "operator")
    )
    assert reader.found(prd, plan, pending)


SURFACE = """# Plan

## Surface

- `src/store.py`
- `src/other.py`
- `docs/**`
- `tests/`

## Steps

1. Write `src/store.py`, `docs/store.md` and `tests/test_store.py`. Verifies: V-AC-1
2. Tidy up `src/tidy.py`.
"""


def test_a_path_of_the_surface_stands_in_a_step_that_verifies_something(reader: Any) -> None:
    prd = "### D-REQ-01: keep\n\n- V-AC-1: x. Covers: D-REQ-01\n"
    assert reader.found(prd, SURFACE) == [("vac-deliverable-coverage", 6), ("vac-deliverable-coverage", 13)]


@pytest.mark.parametrize(
    ("surface", "cited", "uncovered"),
    [
        ("src/store/a.py", "src/store/", False),
        ("src/store/a.py", "src/**", False),
        ("src/store/a.py", "./src/store/a.py", False),
        ("src/store/a.py", "src/other/a.py", True),
        ("src/", "docs/store.md", True),
        ("store", "docs/store.md", False),  # perhaps no path at all
    ],
)
def test_a_step_covers_what_lies_in_the_folders_and_globs_that_it_cites(
    reader: Any, surface: str, cited: str, *, uncovered: bool
) -> None:
    prd = "### D-REQ-01: keep\n\n- V-AC-1: x. Covers: D-REQ-01\n"
    plan = f"# Plan\n\n## Files\n\n- `{surface}`\n\n## Steps\n\n1. Change `{cited}`. Verifies: V-AC-1\n"
    assert reader.found(prd, plan) == ([("vac-deliverable-coverage", 5)] if uncovered else [])


def test_without_a_criterion_no_path_is_asked_for(reader: Any) -> None:
    assert reader.found("### D-REQ-01: keep. Deferred: no budget\n", SURFACE) == []


def test_at_l2_the_four_errors_of_ids_are_due_and_nothing_else(reader: Any, wishes: Wishes) -> None:
    prd = (
        "### D-REQ-01: a\n### D-REQ-01: b\n### D-REQ-2: c\n### D-REQ-03: d\n\n"
        "- V-AC-A1, V-AC-B1: x. Covers: D-REQ-01, D-REQ-01, D-REQ-77\n- V-AC-2: y. Covers: D-REQ-88\n- V-AC-3: z\n"
    )
    documents = ("# Plan\n\n1. Nothing, in `src/a.py`\n", wishes(lost=""))
    due = {rule for rule, _ in reader.found(prd, *documents, level="L2")}
    assert due == {"dreq-id-format", "dreq-id-unique", "covers-resolves", "dreq-dangling"}
    everything = {rule for rule, _ in reader.found(prd, *documents, level="L4")}
    assert everything == set(reader.rules.rules)
    assert reader.found(prd, *documents, level="L1") == []


def test_every_fault_stands_on_a_line_of_its_document_and_says_what_to_do(reader: Any, wishes: Wishes) -> None:
    prd = "### D-REQ-1: a\n\n- V-AC-1: x. Covers: D-REQ-77\n- V-AC-2: y\n"
    for fault in faults_of(reader.graph(prd, SURFACE, wishes(lost="")), "L3"):
        assert fault.document.line(fault.line).strip()
        assert fault.message
        assert fault.fix.endswith((".", "?", '"'))


def test_two_long_ranges_repeated_are_refused_and_not_multiplied_out(reader: Any) -> None:
    prd = "- V-AC-1..V-AC-100: x\n" + "  Covers: D-REQ-01..D-REQ-99\n" * 50
    with pytest.raises(VerificationUndetermined) as refused:
        reader.graph(prd)
    assert refused.value.code == "spec_graph_too_large"
