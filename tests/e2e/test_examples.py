"""The shipped examples: one with known defects, asserted finding by finding, and its repaired twin."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from tests_support import Run

TASK = "LEDG-0042"
PRD = "datarim/prd/PRD-LEDG-0042.md"
PLAN = "datarim/plans/LEDG-0042-plan.md"

DESCRIPTION = "datarim/tasks/LEDG-0042-task-description.md"
EXPECTATIONS = "datarim/tasks/LEDG-0042-expectations.md"

DEFECTS = {
    ("ac_coverage_grep", f"{PRD}:17", "medium", "completeness", ("V-AC-2",)),
    ("ac_coverage_grep", f"{PRD}:19", "medium", "completeness", ("V-AC-3",)),
    ("file_touched_audit", f"{PLAN}:8", "low", "completeness", ()),
    ("file_touched_audit", f"{PLAN}:15", "low", "completeness", ()),
    ("path_outside_roots", f"{PLAN}:17", "low", "safety", ()),
    ("unclosed_fence", f"{PLAN}:36", "low", "completeness", ()),
    ("expectations_status", f"{EXPECTATIONS}:23", "high", "completeness", ("V-AC-2",)),
    ("dr-spec-lint:dreq-orphan", f"{PRD}:11", "medium", "completeness", ()),
    ("shellcheck", "scripts/nightly.sh:4", "medium", "safety", ()),
    ("shellcheck", "scripts/nightly.sh:5", "high", "safety", ()),
    ("shellcheck", "scripts/nightly.sh:8", "medium", "safety", ()),
    ("phase_gate:prd-measurable", f"{PRD}:17", "medium", "completeness", ("V-AC-2",)),
    ("phase_gate:do-evidence", f"{DESCRIPTION}:20", "medium", "completeness", ("V-AC-2",)),
    ("phase_gate:do-evidence", f"{PRD}:19", "medium", "completeness", ("V-AC-3",)),
    ("command:unit-tests", f"{PRD}:1", "high", "correctness", ()),
}


def _key(finding: dict[str, object]) -> tuple[object, ...]:
    criteria = finding["ac_criteria"]
    assert isinstance(criteria, list)
    names = ("check_name", "artifact_ref", "severity", "category")
    return (*(finding[name] for name in names), tuple(criteria))


def test_the_example_is_blocked_by_its_known_defects_and_no_other(run: Run, example: Callable[[str], Path]) -> None:
    root = example("ledger")
    result = run("dr-verify", TASK, "--workspace", str(root), "--floor-only", "--json")
    assert result.returncode == 1, result.stderr
    document = json.loads(result.stdout)
    assert document["verdict"] == "BLOCKED"
    assert document["verified"] is False
    assert document["exit"] == 1
    assert {_key(finding) for finding in document["findings"]} == DEFECTS
    assert len(document["findings"]) == len(DEFECTS)
    for finding in document["findings"]:
        assert finding["evidence_verified"] == ("true" if finding["evidence"]["type"] == "file_quote" else "unchecked")


def test_the_repaired_twin_passes_without_a_finding(run: Run, example: Callable[[str], Path]) -> None:
    root = example("ledger-repaired")
    result = run("dr-verify", TASK, "--workspace", str(root), "--floor-only", "--json")
    assert result.returncode == 0, result.stderr
    document = json.loads(result.stdout)
    assert (document["verdict"], document["findings"], document["malformed"]) == ("PASS", [], [])
    nothing = {check["check_name"] for check in document["checks"] if check["status"] != "ran"}
    assert {check["status"] for check in document["checks"]} == {"ran", "nothing-to-run"}
    assert nothing == {"drift:scope_creep", "drift:spec_decay", "drift:execution_skew"}


def test_without_a_model_the_bare_command_is_not_a_verification(run: Run, example: Callable[[str], Path]) -> None:
    root = example("ledger-repaired")
    result = run("dr-verify", TASK, "--workspace", str(root), "--no-write")
    assert result.returncode == 3
    assert result.stdout.startswith(f"CONDITIONAL  {TASK} (all): no findings; not verified: no model was reached")
    document = json.loads(run("dr-verify", TASK, "--workspace", str(root), "--no-write", "--json").stdout)
    assert (document["verified"], document["exit"]) == (False, 3)
    assert {layer["layer"]: layer["status"] for layer in document["layers"]} == {
        "floor": "ran",
        "peer_review": "not-run",
        "dispatch": "not-run",
    }


def test_the_first_line_is_the_verdict_with_its_reason(run: Run, example: Callable[[str], Path]) -> None:
    root = example("ledger")
    result = run("dr-verify", TASK, "--floor-only", "--no-write", cwd=root / "src")
    first = result.stdout.splitlines()[0]
    assert first == f"BLOCKED  {TASK} (all): 3 high, 8 medium, 4 low; floor only, no model looked"


def test_the_floor_alone_prints_json_lines_and_counts_its_high_findings(
    run: Run, example: Callable[[str], Path]
) -> None:
    root = example("ledger")
    result = run("dr-verify", "floor", "--task", TASK, f"--workspace={root}")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.returncode == 3 == sum(line["severity"] == "high" for line in lines)
    assert [line["finding_id"] for line in lines] == [f"F-floor-{n}" for n in range(1, len(DEFECTS) + 1)]
    order = ["finding_id", "source_layer", "artifact_ref", "ac_criteria", "severity", "category", "evidence"]
    assert all(list(line)[: len(order)] == order for line in lines)
    assert "[ac_coverage_grep] scanning …" in result.stderr
    assert "[test_presence] PASS" in result.stderr
    assert result.stderr.splitlines()[-1] == f"[summary] findings={len(DEFECTS)} high_severity=3"


def test_every_format_says_the_same_verdict(run: Run, example: Callable[[str], Path]) -> None:
    root = example("ledger")
    for name, wanted in (("sarif", '"2.1.0"'), ("junit", "<testsuite"), ("markdown", "BLOCKED"), ("text", "BLOCKED")):
        result = run("dr-verify", TASK, "--floor-only", "--no-write", "--format", name, cwd=root)
        assert result.returncode == 1
        assert wanted in result.stdout


def test_a_run_leaves_one_sealed_log_that_can_be_listed_shown_and_checked(
    run: Run, example: Callable[[str], Path]
) -> None:
    root = example("ledger")
    first = json.loads(run("dr-verify", TASK, "--floor-only", "--json", cwd=root).stdout)
    second = json.loads(run("dr-verify", TASK, "--floor-only", "--json", cwd=root).stdout)
    assert (first["audit_log"], second["audit_log"]) == (
        f"datarim/qa/verify-{TASK}-all-1.md",
        f"datarim/qa/verify-{TASK}-all-2.md",
    )
    log = root / first["audit_log"]
    assert log.stat().st_mode & 0o222 == 0
    assert re.search(r"^policy_digest: '?sha256:[0-9a-f]{64}", log.read_text(), re.MULTILINE)
    listed = json.loads(run("dr-verify", "audit", "list", "--json", cwd=root).stdout)
    assert [(entry["iter"], entry["verdict"]) for entry in listed["logs"]] == [(1, "BLOCKED"), (2, "BLOCKED")]
    shown = json.loads(run("dr-verify", "audit", "show", log.name, "--json", cwd=root).stdout)
    assert shown["log"]["run_id"] == first["run_id"]
    assert run("dr-verify", "audit", "check", cwd=root).returncode == 0
    log.chmod(0o644)
    log.write_text(log.read_text().replace("BLOCKED", "PASS"))
    assert run("dr-verify", "audit", "check", cwd=root).returncode == 1


def test_no_commands_leaves_the_teams_commands_out_and_says_so(run: Run, example: Callable[[str], Path]) -> None:
    root = example("ledger-repaired")
    result = run("dr-verify", TASK, "--floor-only", "--no-write", "--no-commands", "--json", cwd=root)
    document = json.loads(result.stdout)
    assert document["verdict"] == "CONDITIONAL"
    assert [check["check_name"] for check in document["checks"] if check["status"] == "could-not-run"] == ["unit-tests"]
