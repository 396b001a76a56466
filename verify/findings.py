"""The finding: what a layer says is wrong, where, and on what evidence (*Self-verification*, Findings Schema)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Evidence:
    """``type`` is a term of ``verify.evidence-type``; ``source`` and ``excerpt`` are null exactly when it is absent."""

    type: str
    source: str | None = None
    excerpt: str | None = None

    def to_json(self) -> dict[str, object]:
        record: dict[str, object] = {"type": self.type}
        if self.source is not None:
            record["source"] = self.source
        if self.excerpt is not None:
            record["excerpt"] = self.excerpt
        return record


@dataclass(frozen=True, slots=True)
class Finding:
    """One claim, well-formed by the seven rules. Terms are those of the ``verify.*`` vocabularies.

    ``artifact_ref`` is ``path:line`` with a workspace-relative POSIX path. ``finding_id`` is empty until the
    layer's findings are numbered (``F-<layer>-<n>``): ids are given by code, never taken from a model.
    """

    source_layer: str
    artifact_ref: str
    severity: str
    category: str
    evidence: Evidence
    ac_criteria: tuple[str, ...] = ()
    finding_id: str = ""
    drift_subtype: str | None = None
    suggested_fix: str | None = None
    check_name: str | None = None
    agent_origin: str | None = None
    peer_review_provider: str | None = None
    peer_review_mode: str | None = None
    peer_review_provider_source_layer: str | None = None

    def to_json(self) -> dict[str, object]:
        """The record in the contract's key order, as ``dr-verify floor`` prints it; unset keys are left out."""
        record: dict[str, object] = {
            "finding_id": self.finding_id,
            "source_layer": self.source_layer,
            "artifact_ref": self.artifact_ref,
            "ac_criteria": list(self.ac_criteria),
            "severity": self.severity,
            "category": self.category,
        }
        if self.drift_subtype is not None:
            record["drift_subtype"] = self.drift_subtype
        record["evidence"] = self.evidence.to_json()
        for key in OPTIONAL_KEYS:
            value = getattr(self, key)
            if value is not None:
                record[key] = value
        return record


OPTIONAL_KEYS = (
    "suggested_fix",
    "check_name",
    "agent_origin",
    "peer_review_provider",
    "peer_review_mode",
    "peer_review_provider_source_layer",
)


@dataclass(frozen=True, slots=True)
class Malformed:
    """A record that broke a rule: kept apart and shown, never counted towards a better verdict.

    ``record`` is the JSON value as received (redacted before it is written); ``problems`` says which rules it broke.
    """

    source_layer: str
    record: object
    problems: tuple[str, ...]
    discard_reason: str

    def to_json(self) -> dict[str, object]:
        return {
            "source_layer": self.source_layer,
            "record": self.record,
            "problems": list(self.problems),
            "discarded": True,
            "discard_reason": self.discard_reason,
        }


@dataclass(frozen=True, slots=True)
class Admitted:
    """A finding after the post-write rules: re-checked, redacted, merged.

    ``evidence_verified`` is ``true``, ``false`` or ``unchecked`` (text: three-valued). ``origins`` holds every
    record that was merged into this one, whole; a finding that stands alone has itself as its only origin.
    """

    finding: Finding
    discarded: bool
    discard_reason: str | None
    evidence_verified: str
    verified_diagnostic: str | None
    verified_at: str
    origins: tuple[Admitted, ...] = ()

    def to_json(self) -> dict[str, object]:
        record = self.finding.to_json()
        record["discarded"] = self.discarded
        if self.discard_reason is not None:
            record["discard_reason"] = self.discard_reason
        record["evidence_verified"] = self.evidence_verified
        if self.verified_diagnostic is not None:
            record["verified_diagnostic"] = self.verified_diagnostic
        record["verified_at"] = self.verified_at
        if self.origins:
            record["origins"] = [origin.to_json() for origin in self.origins]
        return record
