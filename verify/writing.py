"""Writing a report where the user wants it: whole or not at all, and never over what is being verified."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from verify.errors import WorkspaceError
from verify.workspace import find_workspace

if TYPE_CHECKING:
    from verify.verification import Request


def report_target(path: Path, request: Request) -> Path:
    """Where the report goes, links resolved; checked before anything is run.

    Raises ``WorkspaceError``: a folder, a path that can't be, or a file under ``datarim/`` that is there already (an
    artifact, a log): reports may be added there, nothing is replaced.
    """
    try:
        target = Path(os.path.realpath(path))
        if target.is_dir():
            _refuse(path, "is a directory")
        if not target.parent.is_dir():
            _refuse(path, "would stand in a directory that does not exist")
    except (OSError, ValueError) as fault:
        _refuse(path, f"is no path to write to: {fault}")
    if target.exists() and target.is_relative_to(find_workspace(request.start).datarim):
        _refuse(path, "is part of what is verified, and is not replaced")
    return target


def write_report(target: Path, text: str) -> None:
    """Write a report: a plain file is replaced whole, a device or a pipe is written to."""
    data = text.encode("utf-8", "backslashreplace")
    try:
        if target.exists() and not stat.S_ISREG(target.stat().st_mode):
            with open(target, "wb") as stream:
                stream.write(data)
        else:
            _replace(target, data)
    except OSError as fault:
        _refuse(target, f"can't be written: {fault.strerror}")


def _replace(target: Path, data: bytes) -> None:
    """Through a file of an unguessable name beside it, so that a reader sees the old report or the new one."""
    temporary = target.with_name(f".{target.name[:100]}.{os.urandom(8).hex()}.tmp")
    try:
        with open(temporary, "xb") as file:
            file.write(data)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _refuse(path: Path, reason: str) -> NoReturn:
    message = f"the report {str(path)!r} {reason}"
    raise WorkspaceError("output_not_writable", message, place=str(path), next_step="name another file with --output")
