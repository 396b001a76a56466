"""Two states of a table as one, in one space: the one before an edit, read with the words of the one after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property

from toolkit.policy.deciding.columns import bits, names_of
from toolkit.policy.language.conditions import AllOf, Compare, Condition, Items, Not, OneOf
from toolkit.policy.language.rules import COLLECT, FIRST, TableDocument, When
from toolkit.policy.problems import PolicyError
from toolkit.policy.proofs.boxes import Index
from toolkit.policy.proofs.mentions import range_cells, referenced_cells, row_cells
from toolkit.policy.proofs.prepared import Prepared
from toolkit.policy.proofs.results import Budget, Exhausted
from toolkit.policy.proofs.space import Box, Limits, meets
from toolkit.policy.proofs.strength import compared_cells
from toolkit.policy.proofs.witnesses import Facts
from toolkit.policy.tables import Decision, Table
from toolkit.policy.types import ListType, TermType, Type


class Incomparable(Exception):
    """Internal: a condition means nothing where the other table's vocabulary holds."""


class Pair:
    """A table before and after an edit: the rows of the one, then from ``start`` on those of the other.

    Both have the same inputs, lets and outputs, vocabularies aside. A place is that of a row among all of them.

    Raises ``Incomparable`` where the table before can't be read with the vocabularies of the one after, ``Exhausted``
    where the alternatives of a row make more boxes than it may have.
    """

    def __init__(self, before: TableDocument, after: TableDocument, budget: Budget) -> None:
        self.before, self.after = read_as(before, after), after
        self.start = len(before.rows)
        self.joined = replace(after, rows=(*self.before.rows, *after.rows), require=())
        cells = (*row_cells(self.joined), *referenced_cells(self.joined), *compared_cells(before, after))
        self.prepared = Prepared(self.joined, budget, cells)
        self.space = self.prepared.space
        self.tables = Table(self.before), Table(after)

    def boxes(self, place: int) -> list[Limits]:
        """Where a row matches."""
        return [self.prepared.index.boxes[number] for number in self.prepared.parts[place]]

    def legal(self, place: int) -> list[Limits]:
        """Where a row answers something: its boxes, as far as its integers are legal outputs."""
        return meets(self.boxes(place), self.space.all_of(range_cells(self.joined, self.joined.rows[place])))

    def regions(self, place: int) -> Iterator[Box]:
        """The same as whole boxes, with all that other rows decide there; without those that are empty."""
        for limits in self.legal(place):
            box = self.space.limited(limits)
            if box is not None:
                yield box

    def elsewhere(self, place: int) -> int:
        """The boxes in which a row of the table before decided nothing although it matches."""
        if self.before.hit == FIRST:
            return (1 << self.prepared.parts[place].start) - 1  # those of the rows above, which come first
        if self.before.hit == COLLECT:
            # The first refusal is told; an answer needs that there is none.
            answers = self.before.rows[place].error is None
            return self.refused[0] if answers else self.prepared.refusing(range(place))
        return 0

    @cached_property
    def refused(self) -> tuple[int, int]:
        """The boxes in which the one and the other of two ``collect`` tables decline to give a list."""
        end = len(self.joined.rows)
        return self.prepared.refusing(range(self.start)), self.prepared.refusing(range(self.start, end))

    def covering(self, declined: int, answers: Iterable[tuple[list[Limits], list[Limits]]]) -> Index:
        """Some boxes, and those of the answers of a list: of each where it stands, without where it is too weak."""
        covering = [self.prepared.index.boxes[number] for number in bits(declined)]
        for stands, weaker in answers:
            covering += meets(stands, self.space.outside(weaker))
        return Index(self.space, covering)


def why_not(fault: Incomparable | Exhausted) -> str:
    """Why nothing could be told of two tables, in words."""
    return "a term that it compares with is gone" if isinstance(fault, Incomparable) else "it has too many parts"


def answers_of(table: Table, facts: Facts) -> tuple[Decision, ...] | PolicyError:
    """All that a table decides of some facts, or the refusal to decide."""
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
