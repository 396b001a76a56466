"""The layers of a run: what each found, and whether it ran at all (*Self-verification*, tri-layer architecture)."""

from __future__ import annotations

from typing import NamedTuple

from verify.findings import Finding, Malformed
from verify.floor.runner import RanCheck, findings_of
from verify.terms import COULD_NOT_RUN, DISPATCH, ERROR, FLOOR, NOT_RUN, PEER_REVIEW, RAN, SKIPPED


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
    return LayerResult(FLOOR, RAN, reason, findings=tuple(findings_of(checks)))


def model_layers(*, floor_only: bool, gravest_on_floor: int, gravest: str) -> tuple[LayerResult, ...]:
    """Layers 2 and 3 of a run that reaches no model.

    They are left out on request, skipped when the floor found something of the ``gravest`` severity already
    (cheapest first, fail fast), and else were asked for and did not run, which is said and costs the verification.
    """
    if floor_only:
        return _both(SKIPPED, "left out: floor only", requested=False)
    if gravest_on_floor:
        return _both(SKIPPED, f"not reached: the floor has {gravest_on_floor} {gravest} finding(s)")
    return _both(NOT_RUN, "no model was reached; --floor-only accepts that")


def _both(status: str, reason: str, *, requested: bool = True) -> tuple[LayerResult, ...]:
    return tuple(LayerResult(layer, status, reason, requested) for layer in (PEER_REVIEW, DISPATCH))
