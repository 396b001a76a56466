"""Tables that collect: the facts to which a list is refused on one side only, or for another reason."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from toolkit.authoring.comparison.ground import Ground, Rows
from toolkit.authoring.comparison.links import Links, turned
from toolkit.authoring.comparison.telling import Teller, exactly
from toolkit.authoring.directions import OTHER
from toolkit.policy.proofs.boxes import Index
from toolkit.policy.proofs.space import Box, Limits, meets


class Refusing(NamedTuple):
    """A row that refuses the whole list: why, and where."""

    row: int
    code: str
    where: list[Limits]


class Refusals:
    """The refusing rows of two tables: of several that match, the first one's reason is told."""

    def __init__(self, ground: Ground, links: Links) -> None:
        self.ground = ground
        self.links = links
        self.rows = tuple({one.row: one for one in _refusing(ground, side)} for side in (0, 1))
        self.limits: list[Limits] = []
        self.parts: list[dict[int, range]] = []
        for side in (0, 1):
            own = {}
            for one in self.rows[side].values():
                start = len(self.limits)
                self.limits.extend(one.where)
                own[one.row] = range(start, len(self.limits))
            self.parts.append(own)
        self.index = Index(ground.space, self.limits)

    def find(self, teller: Teller) -> None:
        """Add every change. Raises ``Exhausted``."""
        for rows, where in self._pairs():
            covered = 0
            for side, row in enumerate(rows):
                for other, part in self.parts[side].items():
                    if row is None or other < row:
                        covered |= (1 << part.stop) - (1 << part.start)
            boxes = ((box, covered, self.index) for box in self._boxes(where))
            pair = (*teller.ids(rows), OTHER)
            teller.tell(rows, boxes, self.ground.observer.singles, exactly(pair))

    def _pairs(self) -> Iterator[tuple[Rows, list[Limits]]]:
        """Rows that may refuse the same facts for another reason, and those whose facts may not be refused at all."""
        for row, other in turned(self.links):
            yield from self._both(row, other)
        for row, one in self.rows[0].items():
            if row not in self.links.after:
                yield (row, None), one.where
                for other in self.rows[1]:
                    yield from self._both(row, other)
        for row, one in self.rows[1].items():
            if row not in self.links.before:
                yield (None, row), one.where
                for other in self.rows[0]:
                    if other in self.links.after:
                        yield from self._both(other, row)

    def _both(self, before: int, after: int) -> Iterator[tuple[Rows, list[Limits]]]:
        self.ground.look()
        one, other = self.rows[0].get(before), self.rows[1].get(after)
        if one is not None and other is not None and one.code != other.code:
            where = meets(one.where, other.where)
            if where:
                yield (before, after), where

    def _boxes(self, where: list[Limits]) -> Iterator[Box]:
        for limits in where:
            box = self.ground.space.limited(limits)
            if box is not None:
                yield box


def _refusing(ground: Ground, side: int) -> Iterator[Refusing]:
    for row, answer in enumerate(ground.joint.sides[side].answers):
        if answer.error is None and not answer.ranges:
            continue
        for code, where in ground.regions.outcomes(answer):
            if code is not None:
                limits = meets(ground.parts(side, row), where)
                if limits:
                    yield Refusing(row, code, limits)
