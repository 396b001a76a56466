"""Drift as a user meets it: the command on a real repository, its verdict and its exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from drift_repositories import PLAN, PRD, TASK, Case, Commit, Drift, Shapes, build
from tests_support import Run

EVERYTHING = Drift(("lib/new\nline.py",), decay=True, skew=frozenset({2}), orphans=frozenset({1}))
ARCHIVE = f"documentation/archive/features/archive-{TASK}.md"


def drift(run: Run, root: Path, *arguments: str) -> tuple[dict[str, str], list[dict[str, str]]]:
    """The status of each check that belongs here, and what they found."""
    result = run("dr-verify", TASK, "--floor-only", "--no-write", "--json", *arguments, cwd=root)
    document = json.loads(result.stdout)
    ours = ("drift:", "archive_claim", "policy_layer")
    checks = {it["check_name"]: it["status"] for it in document["checks"] if it["check_name"].startswith(ours)}
    return checks, [it for it in document["findings"] if it["check_name"].startswith(ours)]


def test_all_four_kinds_are_reported_and_admitted(run: Run, tmp_path: Path) -> None:
    Case(drift=EVERYTHING).make(tmp_path)
    checks, found = drift(run, tmp_path, "--stage", "do")
    assert set(checks.values()) == {"ran"}
    assert {it["check_name"]: (it["artifact_ref"].rpartition(":")[0], it["severity"]) for it in found} == {
        "drift:scope_creep": ('"lib/new\\nline.py"', "medium"),
        "drift:spec_decay": (PRD, "medium"),
        "drift:execution_skew": (PLAN, "medium"),
        "drift:orphaned_requirements": (PRD, "high"),
    }
    assert not any(it["discarded"] for it in found)
    assert {it["evidence_verified"] for it in found} <= {"true", "unchecked"}


@pytest.mark.parametrize("shapes", [Shapes(), Shapes(commits="branch")], ids=str)
def test_a_clean_task_has_none(shapes: Shapes, run: Run, tmp_path: Path) -> None:
    Case(shapes=shapes).make(tmp_path)
    assert drift(run, tmp_path, "--stage", "do")[1] == []


def test_the_task_s_commits_may_be_named(run: Run, tmp_path: Path) -> None:
    commits, _ = Case(shapes=Shapes(commits="range"), drift=Drift(creep=("b.py",))).make(tmp_path)
    assert commits is not None
    _, found = drift(run, tmp_path, "--stage", "do", "--commits", commits)
    assert [it["artifact_ref"] for it in found] == ["b.py:1"]
    assert drift(run, tmp_path, "--stage", "do")[1] == []


def test_an_archive_that_claims_what_is_not_so_is_blocked(run: Run, tmp_path: Path) -> None:
    description = {f"datarim/tasks/{TASK}-task-description.md": "---\ncomplexity: L3\n---\n# Task\n"}
    claim = "# Archive\n\nLanded in commit deadbee. 12 passed (`datarim/qa/run.log`).\n"
    build(tmp_path, [Commit("start", {**description, ARCHIVE: claim, "datarim/qa/run.log": "11 passed\n"})])
    checks, found = drift(run, tmp_path, "--stage", "archive")
    assert checks["archive_claim"] == "ran"
    assert [(it["check_name"], it["severity"], it["artifact_ref"]) for it in found] == [
        ("archive_claim", "high", f"{ARCHIVE}:3")
    ] * 2
    result = run("dr-verify", TASK, "--floor-only", "--no-write", "--json", "--stage", "archive", cwd=tmp_path)
    assert (result.returncode, json.loads(result.stdout)["verdict"]) == (1, "BLOCKED")


def test_without_git_they_could_not_run_and_that_is_said(run: Run, tmp_path: Path) -> None:
    Case().make(tmp_path)
    (tmp_path / ".git").rename(tmp_path / "elsewhere")
    checks, found = drift(run, tmp_path, "--stage", "do")
    assert (checks.pop("drift:orphaned_requirements"), found) == ("ran", [])
    assert set(checks.values()) == {"could-not-run"}


def test_the_lines_of_the_floor_carry_the_subtype_of_their_drift(run: Run, tmp_path: Path) -> None:
    Case(drift=EVERYTHING).make(tmp_path)
    result = run("dr-verify", "floor", "--task", TASK, "--stage", "do", cwd=tmp_path)
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    subtypes = {line["check_name"]: line["drift_subtype"] for line in lines if line["category"] == "consistency"}
    assert subtypes == {
        f"drift:{kind}": kind for kind in ("scope_creep", "spec_decay", "execution_skew", "orphaned_requirements")
    }
