"""The Datarim workspace: which directory it is, found from any place inside it, and what an id of a task in it is."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from toolkit.reporting.visible import visible
from verify.errors import VerificationUndetermined, WorkspaceError
from verify.patterns import compiled

MARKER: Final = "datarim"
OUTSIDE: Final = "path_outside_workspace"
NOT_FOUND: Final = "workspace_not_found"


class Workspace(NamedTuple):
    """``root`` holds ``datarim``. Both are absolute and without symbolic links."""

    root: Path
    datarim: Path


def find_workspace(start: Path) -> Workspace:
    """The nearest directory at or above ``start`` that holds a directory ``datarim``.

    ``start`` may be relative, a file, the file system's root, or the ``datarim`` directory itself. Raises
    ``WorkspaceError`` with the code ``workspace_not_found``, or ``path_outside_workspace`` where ``datarim`` is a
    link that leaves its directory; ``VerificationUndetermined`` (``workspace_unreadable``) where nobody could look.
    """
    try:
        place = start.resolve()
        exists = place.exists()
        root = next((folder for folder in (place, *place.parents) if (folder / MARKER).is_dir()), None)
        if exists and root is not None:
            return _workspace(root)
    except (OSError, RuntimeError) as fault:  # RuntimeError: a loop of links
        message = f"{_shown(start)} can't be searched for a workspace: {_reason(fault)}"
        step = "name a directory that this user may read"
        raise VerificationUndetermined("workspace_unreadable", message, place=_shown(start), next_step=step) from fault
    except ValueError:  # a NUL byte: no path at all
        exists = False
    what = f"no directory at or above it holds {MARKER}/" if exists else "there is no such directory"
    raise WorkspaceError(
        NOT_FOUND,
        f"{_shown(start)} lies in no Datarim workspace: {what}",
        place=_shown(start),
        next_step=f"run it inside the workspace, or name the directory that holds {MARKER}/ with --workspace",
    )


def workspace_at(start: Path) -> Workspace | None:
    """What ``find_workspace`` finds, or null where there definitely is no workspace; raises as it does otherwise."""
    try:
        return find_workspace(start)
    except WorkspaceError as error:
        if error.code != NOT_FOUND:
            raise
        return None


def is_task_id(text: str, pattern: str, longest: int) -> bool:
    """Whether the whole of ``text`` matches ``pattern`` and is at most ``longest`` characters long.

    The pattern is RE2, so that none of a policy can be slow. An id becomes part of file names: whatever the pattern
    says, it holds nothing but ASCII letters, digits, ``-`` and ``_``. Raises ``PolicyError`` (``invalid_pattern``).
    """
    whole = _compiled(pattern)
    plain = text.isascii() and text.replace("-", "").replace("_", "").isalnum()
    return plain and len(text) <= longest and whole.fullmatch(text) is not None


@cache
def _compiled(pattern: str) -> Any:
    return compiled(pattern, "verify.artifacts")


def _workspace(root: Path) -> Workspace:
    datarim = (root / MARKER).resolve()
    if datarim != root and root not in datarim.parents:
        raise WorkspaceError(
            OUTSIDE,
            f"{MARKER} is a link to {_shown(datarim)}, outside of the workspace {_shown(root)}",
            place=_shown(root / MARKER),
            next_step=f"name the directory that holds the real {MARKER}/ with --workspace",
        )
    return Workspace(root, datarim)


def _shown(path: Path) -> str:
    return visible(str(path))


def _reason(fault: Exception) -> str:
    return fault.strerror or type(fault).__name__ if isinstance(fault, OSError) else str(fault)
