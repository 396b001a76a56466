"""``dr-verify install`` and ``dr-verify uninstall``: what stands outside of a workspace, put there and taken away."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolkit.commands.interface import FAILS, common_options, fails_clearly, write_json, write_line, write_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.shims.installing import Done
    from verify.shims.script import ShimRules

SHIMS = "shims"


def _named(_ctx: click.Context, _param: click.Parameter, value: str) -> Path:
    """An empty name is no directory: what a script forgot to set must not become the current one."""
    if not value:
        raise click.BadParameter("an empty name is no directory")
    return Path(value)


DIRECTORY = click.argument("directory", metavar="DIR", callback=_named)


@click.group()
def install() -> None:
    """Put something of dr-verify where other tools look for it."""


@click.group()
def uninstall() -> None:
    """Take away what "install" put there, and nothing else."""


@install.command(SHIMS)
@DIRECTORY
@common_options
@fails_clearly
def install_shims(directory: Path, cwd: Path, as_json: bool) -> None:
    """Write scripts under the names of Datarim's shell tools into DIR; each runs the command that answers for it.

    Arguments and exit statuses pass through unchanged. Scripts of an earlier installation are replaced; where any
    other file bears one of the names, nothing is written at all.

    Exit status: 0 installed, 2 something stands in the way, 3 it could not be written.
    """
    from verify.shims.installing import install as install_all
    from verify.shims.installing import installed_program

    place = (cwd / directory).absolute()
    program = installed_program(sys.argv[0])
    _tell("dr-verify.install/v1", place, install_all(place, program, _rules()), as_json, program)


@uninstall.command(SHIMS)
@DIRECTORY
@common_options
@fails_clearly
def uninstall_shims(directory: Path, cwd: Path, as_json: bool) -> None:
    """Remove the shims from DIR that stand as they were written; whatever else bears their names is named and left.

    Exit status: 0 no file bears one of the names any more, 1 one was left, 3 one could not be removed.
    """
    from verify.shims.installing import LEFT
    from verify.shims.installing import uninstall as uninstall_all

    place = (cwd / directory).absolute()
    done = uninstall_all(place, _rules())
    _tell("dr-verify.uninstall/v1", place, done, as_json)
    if any(one.action == LEFT for one in done):
        sys.exit(FAILS)


def _rules() -> ShimRules:
    """The shipped rules: what is installed for a user is not for the repository to say in which they happen to be."""
    from toolkit.sources import load_policies
    from verify.shims.script import ShimRules

    return ShimRules.from_policy(load_policies(None).policies)


def _tell(schema: str, place: Path, done: Sequence[Done], as_json: bool, program: str | None = None) -> None:
    from verify.shims.installing import lines_of

    if as_json:
        files = [
            {"name": one.shim.name, "command": list(one.shim.command), "action": one.action, "reason": one.reason}
            for one in done
        ]
        write_json(schema, {"asset": SHIMS, "directory": str(place), "files": files, "program": program})
        return
    write_text("\n".join(lines_of(done, place)))
    if program is not None:
        write_line("")
        write_text(f"each runs {program}")
