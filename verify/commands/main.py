"""``dr-verify``: verify a task, run its floor alone, look at the logs."""

from __future__ import annotations

import click

from toolkit.commands.interface import run_group, version_option
from verify.commands.audit import audit
from verify.commands.expectations import expectations
from verify.commands.floor import floor
from verify.commands.init_task import init_task
from verify.commands.install import install, uninstall
from verify.commands.resolve_provider import resolve_provider
from verify.commands.spec import spec
from verify.commands.stats import stats
from verify.commands.task import verify_task

DEFAULT = "task"


class TaskGroup(click.Group):
    """A group whose first word may be a TASK-ID: then it is the command that verifies that task."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own = {*self.commands, *ctx.help_option_names, "--version"}
        if args and args[0] not in own:
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)


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


dr_verify.add_command(verify_task, DEFAULT)
dr_verify.add_command(floor)
dr_verify.add_command(audit)
dr_verify.add_command(init_task)
dr_verify.add_command(expectations)
dr_verify.add_command(resolve_provider)
dr_verify.add_command(stats)
dr_verify.add_command(install)
dr_verify.add_command(uninstall)
dr_verify.add_command(spec)


def main() -> None:
    """The entry point of the program ``dr-verify``."""
    run_group(dr_verify, "dr-verify")
