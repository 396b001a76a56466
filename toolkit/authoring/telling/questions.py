"""One question that is explained: what was asked of which table, what it answered, and which rows had a say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from toolkit.policy.deciding.matching import CompiledWhen, Values
from toolkit.policy.explaining import Explanation, explain
from toolkit.policy.language.rules import FIRST, Row, TableDocument
from toolkit.policy.language.transitions import STATE
from toolkit.policy.machines import Machine
from toolkit.policy.tables import Table


@dataclass(frozen=True, slots=True)
class Step:
    """What makes a question one of a machine."""

    machine: Machine
    state: str
    event: str


@dataclass(frozen=True)
class Question:
    """``values`` are the facts with the lets, as cells see them; ``formulas`` are the lets as they are written."""

    table: Table
    values: Values
    explanation: Explanation
    formulas: Mapping[str, str]
    step: Step | None = None

    @property
    def document(self) -> TableDocument:
        return self.table.document

    @property
    def id(self) -> str:
        return self.document.head.id

    @property
    def item(self) -> int | None:
        return self.explanation.item

    @property
    def rows(self) -> list[tuple[Row, CompiledWhen]]:
        return list(zip(self.document.rows, self.table.whens, strict=True))

    def row(self, name: str) -> tuple[Row, CompiledWhen]:
        """A row by its id."""
        return self._by_id[name]

    @cached_property
    def _by_id(self) -> dict[str, tuple[Row, CompiledWhen]]:
        return {row.id: (row, when) for row, when in self.rows}

    @property
    def own(self) -> frozenset[str]:
        """The names whose facts might be others: not the state of a machine, which it is in."""
        return frozenset(self.values) - ({STATE} if self.step else set())


def table_questions(table: Table, facts: Mapping[str, object], formulas: Mapping[str, str]) -> list[Question]:
    """What these facts ask of a table: one question, or one for each item. Raises ``PolicyError`` for a bad fact."""
    asked = zip(table.questions(facts), explain(table, facts), strict=True)
    return [Question(table, values, explanation, formulas) for (_, values), explanation in asked]


def machine_question(machine: Machine, state: str, event: str, inputs: Mapping[str, Any]) -> Question:
    """What an event asks of a machine in a state. Raises ``PolicyError`` for an unknown one or a bad input."""
    explanation = machine.explain(state, event, inputs)
    table = machine.table(event)
    ((_, values),) = table.questions({STATE: state, **inputs})
    return Question(table, values, explanation, {}, Step(machine, state, event))


def matching(table: Table, values: Values) -> tuple[int, ...]:
    """The rows that have a say: every one that matches, of a ``first`` table only the first."""
    found = (number for number, when in enumerate(table.whens) if when.matches(values))
    if table.document.hit == FIRST:
        first = next(found, None)
        return () if first is None else (first,)
    return tuple(found)


def with_value(question: Question, name: str, value: Any) -> dict[str, Any]:
    """The values with another one under a name, and with the lets that read it computed anew."""
    values = {**question.values, name: value}
    moved = {name}
    for let in question.document.lets:
        if let.name != name and let.term.names & moved:
            moved.add(let.name)
            absent = any(values[used] is None for used in let.term.names)
            values[let.name] = None if absent else let.term.evaluate(values)
    return values
