"""Which rows of two tables are each other's counterparts, and which of these changed places."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import NamedTuple

Places = Sequence[Hashable]


class Links(NamedTuple):
    """Rows of two sides that say the same, each with one of the other side at most.

    ``after`` has them by the row before, ``before`` by the row after. ``edited[side]`` has, of the rest, those with one
    name on both sides: one was made the other.
    """

    after: Mapping[int, int]
    before: Mapping[int, int]
    edited: tuple[Mapping[int, int], Mapping[int, int]]


def linked(places: tuple[Places, Places], names: tuple[Sequence[str], Sequence[str]]) -> Links:
    """Links the rows that have the same place, in their order; of several, first those of the same name."""
    after: dict[int, int] = {}
    waiting: dict[Hashable, list[int]] = {}
    for row, place in enumerate(places[1]):
        waiting.setdefault(place, []).append(row)
    named = {name: row for row, name in enumerate(names[1])}
    for row, (place, name) in enumerate(zip(places[0], names[0], strict=True)):
        there = named.get(name)
        if there is not None and places[1][there] == place:
            after[row] = there
    taken = set(after.values())
    free = {place: [row for row in reversed(rows) if row not in taken] for place, rows in waiting.items()}
    for row, place in enumerate(places[0]):
        if row not in after and free.get(place):
            after[row] = free[place].pop()
    before = {there: row for row, there in after.items()}
    edited = {
        row: named[name]
        for row, name in enumerate(names[0])
        if row not in after and name in named and named[name] not in before
    }
    return Links(after, before, (edited, {there: row for row, there in edited.items()}))


def turned(links: Links) -> Iterator[tuple[int, int]]:
    """The linked rows that changed places: a row before, and one after that stood below it and is above it now."""
    seen: list[int] = []
    for row in sorted(links.after):
        place = links.after[row]
        for other in seen[bisect_right(seen, place) :]:
            yield links.before[other], place
        insort(seen, place)
