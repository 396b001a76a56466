"""Where past decisions come from: files of JSON lines, and whatever those keep who are installed (``keepers``)."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolkit.authoring.past import Origin, Past, PastDecision, PastProblem, Unreadable, read_decision
from toolkit.commands.facts import fact_lines, parse_facts
from toolkit.commands.keepers import Keepers
from toolkit.errors import ToolkitError, UndeterminedError
from toolkit.policy.problems import PolicyError

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet

LINES: Final = ".jsonl"
MAX_PROBLEMS: Final = 100  # of one file that are told
MAX_FILE: Final = 64 * 1024 * 1024  # bytes
_PATH_STEP: Final = "name a log, a folder of logs or a file *.jsonl"
_LINE_STEP: Final = 'write {"document": ID, "facts": {..}, "outputs": {..}, "row": ID} on each line'


def gather(start: Path, paths: Sequence[Path], policies: PolicySet) -> Past:
    """What is kept around the directory ``start``, or in the ``paths`` (relative to it).

    A file ``*.jsonl`` holds one decision a line; of all else the providers are asked, and one that is faulty is a
    problem. Raises ``ToolkitError`` (exit 2) for a path that is not there (``not_found``) or that nobody knows
    (``no_decisions_here``), ``UndeterminedError`` where that can't be told.
    """
    keepers = Keepers.installed()
    found = [Past(problems=keepers.broken)]
    for path in dict.fromkeys(paths):
        found += _of_path(start, path, keepers, policies)
    if not paths:
        found += keepers.answers(start, None, policies)
    return Past.joined(found)


def _of_path(start: Path, path: Path, keepers: Keepers, policies: PolicySet) -> list[Past]:
    if stat.S_ISREG(_mode(start, path)) and path.suffix == LINES:
        return [_of_lines(start / path, str(path))]
    answers = list(keepers.answers(start, path, policies))
    if not answers and not keepers.broken:  # a broken one may have known it
        message = f"nobody who keeps past decisions knows {path}"
        raise ToolkitError("no_decisions_here", message, place=str(path), next_step=_PATH_STEP)
    return answers


def _mode(start: Path, path: Path) -> int:
    """What stands at a path."""
    try:
        return (start / path).stat().st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError) as fault:  # a NUL byte is in no file's name
        raise ToolkitError("not_found", f"there is no {path}", place=str(path), next_step=_PATH_STEP) from fault
    except OSError as fault:
        message = f"{path} can't be looked at: {fault.strerror}"
        raise UndeterminedError("not_readable", message, place=str(path), next_step=_PATH_STEP) from fault


def _of_lines(path: Path, name: str) -> Past:
    """The decisions of a file of JSON lines; each line that is none is told with its place."""
    decisions: list[PastDecision] = []
    problems: list[PastProblem] = []
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size > MAX_FILE:
                message = f"{name} has more than {MAX_FILE} bytes"
                return Past(
                    problems=(PastProblem("file_too_large", message, name, "divide it", bad_input=True),), records=1
                )
            for number, line in fact_lines(file, name):
                if len(problems) == MAX_PROBLEMS:
                    message = "the lines after it were not read, there are too many that are no decisions"
                    problems.append(PastProblem("too_many_problems", message, f"{name}:{number}", bad_input=True))
                    break
                read = _decision(line, Origin(name, number))
                if isinstance(read, PastDecision):
                    decisions.append(read)
                else:
                    problems.append(read)
    except OSError as fault:
        problems.append(PastProblem("not_readable", f"{name} can't be read: {fault.strerror}", name))
    return Past(tuple(decisions), tuple(problems), 1, () if decisions or problems else (name,))


def _decision(line: str | PolicyError, origin: Origin) -> PastDecision | PastProblem:
    try:
        if isinstance(line, PolicyError):
            raise line
        return read_decision(parse_facts(line, origin.place), origin)
    except PolicyError as fault:
        return PastProblem(fault.code, fault.message, fault.place or origin.place, _LINE_STEP, bad_input=True)
    except Unreadable as fault:
        return PastProblem("decision_invalid", str(fault), origin.place, _LINE_STEP, bad_input=True)
