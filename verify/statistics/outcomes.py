"""The outcome blocks of archives: what verification caught, missed, and reported wrongly, task by task."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from toolkit.errors import StorageError
from toolkit.policy.problems import Mark, Problem
from toolkit.reporting.visible import visible
from toolkit.storage.files import read_bounded
from verify.days import day_of
from verify.errors import WorkspaceError
from verify.frontmatter import FrontMatter, read_front_matter
from verify.markdown import split_lines
from verify.statistics.blocks import Block, OutcomeFault, outcome_in
from verify.statistics.records import Outcome, Uncounted
from verify.statistics.rules import ArchiveRules

if TYPE_CHECKING:
    from verify.audit.front_matter import Bounds

SHOWN = 60


class Outcomes(NamedTuple):
    """What a folder of archives holds. ``silent`` is how many say nothing about verification."""

    counted: tuple[Outcome, ...]
    uncounted: tuple[Uncounted, ...]
    problems: tuple[Problem, ...]
    silent: int


def read_outcomes(folder: Path, shown: str, rules: ArchiveRules, bounds: Bounds) -> Outcomes:
    """The outcome of every archive at or below ``folder`` (named ``shown``), each read once, in order of path.

    Links are not followed. An archive that can't be read is uncounted, and so is one whose name stands in another
    folder too: it is the same task's. Raises ``StorageError`` where a folder can't be listed, ``WorkspaceError``
    (``too_many_files``) where there are more archives than the policy allows.
    """
    counted: list[Outcome] = []
    uncounted: list[Uncounted] = []
    problems: list[Problem] = []
    silent = 0
    first: dict[str, str] = {}
    for path in _archives(folder, rules):
        name = visible(f"{shown}/{path.relative_to(folder).as_posix()}")
        try:
            outcome = _outcome(read_bounded(path, rules.max_bytes), name, rules, bounds)
        except StorageError as error:
            uncounted.append(Uncounted(name, error.code, error.message))
        except UnicodeDecodeError as error:
            uncounted.append(Uncounted(name, "invalid_utf8", f"{name} is not UTF-8: {error.reason}"))
        except OutcomeFault as fault:
            if fault.unreadable:
                uncounted.append(Uncounted(name, fault.code, f"{name}:{fault.line}: {fault.reason}"))
            else:
                problems.append(Problem(fault.code, fault.reason, Mark(name, fault.line, 1)))
        else:
            if outcome is None:
                silent += 1
            elif first.setdefault(path.name, name) != name:
                reason = f"{name} is a copy: {first[path.name]} holds the same task's outcome"
                uncounted.append(Uncounted(name, "duplicate_archive", reason))
            else:
                counted.append(outcome)
    return Outcomes(tuple(counted), tuple(uncounted), tuple(problems), silent)


def _archives(folder: Path, rules: ArchiveRules) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        place = visible(str(error.filename or folder))
        message = f"{place} can't be listed: {error.strerror}"
        step = "give this user the right to read it"
        raise StorageError("not_readable", message, place=place, next_step=step) from error

    found: list[Path] = []
    for directory, _, names in os.walk(folder, onerror=refuse):
        found += [Path(directory, name) for name in names if _is_archive(name, rules)]
        if len(found) > rules.max_files:
            message = f"{visible(str(folder))} holds more than {rules.max_files} archives"
            step = "name a smaller folder with --archive-dir, or raise max_files in verify.statistics"
            raise WorkspaceError("too_many_files", message, place=visible(str(folder)), next_step=step)
    yield from sorted(found)


def _is_archive(name: str, rules: ArchiveRules) -> bool:
    return name.startswith(rules.prefix) and name.endswith(rules.suffix)


def _outcome(data: bytes, path: str, rules: ArchiveRules, bounds: Bounds) -> Outcome | None:
    """The outcome that an archive states, or null where it says nothing about verification."""
    text = data.decode("utf-8-sig")
    if not any(key in text for key in (rules.block, *rules.keys)):
        return None
    lines = split_lines(text)
    front = read_front_matter(lines)
    block = outcome_in(lines, front, rules, bounds)
    if block is None:
        return None
    verified = not _answer(block, rules)
    caught, missed, wrong = (_count(block, key, rules) for key in (rules.caught, rules.missed, rules.false_positive))
    if not verified and (caught or missed or wrong):
        reason = f"{rules.block} counts something although {rules.not_verified} says that nothing was verified"
        raise OutcomeFault("contradiction", block.line(rules.not_verified), reason)
    return Outcome(path, _day(front, rules), caught, missed, wrong, verified)


def _count(block: Block, key: str, rules: ArchiveRules) -> int:
    """A counter of the block; one that is left out is nothing counted."""
    value = block.values.get(key, 0)
    if type(value) is not int or not 0 <= value <= rules.count_max:
        reason = f"{key} is no count from 0 to {rules.count_max}: '{visible(_spelled(value), SHOWN)}'"
        raise OutcomeFault("bad_figure", block.line(key), reason)
    return value


def _answer(block: Block, rules: ArchiveRules) -> bool:
    """Whether the block says that the task was never verified."""
    value = block.values.get(rules.not_verified, False)
    said = _spelled(value).strip().casefold()
    if said not in rules.affirmed | rules.denied:
        reason = f"{rules.not_verified} is neither yes nor no: '{visible(said, SHOWN)}'"
        raise OutcomeFault("bad_figure", block.line(rules.not_verified), reason)
    return said in rules.affirmed


def _spelled(value: object) -> str:
    """A value as it may be written: JSON's words for true, false and null."""
    words: Mapping[Any, str] = {True: "true", False: "false", None: ""}
    return words[value] if value is None or isinstance(value, bool) else str(value)


def _day(front: FrontMatter, rules: ArchiveRules) -> date | None:
    """The day of the first date key that says anything."""
    for key in rules.dates:
        for value, line in front.entries(key):
            day = day_of(value)
            if day is None:
                raise OutcomeFault("bad_date", line, f"{key} is no date: '{visible(value, SHOWN)}'")
            return day
    return None
