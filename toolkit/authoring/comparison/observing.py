"""What two tables answer to the same facts, and what of that is not the same: the only thing that is ever told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from toolkit.authoring.comparison.joint import Facts, Joint
from toolkit.authoring.comparison.orders import Orders
from toolkit.authoring.comparison.types import same_value
from toolkit.authoring.directions import OTHER
from toolkit.policy.problems import Undecided, clipped, shown
from toolkit.policy.tables import Decision, Table
from toolkit.policy.types import freeze, thaw

Pair = tuple[str | None, str | None, str]  # the rows that decide, and the direction


class Refused(NamedTuple):
    """There is no answer: why, and the row that declines where it is one."""

    code: str
    row: str | None


class Given(NamedTuple):
    """What one side answered: the decisions, or the refusal to decide."""

    decisions: tuple[Decision, ...]
    refused: Refused | None

    @property
    def json(self) -> Any:
        """The refusal, or the outputs of all decisions."""
        if self.refused is not None:
            return {"error": self.refused.code}
        return [outputs_of(one) for one in self.decisions]


class Seen(NamedTuple):
    """One difference that facts show."""

    row_before: str | None
    row_after: str | None
    direction: str
    before: Any
    after: Any

    @property
    def pair(self) -> Pair:
        """The rows and the direction."""
        return self.row_before, self.row_after, self.direction

    def words(self, ordered: Sequence[str]) -> str:
        """What it is, in words: ``tier 'high' -> 'low'``; where it has a direction, of ``ordered`` outputs alone."""
        given = [side for side in (self.before, self.after) if side is not None]
        if not all(map(is_answer, given)):
            return f"{_word(self.before)} -> {_word(self.after)}"
        names = [name for name in dict.fromkeys(name for side in given for name in side) if not _alike(given, name)]
        if self.direction != OTHER:
            names = [name for name in names if name in ordered]
        told = (f"{name} {_value(self.before, name)} -> {_value(self.after, name)}" for name in names)
        return clipped(", ".join(told))


def outputs_of(decision: Decision) -> dict[str, object]:
    """The outputs of a decision as plain JSON."""
    return {name: thaw(value) for name, value in decision.outputs.items()}


class Observer:
    """Asks both tables, each of its own facts."""

    def __init__(self, joint: Joint, tables: tuple[Table, Table], orders: Orders) -> None:
        self.joint = joint
        self.tables = tables
        self.orders = orders
        self._marks = tuple({str(row.mark): row.id for row in side.document.rows} for side in joint.sides)

    def asked(self, facts: Facts) -> tuple[Given, Given]:
        """What both sides answer. Raises ``PolicyError`` where the facts are not legal for one of them."""
        before, after = self.joint.asked(facts)
        return self._given(0, before), self._given(1, after)

    def _given(self, side: int, facts: Mapping[str, object]) -> Given:
        try:
            return Given(self.tables[side].decide_all(facts), None)
        except Undecided as fault:
            return Given((), Refused(fault.code, self._marks[side].get(fault.place or "")))

    def singles(self, facts: Facts) -> Iterator[Seen]:
        """The difference between the answers of two tables that have one."""
        before, after = self.asked(facts)
        if before.refused is not None or after.refused is not None:
            yield from self.refusals(before, after)
            return
        for old, new in zip(before.decisions, after.decisions, strict=False):
            direction = self.orders.direction(old.outputs, new.outputs)
            if direction is not None:
                yield Seen(old.row, new.row, direction, outputs_of(old), outputs_of(new))

    def refusals(self, before: Given, after: Given) -> Iterator[Seen]:
        """The difference between a refusal and something else."""
        codes = [one.refused and one.refused.code for one in (before, after)]
        if codes[0] != codes[1]:
            rows = [self._row(one) for one in (before, after)]
            told = [one.json if one.refused is not None else self._answer(one) for one in (before, after)]
            yield Seen(rows[0], rows[1], OTHER, *told)

    def _row(self, given: Given) -> str | None:
        """The row that refuses, or that answers where one does."""
        if given.refused is not None:
            return given.refused.row
        return None if self.collects else given.decisions[0].row

    def _answer(self, given: Given) -> Any:
        return given.json if self.collects else outputs_of(given.decisions[0])

    @property
    def collects(self) -> bool:
        """Whether the answers are lists of as many as match."""
        return self.tables[0].document.hit == "collect"


def is_answer(told: Any) -> bool:
    """Whether that is the outputs of a row, and not that one declines or that there is none."""
    return isinstance(told, Mapping) and "error" not in told


def _word(told: Any) -> str:
    if told is None:
        return "no answer"
    if isinstance(told, list):
        return f"a list of {len(told)}"
    if "error" in told:
        return f"refused ({told['error']})"
    return clipped(", ".join(f"{name} {shown(value)}" for name, value in told.items()))


def _alike(given: Sequence[Mapping[str, Any]], name: str) -> bool:
    """Whether both sides answer, and the same."""
    values = [freeze(side[name]) for side in given if name in side]
    return len(values) == len(given) > 1 and same_value(values[0], values[1])


def _value(told: Mapping[str, Any] | None, name: str) -> str:
    if told is None:
        return "no answer"
    return shown(told[name]) if name in told else "absent"
