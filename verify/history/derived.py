"""Which commits belong to a task: those that name it, those of its branch, or those that the user named."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

from toolkit.repository.branches import Branch, branches_of, default_branches
from toolkit.repository.commits import Commit, commits_from
from toolkit.repository.git import Git, open_repository
from toolkit.repository.names import quoted
from toolkit.repository.objects import range_of
from toolkit.repository.problems import RevisionError
from verify.errors import VerificationUndetermined
from verify.history.naming import branch_names_task, names_task
from verify.history.rules import HistoryRules

NAMES: Final = "names the task"


class TaskCommit(NamedTuple):
    """One commit of the task. ``why`` it counts is told in words; ``repository`` is an index of ``History``.

    ``parents`` are full hashes, the first one first; ``merge`` says that there are several.
    """

    oid: str
    parents: tuple[str, ...]
    subject: str
    message: str
    committed_at: datetime
    merge: bool
    why: str
    repository: int


class History(NamedTuple):
    """The repositories of a workspace and the task's commits in them.

    ``commits`` stand by repository; in each those that name the task, then those of its branches, children first.
    ``repositories`` are the workspace's own and, where it is another one, the framework root's. ``home`` is the index
    of the workspace's (null when it lies in none), ``declared`` the framework root (null when none was given).
    ``baseless`` are branches of the task of which nobody knows where they begin: no branch is the default one.
    ``branches`` are those of each repository, null where the user named the commits and nobody asked.
    """

    repositories: tuple[Git, ...]
    home: int | None
    commits: tuple[TaskCommit, ...]
    workspace: Path
    declared: Path | None
    rules: HistoryRules
    baseless: tuple[str, ...] = ()
    branches: tuple[tuple[Branch, ...], ...] | None = None

    @property
    def whole(self) -> bool:
        """Whether every commit is here. In a shallow clone older ones may be missing: "none of them" can't be told."""
        return not any(git.shallow for git in self.repositories)


def task_history(
    task_id: str, workspace: Path, framework_root: Path | None, commits: str | None, rules: HistoryRules
) -> History:
    """The commits of a task, none when nothing was committed for it yet. Each stands there once.

    A range ``commits`` (``A..B``) is the user's word: nothing is derived then. It is read in the workspace's
    repository, or where it does not know the ends, in the framework root's. Raises ``VerificationUndetermined``
    (``no_repository``) where there is no Git repository at all; ``RevisionError`` (``invalid_range``,
    ``unknown_range``) for a range; ``RepositoryError`` for everything that Git could not tell.
    """
    home = open_repository(workspace, rules.git)
    away = _other_repository(framework_root, home, rules)
    found = tuple(git for git in (home, away) if git is not None)
    if not found:
        raise VerificationUndetermined(
            "no_repository",
            "the workspace lies in no Git repository, so nobody knows what was changed for the task",
            place=str(workspace),
            next_step="verify a Git checkout, or name it with --framework-root",
        )
    derived = _derived(found, task_id, rules) if commits is None else (_named(found, commits, rules), (), None)
    listed, baseless, branches = derived
    once = {commit.oid: commit for commit in reversed(listed)}
    kept = tuple(commit for commit in listed if once[commit.oid] is commit)
    return History(found, None if home is None else 0, kept, workspace, framework_root, rules, baseless, branches)


def _other_repository(root: Path | None, home: Git | None, rules: HistoryRules) -> Git | None:
    """The framework root's repository, unless there is none, or it is the workspace's."""
    if root is None:
        return None
    real = Path(os.path.realpath(root))
    if home is not None and (real == home.root or home.root in real.parents):
        below = [folder for folder in (real, *real.parents) if home.root in folder.parents]
        if not any(os.path.lexists(folder / ".git") for folder in below):
            return None
    return open_repository(real, rules.git)


