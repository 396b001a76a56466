"""A table as it was read and checked: declarations, rows and invariants, all immutable and none of it compiled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from toolkit.policy.documents.heads import Head
from toolkit.policy.language.arithmetic import Term
from toolkit.policy.language.conditions import Condition
from toolkit.policy.problems import Mark
from toolkit.policy.types import Input, ListType, RecordType, Value

UNIQUE, FIRST, COLLECT = HITS = ("unique", "first", "collect")


class Let(NamedTuple):
    """A named value computed from integer inputs; ``optional`` where one of those may be null (then so is it)."""

    name: str
    term: Term
    optional: bool


@dataclass(frozen=True, slots=True)
class Reference:
    """An output that takes the value of an input, a field or a let."""

    name: str


Produced = Value | Reference | tuple["Produced", ...]


class When(NamedTuple):
    """The cells of a row; every one holds, and one of ``any_of`` where there are alternatives."""

    cells: tuple[tuple[str, Condition], ...] = ()
    any_of: tuple[When, ...] = ()


class Row(NamedTuple):
    """One row: ``error`` is set exactly where the row declines to decide."""

    id: str
    when: When
    then: Mapping[str, Produced]
    error: str | None
    source: str
    layer: str
    mark: Mark


class Invariant(NamedTuple):
    """Outputs that are reachable only where each named fact holds."""

    when_output: Mapping[str, tuple[Value, ...]]
    inputs: tuple[tuple[str, Condition], ...]


@dataclass(frozen=True, slots=True)
class TableDocument:
    """A whole table. ``references`` are the ids of the vocabularies that it names."""

    head: Head
    hit: str
    inputs: Mapping[str, Input]
    each: str | None
    lets: tuple[Let, ...]
    outputs: Mapping[str, Input]
    stronger: Mapping[str, tuple[Value, ...]]
    rows: tuple[Row, ...]
    require: tuple[Invariant, ...]
    order_note: str
    references: frozenset[str] = field(default_factory=frozenset)

    @property
    def lists(self) -> bool:
        """Whether one question has a list of answers."""
        return self.hit == COLLECT or self.each is not None

    @property
    def item_fields(self) -> Mapping[str, Input]:
        """The fields of an ``each`` table's records; empty for the rest."""
        kind = self.inputs[self.each].type if self.each else None
        if isinstance(kind, ListType) and isinstance(kind.items, RecordType):
            return kind.items.fields
        return {}
