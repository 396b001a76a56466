"""References to a place in a file, as layers and reviewers write them: ``path``, ``path:line``, ``path:start-end``."""

from __future__ import annotations

import posixpath
import re
from functools import cache
from typing import NamedTuple


class Reference(NamedTuple):
    """``path`` as written; ``start`` and ``end`` are lines from 1, inclusive, or 0 where no line is named."""

    path: str
    start: int = 0
    end: int = 0

    @property
    def has_line(self) -> bool:
        return self.start > 0

    def normalised(self) -> str:
        """One spelling for each place: ``./a.md:03`` and ``b/../a.md:3`` are both ``a.md:3``."""
        path = posixpath.normpath(self.path)
        if not self.has_line:
            return path
        return f"{path}:{self.start}" if self.start == self.end else f"{path}:{self.start}-{self.end}"


def split_reference(text: str) -> Reference:
    """The parts of a reference. A column after the line is dropped, and line 0 is no line."""
    match = _pattern().fullmatch(text)
    if match is None:
        return Reference(text)
    start = int(match["start"])
    return Reference(match["path"], start, max(start, int(match["end"] or start)))


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile(r"(?P<path>.+?):(?P<start>[0-9]{1,9})(?:-(?P<end>[0-9]{1,9})|:[0-9]{1,9})?", re.DOTALL)
