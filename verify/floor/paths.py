"""File-touched audit: the paths that the plan cites, against the declared roots (*Self-verification*)."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from toolkit.reporting.visible import visible
from verify.findings import Finding
from verify.floor.check import CheckEntry, CheckResult, FloorContext
from verify.floor.telling import NO_PLAN, nothing, quoting
from verify.paths import Citations, Claim, Judgement, PathRules, Roots, find_citations, holders, judge
from verify.task import Artifact
from verify.terms import RAN

CORRECT_IT = "Nothing stands at {path} under {roots}. Correct it, or write (new) beside it if the task creates it."
CREATE_IT = (
    "The plan says that the task creates {path}, and nothing stands there. Create it, or strike it from the plan."
)
BRING_IT_IN = "{path} lies outside of {roots} and was not looked up. Cite a path inside, or pass its --framework-root."


class Audit(NamedTuple):
    """What both checks report from."""

    plan: Artifact
    judged: Judgement
    roots: str


def path_rules(context: FloorContext) -> PathRules:
    """The rules of this run. Use it through ``context.once``, as the two below."""
    return PathRules.from_policy(context.policies)


def cited_paths(context: FloorContext) -> Citations:
    """The paths that the plan cites; none without a plan."""
    plan = context.task.plan
    if plan is None:
        return Citations((), 0)
    return find_citations(plan.blocks, context.once(path_rules), plan.lines)


def declared_roots(context: FloorContext) -> Roots:
    """The declared roots of this run, opened for looking paths up."""
    return Roots(context.roots(), context.once(path_rules).most_links)


def file_touched_audit(entry: CheckEntry, context: FloorContext) -> CheckResult:
    """A finding for each path that the plan cites and that stands under no root.

    A path that is marked as new is owed only at the stages that the policy names. When all that is missing stands
    in one nested repository, there is no finding, and the detail names that repository.
    """
    audit = context.once(_audit)
    if audit is None:
        return nothing(NO_PLAN)
    rules = context.once(path_rules)
    judged = audit.judged
    owed = context.stage in rules.owed_at
    missing = sorted((*judged.missing, *(judged.coming if owed else ())), key=lambda claim: claim.line)
    counts = [f"{len(missing)} missing", f"{judged.unsure} unsure"]
    if judged.coming and not owed:
        counts.insert(1, f"{len(judged.coming)} to be created")
    detail = f"{_count(judged.cited)}, {', '.join(counts)}; roots: {audit.roots}"
    held, note = _nested(missing, context, rules) if missing else (False, "")
    if held:
        return CheckResult(RAN, detail + note)
    fixes = ((claim, CREATE_IT if claim.marked_new else CORRECT_IT) for claim in missing)
    findings = tuple(_finding(entry, context, audit, claim, fix) for claim, fix in fixes)
    return CheckResult(RAN, detail + note, findings)


def path_outside_roots(entry: CheckEntry, context: FloorContext) -> CheckResult:
    """A finding for each cited path that leaves every root, by its text or through a symbolic link."""
    audit = context.once(_audit)
    if audit is None:
        return nothing(NO_PLAN)
    outside = audit.judged.escaping
    findings = tuple(_finding(entry, context, audit, claim, BRING_IT_IN) for claim in outside)
    detail = f"{_count(audit.judged.cited)}, {len(outside)} outside of every root; roots: {audit.roots}"
    return CheckResult(RAN, detail, findings)


def _audit(context: FloorContext) -> Audit | None:
    plan = context.task.plan
    if plan is None:
        return None
    judged = judge(
        context.once(cited_paths),
        context.once(declared_roots),
        folder=str(PurePosixPath(plan.path).parent),
        names=context.task.documents(),
    )
    workspace = context.task.workspace.root
    return Audit(plan, judged, ", ".join(_shown(root, workspace) for root in context.roots()))


def _shown(root: Path, workspace: Path) -> str:
    """A root as a reader of the report finds it: relative to the workspace."""
    return visible(os.path.relpath(root, workspace))


def _count(cited: int) -> str:
    return f"{cited} path{'' if cited == 1 else 's'} cited"


def _nested(missing: list[Claim], context: FloorContext, rules: PathRules) -> tuple[bool, str]:
    """Whether one nested repository holds all that is missing, and what to say of the search."""
    holding, search = holders(missing, context.task.workspace.root, rules)
    if holding:
        names = " and in ".join(visible(place) for place in holding)
        return True, f"; all that is missing stands in the nested repository {names}: pass it as --framework-root"
    if not search.complete:
        return False, "; the search for nested repositories ended at its bounds"
    return False, ""


def _finding(entry: CheckEntry, context: FloorContext, audit: Audit, claim: Claim, fix: str) -> Finding:
    told = fix.format(path=claim.text, roots=f"the roots {audit.roots}")
    return quoting(entry, context, audit.plan, claim.line, told, text=claim.text)
