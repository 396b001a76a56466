"""``dr-verify``: verify a task, run its floor alone, look at the logs."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Final, cast

import click

from toolkit.commands.interface import run_group, version_option

DEFAULT: Final = "task"
# Each command and where it is defined: a run imports its own and no other.
COMMANDS: Final[Mapping[str, tuple[str, str]]] = {
    DEFAULT: ("task", "verify_task"),
    "floor": ("floor", "floor"),
    "audit": ("audit", "audit"),
    "init-task": ("init_task", "init_task"),
    "expectations": ("expectations", "expectations"),
    "spec": ("spec", "spec"),
    "resolve-provider": ("resolve_provider", "resolve_provider"),
    "stats": ("stats", "stats"),
    "install": ("install", "install"),
    "uninstall": ("install", "uninstall"),
}


class TaskGroup(click.Group):
    """A group whose first word may be a TASK-ID: then it is the command that verifies that task."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own = {*COMMANDS, *ctx.help_option_names, "--version"}
        if args and args[0] not in own:
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - the signature is click's
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - as above
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name]
        return cast(click.Command, getattr(import_module(f"verify.commands.{module}"), name))


@click.group("dr-verify", cls=TaskGroup, context_settings={"help_option_names": ["-h", "--help"]})
@version_option("dr-verify")
def dr_verify() -> None:
    """Verify whether a Datarim task is really done: dr-verify TASK-ID.

    Finds the task's artifacts, runs deterministic checks over them, admits findings by a strict schema, derives the
    verdict (BLOCKED, CONDITIONAL, PASS) from policies, and keeps an append-only log. It never edits your work, and it
    does not replace a review by a person, nor the single-agent QA review (/dr-qa). Options of the verification:
    dr-verify task --help.

    Exit status: 0 it holds, 1 it does not, 2 wrong usage or bad input, 3 it could not be determined.
    """


def main() -> None:
    """The entry point of the program ``dr-verify``."""
    run_group(dr_verify, "dr-verify")
