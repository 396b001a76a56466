"""Whatever a set says, loading and asking it end in an answer or a ``PolicyError`` with a place, in counted work."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from anything_support import EFFECTS, SHAPES, TEMPLATES, SetMaker
from counting_support import Counts, FactMaker, counting, leaves_of, most_items
from hypothesis import Phase, given, note, settings
from hypothesis import strategies as st

from toolkit.policy.deciding.columns import cells_of
from toolkit.policy.explaining import Explanation, explain
from toolkit.policy.layers import Source
from toolkit.policy.loading.pinned import MAX_PIN_BOXES
from toolkit.policy.loading.proved import MAX_SET_BOXES
from toolkit.policy.machines import Machine, Refused
from toolkit.policy.problems import MAX_TEXT, PolicyError, Problem, Undecided
from toolkit.policy.sets import PolicySet
from toolkit.policy.tables import Decision, Table

PARTS = 10
EXAMPLES = 1000  # of each part
MAX_COPIES = 8  # of a set's nodes: as read, and as edited for each choice of layers

# A file as a whole (too large, one too many), or an overlay as a whole (what it did to another document).
OF_A_FILE = {"too_large", "too_many_documents", "set_too_large"}
OF_AN_OVERLAY = {"pin_broken", "gap", "overlap", "requirement_broken", "not_proved"}


def load(sources: Sequence[Source], **options: Any) -> PolicySet | PolicyError:
    """The set, or why there is none. Any other exception is a bug."""
    try:
        return PolicySet.load(sources, SHAPES, templates=TEMPLATES, effects=EFFECTS, **options)
    except PolicyError as fault:
        return fault


@pytest.mark.parametrize("part", range(PARTS))
def test_any_set_loads_or_says_where_it_is_wrong_and_answers_or_says_why_not(part: int) -> None:
    with counting() as counts:

        @settings(max_examples=EXAMPLES, database=None, phases=[Phase.generate])  # a seed has no simpler ones
        @given(st.binary(min_size=8, max_size=8))
        def check(seed: bytes) -> None:
            maker = SetMaker(int.from_bytes((*seed, part)))
            _check_set(maker.sources(), maker.chance, counts)

        check()


def _check_set(sources: Sequence[Source], chance: random.Random, counts: Counts) -> None:
    for source in sources:
        note(f"{source.file}\n{source.data.decode(errors='replace')}")
    options = {"user_edits": chance.random() < 0.8, "prove": chance.random() < 0.9}
    counts.clear()
    made = load(sources, **options)
    assert counts.nodes <= MAX_COPIES * sum(len(source.data) + 1 for source in sources)
    assert counts.boxes <= 2 * MAX_SET_BOXES + MAX_PIN_BOXES
    again = load(sources, **options) if chance.random() < 0.2 else None
    if isinstance(made, PolicyError):
        _check_problems(made, {source.file for source in sources})
        assert again is None or (isinstance(again, PolicyError) and again.problems == made.problems)
        return
    stored = _stored(made) if chance.random() < 0.3 else None
    for other in (again, stored):
        assert other is None or (isinstance(other, PolicySet) and _digests(other) == _digests(made))
    facts = FactMaker(chance)
    for name in made.ids:
        if made.entry(name).head.kind == "table":
            _check_table(made.table(name), stored.table(name) if stored else None, facts, counts)
        elif made.entry(name).head.kind == "machine":
            _check_machine(made.machine(name), stored.machine(name) if stored else None, facts)


# What is said of a set that does not load.


def _check_problems(fault: PolicyError, files: set[str]) -> None:
    assert fault.problems
    assert fault.exit_status == 2
    assert fault.place == str(fault.problems[0].mark)
    for problem in fault.problems:
        _check_problem(problem, files)
    _check_told(fault)


def _check_problem(problem: Problem, files: set[str]) -> None:
    assert re.fullmatch("[a-z][a-z0-9_]*", problem.code), problem
    assert problem.mark.file in files, problem
    if problem.mark.line == 0:
        assert problem.code in OF_A_FILE | OF_AN_OVERLAY, problem
    else:
        assert problem.mark.line >= 1 <= problem.mark.column, problem
    assert 0 < len(problem.message) <= MAX_TEXT + 10, problem
    json.dumps(problem.to_json(), allow_nan=False)


def _check_told(fault: PolicyError) -> None:
    """It can be told to anybody, in any encoding of Unicode, at any length of what it is about."""
    assert fault.code
    assert fault.place, fault
    assert len(str(fault).encode()) < 40_000, len(str(fault))
    json.dumps(fault.to_json(), ensure_ascii=False, allow_nan=False).encode()


# Digests and bundles.


def _digests(policies: PolicySet) -> dict[str, str]:
    return {name: policies.digest(name) for name in policies.ids} | {
        pack: policies.pack_digest(pack) for pack in policies.packs
    }


def _stored(policies: PolicySet) -> PolicySet:
    """The set after it was kept as JSON; its digests are computed anew from what was kept."""
    bundle = json.loads(json.dumps(policies.to_bundle(policies.packs), allow_nan=False))
    known, bundle["digests"] = bundle["digests"], {}
    stored = PolicySet.from_bundle(bundle)
    _digests(stored)
    assert known == stored.to_bundle(policies.packs)["digests"]
    return stored


# Tables.


def _check_table(table: Table, stored: Table | None, maker: FactMaker, counts: Counts) -> None:
    if stored is not None:
        stored.get_ready()  # what is prepared for many questions answers as what is asked row by row
    for number in range(4):
        facts = maker.facts(table.document.inputs, legal=number < 3)
        note(f"facts {facts!r}")
        counts.clear()
        answer = _answer(table, facts)
        assert counts.tests <= _most_tests(table, facts)
        assert _said(answer) == _said(_answer(table, facts))
        assert stored is None or _said(_answer(stored, facts)) == _said(answer)
        if isinstance(answer, PolicyError):
            _check_told(answer)
            assert number == 3 or isinstance(answer, Undecided) or answer.code == "line_too_long"
        _check_explanation(table, facts, answer)


def _answer(table: Table, facts: Mapping[str, object]) -> tuple[Decision, ...] | PolicyError:
    try:
        return table.decide_all(**facts)
    except PolicyError as fault:
        return fault


def _said(answer: tuple[Decision, ...] | PolicyError) -> object:
    """What can be compared of an answer."""
    if isinstance(answer, PolicyError):
        return answer.to_json()
    return [(dict(one.outputs), one.row, one.item) for one in answer]


def _most_tests(table: Table, facts: Mapping[str, object]) -> int:
    """Each cell is tested once: for every item of ``each``, and on every item of a list that it asks of."""
    document = table.document
    cells = [condition for _, condition in cells_of(document)]
    cells += [condition for one in document.require for _, condition in one.inputs]
    return (
        sum(map(leaves_of, cells)) * most_items(document.each, facts) * (len(document.rows) if document.require else 1)
    )


def _check_explanation(table: Table, facts: Mapping[str, object], answer: tuple[Decision, ...] | PolicyError) -> None:
    told: tuple[Explanation, ...] = ()
    refused: PolicyError | None = None
    try:
        told = explain(table, facts)
    except PolicyError as fault:
        refused = fault
    assert not isinstance(refused, Undecided)
    refusal = refused or next((one.refusal for one in told if one.refusal is not None), None)
    explained = refusal or tuple(decision for one in told for decision in one.decisions)
    assert _said(explained) == _said(answer)
    for one in told:
        assert [row.id for row in one.rows] == [row.id for row in table.document.rows]
        json.dumps(one.to_json(), ensure_ascii=False, allow_nan=False).encode()


# Machines.


def _check_machine(machine: Machine, stored: Machine | None, maker: FactMaker) -> None:
    states, events = machine.document.states.terms, tuple(machine.document.events)
    for state in (*maker.chance.sample(states, min(len(states), 3)), "nowhere"):
        for event in (*maker.chance.sample(events, min(len(events), 2)), "nothing"):
            inputs = {} if event == "nothing" else dict(machine.document.events[event].inputs)
            inputs.pop("state", None)
            facts = maker.facts(inputs, legal=maker.chance.random() < 0.8)
            note(f"{state} {event} {facts!r}")
            answer = _step(machine, state, event, facts)
            assert stored is None or _step(stored, state, event, facts) == answer


def _step(machine: Machine, state: str, event: str, inputs: Mapping[str, object]) -> object:
    refused: PolicyError | None = None
    try:
        transition = machine.step(state, event, **inputs)
    except PolicyError as fault:
        refused = fault
    if refused is None:
        assert event in machine.enabled(state)
        return transition
    _check_told(refused)
    assert not isinstance(refused, Refused) or event not in refused.enabled or refused.code == "no_transition"
    return refused.to_json()