def _derived(
    repositories: Sequence[Git], task_id: str, rules: HistoryRules
) -> tuple[list[TaskCommit], tuple[str, ...], tuple[tuple[Branch, ...], ...]]:
    """The commits, the branches of which nobody knows where they begin, and all branches of each repository."""
    commits: list[TaskCommit] = []
    baseless: list[str] = []
    known: list[tuple[Branch, ...]] = []
    for index, git in enumerate(repositories):
        commits += _naming(git, index, task_id, rules)
        branches = branches_of(git)
        known.append(branches)
        names = default_branches(branches, rules.default_branches)
        own = _own([it for it in branches if it.name not in names], task_id, rules)
        commits += _on_branches(git, index, task_id, rules, own, [it for it in branches if it.name in names])
        baseless += (_shown(it) for it in own if not names)
    return commits, tuple(baseless), tuple(known)


def _naming(git: Git, index: int, task_id: str, rules: HistoryRules) -> Iterable[TaskCommit]:
    """The commits below HEAD that name the task."""
    found = commits_from(git, (), rules.most_commits, word=task_id)
    return [_task_commit(it, NAMES, index) for it in found if names_task(it.message, task_id)]


def _on_branches(
    git: Git, index: int, task_id: str, rules: HistoryRules, own: Sequence[Branch], default: Sequence[Branch]
) -> Iterable[TaskCommit]:
    """The commits on the task's ``own`` branches and not on the default branch (where it is only guessed, on any).

    Where no branch is known to be the default one, nobody knows where a branch begins: then those that name the task.
    """
    if not own:
        return []
    if len(own) > rules.most_branches:
        raise _too_many(len(own), git)
    base = [it.ref for it in default if not it.points_to]
    word = None if default else task_id
    found = commits_from(git, [it.ref for it in own], rules.most_commits, word=word, excluding=base)
    if not default:
        return [_task_commit(it, NAMES, index) for it in found if names_task(it.message, task_id)]
    spoken = {it.ref: f"on the branch {_shown(it)}" for it in own}
    return [_task_commit(it, spoken[it.source], index) for it in found]


def _shown(branch: Branch) -> str:
    """A branch as it is told: its name, with its remote's before it."""
    return quoted(branch.ref.split("/", 2)[2])


def _own(branches: Sequence[Branch], task_id: str, rules: HistoryRules) -> list[Branch]:
    """The task's branches: of a name that is here and on a remote the one that is here.

    What was amended or rebased away here stands on the remote until it is pushed, and is no part of the work any more.
    """
    named = [it for it in branches if branch_names_task(it.name, task_id, rules.after_id_in_branch)]
    here = {it.name for it in named if it.remote is None}
    return [it for it in named if not it.points_to and (it.remote is None or it.name not in here)]


def _named(repositories: Sequence[Git], commits: str, rules: HistoryRules) -> list[TaskCommit]:
    for index, git in enumerate(repositories):
        ends = range_of(git, commits)
        if ends is not None:
            found = commits_from(git, [ends[1]], rules.most_commits, excluding=[ends[0]])
            return [_task_commit(it, f"--commits {commits}", index) for it in found]
    raise RevisionError(
        "unknown_range",
        f"the range {commits!r} has an end that is no commit of this repository",
        place=ascii(commits),
        next_step="give two commits, branches or tags that exist here, such as main..HEAD",
    )


def _task_commit(commit: Commit, why: str, repository: int) -> TaskCommit:
    return TaskCommit(
        oid=commit.oid,
        parents=commit.parents,
        subject=commit.subject,
        message=commit.message,
        committed_at=commit.committed_at,
        merge=len(commit.parents) > 1,
        why=why,
        repository=repository,
    )


def _too_many(count: int, git: Git) -> VerificationUndetermined:
    message = f"{count} branches have the task's id in their names"
    step = "name the task's commits with --commits A..B, or raise the limit in verify.history"
    return VerificationUndetermined("too_many_branches", message, place=str(git.root), next_step=step)
