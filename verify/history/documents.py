"""How a document of the workspace came to be: every version of it that was committed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from toolkit.repository.commits import Commit, commits_from, shallow_commits
from toolkit.repository.git import Git
from toolkit.repository.objects import blobs
from toolkit.repository.problems import RepositoryError
from verify.history.derived import History


class Version(NamedTuple):
    """A document as it stands after a commit; ``content`` is null when that commit deleted it."""

    commit: Commit
    content: bytes | None


def versions_of(history: History, path: str) -> tuple[Version, ...]:
    """The committed versions of a document, newest first; none when no commit below HEAD holds it.

    ``path`` is relative to the workspace. Renames are not followed, and a side of a merge that did not bring the
    content in is left out. Three processes at most. Raises ``RepositoryError``: ``history_incomplete`` when the oldest
    version is the one at which a shallow clone was cut off, so that nobody knows whether it is the first.
    """
    found = stored_at(history, path)
    if found is None:
        return ()
    git, stored = found
    commits = commits_from(git, (), history.rules.most_commits, path=stored)
    _require_whole(git, commits, path)
    contents = blobs(git, [f"{commit.oid}:{stored}" for commit in commits])
    return tuple(Version(commit, contents[f"{commit.oid}:{stored}"]) for commit in commits)


def stored_at(history: History, path: str) -> tuple[Git, str] | None:
    """The repository that a path of the workspace lies in, and the path there; null when it lies in none of them.

    Of several the innermost. Symbolic links are followed, as whoever reads the document follows them.
    """
    real = Path(os.path.realpath(history.workspace / path))
    holding = [git for git in history.repositories if git.root in real.parents]
    if not holding:
        return None
    git = max(holding, key=lambda one: len(one.root.parts))
    return git, real.relative_to(git.root).as_posix()


def _require_whole(git: Git, commits: Sequence[Commit], path: str) -> None:
    firsts = {commit.oid for commit in commits if not commit.parents}
    if firsts and firsts & shallow_commits(git):
        raise RepositoryError(
            "history_incomplete",
            f"this shallow clone does not go back to where {path!r} was written",
            place=str(git.root),
            next_step="fetch the whole history: git fetch --unshallow",
        )
