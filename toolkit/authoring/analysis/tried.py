"""Facts asked of a compiled table: which rows match them, which of these decides, and what each would answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice

from toolkit.policy.deciding.answering import Emit, emitter, shared_decision
from toolkit.policy.deciding.columns import Column, bits
from toolkit.policy.deciding.matching import Values
from toolkit.policy.language.rules import COLLECT, FIRST
from toolkit.policy.problems import PolicyError
from toolkit.policy.proofs.boxes import Index
from toolkit.policy.proofs.prepared import Prepared
from toolkit.policy.types import ListType, Value

Facts = dict[str, object]
Answer = Mapping[str, Value] | str  # the outputs, or the code with which a row declines


class Tried:
    """A table to try facts on. A witness is about one question, of an ``each`` table about its one item.

    Every row that is said to match was asked. As in a table that is asked often, the rows that are asked are those
    that the classes of the values leave: of ten thousand that would be ten thousand questions a witness.
    """

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared
        self.document = prepared.document
        self.table = prepared.table
        self._emitters = cache(self._emitter)
        space = prepared.space
        self._columns = [
            (name, column, _boxes_of_atoms(prepared.index, place))
            for name, place in space.places.items()
            if isinstance(column := space.dimensions[place], Column) and not isinstance(space.names[name][0], ListType)
        ]

    def values(self, facts: Facts) -> Values | None:
        """The facts as cells see them; null where they are not legal, or no single question."""
        try:
            questions = list(self.table.questions(facts))
        except PolicyError:
            return None
        return questions[0][1] if len(questions) == 1 else None

    def matches(self, row: int, facts: Facts) -> bool:
        """Whether a row's cells hold."""
        values = self.values(facts)
        return values is not None and self.table.whens[row].matches(values)

    def alternative_matches(self, row: int, number: int, facts: Facts) -> bool:
        """Whether a row matches by one of its alternatives."""
        values = self.values(facts)
        when = self.table.whens[row]
        if values is None or not all(cell.holds(values[cell.name]) for cell in when.cells):
            return False
        return when.any_of[number].matches(values)

    def matching(self, facts: Facts) -> Iterator[int]:
        """The rows that match, in order."""
        values = self.values(facts)
        if values is not None:
            yield from (row for row in self._left(values) if self.table.whens[row].matches(values))

    def first(self, facts: Facts) -> int | None:
        """The first row that matches."""
        return next(self.matching(facts), None)

    def decides(self, row: int, facts: Facts) -> bool:
        """Whether it is this row that decides, or declines to: by itself, first, or as one of a list."""
        if self.document.hit == FIRST:
            return self.first(facts) == row
        if self.document.hit != COLLECT:
            return list(islice(self.matching(facts), 2)) == [row]
        if not self.matches(row, facts):
            return False
        declines = self.document.rows[row].error is not None
        told = (hit for hit in self.matching(facts) if hit < row) if declines else self.matching(facts)
        return all(isinstance(self.answer(hit, facts), Mapping) for hit in told)

    def answer(self, row: int, facts: Facts) -> Answer | None:
        """What a row answers where it decides; null where the facts are not legal."""
        values = self.values(facts)
        if values is None:
            return None
        try:
            return self._emitters(row)(values, None).outputs
        except PolicyError as refusal:
            return refusal.code

    def _left(self, values: Values) -> Iterator[int]:
        """The rows that the values leave by their classes, in order."""
        owners = self.prepared.owners
        left = (1 << len(owners)) - 1
        for name, column, boxes in self._columns:
            left &= boxes[column.index(values[name])]
        last = None
        for number in bits(left):
            if owners[number] != last:
                last = owners[number]
                yield last

    def _emitter(self, row: int) -> Emit:
        return emitter(self.document, self.document.rows[row], shared_decision(self.document.rows[row]))


def _boxes_of_atoms(index: Index, place: int) -> list[int]:
    """The boxes that allow each atom of a dimension."""
    boxes = [0] * index.space.full[place].bit_length()
    for atoms, met in index.classes[place]:
        for atom in bits(atoms):
            boxes[atom] = met
    return boxes
