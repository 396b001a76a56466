"""What has been found out so far, and what that has cost."""

from __future__ import annotations

from dataclasses import dataclass, field

from toolkit.authoring.comparison.changes import Change, Unproved


@dataclass
class Found:
    """The changes of some documents, and what could not be shown; ``budget`` boxes may be split for them together."""

    budget: int
    changes: list[Change] = field(default_factory=list)
    unproved: list[Unproved] = field(default_factory=list)
    boxes: int = 0

    @property
    def left(self) -> int:
        """The boxes that may still be split."""
        return max(self.budget - self.boxes, 0)

    def add(self, other: Found) -> None:
        """Take over what was found out elsewhere."""
        self.changes.extend(other.changes)
        self.unproved.extend(other.unproved)
        self.boxes += other.boxes
