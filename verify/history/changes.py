"""The paths that a task's commits changed, strictly (what may be held against them) and generously (what excuses)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from toolkit.repository.changes import Change, changes_of, merged_into
from toolkit.repository.commits import shallow_commits, short
from toolkit.repository.git import Git
from toolkit.repository.problems import FETCH_HISTORY, RepositoryError
from verify.history.derived import NAMES, History, TaskCommit
from verify.history.places import Placing


class TaskChange(NamedTuple):
    """One path that a commit changed.

    ``path`` is how it is cited, relative to ``root`` (a name of ``verify.history.places``); bytes that are no UTF-8
    are lone surrogates there (``toolkit.repository.names.quoted`` shows them). ``stored`` is relative to the top of its
    repository, ``status`` is A, M, D or T.
    """

    path: str
    root: str
    stored: str
    status: str


class CommitChanges(NamedTuple):
    """What one commit of the task did.

    ``changed`` is what it changed itself: of a merge only what differs from every parent, and nothing that another
    commit of the task took back, or that it took back itself. ``touched`` is everything that it had a hand in: also
    what was taken back and, for a merge that names the task, what it brought to its first parent. (A merge of the
    default branch into the task's brings in other people's work.)
    """

    commit: TaskCommit
    changed: tuple[TaskChange, ...]
    touched: tuple[TaskChange, ...]


def task_changes(history: History) -> tuple[CommitChanges, ...]:
    """What each of the task's commits changed, in their order. One process a repository, and one for its merges.

    Raises ``RepositoryError`` (``history_incomplete``) when a shallow clone was cut off at one of them.
    """
    by_repository = [_in_repository(history, index) for index in range(len(history.repositories))]
    return tuple(by_repository[commit.repository][commit.oid] for commit in history.commits)


def placed_changes(changes: Iterable[Change], placing: Placing) -> tuple[TaskChange, ...]:
    """Changes of one repository with their places; of several of one path the last."""
    single = {change.path: change for change in changes}
    placed = ((placing.place(path), change) for path, change in single.items())
    return tuple(TaskChange(place.path, place.root, change.path, change.status) for place, change in placed)


def _in_repository(history: History, index: int) -> Mapping[str, CommitChanges]:
    git = history.repositories[index]
    commits = {commit.oid: commit for commit in history.commits if commit.repository == index}
    if not commits:
        return {}
    _require_whole(git, commits.values())
    own = changes_of(git, commits)
    brought = merged_into(git, {oid: it.parents[0] for oid, it in commits.items() if it.merge and it.why == NAMES})
    undone = _undone(commits, own, history.rules.reverts)
    placing = Placing.of(git.root, history.workspace, history.declared)
    found = {}
    for oid, commit in commits.items():
        kept = [change for change in own[oid] if (oid, change.path) not in undone]
        touched = placed_changes((*brought.get(oid, ()), *own[oid]), placing)
        found[oid] = CommitChanges(commit, placed_changes(kept, placing), touched)
    return found


def _require_whole(git: Git, commits: Iterable[TaskCommit]) -> None:
    cut_off = shallow_commits(git)
    for commit in commits:
        if commit.oid in cut_off:
            raise RepositoryError(
                "history_incomplete",
                f"this shallow clone ends at {short(commit.oid)}, a commit of the task: what it changed is unknown",
                place=str(git.root),
                next_step=FETCH_HISTORY,
            )


def _undone(
    commits: Mapping[str, TaskCommit], changes: Mapping[str, tuple[Change, ...]], words: str
) -> frozenset[tuple[str, str]]:
    """The changes, as commit and path, that cancel each other: a path of a commit, and of the one that reverts it.

    Only where the revert is one to the byte: it found what the commit left, and left what the commit found.
    """
    undone: set[tuple[str, str]] = set()
    written = re.compile(re.escape(words) + r"\s+([0-9a-f]{40,64})\b")
    for oid, commit in commits.items():
        taken_back = {change.path: change for change in changes[oid]}
        for reverted in written.findall(commit.message):
            for change in changes.get(reverted, ()):
                opposite = taken_back.get(change.path)
                if opposite and (opposite.before, opposite.after) == (change.after, change.before):
                    undone |= {(oid, change.path), (reverted, change.path)}
    return frozenset(undone)
