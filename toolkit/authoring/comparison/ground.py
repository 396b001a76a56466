"""The ground on which two tables are compared: one space, the boxes of all rows, and one search for each question."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from types import MappingProxyType

from toolkit.authoring.comparison.joint import Answer, Joint, Side, key_of
from toolkit.authoring.comparison.links import Links, linked
from toolkit.authoring.comparison.observing import Observer, Seen
from toolkit.authoring.comparison.orders import Orders
from toolkit.authoring.comparison.regions import Regions, compared_cells, differences
from toolkit.authoring.comparison.types import same_value
from toolkit.policy.deciding.columns import bits, cells_in
from toolkit.policy.language.rules import FIRST, Produced, Row, When
from toolkit.policy.proofs.boxes import Index
from toolkit.policy.proofs.prepared import Prepared
from toolkit.policy.proofs.results import Budget
from toolkit.policy.proofs.space import Box, Limits
from toolkit.policy.proofs.witnesses import Facts
from toolkit.policy.tables import Table

Places = tuple[int, ...]
Rows = tuple[int | None, int | None]
Boxes = Iterable[tuple[Box, int, Index | None]]
Accepts = Callable[[Seen], bool]
Sightings = Callable[[Facts], Iterable[Seen]]


class Ground:
    """Everything that the searches of two tables share. ``whens[side][row]`` is the place of a row's conditions.

    Rows of both sides that say the same have one place, so that what is the same costs nothing twice. Raises
    ``Exhausted`` where the alternatives of a row make more boxes than it may have.
    """

    def __init__(self, joint: Joint, tables: tuple[Table, Table], orders: Orders, budget: int) -> None:
        self.joint = joint
        self.names = _ids(joint.before), _ids(joint.after)
        self.orders = orders
        self.observer = Observer(joint, tables, self.orders)
        self.budget = Budget(budget)
        found: dict[object, int] = {}
        whens: list[When] = []
        places: list[Places] = []
        for side in joint.sides:
            own = []
            for when in side.whens:
                own.append(found.setdefault(key_of(when), len(whens)))
                if own[-1] == len(whens):
                    whens.append(when)
            places.append(tuple(own))
        self.whens = places[0], places[1]
        lets = differences(joint)
        document = replace(joint.document, hit=FIRST, lets=(*joint.document.lets, *lets), rows=_rows(joint, whens))
        cells = (*(cell for when in whens for cell in cells_in(when)), *compared_cells(joint, lets))
        self.prepared = Prepared(document, self.budget, cells)
        self.space = self.prepared.space
        self.regions = Regions(self.space, self.orders)
        self.deciding: tuple[dict[int, list[int]], dict[int, list[int]]] = (_by(places[0]), _by(places[1]))

    @property
    def spent(self) -> bool:
        """Whether nothing more can be found out."""
        return self.budget.spent >= self.budget.boxes or self.budget.masks <= 0

    def parts(self, side: int, row: int) -> list[Limits]:
        """The boxes in which a row matches."""
        return [self.prepared.index.boxes[number] for number in self.prepared.parts[self.whens[side][row]]]

    def boxes_of(self, side: int, rows: Iterable[int]) -> int:
        """The bit set of the boxes of some rows."""
        return self.prepared.boxes_of({self.whens[side][row] for row in rows})

    def above(self, side: int) -> list[int]:
        """For each row of a side, the boxes of all rows above it."""
        found, met = [], 0
        for place in self.whens[side]:
            found.append(met)
            met |= self.prepared.boxes_of((place,))
        return found

    def meeting(self, side: int, limits: Limits) -> Iterator[int]:
        """The rows of a side that have a box which meets some limits, sorted."""
        box = self.space.limited(limits)
        if box is None:
            return
        self.budget.look(len(box))
        live, _ = self.prepared.index.meeting(box)
        places = dict.fromkeys(self.prepared.owners[number] for number in bits(live))
        yield from sorted(row for place in places for row in self.deciding[side].get(place, ()))

    def look(self) -> None:
        """Pay for looking at two rows. Raises ``Exhausted`` where there is nothing left."""
        self.budget.look(max(len(self.space.full), 1))

    def answer(self, side: int, row: int | None) -> Answer | None:
        """What a row of a side says."""
        return None if row is None else self.joint.sides[side].answers[row]

    def same_answer(self, before: int, after: int) -> bool:
        """Whether two rows are seen to answer the same, wherever they match."""
        one, other = self.joint.before.answers[before], self.joint.after.answers[after]
        return self.alike(one, other) and one.ranges == other.ranges

    def alike(self, one: Answer, other: Answer) -> bool:
        """Whether two answers say the same of the outputs that both tables have."""
        if one.error is not None or other.error is not None:
            return one.error == other.error
        told = ((one.then[name], other.then[name]) for name in self.orders.outputs)
        return all(same_value(was, now) for was, now in told)  # type: ignore[arg-type]

    def same(self) -> Links:
        """Links the rows that have the same conditions and the same answer."""
        places = tuple(
            [(place, self._said(answer)) for place, answer in zip(self.whens[side], told.answers, strict=True)]
            for side, told in enumerate(self.joint.sides)
        )
        return linked((places[0], places[1]), self.names)

    def _said(self, answer: Answer) -> Hashable:
        """The same for answers that are seen to be the same."""
        told = tuple((name, _typed(answer.then[name])) for name in self.orders.outputs if name in answer.then)
        return answer.error, told, answer.ranges


def _rows(joint: Joint, whens: Sequence[When]) -> tuple[Row, ...]:
    """Rows that only match: what they answer is looked up by their sides."""
    mark = joint.document.head.mark
    return tuple(Row(str(place), when, MappingProxyType({}), None, "", "", mark) for place, when in enumerate(whens))


def _by(places: Places) -> dict[int, list[int]]:
    """The rows of each place."""
    found: dict[int, list[int]] = {}
    for row, place in enumerate(places):
        found.setdefault(place, []).append(row)
    return found


def _ids(side: Side) -> tuple[str, ...]:
    return tuple(row.id for row in side.document.rows)


def _typed(produced: Produced) -> Hashable:
    """A value with its type: ``true`` is not 1."""
    return tuple(map(_typed, produced)) if isinstance(produced, tuple) else (type(produced), produced)
