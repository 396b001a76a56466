"""What the commands for captured documents share: their options, their notices, and how a task's file is looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from toolkit.commands.interface import write_note, write_text
from verify.commands.options import PLACE, start_of

if TYPE_CHECKING:
    from toolkit.errors import ToolkitError
    from toolkit.policy.sets import PolicySet
    from verify.captured import Problem
    from verify.init_task.survey import Survey, Surveyed
    from verify.task import Workspace

F = TypeVar("F", bound=Callable[..., Any])

ERROR, INFO, WARN = "error", "info", "warn"
ALL_STATIC = "all-static"
NOWHERE = "missing"  # the code of the one problem that stands on no line


class Notice(NamedTuple):
    """One line of a report. ``level`` is ``error``, ``info`` or ``warn``; ``path`` is relative to the workspace."""

    task_id: str
    path: str
    level: str
    line: int
    code: str
    message: str

    def tell(self) -> None:
        """An error on standard error, anything else on standard output."""
        where = f"line {self.line}: " if self.code != NOWHERE else ""
        text = f"{self.path}: {where}{self.message}"
        if self.level == ERROR:
            write_note(f"ERROR: {text}")
        else:
            write_text(f"{self.level}: {text}")


class Opened(NamedTuple):
    """A workspace with the policies in force, and its tasks."""

    place: Workspace
    policies: PolicySet
    survey: Survey


def captured_options(command: F) -> F:
    """``--root``, ``--today``, ``--report`` and ``--all``, as both commands take them."""
    for option in (
        click.option("--report", is_flag=True, help="Say in detail what was read, also where nothing is wrong."),
        click.option(
            "--today",
            type=click.DateTime(formats=["%Y-%m-%d"]),
            metavar="DATE",
            help="With --all: the day by which the age of a task is told (default: today in UTC).",
        ),
        click.option(
            "--root",
            "--workspace",
            "root",
            type=PLACE,
            metavar="DIR",
            help="A directory at or below the one that holds datarim/ (default: the current directory).",
        ),
        click.option("--all", "every", is_flag=True, help="Look at every task of the workspace; exit 0."),
    ):
        command = option(command)
    return command


def require_one(**choices: object) -> None:
    """Exactly one of the options that say what to do. Raises ``UsageError``."""
    if sum(bool(value) or value == "" for value in choices.values() if value is not None) != 1:
        raise click.UsageError(f"give exactly one of {', '.join(f'--{name}' for name in choices)}")


def day_of(today: datetime | None) -> date:
    """The day that was asked for, else today in UTC."""
    return today.date() if today is not None else datetime.now(UTC).date()


def opened(cwd: Path, root: Path | None) -> Opened:
    """The workspace around a place. Raises ``WorkspaceError`` and ``PolicyError``."""
    from verify.init_task.survey import Survey
    from verify.policies import load_verify_policies
    from verify.task import find_workspace

    place = find_workspace(start_of(cwd, root, "--root"))
    policies = load_verify_policies(place.root).policies
    return Opened(place, policies, Survey(place, policies))


def notices(surveyed: Surveyed, kind: str, level: str, problems: Iterable[Problem]) -> list[Notice]:
    """The problems of a task's document of one kind."""
    task = surveyed.task
    path = task.place_of(kind)
    return [Notice(task.id, path, level, one.line, one.code, one.message) for one in problems]


def faults(surveyed: Surveyed) -> list[Notice]:
    """The documents of a task that are there and can't be used, each as an error."""
    task = surveyed.task
    return [
        Notice(task.id, task.place_of(kind), ERROR, _line(fault), fault.code.replace("_", "-"), fault.message)
        for kind, fault in surveyed.faults.items()
    ]


def age_level(surveyed: Surveyed, survey: Survey, today: date) -> tuple[str, str]:
    """How loud a problem of a task is told in a survey, and what to say of a date that was not found."""
    from verify.init_task.window import is_young

    young = is_young(surveyed.dated, today, survey.init_tasks)
    return (INFO if young else WARN), (f" ({surveyed.dated.place})" if young is None else "")


def undetermined(told: Iterable[Surveyed]) -> ToolkitError | None:
    """The first document of a survey that nobody could read: then the survey is not whole."""
    from toolkit.errors import UndeterminedError

    all_faults = (fault for surveyed in told for fault in surveyed.faults.values())
    return next((fault for fault in all_faults if isinstance(fault, UndeterminedError)), None)


def _line(fault: ToolkitError) -> int:
    """The line in a fault's place (``path:line:column``), else the first."""
    parts = (fault.place or "").split(":")
    return int(parts[1]) if len(parts) > 1 and parts[1].isdecimal() else 1
