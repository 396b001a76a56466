"""What the drift checks share: their findings, and the words for the commits that they looked at."""

from __future__ import annotations

from collections.abc import Sequence

from toolkit.reporting.visible import visible
from verify.errors import VerificationUndetermined
from verify.evidence import FindingLimits, clip_fix
from verify.findings import Evidence, Finding
from verify.floor.check import CheckEntry, CheckResult, FloorContext
from verify.floor.drift.surfaces import ChangedPath
from verify.history.derived import History, TaskCommit
from verify.terms import FLOOR, NOTHING_TO_RUN

SHORT = 12  # digits of a hash, as Git itself shows one of a large repository
NO_COMMITS = "no commit of the task was found"
BASELESS = "no commit names the task, and nobody knows where its branch {branches} begins: no branch is the default one"
CUT_OFF = "no commit of the task is in this clone, which is shallow: there may be some all the same"


def drift(
    entry: CheckEntry, context: FloorContext, ref: str, evidence: Evidence, fix: str, labels: tuple[str, ...] = ()
) -> Finding:
    """A finding of one of the four kinds of drift: its subtype is the name of the check's function."""
    limits = FindingLimits.from_policy(context.policies)
    return Finding(
        source_layer=FLOOR,
        artifact_ref=ref,
        severity=entry.severity,
        category=entry.category,
        evidence=evidence,
        ac_criteria=labels,
        drift_subtype=entry.uses,
        suggested_fix=clip_fix(fix, limits),
        check_name=entry.id,
    )


def nothing(why: str) -> CheckResult:
    """A check that has nothing to look at."""
    return CheckResult(NOTHING_TO_RUN, why)


def without_commits(history: History) -> CheckResult:
    """A check that looks at the task's commits, and there are none. Raises where some may be missing."""
    if history.baseless:
        message = BASELESS.format(branches=listed(history.baseless))
        step = "name the task's commits with --commits A..B, or have a remote that says which branch is the default one"
        place = visible(str(history.workspace))
        raise VerificationUndetermined("no_default_branch", message, place=place, next_step=step)
    if history.whole:
        return nothing(NO_COMMITS)
    step = "fetch the whole history: git fetch --unshallow"
    raise VerificationUndetermined("history_incomplete", CUT_OFF, place=visible(str(history.workspace)), next_step=step)


def told(commit: TaskCommit) -> str:
    """A commit in words: its short hash and its subject."""
    return f"{commit.oid[:SHORT]} {visible(commit.subject) or '(no subject)'}"


def changed_by(changed: ChangedPath) -> str:
    """Which commits changed a path: the first one, and how many more."""
    more = len(changed.commits) - 1
    return f"{told(changed.commits[0])}{f' (and {more} more)' if more else ''}"


def of_commits(number: int) -> str:
    """``number`` commits, in words."""
    return "1 commit" if number == 1 else f"{number} commits"


def of_paths(number: int) -> str:
    """``number`` paths, in words."""
    return "1 path" if number == 1 else f"{number} paths"


def listed(texts: Sequence[str], most: int = 3) -> str:
    """The first of some texts, and how many more there are."""
    shown = ", ".join(visible(text) for text in texts[:most])
    return shown if len(texts) <= most else f"{shown} and {len(texts) - most} more"
