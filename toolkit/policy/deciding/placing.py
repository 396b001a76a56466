"""Where a value stands among the classes that a table tells apart: for each name a dictionary from value to place.

A dictionary takes ``1``, ``1.0`` and ``True`` for one key, so whoever looks a value up has made sure of its exact type.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from toolkit.policy.deciding.columns import Column
from toolkit.policy.syntax.scalars import Scalar, is_unicode

MAX_CELLS = 4096  # of a group of names: the product of how many classes each of them has
MAX_REMEMBERED = 16_384  # integers or texts of one name
MAX_TEXT = 200  # characters of a text that is remembered
NOWHERE = MAX_CELLS  # the place of a value that is not legal: whatever is added, it is beyond every cell


class Axis(NamedTuple):
    """One name of a group: the exact type of its values, how many of its classes there are, and one value of each.

    ``places`` goes from a value to the number of its class times ``step``.
    """

    name: str
    kind: type
    samples: tuple[Scalar, ...]
    step: int
    places: dict[Any, int]

    def sample(self, cell: int) -> Scalar:
        """A value that stands where this cell does."""
        return self.samples[cell // self.step % len(self.samples)]


def axis(column: Column, step: int) -> Axis:
    """The axis of a column."""
    samples = tuple(atom.sample for atom in column.atoms)
    known = {one: at * step for one, at in column.places.items()}
    places = known
    if column.starts:
        places = _Integers(known, column.starts, cast("int", column.atoms[len(column.starts) - 1].high), step)
    elif column.rest is not None:
        places = _Texts(known, column.rest * step)
    return Axis(column.name, type(samples[0]), samples, step, places)


def endless(column: Column) -> bool:
    """Whether a column has more values than can be listed: integers and texts."""
    return bool(column.starts) or column.rest is not None


class _Integers(dict[Any, int]):
    """The places of integers, and of null where it is ``known``, found when they are first asked for."""

    def __init__(self, known: Mapping[Any, int], starts: tuple[int, ...], last: int, step: int) -> None:
        super().__init__(known)
        self._starts = starts
        self._first = starts[0]
        self._last = last
        self._step = step

    def __missing__(self, value: int | None) -> int:
        if value is None or not self._first <= value <= self._last:
            return NOWHERE
        place = (bisect_right(self._starts, value) - 1) * self._step
        if len(self) < MAX_REMEMBERED:
            self[value] = place
        return place


class _Texts(dict[Any, int]):
    """The places of the texts that are ``known`` to the table, and the one place of the rest."""

    def __init__(self, known: Mapping[Any, int], rest: int) -> None:
        super().__init__(known)
        self._rest = rest

    def __missing__(self, value: str | None) -> int:
        if value is None or not is_unicode(value):
            return NOWHERE
        if len(self) < MAX_REMEMBERED and len(value) <= MAX_TEXT:
            self[value] = self._rest
        return self._rest
