"""What a run asks the tables: each question once, with its answer and how often it was asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from toolkit.policy.types import BooleanType, IntegerType, TermType, thaw

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet
    from toolkit.policy.tables import Decision, Table

Fact = bool | int | str | None


@dataclass(frozen=True, slots=True)
class Decided:
    """One question to a table, the answer, and how often it was asked. ``outputs`` are JSON values."""

    document: str
    facts: Mapping[str, Fact]
    outputs: Mapping[str, object]
    row: str
    times: int = 1

    def to_json(self) -> dict[str, object]:
        """The entry of a log; ``times`` stands there only where it is more than one."""
        record: dict[str, object] = {
            "document": self.document,
            "facts": dict(self.facts),
            "outputs": dict(self.outputs),
            "row": self.row,
        }
        return record if self.times == 1 else {**record, "times": self.times}


class Questions:
    """Asks tables of one set, and keeps what was asked.

    Kept are tables whose inputs are all truths, numbers and terms of policies: whatever else a fact may be, a path or a
    text, is of the user's work, and could be long or secret. Others are asked, and forgotten.
    """

    def __init__(self, policies: PolicySet) -> None:
        self.policies = policies
        self._tables: dict[str, tuple[Table, bool]] = {}
        self._kept: dict[tuple[object, ...], tuple[Decided, Decision]] = {}

    def ask(self, document: str, /, **facts: Fact) -> Decision:
        """The answer of a table. Raises as ``Table.decide`` does; what was refused is not kept."""
        table, closed = self._table(document)
        if not closed:
            return table.decide(facts)
        # True is 1 to a dictionary, and is another fact.
        key = (document, *((name, type(value), value) for name, value in facts.items()))
        known = self._kept.get(key)
        if known is not None:
            decided, decision = known
            self._kept[key] = replace(decided, times=decided.times + 1), decision
            return decision
        decision = table.decide(facts)
        outputs = {name: thaw(value) for name, value in decision.outputs.items()}
        self._kept[key] = Decided(document, facts, outputs, decision.row), decision
        return decision

    def decided(self) -> tuple[Decided, ...]:
        """What was asked, in the order in which it was first asked."""
        return tuple(decided for decided, _ in self._kept.values())

    def _table(self, document: str) -> tuple[Table, bool]:
        if document not in self._tables:
            table = self.policies.table(document)
            self._tables[document] = table, is_closed(table)
        return self._tables[document]


def is_closed(table: Table) -> bool:
    """Whether every fact of a table is a truth, a number or a term."""
    types = (one.type for one in table.document.inputs.values())
    return all(isinstance(kind, (BooleanType, IntegerType, TermType)) for kind in types)
