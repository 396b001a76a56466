"""What past decisions are asked of again: tables and machines, and which way an answer of theirs has moved."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

from toolkit.authoring.directions import MIXED, OTHER, STRONGER, WEAKER, together
from toolkit.policy.language.rules import COLLECT
from toolkit.policy.language.transitions import EVENT, STATE, TO
from toolkit.policy.machines import Machine
from toolkit.policy.problems import PolicyError, shown
from toolkit.policy.proofs.strength import Strength
from toolkit.policy.sets import PolicySet
from toolkit.policy.tables import Table
from toolkit.policy.types import BooleanType, TermType, thaw

ITEM: Final = "item"
EFFECTS: Final = "effects"
MAX_PAIRS: Final = 10_000  # of answers in two lists that are held against each other

Outputs = dict[str, object]


class Answer(NamedTuple):
    """What policies say now; both are lists where the answer is one."""

    outputs: object
    row: object


class Deciders:
    """The tables and machines of a set, each made ready once."""

    def __init__(self, policies: PolicySet) -> None:
        self._policies = policies
        self._known = frozenset(policies.ids)
        self._deciders: dict[str, DecidingTable | DecidingMachine] = {}

    def of(self, document: str) -> DecidingTable | DecidingMachine:
        """Raises ``PolicyError`` where the document is gone, or decides nothing any more."""
        if document not in self._deciders:
            if document not in self._known:
                raise PolicyError("unknown_document", f"there is no policy document {shown(document)} now")
            machine = self._policies.entry(document).head.kind == "machine"
            self._deciders[document] = (
                DecidingMachine(self._policies.machine(document))
                if machine
                else DecidingTable(self._policies.table(document))
            )
        return self._deciders[document]


class DecidingTable:
    """A table, and which of its answers are stronger."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.strength = Strength(table.document)

    def answer(self, facts: Mapping[str, object]) -> Answer:
        """What it says now. Raises ``PolicyError``."""
        decisions = self.table.decide_all(dict(facts))
        outputs = [_thawed(decision.outputs, decision.item) for decision in decisions]
        rows = [decision.row for decision in decisions]
        return Answer(outputs, rows) if self.table.document.lists else Answer(outputs[0], rows[0])

    def direction(self, before: object, after: object) -> str:
        """Which way an answer that differs has moved."""
        if isinstance(before, Mapping) and isinstance(after, Mapping):
            return self._of_outputs(before, after)
        if not isinstance(before, (list, tuple)) or not isinstance(after, (list, tuple)):
            return OTHER
        were, are = _by_item(before), _by_item(after)
        items = dict.fromkeys((*were, *are))
        moved = (self._of_answers(were.get(item, []), are.get(item, [])) for item in items)
        return together(moved) or OTHER

    def _of_outputs(self, before: Mapping[str, object], after: Mapping[str, object]) -> str:
        return together(self._moves(before, after)) or OTHER

    def _moves(self, before: Mapping[str, object], after: Mapping[str, object]) -> Iterator[str]:
        for name, (was, now) in changed_outputs(before, after).items():
            known = name in before and name in after and name in self.table.document.outputs
            weaker = self.strength.is_weaker(name, cast(Any, now), cast(Any, was)) if known else None
            yield OTHER if weaker is None else WEAKER if weaker else STRONGER

    def _of_answers(self, before: Sequence[Outputs], after: Sequence[Outputs]) -> str | None:
        """Which way the answers for one item, or all of a ``collect`` table, have moved; null if they have not."""
        if self.table.document.hit != COLLECT and len(before) == len(after) == 1:
            return None if equal(before[0], after[0]) else self._of_outputs(before[0], after[0])
        lost, gained = _missing(before, after), _missing(after, before)
        if not lost and not gained:
            return None
        if len(lost) * len(after) + len(gained) * len(before) > MAX_PAIRS:
            return OTHER
        weaker = any(self._unmatched(was, after) for was in lost)
        stronger = any(self._unmatched(now, before) for now in gained)
        return MIXED if weaker and stronger else WEAKER if weaker else STRONGER if stronger else OTHER

    def _unmatched(self, one: Outputs, others: Sequence[Outputs]) -> bool:
        """Whether an answer says something that no other says as strongly: a term or a truth, not its wording."""
        closed = [
            name
            for name, declared in self.table.document.outputs.items()
            if name in one and isinstance(declared.type, (BooleanType, TermType))
        ]
        return any(all(self._is_less(name, other.get(name), one[name]) for other in others) for name in closed)

    def _is_less(self, name: str, value: object, least: object) -> bool:
        told = self.strength.is_weaker(name, cast(Any, value), cast(Any, least))
        return told if told is not None else not equal(value, least)


class DecidingMachine:
    """A machine: the facts of a step name its state and event."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine

    def answer(self, facts: Mapping[str, object]) -> Answer:
        """The step that it takes now. Raises ``PolicyError``, also where it refuses the event."""
        state, event = (self._name(facts, key) for key in (STATE, EVENT))
        inputs = {name: value for name, value in facts.items() if name not in (STATE, EVENT)}
        step = self.machine.step(state, event, **inputs)
        return Answer({TO: step.to, EFFECTS: list(step.effects)}, step.id)

    def direction(self, _before: object, _after: object) -> str:
        """Transitions are legal or are not: none is stronger."""
        return OTHER

    def _name(self, facts: Mapping[str, object], key: str) -> str:
        value = facts.get(key)
        if isinstance(value, str):
            return value
        code = "fact_invalid" if key in facts else "fact_missing"
        said = f"is {shown(value)}, no {key}" if key in facts else "is missing"
        raise PolicyError(code, f"{self.machine.document.head.id}: the fact {key!r} {said}")


def changed_outputs(past: object, now: object) -> Mapping[str, tuple[object, object]]:
    """Of two single answers the outputs that differ, each as it was and is; null stands for one that is not there."""
    before = cast("Mapping[str, object]", past) if isinstance(past, Mapping) else {}
    after = cast("Mapping[str, object]", now) if isinstance(now, Mapping) else {}
    names = dict.fromkeys((*after, *before))
    pairs = {name: (before.get(name), after.get(name)) for name in names}
    return {name: pair for name, pair in pairs.items() if not equal(*pair) or (name in before) != (name in after)}


def equal(one: object, other: object) -> bool:
    """Whether two JSON values are the same, with their types: ``true`` is no 1, and 1 no 1.0."""
    return spelt(one) == spelt(other)


def spelt(value: object) -> str:
    """A JSON value as one text, whatever the order of its keys."""
    return json.dumps(value, sort_keys=True, default=_plain)


def _thawed(outputs: Mapping[str, Any], item: int | None) -> Outputs:
    found: Outputs = {name: thaw(value) for name, value in outputs.items()}
    return found if item is None else {**found, ITEM: item}


def _by_item(answers: Sequence[object]) -> dict[object, list[Outputs]]:
    """Answers by the item that they are about; all of them are about none where the table does not ask for each."""
    found: dict[object, list[Outputs]] = {}
    for one in answers:
        outputs = dict(cast("Mapping[str, object]", one))
        item = outputs.pop(ITEM, None)
        found.setdefault(item if type(item) is int else None, []).append(outputs)
    return found


def _missing(answers: Sequence[Outputs], among: Sequence[Outputs]) -> list[Outputs]:
    known = {spelt(one) for one in among}
    return [one for one in answers if spelt(one) not in known]


def _plain(value: object) -> object:
    """Immutable mappings, which a caller may hand in."""
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{shown(value)} is no JSON value")
