"""The shipped machines, walked whole: every state, every event, every input that tells anything apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

import pytest

from toolkit.effects import EFFECTS
from toolkit.policy.language.transitions import Transition
from toolkit.policy.machines import Machine, Refused
from toolkit.policy.sets import PolicySet

Inputs = Mapping[str, Any]
Rule = Callable[[str, str, Inputs], str | None]

BOTH = (True, False)
COUNTS = (0, 1, 2, 2**53 - 1)
ENDS = ("approved", "escalated", "invalidated")
REVIEW: Mapping[str, Mapping[str, tuple[Any, ...]]] = {
    "claims": {"to_refute": COUNTS[1:], "batch_asked": BOTH, "escalations": COUNTS},
    "results": {"corrections": COUNTS, "escalations": COUNTS},
    "forecast": {"decision": ("proceed", "escalate")},
    "correction": {"forecast_open": BOTH, "within_genesis": BOTH},
    "validation": {"forecast_open": BOTH, "result": ("escalated", "correction_required", "validating", None)},
    "evidence": {"passed": BOTH},
    "invalidate": {"pristine": BOTH, "reason_given": BOTH},
}
JUDGMENT: Mapping[str, Mapping[str, tuple[Any, ...]]] = {
    "judged": {"judges": (0, 1, 2, 3), "refuters": (0, 1, 2), "blind": BOTH, "severe": COUNTS},
    "fixed": {"exact_ids": BOTH, "within_paths": BOTH},
}
ACKNOWLEDGEMENT: Mapping[str, Mapping[str, tuple[Any, ...]]] = {
    "acknowledge": {
        "review": ("reviewing", "correction_required", "validating", *ENDS),
        "token_matches": BOTH,
    }
}


def reviewed(state: str, event: str, asked: Inputs) -> str | None:
    """Where a review goes, told again; null where it must not go anywhere."""
    if state == "reviewing":
        if event == "invalidate":
            return "invalidated" if asked["pristine"] and asked["reason_given"] else None
        if event == "claims" and not asked["batch_asked"]:
            return "escalated" if asked["escalations"] else "reviewing"
        if event == "results":
            blocked = "correction_required" if asked["corrections"] else "validating"
            return "escalated" if asked["escalations"] else blocked
    if state == "correction_required":
        if event == "forecast":
            return "correction_required" if asked["decision"] == "proceed" else "escalated"
        if event == "correction" and asked["forecast_open"] and asked["within_genesis"]:
            return "correction_required"
        if event == "validation" and asked["forecast_open"]:
            result: str | None = asked["result"]
            return result
    if state == "validating" and event == "evidence":
        return "approved" if asked["passed"] else "escalated"
    return None


def reviewed_atomically(state: str, event: str, asked: Inputs) -> str | None:
    """The same, with one attempt at a correction and no other."""
    if event == "validation" and asked["result"] == "correction_required":
        return None
    return reviewed(state, event, asked)


def judged(state: str, event: str, asked: Inputs) -> str | None:
    """Where a Judgment Day goes, told again: what the two judges find is fixed twice at most."""
    course = ("judging", "fixing_first", "rejudging_first", "fixing_second", "rejudging_second", "escalated")
    if event == "fixed" and state.startswith("fixing") and all(asked.values()):
        return course[course.index(state) + 1]
    if event == "judged" and state in ("judging", "rejudging_first", "rejudging_second"):
        if (asked["judges"], asked["refuters"], asked["blind"]) != (2, 0, True):
            return None
        return course[course.index(state) + 1] if asked["severe"] else "settled"
    return None


def acknowledged(state: str, event: str, asked: Inputs) -> str | None:
    """Only the exact token of an approval consumes it, and once."""
    exact = state == "pending" and event == "acknowledge" and asked["review"] == "approved" and asked["token_matches"]
    return "consumed" if exact else None


def every(inputs: Mapping[str, tuple[Any, ...]]) -> Iterator[dict[str, Any]]:
    for values in product(*inputs.values()):
        yield dict(zip(inputs, values, strict=True))


def walk(machine: Machine, events: Mapping[str, Mapping[str, tuple[Any, ...]]], rule: Rule) -> set[str]:
    """Take every step from every state; hold each against the rule. The ids of the transitions that were taken."""
    assert {name: list(table.inputs)[1:] for name, table in machine.document.events.items()} == {
        name: list(inputs) for name, inputs in events.items()
    }
    taken: set[str] = set()
    for state in machine.document.states.terms:
        for event, inputs in events.items():
            for asked in every(inputs):
                transition = stepped(machine, state, event, asked)
                to = transition and transition.to
                assert to == rule(state, event, asked), f"{state}, {event} {asked}: {transition}"
                taken |= {transition.id} if transition else set()
    return taken


def stepped(machine: Machine, state: str, event: str, asked: Inputs) -> Transition | None:
    """The transition that is taken; null where the event is refused."""
    try:
        return machine.step(state, event, **asked)
    except Refused:
        return None


@pytest.mark.parametrize(
    ("name", "events", "rule"),
    [
        ("review.lifecycle", REVIEW, reviewed),
        ("review.acknowledgement", ACKNOWLEDGEMENT, acknowledged),
        ("judgment.lifecycle", JUDGMENT, judged),
    ],
    ids=["review", "acknowledgement", "judgment"],
)
def test_every_step_leads_where_the_rule_says_or_is_refused(
    policies: PolicySet, name: str, events: Mapping[str, Mapping[str, tuple[Any, ...]]], rule: Rule
) -> None:
    machine = policies.machine(name)
    assert walk(machine, events, rule) == set(machine.document.transitions), "no transition is dead"


def test_every_step_of_the_atomic_profile_leads_where_its_rule_says(atomic: PolicySet) -> None:
    machine = atomic.machine("review.lifecycle")
    assert walk(machine, REVIEW, reviewed_atomically) == set(machine.document.transitions)
    assert walk(atomic.machine("judgment.lifecycle"), JUDGMENT, judged)


def paths(machine: Machine) -> Iterator[tuple[Transition, ...]]:
    """Every way from the initial state to an end that takes no transition twice."""

    def on(state: str, gone: tuple[Transition, ...]) -> Iterator[tuple[Transition, ...]]:
        if state in machine.document.terminal:
            yield gone
        for transition in machine.document.transitions.values():
            if state in transition.from_states and transition not in gone:
                yield from on(transition.to, (*gone, transition))

    yield from on(machine.document.initial, ())


def effects_of(path: tuple[Transition, ...]) -> list[str]:
    return [effect for transition in path for effect in transition.effects]


def test_every_state_is_reached_and_leads_to_an_end(policies: PolicySet) -> None:
    for name in ("review.lifecycle", "review.acknowledgement", "judgment.lifecycle"):
        machine = policies.machine(name)
        ways = list(paths(machine))
        met = {machine.document.initial, *(transition.to for way in ways for transition in way)}
        assert met == set(machine.document.states.terms)
        assert {way[-1].to for way in ways} == set(machine.document.terminal)


def test_findings_are_frozen_once_on_every_way_but_that_of_a_review_called_off(policies: PolicySet) -> None:
    for way in paths(policies.machine("review.lifecycle")):
        assert effects_of(way).count("freeze-findings") == (way[-1].to != "invalidated")


def test_a_receipt_is_written_at_an_end_and_only_there(policies: PolicySet) -> None:
    for way in paths(policies.machine("review.lifecycle")):
        assert effects_of(way).count("write-receipt") == (way[-1].to in ("approved", "escalated"))
        assert all("write-receipt" not in transition.effects for transition in way[:-1])


def test_nothing_is_approved_without_final_evidence_that_holds(policies: PolicySet, atomic: PolicySet) -> None:
    for machine in (policies.machine("review.lifecycle"), atomic.machine("review.lifecycle")):
        for way in paths(machine):
            if way[-1].to == "approved":
                assert way[-1].id == "verified"
                assert effects_of(way).count("record-evidence") == 1
                assert effects_of(way).index("request-evidence") < effects_of(way).index("record-evidence")


def test_a_correction_has_a_forecast_before_its_edit_and_is_validated_before_evidence(policies: PolicySet) -> None:
    machine = policies.machine("review.lifecycle")
    with pytest.raises(Refused):
        machine.step("correction_required", "correction", forecast_open=False, within_genesis=True)
    with pytest.raises(Refused):
        machine.step("correction_required", "evidence", passed=True)


def test_a_validator_that_saw_nothing_is_no_attempt(policies: PolicySet) -> None:
    with pytest.raises(Refused) as refused:
        policies.machine("review.lifecycle").step("correction_required", "validation", forecast_open=True, result=None)
    assert refused.value.code == "no_transition"


@pytest.mark.parametrize("pristine", BOTH)
@pytest.mark.parametrize("state", ["correction_required", "validating", "approved", "escalated"])
def test_only_a_review_in_which_nothing_was_learnt_is_called_off(
    policies: PolicySet, state: str, pristine: bool
) -> None:
    with pytest.raises(Refused):
        policies.machine("review.lifecycle").step(state, "invalidate", pristine=pristine, reason_given=True)


def test_the_atomic_profile_writes_no_receipt_and_waits_for_an_acknowledgement(atomic: PolicySet) -> None:
    ways = list(paths(atomic.machine("review.lifecycle")))
    for way in ways:
        assert "write-receipt" not in effects_of(way)
        assert effects_of(way).count("issue-acknowledgement") == (way[-1].to == "approved")
        assert effects_of(way).count("charge-attempt") <= 1
    (burned,) = paths(atomic.machine("review.acknowledgement"))
    assert effects_of(burned) == ["record-consumption", "burn-authority"]


def test_a_judgment_day_has_two_rounds_and_no_third(policies: PolicySet) -> None:
    fixes = [effects_of(way).count("authorise-fix") for way in paths(policies.machine("judgment.lifecycle"))]
    assert sorted(fixes) == [0, 1, 2, 2]
    survivors = [way for way in paths(policies.machine("judgment.lifecycle")) if way[-1].to == "escalated"]
    assert [effects_of(way).count("record-survivors") for way in survivors] == [1]


def test_everything_that_code_can_do_is_asked_for_somewhere(policies: PolicySet, atomic: PolicySet) -> None:
    asked = {
        effect
        for loaded in (policies, atomic)
        for name in ("review.lifecycle", "review.acknowledgement", "judgment.lifecycle")
        for transition in loaded.machine(name).document.transitions.values()
        for effect in transition.effects
    }
    assert asked == set(EFFECTS)
