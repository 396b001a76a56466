"""Execution skew: steps of the plan that no commit of the task had a hand in, and that have no evidence."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from toolkit.repository.git import Git
from toolkit.repository.names import decoded, encoded
from verify.documents.covering import Touched, normal
from verify.documents.steps import Step
from verify.documents.surface import SurfacePath
from verify.findings import Finding
from verify.floor.changes import task_history
from verify.floor.check import CheckEntry, CheckResult, FloorContext
from verify.floor.drift.exempt import Exempt
from verify.floor.drift.surfaces import plan_surface, surface_rules, touched_paths
from verify.floor.drift.wording import of_commits, without_commits
from verify.floor.gates.evidence import evidence_of
from verify.floor.readings import plan_steps, step_bindings
from verify.floor.telling import NO_PLAN, nothing, quoting
from verify.terms import RAN
from verify.words import listed

DO_IT = (
    "{commits} of the task, and none touches {paths}. Do step {number}, give evidence for what it verifies, or say in "
    "the plan why it was passed over."
)


def execution_skew(entry: CheckEntry, context: FloorContext) -> CheckResult:
    """A finding for each step that names paths of which the task's commits touched none, and that nothing proves.

    A step without paths can't be judged, nor one that names only the task's own documents, or files of a repository
    that is nested in this one, or files that Git ignores. Nothing can be judged before the first commit.
    """
    plan = context.task.plan
    if plan is None:
        return nothing(NO_PLAN)
    history = context.once(task_history)
    commits = history.commits
    if not commits:
        return without_commits(history)
    judged = _judged(context)
    if not judged:
        return nothing(f"no step of {plan.path} names a path")
    touched = Touched((one.names for one in context.once(touched_paths)), context.once(surface_rules))
    left = [(step, paths) for step, paths in judged if not any(map(touched.holds, paths))]
    proved = _proved_steps(context)
    skewed = _without_ignored([(step, paths) for step, paths in left if step.line not in proved], context)
    steps = len(context.once(plan_steps))
    detail = (
        f"{of_commits(len(commits))}; {steps} steps, {len(judged)} that name paths, {len(left)} of those untouched, "
        f"{len(skewed)} of them without evidence"
    )
    return CheckResult(RAN, detail, tuple(_finding(entry, context, *one, len(commits)) for one in skewed))


Judged = tuple[Step, Sequence[SurfacePath]]
"""A step and all that it names."""


def _judged(context: FloorContext) -> list[Judged]:
    """The steps that surely name a path of the repository."""
    by_step: dict[int, list[SurfacePath]] = {}
    for path in context.once(plan_surface):
        if path.step is not None:
            by_step.setdefault(path.step.line, []).append(path)
    own = context.once(Exempt).is_own_document
    away = _Elsewhere(context)
    steps = ((step, by_step.get(step.line, [])) for step in context.once(plan_steps))
    return [
        (step, paths)
        for step, paths in steps
        if any(path.sure and not own(normal(path.text)) for path in paths) and not any(map(away.holds, paths))
    ]


def _without_ignored(judged: Sequence[Judged], context: FloorContext) -> list[Judged]:
    """The steps that surely name a path that could have been committed. One process, where there are any steps."""
    history = context.once(task_history)
    if not judged or history.home is None:
        return list(judged)
    git = history.repositories[history.home]
    lead = os.path.relpath(context.task.workspace.root, git.root)
    named = {path.text: normal(f"{lead}/{path.text}") for _, paths in judged for path in paths if _is_plain(path)}
    ignored = _ignored(git, [stored for stored in named.values() if stored.split("/", 1)[0] != ".."])
    return [
        (step, paths) for step, paths in judged if not all(named.get(it.text) in ignored for it in paths if it.sure)
    ]


def _ignored(git: Git, paths: Sequence[str]) -> frozenset[str]:
    """Which paths Git ignores; none where it does not want to tell (one lies beyond a link)."""
    # This one command refuses literal path specs; what begins with "./" is read literally all the same.
    plain = {name: value for name, value in git.environment.items() if name != "GIT_LITERAL_PATHSPECS"}
    asked = b"".join(b"./" + encoded(path) + b"\0" for path in paths)
    answer = replace(git, environment=plain).attempt("check-ignore", "-z", "--stdin", stdin=asked)
    told = answer.stdout.split(b"\0") if answer.exit_code == 0 else ()
    return frozenset(decoded(name.removeprefix(b"./")) for name in told)


def _is_plain(path: SurfacePath) -> bool:
    """Whether a path of the surface is one that Git can be asked about: no glob, and not absolute."""
    return path.sure and not path.glob and not path.text.startswith("/")


class _Elsewhere:
    """Tells which paths lie in a repository below the task's own, whose commits are not looked at."""

    def __init__(self, context: FloorContext) -> None:
        self._roots = [Path(os.path.realpath(root)) for root in context.roots()]
        self._tops = {git.root for git in context.once(task_history).repositories}
        self._known: dict[Path, bool] = {}

    def holds(self, path: SurfacePath) -> bool:
        """Whether a repository begins on the way from some root to the path."""
        parts = [part for part in normal(path.text).split("/") if part]
        if path.glob or path.text.startswith("/") or ".." in parts:
            return False
        return any(self._is_top(root.joinpath(*parts[:end])) for root in self._roots for end in range(1, len(parts)))

    def _is_top(self, folder: Path) -> bool:
        if folder not in self._known:
            try:
                self._known[folder] = os.path.lexists(folder / ".git") and folder not in self._tops
            except ValueError:  # no name that a file can have
                self._known[folder] = False
        return self._known[folder]


def _proved_steps(context: FloorContext) -> frozenset[int]:
    """The steps, by their lines, that serve a criterion with evidence, or with evidence that nobody can look up."""
    claims = context.once(evidence_of)
    proved = {label for label, given in claims.items() if any(claim.accepted is not False for claim in given)}
    bindings = context.once(step_bindings)
    return frozenset(it.step.line for it in bindings if it.step is not None and it.label in proved)


def _finding(
    entry: CheckEntry, context: FloorContext, step: Step, paths: Sequence[SurfacePath], commits: int
) -> Finding:
    plan = context.task.plan
    assert plan is not None  # its step is at hand
    names = listed([path.text for path in paths if path.sure])
    fix = DO_IT.format(commits=of_commits(commits), paths=names, number=step.number)
    labels = tuple(dict.fromkeys(step.labels))
    return quoting(entry, context, plan, step.line, fix, criteria=labels, drift_subtype=entry.uses)
