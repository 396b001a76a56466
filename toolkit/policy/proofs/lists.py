"""The elementary classes of a list: which kinds of items stand in it, and how many items there are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

from toolkit.policy.deciding.columns import Column, ScalarType, column, opaque
from toolkit.policy.language.conditions import AllOf, Condition, Items, Not, Present
from toolkit.policy.syntax.scalars import MAX_INTEGER, Scalar
from toolkit.policy.types import IntegerType, ListType

MAX_ATOMS = 4096
MAX_SAMPLE = 1000  # items of a list that is written out as a witness


@dataclass(frozen=True)
class ListColumn:
    """The atoms of a list: ``(kinds, count)``, a bit set of the kinds of items that occur and a class of their number.

    A kind is a set of item values that no cell tells apart (``kinds`` holds their masks over ``items``' atoms). A list
    may repeat an item, so that a number of items is possible wherever it is not below the number of kinds, and zero
    exactly where there is none. Null, where legal, is the last atom.
    """

    name: str
    items: Column
    counts: Column
    kinds: tuple[int, ...]
    atoms: tuple[tuple[int, int] | None, ...]
    _masks: dict[tuple[str, int], int] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def full(self) -> int:
        """The mask of all atoms."""
        return (1 << len(self.atoms)) - 1

    @property
    def null(self) -> int | None:
        """The place of null, where it is legal."""
        return len(self.atoms) - 1 if self.atoms[-1] is None else None

    def mask(self, condition: Condition) -> int:
        """Bit i is set where the condition holds on atom i."""
        if isinstance(condition, Items):
            inner = (self.counts if condition.operator == "count" else self.items).mask(condition.inner)
            return self._items(condition.operator, inner)
        if isinstance(condition, Not):
            return self.full ^ self.mask(condition.inner)
        if isinstance(condition, AllOf):
            mask = self.full
            for part in condition.parts:
                mask &= self.mask(part)
            return mask
        null = 0 if self.null is None else 1 << self.null
        # Null, ``[null]`` and ``present`` are all that a cell asks of a list besides its items.
        return self.full ^ null if isinstance(condition, Present) and condition.wanted else null

    def _items(self, operator: str, inner: int) -> int:
        key = operator, inner
        if key not in self._masks:
            chosen = sum(1 << place for place, kind in enumerate(self.kinds) if kind & inner)
            mask = 0
            for place, atom in enumerate(self.atoms):
                if atom is not None:
                    occurring, count = atom
                    if operator == "some":
                        holds = occurring & chosen
                    elif operator == "every":
                        holds = not occurring & ~chosen
                    else:
                        holds = inner >> count & 1
                    mask |= bool(holds) << place
            self._masks[key] = mask
        return self._masks[key]

    def sample(self, place: int) -> list[Scalar] | None:
        """A list of one atom that is no longer than it must be; null for null. Raises ``ValueError`` for a huge one."""
        atom = self.atoms[place]
        if atom is None:
            return None
        occurring, count = atom
        found = [
            self.items.atoms[_lowest(kind)].sample for index, kind in enumerate(self.kinds) if occurring >> index & 1
        ]
        wanted = max(len(found), cast("int", self.counts.atoms[count].low))
        if wanted > MAX_SAMPLE:
            raise ValueError(f"a list of {wanted} items is too long to be shown")
        return found + found[:1] * (wanted - len(found))


def list_column(name: str, kind: ListType, optional: bool, conditions: Iterable[Condition]) -> ListColumn | None:
    """The column of a list; null where its classes are too many, or where patterns are asked of its items."""
    asked = tuple(_asked(conditions))
    of_items = [one.inner for one in asked if one.operator != "count"]
    if any(map(opaque, of_items)):
        return None
    items = column(name, cast("ScalarType", kind.items), False, of_items)
    counts = column(name, IntegerType(0, MAX_INTEGER), False, [one.inner for one in asked if one.operator == "count"])
    kinds = _kinds(items, of_items)
    if len(kinds) > MAX_ATOMS.bit_length() or (len(counts.atoms) << len(kinds)) > MAX_ATOMS:
        return None
    atoms: list[tuple[int, int] | None] = [
        (occurring, place)
        for place, count in enumerate(counts.atoms)
        for occurring in range(1 << len(kinds))
        if (cast("int", count.high) >= occurring.bit_count() if occurring else count.low == 0)
    ]
    return ListColumn(name, items, counts, kinds, (*atoms, None) if optional else tuple(atoms))


def _kinds(items: Column, conditions: Iterable[Condition]) -> tuple[int, ...]:
    """The items' atoms, together where every condition agrees on them."""
    kinds = [items.full]
    for mask in dict.fromkeys(map(items.mask, conditions)):
        if len(kinds) > MAX_ATOMS.bit_length():
            break
        kinds = [part for kind in kinds for part in (kind & mask, kind & ~mask) if part]
    return tuple(sorted(kinds, key=_lowest))


def _asked(conditions: Iterable[Condition]) -> Iterator[Items]:
    for condition in conditions:
        if isinstance(condition, Items):
            yield condition
        elif isinstance(condition, Not):
            yield from _asked((condition.inner,))
        elif isinstance(condition, AllOf):
            yield from _asked(condition.parts)


def _lowest(mask: int) -> int:
    return (mask & -mask).bit_length() - 1
