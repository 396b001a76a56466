"""What two sets of policies decide differently: regions of facts with a witness each, and what else is not the same."""

from __future__ import annotations

from toolkit.authoring.comparison.changes import DIRECTIONS, KINDS, UNKNOWN, Change, Comparison, Unproved
from toolkit.authoring.comparison.sets import MAX_COMPARED_BOXES, compare
from toolkit.authoring.directions import MIXED, OTHER, STRONGER, WEAKER

__all__ = [
    "DIRECTIONS",
    "KINDS",
    "MAX_COMPARED_BOXES",
    "MIXED",
    "OTHER",
    "STRONGER",
    "UNKNOWN",
    "WEAKER",
    "Change",
    "Comparison",
    "Unproved",
    "compare",
]
