"""A table or a machine that is asked for the cases of its document: what it answers, and why it was not otherwise."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, Final

from toolkit.authoring.testing.cases import REFUSAL, Answer, Case
from toolkit.authoring.testing.holding import ITEM, Expectable, hold_expected, hold_facts, item_output
from toolkit.policy.explaining import beginning, failing
from toolkit.policy.language.rules import Row
from toolkit.policy.language.transitions import EVENT, STATE, TO
from toolkit.policy.machines import NO_TRANSITION, TERMINAL_STATE, Machine, Refused
from toolkit.policy.problems import Problems, Undecided, clipped, did_you_mean, shown
from toolkit.policy.sets import PolicySet
from toolkit.policy.syntax.items import ITEMS
from toolkit.policy.syntax.nodes import ScalarNode, plain
from toolkit.policy.tables import Table
from toolkit.policy.types import Input, ListType, TextType, thaw

EFFECTS: Final = "effects"
MAX_CELLS: Final = 5  # of one row that are told
MAX_ITEMS: Final = 3  # of an ``each`` table for which it is told why a row did not match
# What a table refuses with by itself; the rest are codes of its rows.
TABLE_CODES: Final = ("invariant_broken", "no_row", "output_out_of_range", "several_rows")


@dataclass(frozen=True)
class AskedTable:
    """A table that is asked."""

    table: Table

    @property
    def lists(self) -> bool:
        """Whether the answer is a list."""
        return self.table.document.lists

    @property
    def references(self) -> frozenset[str]:
        """The vocabularies that it names."""
        return self.table.document.references

    @cached_property
    def rows(self) -> Mapping[str, Row]:
        """Its rows by id, in their order."""
        return {row.id: row for row in self.table.document.rows}

    def hold(self, case: Case, problems: Problems) -> None:
        """Record everything for which the case can't be asked here, or expects what can't be."""
        hold_facts(self.table.document.inputs, case.given, problems)
        hold_expected(case, self._expectable, problems)

    def answers(self, given: Mapping[str, Any]) -> tuple[Answer, ...]:
        """What it decides; a refusal is an answer. Raises ``PolicyError`` for facts that it can't be asked with."""
        try:
            decisions = self.table.decide_all(dict(given))
        except Undecided as fault:
            return (Answer({REFUSAL: fault.code}, self._row_at.get(fault.place or "")),)
        found = []
        for decision in decisions:
            outputs: dict[str, object] = {name: thaw(value) for name, value in decision.outputs.items()}
            if decision.item is not None:
                outputs.setdefault(ITEM, decision.item)
            found.append(Answer(outputs, decision.row))
        return tuple(found)

    def why_not(self, given: Mapping[str, Any], row: str, winner: str | None, word: str = "row") -> list[str]:
        """Why this row did not give the answer: the cells that failed; of the first few items where there are several.

        ``winner`` is the row that did, and ``word`` what a row is called.
        """
        index = self._index.get(row)
        if index is None:
            return [f"there is no {word} {row}"]
        told = []
        for item, values in islice(self.table.questions(given), MAX_ITEMS):
            cells, _near = failing(self.table.whens[index], values)
            of = f" (item {item})" if item is not None else ""
            if cells:
                failed = [f"{one.name} is {spelt(values[one.name])}, asked: {clipped(one.words)}" for one in cells]
                more = [f"and {len(failed) - MAX_CELLS} more"] if len(failed) > MAX_CELLS else []
                told.append(f"{word} {row} does not match{of}: {'; '.join([*failed[:MAX_CELLS], *more])}")
            elif winner is not None and winner != row and not self.lists:
                told.append(f"{word} {row} matches as well, but {winner} comes first")
        return told

    @cached_property
    def _index(self) -> Mapping[str, int]:
        return {row.id: index for index, row in enumerate(self.table.document.rows)}

    @cached_property
    def _expectable(self) -> Expectable:
        outputs, each = self.table.document.outputs, self.table.document.each
        if each is not None and ITEM not in outputs:
            outputs = {**outputs, ITEM: item_output(self.table.document.inputs[each])}
        codes = {*TABLE_CODES, *(row.error for row in self.rows.values() if row.error is not None)}
        return Expectable(outputs, codes, self.rows, ITEMS["table"].word)

    @cached_property
    def _row_at(self) -> Mapping[str, str]:
        """Rows by their place, which is that of a refusal."""
        return {str(row.mark): row.id for row in self.rows.values()}


