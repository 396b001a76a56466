"""One claim about a table while it is examined, and the proof that it ends in."""

from __future__ import annotations

from collections.abc import Callable

from toolkit.policy.proofs.boxes import Index, Search
from toolkit.policy.proofs.prepared import Prepared
from toolkit.policy.proofs.results import NOT_PROVED, PROVED, REFUTED, Exhausted, Proof
from toolkit.policy.proofs.space import Box
from toolkit.policy.proofs.witnesses import Facts, Found, Shows, Unshown, Witnesses


class Claim:
    """One claim under examination: tried on boxes that must hold no counterexample, then concluded."""

    def __init__(self, prepared: Prepared, kind: str, subject: tuple[str, ...], shows: Shows) -> None:
        self.prepared = prepared
        self.kind = kind
        self.subject = subject
        self.judge = Witnesses(prepared.space, prepared.numbers, shows)
        self.boxes = 0
        self.witness: Facts | None = None
        self.exhausted = False

    @property
    def open(self) -> bool:
        """Whether there is still something to be found out."""
        return self.witness is None and not self.exhausted

    def attempt(self, step: Callable[[], object]) -> None:
        """Run a step of the search, unless the claim is decided already."""
        if self.open:
            spent = self.prepared.budget.spent
            try:
                step()
            except Found as found:
                self.witness = found.facts
            except (Exhausted, Unshown):
                self.exhausted = True
            self.boxes += self.prepared.budget.spent - spent

    def uncovered(self, box: Box, boxes: int, *, index: Index | None = None, disjoint: bool = False) -> None:
        """No facts of a box may lie outside ``boxes`` (of the rows, or of another index)."""
        search = Search(index or self.prepared.index, self.judge, self.prepared.budget, disjoint=disjoint)
        self.attempt(lambda: search.run(box, boxes))
        if self.exhausted and not self.subject:
            self.subject = self.prepared.names(search.live)

    def empty(self, box: Box) -> None:
        """No facts may lie in a box."""
        self.uncovered(box, 0)

    def proof(self, holds: str, broken: str, doubtful: str) -> Proof:
        """The conclusion, with what is said in each case."""
        if self.witness is not None:
            return Proof(self.kind, self.subject, REFUTED, self.witness, broken, self.boxes)
        if self.exhausted or self.judge.doubts:
            rows = f" (rows {', '.join(map(repr, self.subject))})" if len(self.subject) > 1 else ""
            message = f"{doubtful}{rows}: {self._reason()}"
            return Proof(self.kind, self.subject, NOT_PROVED, None, message, self.boxes)
        return Proof(self.kind, self.subject, PROVED, None, holds, self.boxes)

    def _reason(self) -> str:
        budget = self.prepared.budget
        if budget.spent >= budget.boxes:
            return f"{budget.boxes} boxes were split without an answer"
        if budget.masks <= 0:
            return "the table has too many rows, names and patterns together"
        return "it hangs on patterns, lists or lets of which no example was found"
