"""Where work left what others share: the branch that it is held against, and the commit that both have in common."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from toolkit.repository.branches import PREFERRED, Branch, default_branches
from toolkit.repository.git import Git
from toolkit.repository.problems import failure

_NONE: Final = 1  # the exit status of ``git merge-base`` where the histories have nothing in common
_HEAD: Final = "HEAD"
_UNBORN: Final = b"Not a valid object name HEAD"


def shared_branches(branches: Sequence[Branch], default_names: Iterable[str]) -> tuple[Branch, ...]:
    """The branches that the work which is checked out is held against; none where nobody says which.

    The upstream of the current branch; where there is none, the default branch (see ``default_branches``), as the
    remote has it where one does: the local one may hold what nobody else has seen. An upstream that is only the
    branch's own copy on a remote counts as none where a default branch is known: what was pushed there is still the
    work itself.
    """
    names = default_branches(branches, default_names)
    current = next((one for one in branches if one.current), None)
    upstream = next((one for one in branches if current is not None and one.ref == current.upstream), None)
    if current is not None and upstream is not None and not (names and _is_copy(upstream, current, names)):
        return (upstream,)
    default = [one for one in branches if one.name in names and not one.points_to]
    remote = [one for one in default if one.remote is not None]
    return tuple([one for one in remote if one.remote == PREFERRED] or remote or default)


def merge_base(git: Git, revision: str, others: Sequence[Branch]) -> str | None:
    """The full hash of the best commit that ``revision`` (``HEAD``, a full hash) shares with one of ``others``.

    Null where they share none, or where nothing is committed. One process; none where that is seen without.
    Raises ``RepositoryError``.
    """
    if not others:
        return None
    if any(revision == one.oid for one in others):
        return revision
    completed = git.attempt("merge-base", revision, *(one.oid for one in others))
    if completed.exit_code == _NONE or (revision == _HEAD and _UNBORN in completed.stderr):
        return None
    if completed.exit_code != 0:
        raise failure(completed, git.root)
    return completed.stdout.decode("ascii").strip()


def tip(branches: Iterable[Branch]) -> str:
    """What is checked out: the full hash of the current branch, or ``HEAD`` where that is none."""
    return next((one.oid for one in branches if one.current), _HEAD)


def _is_copy(upstream: Branch, current: Branch, default: Collection[str]) -> bool:
    return upstream.remote is not None and upstream.name == current.name and current.name not in default
