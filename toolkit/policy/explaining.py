"""Why a table answered as it did: the rows tried, the cells that failed, the row that won, and the near misses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolkit.policy.problems import PolicyError
from toolkit.policy.tables import FIRST, Decision, Row, Table, When, compile_when
from toolkit.policy.types import thaw

MATCHED, FAILED, NOT_TRIED = "matched", "failed", "not tried"


@dataclass(frozen=True, slots=True)
class FailedCell:
    """One condition that did not hold: the fact's name, what was asked of it, and what it was."""

    name: str
    condition: str
    value: object

    def to_json(self) -> dict[str, object]:
        return {"condition": self.condition, "name": self.name, "value": self.value}


@dataclass(frozen=True, slots=True)
class TriedRow:
    """What became of one row."""

    id: str
    outcome: str
    failed: tuple[FailedCell, ...]
    source: str
    layer: str

    def to_json(self) -> dict[str, object]:
        return {
            "failed": [cell.to_json() for cell in self.failed],
            "layer": self.layer,
            "outcome": self.outcome,
            "row": self.id,
            "source": self.source,
        }


@dataclass(frozen=True, slots=True)
class Explanation:
    """One decision, or refusal, with its reasons. ``near_misses`` are rows that one fact kept from matching."""

    table: str
    source: str
    decisions: tuple[Decision, ...]
    refusal: PolicyError | None
    lets: Mapping[str, object]
    rows: tuple[TriedRow, ...]
    near_misses: tuple[str, ...]
    item: int | None = None

    def to_json(self) -> dict[str, object]:
        return {
            "item": self.item,
            "lets": dict(self.lets),
            "near_misses": list(self.near_misses),
            "refusal": self.refusal.to_json() if self.refusal else None,
            "rows": [row.to_json() for row in self.rows],
        }


def explain(table: Table, facts: Mapping[str, object]) -> tuple[Explanation, ...]:
    """Explain the decision for these facts: one explanation, or one for each item of an ``each`` table.

    A refusal is part of the answer; a bad fact raises ``PolicyError``, as deciding does.
    """
    each = table.document.each
    if each is None:
        return (_explain_one(table, facts, None),)
    table.values_of({**facts, each: []}) if not facts.get(each) else table.values_of(facts)
    items = facts[each]
    assert isinstance(items, (list, tuple))
    return tuple(_explain_one(table, {**facts, each: [item]}, index) for index, item in enumerate(items))


def _explain_one(table: Table, facts: Mapping[str, object], item: int | None) -> Explanation:
    values = table.values_of(facts)
    decisions: tuple[Decision, ...] = ()
    refusal = None
    try:
        decisions = table.decide_all(**facts)
    except PolicyError as fault:
        refusal = fault
    rows = _tried(table, values)
    near = tuple(row.id for row in rows if row.outcome == FAILED and len({cell.name for cell in row.failed}) == 1)
    lets = {let.name: values[let.name] for let in table.document.lets}
    head = table.document.head
    return Explanation(head.id, head.source, decisions, refusal, lets, rows, near, item)


def _tried(table: Table, values: Mapping[str, Any]) -> tuple[TriedRow, ...]:
    tried: list[TriedRow] = []
    won = False
    for row in table.document.rows:
        if won and table.document.hit == FIRST:
            tried.append(TriedRow(row.id, NOT_TRIED, (), _source(table, row), row.layer))
            continue
        failed = tuple(_failed_cells(row.when, values))
        won = won or not failed
        tried.append(TriedRow(row.id, FAILED if failed else MATCHED, failed, _source(table, row), row.layer))
    return tuple(tried)


def _source(table: Table, row: Row) -> str:
    return row.source or table.document.head.source


def _failed_cells(when: When, values: Mapping[str, Any]) -> list[FailedCell]:
    failed = [
        FailedCell(name, condition.text(), thaw(values[name]))
        for name, condition in when.cells
        if not condition.compile()(values[name])
    ]
    if when.any_of and not any(compile_when(other)(values) for other in when.any_of):
        for other in when.any_of:
            failed.extend(_failed_cells(other, values))
    return failed


def describe_when(when: When) -> str:
    """A row's conditions in words, for people."""
    parts = [f"{name} {condition.text()}" for name, condition in when.cells]
    if when.any_of:
        parts.append("any of (" + "; or ".join(describe_when(other) for other in when.any_of) + ")")
    return "; ".join(parts) or "always"
