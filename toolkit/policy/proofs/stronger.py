"""Whether the region that a row decides is still decided the same or stronger after a table was edited."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from toolkit.policy.deciding.columns import bits, names_of
from toolkit.policy.language.conditions import AllOf, Compare, Condition, Items, Not, OneOf
from toolkit.policy.language.rules import COLLECT, FIRST, Row, TableDocument, When
from toolkit.policy.problems import PolicyError
from toolkit.policy.proofs.boxes import Index
from toolkit.policy.proofs.mentions import range_cells, referenced_cells, row_cells
from toolkit.policy.proofs.prepared import Claim, Prepared
from toolkit.policy.proofs.results import MAX_BOXES, NOT_PROVED, PIN, Budget, Exhausted, Proof
from toolkit.policy.proofs.space import Box, Limits, meets
from toolkit.policy.proofs.strength import Strength, compared_cells
from toolkit.policy.proofs.witnesses import Facts, Shows
from toolkit.policy.tables import Decision, Table
from toolkit.policy.types import ListType, TermType, Type


class Incomparable(Exception):
    """Internal: a condition means nothing where the other table's vocabulary holds."""


def same_or_stronger(before: TableDocument, after: TableDocument, row: str, *, budget: int = MAX_BOXES) -> Proof:
    """Whether ``after`` decides everything that ``row`` decides in ``before`` the same or stronger.

    Stronger is what ``before`` declares so (``stronger``, or the order of the output's vocabulary); any other output is
    the same or it is not, as is a refusal. Both tables have the same inputs, lets and outputs; their vocabularies may
    differ, and then the facts that ``after`` allows are the ones that count. For a ``collect`` table some row with an
    answer as strong has to match wherever the pinned one does. Both tables are taken to keep what they owe by
    themselves (``prove``): where two rows of a ``unique`` one overlap, this says nothing. Splits at most ``budget``
    boxes.
    """
    subject = (row,)
    try:
        return _Pin(before, after, row, Budget(budget)).proof()
    except (Exhausted, Incomparable) as fault:
        message = f"it is not proved that the region of {row!r} is decided the same or stronger"
        reason = "a term that it compares with is gone" if isinstance(fault, Incomparable) else "it has too many parts"
        return Proof(PIN, subject, NOT_PROVED, None, f"{message}: {reason}")


