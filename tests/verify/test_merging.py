"""Findings of several layers that say the same become one, and nothing gets milder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolkit.policy.sets import PolicySet
from verify.findings import Admitted, Evidence, Finding
from verify.merging import finding_key, merge
from verify.references import split_reference
from verify.terms import DISPATCH, FILE_QUOTE, FLOOR, PEER_REVIEW

LAYERS = (FLOOR, PEER_REVIEW, DISPATCH)
SEVERITIES = ("high", "medium", "low")
QUICK = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)
Merge = Callable[..., tuple[Admitted, ...]]


@pytest.fixture(scope="module")
def merged(policies: PolicySet) -> Merge:
    return lambda *records: merge(records, policies)


def one(layer: str, number: int, severity: str = "medium", **changes: Any) -> Admitted:
    """A record whose excerpt and fix name it, so that a test can tell whose evidence survived."""
    name = f"F-{layer}-{number}"
    finding = Finding(
        source_layer=layer,
        artifact_ref="plans/a.md:3",
        severity=severity,
        category="completeness",
        evidence=Evidence(FILE_QUOTE, "plans/a.md:3", f"quote of {name}"),
        ac_criteria=("AC-1", "AC-2"),
        finding_id=name,
        suggested_fix=f"fix of {name}",
        check_name=f"check of {name}",
    )
    state = {key: changes.pop(key) for key in ("discarded", "evidence_verified") if key in changes}
    return Admitted(
        finding=replace(finding, **changes),
        discarded=state.get("discarded", False),
        discard_reason="no_evidence_provided" if state.get("discarded") else None,
        evidence_verified=state.get("evidence_verified", "true"),
        verified_diagnostic=f"note of {name}",
        verified_at="2026-05-04T12:30:15Z",
    )


def ids(findings: tuple[Admitted, ...]) -> list[str]:
    return [admitted.finding.finding_id for admitted in findings]


def test_the_earlier_layer_keeps_its_id_and_the_graver_record_its_evidence(merged: Merge) -> None:
    floor, dispatch = one(FLOOR, 4, "low"), one(DISPATCH, 2, "high", evidence_verified="false")
    (united,) = merged(dispatch, floor)
    assert united.finding.finding_id == "F-floor-4"
    assert united.finding.source_layer == FLOOR
    assert united.finding.check_name == "check of F-floor-4"
    assert united.finding.severity == "high"
    assert united.finding.evidence == dispatch.finding.evidence
    assert united.finding.suggested_fix == "fix of F-dispatch-2"
    assert (united.evidence_verified, united.verified_diagnostic) == ("false", "note of F-dispatch-2")
    assert united.origins == (floor, dispatch)


def test_a_floor_finding_is_whole_among_the_origins_whatever_a_model_says(merged: Merge) -> None:
    floor = one(FLOOR, 1, "high")
    doubt = one(DISPATCH, 1, "low", suggested_fix="floor finding 1 is wrong, drop it")
    (united,) = merged(floor, doubt)
    assert united.finding == floor.finding
    assert united.origins[0] == floor


def test_among_equals_the_earlier_layer_speaks(merged: Merge) -> None:
    floor, peer = one(FLOOR, 1, evidence_verified="unchecked"), one(PEER_REVIEW, 1)
    (united,) = merged(peer, floor)
    assert united.finding.evidence == floor.finding.evidence


def test_within_a_layer_the_evidence_that_was_found_speaks(merged: Merge) -> None:
    invented, found = one(DISPATCH, 1, evidence_verified="false"), one(DISPATCH, 2)
    (united,) = merged(invented, found)
    assert united.finding.finding_id == "F-dispatch-1"
    assert united.finding.evidence == found.finding.evidence
    assert united.evidence_verified == "true"


@pytest.mark.parametrize("ref", ["./plans/a.md:3", "plans//a.md:03", "x/../plans/a.md:3-3"])
def test_one_place_in_two_spellings_is_one_place(merged: Merge, ref: str) -> None:
    assert ids(merged(one(DISPATCH, 1), one(PEER_REVIEW, 1, artifact_ref=ref))) == ["F-peer_review-1"]


def test_criteria_are_a_set(merged: Merge) -> None:
    same = one(DISPATCH, 2, ac_criteria=("AC-2", "AC-1", "AC-2"))
    assert ids(merged(one(DISPATCH, 1), same)) == ["F-dispatch-1"]


@pytest.mark.parametrize(
    "change",
    [
        {"artifact_ref": "plans/a.md:4"},
        {"artifact_ref": "plans/b.md:3"},
        {"ac_criteria": ("AC-1",)},
        {"category": "safety"},
    ],
)
def test_another_place_criterion_or_category_is_another_finding(merged: Merge, change: dict[str, Any]) -> None:
    assert ids(merged(one(DISPATCH, 1), one(DISPATCH, 2, **change))) == ["F-dispatch-1", "F-dispatch-2"]


@pytest.mark.parametrize("change", [{"artifact_ref": "plans/a.md"}, {"ac_criteria": ()}])
def test_without_a_line_or_a_criterion_only_equal_words_are_one_finding(merged: Merge, change: dict[str, Any]) -> None:
    evidence = Evidence(FILE_QUOTE, "plans/a.md", "the same words")
    first = one(DISPATCH, 1, **change)
    assert len(merged(first, one(PEER_REVIEW, 1, **change))) == 2
    same = {"evidence": evidence, "suggested_fix": "the same fix", **change}
    assert ids(merged(one(DISPATCH, 1, **same), one(PEER_REVIEW, 1, **same))) == ["F-peer_review-1"]
    other_fix = same | {"suggested_fix": "another fix"}
    assert len(merged(one(DISPATCH, 1, **same), one(PEER_REVIEW, 1, **other_fix))) == 2


def test_two_floor_findings_never_become_one(merged: Merge) -> None:
    same = {"check_name": "shellcheck", "evidence": Evidence(FILE_QUOTE, "a", "b"), "suggested_fix": None}
    assert ids(merged(one(FLOOR, 1, **same), one(FLOOR, 2, **same))) == ["F-floor-1", "F-floor-2"]


def test_what_a_model_adds_goes_to_the_first_of_several_floor_findings(merged: Merge) -> None:
    first, second = merged(one(DISPATCH, 1, "high"), one(FLOOR, 2), one(FLOOR, 1))
    assert [origin.finding.finding_id for origin in first.origins] == ["F-floor-1", "F-dispatch-1"]
    assert first.finding.severity == "high"
    assert second.finding == one(FLOOR, 2).finding


def test_a_discarded_finding_neither_joins_nor_is_joined(merged: Merge) -> None:
    absent = {"evidence": Evidence("absent"), "discarded": True}
    findings = merged(one(FLOOR, 1, "low"), one(DISPATCH, 1, "high", **absent), one(DISPATCH, 2, "high", **absent))
    assert ids(findings) == ["F-floor-1", "F-dispatch-1", "F-dispatch-2"]
    assert findings[0].finding.severity == "low"


def test_a_finding_that_stands_alone_is_its_only_origin(merged: Merge) -> None:
    alone = one(PEER_REVIEW, 1)
    assert merged(alone) == (replace(alone, origins=(alone,)),)


def test_findings_are_listed_by_layer_and_then_by_number(merged: Merge) -> None:
    records = [one(layer, number, ac_criteria=(f"{layer}-{number}",)) for layer in LAYERS for number in (10, 9, 2)]
    listed = ids(merged(*records))
    assert listed[:4] == ["F-floor-2", "F-floor-9", "F-floor-10", "F-peer_review-2"]


RECORDS = st.builds(
    one,
    st.sampled_from(LAYERS),
    st.integers(1, 4),
    st.sampled_from(SEVERITIES),
    artifact_ref=st.sampled_from(["a.md:1", "./a.md:1", "a.md", "b.md:2"]),
    ac_criteria=st.sampled_from([(), ("AC-1",), ("AC-1", "AC-2"), ("AC-2", "AC-1")]),
    suggested_fix=st.sampled_from([None, "one", "two"]),
    evidence=st.sampled_from([Evidence(FILE_QUOTE, "a.md:1", "one"), Evidence(FILE_QUOTE, "a.md:1", "two")]),
    check_name=st.sampled_from([None, "one"]),
    discarded=st.booleans(),
    evidence_verified=st.sampled_from(["true", "false", "unchecked"]),
)


@QUICK
@given(st.lists(RECORDS, max_size=5, unique=True))
def test_the_order_of_the_records_means_nothing(merged: Merge, records: list[Admitted]) -> None:
    expected = merged(*records)
    for shuffled in permutations(records):
        assert merged(*shuffled) == expected


@QUICK
@given(st.lists(RECORDS, max_size=8, unique=True), st.integers(0, 8))
def test_merging_in_steps_ends_like_merging_at_once(merged: Merge, records: list[Admitted], cut: int) -> None:
    assert merged(*merged(*records[:cut]), *records[cut:]) == merged(*records)
    assert merged(*merged(*records)) == merged(*records)


@QUICK
@given(st.lists(RECORDS, max_size=8, unique=True))
def test_no_record_is_lost_and_none_is_repeated(merged: Merge, records: list[Admitted]) -> None:
    origins = [origin for admitted in merged(*records) for origin in admitted.origins]
    assert sorted(map(repr, origins)) == sorted(map(repr, records))


@QUICK
@given(st.lists(RECORDS, max_size=8, unique=True))
def test_each_finding_is_as_grave_as_its_gravest_record_and_keeps_that_ones_evidence(
    merged: Merge, records: list[Admitted]
) -> None:
    for admitted in merged(*records):
        ranks = [SEVERITIES.index(origin.finding.severity) for origin in admitted.origins]
        assert SEVERITIES.index(admitted.finding.severity) == min(ranks)
        assert any(
            (origin.finding.severity, origin.finding.evidence, origin.evidence_verified)
            == (admitted.finding.severity, admitted.finding.evidence, admitted.evidence_verified)
            for origin in admitted.origins
        )


def is_high(admitted: Admitted) -> bool:
    return admitted.finding.severity == "high" and not admitted.discarded


@QUICK
@given(st.lists(RECORDS, max_size=8, unique=True))
def test_no_place_that_was_high_stops_being_high(merged: Merge, records: list[Admitted]) -> None:
    """Two records of one fault are one high finding, so what is counted is the faults, by key and words."""

    def faults(findings: list[Admitted]) -> set[object]:
        return {finding_key(admitted.finding) for admitted in findings if is_high(admitted)}

    after = list(merged(*records))
    assert faults(after) == faults(records)
    high_on_floor = [record for record in records if is_high(record) and record.finding.source_layer == FLOOR]
    assert sum(map(is_high, after)) >= len(high_on_floor)


@QUICK
@given(st.lists(RECORDS, max_size=8, unique=True))
def test_records_without_a_place_of_their_own_are_never_united_over_different_words(
    merged: Merge, records: list[Admitted]
) -> None:
    for admitted in merged(*records):
        lines = split_reference(admitted.finding.artifact_ref).has_line
        if not (lines and admitted.finding.ac_criteria):
            words = {(origin.finding.evidence.excerpt, origin.finding.suggested_fix) for origin in admitted.origins}
            assert len(words) == 1
