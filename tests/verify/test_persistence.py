"""Findings that outlive their repairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from toolkit.policy.sets import PolicySet
from verify.audit.record import AuditLog, AuditRecord, LayerLine, LoggedFinding
from verify.audit.writer import write_log
from verify.decisions import Decided, Questions
from verify.findings import Admitted, Evidence, Finding
from verify.merging import key_of
from verify.persistence import counts_as_run, earlier_runs, persistent_findings
from verify.task import Workspace
from verify.terms import DISPATCH, FILE_QUOTE, FLOOR, PEER_REVIEW, RAN, SKIPPED

PLAN = "datarim/plans/T-0001-plan.md"
LAYERS = (FLOOR, DISPATCH)


def admitted(
    layer: str = DISPATCH, severity: str = "medium", ref: str = f"{PLAN}:3", discarded: bool = False
) -> Admitted:
    evidence = Evidence(FILE_QUOTE, ref, "a line of the plan")
    finding = Finding(layer, ref, severity, "completeness", evidence, ("AC-1",), finding_id=f"F-{layer}-1")
    return Admitted(finding, discarded, None, "true", None, "2026-05-04T12:30:15Z")


def log(number: int, digest: str | None, findings: Iterable[LoggedFinding], layers: Iterable[str] = LAYERS) -> AuditLog:
    artifacts = {} if digest is None else {PLAN: digest}
    ran = frozenset(layers)
    return AuditLog(Path("x"), "T-0001", "do", number, "CONDITIONAL", tuple(findings), artifacts, ran, {}, True)


def logged(layer: str = DISPATCH, ref: str = f"{PLAN}:3", discarded: bool = False) -> LoggedFinding:
    key = key_of(ref, ["AC-1"], "completeness")
    return LoggedFinding(key, f"F-{layer}-1", layer, frozenset({layer}), "medium", discarded, {})


def test_three_runs_in_a_row_with_a_changed_artifact_are_persistence(policies: PolicySet) -> None:
    earlier = [log(1, "one", [logged()]), log(2, "two", [logged(ref=f"./{PLAN}:3")])]
    assert persistent_findings([admitted()], earlier, {PLAN: "three"}, policies) == ("F-dispatch-1",)


def test_what_the_table_was_asked_is_remembered_with_how_often(policies: PolicySet) -> None:
    earlier, questions = [log(1, "one", [logged()]), log(2, "two", [logged()])], Questions(policies)
    findings = [admitted(), admitted(), admitted(ref=f"{PLAN}:9"), admitted(discarded=True)]
    persistent_findings(findings, earlier, {PLAN: "three"}, policies, questions)
    facts = {"layer": DISPATCH, "severity": "medium", "runs": 3, "wanted": 3}
    assert questions.decided() == (
        Decided("verify.persistence", facts, {"persistent": True}, "outlived", 2),
        Decided("verify.persistence", {**facts, "runs": 1}, {"persistent": False}, "few-runs"),
    )


@pytest.mark.parametrize(
    ("earlier", "now"),
    [
        ([log(2, "two", [logged()])], "three"),
        ([log(1, "one", [logged()]), log(2, "two", [])], "three"),
        ([log(1, "one", []), log(2, "two", [logged()])], "three"),
        ([log(1, "one", [logged()]), log(2, "one", [logged()])], "three"),
        ([log(1, "one", [logged()]), log(2, "two", [logged()])], "two"),
        ([log(1, None, [logged()]), log(2, "two", [logged()])], "three"),
        ([log(1, "one", [logged()]), log(2, None, [logged()])], "three"),
        ([log(1, "one", [logged()]), log(2, "two", [logged(ref=f"{PLAN}:4")])], "three"),
        ([log(1, "one", [logged(discarded=True)]), log(2, "two", [logged()])], "three"),
        ([log(1, "one", [logged(FLOOR)]), log(2, "two", [logged()])], "three"),
        ([log(0, "zero", [logged()]), log(1, "one", []), log(2, "two", [logged()])], "three"),
    ],
    ids=[
        *("two runs", "not in the last run", "not in the run before", "unchanged before", "unchanged since"),
        *("digest unknown then", "digest unknown last", "another line", "discarded then", "only the floor then"),
        "a run in between without it",
    ],
)
def test_anything_less_is_none(policies: PolicySet, earlier: list[AuditLog], now: str) -> None:
    assert persistent_findings([admitted()], earlier, {PLAN: now}, policies) == ()


def test_an_artifact_whose_digest_is_not_known_now_was_not_changed_for_certain(policies: PolicySet) -> None:
    earlier = [log(1, "one", [logged()]), log(2, "two", [logged()])]
    assert persistent_findings([admitted()], earlier, {}, policies) == ()


def test_the_floor_low_findings_and_discarded_ones_never_persist(policies: PolicySet) -> None:
    earlier = [log(1, "one", [logged()]), log(2, "two", [logged()])]
    findings = [admitted(FLOOR, "high"), admitted(severity="low"), admitted(discarded=True)]
    assert persistent_findings(findings, earlier, {PLAN: "three"}, policies) == ()


def test_another_layer_may_report_it_each_time(policies: PolicySet) -> None:
    earlier = [log(1, "one", [logged(PEER_REVIEW)]), log(2, "two", [logged(DISPATCH)])]
    assert persistent_findings([admitted(PEER_REVIEW, "high")], earlier, {PLAN: "three"}, policies) == (
        "F-peer_review-1",
    )


def test_a_run_of_the_floor_alone_neither_counts_nor_breaks_the_row(policies: PolicySet) -> None:
    earlier = [log(1, "one", [logged()]), log(2, "x", [], [FLOOR]), log(3, "two", [logged()])]
    assert not counts_as_run(earlier[1])
    assert persistent_findings([admitted()], earlier, {PLAN: "three"}, policies) == ("F-dispatch-1",)


def test_the_table_turns_exactly_at_the_number_of_runs_that_are_looked_at(policies: PolicySet) -> None:
    runs = policies.data("verify.limits")["persistent_runs"]
    table = policies.table("verify.persistence")
    facts: Mapping[str, Any] = {"layer": DISPATCH, "severity": "high", "wanted": runs}
    assert table.decide(**facts, runs=runs).outputs["persistent"] is True
    assert table.decide(**facts, runs=runs - 1).outputs["persistent"] is False


def write(workspace: Workspace, policies: PolicySet, stage: str, model: str = RAN) -> Path:
    record = AuditRecord(
        task_id="TST-0001",
        stage=stage,
        runtime="none",
        max_iter=3,
        started_at="2026-05-04T12:30:15Z",
        finished_at="2026-05-04T12:30:16Z",
        verdict="PASS",
        verified=True,
        exit=0,
        exit_reason="max_iter",
        policy_digest="sha256:0",
        tool_version="1.0.0",
        run_id="r",
        layers=(LayerLine(FLOOR, RAN, ""), LayerLine(DISPATCH, model, "")),
    )
    return write_log(record, workspace, policies).path


def test_earlier_runs_are_the_latest_logs_of_task_and_stage_in_which_a_model_ran(
    tmp_path: Path, policies: PolicySet
) -> None:
    workspace = Workspace(root=tmp_path, datarim=tmp_path / "datarim")
    workspace.datarim.mkdir()
    for stage, status in (("do", RAN), ("do", RAN), ("do", RAN), ("do", SKIPPED), ("plan", RAN)):
        write(workspace, policies, stage, status)
    assert [log.iter for log in earlier_runs(workspace, "TST-0001", "do", policies)] == [3, 2]
    assert earlier_runs(workspace, "TST-0002", "do", policies) == ()


def test_before_a_log_that_can_not_be_read_nothing_is_in_a_row(tmp_path: Path, policies: PolicySet) -> None:
    workspace = Workspace(root=tmp_path, datarim=tmp_path / "datarim")
    workspace.datarim.mkdir()
    write(workspace, policies, "do")
    damaged = write(workspace, policies, "do")
    write(workspace, policies, "do")
    damaged.chmod(0o644)
    damaged.write_bytes(damaged.read_bytes()[:-20])
    assert [log.iter for log in earlier_runs(workspace, "TST-0001", "do", policies)] == [3]
