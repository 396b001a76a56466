"""The waiver file of a repository: where it stands, and its bytes, read only if they are the repository's own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, NamedTuple

from toolkit.errors import StorageError, UndeterminedError
from toolkit.reporting.visible import visible
from toolkit.storage.files import read_bounded
from verify.errors import WorkspaceError

FOLDER: Final = ".dr"
NAME: Final = "waivers.yaml"
REPOSITORY: Final = ".git"
NEXT: Final = f"put the waivers themselves into {FOLDER}/{NAME}"


class WaiverFile(NamedTuple):
    """``name`` is as messages name it: relative to the directory that holds ``.dr``."""

    name: str
    data: bytes


def read_waiver_file(start: Path, limit: int) -> WaiverFile | None:
    """The file that holds for ``start``, or null where there is none. ``limit`` is the largest size, in bytes.

    It is that of the nearest directory at or above ``start`` with a ``.dr/waivers.yaml``, not looking above a Git work
    tree. Raises ``WorkspaceError`` for a file that can't be used, ``UndeterminedError`` where nobody could look.
    """
    for directory in (start, *start.parents):
        found = _found(directory)
        if found is not None:
            return _read(directory, found, limit)
        if _stands(directory / REPOSITORY):
            return None
    return None


def _found(directory: Path) -> str | None:
    """The name of the waiver file in a directory's ``.dr``. One that would be overlooked is refused by its name."""
    try:
        names = sorted(os.listdir(directory / FOLDER))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as fault:
        raise _unseen(directory / FOLDER, fault) from fault
    if NAME in names:
        return NAME
    alike = next((name for name in names if name.lower() in (NAME, "waivers.yml", "waivers.json")), None)
    if alike is not None:
        raise _refused("waivers_name", f"{FOLDER}/{alike} would be overlooked", f"call it {FOLDER}/{NAME}")
    return None


def _read(directory: Path, name: str, limit: int) -> WaiverFile:
    shown = f"{FOLDER}/{name}"
    real = Path(os.path.realpath(directory / FOLDER / name))
    if real != Path(os.path.realpath(directory), FOLDER, name):
        # What changes these waivers would then be another file, which nobody takes for a change of the policies.
        raise _refused("waivers_link", f"{shown} is a link or stands behind one, and is not followed", NEXT)
    try:
        return WaiverFile(shown, read_bounded(real, limit))
    except StorageError as fault:
        if fault.code in {"not_readable", "io_error"}:
            raise
        message = f"{shown} can't be used: {visible(fault.message)}"
        raise _refused(f"waivers_{fault.code}", message, NEXT) from fault


def _stands(path: Path) -> bool:
    """Whether anything has this name; what may not be looked at is not taken for absent."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as fault:
        raise _unseen(path, fault) from fault
    return True


def _unseen(path: Path, fault: OSError) -> UndeterminedError:
    message = f"it can't be told whether there are waivers: {fault.strerror}"
    step = "give this user the right to look there"
    return UndeterminedError("waivers_unreadable", message, place=visible(str(path)), next_step=step)


def _refused(code: str, message: str, step: str) -> WorkspaceError:
    return WorkspaceError(code, message, place=f"{FOLDER}/{NAME}", next_step=step)
