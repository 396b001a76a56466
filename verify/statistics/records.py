"""What one log and one archive contribute, and what is said of those that can't be counted."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

from toolkit.errors import ToolkitError
from toolkit.policy.problems import MAX_PROBLEMS, Problem


class Run(NamedTuple):
    """One verification, from its log. ``day`` is null where the log bears no time.

    ``modes`` are those in which peers reviewed, ``found`` those in which they found something that counts.
    ``reviewed`` is null where nobody can tell whether peers reviewed. ``tokens`` is null where the cost is not known.
    """

    path: str
    day: date | None
    modes: frozenset[str]
    found: frozenset[str]
    reviewed: bool | None
    tokens: int | None


class Outcome(NamedTuple):
    """What became of a task's findings, from its archive; ``verified`` is false where it was never verified."""

    path: str
    day: date | None
    caught: int
    missed: int
    false_positive: int
    verified: bool


class Uncounted(NamedTuple):
    """A file that belongs to the figures and is in none of them. ``code`` is stable."""

    path: str
    code: str
    reason: str


class BadFigures(ToolkitError):
    """Figures or dates that stand there and are none (exit 2): every one of them, with file and line."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(problems, key=lambda problem: problem.mark)[:MAX_PROBLEMS])
        first = self.problems[0]
        super().__init__(
            first.code, first.message, place=str(first.mark), next_step="mend the file, then run the same command again"
        )
