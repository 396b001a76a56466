"""Writing into a repository's ``.dr``: whole files, never out of the repository, never over what somebody wrote."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from toolkit.errors import StorageError
from toolkit.policy.problems import PolicyError
from toolkit.policy.syntax.nodes import MAX_BYTES
from toolkit.sources.places import stands

MODE: Final = 0o644
WRITTEN, REFRESHED, UNCHANGED, KEPT = OUTCOMES = ("written", "refreshed", "unchanged", "kept")


class Put(NamedTuple):
    """A file, relative to the directory below which it was to be put, and what became of it.

    ``written``: it is new. ``refreshed``: it was generated, and is so anew. ``unchanged``: it said the same already.
    ``kept``: something else stands there, and was left alone.
    """

    file: str
    outcome: str


def put_new(root: Path, file: str, data: bytes) -> Put:
    """Create ``file`` below the directory ``root``, whole or not at all; what stands there is left as it is.

    Raises ``PolicyError`` where that would lead out of ``root``, ``StorageError`` where it can't be written.
    """
    return refresh(root, file, data, lambda _present: False)


def refresh(root: Path, file: str, data: bytes, may_replace: Callable[[bytes], bool]) -> Put:
    """Create a file likewise; one that stands there gives way where ``may_replace`` says so of its bytes.

    An empty file gives way too: it is nobody's work, and some file systems leave one where a run was killed.
    """
    from toolkit.storage.files import create, replace

    target = _place(root, file)
    if not stands(target) and create(target, data, MODE):
        return Put(file, WRITTEN)
    present = _present(target)
    if present is None:
        return Put(file, KEPT)
    if present == data:
        return Put(file, UNCHANGED)
    if present and not may_replace(present):
        return Put(file, KEPT)
    replace(target, data, MODE)
    return Put(file, REFRESHED if present else WRITTEN)


def make_folder(root: Path, folder: str) -> None:
    """Make a folder below the directory ``root``, and those around it. Raises as ``put_new`` does."""
    from toolkit.storage.files import make_directory

    inside = Path(os.path.realpath(root))
    made = root
    for part in PurePosixPath(folder).parts:
        made /= part
        if stands(made) and not Path(os.path.realpath(made)).is_relative_to(inside):
            message = "what is written here would leave the repository by a symbolic link"
            place = made.relative_to(root).as_posix()
            raise PolicyError("policy_outside_repository", message, place=place, next_step=f"make {place} a folder")
        make_directory(made)


def _place(root: Path, file: str) -> Path:
    """The path of a file, whose folder is there from now on."""
    make_folder(root, PurePosixPath(file).parent.as_posix())
    return root / file


def _present(target: Path) -> bytes | None:
    """What a plain file says; null where something else stands there, or more than is read."""
    from toolkit.storage.files import read_bounded

    try:
        return read_bounded(target, MAX_BYTES)
    except StorageError:
        return None
