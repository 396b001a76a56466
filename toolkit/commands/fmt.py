"""``dr-policy fmt``: every policy in the one form, with all its comments and the same meaning."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from toolkit.commands.interface import (
    FAILS,
    HOLDS,
    UNDETERMINED,
    WRONG_USAGE,
    common_options,
    fails_clearly,
    write_json,
    write_line,
    write_note,
    write_text,
)
from toolkit.errors import StorageError
from toolkit.policy.problems import Mark, PolicyError, Problem

if TYPE_CHECKING:
    from toolkit.sources.writable import Writable

STDIN: Final = "-"
SCHEMA: Final = "dr-policy.fmt/v1"


class _Formatted(NamedTuple):
    """A file that can be formatted: what it holds now, and what it would."""

    name: str
    before: bytes
    after: bytes

    @property
    def changed(self) -> bool:
        return self.before != self.after

    def to_json(self) -> dict[str, object]:
        return {"changed": self.changed, "file": self.name}

    def difference(self) -> Iterator[str]:
        """Both as a unified difference, line by line."""
        from difflib import unified_diff

        before, after = (text.decode("utf-8", "replace").split("\n") for text in (self.before, self.after))
        return unified_diff(before, after, self.name, f"{self.name} (formatted)", lineterm="")


@click.command()
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@click.option("--check", "only_check", is_flag=True, help="Write nothing; fail where a file would change.")
@click.option("--diff", "as_diff", is_flag=True, help="Write nothing; print what would change.")
@common_options
@fails_clearly
def fmt(*, paths: tuple[str, ...], only_check: bool, as_diff: bool, cwd: Path, as_json: bool) -> None:
    """Write policies in the one form: order of keys, indentation, line width, quotes. Comments stay, the meaning too.

    PATH is a file or a folder; in a folder those files are formatted that are policies. Without any, these are the
    policies and the configuration of this repository (.dr). '-' reads from standard input and writes to standard
    output.

    A file that can't be read as a policy is left as it is.

    Exit 1 if a file would change (with --check), 2 if one can't be read.
    """
    if STDIN in paths:
        if len(paths) > 1:
            message = "'-' stands alone: standard input and files are not formatted together"
            raise PolicyError("usage", message, next_step="dr-policy fmt --help")
        _format_stdin(only_check, as_diff, as_json)
        return
    from toolkit.sources.writable import find_writable

    found = find_writable(cwd.resolve(), paths)
    run = _Run(write=not only_check and not as_diff, problems=list(found.problems))
    for file in found.files:
        run.format(file)
    if as_json:
        _tell_json(run, only_check)
    else:
        _tell(run, as_diff)
    sys.exit(_status(run, only_check))


@dataclass
class _Run:
    """What became of every file: ``formatted`` are those that could be, ``problems`` tell of the others."""

    write: bool = False
    formatted: list[_Formatted] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    undetermined: bool = False  # whether the system failed, and no file was at fault

    def format(self, file: Writable) -> None:
        """Format one file, and write it unless nothing is to be written."""
        from toolkit.sources.writable import write_anew

        try:
            one = _formatted(file.name, file.data)
            if one.changed and self.write:
                write_anew(file, one.after)
            self.formatted.append(one)
        except PolicyError as fault:
            self.problems += _problems_of(fault)
        except StorageError as fault:
            self.undetermined = True
            self.problems.append(Problem(fault.code, fault.message, Mark(file.name, 0, 0), hint=fault.next_step))


def _format_stdin(only_check: bool, as_diff: bool, as_json: bool) -> None:
    from toolkit.policy.syntax.nodes import MAX_BYTES

    one = _formatted("<stdin>", sys.stdin.buffer.read(MAX_BYTES + 1))
    if as_json:
        files = [{"changed": one.changed, "file": STDIN, "text": one.after.decode()}]
        write_json(SCHEMA, {"files": files, "ok": not (only_check and one.changed), "problems": [], "written": False})
    elif as_diff:
        _tell(_Run(formatted=[one]), True)
    elif not only_check:
        write_line(one.after.decode().removesuffix("\n"))
    elif one.changed:
        write_note("standard input is not formatted")
    sys.exit(_status(_Run(formatted=[one]), only_check))


def _formatted(name: str, data: bytes) -> _Formatted:
    from toolkit.authoring.formatting import format_policy

    return _Formatted(name, data, format_policy(data, name))


def _problems_of(fault: PolicyError) -> tuple[Problem, ...]:
    alone = Problem(fault.code, fault.message, Mark(fault.place or "", 0, 0), hint=fault.next_step)
    return fault.problems or (alone,)


def _status(run: _Run, only_check: bool) -> int:
    if run.problems:
        return UNDETERMINED if run.undetermined else WRONG_USAGE
    return FAILS if only_check and any(one.changed for one in run.formatted) else HOLDS


def _tell_json(run: _Run, only_check: bool) -> None:
    document: dict[str, object] = {
        "files": [one.to_json() for one in run.formatted],
        "ok": _status(run, only_check) == HOLDS,
        "problems": [problem.to_json() for problem in run.problems],
        "written": run.write,
    }
    if run.problems:
        document["error"] = PolicyError.of(run.problems).to_json()
    write_json(SCHEMA, document)


def _tell(run: _Run, as_diff: bool) -> None:
    for problem in run.problems:
        write_note(str(problem))
    changed = [one for one in run.formatted if one.changed]
    done = "formatted" if run.write else "would change"
    for one in changed:
        write_text("\n".join(one.difference()) if as_diff else f"{done}: {one.name}")
    said = [f"{len(changed)} {done}", f"{len(run.formatted) - len(changed)} in form already"]
    said += [f"{len({problem.mark.file for problem in run.problems})} left as they are"] if run.problems else []
    write_note(", ".join(said) if run.formatted or run.problems else "there is no policy here to format")
