"""The gates of the stages: what has to be shown before a task goes on (*Self-verification*, per-phase schemas).

Which gates there are and what each one asks stands in ``verify.stages``; where one runs, and how grave its findings are
at each level, in its entry of ``verify.floor``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from verify.floor.check import CheckEntry, CheckResult, FloorContext
from verify.floor.entries import floor_plan
from verify.floor.gates.forms import Asked, stage_gates
from verify.floor.gates.plan import unserved
from verify.floor.telling import nothing


def phase_gate(entry: CheckEntry, context: FloorContext) -> CheckResult:
    """The findings of one gate: ``with`` names it, and the severity at each level where it is asked."""
    severity = _severity(entry, context)
    if severity is None:
        return nothing(f"not asked of a task of level {context.task.complexity}")
    name = cast(str, entry.parameters["gate"])
    gate = context.once(stage_gates)[name]
    return _checks()[name](Asked(entry._replace(severity=severity), gate, context))


def unplanned_criteria(context: FloorContext) -> frozenset[str]:
    """The criteria that the gate of the plan's steps reports in this run. Use it through ``context.once``.

    None where that gate is switched off, or not asked at the stage or level of the run, or has nothing to look at. What
    it reports of a criterion, no other check reports of it again.
    """
    for entry in context.once(floor_plan).at(context.stage):
        asks = entry.uses == phase_gate.__name__ and entry.parameters["gate"] == _STEPS
        if asks and _severity(entry, context) is not None:
            found = context.once(unserved)
            return frozenset() if isinstance(found, CheckResult) else frozenset(it.label for it in found)
    return frozenset()


_STEPS = "plan-steps"


def _severity(entry: CheckEntry, context: FloorContext) -> str | None:
    """How grave a finding is at the task's level; null where the gate is not asked."""
    return cast("Mapping[str, str]", entry.parameters["levels"]).get(context.task.complexity)


def _checks() -> Mapping[str, Callable[[Asked], CheckResult]]:
    """The code behind each gate, loaded where one is asked."""
    from verify.floor.gates.do import evidence
    from verify.floor.gates.plan import rollback, steps, stride
    from verify.floor.gates.prd import measurable, risks

    return {
        "prd-measurable": measurable,
        "prd-risks": risks,
        _STEPS: steps,
        "plan-stride": stride,
        "plan-rollback": rollback,
        "do-evidence": evidence,
    }
