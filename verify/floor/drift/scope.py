"""Scope creep: what the task's commits changed outside of the surface that its plan names (drift taxonomy)."""

from __future__ import annotations

from collections.abc import Sequence

from toolkit.reporting.visible import visible
from verify.documents.covering import Covering
from verify.documents.surface import SurfacePath
from verify.findings import Finding
from verify.floor.changes import task_history
from verify.floor.check import CheckEntry, CheckResult, FloorContext
from verify.floor.drift.exempt import Exempt
from verify.floor.drift.surfaces import ChangedPath, changed_paths, plan_surface, surface_rules
from verify.floor.drift.wording import changed_by, of_commits, of_paths, without_commits
from verify.floor.telling import NO_PLAN, lacking, nothing
from verify.markdown import BlockKind
from verify.task import Artifact
from verify.terms import RAN

NAME_IT = (
    '{place} "{line}" does not name {path}. Add it to the plan with the reason, or take the change out of the task.'
)


def scope_creep(entry: CheckEntry, context: FloorContext) -> CheckResult:
    """A finding for each path that a commit of the task changed, and that the plan's surface does not cover.

    Each commit is read for itself: what a later one changed back was changed all the same (what a commit took back
    that says so was not). Nothing can be judged where the plan names no path at all.
    """
    plan = context.task.plan
    if plan is None:
        return nothing(NO_PLAN)
    history = context.once(task_history)
    commits = history.commits
    if not commits:
        return without_commits(history)
    surface, changed = context.once(plan_surface), context.once(changed_paths)
    covering = Covering(surface, context.once(surface_rules))
    outside = [one for one in changed if not covering.covers(one.names)]
    if not any(path.sure for path in surface) and len(outside) == len(changed):
        return nothing(f"{plan.path} names no path that may change: it has no surface")
    planned = (path.text for path in surface)
    creep = tuple(context.once(Exempt).others(outside, changed, planned)) if outside else ()
    detail = f"{of_commits(len(commits))}, {of_paths(len(changed))} changed, {len(creep)} outside of the surface"
    place = _place(plan, surface)
    return CheckResult(RAN, detail, tuple(_finding(entry, context, one, place) for one in creep))


def _finding(entry: CheckEntry, context: FloorContext, changed: ChangedPath, place: tuple[str, str]) -> Finding:
    where, line = place
    fix = NAME_IT.format(place=where, line=line, path=changed.shown)
    return lacking(entry, context, changed.shown, changed_by(changed), fix, drift_subtype=entry.uses)


def _place(plan: Artifact, surface: Sequence[SurfacePath]) -> tuple[str, str]:
    """Where the surface begins, and what stands there: the heading above its first path, or that path's line."""
    first = surface[0].line if surface else 1
    headings = (block.line for block in plan.blocks if block.kind is BlockKind.HEADING and block.line <= first)
    line = max(headings, default=first)
    return f"{plan.path}:{line}", visible(plan.line(line).strip(), _LONGEST)


_LONGEST = 160  # characters of that line that are shown
