"""What ``eval`` and ``explain`` ask: a table, or a machine whose facts name the state and the event as well."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from toolkit.commands.interface import json_line
from toolkit.policy.explaining import Explanation
from toolkit.policy.explaining import explain as explain_decision
from toolkit.policy.language.transitions import EVENT, STATE, TO
from toolkit.policy.machines import Machine
from toolkit.policy.problems import PolicyError, shown
from toolkit.policy.sets import PolicySet
from toolkit.policy.tables import Decision, Table
from toolkit.policy.types import thaw

if TYPE_CHECKING:
    from toolkit.policy.tracing import Tracer

EFFECTS = "effects"


class Answer(NamedTuple):
    """One answer as machine output says it: its outputs, the row that gave it, and that row's layer."""

    outputs: dict[str, object]
    row: str
    layer: str


@dataclass(frozen=True)
class AskedTable:
    """A table that is asked."""

    table: Table
    version: str

    @property
    def id(self) -> str:
        return self.table.document.head.id

    @property
    def lists(self) -> bool:
        """Whether the answer is a list."""
        return self.table.document.lists

    @property
    def each(self) -> bool:
        """Whether there is an explanation for each item of a list."""
        return self.table.document.each is not None

    def answers(self, facts: Mapping[str, object]) -> list[Answer]:
        layers = {row.id: row.layer for row in self.table.document.rows}
        decisions = self.table.decide_all(**facts)
        return [Answer(outputs_of(decision), decision.row, layers[decision.row]) for decision in decisions]

    def explanations(self, facts: Mapping[str, object]) -> tuple[Explanation, ...]:
        return explain_decision(self.table, facts)

    def traces(self, facts: Mapping[str, object]) -> tuple[str, ...]:
        """The explanations as JSON, each on one line with sorted keys."""
        return self._tracer.traces(facts)

    @cached_property
    def _tracer(self) -> Tracer:
        from toolkit.policy.tracing import Tracer

        return Tracer(self.table)


@dataclass(frozen=True, slots=True)
class AskedMachine:
    """A machine that is asked for one step."""

    machine: Machine
    version: str
    lists = False
    each = False

    @property
    def id(self) -> str:
        return self.machine.document.head.id

    def answers(self, facts: Mapping[str, object]) -> list[Answer]:
        state, event, inputs = self.split(facts)
        step = self.machine.step(state, event, **inputs)
        row = next(row for row in self.machine.document.events[event].rows if row.id == step.id)
        return [Answer({TO: step.to, EFFECTS: list(step.effects)}, step.id, row.layer)]

    def explanations(self, facts: Mapping[str, object]) -> tuple[Explanation, ...]:
        state, event, inputs = self.split(facts)
        return (self.machine.explain(state, event, inputs),)

    def traces(self, facts: Mapping[str, object]) -> tuple[str, ...]:
        """The explanation of the step as JSON, on one line with sorted keys."""
        return tuple(json_line(one.to_json()) for one in self.explanations(facts))

    def split(self, facts: Mapping[str, object]) -> tuple[str, str, dict[str, Any]]:
        """The state, the event and the event's inputs. Raises ``PolicyError`` where state or event is missing."""
        named = []
        for name in (STATE, EVENT):
            value = facts.get(name)
            if not isinstance(value, str):
                said = f"is {shown(value)}, no {name}" if name in facts else "is missing"
                code = "fact_invalid" if name in facts else "fact_missing"
                message, place = f"{self.id}: the fact {name!r} {said}", str(self.machine.document.head.mark)
                raise PolicyError(code, message, place=place, next_step=f"dr-policy show {self.id}")
            named.append(value)
        inputs = {name: value for name, value in facts.items() if name not in (STATE, EVENT)}
        return named[0], named[1], inputs


Asked = AskedTable | AskedMachine


def asked_of(policies: PolicySet, document: str) -> Asked:
    """What stands under an id. Raises ``PolicyError`` where that is neither a table nor a machine."""
    head = policies.entry(document).head
    if head.kind == "machine":
        return AskedMachine(policies.machine(document), head.version)
    return AskedTable(policies.table(document), head.version)


def outputs_of(decision: Decision) -> dict[str, object]:
    """The outputs of a decision as JSON values, with the index of its item where there is one."""
    outputs: dict[str, object] = {name: thaw(value) for name, value in decision.outputs.items()}
    if decision.item is not None:
        outputs["item"] = decision.item
    return outputs
