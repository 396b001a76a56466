"""Which rows facts leave: several facts together name a cell, and a cell is judged once.

Names stand in groups of so few cells that all may be remembered. What a group knows of a cell are the rows that no
condition on its names excludes, as a bit set; what is left are the rows that all groups leave. Conditions that ask for
more than the class of a value (patterns, lists) exclude nothing here, so that their rows are asked one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple

from toolkit.policy.deciding.columns import Column, bits, column, columns_of, opaque
from toolkit.policy.deciding.matching import CompiledWhen, Values
from toolkit.policy.deciding.placing import MAX_CELLS, Axis, axis, endless
from toolkit.policy.language.rules import TableDocument
from toolkit.policy.syntax.scalars import Scalar
from toolkit.policy.types import Input, ListType, RecordType

Rows = int  # a bit set: bit n is row n


@dataclass(frozen=True, slots=True)
class Narrowing:
    """How a table's rows are narrowed down.

    ``lets`` are the groups of lets that a row tests. ``unplaced`` are the inputs that have no place in a cell: they are
    only legal or not. A row of ``sure`` that is left has matched; ``every`` are all rows.
    """

    inputs: tuple[Group, ...]
    lets: tuple[Group, ...]
    unplaced: tuple[Input, ...]
    sure: Rows
    every: Rows

    @property
    def whole(self) -> Group | None:
        """The group that holds everything that a row may ask, where there is one."""
        return self.inputs[0] if len(self.inputs) == 1 and not self.lets and not self.unplaced else None

    def of_facts(self, facts: Mapping[str, Any]) -> Rows:
        """The rows that facts leave as they were given: none where one is ill-typed.

        Raises ``LookupError`` where one is missing or beyond its bounds.
        """
        if not all(one.accepts(facts[one.name]) for one in self.unplaced):
            return 0
        return self._left(self.inputs, facts)

    def of_lets(self, values: Values) -> Rows:
        """The rows that the lets leave."""
        return self._left(self.lets, values)

    def candidates(self, values: Values) -> Iterator[int]:
        """The rows that checked values leave, lets among them, in order."""
        return bits(self._left(self.inputs, values) & self._left(self.lets, values))

    def _left(self, groups: Sequence[Group], values: Values) -> Rows:
        rows = self.every
        for group in groups:
            rows &= group.left(values)
        return rows


class Group(NamedTuple):
    """Names whose values together name a cell, and the rows that each cell leaves."""

    axes: tuple[Axis, ...]
    rows: _Rows

    @classmethod
    def of(cls, axes: Sequence[Axis], whens: Sequence[CompiledWhen]) -> Group:
        return cls(tuple(axes), _Rows(axes, whens))

    def left(self, values: Values) -> Rows:
        """The rows that values leave: none where one is ill-typed. Raises ``LookupError``, as ``of_facts`` does."""
        cell = self.cell(values)
        return 0 if cell is None else self.rows[cell]

    def cell(self, values: Values) -> int | None:
        """The number of the cell in which values stand; null where one is ill-typed."""
        cell = 0
        for name, kind, _, _, places in self.axes:
            value = values[name]
            if type(value) is not kind and value is not None:
                return None
            cell += places[value]
        return cell


class _Rows(dict[int, Rows]):
    """The rows that a cell leaves, found when first asked for: one value of each class stands for all of them."""

    def __init__(self, axes: Sequence[Axis], whens: Sequence[CompiledWhen]) -> None:
        super().__init__()
        self._axes = axes
        self._whens = whens
        self._size = prod(len(one.samples) for one in axes)

    def __missing__(self, cell: int) -> Rows:
        if cell >= self._size:
            raise KeyError(cell)
        values = {one.name: one.sample(cell) for one in self._axes}
        rows = self[cell] = sum(1 << row for row, when in enumerate(self._whens) if _is_left(when, values))
        return rows


def _is_left(when: CompiledWhen, values: Mapping[str, Scalar]) -> bool:
    """Whether no condition that these values can be held to excludes the row."""
    for cell in when.cells:
        if cell.name in values and not opaque(cell.condition) and not cell.holds(values[cell.name]):
            return False
    return not when.any_of or any(_is_left(alternative, values) for alternative in when.any_of)


def narrowing(document: TableDocument, whens: tuple[CompiledWhen, ...], unplaced: Sequence[str]) -> Narrowing:
    """The narrowing of a table; the inputs ``unplaced`` have no place, nor have lists."""
    tested = columns_of(document)
    declared = {name: one for name, one in document.inputs.items() if name != document.each} | dict(
        document.item_fields
    )
    columns = {name: tested.get(name) or _untested(one) for name, one in declared.items() if name not in unplaced}
    placed = [one for one in columns.values() if one is not None and len(one.atoms) <= MAX_CELLS]
    others = tuple(one for name, one in declared.items() if columns.get(name) not in placed)
    inputs = _grouped(placed)
    computed = [tested[let.name] for let in document.lets if let.name in tested]
    lets = _grouped([one for one in computed if len(one.atoms) <= MAX_CELLS])
    seen = [{one.name for one in axes} for axes in (*inputs, *lets)]
    sure = sum(1 << row for row, when in enumerate(whens) if _is_sure(when, seen))
    groups = [tuple(Group.of(axes, whens) for axes in some) for some in (inputs, lets)]
    return Narrowing(groups[0], groups[1], others, sure, (1 << len(whens)) - 1)


def _untested(declared: Input) -> Column | None:
    """The column of an input that no row tests. A list has none."""
    if isinstance(declared.type, (ListType, RecordType)):
        return None
    return column(declared.name, declared.type, declared.optional, ())


def _grouped(columns: Iterable[Column]) -> list[list[Axis]]:
    """Columns in groups of few enough cells, so that most tables have one group.

    What can be listed comes first, that one place in the code meets one kind of dictionary, whatever the table.
    """
    groups: list[list[Axis]] = []
    cells = MAX_CELLS
    for one in sorted(columns, key=lambda one: (endless(one), len(one.atoms))):
        if not groups or cells * len(one.atoms) > MAX_CELLS:
            groups.append([])
            cells = 1
        groups[-1].append(axis(one, cells))
        cells *= len(one.atoms)
    return groups


def _is_sure(when: CompiledWhen, seen: Sequence[set[str]]) -> bool:
    """Whether cells tell all that a row asks; of alternatives a group can only judge those that it sees whole."""
    asked = [cell for part in (when, *when.any_of) for cell in part.cells]
    if any(opaque(cell.condition) or not any(cell.name in names for names in seen) for cell in asked):
        return False
    alternatives = {cell.name for part in when.any_of for cell in part.cells}
    return not alternatives or any(alternatives <= names for names in seen)
