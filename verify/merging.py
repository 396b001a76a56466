"""Merging: what several reviewers say about one place and one criterion becomes one finding, and nothing gets milder.

The key is ``(artifact_ref, ac_criteria, category)`` (*Self-verification*, conflict resolution). The earlier layer
keeps its id; the graver record keeps its severity together with its own evidence. Which record comes first in the
input never matters.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from verify.findings import Admitted, Finding
from verify.references import split_reference
from verify.terms import FLOOR

if TYPE_CHECKING:
    from toolkit.policy.documents.heads import Vocabulary
    from toolkit.policy.sets import PolicySet

Position = tuple[int, int, str]


class FindingKey(NamedTuple):
    """What two findings must share to be one: the place in one spelling, the criteria as a set, the category."""

    artifact_ref: str
    ac_criteria: frozenset[str]
    category: str


def key_of(artifact_ref: str, ac_criteria: Iterable[str], category: str) -> FindingKey:
    """The key of a finding with these fields. ``./a.md:3`` and ``a.md:3`` are one place."""
    criteria = frozenset(criterion.strip() for criterion in ac_criteria)
    return FindingKey(split_reference(artifact_ref).normalised(), criteria, category)


def finding_key(finding: Finding) -> FindingKey:
    """The key of ``finding``."""
    return key_of(finding.artifact_ref, finding.ac_criteria, finding.category)


def merge(admitted: Iterable[Admitted], policies: PolicySet) -> tuple[Admitted, ...]:
    """One finding for each key, ordered by layer and number; ``origins`` of each holds its records, whole.

    Discarded findings stand alone. Two findings of the floor never become one. A finding that names no line or no
    criterion is the same as another only if their excerpts and suggested fixes are equal too. What was merged before
    is taken apart again first, so merging in steps ends like merging at once.
    """
    order = _Order.of(policies)
    records = dict.fromkeys(record for one in admitted for record in one.origins or (one,))
    groups: dict[object, list[Admitted]] = defaultdict(list)
    for record in sorted(records, key=order.position):
        groups[record if record.discarded else _group_key(record.finding)].append(record)
    merged = [order.united(part) for group in groups.values() for part in _parts(group)]
    return tuple(sorted(merged, key=order.position))


def _group_key(finding: Finding) -> object:
    key = finding_key(finding)
    if key.ac_criteria and split_reference(finding.artifact_ref).has_line:
        return key
    return key, finding.evidence.excerpt, finding.suggested_fix


def _parts(group: list[Admitted]) -> Iterator[list[Admitted]]:
    """A group, in order, so split that each part has at most one finding of the floor, the first with all others."""
    floor = [record for record in group if record.finding.source_layer == FLOOR]
    yield floor[:1] + [record for record in group if record.finding.source_layer != FLOOR]
    yield from ([record] for record in floor[1:])


class _Order(NamedTuple):
    """Which record comes first, and which is graver: the vocabularies decide."""

    layers: Vocabulary
    severities: Vocabulary
    verified: Vocabulary

    @classmethod
    def of(cls, policies: PolicySet) -> _Order:
        return cls(
            policies.vocabulary("verify.layers"),
            policies.vocabulary("verify.severity"),
            policies.vocabulary("verify.evidence-verified"),
        )

    def position(self, record: Admitted) -> Position:
        """Layer, number in the layer, and for two records with one id their text: total, whatever the input's order."""
        finding = record.finding
        return self.layers.rank(finding.source_layer), _number(finding.finding_id), repr(record)

    def gravity(self, record: Admitted) -> tuple[int, int, int, Position]:
        """Severity first. Among equals the earlier layer speaks, and within it the evidence that was found."""
        finding = record.finding
        return (
            self.severities.rank(finding.severity),
            self.layers.rank(finding.source_layer),
            self.verified.rank(record.evidence_verified),
            self.position(record),
        )

    def united(self, records: list[Admitted]) -> Admitted:
        """One finding from records in order: the first one's identity, the gravest one's claim with its evidence."""
        if len(records) == 1:
            return replace(records[0], origins=(records[0],))
        first, gravest = records[0], min(records, key=self.gravity)
        claim = gravest.finding
        finding = replace(
            first.finding,
            severity=claim.severity,
            evidence=claim.evidence,
            drift_subtype=claim.drift_subtype,
            suggested_fix=claim.suggested_fix,
        )
        return replace(gravest, finding=finding, origins=tuple(records))


def _number(finding_id: str) -> int:
    tail = finding_id.rpartition("-")[2]
    return int(tail) if tail.isascii() and tail.isdecimal() and len(tail) < 10 else 0
