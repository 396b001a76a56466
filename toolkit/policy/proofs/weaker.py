"""Whether anything that a row decided is decided weaker after a table was edited, with facts that show it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import product

from toolkit.policy.deciding.columns import bits
from toolkit.policy.language.arithmetic import Term
from toolkit.policy.language.rules import COLLECT, FIRST, Produced, Row, TableDocument
from toolkit.policy.problems import PolicyError, shown
from toolkit.policy.proofs.claims import Claim
from toolkit.policy.proofs.pairs import Incomparable, Pair, answers_of, read_as, why_not
from toolkit.policy.proofs.results import MAX_BOXES, NOT_PROVED, WEAKER, Budget, Exhausted, Proof
from toolkit.policy.proofs.space import Box, Limits, meets
from toolkit.policy.proofs.strength import Strength, where_not
from toolkit.policy.proofs.witnesses import Facts
from toolkit.policy.tables import Decision, Table
from toolkit.policy.types import Input, ListType, RecordType, TermType, thaw

Change = tuple[str, object, tuple[object, ...]]
"""An output, what it was, and what it is now: one value; in a ``collect`` table that of each row that still answers."""


def weakenings(before: TableDocument, after: TableDocument, *, budget: int = MAX_BOXES) -> Iterator[Proof]:
    """Of every row of ``before``: whether ``after`` decides nothing weaker of what it decides there.

    Refuted, with a witness, where an ordered output is strictly weaker for some facts: one for which ``before`` says
    ``stronger``, or has an ordered vocabulary (how strong a term is that only ``after`` knows, that one says). In a
    ``collect`` table it is weaker where no row answers as strongly any more. Another value of an output without an
    order is not weaker, and a refusal is neither weaker nor stronger than an answer. Where the tables can't be compared
    at all there is one proof, of no row, which says so. Splits at most ``budget`` boxes for all of them.
    """
    reason = _difference(before, after)
    counted = Budget(budget)
    kept = None
    if reason is None:
        try:
            kept = _Kept(Pair(before, after, counted), _Order(before, after))
        except (Exhausted, Incomparable) as fault:
            reason = why_not(fault)
    if kept is None:
        message = f"it can't be shown that nothing is decided weaker: {reason}"
        yield Proof(WEAKER, (), NOT_PROVED, None, message, counted.spent)
        return
    yield from map(kept.proof, range(len(before.rows)))


def changes_shown(before: TableDocument, after: TableDocument, row: str, facts: Mapping[str, object]) -> list[Change]:
    """The ordered outputs of a row that these facts show to be weaker now; none where they show nothing."""
    order = _Order(before, after)
    return order.changes(Table(read_as(before, after)), Table(after), row, {**facts})


class _Order:
    """Which values are weaker: as the table before says, and of terms that are new to it as the one after does."""

    def __init__(self, before: TableDocument, after: TableDocument) -> None:
        self.strengths = Strength(before), Strength(after)
        self.outputs = tuple(output for output in before.outputs if self.strengths[0].is_ordered(output))

    def kept(self, output: str, value: Produced, least: Produced) -> bool:
        """Whether a value is not strictly weaker than another."""
        told = (strength.is_weaker(output, value, least) for strength in self.strengths)
        return not next((one for one in told if one is not None), False)

    def changes(self, old: Table, new: Table, row: str, facts: Facts) -> list[Change]:
        were, are = answers_of(old, facts), answers_of(new, facts)
        if isinstance(were, PolicyError) or isinstance(are, PolicyError):
            return []
        return [change for one in were if one.row == row for change in self._changes(one, are)]

    def _changes(self, old: Decision, new: tuple[Decision, ...]) -> Iterator[Change]:
        answers = [one.outputs for one in new if one.item == old.item]
        for output in self.outputs:
            least = old.outputs[output]
            if not any(self.kept(output, one[output], least) for one in answers):
                yield output, thaw(least), tuple(thaw(one[output]) for one in answers)


class _Kept:
    """The claims that the rows of a table are not decided weaker, in the pair of that table and the edited one.

    Raises ``Exhausted`` where the answers of a row have too many parts.
    """

    def __init__(self, pair: Pair, order: _Order) -> None:
        self.pair = pair
        self.order = order
        self.hit = pair.before.hit
        self.prepared = pair.prepared
        self.legal = [pair.legal(place) for place in range(len(pair.joined.rows))]

    def proof(self, place: int) -> Proof:
        """What is known of the row in a place of the table before."""
        row = self.pair.before.rows[place]
        claim = Claim(self.prepared, WEAKER, (row.id,), lambda facts: bool(self._changes(row, facts)))
        try:
            self._examine(claim, place, row)
        except Exhausted:
            claim.exhausted = True
        return claim.proof(
            f"nothing that {row.id!r} decided is decided weaker",
            _told(self._changes(row, claim.witness)) if claim.witness is not None else "",
            f"it can't be shown that nothing that {row.id!r} decided is decided weaker",
        )

    def _examine(self, claim: Claim, place: int, row: Row) -> None:
        if row.error is not None:
            return
        elsewhere = self.pair.elsewhere(place)
        for region, output in product(self.pair.regions(place), self.order.outputs):
            self._search(claim, region, row, output, elsewhere)

    def _changes(self, row: Row, facts: Facts) -> list[Change]:
        return self.order.changes(*self.pair.tables, row.id, facts)

    def _search(self, claim: Claim, region: Box, row: Row, output: str, elsewhere: int) -> None:
        """Look for facts of the region for which the output is weaker now."""
        live, containing = self.prepared.index.meeting(region)
        answers = self._answering(live)
        if self.hit == COLLECT:
            if not any(self._keeps(row, place, output) for place in self._answering(containing)):
                # Everywhere in the region some row answers as strongly, or one of the lists is refused.
                refused = (elsewhere | self.pair.refused[1]) & live
                strong = ((self.legal[place], self._weaker(row, place, output)) for place in answers)
                index = self.pair.covering(refused, strong)
                claim.uncovered(region, index.all, index=index)
            return
        asked = elsewhere
        for place in answers:
            for limits in meets(self.legal[place], self._weaker(row, place, output)):
                box = self.pair.space.limited(limits, region)
                if box is not None:
                    claim.uncovered(box, asked)
            if self.hit == FIRST:
                asked |= self.prepared.boxes_of((place,))

    def _answering(self, boxes: int) -> list[int]:
        """The rows of the table after that have one of some boxes."""
        owners = self.prepared.owners
        places = {owners[number] for number in bits(boxes) if number < len(owners)}
        return sorted(place for place in places if place >= self.pair.start)

    def _keeps(self, row: Row, place: int, output: str) -> bool:
        """Whether a row answers as strongly wherever it matches."""
        return not self._weaker(row, place, output) and self.legal[place] == self.pair.boxes(place)

    def _weaker(self, row: Row, place: int, output: str) -> list[Limits]:
        """Where a row of the table after would answer more weakly; of one that declines, nowhere (``Pair.legal``)."""
        answer = self.pair.after.rows[place - self.pair.start]
        if answer.error is not None:
            return [] if self.hit != COLLECT else [{}]
        return list(where_not(partial(self.order.kept, output), self.pair.space, row.then[output], answer.then[output]))


def _told(changes: list[Change]) -> str:
    """What became weaker, in words: ``tier high -> low``."""
    spelt = (
        f"{output} {shown(was)} -> {' and '.join(dict.fromkeys(map(shown, now))) or 'no answer'}"
        for output, was, now in changes
    )
    return ", ".join(dict.fromkeys(spelt))


def _difference(before: TableDocument, after: TableDocument) -> str | None:
    """Why two tables can't be compared, or null: they are asked and answer the same, vocabularies aside."""
    if (before.hit, before.each) != (after.hit, after.each):
        return "it is asked in another way"
    if not _alike(before.inputs, after.inputs) or not _alike(before.outputs, after.outputs):
        return "it has other inputs or outputs"
    if [let.name for let in before.lets] != [let.name for let in after.lets]:
        return "it computes other lets"
    if not all(_same(one.term, other.term) for one, other in zip(before.lets, after.lets, strict=True)):
        return "it computes its lets in another way"
    return None


def _alike(before: Mapping[str, Input], after: Mapping[str, Input]) -> bool:
    return before.keys() == after.keys() and all(_kind(before[name]) == _kind(after[name]) for name in before)


def _kind(declared: Input) -> object:
    """The type of a name, of a term only where its vocabulary stands: what that holds is another document's."""
    kind: object = declared.type
    if isinstance(kind, RecordType):
        kind = {name: _kind(field) for name, field in kind.fields.items()}
    elif isinstance(kind, ListType):
        kind = ("list", _kind(replace(declared, type=kind.items, optional=False)))
    elif isinstance(kind, TermType):
        kind = kind.vocabulary or kind.terms
    return kind, declared.optional


def _same(term: Term, other: Term) -> bool:
    """Whether two expressions compute the same, as far as that is seen without computing."""
    one, another = ((it.operator, it.constant, it.factor, it.names, len(it.parts)) for it in (term, other))
    return one == another and all(map(_same, term.parts, other.parts))
