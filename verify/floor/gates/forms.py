"""What the gates of the stages share: their rules, where they look, the criteria that they ask about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from verify.criteria import Criterion
from verify.floor.acceptance import prd_criteria, prd_waiver
from verify.floor.check import CheckEntry, CheckResult, FloorContext
from verify.floor.telling import NO_PRD, nothing
from verify.task import Artifact


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


def without_prd(context: FloorContext) -> CheckResult:
    """What becomes of a gate that asks about the PRD where there is none."""
    waiver = context.once(prd_waiver)
    return nothing(f"the PRD is waived ({waiver.place}): {waiver.reason}" if waiver else NO_PRD)


def asked_criteria(context: FloorContext) -> tuple[Criterion, ...] | CheckResult:
    """The criteria of the PRD; where there are none, what becomes of a check that asks about each."""
    prd = context.task.prd
    if prd is None:
        return without_prd(context)
    criteria = context.once(prd_criteria)
    return criteria or nothing(f"{prd.path} defines no acceptance criterion")
