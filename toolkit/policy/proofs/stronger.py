"""Whether the region that a row decides is still decided the same or stronger after a table was edited."""

from __future__ import annotations

from collections.abc import Iterator

from toolkit.policy.language.rules import COLLECT, FIRST, Row, TableDocument
from toolkit.policy.problems import PolicyError
from toolkit.policy.proofs.claims import Claim
from toolkit.policy.proofs.pairs import Incomparable, Pair, answers_of, why_not
from toolkit.policy.proofs.results import MAX_BOXES, NOT_PROVED, PIN, Budget, Exhausted, Proof
from toolkit.policy.proofs.space import Box, Limits
from toolkit.policy.proofs.strength import Strength
from toolkit.policy.proofs.witnesses import Facts, Shows
from toolkit.policy.tables import Table


def same_or_stronger(before: TableDocument, after: TableDocument, row: str, *, budget: int = MAX_BOXES) -> Proof:
    """Whether ``after`` decides everything that ``row`` decides in ``before`` the same or stronger.

    Stronger is what ``before`` declares so (``stronger``, or the order of the output's vocabulary); any other output is
    the same or it is not, as is a refusal. Both tables have the same inputs, lets and outputs; their vocabularies may
    differ, and then the facts that ``after`` allows are the ones that count. For a ``collect`` table some row with an
    answer as strong has to match wherever the pinned one does. Both tables are taken to keep what they owe by
    themselves (``prove``): where two rows of a ``unique`` one overlap, this says nothing. Splits at most ``budget``
    boxes.
    """
    try:
        return _Pin(Pair(before, after, Budget(budget)), row, Strength(before)).proof()
    except (Exhausted, Incomparable) as fault:
        message = f"it is not proved that the region of {row!r} is decided the same or stronger"
        return Proof(PIN, (row,), NOT_PROVED, None, f"{message}: {why_not(fault)}")


class _Pin:
    """The claim that one row of a table is kept, in the pair of that table and the edited one."""

    def __init__(self, pair: Pair, row: str, strength: Strength) -> None:
        self.pair = pair
        self.prepared = pair.prepared
        self.row = next(place for place, one in enumerate(pair.before.rows) if one.id == row)
        self.pinned = pair.before.rows[self.row]
        self.strength = strength
        self.claim = Claim(self.prepared, PIN, (row,), _weakened(pair.tables, self.pinned, strength))

    def proof(self) -> Proof:
        """What is known of the pinned row. Raises ``Exhausted`` where its region or its answers have too many parts."""
        hit, elsewhere = self.pair.before.hit, self.pair.elsewhere(self.row)
        for region in self.pair.regions(self.row):
            if hit != COLLECT:
                self._hold(region, elsewhere, ordered=hit == FIRST)
            elif self.pinned.error is None:
                self._hold_collected(region, elsewhere)
            else:
                self._hold_refused(region, elsewhere)
        return self.claim.proof(
            f"everything that {self.pinned.id!r} decided is decided the same or stronger",
            f"some facts that {self.pinned.id!r} decided are decided weaker or otherwise now",
            f"it is not proved that everything that {self.pinned.id!r} decided is decided the same or stronger",
        )

    def _hold(self, region: Box, elsewhere: int, *, ordered: bool) -> None:
        """Whichever row answers in the region answers strongly enough, and some row does."""
        asked = elsewhere
        for place, answer in self._answers():
            for limits in self._weaker(answer):
                self._none_in(region, self.prepared.parts[place], limits, asked if ordered else elsewhere)
            asked |= self.prepared.boxes_of((place,))
        self.claim.uncovered(region, asked)

    def _hold_collected(self, region: Box, elsewhere: int) -> None:
        """Some row with a strong answer matches everywhere in the region, and none refuses the whole list."""
        for place, answer in self._answers():
            refusing = self.prepared.illegal[place] if answer.error is None else self.prepared.parts[place]
            self._none_in(region, refusing, {}, elsewhere)
        answers = ((self.pair.boxes(place), self._weaker(answer)) for place, answer in self._answers())
        index = self.pair.covering(elsewhere, answers)
        self.claim.uncovered(region, index.all, index=index)

    def _hold_refused(self, region: Box, elsewhere: int) -> None:
        """The list is refused everywhere in the region, and for the same reason first."""
        asked = elsewhere
        for place, answer in self._answers():
            if answer.error != self.pinned.error:
                refusing = self.prepared.illegal[place] if answer.error is None else self.prepared.parts[place]
                self._none_in(region, refusing, {}, asked)
            asked |= self.prepared.refusing((place,))
        self.claim.uncovered(region, asked)

    def _answers(self) -> Iterator[tuple[int, Row]]:
        """The rows of the table after, with their places."""
        return enumerate(self.pair.after.rows, start=self.pair.start)

    def _weaker(self, answer: Row) -> list[Limits]:
        return self.strength.weaker(self.pair.space, self.pinned, answer)

    def _none_in(self, region: Box, numbers: range, limits: Limits, others: int) -> None:
        """No facts of the region lie in some boxes as far as these are limited, unless in one of the others."""
        for number in numbers:
            box = self.pair.space.limited(self.prepared.index.boxes[number], region)
            box = None if box is None else self.pair.space.limited(limits, box)
            if box is not None:
                self.claim.uncovered(box, others)


def _weakened(tables: tuple[Table, Table], pinned: Row, strength: Strength) -> Shows:
    """Whether facts show it: the pinned row decided them, and now they are decided weaker, otherwise or not at all."""

    def shows(facts: Facts) -> bool:
        old, new = (answers_of(table, facts) for table in tables)
        if pinned.error is not None:
            declined = isinstance(old, PolicyError) and old.code == pinned.error and old.place == str(pinned.mark)
            return declined and not (isinstance(new, PolicyError) and new.code == pinned.error)
        if isinstance(old, PolicyError):
            return False
        own = [one.outputs for one in old if one.row == pinned.id]
        if isinstance(new, PolicyError):
            return bool(own)
        return any(not any(strength.all_at_least(one.outputs, least) for one in new) for least in own)

    return shows
