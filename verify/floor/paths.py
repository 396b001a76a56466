"""File-touched audit: the paths that the plan cites, against the declared roots (*Self-verification*)."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from toolkit.reporting.visible import visible
from verify.evidence import FindingLimits, clip_fix, quote_line
from verify.findings import Finding
from verify.floor.check import CheckEntry, CheckResult, FloorContext
from verify.paths import Citations, Claim, Judgement, PathRules, Roots, find_citations, holders, judge
from verify.terms import FLOOR, NOTHING_TO_RUN, RAN

NO_PLAN = "there is no plan"
CORRECT_IT = "Nothing stands at {path} under {roots}. Correct it, or write (new) beside it if the task creates it."
CREATE_IT = (
    "The plan says that the task creates {path}, and nothing stands there. Create it, or strike it from the plan."
)
BRING_IT_IN = "{path} lies outside of {roots} and was not looked up. Cite a path inside, or pass its --framework-root."


class Audit(NamedTuple):
    """What both checks report from. ``plan`` is the plan's path, relative to the workspace."""

    plan: str
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
        return CheckResult(NOTHING_TO_RUN, NO_PLAN)
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
    limits = FindingLimits.from_policy(context.policies)
    findings = tuple(
        _finding(entry, audit, claim, CREATE_IT if claim.marked_new else CORRECT_IT, limits) for claim in missing
    )
    return CheckResult(RAN, detail + note, findings)


def path_outside_roots(entry: CheckEntry, context: FloorContext) -> CheckResult:
    """A finding for each cited path that leaves every root, by its text or through a symbolic link."""
    audit = context.once(_audit)
    if audit is None:
        return CheckResult(NOTHING_TO_RUN, NO_PLAN)
    limits = FindingLimits.from_policy(context.policies)
    outside = audit.judged.escaping
    findings = tuple(_finding(entry, audit, claim, BRING_IT_IN, limits) for claim in outside)
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
    return Audit(plan.path, judged, ", ".join(_shown(root, workspace) for root in context.roots()))


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


def _finding(entry: CheckEntry, audit: Audit, claim: Claim, fix: str, limits: FindingLimits) -> Finding:
    evidence = quote_line(audit.plan, claim.line, claim.text, limits)
    return Finding(
        source_layer=FLOOR,
        artifact_ref=f"{audit.plan}:{claim.line}",
        severity=entry.severity,
        category=entry.category,
        evidence=evidence,
        suggested_fix=clip_fix(fix.format(path=claim.text, roots=f"the roots {audit.roots}"), limits),
        check_name=entry.id,
    )
