"""What the cells of a table can tell apart: for each scalar fact, field or let, the elementary classes of its values.

Two values of one class (an *atom*) are answered alike by every cell that the column was made of, so that a table is
fully described by which atoms each cell allows: a bit mask. Nothing here counts or lists the values themselves.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from toolkit.policy.language.arithmetic import Interval
from toolkit.policy.language.conditions import AllOf, Compare, Condition, Equals, Items, Not, OneOf, Pattern, Present
from toolkit.policy.language.rules import TableDocument, When
from toolkit.policy.syntax.scalars import Scalar
from toolkit.policy.types import BooleanType, IntegerType, ListType, RecordType, TermType, TextType, Type

ScalarType = BooleanType | IntegerType | TermType | TextType
Cell = tuple[str, Condition]


@dataclass(frozen=True, slots=True)
class Atom:
    """Values that no cell tells apart. ``sample`` is one of them, and the only one where ``single``.

    An integer's atom reaches from ``low`` to ``high``, both included; elsewhere both are null. An atom of text that
    is not single holds every text that no cell names.
    """

    sample: Scalar
    single: bool = True
    low: int | None = None
    high: int | None = None

    def text(self) -> str:
        """The atom in a message: ``null``, a constant, ``3 to 7`` or ``any other text``."""
        if self.single:
            return Equals(self.sample).text()
        return "any other text" if self.low is None else f"{self.low} to {self.high}"


@dataclass(frozen=True)
class Column:
    """The atoms of one name: disjoint, and together every legal value; null, where legal, is the last of them.

    An integer's atoms stand in ascending order and begin at ``starts``; ``places`` holds the atom of every other
    constant, null included; ``rest`` is the atom of a text that no cell names.
    """

    name: str
    atoms: tuple[Atom, ...]
    starts: tuple[int, ...]
    places: Mapping[Scalar, int]
    rest: int | None = None

    @cached_property
    def full(self) -> int:
        """The mask of all atoms."""
        return (1 << len(self.atoms)) - 1

    @property
    def null(self) -> int | None:
        """The place of null, where it is legal."""
        return self.places.get(None)

    def index(self, value: Scalar) -> int:
        """The place of the atom that holds a legal value."""
        if value is None or not self.starts:
            place = self.places.get(value, self.rest)
            if place is None:
                raise ValueError(f"{value!r} is no legal value of {self.name}")
            return place
        return bisect_right(self.starts, cast("int", value)) - 1

    def mask(self, condition: Condition) -> int:
        """Bit i is set where the condition holds on atom i.

        The condition must be one of those that the column was made of, or test the same constants; raises
        ``ValueError`` where it would tell values of one atom apart, and where it is ``opaque``.
        """
        if isinstance(condition, Equals):
            return self._only(condition.value)
        if isinstance(condition, OneOf):
            mask = 0
            for value in condition.values:
                mask |= self._only(value)
            return mask
        if isinstance(condition, Compare):
            return self._compared(condition)
        if isinstance(condition, Present):
            null = 0 if self.null is None else 1 << self.null
            return self.full ^ null if condition.wanted else null
        if isinstance(condition, Not):
            return self.full ^ self.mask(condition.inner)
        if isinstance(condition, AllOf):
            mask = self.full
            for part in condition.parts:
                mask &= self.mask(part)
            return mask
        raise ValueError(f"{condition.text()!r} is no matter of atoms")

    def _only(self, value: Scalar) -> int:
        if value is None or not self.starts:
            place = self.places.get(value)
            if place is None and (value is None or self.rest is None):
                return 0  # a value that is not legal, so that nothing equals it
        else:
            number = cast("int", value)
            if not self.starts[0] <= number <= cast("int", self.atoms[len(self.starts) - 1].high):
                return 0
            place = self.index(number)
        if place is None or not self.atoms[place].single:
            raise ValueError(f"no atom of {self.name} is {value!r} alone")
        return 1 << place

    def _compared(self, condition: Compare) -> int:
        if condition.term is not None:
            holds = condition.compile()
            return sum(1 << place for value, place in self.places.items() if value is not None and holds(value))
        begin = cast("int", condition.value) + (condition.operator in ("gt", "lte"))
        first = self._first_from(begin)
        below = (1 << first) - 1
        return below if condition.operator in ("lt", "lte") else ((1 << len(self.starts)) - 1) ^ below

    def _first_from(self, begin: int) -> int:
        """How many of the integer atoms lie below ``begin``; none of them may lie on both sides."""
        if begin <= self.starts[0]:
            return 0
        place = self.index(begin)
        if self.starts[place] == begin:
            return place
        if begin <= cast("int", self.atoms[place].high):
            raise ValueError(f"an atom of {self.name} lies on both sides of {begin}")
        return place + 1


def bits(mask: int) -> Iterator[int]:
    """The places of the bits that are set, from the lowest on."""
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


def opaque(condition: Condition) -> bool:
    """Whether a condition asks for more than constants tell: a glob or pattern, or the items of a list."""
    if isinstance(condition, AllOf):
        return any(map(opaque, condition.parts))
    if isinstance(condition, Not):
        return opaque(condition.inner)
    return isinstance(condition, (Pattern, Items))


def names_of(document: TableDocument) -> dict[str, tuple[Type, bool]]:
    """Every name that a cell may test, with its type and whether it may be null; lets are integers within reach."""
    declared = [*document.inputs.values(), *document.item_fields.values()]
    names = {one.name: (one.type, one.optional) for one in declared if not one.informs and one.name != document.each}
    reach: dict[str, Interval] = {
        name: (kind.minimum, kind.maximum) for name, (kind, _) in names.items() if isinstance(kind, IntegerType)
    }
    for let in document.lets:
        low, high = reach[let.name] = let.term.bounds(reach)
        names[let.name] = (IntegerType(int(low), int(high)), let.optional)
    return names


def cells_of(document: TableDocument) -> Iterator[Cell]:
    """Every cell of the rows, alternatives included, in order."""
    for row in document.rows:
        yield from cells_in(row.when)


def cells_in(when: When) -> Iterator[Cell]:
    """The cells of one ``when`` and of its alternatives."""
    yield from when.cells
    for alternative in when.any_of:
        yield from alternative.cells


def columns_of(document: TableDocument, cells: Iterable[Cell] | None = None) -> dict[str, Column]:
    """The column of each scalar name that one of ``cells`` tests (those of the rows, unless told), in order of names.

    Lists have none. Conditions that are ``opaque`` add no more than the constants beside them.
    """
    tested: dict[str, list[Condition]] = {}
    for name, condition in cells_of(document) if cells is None else cells:
        tested.setdefault(name, []).append(condition)
    columns = {}
    for name, (kind, optional) in names_of(document).items():
        if name in tested and not isinstance(kind, (ListType, RecordType)):
            columns[name] = column(name, kind, optional, tested[name])
    return columns


def column(name: str, kind: ScalarType, optional: bool, conditions: Iterable[Condition]) -> Column:
    """The column of one name, split as far as the conditions can tell its values apart, and no further."""
    if isinstance(kind, IntegerType):
        return _integers(name, kind, optional, conditions)
    rest: tuple[Atom, ...] = ()
    if isinstance(kind, TextType):
        values: tuple[Scalar, ...] = _constants(conditions)
        rest = (Atom(_stranger(values), single=False),)
    else:
        values = (False, True) if isinstance(kind, BooleanType) else kind.terms
    atoms = (*map(Atom, values), *rest)
    places = {value: place for place, value in enumerate(values)}
    return Column(name, *_with_null(atoms, (), places, optional), rest=len(values) if rest else None)


def _integers(name: str, kind: IntegerType, optional: bool, conditions: Iterable[Condition]) -> Column:
    cuts = {kind.minimum}
    for condition in conditions:
        cuts.update(cut for cut in _cuts(condition) if kind.minimum < cut <= kind.maximum)
    starts = tuple(sorted(cuts))
    ends = (*(start - 1 for start in starts[1:]), kind.maximum)
    atoms = tuple(Atom(min(max(low, 0), high), low == high, low, high) for low, high in zip(starts, ends, strict=True))
    return Column(name, *_with_null(atoms, starts, {}, optional))


def _with_null(
    atoms: tuple[Atom, ...], starts: tuple[int, ...], places: dict[Scalar, int], optional: bool
) -> tuple[tuple[Atom, ...], tuple[int, ...], dict[Scalar, int]]:
    if optional:
        places[None] = len(atoms)
        atoms = (*atoms, Atom(None))
    return atoms, starts, places


def _cuts(condition: Condition) -> Iterator[int]:
    """The integers at which a condition begins or ceases to hold."""
    if isinstance(condition, Compare):
        yield cast("int", condition.value) + (condition.operator in ("gt", "lte"))
    elif isinstance(condition, (Equals, OneOf)):
        for value in condition.values if isinstance(condition, OneOf) else (condition.value,):
            if value is not None:
                yield from (cast("int", value), cast("int", value) + 1)
    elif isinstance(condition, (Not, AllOf)):
        for part in condition.parts if isinstance(condition, AllOf) else (condition.inner,):
            yield from _cuts(part)


def _constants(conditions: Iterable[Condition]) -> tuple[str, ...]:
    """The texts that the conditions name, sorted."""
    found: set[str] = set()
    waiting = list(conditions)
    while waiting:
        condition = waiting.pop()
        if isinstance(condition, (Equals, OneOf)):
            values = condition.values if isinstance(condition, OneOf) else (condition.value,)
            found.update(value for value in values if isinstance(value, str))
        elif isinstance(condition, (Not, AllOf)):
            waiting.extend(condition.parts if isinstance(condition, AllOf) else (condition.inner,))
    return tuple(sorted(found))


def _stranger(values: tuple[Scalar, ...]) -> str:
    """A text that no condition names."""
    text, number = "other", 1
    while text in values:
        number += 1
        text = f"other-{number}"
    return text
