"""One table made ready for proofs: its space, the boxes of its rows, its numbers, and the table to try a witness on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from toolkit.policy.deciding.columns import Cell
from toolkit.policy.language.rules import COLLECT, TableDocument
from toolkit.policy.problems import PolicyError
from toolkit.policy.proofs.boxes import Index
from toolkit.policy.proofs.mentions import range_cells, referenced_cells, row_cells
from toolkit.policy.proofs.numbers import Numbers
from toolkit.policy.proofs.results import Budget
from toolkit.policy.proofs.space import Limits, Space, meets
from toolkit.policy.proofs.witnesses import Facts, Shows
from toolkit.policy.tables import Table

MAX_SUBJECT = 5  # rows that a proof which did not succeed names


class Prepared:
    """What all proofs of one table share. ``parts[i]`` are the numbers of the boxes of row i in ``index``.

    In a ``collect`` table, ``illegal[i]`` are those of the boxes in which row i matches with an integer that is no
    legal output, so that the whole list is refused.

    Raises ``Exhausted`` where the alternatives of a row make more boxes than it may have.
    """

    def __init__(self, document: TableDocument, budget: Budget, cells: Iterable[Cell] | None = None) -> None:
        self.document = document
        self.budget = budget
        told = (*row_cells(document), *referenced_cells(document))
        self.space = Space(document, told if cells is None else cells)
        self.numbers = Numbers(self.space, budget)
        boxes: list[Limits] = []
        self.parts: list[range] = []
        for row in document.rows:
            start = len(boxes)
            boxes.extend(self.space.parts(row.when))
            self.parts.append(range(start, len(boxes)))
        self.owners = [row for row, part in enumerate(self.parts) for _ in part]
        self.illegal: list[range] = []
        for row, part in zip(document.rows, self.parts, strict=True):
            start = len(boxes)
            if document.hit == COLLECT:
                legal = self.space.all_of(range_cells(document, row))
                boxes.extend(meets([boxes[number] for number in part], self.space.outside(legal)))
            self.illegal.append(range(start, len(boxes)))
        self.index = Index(self.space, boxes)

    @cached_property
    def table(self) -> Table:
        """The table itself, to try a witness on."""
        return Table(self.document)

    def boxes_of(self, rows: Iterable[int]) -> int:
        """The bit set of the boxes of some rows."""
        return sum(_set_of(self.parts[row]) for row in rows)

    def refusing(self, rows: Sequence[int]) -> int:
        """The boxes in which some rows of a ``collect`` table refuse the whole list."""
        errors = [row for row in rows if self.document.rows[row].error is not None]
        return self.boxes_of(errors) | sum(_set_of(self.illegal[row]) for row in rows)

    def names(self, boxes: int) -> tuple[str, ...]:
        """The rows of some boxes, in order; no more than are named in a message."""
        found: list[str] = []
        while boxes and len(found) < MAX_SUBJECT:
            row = self.owners[(boxes & -boxes).bit_length() - 1]
            found.append(self.document.rows[row].id)
            boxes &= ~self.boxes_of((row,))
        return tuple(found)

    def refuses(self, code: str) -> Shows:
        """Whether asking the table ends in a refusal of this code."""

        def shows(facts: Facts) -> bool:
            try:
                self.table.decide_all(**facts)
            except PolicyError as refusal:
                return refusal.code == code
            return False

        return shows


def _set_of(numbers: range) -> int:
    return (1 << numbers.stop) - (1 << numbers.start)
