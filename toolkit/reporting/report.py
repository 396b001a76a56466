"""The one result that every format prints: immutable, and ignorant of where it came from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum


class Grade(Enum):
    """How the whole report ends. ``SKIPPED`` is no verdict: nothing was looked at, so it is neither good nor bad."""

    PASSED = 0
    CONDITIONAL = 1
    BLOCKED = 2
    SKIPPED = 3


class Level(Enum):
    """How much weight a format gives one finding; the values are SARIF's words."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class State(Enum):
    """Whether a finding counts towards the verdict; the two that don't stay visible."""

    COUNTED = "counted"
    DISCARDED = "discarded"
    WAIVED = "waived"


class Progress(Enum):
    """How far a check or a layer came: three outcomes, for "could not" is neither "did" nor "need not"."""

    DONE = "done"
    NOTHING_TO_DO = "nothing to do"
    NOT_DONE = "not done"


@dataclass(frozen=True, slots=True)
class Tool:
    """What made the report. ``uri`` is a web page about it, or null."""

    name: str
    version: str
    uri: str | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """What a finding broke: a stable id, what the rule asks for, and a web page about it."""

    id: str
    description: str = ""
    uri: str | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """One finding.

    ``rank`` is the severity's index in ``Report.severities`` (0 is the gravest). ``path`` is relative to the root
    of the project and in POSIX form; ``line`` counts from 1. ``origin`` is the layer that said it. ``criteria`` are
    the labels of what it is about, ``tags`` the words to group it by. ``reason`` says why a finding is not counted.
    """

    id: str
    rule: Rule
    message: str
    severity: str
    rank: int
    origin: str
    path: str | None = None
    line: int | None = None
    quote: str | None = None
    fix: str | None = None
    criteria: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    state: State = State.COUNTED
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class MalformedRecord:
    """What a layer said that is no finding: ``record`` is the text as received, shown and never interpreted."""

    origin: str
    problems: tuple[str, ...]
    record: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that was to be done, a check or a layer: ``status`` is the word to show, ``progress`` what it means."""

    name: str
    status: str
    progress: Progress
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """A result, whole. Text may hold any character: each format makes it harmless in its own way.

    ``headline`` is the verdict's word, ``reason`` one line that says why, ``grade`` what the word means for a
    reader. ``severities`` are the severity words, gravest first. ``facts`` are labelled values of the run (roots,
    digests, where the log is). ``document`` is the JSON object that the JSON format prints, nothing added.
    """

    tool: Tool
    subject: str
    scope: str
    headline: str
    reason: str
    grade: Grade
    severities: tuple[str, ...]
    items: tuple[Item, ...] = ()
    malformed: tuple[MalformedRecord, ...] = ()
    checks: tuple[Step, ...] = ()
    layers: tuple[Step, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    document: Mapping[str, object] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """What was looked at: ``subject (scope)``."""
        return f"{self.subject} ({self.scope})"

    def in_state(self, state: State) -> tuple[Item, ...]:
        """The findings in that state: gravest first, then by place. One order for every format."""
        return tuple(sorted((item for item in self.items if item.state is state), key=_order))

    def level(self, item: Item) -> Level:
        """The gravest rank is an error, the last of several a note, whatever lies between a warning."""
        if item.rank <= 0:
            return Level.ERROR
        return Level.NOTE if item.rank >= len(self.severities) - 1 else Level.WARNING

    @property
    def complete(self) -> bool:
        """Whether something was looked at, all was done that had to be done, and all of it could be read."""
        steps = (*self.checks, *self.layers)
        undone = any(step.progress is Progress.NOT_DONE for step in steps)
        return self.grade is not Grade.SKIPPED and not self.malformed and not undone


def tally(items: Iterable[Item], severities: tuple[str, ...]) -> str:
    """The counted findings in words, gravest first: ``1 high, 3 medium``; ``no findings`` where there are none."""
    counts = Counter(item.severity for item in items if item.state is State.COUNTED)
    return ", ".join(f"{counts[word]} {word}" for word in severities if counts[word]) or "no findings"


def _order(item: Item) -> tuple[int, str, int, str, str]:
    return (item.rank, item.path or "", item.line or 0, item.rule.id, item.id)
