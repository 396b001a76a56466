"""Tables that collect: the answers that a list does not hold any more, and those that are new to it.

A row that the other side has too (the same conditions, the same answer) gives the same on both, so that only the others
are counted: of an answer, a list lost as many as more of these gave it before than give it now.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from toolkit.authoring.comparison.changes import DIRECTIONS
from toolkit.authoring.comparison.collected import Collected, Part
from toolkit.authoring.comparison.ground import Ground, Rows
from toolkit.authoring.comparison.refusals import Refusals
from toolkit.authoring.comparison.sequences import find_sequences
from toolkit.authoring.comparison.sightings import ListSightings
from toolkit.authoring.comparison.telling import Accepts, Teller
from toolkit.authoring.directions import MIXED, OTHER, STRONGER, WEAKER
from toolkit.policy.proofs.boxes import Index
from toolkit.policy.proofs.results import Exhausted
from toolkit.policy.proofs.space import Box, Limits, meets

Sided = tuple[int, Part]  # a part, and the side of whose answers it is


class Lists:
    """Two tables that collect, on one ground."""

    def __init__(self, ground: Ground, teller: Teller, *, directions: Sequence[str] = DIRECTIONS) -> None:
        self.ground = ground
        self.teller = teller
        self.directions = directions
        self.links = ground.same()
        self.changed = tuple(
            [row for row in range(len(ground.whens[side])) if row not in links]
            for side, links in enumerate((self.links.after, self.links.before))
        )
        self.collected = Collected(ground, self.changed)
        self.sightings = ListSightings(ground, self.changed, self.links)
        self.refused: list[Limits] = []

    def find(self) -> None:
        """Add every change, and what could not be shown."""
        try:
            refusals = Refusals(self.ground, self.links)
            self.refused = refusals.limits
            if OTHER in self.directions:
                refusals.find(self.teller)
            for rows in self._pairs():
                if self.ground.spent:
                    raise Exhausted
                self._pair(rows)
            if OTHER in self.directions:
                find_sequences(self.ground, self.links, self.changed, self.refused, self.sightings, self.teller)
        except Exhausted:
            self.teller.give_up()

    def _pairs(self) -> Iterator[Rows]:
        """Each changed row that answers: alone, and with the one that it was made into or from."""
        edited = self.links.edited[0]
        for row in self._answering(0):
            if row in edited and edited[row] in self._answering(1):
                yield row, edited[row]
            yield row, None
        yield from ((None, row) for row in self._answering(1))

    def _answering(self, side: int) -> list[int]:
        answers = self.ground.joint.sides[side].answers
        return [row for row in self.changed[side] if answers[row].error is None]

    def _pair(self, rows: Rows) -> None:
        try:
            parts = list(self._parts(rows))
            told = [
                self._directed(rows, direction, parts)
                for direction in (WEAKER, STRONGER)
                if direction in self.directions
            ]
            if OTHER in self.directions and not any(told):
                boxes = self._boxes((where, cover) for _, (where, cover) in parts)
                self.teller.tell(rows, boxes, self.sightings, self._accepts(rows, DIRECTIONS))
        except Exhausted:
            self.teller.give_up(rows)

    def _parts(self, rows: Rows) -> Iterator[Sided]:
        """Where the answer of one of the rows is lost or new, and the other row answers otherwise, or not at all."""
        for side, row in enumerate(rows):
            if row is not None:
                twin = self.links.edited[side].get(row)
                beside = [] if twin is None else self._unlike(side, row, twin)
                for where, cover in self.collected.beyond(side, row):
                    alone = None in rows
                    region = meets(where, self.ground.space.outside(beside) if alone else beside)
                    if region:
                        yield side, (region, cover)

    def _unlike(self, side: int, row: int, twin: int) -> list[Limits]:
        """Where another row of the other side gives another answer."""
        mine, other = self.collected.answer(side, row), self.collected.answer(1 - side, twin)
        if other.error is not None:
            return []
        differing = [limits for _, limits in self.ground.regions.directed(mine, other)]
        return meets(self.collected.legal(1 - side, twin), differing)

    def _directed(self, rows: Rows, direction: str, parts: Sequence[Sided]) -> bool:
        """Tell where nothing is as strong any more as what was lost, or was as strong before as what is new."""
        side = 0 if direction == WEAKER else 1
        row = rows[side]
        own = [part for of, part in parts if of == side]
        if row is None or not own:
            return False
        accepted = self._accepts(rows, (direction, MIXED))
        regions = []
        for output in self.ground.orders.ordered:
            strong = self.collected.as_strong(output, side, row)
            regions += [(where, [*cover, *strong]) for where, cover in own]
        return self.teller.tell(rows, self._boxes(regions), self.sightings, accepted)

    def _boxes(self, parts: Iterable[Part]) -> Iterator[tuple[Box, int, Index]]:
        for where, cover in parts:
            index = Index(self.ground.space, [*self.refused, *cover])
            for limits in where:
                box = self.ground.space.limited(limits)
                if box is not None:
                    yield box, index.all, index

    def _accepts(self, rows: Rows, directions: Sequence[str]) -> Accepts:
        ids = self.teller.ids(rows)
        return lambda seen: (seen.row_before, seen.row_after) == ids and seen.direction in directions
