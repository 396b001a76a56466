"""What every shipped table and machine owes its reader: cases that hold and show each row, and strict facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from toolkit.policy.problems import PolicyError, Undecided
from toolkit.policy.sets import PolicySet
from toolkit.policy.syntax.nodes import plain
from toolkit.policy.tables import Table
from toolkit.policy.types import thaw

DECIDING_PACKS = ("delegation", "judgment", "review", "verify")
Case = Mapping[str, Any]


def shipped(policies: PolicySet, kind: str) -> Iterator[tuple[str, list[Case]]]:
    """The ids of all shipped documents of a kind that decide, each with its cases."""
    for name in policies.ids:
        entry = policies.entry(name)
        if name.split(".")[0] in DECIDING_PACKS and entry.head.kind == kind:
            yield name, plain(entry.node).get("cases", [])


def cases(policies: PolicySet) -> Iterator[tuple[Table, Case]]:
    """The cases of every shipped table."""
    for name, told in shipped(policies, "table"):
        for case in told:
            yield policies.table(name), case


def answers(table: Table, facts: Mapping[str, Any]) -> list[tuple[dict[str, Any], str]]:
    """What a table answers (a refusal told as an output), each with the row that said so."""
    try:
        decisions = table.decide_all(**facts) if table.document.lists else (table.decide(**facts),)
    except Undecided as refusal:
        row = next(row.id for row in table.document.rows if str(row.mark) == refusal.place)
        return [({"error": refusal.code}, row)]
    return [({name: thaw(value) for name, value in one.outputs.items()}, one.row) for one in decisions]


def expected(table: Table, case: Case) -> list[tuple[dict[str, Any], str]]:
    """What a case says: lists where the table answers with a list."""
    if table.document.lists:
        return list(zip(case["expect"], case["row"], strict=True))
    return [(case["expect"], case["row"])]


def test_every_case_holds_and_comes_from_its_row(policies: PolicySet) -> None:
    for table, case in cases(policies):
        told = expected(table, case)
        found = answers(table, case["given"])
        subject = f"{table.document.head.id}: {case['id']}"
        assert [row for _, row in found] == [row for _, row in told], subject
        for (outputs, _), (named, _) in zip(found, told, strict=True):
            assert {name: outputs.get(name, "nothing") for name in named} == named, subject


def test_every_row_has_a_case_and_every_case_a_name_of_its_own(policies: PolicySet) -> None:
    rows: dict[str, set[str]] = {name: set() for name, _ in shipped(policies, "table")}
    names: dict[str, list[str]] = {name: [] for name in rows}
    for table, case in cases(policies):
        rows[table.document.head.id].update(row for _, row in expected(table, case))
        names[table.document.head.id].append(case["id"])
    assert len(rows) >= 27
    for name, shown in rows.items():
        assert shown == {row.id for row in policies.table(name).document.rows}, name
        assert len(set(names[name])) == len(names[name]), name


def test_every_case_of_a_machine_takes_its_transition_and_every_transition_has_one(policies: PolicySet) -> None:
    machines = dict(shipped(policies, "machine"))
    assert set(machines) == {"judgment.lifecycle", "review.acknowledgement", "review.lifecycle"}
    for name, told in machines.items():
        machine = policies.machine(name)
        for case in told:
            given = dict(case["given"])
            taken = machine.step(given.pop("state"), given.pop("event"), **given)
            assert (taken.to, taken.id) == (case["expect"]["to"], case["row"]), f"{name}: {case['id']}"
        assert {case["row"] for case in told} == set(machine.document.transitions), name
        assert len({case["id"] for case in told}) == len(told), name


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
