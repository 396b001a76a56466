"""Where audit logs stand and what they are called: ``datarim/qa/verify-{task}-{stage}-{iter}.md``."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolkit.errors import StorageError
from verify.errors import WorkspaceError

if TYPE_CHECKING:
    from verify.task import Workspace

FOLDER: Final = "qa"
LAST: Final = 999_999_999  # the highest number that a log's name can bear


@dataclass(frozen=True, slots=True, order=True)
class LogName:
    """The parts of a log's name. They sort by task, stage and number."""

    task_id: str
    stage: str
    iter: int

    @property
    def file_name(self) -> str:
        return f"verify-{self.task_id}-{self.stage}-{self.iter}.md"


def parse_name(file_name: str) -> LogName | None:
    """The parts of a log's file name, or null for the name of anything else. Ids and stages may look alike."""
    match = _pattern().fullmatch(file_name)
    return LogName(match["task"], match["stage"], int(match["iter"])) if match else None


def log_folder(workspace: Workspace) -> Path:
    """The folder of the logs, which need not exist. Raises ``WorkspaceError`` where it lies outside the workspace."""
    folder = workspace.datarim / FOLDER
    root = os.path.realpath(workspace.root)
    if not Path(os.path.realpath(folder)).is_relative_to(root):
        raise WorkspaceError(
            "log_folder_outside",
            f"{folder} is a link that leaves the workspace, so no log is kept there",
            place=str(folder),
            next_step="replace the link with a directory",
        )
    return folder


def names_in(folder: Path) -> Iterator[LogName]:
    """The names of the logs in ``folder``, in no order; none where there is no such folder."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries]
    except FileNotFoundError:
        return
    except OSError as error:
        reason = (error.strerror or "no reason was given").lower()
        message = f"{folder} can't be listed: {reason}"
        raise StorageError(
            "not_readable", message, place=str(folder), next_step="make it a readable directory"
        ) from error
    yield from (parsed for parsed in map(parse_name, names) if parsed)


def next_iteration(workspace: Workspace, task_id: str, stage: str) -> int:
    """The number that the next log of a task and stage would get now: one more than the highest there is.

    Where no number follows the highest (a file was given the last one there can be), the lowest that is free.
    """
    names = names_in(log_folder(workspace))
    taken = {name.iter for name in names if (name.task_id, name.stage) == (task_id, stage)}
    following = max(taken, default=0) + 1
    return following if following <= LAST else next(number for number in count(1) if number not in taken)


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile(
        r"verify-(?P<task>[A-Za-z0-9][A-Za-z0-9-]{0,150})-(?P<stage>[a-z]{1,20})-(?P<iter>[1-9][0-9]{0,8})\.md"
    )
