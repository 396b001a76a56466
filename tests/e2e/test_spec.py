"""``dr-verify spec`` as a user runs it: lines, JSON, exit statuses."""

from __future__ import annotations

import json
import shutil
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
        f"error dreq-dangling: {PRD}:5: V-AC-1 covers D-REQ-77, which is declared nowhere"
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


def test_format_json_is_the_same_document(run: Run, made: Made) -> None:
    root = made(ERROR)
    first = run("dr-verify", "spec", "lint", "--task", ID, "--json", cwd=root)
    second = run("dr-verify", "spec", "lint", f"--task={ID}", "--format=json", cwd=root)
    assert (first.stdout, first.returncode) == (second.stdout, second.returncode)


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
    result = run("dr-verify", "spec", "gate", "--task", ID, "--format", "json", cwd=root)
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
    assert [(one["check_name"], one["severity"]) for one in ours] == [("dr-spec-lint:dreq-dangling", "medium")]
    hard = run("dr-verify", "floor", "--task", ID, "--stage", "plan", cwd=root, DATARIM_SPEC_GRAPH_MODE="hard")
    assert hard.returncode == result.returncode + 1
