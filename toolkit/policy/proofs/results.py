"""What was found out about a table, and what finding it out has cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

PROVED, REFUTED, NOT_PROVED = ("proved", "refuted", "not proved")
GAP, OVERLAP, REQUIRE, PIN = ("gap", "overlap", "require", "pin")
MAX_BOXES = 10_000  # split for one table
MAX_MASKS = 1_000_000  # looked at for one table: a box has as many as the table has names and patterns
MAX_TOLD = 20  # faults of one claim


class Exhausted(Exception):
    """Internal: the boxes that a proof may split are used up, or it would need more memory than it may take."""


class Budget:
    """Counts the boxes that are split, in regions of facts and in ranges of numbers alike, and the masks of boxes."""

    def __init__(self, boxes: int = MAX_BOXES) -> None:
        self.boxes = boxes
        self.spent = 0
        self.masks = MAX_MASKS

    def look(self, masks: int) -> None:
        """Pay for looking at a box of so many masks. Raises ``Exhausted`` where there is nothing left."""
        if self.masks <= 0:
            raise Exhausted
        self.masks -= masks

    def take(self) -> None:
        """Pay for splitting off one box. Raises ``Exhausted`` where there is nothing left."""
        if self.spent >= self.boxes:
            raise Exhausted
        self.spent += 1


@dataclass(frozen=True, slots=True)
class Proof:
    """One claim about a table and what became of it.

    ``kind`` says which claim: ``gap`` (whatever the facts, some row matches), ``overlap`` (no two rows match),
    ``require`` (an invariant holds) or ``pin`` (the region of a row is decided the same or stronger). ``subject`` are
    the rows that it is about, none for the table as a whole.

    ``status`` is ``proved`` where it holds for every legal set of facts; ``refuted`` where ``witness``, legal facts of
    the table (plain JSON values), showed when they were tried that it does not; ``not proved`` where neither is known:
    the boxes ran out, or the only counterexamples rest on what no text was found to do. ``boxes`` were split for it.
    """

    kind: str
    subject: tuple[str, ...]
    status: str
    witness: Mapping[str, object] | None
    message: str
    boxes: int = 0
