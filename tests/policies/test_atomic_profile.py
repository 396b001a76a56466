"""The other generation: what the overlays of the profile ``atomic`` change, and that they change nothing else."""

from __future__ import annotations

from itertools import product

import pytest

from toolkit.policy.sets import PolicySet

EDITED = {"review.gate", "review.lifecycle", "review.risk"}


def test_only_what_the_generations_differ_in_is_edited(policies: PolicySet, atomic: PolicySet) -> None:
    assert atomic.ids == policies.ids
    assert {name for name in policies.ids if atomic.digest(name) != policies.digest(name)} == EDITED
    assert {name for name in atomic.ids if atomic.entry(name).edits} == EDITED


def test_the_profiles_have_policies_of_two_digests(policies: PolicySet, atomic: PolicySet) -> None:
    assert policies.pack_digest("review") != atomic.pack_digest("review")


@pytest.mark.parametrize("passive", [True, False])
def test_size_alone_makes_a_change_high(atomic: PolicySet, passive: bool) -> None:
    for lines, signals in product((0, 1, 399, 400, 401, 1001, 2**53 - 1), ([], ["auth"], ["policy", "auth"])):
        outputs = atomic.table("review.risk").decide(authored_lines=lines, signals=signals, passive=passive).outputs
        high = bool(signals) or lines > 400
        assert outputs["tier"] == ("high" if high else "low" if passive else "medium")


def test_what_would_have_been_let_through_with_one_lens_gets_four(policies: PolicySet, atomic: PolicySet) -> None:
    facts = {"authored_lines": 1001, "signals": [], "passive": True}
    assert policies.table("review.risk").decide(**facts).outputs["tier"] == "medium"
    decision = atomic.table("review.risk").decide(**facts)
    assert (decision.outputs["tier"], decision.row) == ("high", "large-passive-change")
    lenses = atomic.table("review.lenses").decide(tier="high", dominant=None).outputs["lenses"]
    assert lenses == ("risk", "resilience", "readability", "reliability")


def test_one_attempt_needs_no_table_of_its_own(atomic: PolicySet) -> None:
    facts = {"actual": 5, "spent": 0, "budget": 60, "attempts": 1, "max_attempts": 1}
    table = atomic.table("review.correction-result")
    assert table.decide(**facts, passed=True).outputs["state"] == "validating"
    assert table.decide(**facts, passed=False).outputs["state"] == "escalated"


def test_no_row_is_left_that_could_allow_or_block(atomic: PolicySet) -> None:
    rows = atomic.table("review.gate").document.rows
    assert [row.id for row in rows] == ["disabled", "informational", "undetermined"]
    assert {row.then["result"] for row in rows if row.error is None} == {"unmanaged"}


def test_a_gate_with_nothing_to_deliver_is_no_approval_either(atomic: PolicySet) -> None:
    decision = atomic.table("review.gate-deliveries").decide(profile="atomic", mode="on", deliveries=0)
    assert decision.outputs["result"] is None
