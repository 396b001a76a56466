"""Changes of the policies by the work that they judge: a change never judges itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple, cast

from toolkit.errors import UndeterminedError
from toolkit.reporting.visible import visible
from toolkit.repository.commits import not_in_history
from toolkit.repository.problems import FETCH_HISTORY, RepositoryError
from verify.documents.covering import Test, any_glob
from verify.findings import Finding
from verify.floor.changes import task_history
from verify.floor.check import CheckEntry, CheckResult, FloorContext
from verify.floor.drift.layer_files import base, in_force, stored
from verify.floor.drift.surfaces import ChangedPath, changed_paths, path_of
from verify.floor.drift.weakening import Weaker, made_weaker, told
from verify.floor.drift.wording import changed_by, of_commits, without_commits
from verify.floor.telling import lacking
from verify.terms import RAN

ABOVE: Final = "../"
REVIEW_IT = "Have {path} changed and reviewed in a task of its own: here it judges the task that changed it."


class Compared(NamedTuple):
    """The layer in force, held against that of ``base`` (in words).

    ``files`` are those that differ, by their paths from the top of the repository, each with what became of it.
    """

    base: str
    files: Mapping[str, str]
    weaker: Weaker


def begin(_entry: CheckEntry, context: FloorContext) -> None:
    """Look at the layer before any command of the repository runs, which might put back what it changed."""
    with suppress(UndeterminedError):  # the check itself says so
        context.once(in_force)


def policy_layer(entry: CheckEntry, context: FloorContext) -> CheckResult:
    """A finding for each file of this repository's policy layer that the work changed.

    Those are the files that a commit of the task changed and that are in force, and those in which the layer in force
    (with what is not committed) differs from the one where the work left its upstream or the default branch. A finding
    is graver (``with.weaker``) where facts show that a decision of a document which the file edits became weaker.

    The layer stands in the workspace, or in a directory above it up to the top of the repository (``with.paths`` says
    which paths there are its files); another project's layer further down is none. Where the layer in force is that of
    a commit, what is not in that commit's history judges nothing.
    """
    compared = _compared(entry, context)
    history = context.once(task_history)
    if not history.commits and not isinstance(compared, Compared):
        result = without_commits(history)
        return result._replace(detail=f"{result.detail}{compared}")
    is_policy = _test(entry)
    changed = [one for one in _changed_paths(context) if is_policy(one.path)]
    judging = _judging(changed, context)
    detail = f"{of_commits(len(history.commits))}, {len(changed)} changed files of the policy layer"
    if len(judging) < len(changed):
        detail += f", {len(judging)} of them in force: the layer is that of {_revision(context)}"
    if not isinstance(compared, Compared):
        return CheckResult(RAN, detail + compared, tuple(_finding(entry, context, one, None) for one in judging))
    detail += f"; {len(compared.files)} files differ from {compared.base}"
    paths = _all_paths(judging, compared, context)
    return CheckResult(RAN, detail, tuple(_finding(entry, context, one, compared) for one in paths))


def _test(entry: CheckEntry) -> Test:
    """Whether a path, relative to the workspace, is that of a file of its layer."""
    is_policy = any_glob(cast("Sequence[str]", entry.parameters["paths"]))
    return lambda path: is_policy(_from_its_layer(path))


def _changed_paths(context: FloorContext) -> Sequence[ChangedPath]:
    return context.once(changed_paths) if context.once(task_history).commits else ()


def _compared(entry: CheckEntry, context: FloorContext) -> Compared | str:
    """The comparison; else why there is none, for a detail: empty where no layer stands in either place."""
    history = context.once(task_history)
    now = context.once(in_force)
    start = context.once(base)
    if start.tree is None or history.home is None:
        return f"; the layer in force was held against no other commit: {start.told}" if now.data else ""
    before = stored(start.tree)
    if not now.data and not before.data:
        return ""
    now = now.below(str(history.repositories[history.home].root))
    is_policy = _test(entry)
    files = {
        path: _became(before.data.get(path), now.data.get(path))
        for path in sorted(before.data.keys() | now.data.keys())
        if before.data.get(path) != now.data.get(path) and is_policy(path_of(path, context).path)
    }
    return Compared(start.told, files, made_weaker(before, now, files, context.policies))


def _became(before: bytes | None, now: bytes | None) -> str:
    if before is None:
        return "added to the layer"
    return "gone from the layer" if now is None else "changed"


def _all_paths(judging: Sequence[ChangedPath], compared: Compared, context: FloorContext) -> Iterable[ChangedPath]:
    """The changed paths, each once: what commits of the task changed, and what differs besides."""
    known = {_key(one) for one in judging}
    others = (path_of(path, context) for path in compared.files if path not in known)
    return sorted((*judging, *others), key=lambda one: one.path)


def _key(changed: ChangedPath) -> str:
    return visible(changed.stored)


def _judging(changed: Sequence[ChangedPath], context: FloorContext) -> Sequence[ChangedPath]:
    """Those changes that are part of the layer in force: all, unless that is a commit's, which knows its history."""
    tree = context.policy_tree
    if tree is None or not tree.revision.is_commit or not changed:
        return changed
    repositories = context.once(task_history).repositories
    own = next((index for index, git in enumerate(repositories) if git.root == tree.git.root), None)
    oids = {commit.oid for one in changed for commit in one.commits if commit.repository == own}
    outside = not_in_history(tree.git, oids, tree.revision.oid)
    if outside and tree.git.shallow:
        message = (
            f"this clone is shallow: whether {_revision(context)} holds the task's changes of the policies is unknown"
        )
        raise RepositoryError("history_incomplete", message, place=str(tree.git.root), next_step=FETCH_HISTORY)
    return [one for one in changed if any(commit.oid in oids - outside for commit in one.commits)]


def _revision(context: FloorContext) -> str:
    return visible(context.policy_tree.revision.text) if context.policy_tree is not None else ""


def _from_its_layer(path: str) -> str:
    """A path relative to the directory at or above the workspace that it lies right below."""
    while path.startswith(ABOVE):
        path = path.removeprefix(ABOVE)
    return path


def _finding(entry: CheckEntry, context: FloorContext, changed: ChangedPath, compared: Compared | None) -> Finding:
    """The finding about one file: what it made weaker comes first, since that is cut last."""
    path = _key(changed)
    became = compared.files.get(path) if compared is not None else None
    weaker = compared.weaker if compared is not None else Weaker({})
    found = weaker.by_file.get(path, ())
    sure = any(one.sure for one in found)
    parts = [changed_by(changed)] if changed.commits else []
    if compared is not None and became is not None and not changed.commits:
        parts.append(f"{became} since {compared.base}")
    if became is not None and weaker.unknown:
        parts.append(f"{weaker.unknown}, so it is not known whether a decision became weaker")
    if found:
        parts.insert(0 if sure else len(parts), told(found))
    severity = cast(str, entry.parameters["weaker"]) if sure else None
    fix = REVIEW_IT.format(path=changed.shown)
    return lacking(entry, context, changed.shown, "; ".join(parts), fix, severity=severity)