class _Pin:
    """Both tables as one, in one space: the rows of the one, then those of the other."""

    def __init__(self, before: TableDocument, after: TableDocument, row: str, budget: Budget) -> None:
        self.before = read_as(before, after)
        self.after = after
        self.start = len(before.rows)
        self.row = next(place for place, one in enumerate(before.rows) if one.id == row)
        self.pinned = before.rows[self.row]
        self.strength = Strength(before)
        joined = replace(after, rows=(*self.before.rows, *after.rows), require=())
        cells = (*row_cells(joined), *referenced_cells(joined), *compared_cells(before, after))
        self.prepared = Prepared(joined, budget, cells)
        self.space = self.prepared.space
        self.claim = Claim(self.prepared, PIN, (row,), _weakened(self.before, after, self.pinned, self.strength))

    def proof(self) -> Proof:
        elsewhere = self._elsewhere()
        for region in self._region():
            if self.before.hit != COLLECT:
                self._hold(region, elsewhere, ordered=self.before.hit == FIRST)
            elif self.pinned.error is None:
                self._hold_collected(region, elsewhere)
            else:
                self._hold_refused(region, elsewhere)
        return self.claim.proof(
            f"everything that {self.pinned.id!r} decided is decided the same or stronger",
            f"some facts that {self.pinned.id!r} decided are decided weaker or otherwise now",
            f"it is not proved that everything that {self.pinned.id!r} decided is decided the same or stronger",
        )

    def _region(self) -> Iterator[Box]:
        """The boxes of the pinned row as far as its answer is legal, with all that other rows decide there."""
        own = [self.prepared.index.boxes[number] for number in self.prepared.parts[self.row]]
        for limits in meets(own, self.space.all_of(range_cells(self.before, self.pinned))):
            box = self.space.limited(limits)
            if box is not None:
                yield box

    def _elsewhere(self) -> int:
        """The boxes in which the pinned row decided nothing although it matches."""
        if self.before.hit == FIRST:
            return self.prepared.boxes_of(range(self.row))
        if self.before.hit == COLLECT:
            # The first refusal is told; an answer needs that there is none.
            return self.prepared.refusing(range(self.start if self.pinned.error is None else self.row))
        return 0

    def _hold(self, region: Box, elsewhere: int, *, ordered: bool) -> None:
        """Whichever row answers in the region answers strongly enough, and some row does."""
        asked = elsewhere
        for place, answer in enumerate(self.after.rows, start=self.start):
            for limits in self.strength.weaker(self.space, self.pinned, answer):
                self._none_in(region, self.prepared.parts[place], limits, asked if ordered else elsewhere)
            asked |= self.prepared.boxes_of((place,))
        self.claim.uncovered(region, asked)

    def _hold_collected(self, region: Box, elsewhere: int) -> None:
        """Some row with a strong answer matches everywhere in the region, and none refuses the whole list."""
        covering = [self.prepared.index.boxes[number] for number in bits(elsewhere)]
        for place, answer in enumerate(self.after.rows, start=self.start):
            parts = self.prepared.parts[place]
            self._none_in(region, self.prepared.illegal[place] if answer.error is None else parts, {}, elsewhere)
            weaker = self.strength.weaker(self.space, self.pinned, answer)
            covering += meets([self.prepared.index.boxes[number] for number in parts], self.space.outside(weaker))
        index = Index(self.space, covering)
        self.claim.uncovered(region, index.all, index=index)

    def _hold_refused(self, region: Box, elsewhere: int) -> None:
        """The list is refused everywhere in the region, and for the same reason first."""
        asked = elsewhere
        for place, answer in enumerate(self.after.rows, start=self.start):
            if answer.error != self.pinned.error:
                refusing = self.prepared.illegal[place] if answer.error is None else self.prepared.parts[place]
                self._none_in(region, refusing, {}, asked)
            asked |= self.prepared.refusing((place,))
        self.claim.uncovered(region, asked)

    def _none_in(self, region: Box, numbers: range, limits: Limits, others: int) -> None:
        for number in numbers:
            box = self.space.limited(self.prepared.index.boxes[number], region)
            box = None if box is None else self.space.limited(limits, box)
            if box is not None:
                self.claim.uncovered(box, others)


def _weakened(before: TableDocument, after: TableDocument, pinned: Row, strength: Strength) -> Shows:
    """Whether facts show it: the pinned row decided them, and now they are decided weaker, otherwise or not at all."""
    tables = Table(before), Table(after)

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


def answers_of(table: Table, facts: Facts) -> tuple[Decision, ...] | PolicyError:
    try:
        return table.decide_all(**facts)
    except PolicyError as refusal:
        return refusal


def read_as(before: TableDocument, after: TableDocument) -> TableDocument:
    """A table as it reads with the vocabularies of another: the terms that both know keep their strength.

    Raises ``Incomparable`` where a new term would have to be compared with one that is gone.
    """
    kinds = {name: kind for name, (kind, _) in names_of(after).items()}

    def read(when: When) -> When:
        cells = tuple((name, _condition(condition, kinds[name])) for name, condition in when.cells)
        return When(cells, tuple(map(read, when.any_of)))

    rows = tuple(row._replace(when=read(row.when)) for row in before.rows)
    return replace(before, inputs=after.inputs, outputs=after.outputs, rows=rows, require=())


def _condition(condition: Condition, kind: Type) -> Condition:
    if isinstance(condition, Not):
        return Not(_condition(condition.inner, kind))
    if isinstance(condition, AllOf):
        return AllOf(tuple(_condition(part, kind) for part in condition.parts))
    if isinstance(condition, Items):
        return Items(
            condition.operator, _condition(condition.inner, kind.items if isinstance(kind, ListType) else kind)
        )
    if not (isinstance(condition, Compare) and condition.term is not None and isinstance(kind, TermType)):
        return condition
    known = condition.term.strengths or {}
    if known == kind.strengths:
        return condition
    new = [term for term in kind.terms if term not in known]
    if new and (kind.strengths is None or condition.value not in kind.strengths):
        raise Incomparable
    old_holds, new_holds = condition.compile(), replace(condition, term=kind).compile()
    return OneOf(tuple(term for term in kind.terms if (new_holds if term in new else old_holds)(term)))
