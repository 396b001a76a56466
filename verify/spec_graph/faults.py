"""A fault of the graph: which rule it breaks, where, what is named, and what mends it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from verify.artifacts import Artifact
from verify.words import listed

_QUOTED: Final = 200  # characters of the other side of a comparison
_LISTED: Final = 5  # ids that are shown of several
_LONG: Final = 2000  # characters: more than any excerpt holds


class Fault(NamedTuple):
    """``line`` (1-based) is at fault. ``ids`` are the nodes that it is about, ``criteria`` the labels at fault."""

    rule: str
    document: Artifact
    line: int
    message: str
    fix: str
    ids: tuple[str, ...]
    criteria: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        return f"{self.document.path}:{self.line}"

    @property
    def text(self) -> str:
        """The line at fault, verbatim; of a very long one the beginning: thousands of faults may stand on one line."""
        line = self.document.line(self.line)
        return line[:_LONG] if line[:_LONG].strip() else line


def quoted(document: Artifact, line: int) -> str:
    """The other side of a comparison, as a suggested fix cites it."""
    return f'{document.path}:{line} "{document.line(line)[:_LONG].strip()[:_QUOTED]}"'


def listed_ids(ids: Sequence[str]) -> str:
    """Some ids in words."""
    return listed(ids, _LISTED)
