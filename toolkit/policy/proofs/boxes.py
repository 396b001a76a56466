"""Finding what no row covers: boxes are split where the rows differ, and only the rows that still meet a box are kept.

No value is ever enumerated. A box that a row covers is done; so is one that holds no facts; of the parts of a split,
one that meets more rows than a part that was covered needs no look, and no box is looked at twice.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from math import prod
from typing import Protocol

from toolkit.policy.deciding.columns import bits
from toolkit.policy.proofs.results import Budget
from toolkit.policy.proofs.space import Box, Limits, Space

MAX_DISJOINT = 10_000  # boxes that are held against a box by their volume


Visit = Generator["Visit", bool | None, bool]


class Judge(Protocol):
    """Who decides what a box means that no row covers."""

    def impossible(self, box: Box) -> bool:
        """Whether it is easily seen to hold no facts."""

    def settle(self, box: Box) -> None:
        """Take note of a box that no row meets, or raise whatever ends the search."""


class Index:
    """Boxes in one space, and for each dimension the sets of boxes that its atoms meet (bit i is the i-th box)."""

    def __init__(self, space: Space, boxes: Sequence[Limits]) -> None:
        self.space = space
        self.boxes = boxes
        self.all = (1 << len(boxes)) - 1
        self.classes = [self._classes(place) for place in range(len(space.full))]
        self._met: list[dict[int, tuple[int, int]]] = [{} for _ in space.full]

    def _classes(self, place: int) -> list[tuple[int, int]]:
        """The atoms of a dimension that the same boxes allow: their mask, and these boxes."""
        atoms = self.space.full[place].bit_length()
        changes = [0] * (atoms + 1)  # the boxes that begin or cease to allow the atom; most allow few runs of them
        met = self.all
        for number, limits in enumerate(self.boxes):
            if place in limits:
                met ^= 1 << number
                for atom in bits(limits[place] ^ limits[place] << 1):
                    changes[atom] ^= 1 << number
        masks: dict[int, int] = {}
        for atom in range(atoms):
            met ^= changes[atom]
            masks[met] = masks.get(met, 0) | 1 << atom
        return [(mask, met) for met, mask in masks.items()]

    def met(self, place: int, mask: int) -> tuple[int, int]:
        """The boxes that meet a mask in one dimension, and those that contain it."""
        known = self._met[place]
        if mask not in known:
            meeting, containing = 0, self.all
            for atoms, boxes in self.classes[place]:
                if atoms & mask:
                    meeting |= boxes
                    containing &= boxes
            known[mask] = meeting, containing
        return known[mask]

    def meeting(self, box: Box, among: int | None = None) -> tuple[int, int]:
        """The boxes (of those ``among``) that meet a box, and those that contain it."""
        live = containing = self.all if among is None else among
        for place, mask in enumerate(box):
            if len(self.classes[place]) > 1:
                meeting, whole = self.met(place, mask)
                live &= meeting
                containing &= whole
        return live, containing & live


class Search:
    """One search for what the boxes ``index`` leave uncovered; ``disjoint`` says that no two of these boxes meet."""

    def __init__(self, index: Index, judge: Judge, budget: Budget, *, disjoint: bool = False) -> None:
        self.index = index
        self.space = index.space
        self.judge = judge
        self.budget = budget
        self.disjoint = disjoint and len(index.boxes) <= MAX_DISJOINT
        self.live = 0  # the boxes that met the last box that was looked at
        self._covered: set[tuple[int, tuple[tuple[int, int], ...]]] = set()

    def run(self, box: Box, boxes: int | None = None) -> None:
        """Bring every part of a box that none of the ``boxes`` covers before the judge.

        Raises ``Exhausted``, and whatever the judge raises.
        """
        self.budget.look(len(box))
        settled = self.space.settled(box)
        if settled is None:
            return
        # A visit yields the visits that it waits for and is told their results: depth costs no calls within calls.
        waiting = [self._visit(settled, self.index.all if boxes is None else boxes)]
        told: bool | None = None
        while waiting:
            try:
                waiting.append(waiting[-1].send(told))
                told = None
            except StopIteration as done:
                waiting.pop()
                told = bool(done.value)

    def _visit(self, box: Box, boxes: int) -> Visit:
        """Whether the boxes cover it without a word about which facts exist."""
        live, containing = self.index.meeting(box, boxes)
        if containing:
            return True
        self.live = live
        if self.judge.impossible(box):
            return False
        if not live:
            self.judge.settle(box)
            return False
        if self.disjoint and self._filled(box, live):
            return True
        limiting = self._limiting(box, live)
        # Where all boxes that are left contain it, the box may be as wide as it likes.
        key = live, tuple((place, box[place]) for place in limiting)
        if key in self._covered:
            return True
        covered = yield from self._split(box, live, limiting)
        if covered:
            self._covered.add(key)
        return covered

    def _split(self, box: Box, live: int, limiting: Mapping[int, int]) -> Visit:
        place = max(limiting, key=lambda one: (limiting[one], -len(self.index.classes[one]), -one))
        groups: dict[int, int] = {}
        for atoms, met in self.index.classes[place]:
            if atoms & box[place]:
                groups[met & live] = groups.get(met & live, 0) | atoms & box[place]
        covered: list[int] = []
        all_covered = True
        for met in sorted(groups, key=lambda one: (one.bit_count(), one)):
            if any(fewer & ~met == 0 for fewer in covered):
                continue  # whatever these leave uncovered, the fewer would have left too
            self.budget.take()
            self.budget.look(len(box))
            part = (*box[:place], groups[met], *box[place + 1 :])
            settled = self.space.settled(part)
            if settled is not None and (yield self._visit(settled, met)) and settled == part:
                covered.append(met)
            else:
                all_covered = False
        return all_covered

    def _limiting(self, box: Box, live: int) -> dict[int, int]:
        """The dimensions in which a box goes beyond some of the live ones, and beyond how many."""
        found = {}
        for place, mask in enumerate(box):
            if len(self.index.classes[place]) > 1:
                beyond = live & ~self.index.met(place, mask)[1]
                if beyond:
                    found[place] = beyond.bit_count()
        return found

    def _filled(self, box: Box, live: int) -> bool:
        """Whether the live boxes, of which no two meet, have the volume of the whole box."""
        left = prod(mask.bit_count() for mask in box)
        for number in bits(live):
            limits = self.index.boxes[number]
            left -= prod((mask & limits.get(place, mask)).bit_count() for place, mask in enumerate(box))
        return left == 0
