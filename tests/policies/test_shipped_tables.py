"""What every shipped table and machine owes its reader: cases that hold and show each row, and strict facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from toolkit.authoring.testing import CHANGED, PASS, CaseRun, run_cases
from toolkit.policy.problems import PolicyError
from toolkit.policy.sets import PolicySet
from toolkit.policy.syntax.nodes import plain
from toolkit.policy.tables import Table

PACKS = {"delegation", "judgment", "review", "verify"}
Case = Mapping[str, Any]


def cases(policies: PolicySet) -> Iterator[tuple[Table, Case]]:
    """The cases of every shipped table."""
    for name in policies.ids:
        entry = policies.entry(name)
        if entry.head.kind == "table":
            for case in plain(entry.node)["cases"]:
                yield policies.table(name), case


def held(run: CaseRun) -> None:
    """Every case was read and asked, every document has one, and every row is hit by one that holds."""
    assert [str(problem) for problem in (*run.problems, *run.shortcomings(require_all=True))] == []
    assert run.coverage.without_cases == ()
    assert run.coverage.covered == run.coverage.rows > 0


@pytest.fixture(scope="module")
def compact_run(policies: PolicySet) -> CaseRun:
    return run_cases(policies, lambda _layer: policies)


def test_every_case_holds_by_its_row_and_every_row_and_transition_has_one(compact_run: CaseRun) -> None:
    held(compact_run)
    assert [(one.document, one.id, one.why) for one in compact_run.results if one.outcome != PASS] == []


def test_every_pack_decides_by_tables_and_machines_with_cases(policies: PolicySet, compact_run: CaseRun) -> None:
    asked = [one.document for one in compact_run.coverage.documents]
    machines = {one for one in asked if policies.entry(one).head.kind == "machine"}

    assert {one.split(".")[0] for one in asked} == PACKS
    assert machines == {"judgment.lifecycle", "review.acknowledgement", "review.lifecycle"}
    assert len(asked) - len(machines) >= 27


def test_every_case_names_the_row_that_answers(policies: PolicySet, compact_run: CaseRun) -> None:
    assert all(answer.row is not None for one in compact_run.results for answer in one.expected)


def test_the_other_profile_changes_cases_and_breaks_none_and_covers_what_is_left(
    policies: PolicySet, atomic: PolicySet, compact_run: CaseRun
) -> None:
    run = run_cases(atomic, {"shipped": policies}.__getitem__)

    held(run)
    assert {one.outcome for one in run.results} == {PASS, CHANGED}
    changed = {one.document for one in run.results if one.outcome == CHANGED}
    assert changed == {"review.gate", "review.lifecycle", "review.risk"}
    edited = {name for name in atomic.ids if atomic.entry(name).edits}
    kept = [(one.document, one.id) for one in compact_run.results if one.document not in edited]
    assert kept == [(one.document, one.id) for one in run.results if one.document not in edited]


def test_a_missing_fact_is_never_defaulted(policies: PolicySet) -> None:
    for table, case in cases(policies):
        for name in case["given"]:
            facts = {other: value for other, value in case["given"].items() if other != name}
            with pytest.raises(PolicyError) as refused:
                table.decide_all(**facts)
            assert refused.value.code == "fact_missing"


def test_the_occasions_for_a_verifier_are_the_eight_signals_of_the_reference_and_never_size(
    policies: PolicySet,
) -> None:
    signals = policies.vocabulary("review.signal").terms
    occasions = policies.vocabulary("delegation.high-risk-items").terms
    assert occasions == tuple(signal for signal in signals if signal != "policy")
    assert len(occasions) == 8
