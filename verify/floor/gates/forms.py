"""What the gates of the stages share: their rules, the criteria that they ask about, the form of their findings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from verify.criteria import Criterion
from verify.evidence import FindingLimits, clip_fix, message_evidence, quote_line
from verify.findings import Finding
from verify.floor.acceptance import NO_PRD, criteria_rules, find_waiver, prd_criteria
from verify.floor.check import CheckEntry, CheckResult, FloorContext
from verify.task import Artifact
from verify.terms import FLOOR, NOTHING_TO_RUN


class Gate(NamedTuple):
    """A gate of ``verify.stages``: the kinds of document where it looks, and how many it wants (0: all)."""

    name: str
    title: str
    documents: tuple[str, ...]
    at_least: int


class Asked(NamedTuple):
    """One run of a gate. The severity of ``entry`` is the one that the task's level asks for."""

    entry: CheckEntry
    gate: Gate
    context: FloorContext

    @property
    def documents(self) -> tuple[Artifact, ...]:
        """The documents where the gate looks, those that are there."""
        return tuple(found for kind in self.gate.documents for found in self.context.task.all_of(kind))

    @property
    def place(self) -> str:
        """Where the first of these documents stands or should stand."""
        return self.context.task.place_of(self.gate.documents[0])


def stage_gates(context: FloorContext) -> Mapping[str, Gate]:
    """The gates of all stages by name. Use it through ``context.once``."""
    stages = cast("tuple[Mapping[str, Any], ...]", context.policies.data("verify.stages"))
    gates = (record for stage in stages for record in stage["gates"])
    return {
        record["gate"]: Gate(record["gate"], record["title"], tuple(record["documents"]), record.get("at_least", 0))
        for record in gates
    }


def asked_criteria(context: FloorContext) -> tuple[Criterion, ...] | CheckResult:
    """The criteria of the PRD; where there are none, what becomes of a check that asks about each."""
    prd = context.task.prd
    if prd is None:
        waiver = find_waiver(context.task, context.once(criteria_rules))
        return nothing(f"the PRD is waived ({waiver.place}): {waiver.reason}" if waiver else NO_PRD)
    criteria = context.once(prd_criteria)
    return criteria or nothing(f"{prd.path} defines no acceptance criterion")


def nothing(why: str) -> CheckResult:
    """A gate that has nothing to look at."""
    return CheckResult(NOTHING_TO_RUN, why)


def quoting(asked: Asked, document: Artifact, line: int, fix: str, labels: tuple[str, ...] = ()) -> Finding:
    """A finding about a line that lacks something, which is quoted."""
    limits = FindingLimits.from_policy(asked.context.policies)
    return Finding(
        source_layer=FLOOR,
        artifact_ref=f"{document.path}:{line}",
        severity=asked.entry.severity,
        category=asked.entry.category,
        evidence=quote_line(document.path, line, document.line(line), limits),
        ac_criteria=labels,
        suggested_fix=clip_fix(fix, limits),
        check_name=asked.entry.id,
    )


def lacking(asked: Asked, path: str, line: int, message: str, fix: str) -> Finding:
    """A finding about something that is not there: the message of the check is its evidence."""
    limits = FindingLimits.from_policy(asked.context.policies)
    return Finding(
        source_layer=FLOOR,
        artifact_ref=f"{path}:{line}",
        severity=asked.entry.severity,
        category=asked.entry.category,
        evidence=message_evidence(asked.entry.id, message, limits),
        suggested_fix=clip_fix(fix, limits),
        check_name=asked.entry.id,
    )


def of_criteria(number: int) -> str:
    """``number`` criteria, in words."""
    return "1 acceptance criterion" if number == 1 else f"{number} acceptance criteria"