@dataclass(frozen=True)
class AskedMachine:
    """A machine that is asked for one step: the facts of a case name its state and the event as well."""

    machine: Machine
    lists = False

    @property
    def references(self) -> frozenset[str]:
        """The vocabularies that it names."""
        return self.machine.document.references

    @cached_property
    def rows(self) -> Mapping[str, Row]:
        """Its transitions by id, in their order, each as a row of its event's table."""
        found = {row.id: row for event in self.machine.document.events.values() for row in event.rows}
        return {name: found[name] for name in self.machine.document.transitions}

    def hold(self, case: Case, problems: Problems) -> None:
        """Record everything for which the case can't be asked here, or expects what can't be."""
        given, events = case.given, self.machine.document.events
        node = given.entries.get(EVENT)
        event = node.value if isinstance(node, ScalarNode) else None
        if node is None:
            problems.add("fact_missing", f"the fact {EVENT!r} is missing", given.mark, did_you_mean("", events))
        elif not isinstance(event, str) or event not in events:
            hint = did_you_mean(event, events) if isinstance(event, str) else None
            message = f"{case.document} has no event {shown(plain(node))}"
            problems.add("unknown_event", message, node.mark, hint)
        else:
            any_text = Input(EVENT, TextType("string"), optional=False, informs=False, mark=given.mark)
            hold_facts({EVENT: any_text, **events[event].inputs}, given, problems)
        hold_expected(case, self._expectable, problems)

    def answers(self, given: Mapping[str, Any]) -> tuple[Answer, ...]:
        """The step that it takes; a refusal is an answer. Raises ``PolicyError`` for facts that no event has."""
        state, event, inputs = _split(given)
        try:
            step = self.machine.step(state, event, **inputs)
        except (Refused, Undecided) as fault:
            return (Answer({REFUSAL: fault.code}, None),)
        return (Answer({TO: step.to, EFFECTS: list(step.effects)}, step.id),)

    def why_not(self, given: Mapping[str, Any], row: str, winner: str | None) -> list[str]:
        """Why this transition was not taken."""
        state, event, inputs = _split(given)
        transition = self.machine.document.transitions.get(row)
        if transition is None:
            return [f"there is no transition {row}"]
        if transition.event != event:
            return [f"the transition {row} is one of the event {transition.event}, not of {event}"]
        if event not in self._tables:
            self._tables[event] = AskedTable(self.machine.table(event))
        return self._tables[event].why_not({STATE: state, **inputs}, row, winner, "transition")

    @cached_property
    def _tables(self) -> dict[str, AskedTable]:
        return {}

    @cached_property
    def _expectable(self) -> Expectable:
        to = next(iter(self.machine.document.events.values())).outputs[TO]
        effects = Input(EFFECTS, ListType(TextType("string")), optional=False, informs=False, mark=to.mark)
        codes = (NO_TRANSITION, TERMINAL_STATE)
        return Expectable({TO: to, EFFECTS: effects}, codes, self.rows, ITEMS["machine"].word)


Asked = AskedTable | AskedMachine


def asked_of(policies: PolicySet, document: str) -> Asked:
    """What decides under an id. Raises ``PolicyError`` where that is neither a table nor a machine."""
    if policies.entry(document).head.kind == "machine":
        return AskedMachine(policies.machine(document))
    return AskedTable(policies.table(document))


def differences(expected: Sequence[Answer], decided: Sequence[Answer]) -> Iterable[str]:
    """What was decided otherwise, answer by answer, the first few."""
    if len(expected) != len(decided):
        yield f"expected {_counted(len(expected))}, decided {_counted(len(decided))}"
    several = len(expected) > 1 or len(decided) > 1
    for number, (wanted, got) in enumerate(zip(expected, decided, strict=False), start=1):
        of = f"answer {number}: " if several else ""
        if wanted.row is not None and wanted.row != got.row:
            yield f"{of}expected row {wanted.row}, decided by {f'row {got.row}' if got.row is not None else 'no row'}"
        for name, value in wanted.outputs.items():
            if name not in got.outputs:
                yield f"{of}{name}: expected {spelt(value)}, and there is none"
            elif got.outputs[name] != value:
                yield f"{of}{name}: expected {spelt(value)}, decided {spelt(got.outputs[name])}"


def holds(expected: Sequence[Answer], decided: Sequence[Answer]) -> bool:
    """Whether what was expected was decided: the named outputs are equal, and the named rows gave them."""
    return len(expected) == len(decided) and all(
        (wanted.row is None or wanted.row == got.row)
        and all(name in got.outputs and got.outputs[name] == value for name, value in wanted.outputs.items())
        for wanted, got in zip(expected, decided, strict=True)
    )


def spelt(value: object) -> str:
    """A value as JSON, its beginning where it is long."""
    return clipped(json.dumps(beginning(value), ensure_ascii=False, sort_keys=True))


def _counted(count: int) -> str:
    return f"{count} answer" if count == 1 else f"{count} answers"


def _split(given: Mapping[str, Any]) -> tuple[str, str, dict[str, Any]]:
    inputs = {name: value for name, value in given.items() if name not in (STATE, EVENT)}
    return given[STATE], given[EVENT], inputs
