"""``dr-verify spec`` as a user runs it: lines, JSON, exit statuses."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests_support import Run

SCHEMAS = Path(__file__).resolve().parents[2] / "docs" / "schemas"
ID = "ABC-0001"
PRD = f"datarim/prd/PRD-{ID}.md"
PLAN = f"datarim/plans/{ID}-plan.md"
DESCRIPTION = f"datarim/tasks/{ID}-task-description.md"
GOOD = "# PRD\n\n### D-REQ-01: keep\n\n- V-AC-1: x. Covers: D-REQ-01\n"
ERROR = "# PRD\n\n### D-REQ-01: keep\n\n- V-AC-1: x. Covers: D-REQ-01, D-REQ-77\n"
STEPS = "# Plan\n\n1. Write it. Verifies: V-AC-1\n"
STAGES = ("prd", "plan", "do", "qa", "compliance", "verify")
Made = Callable[..., Path]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    def make(prd: str | None = GOOD, plan: str | None = STEPS, level: str = "L3", said: str = "") -> Path:
        description = f"---\ncomplexity: {level}\n---\n# Task\n\n{said}\n"
        for path, text in ((PRD, prd), (PLAN, plan), (DESCRIPTION, description)):
            if text is not None:
                (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / path).write_text(text)
        return tmp_path

    return make


def _json(run: Run, command: str, root: Path, *more: str, **environment: str) -> tuple[int, dict[str, Any]]:
    result = run("dr-verify", "spec", command, "--task", ID, "--json", *more, cwd=root, **environment)
    document = json.loads(result.stdout)
    if "error" not in document:
        schema = json.loads((SCHEMAS / f"dr-verify.spec-{command}.v1.json").read_text())
        Draft202012Validator(schema).validate(document)
    return result.returncode, document


def test_lint_prints_one_line_a_finding_that_begins_with_its_severity_and_rule(run: Run, made: Made) -> None:
    result = run("dr-verify", "spec", "lint", "--task", ID, "--root", str(made(ERROR)))
    assert result.returncode == 1
    assert result.stdout.splitlines() == [
        f"error covers-resolves: {PRD}:5: V-AC-1 covers D-REQ-77, which is declared nowhere"
    ]


def test_a_clean_graph_lints_to_nothing_and_grades_a(run: Run, made: Made) -> None:
    root = made()
    lint = run("dr-verify", "spec", "lint", "--task", ID, "--stage", "plan", cwd=root)
    assert (lint.returncode, lint.stdout) == (0, "")
    assert _json(run, "grade", root)[1]["grade"] == "A"


def test_check_says_all_of_it_in_one(run: Run, made: Made) -> None:
    root = made(ERROR)
    status, document = _json(run, "check", root)
    assert status == 1
    assert document["findings"] == _json(run, "lint", root)[1]["findings"]
    assert document["trace"] == _json(run, "trace", root)[1]["trace"]
    assert document["grade"] == _json(run, "grade", root)[1]["grade"] == "D"


def _contract(run: Run, command: str, root: Path, *more: str, **environment: str) -> tuple[int, list[Any]]:
    result = run("dr-verify", "spec", command, "--format", "json", *more, cwd=root, **environment)
    assert result.stderr == ""
    return result.returncode, [json.loads(line) for line in result.stdout.splitlines()]


def test_format_json_prints_the_findings_of_lint_as_lines(run: Run, made: Made) -> None:
    status, (finding,) = _contract(run, "lint", made(ERROR), "--task", ID)
    assert status == 1
    assert list(finding)[:6] == [
        "finding_id", "source_layer", "artifact_ref", "ac_criteria", "severity", "category",
    ]  # fmt: skip
    assert (finding["check_name"], finding["severity"], finding["evidence"]["source"]) == (
        *("covers-resolves", "error"),
        f"{PRD}:5",
    )
    assert _contract(run, "lint", made(), "--task", ID) == (0, [])


def test_format_json_prints_trace_grade_and_gate_each_as_one_object(run: Run, made: Made) -> None:
    root = made(ERROR)
    _, (trace,) = _contract(run, "trace", root, "--task", ID)
    assert (trace["covered"], trace["dangling"]) == (["D-REQ-01"], ["D-REQ-77"])
    _, (grade,) = _contract(run, "grade", root, "--task", ID)
    assert (grade["grade"], grade["basis"]) == ("D", {"errors": 1, "warnings": 0, "infos": 0})
    _, (gate,) = _contract(run, "gate", root, "--task", ID)
    assert (gate["decision"], gate["trace"], gate["grade"]) == ("advisory", trace, grade)
    assert [one["path"] for one in gate["evaluated_artifacts"]] == [PRD, PLAN, DESCRIPTION]
    _, (check,) = _contract(run, "check", root, "--task", ID)
    assert (check["findings"], check["grade"]) == (gate["findings"], grade)


def test_rules_are_listed_with_what_may_be_ignored(run: Run, tmp_path: Path) -> None:
    for arguments in (("rules",), ("check", "rules")):
        _, (listed,) = _contract(run, arguments[0], tmp_path, *arguments[1:])
        assert {one["id"] for one in listed["rules"] if one["mandatory"]} == {
            *("dreq-id-format", "dreq-id-unique", "covers-resolves", "dreq-dangling", "graph-complete-l3")
        }
    result = run("dr-verify", "spec", "rules", "--json", cwd=tmp_path)
    schema = json.loads((SCHEMAS / "dr-verify.spec-rules.v1.json").read_text())
    Draft202012Validator(schema).validate(json.loads(result.stdout))
    assert "warning dreq-orphan: optional, at L3, L4" in run("dr-verify", "spec", "rules", cwd=tmp_path).stdout


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("--rules", "dreq-orphan"), 0),
        (("--rules", "dreq-orphan, covers-resolves"), 1),
        (("--ignore", "dreq-orphan"), 1),
        (("--ignore", "covers-resolves"), 2),
        (("--rules", "no-rule"), 2),
        (("--ignore", "no-rule"), 2),
        (("--rules", "dreq-orphan", "--ignore", "dreq-orphan"), 2),
        (("--advisory",), 0),
        (("--dry-run",), 0),
        (("--stage", "all"), 1),
    ],
)
def test_lint_and_check_judge_by_the_rules_that_are_asked_for(
    run: Run, made: Made, arguments: tuple[str, ...], status: int
) -> None:
    root = made(ERROR)
    for command in ("lint", "check"):
        result = run("dr-verify", "spec", command, "--task", ID, *arguments, cwd=root)
        assert result.returncode == status
        told = "error covers-resolves" in result.stdout
        assert told is (status == 1 or "--advisory" in arguments)


def test_a_report_quotes_the_line_and_says_the_fix(run: Run, made: Made) -> None:
    lines = run("dr-verify", "spec", "lint", "--task", ID, "--report", cwd=made(ERROR)).stdout.splitlines()
    assert lines[1] == "  | - V-AC-1: x. Covers: D-REQ-01, D-REQ-77"
    assert lines[2].startswith("  fix: Declare D-REQ-77")


def test_the_scope_of_a_diff_holds_what_differs_from_the_last_commit(run: Run, made: Made) -> None:
    root = made(ERROR)
    scoped = ("dr-verify", "spec", "lint", "--task", ID, "--scope", "git-diff")
    assert run(*scoped, cwd=root).returncode == 2  # there is no repository
    git = ("git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run([*git, "init", "-q"], check=True)
    assert run(*scoped, cwd=root).returncode == 1  # nothing was committed
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "-qm", "x"], check=True)
    assert run(*scoped, cwd=root).returncode == 0
    (root / PRD).write_text(f"{ERROR}\nmore\n")
    assert run(*scoped, cwd=root).returncode == 1


def test_a_trace_needs_the_prd_alone_and_is_strict_on_demand(run: Run, made: Made) -> None:
    trace = ("dr-verify", "spec", "trace", "--task", ID)
    assert run(*trace, "--strict", cwd=made(plan=None)).returncode == 0
    root = made(GOOD + "\n### D-REQ-02: show\n", plan=None)
    assert (run(*trace, cwd=root).returncode, run(*trace, "--strict", cwd=root).returncode) == (0, 1)


def test_findings_that_were_told_are_graded_again(run: Run, made: Made) -> None:
    root = made(ERROR)
    told = root / "told.jsonl"
    told.write_text(run("dr-verify", "spec", "lint", "--task", ID, "--format", "json", cwd=root).stdout)
    _, (grade,) = _contract(run, "grade", root, "--findings", "told.jsonl")
    assert grade == {
        "grade": "D",
        "basis": {"errors": 1, "warnings": 0, "infos": 0},
        "computed_from": "file:told.jsonl",
    }
    told.write_text("")
    document = json.loads(run("dr-verify", "spec", "grade", "--findings", str(told), "--json", cwd=root).stdout)
    schema = json.loads((SCHEMAS / "dr-verify.spec-grade-told.v1.json").read_text())
    Draft202012Validator(schema).validate(document)
    assert document["grade"] == "A"


@pytest.mark.parametrize("line", ["no JSON", "[]", '{"severity": "grave"}', "{}", "[" * 100_000])
def test_a_line_that_is_no_finding_is_not_graded(run: Run, tmp_path: Path, line: str) -> None:
    (tmp_path / "told.jsonl").write_text(f'{{"severity": "info"}}\n{line}\n')
    result = run("dr-verify", "spec", "grade", "--findings", "told.jsonl", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert "told.jsonl:2" in result.stderr
    assert run("dr-verify", "spec", "grade", "--findings", "none.jsonl", cwd=tmp_path).returncode == 2
    assert run("dr-verify", "spec", "grade", cwd=tmp_path).returncode == 2


@pytest.mark.parametrize(
    ("index", "skipped"),
    [
        (f"# Tasks\n\n## {ID}\n\n**PRD waived:** a hot fix\n", True),
        (f"# Tasks\n\n- {ID} · in_progress · P1 · L3 · mend it · **PRD waived:** a hot fix\n", True),
        (f"# Tasks\n\n## {ID}\n\n## ABC-0002\n\n**PRD waived:** a hot fix\n", False),
        (f"# Tasks\n\n**PRD waived:** a hot fix\n\n## {ID}-FU\n\n**PRD waived:** a hot fix\n", False),
    ],
)
def test_the_index_of_tasks_waives_the_prd_of_the_task_that_it_speaks_of(
    run: Run, made: Made, index: str, *, skipped: bool
) -> None:
    root = made(None, None)
    (root / "datarim" / "tasks.md").write_text(index)
    result = run("dr-verify", "spec", "gate", "--task", ID, "--format", "json", cwd=root)
    if skipped:
        document = json.loads(result.stdout)
        assert (result.returncode, document["decision"]) == (0, "skip")
        assert document["reason"].startswith("documented PRD-waiver (datarim/tasks.md:")
    else:
        assert (result.returncode, result.stdout) == (2, "")
        assert f"required PRD missing for {ID}" in result.stderr


def test_the_gate_only_advises_unless_it_is_told_to_be_hard(run: Run, made: Made) -> None:
    status, document = _json(run, "gate", made(ERROR), "--stage", "qa")
    assert (status, document["decision"], document["mode"]) == (0, "advisory", "advisory")


@pytest.mark.parametrize("stage", STAGES)
def test_the_gate_blocks_in_hard_mode_at_every_stage_but_do(run: Run, made: Made, stage: str) -> None:
    root = made(ERROR)
    status, document = _json(run, "gate", root, "--stage", stage, DATARIM_SPEC_GRAPH_MODE="hard")
    expected = (0, "advisory") if stage == "do" else (1, "blocked")
    assert (status, document["decision"]) == expected


def test_the_gate_has_the_keys_of_the_contract_and_names_what_it_read(run: Run, made: Made) -> None:
    _, document = _json(run, "gate", made(), "--stage", "prd")
    keys = "task stage complexity mode decision evaluated_artifacts excluded_artifacts findings trace grade schema"
    assert list(document) == sorted(keys.split())
    assert (document["decision"], document["evaluated_artifacts"]) == ("clean", [PRD])
    assert [excluded["path"] for excluded in document["excluded_artifacts"]] == [
        PLAN,
        f"datarim/tasks/{ID}-expectations.md",
    ]


@pytest.mark.parametrize(
    ("level", "said", "decision"),
    [("L1", "", "skip"), ("L2", "", "skip"), ("L3", "**PRD waived:** a hot fix", "skip"), ("L4", "", None)],
)
def test_without_a_prd_small_and_waived_tasks_are_skipped_and_others_are_a_configuration_fault(
    run: Run, made: Made, level: str, said: str, decision: str | None
) -> None:
    root = made(None, None, level, said)
    assert run("dr-verify", "spec", "lint", "--task", ID, cwd=root).returncode == (0 if decision else 2)
    status, document = _json(run, "gate", root)
    assert status == (0 if decision else 2)
    if decision is None:
        assert document["error"]["code"] == "spec_graph_configuration"
        assert PRD in document["error"]["message"]
    else:
        assert document["decision"] == decision
        assert (said.removeprefix("**PRD waived:** ") or level) in document["excluded_artifacts"][0]["reason"]


def test_a_plan_that_is_due_and_missing_is_a_configuration_fault_unless_an_error_was_found(
    run: Run, made: Made
) -> None:
    root = made(plan=None)
    assert _json(run, "gate", root, "--stage", "prd")[1]["decision"] == "clean"
    status, document = _json(run, "gate", root, "--stage", "plan")
    assert (status, PLAN in document["error"]["message"]) == (2, True)
    made(ERROR, None)
    assert _json(run, "gate", root, "--stage", "plan", DATARIM_SPEC_GRAPH_MODE="hard")[0] == 1
    assert _json(run, "lint", root)[0] == 1


def test_a_small_task_owes_no_plan(run: Run, made: Made) -> None:
    assert _json(run, "gate", made(plan=None, level="L2"))[1]["decision"] == "clean"


@pytest.mark.parametrize(
    ("arguments", "variables"),
    [
        (("--task", "ABC-9999"), {}),
        (("--task", "no id"), {}),
        (("--task", ID), {"DATARIM_SPEC_GRAPH_MODE": "harder"}),
        (("--task", ID, "--stage", "later"), {}),
    ],
)
def test_what_cannot_be_built_is_two_with_the_reason_on_standard_error(
    run: Run, made: Made, arguments: tuple[str, ...], variables: dict[str, str]
) -> None:
    result = run("dr-verify", "spec", "gate", *arguments, cwd=made(), **variables)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.strip()
    assert "Traceback" not in result.stderr


def test_an_unreadable_document_is_two_with_the_reason_in_both_places(run: Run, made: Made) -> None:
    root = made()
    (root / PLAN).write_bytes(b"# Plan \xff\n")
    result = run("dr-verify", "spec", "gate", "--task", ID, "--json", cwd=root)
    assert result.returncode == 2
    assert json.loads(result.stdout)["error"]["code"] == "invalid_utf8"
    assert PLAN in result.stderr


def test_the_workspace_is_found_from_below_and_nothing_is_written(run: Run, made: Made) -> None:
    root = made()
    before = sorted(path.relative_to(root) for path in root.rglob("*"))
    assert run("dr-verify", "spec", "gate", "--task", ID, cwd=root / "datarim" / "prd").returncode == 0
    assert sorted(path.relative_to(root) for path in root.rglob("*")) == before
    shutil.rmtree(root / "datarim")
    assert run("dr-verify", "spec", "gate", "--task", ID, cwd=root).returncode == 2


def test_the_floor_tells_the_same_faults(run: Run, made: Made) -> None:
    root = made(ERROR)
    result = run("dr-verify", "floor", "--task", ID, "--stage", "plan", cwd=root)
    told = [json.loads(line) for line in result.stdout.splitlines()]
    ours = [one for one in told if one["check_name"].startswith("dr-spec-lint:")]
    assert [(one["check_name"], one["severity"]) for one in ours] == [("dr-spec-lint:covers-resolves", "medium")]
    hard = run("dr-verify", "floor", "--task", ID, "--stage", "plan", cwd=root, DATARIM_SPEC_GRAPH_MODE="hard")
    assert hard.returncode == result.returncode + 1


def test_findings_that_two_readers_would_read_differently_have_no_grade(run: Run, tmp_path: Path) -> None:
    (tmp_path / "told.jsonl").write_text('{"severity": "error", "severity": "info"}\n')
    result = run("dr-verify", "spec", "grade", "--findings", "told.jsonl", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert "stands twice" in result.stderr


def test_findings_and_a_task_are_not_graded_at_once(run: Run, tmp_path: Path) -> None:
    (tmp_path / "told.jsonl").write_text("")
    result = run("dr-verify", "spec", "grade", "--findings", "told.jsonl", "--task", "ABCD-0001", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")


def test_a_closed_standard_input_is_no_empty_list_of_findings(environment: dict[str, str], tmp_path: Path) -> None:
    command = [str(Path(sys.executable).parent / "dr-verify"), "spec", "grade", "--findings", "-"]
    done = subprocess.run(
        ["sh", "-c", '"$@" <&-', "sh", *command],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert "standard input is closed" in done.stderr
