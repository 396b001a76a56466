"""Orphaned requirements: criteria with neither a step of the plan nor evidence (drift taxonomy)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from toolkit.reporting.visible import visible
from verify.criteria import Criterion
from verify.findings import Finding
from verify.floor.acceptance import prd_criteria
from verify.floor.check import CheckEntry, CheckResult, FloorContext
from verify.floor.gates.evidence import evidence_of
from verify.floor.gates.plan import unserved
from verify.floor.gates.stages import unplanned_criteria
from verify.floor.telling import NO_PLAN, nothing, of_criteria, quoting
from verify.task import Artifact
from verify.terms import COULD_NOT_RUN, RAN

ADOPT_IT = (
    "{label} has no step in {place} and no evidence. Name it in a step (`Verifies: {label}`), give its evidence, or "
    "take it out of the PRD."
)


def orphaned_requirements(entry: CheckEntry, context: FloorContext) -> CheckResult:
    """A finding for each criterion of the PRD that no step of the plan serves, and that nothing proves.

    How grave one is where the stage is asked for by name stands in the entry's ``asked_severity``. What the gate of
    the plan's steps reports of a criterion is not reported again; one whose evidence nobody can look up is none.
    """
    without, prd, plan = context.once(unserved), context.task.prd, context.task.plan
    if isinstance(without, CheckResult) or prd is None or plan is None:
        return without if isinstance(without, CheckResult) else nothing(NO_PLAN)
    asked = cast("Mapping[str, str]", entry.parameters["asked_severity"])
    graded = entry._replace(severity=asked.get(context.stage, entry.severity))
    reported = context.once(unplanned_criteria)
    proved = {it.label: _is_proved(it, context) for it in without if it.label not in reported}
    orphans = [it for it in without if proved.get(it.label, True) is False]
    unknown = [it.label for it in without if proved.get(it.label, True) is None]
    total = of_criteria(len(context.once(prd_criteria)))
    detail = f"{total}, {len(without)} without a step, {len(orphans)} of them without evidence"
    if reported:
        detail += f"; {len(reported)} left to the gate of the plan's steps"
    findings = tuple(_finding(graded, context, prd, plan, it) for it in orphans)
    if unknown:
        return CheckResult(COULD_NOT_RUN, f"{detail}; undetermined: {', '.join(unknown)}", findings)
    return CheckResult(RAN, detail, findings)


def _is_proved(criterion: Criterion, context: FloorContext) -> bool | None:
    """Whether some evidence of the criterion counts; null where nobody can tell."""
    accepted = {claim.accepted for claim in context.once(evidence_of).get(criterion.label, ())}
    return True if True in accepted else None if None in accepted else False


def _finding(entry: CheckEntry, context: FloorContext, prd: Artifact, plan: Artifact, criterion: Criterion) -> Finding:
    place = f'{plan.path}:1 "{visible(plan.line(1).strip(), _LONGEST)}"'
    fix = ADOPT_IT.format(label=criterion.label, place=place)
    return quoting(entry, context, prd, criterion.line, fix, criteria=(criterion.label,), drift_subtype=entry.uses)


_LONGEST = 160  # characters of the plan's line that are shown
