"""The options that ``dr-verify TASK-ID`` and ``dr-verify floor`` share, and progress on standard error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from toolkit.commands.interface import write_note
from verify.floor.check import CheckResult
from verify.terms import COULD_NOT_RUN, NOTHING_TO_RUN, STAGE_ALL

F = TypeVar("F", bound=Callable[..., Any])


def workspace_options(command: F) -> F:
    """``--stage``, ``--workspace``, ``--framework-root`` and ``--no-commands``."""
    for option in (
        click.option("--no-commands", is_flag=True, help="Do not run the commands that the policies declare."),
        click.option(
            "--framework-root",
            type=click.Path(path_type=Path, exists=True, file_okay=False),
            help="A second root under which cited paths may resolve (a nested clone, for example).",
        ),
        click.option(
            "--workspace",
            type=click.Path(path_type=Path, exists=True, file_okay=False),
            help="A directory at or below the one that holds datarim/ (default: the current directory).",
        ),
        click.option("--stage", default=STAGE_ALL, show_default=True, help="prd, plan, do, archive or all."),
    ):
        command = option(command)
    return command


def start_of(cwd: Path, workspace: Path | None) -> Path:
    """Where the search for the workspace begins, absolute."""
    return (workspace if workspace is not None else cwd).absolute()


class Silent:
    """Tells nobody."""

    def check_started(self, check: str) -> None:
        """Nothing."""

    def check_finished(self, check: str, result: CheckResult) -> None:
        """Nothing."""


class Told:
    """One line on standard error as each check starts and ends, in the words of the Datarim floor."""

    def check_started(self, check: str) -> None:
        write_note(f"[{check}] scanning …")

    def check_finished(self, check: str, result: CheckResult) -> None:
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
