"""What every shipped decision table owes its reader: cases that hold and show each row, and strict facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from toolkit.policy.nodes import plain
from toolkit.policy.problems import PolicyError, Undecided
from toolkit.policy.sets import PolicySet
from toolkit.policy.tables import Table

DECIDING_PACKS = ("delegation", "review", "verify")


def cases(policies: PolicySet) -> Iterator[tuple[Table, Mapping[str, Any]]]:
    """The cases of every shipped table that gives one answer."""
    for name in policies.ids:
        if name.split(".")[0] in DECIDING_PACKS and policies.entry(name).head.kind == "table":
            table = policies.table(name)
            for case in plain(policies.entry(name).node)["cases"]:
                if not table.document.lists:
                    yield table, case


def answer(table: Table, facts: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """What a table answers (a refusal told as an output) and the row that said so."""
    try:
        decision = table.decide(**facts)
    except Undecided as refusal:
        return {"error": refusal.code}, next(row.id for row in table.document.rows if str(row.mark) == refusal.place)
    return dict(decision.outputs), decision.row


def test_every_case_holds_and_comes_from_its_row(policies: PolicySet) -> None:
    for table, case in cases(policies):
        outputs, row = answer(table, case["given"])
        subject = f"{table.document.head.id}: {case['id']}"
        assert row == case["row"], subject
        assert {name: outputs.get(name, "nothing") for name in case["expect"]} == case["expect"], subject


def test_every_row_has_a_case_and_every_case_a_name_of_its_own(policies: PolicySet) -> None:
    shown: dict[str, list[str]] = {}
    names: dict[str, list[str]] = {}
    for table, case in cases(policies):
        shown.setdefault(table.document.head.id, []).append(case["row"])
        names.setdefault(table.document.head.id, []).append(case["id"])
    assert len(shown) >= 17
    for name, rows in shown.items():
        assert set(rows) == {row.id for row in policies.table(name).document.rows}, name
        assert len(set(names[name])) == len(names[name]), name


def test_a_missing_fact_is_never_defaulted(policies: PolicySet) -> None:
    for table, case in cases(policies):
        for name in case["given"]:
            facts = {other: value for other, value in case["given"].items() if other != name}
            with pytest.raises(PolicyError) as refused:
                table.decide(**facts)
            assert refused.value.code == "fact_missing"


def test_the_occasions_for_a_verifier_are_the_eight_signals_of_the_reference_and_never_size(
    policies: PolicySet,
) -> None:
    signals = policies.vocabulary("review.signal").terms
    occasions = policies.vocabulary("delegation.high-risk-items").terms
    assert occasions == tuple(signal for signal in signals if signal != "policy")
    assert len(occasions) == 8
