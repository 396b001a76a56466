"""Tables with one answer: the facts that row i decided and row j decides now, wherever these two answer differently.

Only rows are looked at that the other side does not have: where both rows have a counterpart with the same conditions,
the one can only have taken over from the other if they changed places.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from toolkit.authoring.comparison.changes import DIRECTIONS
from toolkit.authoring.comparison.ground import Ground
from toolkit.authoring.comparison.links import linked, turned
from toolkit.authoring.comparison.telling import Teller, exactly
from toolkit.policy.language.rules import FIRST
from toolkit.policy.proofs.results import Exhausted
from toolkit.policy.proofs.space import Box, Limits, meets

MAX_PAIRS: Final = 50_000  # of rows that are held against each other

Regions = dict[tuple[int | None, int | None], list[Limits]]


class Decisions:
    """Two tables with one answer each. ``partial`` are those that may have none (the steps of a machine)."""

    def __init__(
        self, ground: Ground, teller: Teller, *, partial: bool = False, directions: Sequence[str] = DIRECTIONS
    ) -> None:
        self.ground = ground
        self.teller = teller
        self.partial = partial
        self.directions = directions
        self.pairs_left = MAX_PAIRS
        self.links = linked(ground.whens, ground.names)
        self.ordered = tuple(side.document.hit == FIRST for side in ground.joint.sides)
        count = [len(side.document.rows) for side in ground.joint.sides]
        self.above = tuple(ground.above(side) if self.ordered[side] else [0] * count[side] for side in (0, 1))
        self.all = tuple(ground.boxes_of(side, range(count[side])) for side in (0, 1)) if partial else (0, 0)

    def find(self) -> None:
        """Add every change, and what could not be shown."""
        regions: Regions = {}
        try:
            self._add_regions(regions)
        except Exhausted:
            self.teller.give_up()
        for pair in sorted(regions, key=_in_order):
            if self.ground.spent:
                self.teller.give_up()
                return
            self._pair(pair, regions[pair])

    def _add_regions(self, found: Regions) -> None:
        """For each two rows that may decide the same facts differently, where they both match. Raises ``Exhausted``."""
        for row, there in self.links.after.items():
            if not self.ground.same_answer(row, there):
                found[row, there] = self.ground.parts(0, row)
        if all(self.ordered):
            for row, other in turned(self.links):
                self._count_pair()
                both = meets(self.ground.parts(0, row), self.ground.parts(1, other))
                if both:
                    found[row, other] = both
        for side, links in enumerate((self.links.after, self.links.before)):
            for row in range(len(self.ground.whens[side])):
                if row not in links:
                    self._alone(side, row, found)

    def _count_pair(self) -> None:
        self.pairs_left -= 1
        if self.pairs_left < 0:
            raise Exhausted

    def _alone(self, side: int, row: int, found: Regions) -> None:
        """A row that the other side does not have: whatever decides its facts there."""
        mine = self.ground.parts(side, row)
        twin = self.links.edited[side].get(row)  # one was made the other
        beyond = mine if twin is None else _without(self.ground, mine, self.ground.parts(1 - side, twin))
        for limits in mine:
            for other in self.ground.meeting(1 - side, limits):
                self._count_pair()
                comes_first = twin is not None and other < twin and self.ordered[1 - side]
                region = mine if twin is None or other == twin or comes_first else beyond
                both = meets(region, self.ground.parts(1 - side, other))
                if both:
                    found[(row, other) if side == 0 else (other, row)] = both
        if self.partial and beyond:
            found[(row, None) if side == 0 else (None, row)] = beyond

    def _pair(self, pair: tuple[int | None, int | None], regions: Sequence[Limits]) -> None:
        ground = self.ground
        try:
            directed = ground.regions.differing(ground.answer(0, pair[0]), ground.answer(1, pair[1]))
        except Exhausted:
            self.teller.give_up(pair)
            return
        decided = 0
        for side, row in enumerate(pair):
            decided |= self.all[side] if row is None else self.above[side][row]
        for direction in self.directions:
            where = [limits for told, limits in directed if told == direction]
            if where:
                boxes = ((box, decided, None) for box in self._boxes(regions, where))
                wanted = (*self.teller.ids(pair), direction)
                self.teller.tell(pair, boxes, ground.observer.singles, exactly(wanted))

    def _boxes(self, regions: Sequence[Limits], where: Sequence[Limits]) -> Iterator[Box]:
        for limits in regions:
            region = self.ground.space.limited(limits)
            for differing in where if region is not None else ():
                box = self.ground.space.limited(differing, region)
                if box is not None:
                    yield box


def _in_order(pair: tuple[int | None, int | None]) -> tuple[int, int, int]:
    before, after = pair
    return (before is None, -1 if before is None else before, -1 if after is None else after)


def _without(ground: Ground, parts: list[Limits], others: list[Limits]) -> list[Limits]:
    """Some boxes without others; all of them where that would make too many."""
    try:
        return meets(parts, ground.space.outside(others))
    except Exhausted:
        return parts
