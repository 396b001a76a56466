"""The operator's expectations on the floor: one high finding a wish that blocks, and one for a file that fails."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from captured_support import ID, TASKS, checklist, description, wish, workspace, write

from toolkit.policy.sets import PolicySet
from verify.errors import VerificationUndetermined
from verify.findings import Evidence
from verify.floor.check import CheckEntry, CheckResult, FloorContext
from verify.floor.entries import FloorPlan
from verify.floor.expectations import expectation_rules, expectations_of, expectations_status
from verify.floor.runner import run_floor
from verify.task import find_workspace, load_task
from verify.terms import COULD_NOT_RUN, NOTHING_TO_RUN, RAN, TEST_OUTPUT

PATH = f"{TASKS}/{ID}-expectations.md"
BY_OPERATOR = {"override": "good enough for now", "override_by": "operator"}


def entry(policies: PolicySet) -> CheckEntry:
    return next(one for one in FloorPlan.from_policy(policies).entries if one.id == "expectations_status")


def context(root: Path, policies: PolicySet) -> FloorContext:
    return FloorContext(load_task(find_workspace(root), ID, policies), "all", policies)


def run(root: Path, policies: PolicySet) -> CheckResult:
    return expectations_status(entry(policies), context(root, policies))


def test_without_expectations_there_is_nothing_to_run(tmp_path: Path, policies: PolicySet) -> None:
    assert run(workspace(tmp_path), policies) == CheckResult(NOTHING_TO_RUN, "there are no expectations")
    assert expectations_of(context(tmp_path, policies)) is None


def test_a_pass_is_no_finding(tmp_path: Path, policies: PolicySet) -> None:
    text = checklist(wish("a"), wish("b", "pending"), wish("c", "n-a"), wish("d", "deleted"))
    result = run(workspace(tmp_path, expectations=text), policies)
    assert result == CheckResult(RAN, "PASS: 4 wish(es), 0 blocking, 0 under an override")


def test_each_wish_that_blocks_is_one_high_finding_at_its_line(tmp_path: Path, policies: PolicySet) -> None:
    text = checklist(
        wish("a"),
        wish("быстро", "partial", {"override": "good enough for now", "override_by": "agent"}, linked="V-AC-1..V-AC-2"),
        wish("c", "missed", BY_OPERATOR),
        wish("d", "missed"),
    )
    result = run(workspace(tmp_path, expectations=text), policies)
    lines = text.splitlines()
    assert [one.evidence for one in result.findings] == [
        Evidence(TEST_OUTPUT, "dr-verify floor expectations_status", "быстро: partial"),
        Evidence(TEST_OUTPUT, "dr-verify floor expectations_status", "d: missed"),
    ]
    for finding, wish_id in zip(result.findings, ("быстро", "d"), strict=True):
        path, _, line = finding.artifact_ref.partition(":")
        assert path == PATH
        assert lines[int(line) - 1] == f"- **1. title of {wish_id}**"
        assert (finding.severity, finding.category) == ("high", "completeness")
        assert f"--focus-items {wish_id}" in (finding.suggested_fix or "")
    assert result.findings[0].ac_criteria == ("V-AC-1", "V-AC-2")
    assert "override_class is none of" in (result.findings[0].suggested_fix or "")
    assert result.detail.startswith("BLOCKED: 4 wish(es), 2 blocking, 1 under an override")


def test_overrides_that_count_are_one_low_finding_with_their_number(tmp_path: Path, policies: PolicySet) -> None:
    text = checklist(wish("a"), wish("b", "partial", BY_OPERATOR), wish("c", "missed", BY_OPERATOR))
    (finding,) = run(workspace(tmp_path, expectations=text), policies).findings
    assert (finding.severity, finding.evidence.excerpt) == ("low", "2 of 3 expectations carry an override")
    assert "b (partial), c (missed)" in (finding.suggested_fix or "")
    assert finding.artifact_ref == f"{PATH}:21"


def test_an_artifact_that_is_on_record_backs_an_agents_override(tmp_path: Path, policies: PolicySet) -> None:
    fields = {
        "override": "waits for the vendor",
        "override_by": "agent",
        "override_class": "external-blocker",
        "override_artifact": "XYZ-0007",
    }
    root = workspace(tmp_path, expectations=checklist(wish("b", "partial", fields)))
    assert [one.severity for one in run(root, policies).findings] == ["high"]
    for place in ("backlog.md", "tasks.md"):
        file = write(root, f"datarim/{place}", "- XYZ-0007 · open · P1 · L2 · vendor\n")
        assert [one.severity for one in run(root, policies).findings] == ["low"], place
        file.unlink()
    write(root, "datarim/activeContext.md", "- XYZ-0007\n")
    assert [one.severity for one in run(root, policies).findings] == ["high"]


def test_a_file_that_fails_is_one_high_finding_that_counts_its_faults(tmp_path: Path, policies: PolicySet) -> None:
    text = checklist(wish("a", "done"), wish("b c"), task_id="ABC-0002")
    (finding,) = run(workspace(tmp_path, expectations=text), policies).findings
    assert (finding.severity, finding.category, finding.artifact_ref) == ("high", "completeness", f"{PATH}:2")
    assert (finding.evidence.excerpt or "").startswith("structure: task_id is 'ABC-0002'")
    assert (finding.evidence.excerpt or "").endswith("(and 2 more)")
    assert "line 19: the current status is 'done'" in (finding.suggested_fix or "")
    assert len(finding.suggested_fix or "") <= 500


def test_no_wish_of_a_file_that_fails_is_judged(tmp_path: Path, policies: PolicySet) -> None:
    text = checklist(wish("a", "missed"), wish("b", "done"))
    assert len(run(workspace(tmp_path, expectations=text), policies).findings) == 1


@pytest.mark.parametrize("level", ["L1", "L2", "L3", "L4"])
def test_whoever_writes_expectations_is_held_to_them_at_every_level(
    tmp_path: Path, policies: PolicySet, level: str
) -> None:
    root = workspace(tmp_path, expectations=checklist(wish("a", "missed")))
    write(root, f"{TASKS}/{ID}-task-description.md", description(complexity=level))
    assert len(run(root, policies).findings) == 1


def test_evidence_that_is_wired_nowhere_fails_the_file(tmp_path: Path, policies: PolicySet) -> None:
    fields = {"verification_mode": "reproducible", "evidence_artifact": "tests/a.bats"}
    root = workspace(tmp_path, expectations=checklist(wish(fields=fields), version=3))
    (finding,) = run(root, policies).findings
    assert (finding.evidence.excerpt or "").startswith("structure: verification-not-wired: ")
    write(root, "tests/a.bats", "")
    assert not run(root, policies).findings


def test_what_nobody_could_look_up_could_not_run(
    tmp_path: Path, policies: PolicySet, monkeypatch: pytest.MonkeyPatch
) -> None:
    fields = {"verification_mode": "reproducible", "evidence_artifact": "nowhere"}
    root = workspace(tmp_path, expectations=checklist(wish(fields=fields), version=3))

    def narrow(run_context: FloorContext) -> object:
        rules = expectation_rules(run_context)
        return rules._replace(wiring=rules.wiring._replace(max_names=0))

    monkeypatch.setattr("verify.floor.expectations.expectation_rules", narrow)
    with pytest.raises(VerificationUndetermined):
        run(root, policies)

    class Silent:
        def check_started(self, check: str) -> None: ...
        def check_finished(self, check: str, result: CheckResult) -> None: ...

    asked = dataclasses.replace(context(root, policies), stage="prd")
    ran = {one.name: one.result.status for one in run_floor(asked, Silent())}
    assert ran["expectations_status"] == COULD_NOT_RUN
    assert ran["expectations_presence"] == RAN


def test_an_old_version_is_told_in_the_detail(tmp_path: Path, policies: PolicySet) -> None:
    text = checklist(wish(fields={"evidence_type": ""}), version=1)
    result = run(workspace(tmp_path, expectations=text), policies)
    assert (result.findings, result.detail.endswith("schema_version 1 is deprecated")) == ((), True)


def test_hostile_titles_stay_on_one_line_and_within_the_limits(tmp_path: Path, policies: PolicySet) -> None:
    text = checklist(wish("a", "missed")).replace("title of a", "{x} \x1b[31m " + "ж" * 5000)
    (finding,) = run(workspace(tmp_path, expectations=text), policies).findings
    assert "\x1b" not in (finding.suggested_fix or "")
    assert len(finding.suggested_fix or "") <= 500
