"""Which way an answer has moved, in one word: what is said of one output, and of several together."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

WEAKER: Final = "weaker"
STRONGER: Final = "stronger"
MIXED: Final = "mixed"
OTHER: Final = "other"  # nothing says which of the two answers is stronger


def together(told: Iterable[str | None]) -> str | None:
    """One direction for several: what has no order says nothing beside what has one. Null where nothing has moved."""
    found = {one for one in told if one is not None}
    if MIXED in found or {WEAKER, STRONGER} <= found:
        return MIXED
    return next((one for one in (WEAKER, STRONGER, OTHER) if one in found), None)
