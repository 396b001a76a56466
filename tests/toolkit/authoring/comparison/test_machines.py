"""Machines, held against taking every step: what is told of two of them is where their steps differ."""

from __future__ import annotations

import copy
import json
import random
from itertools import product
from typing import Any

from comparison_support import HEAD, Spec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from policy_support import load

from toolkit.authoring.comparison import compare
from toolkit.policy.machines import Machine, Refused
from toolkit.policy.sets import PolicySet

STATES = ("open", "held", "done")
INPUTS = {"n": {"type": "integer", "minimum": 0, "maximum": 3}, "b": {"type": "boolean"}}
ID = "t.machine"
NARROWER: dict[str, Any] = {"{'gte': 2}": 3, "{'lt': 2}": 0, "3": 3, "0": 0}


def loaded(transitions: list[Spec]) -> PolicySet:
    terms = [{"term": state} for state in STATES]
    states = {**HEAD, "kind": "vocabulary", "id": "t.state", "order": "descending", "anchors": [], "terms": terms}
    body = {
        **HEAD,
        "kind": "machine",
        "id": ID,
        "states": {"of": "t.state", "initial": "open", "terminal": ["done"]},
        "events": {"go": {"inputs": INPUTS}, "stop": {}},
        "transitions": [{"id": "end", "from": ["open", "held"], "event": "stop", "to": "done"}, *transitions],
    }
    return load(json.dumps(states), json.dumps(body), prove=True)


def transitions(chance: random.Random) -> list[Spec]:
    """Some of the parts into which the inputs fall in each state."""
    found: list[Spec] = []
    for state, cut, b in product(STATES[:2], range(2), (True, False)):
        if chance.random() < 0.7:
            when = {"n": {"gte" if cut else "lt": 2}, "b": b}
            found.append({"id": f"t{len(found)}", "from": state, "event": "go", "when": when, **goal(chance)})
    return found


def goal(chance: random.Random) -> Spec:
    return {"to": chance.choice(STATES), "effects": chance.choice([[], ["note"], ["ring", "note"]])}


def edited(chance: random.Random, before: list[Spec]) -> list[Spec]:
    after = copy.deepcopy(before)
    for _ in range(chance.randint(1, 3)):
        if after:
            place = chance.randrange(len(after))
            match chance.randrange(4):
                case 0:
                    del after[place]
                case 1:
                    after[place].update(goal(chance))
                case 2:
                    after[place]["when"]["n"] = NARROWER[str(after[place]["when"]["n"])]
                case 3:
                    after[place]["id"] += "-new"
    chance.shuffle(after)
    return after


def step(machine: Machine, state: str, event: str, inputs: dict[str, Any]) -> tuple[str | None, Any]:
    try:
        taken = machine.step(state, event, **inputs)
    except Refused:
        return None, None
    return taken.id, (taken.to, taken.effects)


def steps(before: PolicySet, after: PolicySet) -> set[tuple[str, str | None, str | None]]:
    """The event and the transitions of each step that is not the same."""
    found = set()
    asked = [("stop", {}), *(("go", {"n": n, "b": b}) for n in range(4) for b in (False, True))]
    for state, (event, inputs) in product(STATES, asked):
        one, other = (step(side.machine(ID), state, event, inputs) for side in (before, after))
        if one[1] != other[1]:
            found.add((event, one[0], other[0]))
    return found


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 2**32))
def test_exactly_the_steps_that_are_not_the_same_are_told_each_with_one_that_shows_it(seed: int) -> None:
    chance = random.Random(seed)
    rows = transitions(chance)
    before, after = loaded(rows), loaded(edited(chance, rows))
    found = compare(before, after)
    assert found.complete
    told = [(one.subject, one.row_before, one.row_after) for one in found.changes]
    assert len(set(told)) == len(told)
    assert set(told) == steps(before, after)
    for one in found.changes:
        assert one.witness is not None
        inputs = {name: value for name, value in one.witness.items() if name != "state"}
        shown = [step(side.machine(ID), one.witness["state"], one.subject, inputs) for side in (before, after)]
        assert ([row for row, _ in shown], one.direction) == ([one.row_before, one.row_after], "other")
