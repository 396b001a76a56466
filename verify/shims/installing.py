"""Shims put into a directory and taken out of it: all of them or none, and never anybody else's file."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from toolkit.errors import StorageError
from toolkit.reporting.visible import visible
from toolkit.storage.files import make_directory, publish_new, read_bounded
from verify.errors import WorkspaceError
from verify.shims.script import Shim, ShimRules, is_ours, script_of

MODE: Final = 0o755
PROGRAM: Final = "dr-verify"
CREATED, UPDATED, UNCHANGED, REMOVED, ABSENT, LEFT = "created", "updated", "unchanged", "removed", "absent", "left"


class Done(NamedTuple):
    """What became of one shim; ``reason`` says why a file was left."""

    shim: Shim
    action: str
    reason: str | None = None


class _Planned(NamedTuple):
    """One shim before anything is written: its path, its bytes, and those of the shim that it replaces."""

    shim: Shim
    path: Path
    data: bytes
    old: bytes | None

    @property
    def action(self) -> str:
        return CREATED if self.old is None else UNCHANGED if self.old == self.data else UPDATED


def installed_program(called_as: str) -> str:
    """The absolute path of the dr-verify that runs: as it was called, else beside the interpreter.

    Links are kept, since what a package manager links stays when what it links to is replaced. Raises
    ``WorkspaceError`` (``program_not_found``) where neither is a program.
    """
    called = shutil.which(called_as) if os.path.basename(called_as) == PROGRAM else None
    for candidate in (called, os.path.join(os.path.dirname(sys.executable), PROGRAM)):
        if candidate and os.path.isfile(candidate) and os.access(candidate, os.X_OK):
            return os.path.abspath(candidate)
    message = f"the program {PROGRAM} that the shims are to run was not found"
    step = f"install the package, then run {PROGRAM} itself"
    raise WorkspaceError("program_not_found", message, place=visible(called_as), next_step=step)


def install(directory: Path, program: str, rules: ShimRules) -> tuple[Done, ...]:
    """Write every shim, executable, into ``directory``, which is created below an existing one.

    Shims that an earlier installation wrote are replaced. Raises ``WorkspaceError`` (``not_a_shim``) where anything
    else bears one of the names, links included, and ``StorageError`` where one can't be written; none is written then.
    """
    planned = tuple(_plan(shim, directory, program, rules) for shim in rules.shims)
    make_directory(directory)
    _write([plan for plan in planned if plan.action != UNCHANGED])
    for plan in planned:
        _make_executable(plan.path)
    return tuple(Done(plan.shim, plan.action) for plan in planned)


def uninstall(directory: Path, rules: ShimRules) -> tuple[Done, ...]:
    """Remove the shims that stand as they were written; name every other file under their names, and leave it.

    Raises ``StorageError`` where one can't be removed.
    """
    return tuple(_removed(shim, directory / shim.name, rules) for shim in rules.shims)


def _plan(shim: Shim, directory: Path, program: str, rules: ShimRules) -> _Planned:
    path = directory / shim.name
    old, reason = _standing(path, rules)
    if reason is not None:
        message = f"{visible(str(path))} {reason}, so no shim was written"
        step = "move it away, or name another directory"
        raise WorkspaceError("not_a_shim", message, place=visible(str(path)), next_step=step)
    return _Planned(shim, path, script_of(shim, program, rules), old)


def _standing(path: Path, rules: ShimRules) -> tuple[bytes | None, str | None]:
    """The bytes of the shim that stands at ``path`` (null where nothing does), or why what stands there is none."""
    try:
        data = read_bounded(path, rules.max_bytes)
    except StorageError as error:
        reasons = {
            "is_symlink": "is a symbolic link",
            "not_regular": "is no plain file",
            "too_large": "is too large to be a shim",
        }
        if error.code == "not_found" and not os.path.lexists(path):
            return None, None
        if error.code not in reasons:
            raise
        return None, reasons[error.code]
    return (data, None) if is_ours(data) else (None, "was not written by this command, or was changed since")


def _write(planned: Sequence[_Planned]) -> None:
    """New shims appear and old ones are replaced when everything is on disk; a failure before that leaves no trace."""
    staged: list[tuple[Path, Path]] = []
    created: list[Path] = []
    try:
        for plan in planned:
            if plan.old is not None:
                spare = plan.path.with_name(f".{plan.shim.name}.{os.urandom(8).hex()}.tmp")
                publish_new(spare, plan.data, MODE)
                staged.append((spare, plan.path))
        for plan in planned:
            if plan.old is None:
                _create(plan)
                created.append(plan.path)
        for spare, path in staged:
            _replace(spare, path)
    except BaseException:
        _undo(created, [spare for spare, _ in staged])
        raise


def _create(plan: _Planned) -> None:
    if not publish_new(plan.path, plan.data, MODE):
        message = f"{visible(str(plan.path))} appeared while the shims were being written, so none was"
        step = "look at it, then run the same command again"
        raise WorkspaceError("not_a_shim", message, place=visible(str(plan.path)), next_step=step)


def _replace(spare: Path, path: Path) -> None:
    try:
        os.replace(spare, path)
    except OSError as error:
        raise _failure("replaced", path, error) from error


def _undo(created: Sequence[Path], spares: Sequence[Path]) -> None:
    for path in (*created, *spares):
        with suppress(OSError):
            path.unlink()


def _make_executable(path: Path) -> None:
    """What is published has no write bits; a shim has them, as any program has that its owner installed."""
    try:
        path.chmod(MODE)
    except OSError as error:
        raise _failure("made executable", path, error) from error


def _removed(shim: Shim, path: Path, rules: ShimRules) -> Done:
    try:
        old, reason = _standing(path, rules)
        if old is not None:
            path.unlink()
    except StorageError as error:
        return Done(shim, LEFT, f"can't be read: {error.message}")
    except OSError as error:
        raise _failure("removed", path, error) from error
    return Done(shim, LEFT if reason else REMOVED if old is not None else ABSENT, reason)


def _failure(done: str, path: Path, error: OSError) -> StorageError:
    shown = visible(str(path))
    message = f"{shown} could not be {done}: {error.strerror}"
    step = "give this user the right to write there, then run the same command again"
    return StorageError("not_writable", message, place=shown, next_step=step)


def lines_of(done: Sequence[Done], directory: Path) -> Iterator[str]:
    """What was done, for people."""
    for one in done:
        shown = visible(str(directory / one.shim.name))
        yield f"{one.action:9}  {shown}" + (f": {one.reason}" if one.reason else "")
