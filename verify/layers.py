"""The layers of a run: what each found, and whether it ran at all (*Self-verification*, tri-layer architecture)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from verify.findings import Finding, Malformed
from verify.floor.runner import RanCheck, findings_of
from verify.terms import COULD_NOT_RUN, DISPATCH, ERROR, FLOOR, FLOOR_PIPELINE, NOT_RUN, PEER_REVIEW, RAN, SKIPPED

if TYPE_CHECKING:
    from verify.decisions import Questions


class LayerResult(NamedTuple):
    """One layer of a run. ``status`` is a term of ``verify.layer-status``; a layer left out was not ``requested``."""

    layer: str
    status: str
    reason: str
    requested: bool = True
    findings: tuple[Finding, ...] = ()
    malformed: tuple[Malformed, ...] = ()

    @property
    def undone(self) -> bool:
        """Whether the layer was asked for and there is nothing of it to rely on."""
        return self.requested and self.status in (NOT_RUN, SKIPPED)

    @property
    def failed(self) -> bool:
        return self.status == ERROR


def floor_layer(checks: tuple[RanCheck, ...]) -> LayerResult:
    """Layer 1 from its checks."""
    missed = sum(check.result.status == COULD_NOT_RUN for check in checks)
    reason = f"{len(checks)} checks" + (f", {missed} could not run" if missed else "")
    findings = tuple(replace(finding, agent_origin=FLOOR_PIPELINE) for finding in findings_of(checks))
    return LayerResult(FLOOR, RAN, reason, findings=findings)


def model_layers(floor: LayerResult, *, floor_only: bool, questions: Questions) -> tuple[LayerResult, ...]:
    """Layers 2 and 3 of a run that reaches no model, as ``verify.reach`` says: left out, skipped, or not run."""
    gravest = questions.policies.vocabulary("verify.severity").terms[0]
    grave = sum(finding.severity == gravest for finding in floor.findings)
    decision = questions.ask("verify.reach", floor_only=floor_only, grave=grave, reachable=False)
    status, requested = str(decision.outputs["status"]), decision.outputs["requested"] is True
    reason = "no model was reached; --floor-only accepts that"
    if not requested:
        reason = "left out: floor only"
    elif status == SKIPPED:
        reason = f"not reached: the floor has {grave} {gravest} finding(s)"
    return tuple(LayerResult(layer, status, reason, requested) for layer in (PEER_REVIEW, DISPATCH))
