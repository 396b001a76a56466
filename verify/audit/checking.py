"""Checking the logs of a workspace: whether each can be trusted as it stands, and whether one is missing."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from toolkit.errors import StorageError
from toolkit.storage.files import WRITE_BITS
from verify.audit.places import LogName, log_folder, names_in
from verify.audit.reader import read_log

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet
    from verify.task import Workspace

WRITABLE: Final = "log_writable"
NAME_DIFFERS: Final = "log_name_differs"
NUMBER_MISSING: Final = "log_number_missing"


class LogProblem(NamedTuple):
    """One thing wrong with the logs. ``path`` is the log's, or where a missing one should stand."""

    code: str
    path: Path
    message: str


def check_logs(workspace: Workspace, policies: PolicySet, task_id: str | None = None) -> tuple[LogProblem, ...]:
    """Every problem of the logs of a workspace, or of one task, in order of their names.

    Logs that can't be read, that were cut short or changed, that may be written, whose header names another log, and
    numbers that are missing in a sequence.
    """
    folder = log_folder(workspace)
    names = sorted(name for name in names_in(folder) if task_id in (None, name.task_id))
    problems: list[LogProblem] = []
    for _, group in groupby(names, key=lambda name: (name.task_id, name.stage)):
        sequence = list(group)
        problems.extend(_gaps(folder, sequence))
        for name in sequence:
            problems.extend(_problems(folder / name.file_name, name, policies))
    return tuple(problems)


def _problems(path: Path, name: LogName, policies: PolicySet) -> Iterator[LogProblem]:
    try:
        if os.lstat(path).st_mode & WRITE_BITS:
            yield LogProblem(WRITABLE, path, f"{path.name} may be written to: a log is read-only (chmod a-w)")
    except FileNotFoundError:
        yield LogProblem("not_found", path, f"{path.name} was removed while it was being checked")
        return
    try:
        log = read_log(path, policies)
    except StorageError as error:
        yield LogProblem(error.code, path, error.message)
        return
    found = (log.task_id, log.stage, log.iter)
    if found != (name.task_id, name.stage, name.iter):
        told = " ".join(map(str, found))[:100]
        yield LogProblem(NAME_DIFFERS, path, f"{path.name} is the log of another run by its header: {told!a}")


def _gaps(folder: Path, names: Sequence[LogName]) -> Iterator[LogProblem]:
    """Numbers begin at 1 and none is left out: what is missing was taken away. One problem for each hole."""
    expected = 1
    for name in names:
        if name.iter > expected:
            last = name.iter - 1
            missing = LogName(name.task_id, name.stage, expected)
            span = str(expected) if last == expected else f"{expected} to {last}"
            message = f"the log of run {span} of {name.task_id}, stage {name.stage}, is missing"
            yield LogProblem(NUMBER_MISSING, folder / missing.file_name, message)
        expected = name.iter + 1
