"""Proofs against asking everything: on finite domains no claim is false either way, and none is left open."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given, settings
from hypothesis import strategies as st
from proofs_support import Facts, Spec, by_kind, document, everything, outcome, specs

from toolkit.policy.proofs import PROVED, REFUTED, Proof, prove
from toolkit.policy.tables import Table


def hold(proofs: Iterable[Proof], table: Table, facts: list[Facts], code: str) -> None:
    """The proofs of one kind say what asking says, and their witnesses show it."""
    listed = list(proofs)
    assert all(proof.status in (PROVED, REFUTED) for proof in listed), listed
    broken = any(outcome(table, one) == code for one in facts)
    assert any(proof.status == REFUTED for proof in listed) == broken, listed
    for proof in listed:
        if proof.status == REFUTED:
            assert proof.witness is not None
            assert outcome(table, dict(proof.witness)) == code


@settings(max_examples=300)
@given(specs())
def test_no_claim_about_a_small_table_is_false_and_none_stays_open(body: Spec) -> None:
    read = document(body)
    table, facts, proofs = Table(read), list(everything(body)), prove(read)
    if body["hit"] != "collect":
        hold(by_kind(proofs, "gap"), table, facts, "no_row")
    if body["hit"] == "unique":
        hold(by_kind(proofs, "overlap"), table, facts, "several_rows")
    if body["require"]:
        hold(by_kind(proofs, "require"), table, facts, "invariant_broken")


@settings(max_examples=100)
@given(specs(hit="unique"), st.data())
def test_two_rows_overlap_exactly_where_both_are_named(body: Spec, data: st.DataObject) -> None:
    read = document(body)
    table = Table(read)
    matching = [
        {place for place, when in enumerate(table.whens) if when.matches(values)}
        for one in everything(body)
        for _, values in table.questions(one)
    ]
    names = [row.id for row in read.rows]
    together = {
        (names[first], names[second])
        for met in matching for first in met for second in met if first < second
    }  # fmt: skip
    refuted = {proof.subject for proof in by_kind(prove(read), "overlap") if proof.status == REFUTED}
    assert refuted == together
