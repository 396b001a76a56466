"""What the drift checks share: the words for the commits that they looked at."""

from __future__ import annotations

from toolkit.reporting.visible import visible
from toolkit.repository.commits import short
from toolkit.repository.problems import FETCH_HISTORY
from verify.errors import VerificationUndetermined
from verify.floor.check import CheckResult
from verify.floor.drift.surfaces import ChangedPath
from verify.floor.telling import nothing
from verify.history.derived import History, TaskCommit
from verify.words import listed, with_others

NO_COMMITS = "no commit of the task was found"
BASELESS = "no commit names the task, and nobody knows where its branch {branches} begins: no branch is the default one"
CUT_OFF = "no commit of the task is in this clone, which is shallow: there may be some all the same"


def without_commits(history: History) -> CheckResult:
    """A check that looks at the task's commits, and there are none. Raises where some may be missing."""
    if history.baseless:
        message = BASELESS.format(branches=listed(history.baseless))
        step = "name the task's commits with --commits A..B, or have a remote that says which branch is the default one"
        place = visible(str(history.workspace))
        raise VerificationUndetermined("no_default_branch", message, place=place, next_step=step)
    if history.whole:
        return nothing(NO_COMMITS)
    place = visible(str(history.workspace))
    raise VerificationUndetermined("history_incomplete", CUT_OFF, place=place, next_step=FETCH_HISTORY)


def told(commit: TaskCommit) -> str:
    """A commit in words: its short hash and its subject."""
    return f"{short(commit.oid)} {visible(commit.subject) or '(no subject)'}"


def changed_by(changed: ChangedPath) -> str:
    """Which commits changed a path: the first one, and how many more."""
    more = len(changed.commits) - 1
    return f"{told(changed.commits[0])}{with_others(more)}"


def of_commits(number: int) -> str:
    """``number`` commits, in words."""
    return "1 commit" if number == 1 else f"{number} commits"


def of_paths(number: int) -> str:
    """``number`` paths, in words."""
    return "1 path" if number == 1 else f"{number} paths"
