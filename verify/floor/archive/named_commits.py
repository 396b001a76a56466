"""Commits that a document names by their (short) hashes: whether they exist, and whether they touched what is said."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from toolkit.repository.git import open_repository
from toolkit.repository.objects import commits_named
from verify.documents.archive_claims import CommitClaim
from verify.documents.covering import Touched
from verify.documents.surface import SurfacePath
from verify.floor.changes import task_history
from verify.floor.check import FloorContext
from verify.floor.drift.surfaces import surface_rules
from verify.floor.paths import path_rules
from verify.history.changes import TaskChange
from verify.history.cited import Cited, cited_commits
from verify.paths.nested import nested_repositories
from verify.words import listed


class Standing(Enum):
    """What became of a claim."""

    HOLDS = "holds"
    NO_COMMIT = "no-commit"
    NOT_TOUCHED = "not-touched"
    UNKNOWN = "unknown"  # a shallow clone, or more nested repositories than are searched


class NamedCommits:
    """The commits that some claims name, looked up together: in the task's repositories, then in nested ones.

    Raises ``VerificationUndetermined`` or ``RepositoryError`` where Git can't be asked.
    """

    def __init__(self, context: FloorContext, claims: Sequence[CommitClaim]) -> None:
        self._context = context
        self._cited = cited_commits(context.once(task_history), (claim.digits for claim in claims))
        certain = dict.fromkeys(claim.digits for claim in claims if claim.certain)
        unknown = [digits for digits in certain if self._cited[digits].exists is False]
        self._nested, self._complete = _known_in_nested(unknown, context) if unknown else (frozenset(), True)

    def standing(self, claim: CommitClaim) -> Standing:
        """What is so of a claim. Of a commit of a nested repository nobody asks for its paths."""
        cited = self._cited[claim.digits]
        if cited.exists:
            return self._paths(claim, cited)
        if not claim.certain or claim.digits in self._nested:
            return Standing.HOLDS
        return Standing.NO_COMMIT if cited.exists is False and self._complete else Standing.UNKNOWN

    def touched(self, claim: CommitClaim) -> str:
        """What the commit touched, in words."""
        return listed([change.path for change in self._cited[claim.digits].touched or ()]) or "nothing"

    def _paths(self, claim: CommitClaim, cited: Cited) -> Standing:
        if not claim.paths:
            return Standing.HOLDS
        if cited.touched is None:
            return Standing.UNKNOWN
        touched = Touched(map(self._names, cited.touched), self._context.once(surface_rules))
        paths = (SurfacePath(path, claim.line, None, glob=False) for path in claim.paths)
        return Standing.HOLDS if any(map(touched.holds, paths)) else Standing.NOT_TOUCHED

    def _names(self, change: TaskChange) -> tuple[str, ...]:
        """All that a document may call a path: from its root, from its repository's top, from ``datarim/``."""
        inside = f"{self._context.task.workspace.datarim.name}/"
        return change.path, change.stored, change.path.removeprefix(inside)


def _known_in_nested(wanted: Sequence[str], context: FloorContext) -> tuple[frozenset[str], bool]:
    """Which digits are a commit's in a repository nested in the workspace, and whether all of those were asked."""
    root = context.task.workspace.root
    nested = nested_repositories(root, context.once(path_rules).nested)
    known: set[str] = set()
    complete = nested.complete
    limits = context.once(task_history).rules.git
    for place in nested.found:
        git = open_repository(root / place, limits)
        if git is not None:
            named = commits_named(git, [digits for digits in wanted if digits not in known])
            known.update(digits for digits, oids in named.items() if oids)
            complete = complete and not git.shallow
    return frozenset(known), complete
