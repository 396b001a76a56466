"""Where a layer stands: the nearest ``.dr`` around a directory, and the user's folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from toolkit.errors import UndeterminedError
from toolkit.sources.found import FOLDER, POLICIES, is_of_layer

CONFIG_HOME: Final = "XDG_CONFIG_HOME"
DEFAULT_HOME: Final = ".config"
APPLICATION: Final = "dr"
GIT: Final = ".git"
OF_GIT: Final = ("HEAD", "objects", "refs")
GIVE_RIGHT: Final = "give this user the right to look there"


def find_layer(start: Path) -> Path | None:
    """The nearest directory at or above ``start`` whose ``.dr`` is a layer, not looking above a Git work tree.

    A ``.dr`` is a layer where it holds ``policies``, ``config.yaml`` or ``policy.lock``. One that is no folder counts
    as one too, so that reading it refuses it: it is not taken for absent. The top of a work tree is the directory with
    ``.git``, be that a folder or, in a linked work tree and a submodule, a file. ``start`` is absolute.
    Raises ``UndeterminedError`` where it can't be told whether there is one.
    """
    for directory in (start, *start.parents):
        if _is_layer(directory / FOLDER):
            return directory
        if stands(directory / GIT):
            return None
    return None


def work_tree_of(start: Path) -> Path:
    """The top of the Git work tree around ``start``, or ``start`` itself where there is none."""
    return next((directory for directory in (start, *start.parents) if stands(directory / GIT)), start)


def git_folder_around(start: Path) -> Path | None:
    """The folder of Git's own in which ``start`` lies: a bare repository, or the ``.git`` of a work tree. Else null.

    It is told as Git tells it, by ``HEAD``, ``objects`` and ``refs``; a ``.git`` is one whatever it holds.
    """
    for directory in (start, *start.parents):
        if directory.name == GIT or all(stands(directory / name) for name in OF_GIT):
            return directory
        if stands(directory / GIT):
            return None
    return None


def user_folder() -> Path | None:
    """Where the user keeps policies: ``dr/policies`` under ``$XDG_CONFIG_HOME`` or ``~/.config``. It need not exist.

    Null where none can be told. A relative path in the variable is no setting: the rule of the XDG specification.
    """
    base = Path(os.environ.get(CONFIG_HOME, ""))
    if not base.is_absolute():
        try:
            base = Path.home() / DEFAULT_HOME
        except RuntimeError:  # a user without a home
            return None
    return base / APPLICATION / POLICIES if base.is_absolute() else None


def stands(path: Path, unseen: Callable[[Path, OSError], UndeterminedError] | None = None) -> bool:
    """Whether anything has this name, be it a link to nowhere. What may not be looked at is not taken for absent.

    Then ``unseen`` makes the error that is raised (one about policies, unless told).
    """
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as fault:
        raise (unseen or _unseen)(path, fault) from fault
    return True


def _is_layer(folder: Path) -> bool:
    try:
        with os.scandir(folder) as entries:
            return any(is_of_layer(entry.name) for entry in entries)
    except (FileNotFoundError, NotADirectoryError):
        return stands(folder)
    except OSError as fault:
        raise _unseen(folder, fault) from fault


def _unseen(path: Path, fault: OSError) -> UndeterminedError:
    message = f"it can't be told whether there are policies: {fault.strerror}"
    return UndeterminedError("policy_unreadable", message, place=str(path), next_step=GIVE_RIGHT)
