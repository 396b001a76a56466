"""Tables that collect: the same answers in another order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolkit.authoring.comparison.changes import SEQUENCE
from toolkit.authoring.comparison.ground import Ground
from toolkit.authoring.comparison.links import Links, turned
from toolkit.authoring.comparison.sightings import ListSightings
from toolkit.authoring.comparison.telling import Teller
from toolkit.policy.proofs.boxes import Index
from toolkit.policy.proofs.mentions import references_in
from toolkit.policy.proofs.space import Box, Limits, meets

Link = tuple[int, int]


def find_sequences(
    ground: Ground,
    links: Links,
    changed: Sequence[Sequence[int]],
    refused: list[Limits],
    sightings: ListSightings,
    teller: Teller,
) -> None:
    """Tell one example of lists that hold the same in another order. Raises ``Exhausted``.

    Two answers change places only where rows do that gave and give them.
    """
    index = Index(ground.space, refused)

    def boxes() -> Iterator[tuple[Box, int, Index]]:
        for one, other in _crossing(ground, links, changed):
            ground.look()
            for limits in _together(ground, one, other):
                box = ground.space.limited(limits)
                if box is not None:
                    yield box, index.all, index

    teller.tell(None, boxes(), sightings.sequences, lambda _seen: True, SEQUENCE)


def _crossing(ground: Ground, links: Links, changed: Sequence[Sequence[int]]) -> Iterator[tuple[Link, Link]]:
    """Rows with what gives their answer now, of which the second stands above the first now."""
    for row, place in turned(links):
        yield (row, links.after[row]), (links.before[place], place)
    made = [(row, other) for row in changed[0] for other in changed[1] if _may_be_same(ground, row, other)]
    whole = [*links.after.items(), *made]
    for one in made:
        for other in whole:
            if (one[0] - other[0]) * (one[1] - other[1]) < 0:
                yield one, other


def _may_be_same(ground: Ground, before: int, after: int) -> bool:
    ground.look()
    one, other = ground.joint.before.answers[before], ground.joint.after.answers[after]
    if one.error is not None or other.error is not None:
        return False
    told = ((one.then[name], other.then[name]) for name in ground.orders.outputs)
    return all(was == now or any(references_in((was, now))) for was, now in told)


def _together(ground: Ground, one: Link, other: Link) -> list[Limits]:
    """Where all four rows match, unless the two answers are the same anyway."""
    answers = ground.joint.before.answers
    if answers[one[0]].error is not None or answers[other[0]].error is not None:
        return []
    if ground.alike(answers[one[0]], answers[other[0]]):
        return []
    parts = ground.parts(0, one[0])
    for side, row in ((0, other[0]), (1, one[1]), (1, other[1])):
        parts = meets(parts, ground.parts(side, row))
    return parts
