"""One table under examination: its boxes, the facts that were found in them, and what is left of its budget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import chain
from typing import Final, NamedTuple

from toolkit.authoring.analysis.findings import Finding
from toolkit.authoring.analysis.tried import Facts, Tried
from toolkit.policy.deciding.columns import Cell
from toolkit.policy.language.rules import COLLECT, FIRST, TableDocument
from toolkit.policy.problems import Mark
from toolkit.policy.proofs import NOT_PROVED, PROVED, REFUTED
from toolkit.policy.proofs.claims import Claim
from toolkit.policy.proofs.prepared import Prepared
from toolkit.policy.proofs.results import Budget
from toolkit.policy.proofs.space import Box
from toolkit.policy.proofs.witnesses import Shows, Unshown, facts_in

LEAST_ALLOWANCE: Final = 100  # boxes that every claim may split, while there are any
MAX_WORK: Final = 20_000_000  # classes of values that are looked at in one table, once for each box and each search
TOO_MANY: Final = ": the table has too many rows for all of them to be looked at"

Region = tuple[Box, int]
"""A box, and the boxes of rows (a bit set) outside which facts are looked for."""


class Searched(NamedTuple):
    """What a search came to: ``facts`` that show what was looked for, or there are ``none``, or ``why`` it is open."""

    facts: Facts | None
    none: bool
    why: str
    boxes: int

    @property
    def found(self) -> bool:
        return self.facts is not None

    @property
    def open(self) -> bool:
        return self.facts is None and not self.none


class Examined:
    """A table made ready for analysis.

    No claim may use more than half of what is left, so that a hard one does not cost the easy ones after it.
    ``event`` stands before the facts of every witness. Raises ``Exhausted``, as ``Prepared`` does.
    """

    def __init__(
        self,
        document: TableDocument,
        budget: Budget,
        cells: Iterable[Cell] | None = None,
        event: Mapping[str, object] | None = None,
    ) -> None:
        self.document = document
        self.budget = budget
        self.prepared = Prepared(document, budget, cells)
        self.tried = Tried(self.prepared)
        self.event = event or {}
        self._classes = sum(map(len, self.prepared.index.classes))
        self._work = 0
        self.matched: dict[int, Searched] = {}
        self.decided: dict[int, Searched] = {}

    def boxes(self, row: int) -> Iterator[Box]:
        """Where a row matches."""
        index = self.prepared.index
        for number in self.prepared.parts[row]:
            box = self.prepared.space.limited(index.boxes[number])
            if box is not None:
                yield box

    def before(self, row: int) -> int:
        """The boxes of the rows above."""
        return (1 << self.prepared.parts[row].start) - 1

    def after(self, row: int) -> int:
        """The boxes of the rows below."""
        stop = self.prepared.parts[row].stop
        count = len(self.prepared.owners)
        return (1 << count) - (1 << stop)

    def others(self, row: int) -> int:
        """The boxes in which a row does not decide although it matches."""
        if self.document.hit == FIRST:
            return self.before(row)
        if self.document.hit == COLLECT:
            answers = self.document.rows[row].error is None
            return self._refusing[-1 if answers else row]
        return self.before(row) | self.after(row)

    @cached_property
    def _refusing(self) -> list[int]:
        """The boxes in which the rows above each row of a ``collect`` table decline; last those of all rows."""
        found = [0]
        for row in range(len(self.document.rows)):
            found.append(found[-1] | self.prepared.refusing((row,)))
        return found

    @property
    def is_spent(self) -> bool:
        """Whether so much was looked at that nothing more is."""
        return self._work > MAX_WORK

    def meeting(self, box: Box, among: int) -> tuple[int, int]:
        """The boxes that meet a box, and those that contain it, on account of what may be looked at."""
        self._work += self._classes
        return self.prepared.index.meeting(box, among)

    def search(self, regions: Iterable[Region], shows: Shows) -> Searched:
        """Look for facts of one of the regions which show something: at the corners of the first, then everywhere."""
        listed = iter(regions)
        first = next(listed, None)
        if first is None:
            return Searched(None, True, "", 0)
        facts = self._at_corners(first[0], shows)
        if facts is not None:
            return Searched(facts, False, "", 0)
        if self.is_spent:
            return Searched(None, False, TOO_MANY, 0)
        found = self._everywhere(chain((first,), listed), shows)
        self._work += (found.boxes + 1) * self._classes
        return found

    def _at_corners(self, box: Box, shows: Shows) -> Facts | None:
        """Facts at the ends of a box: most rows decide some there, and to ask is cheaper than to search."""
        space, numbers = self.prepared.space, self.prepared.numbers
        if numbers.lets or space.predicates:
            return None
        for corner in (tuple(mask & -mask for mask in box), tuple(1 << mask.bit_length() - 1 for mask in box)):
            try:
                facts = facts_in(space, corner, {})
            except Unshown:
                continue
            if shows(facts):
                return facts
        return None

    def _everywhere(self, regions: Iterable[Region], shows: Shows) -> Searched:
        claim = Claim(self.prepared, "", (), shows)
        with self._allowance():
            for box, boxes in regions:
                claim.uncovered(box, boxes)
                if not claim.open:
                    break
            proof = claim.proof("", "", "")
        facts = None if proof.witness is None else dict(proof.witness)
        return Searched(facts, proof.status == PROVED, proof.message, proof.boxes)

    @contextmanager
    def _allowance(self) -> Iterator[None]:
        budget = self.budget
        boxes, masks = budget.boxes, budget.masks
        budget.boxes = min(boxes, budget.spent + max((boxes - budget.spent) // 2, LEAST_ALLOWANCE))
        kept = masks // 2
        budget.masks = masks - kept
        try:
            yield
        finally:
            budget.boxes = boxes
            budget.masks += kept

    def finding(
        self,
        kind: str,
        subject: Sequence[str],
        status: str,
        message: str,
        mark: Mark,
        *,
        facts: Facts | None = None,
        boxes: int = 0,
    ) -> Finding:
        """A finding about this table."""
        witness = None if facts is None else {**self.event, **facts}
        return Finding(self.document.head.id, kind, tuple(subject), status, witness, message, mark, boxes)

    def exists(self, kind: str, subject: Sequence[str], mark: Mark, searched: Searched, told: Told) -> Finding:
        """The finding of a defect that is that no facts were found."""
        status = PROVED if searched.found else REFUTED if searched.none else NOT_PROVED
        message = {PROVED: told.healthy, REFUTED: told.defect}.get(status, f"{told.doubt}{searched.why}")
        return self.finding(kind, subject, status, message, mark, facts=searched.facts, boxes=searched.boxes)

    def absent(self, kind: str, subject: Sequence[str], mark: Mark, searched: Searched, told: Told) -> Finding:
        """The finding of a defect that is shown by the facts that were found."""
        status = REFUTED if searched.found else PROVED if searched.none else NOT_PROVED
        message = {PROVED: told.healthy, REFUTED: told.defect}.get(status, f"{told.doubt}{searched.why}")
        return self.finding(kind, subject, status, message, mark, facts=searched.facts, boxes=searched.boxes)


class Told(NamedTuple):
    """What is said where there is no defect, where there is one, and where that is not known."""

    healthy: str
    defect: str
    doubt: str
