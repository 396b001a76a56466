"""The options that ``dr-verify TASK-ID`` and ``dr-verify floor`` share, and progress on standard error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from toolkit.commands.interface import policy_from_option, write_note
from verify.errors import WorkspaceError
from verify.floor.check import CheckResult
from verify.terms import COULD_NOT_RUN, NOTHING_TO_RUN, STAGE_ALL

F = TypeVar("F", bound=Callable[..., Any])


SPEC_FAMILIES = ("dr-spec-lint", "spec-graph-gate")
SPEC_GRAPH = "spec_graph"

# A directory that the user names is looked at where it is meant: below --cwd.
PLACE = click.Path(path_type=Path, readable=False)  # what click would look at stands below the process's directory


def workspace_options(command: F) -> F:
    """``--stage``, ``--workspace``, ``--framework-root``, ``--commits``, ``--policy-from`` and ``--no-commands``."""
    for option in (
        click.option("--no-commands", is_flag=True, help="Do not run the commands that the policies declare."),
        policy_from_option,
        click.option("--commits", metavar="A..B", help="The task's commits (default: found by the task's id)."),
        click.option(
            "--framework-root",
            type=PLACE,
            help="A second root under which cited paths may resolve (a nested clone, for example).",
        ),
        workspace_option,
        click.option("--stage", default=STAGE_ALL, show_default=True, help="prd, plan, do, archive or all."),
    ):
        command = option(command)
    return command


def workspace_option(command: F) -> F:
    """``--workspace`` alone; ``start_of`` says where it is."""
    told = "A directory at or below the one that holds datarim/ (default: the current directory)."
    return click.option("--workspace", type=PLACE, help=told)(command)


def start_of(cwd: Path, workspace: Path | None, option: str = "--workspace") -> Path:
    """Where the search for the workspace begins, absolute; ``workspace`` is relative to ``cwd``.

    Raises ``WorkspaceError`` (``usage``) where that is no directory, naming the ``option``.
    """
    return directory_of(cwd, workspace, option) or cwd.absolute()


def directory_of(cwd: Path, named: Path | None, option: str) -> Path | None:
    """A directory that the user named, absolute, or null. Raises as ``start_of`` does."""
    if named is None:
        return None
    place = cwd / named
    try:
        found = place.is_dir()
    except (OSError, ValueError):  # it may not be looked at, or is no path at all
        found = False
    if not found:
        message = f"{option}: there is no directory {_one_line(str(place))!r}"
        raise WorkspaceError("usage", message, place=_one_line(str(place)), next_step=f"name a directory with {option}")
    return place.absolute()


class Silent:
    """Tells nobody."""

    def check_started(self, check: str) -> None:
        """Nothing."""

    def check_finished(self, check: str, result: CheckResult) -> None:
        """Nothing."""


def spoken(check: str) -> str:
    """How progress calls a check: those of the spec graph otherwise than their findings do.

    Whoever greps both streams for ``dr-spec-lint:`` or ``spec-graph-gate:``, as tests of the Datarim floor do, means
    findings, and a check that passes is none.
    """
    family, _, rule = check.partition(":")
    return f"{SPEC_GRAPH} {rule}" if family in SPEC_FAMILIES else check


class Told:
    """One line on standard error as each check starts and ends, in the words of the Datarim floor."""

    def check_started(self, check: str) -> None:
        write_note(f"[{spoken(check)}] scanning …")

    def check_finished(self, check: str, result: CheckResult) -> None:
        check = spoken(check)
        if result.status == COULD_NOT_RUN:
            write_note(f"[{check}] COULD NOT RUN: {_one_line(result.detail)}")
        elif result.status == NOTHING_TO_RUN:
            write_note(f"[{check}] SKIP: {_one_line(result.detail)}")
        elif result.findings:
            write_note(f"[{check}] findings={len(result.findings)}")
        else:
            write_note(f"[{check}] PASS")


def _one_line(text: str) -> str:
    from toolkit.reporting.visible import visible

    return visible(text)
