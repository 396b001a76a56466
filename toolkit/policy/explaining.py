"""Why a table answered as it did: the rows tried, the cells that failed, the row that won, and the near misses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from toolkit.policy.deciding.matching import Cell, CompiledWhen, Values
from toolkit.policy.language.rules import FIRST, When
from toolkit.policy.problems import PolicyError, Undecided, clipped
from toolkit.policy.tables import Decision, Table
from toolkit.policy.types import thaw

MATCHED, FAILED, NOT_TRIED = "matched", "failed", "not tried"
MAX_SHOWN = 20  # items of a list in a trace


class FailedCell(NamedTuple):
    """One condition that did not hold: the fact's name, what was asked of it, and what it was (the start, if long)."""

    name: str
    condition: str
    value: object

    def to_json(self) -> dict[str, object]:
        return {"condition": self.condition, "name": self.name, "value": self.value}


class TriedRow(NamedTuple):
    """What became of one row. ``near`` where a single name kept it from matching."""

    id: str
    outcome: str
    failed: tuple[FailedCell, ...]
    source: str
    layer: str
    near: bool = False

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
    refusal: PolicyError | None  # an event that a machine refuses is no ``Undecided``
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
    return tuple(_explain_one(table, values, item) for item, values in table.questions(facts))


def _explain_one(table: Table, values: Values, item: int | None) -> Explanation:
    decisions: tuple[Decision, ...] = ()
    refusal = None
    try:
        decisions = table.answers(values, item)
    except Undecided as fault:
        refusal = fault
    rows = _tried(table, values)
    near = tuple(row.id for row in rows if row.near)
    lets = {let.name: values[let.name] for let in table.document.lets}
    head = table.document.head
    return Explanation(head.id, head.source, decisions, refusal, lets, rows, near, item)


def _tried(table: Table, values: Values) -> tuple[TriedRow, ...]:
    tried: list[TriedRow] = []
    won = False
    for row, when in zip(table.document.rows, table.whens, strict=True):
        source = row.source or table.document.head.source
        if won and table.document.hit == FIRST:
            tried.append(TriedRow(row.id, NOT_TRIED, (), source, row.layer))
            continue
        cells, near = failing(when, values)
        won = won or not cells
        failed = tuple(FailedCell(cell.name, cell.words, beginning(values[cell.name])) for cell in cells)
        tried.append(TriedRow(row.id, FAILED if failed else MATCHED, failed, source, row.layer, near))
    return tuple(tried)


def failing(when: CompiledWhen, values: Values) -> tuple[list[Cell], bool]:
    """The cells that do not hold, those of every alternative where none holds; and whether one name is enough."""
    failed = _failing_cells(when, values)
    if not when.any_of or any(other.matches(values) for other in when.any_of):
        return failed, _one_name(failed)
    others = [_failing_cells(other, values) for other in when.any_of]
    near = any(_one_name(failed + other) for other in others)
    return failed + [cell for other in others for cell in other], near


def _failing_cells(when: CompiledWhen, values: Values) -> list[Cell]:
    return [cell for cell in when.cells if not cell.holds(values[cell.name])]


def _one_name(cells: list[Cell]) -> bool:
    return bool(cells) and all(cell.name == cells[0].name for cell in cells)


def beginning(value: Any) -> object:
    """A fact as a trace shows it: a text or list of any length is not repeated in every row."""
    if isinstance(value, (list, tuple)):
        more = [f"... and {len(value) - MAX_SHOWN} more"] if len(value) > MAX_SHOWN else []
        return [beginning(item) for item in value[:MAX_SHOWN]] + more
    return clipped(value) if isinstance(value, str) else thaw(value)


def describe_when(when: When) -> str:
    """A row's conditions in words, for people."""
    parts = [f"{name} {condition.text()}" for name, condition in when.cells]
    if when.any_of:
        parts.append("any of (" + "; or ".join(describe_when(other) for other in when.any_of) + ")")
    return "; ".join(parts) or "always"
