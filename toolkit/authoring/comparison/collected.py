"""Where the rows of two tables that collect give which answer: what the search for lost answers is made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, islice

from toolkit.authoring.comparison.ground import Ground
from toolkit.authoring.comparison.joint import Answer
from toolkit.policy.proofs.mentions import references_in
from toolkit.policy.proofs.results import Exhausted
from toolkit.policy.proofs.space import Limits, meets

MAX_TOGETHER = 64  # sets of rows with one answer that are looked at for one row

Part = tuple[list[Limits], list[Limits]]  # where to look, and outside of what


class Collected:
    """Where rows answer, and answer alike. ``changed[side]`` are the rows that the other side does not have."""

    def __init__(self, ground: Ground, changed: Sequence[Sequence[int]]) -> None:
        self.ground = ground
        self.space = ground.space
        self.changed = changed

    def answer(self, side: int, row: int) -> Answer:
        """What a row says."""
        return self.ground.joint.sides[side].answers[row]

    def legal(self, side: int, row: int) -> list[Limits]:
        """Where a row gives an answer."""
        return meets(self.ground.parts(side, row), self.space.all_of(self.answer(side, row).ranges))

    def alike(self, answer: Answer, side: int, row: int) -> list[Limits]:
        """Where a row gives the same as an answer; never too large."""
        other = self.answer(side, row)
        if answer.error is not None or other.error is not None:
            return []
        differing = [limits for _, limits in self.ground.regions.directed(answer, other)]
        if {} in differing:
            return []
        return meets(self.legal(side, row), self.space.outside(differing))

    def beyond(self, side: int, row: int) -> Iterator[Part]:
        """Where a row gives an answer that the changed rows of the other side don't give as often.

        That is: it and some rows above it give the same, and outside of where as many of the others give it too.
        """
        answer = self.answer(side, row)
        own = [one for one in self.changed[side] if one < row and self._may_be(answer, side, one)]
        others = [one for one in self.changed[1 - side] if self._may_be(answer, 1 - side, one)]
        mine = self.legal(side, row)
        above = [part for one in own if meets(mine, part := self.alike(answer, side, one))]
        same = [part for one in others if meets(mine, part := self.alike(answer, 1 - side, one))]
        for size in range(len(above) + 1):
            regions = [where for chosen in _few(above, size) if (where := _all(mine, chosen))]
            if not regions:
                return  # nor do more of them have anything in common
            cover = [limits for chosen in _few(same, size + 1) for limits in _all([{}], chosen)]
            yield from ((where, cover) for where in regions)

    def _may_be(self, answer: Answer, side: int, row: int) -> bool:
        """Whether a row may give the same: quickly told where neither takes anything over."""
        self.ground.look()
        other = self.answer(side, row)
        if other.error is not None:
            return False
        told = ((answer.then[name], other.then[name]) for name in self.ground.orders.outputs)
        return all(one == value or any(references_in((one, value))) for one, value in told)

    def as_strong(self, output: str, side: int, row: int) -> list[Limits]:
        """Where some row of the other side gives an output as strongly as a row does."""
        answer = self.answer(side, row)
        found: list[Limits] = []
        rows = {other for limits in self.legal(side, row) for other in self.ground.meeting(1 - side, limits)}
        for other in sorted(rows):
            self.ground.look()
            given = self.answer(1 - side, other)
            if given.error is None:
                weaker = self.ground.regions.weaker(output, given.then[output], answer.then[output])
                if {} not in weaker:
                    found.extend(meets(self.legal(1 - side, other), self.space.outside(weaker)))
        return found


def _few(parts: Sequence[list[Limits]], size: int) -> list[tuple[list[Limits], ...]]:
    """The sets of so many of them. Raises ``Exhausted`` for too many."""
    found = list(islice(combinations(parts, size), MAX_TOGETHER + 1))
    if len(found) > MAX_TOGETHER and size > 1:
        raise Exhausted
    return list(combinations(parts, size)) if size == 1 else found


def _all(first: list[Limits], others: Iterable[list[Limits]]) -> list[Limits]:
    for one in others:
        first = meets(first, one)
    return first
