"""The waiver file of a repository: where it stands, and its bytes, read only if they are the repository's own."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from toolkit.errors import StorageError, UndeterminedError
from toolkit.reporting.visible import visible
from toolkit.sources.found import FOLDER
from toolkit.sources.places import GIT, GIVE_RIGHT, stands
from toolkit.storage.files import read_bounded
from verify.errors import WorkspaceError

if TYPE_CHECKING:
    from toolkit.repository.trees import TreeEntry
    from toolkit.sources.tree import PolicyTree

NAME: Final = "waivers.yaml"
ALIKE: Final = (NAME, "waivers.yml", "waivers.json")  # in whatever case
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
        if stands(directory / GIT, _unseen):
            return None
    return None


def read_stored_waiver_file(tree: PolicyTree, limit: int) -> WaiverFile | None:
    """The file that holds in a Git tree: that of the nearest ``.dr`` that has one, or null. Raises likewise.

    A link in the tree is not followed, nor a submodule entered. Raises ``RepositoryError`` where Git can't tell.
    """
    from toolkit.repository.trees import LINK, SUBMODULE, TREE

    for home in tree.homes():
        if home.mode in (LINK, SUBMODULE):
            raise _stored_link(tree, home)
        entries = tree.entries([f"{home.path}/"]) if home.mode == TREE else ()
        inside = {entry.path.rpartition("/")[2]: entry for entry in entries}
        name = _chosen(inside, tree.shown(home.path))
        if name is not None:
            entry = inside[name]
            if entry.mode in (LINK, SUBMODULE):
                raise _stored_link(tree, entry)
            return _stored(tree, entry, limit)
    return None


def _stored(tree: PolicyTree, entry: TreeEntry, limit: int) -> WaiverFile:
    shown = tree.shown(entry.path)
    if entry.size is None:
        raise _refused("waivers_not_regular", f"{shown} can't be used: it is a folder", NEXT, shown)
    if entry.size > limit:
        message = f"{shown} can't be used: it is larger than {limit} bytes"
        raise _refused("waivers_too_large", message, NEXT, shown)
    return WaiverFile(shown, tree.content(entry))


def _stored_link(tree: PolicyTree, entry: TreeEntry) -> WorkspaceError:
    shown = tree.shown(entry.path)
    return _refused("waivers_link", f"{shown} is a link or a submodule, and is not followed", NEXT, shown)


def _found(directory: Path) -> str | None:
    """The name of the waiver file in a directory's ``.dr``. One that would be overlooked is refused by its name."""
    try:
        names = os.listdir(directory / FOLDER)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as fault:
        raise _unseen(directory / FOLDER, fault) from fault
    return _chosen(names, FOLDER)


def _chosen(names: Iterable[str], folder: str) -> str | None:
    """The waiver file among the names in a ``.dr``, which messages call ``folder``."""
    present = sorted(names)
    if NAME in present:
        return NAME
    alike = next((name for name in present if name.lower() in ALIKE), None)
    if alike is not None:
        message = f"{folder}/{visible(alike)} would be overlooked"
        raise _refused("waivers_name", message, f"call it {FOLDER}/{NAME}", f"{folder}/{NAME}")
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


def _unseen(path: Path, fault: OSError) -> UndeterminedError:
    message = f"it can't be told whether there are waivers: {fault.strerror}"
    return UndeterminedError("waivers_unreadable", message, place=visible(str(path)), next_step=GIVE_RIGHT)


def _refused(code: str, message: str, step: str, place: str = f"{FOLDER}/{NAME}") -> WorkspaceError:
    return WorkspaceError(code, message, place=place, next_step=step)
