"""Changes of the policies by the task that they judge: a change never judges itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from verify.documents.covering import any_glob
from verify.findings import Finding
from verify.floor.changes import task_history
from verify.floor.check import CheckEntry, CheckResult, FloorContext
from verify.floor.drift.forms import changed_by, of_commits, without_commits
from verify.floor.drift.surfaces import ChangedPath, changed_paths
from verify.floor.telling import lacking
from verify.terms import RAN

ABOVE: Final = "../"
REVIEW_IT = "Have {path} changed and reviewed in a task of its own: here it judges the task that changed it."


def policy_layer(entry: CheckEntry, context: FloorContext) -> CheckResult:
    """A finding for each file of this repository's policy layer that a commit of the task changed.

    The layer stands in the workspace, or in a directory above it up to the top of the repository (``with`` says which
    paths there are its files); another project's layer further down is none.
    """
    history = context.once(task_history)
    commits = history.commits
    if not commits:
        return without_commits(history)
    is_policy = any_glob(cast("Sequence[str]", entry.parameters["paths"]))
    changed = [one for one in context.once(changed_paths) if is_policy(_from_its_layer(one.path))]
    detail = f"{of_commits(len(commits))}, {len(changed)} changed files of the policy layer"
    return CheckResult(RAN, detail, tuple(_finding(entry, context, one) for one in changed))


def _from_its_layer(path: str) -> str:
    """A path relative to the directory at or above the workspace that it lies right below."""
    while path.startswith(ABOVE):
        path = path.removeprefix(ABOVE)
    return path


def _finding(entry: CheckEntry, context: FloorContext, changed: ChangedPath) -> Finding:
    fix = REVIEW_IT.format(path=changed.shown)
    return lacking(entry, context, changed.shown, changed_by(changed), fix)
