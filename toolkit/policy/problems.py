"""What can be wrong with a policy or a fact, and where: every problem names a place and the nearest right thing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from heapq import nsmallest
from itertools import islice
from typing import NamedTuple, NoReturn

from toolkit.errors import ToolkitError

MAX_PROBLEMS = 100  # of one document: a hostile one could hold a million
MAX_SET_PROBLEMS = 1000  # of a whole set: each is told with a hint, and a hint is a search among all that is known
MAX_TEXT = 400  # characters of one message or hint; what a policy says may be a megabyte long


class Mark(NamedTuple):
    """A place in a policy file; line and column count from 1, and are 0 where only the file is known."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault of a policy. ``code`` is stable; ``document`` is its id, empty while that is unknown."""

    code: str
    message: str
    mark: Mark
    document: str = ""
    hint: str | None = None

    def __str__(self) -> str:
        subject = f" [{self.document}]" if self.document else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.mark}: {self.code}: {self.message}{hint}{subject}"

    def to_json(self) -> dict[str, object]:
        return {
            "code": self.code,
            "column": self.mark.column,
            "document": self.document,
            "file": self.mark.file,
            "hint": self.hint,
            "line": self.mark.line,
            "message": self.message,
        }


class PolicyError(ToolkitError):
    """A policy that does not load, or a question that a policy can't be asked (exit 2)."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        place: str | None = None,
        next_step: str | None = None,
        problems: tuple[Problem, ...] = (),
    ) -> None:
        super().__init__(code, message, place=place, next_step=next_step)
        self.problems = problems

    @classmethod
    def of(cls, problems: Iterable[Problem]) -> PolicyError:
        """All faults of a set as one error; the first one names the place."""
        listed = tuple(sorted(problems, key=lambda problem: problem.mark))
        first = listed[0]
        more = f" (and {len(listed) - 1} more)" if len(listed) > 1 else ""
        return cls(
            first.code,
            f"{first.message}{more}",
            place=str(first.mark),
            next_step=first.hint or "mend the policy file, then run: dr-policy check",
            problems=listed,
        )


class Undecided(PolicyError):
    """The table declined, or broke one of its own promises: there is no answer, neither yes nor no (exit 3)."""

    exit_status = 3


class Flawed(Exception):
    """Internal: the unit being read has a problem that is already recorded; its reader stops here."""


class Problems:
    """Collects every problem of a set, so that all are told in one go."""

    def __init__(self) -> None:
        self.found: list[Problem] = []
        self.document = ""
        self.unread = 0  # parts that were left, for a problem of their own or of something that they name
        self._room = MAX_PROBLEMS

    def _roomy(self) -> int:
        """How many problems the next document may have."""
        return min(MAX_PROBLEMS, max(MAX_SET_PROBLEMS - len(self.found), 0))

    @property
    def faults(self) -> tuple[int, int]:
        """The problems and the unread parts so far; they are more wherever something was wrong in between."""
        return len(self.found), self.unread

    def add(self, code: str, message: str, mark: Mark, hint: str | None = None) -> None:
        """Record a problem. Raises ``Flawed`` where the document, or the set, has more of them than are told."""
        if self._room == 1:
            told, where = MAX_PROBLEMS - 1, "here"
            if len(self.found) >= MAX_SET_PROBLEMS - 1:
                told, where = MAX_SET_PROBLEMS - 1, "in the set"
            code, message, hint = "too_many_problems", f"there are more than {told} problems {where}", None
        if self._room > 0:
            self._room -= 1
            hint = None if hint is None else clipped(hint)
            self.found.append(Problem(code, clipped(message), mark, self.document, hint))
        if self._room == 0:
            raise Flawed

    def fail(self, code: str, message: str, mark: Mark, hint: str | None = None) -> NoReturn:
        """Record a problem and leave the unit in which it stands."""
        self.add(code, message, mark, hint)
        raise Flawed

    @contextmanager
    def unit(self) -> Iterator[None]:
        """A part of a document that may fail by itself: its siblings are still read, while problems are still told."""
        try:
            yield
        except Flawed:
            self.unread += 1
            if self._room == 0:
                raise

    @contextmanager
    def within(self, document: str) -> Iterator[None]:
        """A document, named in its problems; the documents after it are still read, whatever is wrong with this one."""
        previous = (self.document, self._room)
        self.document, self._room = document, self._roomy()
        try:
            yield
        except Flawed:
            self.unread += 1
        finally:
            self.document, self._room = previous

    def raise_if_any(self) -> None:
        if self.unread and not self.found:
            raise AssertionError("a part of a policy was left unread without a problem")
        if self.found:
            raise PolicyError.of(dict.fromkeys(self.found))  # two sets of the same files have the same faults


def clipped(text: str) -> str:
    """A message of bounded length: where it is too long, its beginning and its end."""
    if len(text) <= MAX_TEXT:
        return text
    return f"{text[: MAX_TEXT * 3 // 4]} ... {text[-MAX_TEXT // 4 :]}"


def shown(value: object) -> str:
    """Any value in a message: short, and safe to print, whatever it is."""
    if isinstance(value, str):
        return repr(value if len(value) <= 80 else value[:77] + "...")
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return str(value) if value.bit_length() <= 64 else "a huge integer"
    if isinstance(value, float):
        return str(value)
    if isinstance(value, (list, tuple)):
        return f"a list of {len(value)}"
    return "a mapping" if isinstance(value, Mapping) else f"a Python {type(value).__name__}"


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """``did you mean 'x'?`` for the nearest known word, else the list of what is known."""
    from difflib import get_close_matches

    # Comparing two words costs the square of their length, and a hostile policy asks often: few and short ones it is.
    alike = nsmallest(100, islice(known, 1000), key=lambda one: (one[:1] != word[:1], abs(len(one) - len(word)), one))
    near = get_close_matches(word[:40], (one for one in alike if len(one) <= 60), n=1, cutoff=0.6)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"known: {', '.join(sorted(alike)[:20])}" if alike else None
