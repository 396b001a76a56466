"""What is found of machines, against walking through all their steps."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from policy_support import head, load

from toolkit.authoring.analysis import Finding, analyze, analyze_machine
from toolkit.policy.machines import Machine
from toolkit.policy.problems import PolicyError, Undecided
from toolkit.policy.proofs import NOT_PROVED, PROVED, REFUTED
from toolkit.policy.sets import PolicySet

STATES = ("a", "b", "c", "d", "e")
EVENTS: dict[str, dict[str, Any]] = {
    "go": {"n": {"type": "integer", "minimum": 0, "maximum": 2}, "b": {"type": "boolean", "optional": True}},
    "stop": {"n": {"type": "integer", "minimum": 0, "maximum": 2}},
    "ring": {},
}
VALUES: dict[str, tuple[Any, ...]] = {"n": (0, 1, 2), "b": (False, True, None)}
VOCABULARY = head("vocabulary", "t.state") + f"terms: [{', '.join(f'{{term: {state}}}' for state in STATES)}]\n"
HEAD = {"policy": "v1", "kind": "machine", "id": "t.machine", "version": "1.0.0", "title": "x", "source": "x"}


def machine(transitions: list[dict[str, Any]], terminal: list[str] | None = None) -> Machine:
    events = {name: {"inputs": inputs} if inputs else {} for name, inputs in EVENTS.items()}
    states = {"of": "t.state", "initial": "a", "terminal": ["e"] if terminal is None else terminal}
    body = {**HEAD, "states": states, "events": events, "transitions": transitions}
    return load(VOCABULARY, json.dumps(body)).machine("t.machine")


def go(identity: str, begin: Any, to: str, event: str = "go", **when: Any) -> dict[str, Any]:
    return {"id": identity, "from": begin, "event": event, **({"when": when} if when else {}), "to": to}


def found(made: Machine, kind: str) -> dict[str, Finding]:
    return {one.subject[0]: one for one in analyze_machine(made.document) if one.kind == kind}


def statuses(made: Machine, kind: str) -> dict[str, str]:
    return {name: one.status for name, one in found(made, kind).items()}


@st.composite
def whens(draw: st.DrawFn, event: str) -> dict[str, Any]:
    cells = {
        "n": st.one_of(st.integers(0, 2), st.sampled_from([{"gt": 2}, {"gt": 0}, {"lte": 1}, [0, 2]])),
        "b": st.sampled_from([None, True, False, {"present": True}]),
    }
    names = draw(st.lists(st.sampled_from(sorted(EVENTS[event])), unique=True)) if EVENTS[event] else []
    return {name: draw(cells[name]) for name in names}


@st.composite
def machines(draw: st.DrawFn) -> Machine:
    terminal = draw(st.sampled_from([["e"], ["e"], ["d", "e"], []]))
    begins = [state for state in STATES if state not in terminal]
    transitions = []
    for number in range(draw(st.integers(1, 7))):
        event = draw(st.sampled_from(sorted(EVENTS)))
        begin = draw(st.lists(st.sampled_from(begins), min_size=1, max_size=2, unique=True))
        transitions.append(go(f"t{number}", begin, draw(st.sampled_from(STATES)), event, **draw(whens(event))))
    return machine(transitions, terminal)


def steps(made: Machine) -> Iterator[tuple[str, str, str, str]]:
    """Every step that any facts take: from, to, by which transition and event."""
    for state, (event, inputs) in product(STATES, EVENTS.items()):
        for values in product(*(VALUES[name] for name in inputs)):
            try:
                taken = made.step(state, event, **dict(zip(inputs, values, strict=True)))
            except PolicyError:
                continue
            yield state, taken.to, taken.id, event


def closure(begin: set[str], edges: set[tuple[str, str]]) -> set[str]:
    reached = set(begin)
    while more := {to for state, to in edges if state in reached} - reached:
        reached |= more
    return reached


def said(*, defect: bool) -> str:
    return REFUTED if defect else PROVED


@settings(max_examples=150)
@given(machines())
def test_states_and_transitions_are_what_walking_through_all_steps_finds(made: Machine) -> None:
    walked = set(steps(made))
    edges = {(state, to) for state, to, _, _ in walked}
    reached = closure({"a"}, edges)
    assert statuses(made, "unreachable") == {one: said(defect=one not in reached) for one in STATES[1:]}
    alive = {(name, event) for state, _, name, event in walked if state in reached}
    names, events = {name for name, _ in alive}, {event for _, event in alive}
    assert statuses(made, "dead") == {one: said(defect=one not in names) for one in made.document.transitions}
    assert statuses(made, "ignored") == {one: said(defect=one not in events) for one in EVENTS}
    terminal = set(made.document.terminal)
    ending = closure(terminal, {(to, state) for state, to in edges}) if terminal else {state for state, _ in edges}
    assert statuses(made, "stuck") == {one: said(defect=one not in ending) for one in sorted(reached - terminal)}


@settings(max_examples=100)
@given(machines())
def test_every_witness_is_a_step_that_is_taken_or_two_that_collide(made: Machine) -> None:
    for one in analyze_machine(made.document):
        assert one.status != NOT_PROVED or "more pairs" in one.message
        if one.witness is None:
            continue
        facts = dict(one.witness)
        state, event = str(facts.pop("state")), str(facts.pop("event"))
        if one.kind == "overlap":
            with pytest.raises(Undecided, match="several rows"):
                made.step(state, event, **facts)
            continue
        taken = made.step(state, event, **facts)
        if one.kind == "dead":
            assert taken.id == one.subject[0]
        elif one.kind == "unreachable":
            assert taken.to == one.subject[0]
        elif one.kind == "stuck":
            assert state == one.subject[0]


def test_the_way_to_a_state_is_told() -> None:
    made = machine(
        [go("one", "a", "b"), go("two", "b", "c", n=1), go("end", ["b", "c"], "e", "ring"), go("x", "d", "e")]
    )
    listed = found(made, "unreachable")
    assert listed["c"].message == "the state 'c' is reached by one -> two"
    assert listed["c"].witness == {"event": "go", "state": "b", "n": 1, "b": None}
    assert listed["d"].message == "nothing leads from 'a' to the state 'd'"
    assert listed["d"].witness is None
    assert found(made, "dead")["x"].message == "the transition 'x' is never taken: nothing leads to 'd'"
    assert found(made, "ignored")["stop"].message == "no transition ever answers the event 'stop'"
    assert "d" not in found(made, "stuck")


def test_a_transition_whose_conditions_contradict_each_other_is_dead_and_leads_nowhere() -> None:
    made = machine([go("never", "a", "b", n={"gt": 2}), go("end", "a", "e", "ring")])
    assert found(made, "dead")["never"].message == "the transition 'never' is never taken: no facts meet its conditions"
    assert found(made, "unreachable")["b"].status == REFUTED


def test_a_transition_beside_which_another_is_always_enabled_is_dead() -> None:
    made = machine([go("one", "a", "b", n=1), go("two", "a", "c"), go("end", ["a", "b", "c"], "e", "ring")])
    assert found(made, "dead")["one"].message.endswith(
        "wherever its conditions hold, another transition is enabled too"
    )
    assert found(made, "dead")["two"].status == PROVED
    (overlap,) = [one for one in analyze_machine(made.document) if one.kind == "overlap" and one.is_fault]
    assert overlap.subject == ("one", "two")
    assert overlap.witness == {"event": "go", "state": "a", "n": 1, "b": None}
    assert overlap.message == "some facts enable both of the transitions 'one' and 'two'"


def test_inputs_of_an_event_that_no_transition_reads_are_unused() -> None:
    made = machine([go("one", "a", "e", n=1), go("two", "a", "e", "stop", n=2)])
    listed = [one.subject for one in analyze_machine(made.document) if one.kind == "unused" and one.is_fault]
    assert listed == [("go", "b")]


def test_null_of_an_event_s_input_is_told() -> None:
    made = machine([go("one", "a", "e", b=True), go("two", "a", "b", b=False)])
    one = found(made, "null")["b"]
    assert (one.status, one.message) == (REFUTED, "where b is null, no transition ever answers")
    assert not one.fault


def test_a_machine_that_runs_for_ever_is_stuck_only_where_nothing_leads_on() -> None:
    made = machine([go("one", "a", "b"), go("two", "b", "a"), go("three", "a", "c", "stop")], terminal=[])
    assert statuses(made, "stuck") == {"a": PROVED, "b": PROVED, "c": REFUTED}
    assert found(made, "stuck")["c"].message == "nothing leads on from the state 'c'"


def test_where_the_boxes_end_nothing_is_claimed_of_a_machine() -> None:
    alternatives = [{"n": place % 3} for place in range(600)]
    made = machine([go("many", "a", "b", any_of=alternatives), go("end", "b", "e", "ring")])
    assert statuses(made, "unreachable") == {"b": NOT_PROVED, "c": REFUTED, "d": REFUTED, "e": NOT_PROVED}
    assert statuses(made, "dead") == {"many": NOT_PROVED, "end": NOT_PROVED}
    assert statuses(made, "stuck") == {"a": NOT_PROVED, "b": PROVED}
    assert statuses(made, "ignored") == {"go": NOT_PROVED, "stop": REFUTED, "ring": NOT_PROVED}


def test_the_shipped_machines_have_no_state_and_no_transition_in_vain(policies: PolicySet) -> None:
    names = [one for one in policies.ids if policies.entry(one).head.kind == "machine"]
    kinds = ("unreachable", "dead", "stuck", "ignored", "overlap")
    listed = [one for one in analyze(policies, names) if one.kind in kinds]
    assert {one.document for one in listed} == set(names)
    assert all(one.status == PROVED for one in listed)
