"""What becomes a finding, what doesn't, and what happens to it on the way in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from policy_support import overlay

from toolkit.policy.problems import PolicyError
from toolkit.policy.sets import PolicySet
from toolkit.policy.types import thaw
from toolkit.sources import load_policies
from verify.admission import FindingRules, Provenance, admit, read_record
from verify.decisions import Questions
from verify.findings import Evidence, Finding, Malformed
from verify.task import Workspace
from verify.terms import DISPATCH, FILE_QUOTE, FLOOR, PEER_REVIEW, TEST_OUTPUT

NOW = datetime(2026, 5, 4, 12, 30, 15, tzinfo=UTC)
QUOTE = {"type": "file_quote", "source": "notes.md:1", "excerpt": "the first line"}
RECORD: dict[str, Any] = {
    "artifact_ref": "notes.md:1",
    "ac_criteria": ["AC-1"],
    "severity": "high",
    "category": "correctness",
    "evidence": QUOTE,
}


@pytest.fixture(scope="module")
def rules(policies: PolicySet) -> FindingRules:
    return FindingRules.from_policy(policies)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "datarim" / "plans").mkdir(parents=True)
    (tmp_path / "notes.md").write_text("the first line\npassword: hunter2 here\n", encoding="utf-8")
    return Workspace(root=tmp_path, datarim=tmp_path / "datarim")


def without(record: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key not in keys}


def malformed(record: object, rules: FindingRules) -> Malformed:
    read = read_record(record, DISPATCH, rules)
    assert isinstance(read, Malformed)
    return read


def well_formed(record: object, rules: FindingRules) -> Finding:
    read = read_record(record, DISPATCH, rules)
    assert isinstance(read, Finding), read
    return read


def test_a_record_that_keeps_the_rules_is_a_finding_of_the_layer_that_sent_it(rules: FindingRules) -> None:
    read = read_record(RECORD | {"suggested_fix": "say 40%", "check_name": "facts"}, PEER_REVIEW, rules)
    assert read == Finding(
        source_layer=PEER_REVIEW,
        artifact_ref="notes.md:1",
        severity="high",
        category="correctness",
        evidence=Evidence(FILE_QUOTE, "notes.md:1", "the first line"),
        ac_criteria=("AC-1",),
        suggested_fix="say 40%",
        check_name="facts",
    )


def test_what_a_record_claims_about_itself_is_not_believed(rules: FindingRules) -> None:
    claims = {
        "finding_id": "F-floor-1",
        "source_layer": "floor",
        "agent_origin": "floor_pipeline",
        "peer_review_provider": "opus",
        "peer_review_mode": "cross_claude_family",
        "peer_review_provider_source_layer": "cli_flag",
        "discarded": True,
        "discard_reason": "parse_error",
        "evidence_verified": "true",
        "verified_diagnostic": "checked",
        "verified_at": "2020-01-01T00:00:00Z",
    }
    assert read_record(RECORD | claims, DISPATCH, rules) == well_formed(RECORD, rules)


def test_code_says_where_a_record_comes_from(rules: FindingRules) -> None:
    provenance = Provenance("peer_review_external", "sonnet", "cross_claude_family", "fallback_subagent")
    read = read_record(RECORD, PEER_REVIEW, rules, provenance)
    assert isinstance(read, Finding)
    assert read.agent_origin == "peer_review_external"
    assert read.peer_review_provider == "sonnet"
    assert read.peer_review_mode == "cross_claude_family"
    assert read.peer_review_provider_source_layer == "fallback_subagent"


@pytest.mark.parametrize("subtype", ["scope_creep", "spec_decay", "execution_skew", "orphaned_requirements"])
def test_rule_1_a_kind_of_drift_belongs_to_consistency(rules: FindingRules, subtype: str) -> None:
    drift = RECORD | {"drift_subtype": subtype}
    assert well_formed(drift | {"category": "consistency"}, rules).drift_subtype == subtype
    assert well_formed(RECORD | {"category": "consistency"}, rules).drift_subtype is None
    for category in ("correctness", "completeness", "safety"):
        assert malformed(drift | {"category": category}, rules).problems == ("drift_subtype: must be left out here",)


def test_rule_2_absent_evidence_brings_nothing(rules: FindingRules) -> None:
    assert well_formed(RECORD | {"evidence": {"type": "absent"}}, rules).evidence == Evidence("absent")
    for key in ("source", "excerpt"):
        read = malformed(RECORD | {"evidence": {"type": "absent", key: "x"}}, rules)
        assert read.problems == (f"evidence.{key}: must be left out here",)


@pytest.mark.parametrize("kind", ["file_quote", "test_output"])
def test_rule_3_evidence_brings_source_and_excerpt(rules: FindingRules, kind: str) -> None:
    assert well_formed(RECORD | {"evidence": QUOTE | {"type": kind}}, rules).evidence.type == kind
    assert malformed(RECORD | {"evidence": {"type": kind}}, rules).problems == (
        "evidence.excerpt: is missing",
        "evidence.source: is missing",
    )
    for key in ("source", "excerpt"):
        for blank in ("", " \n"):
            read = malformed(RECORD | {"evidence": QUOTE | {"type": kind, key: blank}}, rules)
            assert read.problems[0].startswith(f"evidence.{key}: ")


def test_rule_4_an_excerpt_that_is_too_long_is_cut_and_not_refused(rules: FindingRules) -> None:
    fits = well_formed(RECORD | {"evidence": QUOTE | {"excerpt": "é" * 200}}, rules)
    assert fits.evidence.excerpt == "é" * 200
    cut = well_formed(RECORD | {"evidence": QUOTE | {"excerpt": "é" * 201}}, rules)
    assert cut.evidence.excerpt == "é" * 189 + "[truncated]"


@pytest.mark.parametrize("severity", ["HIGH", "High", "Critical", "critical", "high ", "", "info", 1, None, ["high"]])
def test_rule_5_a_severity_is_one_of_three_words_written_so(rules: FindingRules, severity: object) -> None:
    read = malformed(RECORD | {"severity": severity}, rules)
    assert all(problem.startswith("severity: ") for problem in read.problems)
    assert read.discard_reason == "malformed_evidence"


@pytest.mark.parametrize("criteria", ["AC-1", None, {"AC-1": 1}, [1], [""], 7])
def test_rule_6_criteria_are_an_array(rules: FindingRules, criteria: object) -> None:
    assert well_formed(RECORD | {"ac_criteria": []}, rules).ac_criteria == ()
    assert malformed(RECORD | {"ac_criteria": criteria}, rules).problems[0].startswith("ac_criteria")


def test_rule_7_a_fix_has_at_most_500_characters(rules: FindingRules) -> None:
    assert well_formed(RECORD | {"suggested_fix": "é" * 500}, rules).suggested_fix == "é" * 500
    read = malformed(RECORD | {"suggested_fix": "é" * 501}, rules)
    assert read.problems == ("suggested_fix: has 501 characters, and 500 are allowed",)


@pytest.mark.parametrize("key", ["artifact_ref", "ac_criteria", "severity", "category", "evidence"])
def test_a_key_that_the_contract_asks_for_has_no_default(rules: FindingRules, key: str) -> None:
    assert malformed(without(RECORD, key), rules).problems == (f"{key}: is missing",)


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"confidence": 0.9}, "confidence"),
        ({"evidence": QUOTE | {"line": 3}}, "evidence.line"),
        ({"evidence": "the first line"}, "evidence"),
        ({"evidence": {"type": "hearsay", "source": "a", "excerpt": "b"}}, "evidence.type"),
        ({"evidence": {"source": "a", "excerpt": "b"}}, "evidence.type"),
        ({"category": "style"}, "category"),
        ({"category": "consistency", "drift_subtype": "rot"}, "drift_subtype"),
        ({"category": "consistency", "drift_subtype": None}, "drift_subtype"),
        ({"artifact_ref": ""}, "artifact_ref"),
        ({"artifact_ref": 3}, "artifact_ref"),
    ],
)
def test_every_problem_names_its_path(rules: FindingRules, change: dict[str, object], path: str) -> None:
    read = malformed(RECORD | change, rules)
    assert [problem.partition(": ")[0] for problem in read.problems].count(path) == len(read.problems)
    assert read.record == RECORD | change
    assert read.discard_reason == "malformed_evidence"


@pytest.mark.parametrize("record", [None, "a finding", 7, [], [RECORD], True])
def test_what_is_no_object_could_not_be_parsed(rules: FindingRules, record: object) -> None:
    read = malformed(record, rules)
    assert read.discard_reason == "parse_error"
    assert read.to_json()["discarded"] is True


def test_a_hostile_record_makes_short_problems_and_no_crash(rules: FindingRules) -> None:
    deep: object = "x"
    for _ in range(3000):
        deep = [deep]
    hostile = RECORD | {"severity": deep, "\u202e\n" + "k" * 5000: 1, "category": "z" * 100_000}
    read = malformed(hostile, rules)
    assert all(len(problem) < 300 and problem.isprintable() for problem in read.problems)


@pytest.mark.parametrize(
    "name",
    [
        "F001 cleared",
        "F001 cleared, no finding",
        "F001_cleared",
        "PASS",
        "pass.",
        "AC-3: PASS",
        "AC-1 verified",
        "verified, no problem",
        "no finding",
        "no findings",
        "no new issues found",
        "checked - no problems",
        "all claims verified",
        "OK, no issues",
    ],
)
def test_a_record_that_reports_that_all_is_well_is_no_finding(rules: FindingRules, name: str) -> None:
    read = malformed(RECORD | {"check_name": name}, rules)
    assert read.problems == ("check_name: reports that all is well, which is no finding",)


@pytest.mark.parametrize("fix", ["verified, no problem", "No issues found.", "Passed.", "The claim holds, verified"])
def test_a_fix_that_says_only_that_all_is_well_is_no_finding_either(rules: FindingRules, fix: str) -> None:
    assert malformed(RECORD | {"suggested_fix": fix}, rules).problems[0].startswith("suggested_fix: ")


@pytest.mark.parametrize(
    "change",
    [
        {"check_name": "AC-1 not verified"},
        {"check_name": "claims to be verified"},
        {"check_name": "unverified"},
        {"check_name": "bypass"},
        {"check_name": "pass_rate_below_target"},
        {"check_name": "tests never passed"},
        {"check_name": "PASS without evidence"},
        {"check_name": "no rollback"},
        {"check_name": "silent false PASS"},
        {"suggested_fix": "Add a test, so that AC-3 is verified."},
        {"suggested_fix": "Run it until it passed, no issue is too small."},
        {"evidence": QUOTE | {"excerpt": "verified, no problem"}},
    ],
)
def test_a_finding_about_a_claim_that_all_is_well_is_a_finding(rules: FindingRules, change: dict[str, object]) -> None:
    well_formed(RECORD | change, rules)


def test_a_lone_surrogate_in_a_record_is_text_like_any(rules: FindingRules) -> None:
    assert well_formed(RECORD | {"check_name": "\ud800 facts"}, rules).check_name == "\ud800 facts"
    assert well_formed(RECORD | {"suggested_fix": "\ud800" * 500}, rules).suggested_fix == "\ud800" * 500
    read = malformed(RECORD | {"suggested_fix": "\ud800" * 501}, rules)
    assert read.problems == ("suggested_fix: has 501 characters, and 500 are allowed",)
    for strange in ({"severity": "high\ud800"}, {"\ud800": 1}, {"evidence": QUOTE | {"type": "\udfff"}}):
        assert len(malformed(RECORD | strange, rules).problems) == 1


@pytest.mark.parametrize(
    "number", [2**63, 2**64, -(2**70), 10**40, 10**5000, 1e308, float("inf"), float("nan")], ids=lambda _: "number"
)
def test_any_number_is_no_text_and_no_crash(rules: FindingRules, number: float) -> None:
    for key in ("artifact_ref", "severity", "suggested_fix"):
        (problem,) = [line for line in malformed(RECORD | {key: number}, rules).problems if "type" in line]
        assert problem.startswith(f"{key}: must be of the type string, not ")
        assert len(problem) < 150


@pytest.mark.parametrize("number", [-(10**5000), -(2**64), 2**64, 10**4000, 10**5000], ids=lambda _: "number")
def test_an_integer_is_held_against_its_bounds_however_long_it_is(rules: FindingRules, number: int) -> None:
    schema: Any = thaw(rules.schema)
    schema["properties"]["check_name"] = {"type": "integer", "minimum": 0, "maximum": 10}
    bounded = replace(rules, schema=schema)
    assert len(malformed(RECORD | {"check_name": number}, bounded).problems) == 1
    assert bounded.problems(RECORD | {"check_name": 10}) == ()


def test_a_schema_that_can_t_be_used_is_an_error_of_the_policy(rules: FindingRules) -> None:
    schema: Any = thaw(rules.schema)
    schema["properties"]["check_name"] = {"pattern": "(?=a)"}
    with pytest.raises(PolicyError, match="bad_schema"):
        read_record(RECORD, DISPATCH, replace(rules, schema=schema))


def test_the_terms_of_the_schema_are_those_of_the_vocabularies(policies: PolicySet) -> None:
    schema: Any = thaw(policies.data("verify.finding"))
    properties = schema["properties"]
    enums = {
        "verify.layers": properties["source_layer"]["enum"],
        "verify.severity": properties["severity"]["enum"],
        "verify.category": properties["category"]["enum"],
        "verify.drift": properties["drift_subtype"]["enum"],
        "verify.agent-origin": properties["agent_origin"]["enum"],
        "verify.evidence-type": properties["evidence"]["properties"]["type"]["enum"],
    }
    for document, terms in enums.items():
        assert tuple(terms) == policies.vocabulary(document).terms
    limits = policies.data("verify.limits")
    assert properties["suggested_fix"]["maxLength"] == limits["suggested_fix_max"]


def test_the_vocabularies_hold_the_terms_of_the_contract_in_order(policies: PolicySet) -> None:
    expected = {
        "verify.severity": ("high", "medium", "low"),
        "verify.category": ("correctness", "completeness", "consistency", "safety"),
        "verify.drift": ("scope_creep", "spec_decay", "execution_skew", "orphaned_requirements"),
        "verify.evidence-type": ("file_quote", "test_output", "absent"),
        "verify.layers": ("floor", "peer_review", "dispatch"),
        "verify.verdicts": ("BLOCKED", "CONDITIONAL", "PASS"),
        "verify.stage": ("prd", "plan", "do", "archive", "all"),
        "verify.check-status": ("ran", "nothing-to-run", "could-not-run"),
        "verify.layer-status": ("ran", "skipped", "not-run", "error"),
        "verify.exit-reason": ("external_verifier", "unanimous_no_findings", "max_iter", "cost_ceiling"),
        "verify.agent-origin": (
            *("reviewer", "tester", "security", "codex_single", "floor_pipeline", "peer_review_external"),
        ),
        "verify.discard-reason": ("no_evidence_provided", "parse_error", "malformed_evidence"),
        "verify.evidence-verified": ("true", "unchecked", "false"),
    }
    for document, terms in expected.items():
        assert policies.vocabulary(document).terms == terms
    for document in ("verify.severity", "verify.layers", "verify.verdicts"):
        assert policies.vocabulary(document).order == "descending"


def finding(**changes: Any) -> Finding:
    base = Finding(DISPATCH, "notes.md:1", "high", "safety", Evidence(FILE_QUOTE, "notes.md:1", "the first line"))
    return replace(base, **changes)


def test_a_quote_is_looked_up_and_a_miss_is_marked_and_kept(policies: PolicySet, workspace: Workspace) -> None:
    invented = finding(evidence=Evidence(FILE_QUOTE, "notes.md:1", "the seventh line"))
    hit, miss = admit([finding(), invented], policies, workspace, NOW)
    assert (hit.evidence_verified, hit.discarded, hit.verified_diagnostic) == ("true", False, None)
    assert (miss.evidence_verified, miss.discarded) == ("false", False)
    assert miss.verified_diagnostic is not None
    assert "invented" in miss.verified_diagnostic


def test_what_became_of_findings_is_remembered_without_a_word_of_them(
    policies: PolicySet, workspace: Workspace
) -> None:
    questions = Questions(policies)
    output = finding(evidence=Evidence(TEST_OUTPUT, "pytest", "password: hunter2"))
    admit([finding(), output, finding()], policies, workspace, NOW, questions=questions)
    quoted, told = questions.decided()
    assert (quoted.facts["excerpt_found"], quoted.row, quoted.times) == (True, "quotation-found", 2)
    facts = {"evidence_type": TEST_OUTPUT, "excerpt_found": None, "parse": "ok", "schema_valid": True}
    assert (told.facts, told.row, told.times) == (facts, "output-of-a-test", 1)


def test_an_output_is_neither_run_nor_read_again(policies: PolicySet, workspace: Workspace) -> None:
    output = finding(evidence=Evidence(TEST_OUTPUT, "notes.md:1", "the first line"))
    (admitted,) = admit([output], policies, workspace, NOW)
    assert (admitted.evidence_verified, admitted.discarded) == ("unchecked", False)


@pytest.mark.parametrize("kind", [FILE_QUOTE, TEST_OUTPUT])
@pytest.mark.parametrize("reason", ["null", "parse_error", "malformed_evidence"])
def test_no_layer_makes_a_finding_that_shows_its_evidence_not_count(
    kind: str, reason: str, workspace: Workspace
) -> None:
    row = f"{{discarded: true, discard_reason: {reason}, evidence_verified: unchecked}}"
    edit = overlay(f"insert: [{{at: start, row: {{id: silence, then: {row}}}}}]\n", base="verify.disposition")
    (workspace.root / ".dr" / "policies").mkdir(parents=True)
    (workspace.root / ".dr" / "policies" / "silence.yaml").write_text(edit, "utf-8")
    policies = load_policies(workspace.root, user="none").policies
    with pytest.raises(PolicyError) as caught:
        admit([finding(evidence=Evidence(kind, "notes.md:1", "the first line"))], policies, workspace, NOW)
    assert (caught.value.code, caught.value.exit_status) == ("evidence_discarded", 2)
    assert str(caught.value.place).startswith(".dr/policies/silence.yaml:")


def test_a_finding_without_evidence_is_kept_and_does_not_count(policies: PolicySet, workspace: Workspace) -> None:
    (admitted,) = admit([finding(evidence=Evidence("absent"))], policies, workspace, NOW)
    assert (admitted.discarded, admitted.discard_reason) == (True, "no_evidence_provided")
    assert admitted.evidence_verified == "unchecked"


def test_ids_count_within_each_layer_in_order(policies: PolicySet, workspace: Workspace) -> None:
    layers = (DISPATCH, FLOOR, DISPATCH, PEER_REVIEW, FLOOR)
    admitted = admit([finding(source_layer=layer) for layer in layers], policies, workspace, NOW)
    ids = [one.finding.finding_id for one in admitted]
    assert ids == ["F-dispatch-1", "F-floor-1", "F-dispatch-2", "F-peer_review-1", "F-floor-2"]


def test_the_time_of_looking_is_told_in_utc(policies: PolicySet, workspace: Workspace) -> None:
    (admitted,) = admit([finding()], policies, workspace, NOW.astimezone(timezone(timedelta(hours=5))))
    assert admitted.verified_at == "2026-05-04T12:30:15Z"


def test_a_quote_with_a_secret_is_verified_first_and_redacted_then(policies: PolicySet, workspace: Workspace) -> None:
    evidence = Evidence(FILE_QUOTE, "notes.md:2", "password: hunter2 here")
    (admitted,) = admit([finding(evidence=evidence)], policies, workspace, NOW)
    assert admitted.evidence_verified == "true"
    assert admitted.finding.evidence.excerpt == "password: <redacted> here"


def test_a_reference_is_written_relative_to_the_workspace(policies: PolicySet, workspace: Workspace) -> None:
    absolute = finding(artifact_ref=f"{workspace.root}/notes.md:2")
    (admitted,) = admit([absolute], policies, workspace, NOW)
    assert admitted.finding.artifact_ref == "notes.md:2"


def test_more_findings_at_the_end_change_no_earlier_id(policies: PolicySet, workspace: Workspace) -> None:
    some = [finding(), finding(source_layer=FLOOR)]
    first = admit(some, policies, workspace, NOW)
    assert admit([*some, finding()], policies, workspace, NOW)[:2] == first
