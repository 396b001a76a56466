"""What facts show of two lists: which answers one of them holds less often, and in which direction that is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolkit.authoring.comparison.ground import Ground
from toolkit.authoring.comparison.links import Links
from toolkit.authoring.comparison.observing import Seen, outputs_of
from toolkit.authoring.directions import OTHER, STRONGER, WEAKER, together
from toolkit.policy.proofs.witnesses import Facts
from toolkit.policy.tables import Decision

Listed = Sequence[Decision]


class ListSightings:
    """Compares the lists that two tables give for the same facts."""

    def __init__(self, ground: Ground, changed: Sequence[Sequence[int]], links: Links) -> None:
        self.ground = ground
        self.orders = ground.orders
        names = ground.names
        self.changed = tuple({names[side][row] for row in rows} for side, rows in enumerate(changed))
        self.edited = {names[0][row] for row in links.edited[0]}  # the name is the same on both sides

    def __call__(self, facts: Facts) -> Iterator[Seen]:
        """Each answer that is lost or new; none where a list is refused."""
        before, after = self.ground.observer.asked(facts)
        if before.refused is not None or after.refused is not None:
            return
        old, new = before.decisions, after.decisions
        lost, gained = self._beyond(0, old, new), self._beyond(1, new, old)
        told: dict[tuple[str | None, str | None], tuple[Decision | None, Decision | None, list[str]]] = {}
        for one in lost:
            twin = self._twin(one, new)
            entry = told.setdefault((one.row, twin.row if twin else None), (one, twin, []))
            entry[2].extend(self._unmatched(WEAKER, one, new))
        for one in gained:
            twin = self._twin(one, old)
            entry = told.setdefault((twin.row if twin else None, one.row), (twin, one, []))
            entry[2].extend(self._unmatched(STRONGER, one, old))
        for rows, (was, now, flags) in told.items():
            answers = (None if one is None else outputs_of(one) for one in (was, now))
            yield Seen(*rows, together(flags) or OTHER, *answers)

    def _beyond(self, side: int, own: Listed, others: Listed) -> Iterator[Decision]:
        """The answers of changed rows that the changed rows of the other side don't give as often."""
        counted = [one for one in others if one.row in self.changed[1 - side]]
        given: list[Decision] = []
        for one in own:
            if one.row in self.changed[side]:
                given.append(one)
                if sum(self._same(one, other) for other in given) > sum(self._same(one, other) for other in counted):
                    yield one

    def _same(self, one: Decision, other: Decision) -> bool:
        return self.orders.direction(one.outputs, other.outputs) is None

    def _twin(self, one: Decision, others: Listed) -> Decision | None:
        """The answer of what the row was made into, where that is another one."""
        if one.row not in self.edited:
            return None
        return next((other for other in others if other.row == one.row and not self._same(one, other)), None)

    def _unmatched(self, direction: str, one: Decision, others: Listed) -> Iterator[str]:
        """The direction, once for each ordered output that no other answer has as strongly."""
        for output in self.orders.ordered:
            if all(self.orders.is_weaker(output, other.outputs[output], one.outputs[output]) for other in others):
                yield direction

    def sequences(self, facts: Facts) -> Iterator[Seen]:
        """Where the answers that both lists hold stand in another order: the first that is not the same."""
        before, after = self.ground.observer.asked(facts)
        if before.refused is not None or after.refused is not None:
            return
        kept = []
        for side, (own, others) in enumerate(((before, after), (after, before))):
            beyond = {(one.row, one.item) for one in self._beyond(side, own.decisions, others.decisions)}
            kept.append([one for one in own.decisions if (one.row, one.item) not in beyond])
        for old, new in zip(*kept, strict=False):
            if not self._same(old, new):
                yield Seen(old.row, new.row, OTHER, outputs_of(old), outputs_of(new))
                return
