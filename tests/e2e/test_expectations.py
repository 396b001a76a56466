"""``dr-verify expectations`` as other programs call it: its lines, its exit statuses, its document."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from captured_support import ID, TASKS, checklist, description, wish, workspace, write
from jsonschema import Draft202012Validator
from tests_support import Run

PATH = f"{TASKS}/{ID}-expectations.md"
SCHEMA = Path(__file__).parents[2] / "docs/schemas/dr-verify.expectations.v1.json"
OPEN = checklist(wish("a"), wish("быстро", "partial"), wish("c", "missed", number=3))
BY_OPERATOR = {"override": "good enough for now", "override_by": "operator"}
PASS = "PASS: all expectation items met / n-a / pending / deleted\n"
CONDITIONAL = "CONDITIONAL_PASS: all partial/missed items carry an operator-authored or artefact-backed override\n"
NEXT = f"Next step: /dr-do {ID} --focus-items быстро,c\n"
BLOCKED = f"BLOCKED: 2 expectation(s) require resolution\nFocus items: быстро,c\n{NEXT}"
ABSENT = "BLOCKED: expectations checklist absent — run /dr-prd or /dr-plan first\n"
BROKEN = "BLOCKED: expectations file fails structural validation; run --task --report for detail\n"


def held(printed: str) -> Any:
    document = json.loads(printed)
    Draft202012Validator(json.loads(SCHEMA.read_bytes())).validate(document)
    return document


@pytest.mark.parametrize(
    ("text", "status", "printed"),
    [
        (checklist(wish("a"), wish("b", "pending"), wish("c", "n-a"), wish("d", "deleted")), 0, PASS),
        (checklist(wish("a"), wish("b", "missed", BY_OPERATOR)), 0, CONDITIONAL),
        (OPEN, 1, BLOCKED),
        ("", 1, ABSENT),
        ("no front matter", 1, BROKEN),
        (checklist(wish("a", "done")), 1, BROKEN),
        (checklist(), 1, BROKEN),
        (checklist(wish(), task_id="ABC-0002"), 1, BROKEN),
    ],
)
def test_the_verdict_stands_at_the_start_of_its_lines(
    run: Run, tmp_path: Path, text: str, status: int, printed: str
) -> None:
    root = workspace(tmp_path, expectations=text)
    result = run("dr-verify", "expectations", "--verify", ID, cwd=root)
    said = f"ERROR: {PATH}: the file is missing\n" if printed == ABSENT else ""
    assert (result.returncode, result.stdout, result.stderr) == (status, printed, said)
    reported = run("dr-verify", "expectations", f"--verify={ID}", "--report", f"--root={root / TASKS}", cwd="/")
    assert reported.returncode == status
    assert reported.stdout.startswith(printed)
    machine = run("dr-verify", "expectations", "--verify", ID, "--json", cwd=root)
    document = held(machine.stdout)
    assert (machine.returncode, document["ok"]) == (status, status == 0)
    assert printed.startswith(f"{document['outcome']}: ")


@pytest.mark.parametrize("content", [b"\xff", b"x" * 1_100_000])
def test_a_file_that_cannot_be_used_is_blocked_as_one_that_fails(run: Run, tmp_path: Path, content: bytes) -> None:
    root = workspace(tmp_path)
    write(root, PATH, content)
    result = run("dr-verify", "expectations", "--verify", ID, cwd=root)
    assert (result.returncode, result.stdout) == (1, BROKEN)
    told = run("dr-verify", "expectations", "--task", ID, cwd=root)
    assert (told.returncode, told.stdout) == (1, "")
    assert told.stderr.startswith(f"ERROR: {PATH}: ")


def test_an_unknown_task_has_no_checklist(run: Run, tmp_path: Path) -> None:
    result = run("dr-verify", "expectations", "--verify", "XYZ-9", cwd=workspace(tmp_path))
    assert (result.returncode, result.stdout) == (1, ABSENT)


def test_the_report_says_why_a_wish_blocks(run: Run, tmp_path: Path) -> None:
    root = workspace(tmp_path, expectations=OPEN)
    printed = run("dr-verify", "expectations", "--verify", ID, "--report", cwd=root).stdout
    assert "быстро: partial (empirical, V-AC-1); it blocks: it carries no override" in printed
    document = held(run("dr-verify", "expectations", "--verify", ID, "--json", cwd=root).stdout)
    assert document["focus_items"] == ["быстро", "c"]
    assert [one["blocks"] for one in document["wishes"]] == [None, *["it carries no override"] * 2]


def test_an_artifact_on_record_is_looked_up_in_backlog_and_tasks(run: Run, tmp_path: Path) -> None:
    fields = {
        "override": "waits for the vendor",
        "override_by": "agent",
        "override_class": "external-blocker",
        "override_artifact": "XYZ-0007",
    }
    root = workspace(tmp_path, expectations=checklist(wish("a", "partial", fields)), backlog="- XYZ-0007 · open\n")
    assert run("dr-verify", "expectations", "--verify", ID, cwd=root).stdout == CONDITIONAL
    write(root, "datarim/backlog.md", "- XYZ-00071 · open\n")
    result = run("dr-verify", "expectations", "--verify", ID, cwd=root)
    assert (result.returncode, result.stdout.splitlines()[1]) == (1, "Focus items: a")


def test_a_structure_that_holds_is_ok_and_each_error_names_the_file(run: Run, tmp_path: Path) -> None:
    root = workspace(tmp_path, expectations=OPEN)
    result = run("dr-verify", "expectations", "--task", ID, cwd=root)
    assert (result.returncode, result.stdout, result.stderr) == (0, f"OK: {PATH}\n", "")
    write(root, PATH, OPEN.replace("  - evidence_type", "    - evidence_type").replace("    - missed", "    - lost"))
    result = run("dr-verify", "expectations", "--task", ID, "--report", cwd=root)
    assert result.returncode == 1
    lines = result.stderr.splitlines()
    assert all(line.startswith(f"ERROR: {PATH}: line ") for line in lines)
    assert sum("evidence_type stands at the wrong indent: 4 instead of 2" in line for line in lines) == 3
    assert sum("the current status is 'lost'" in line for line in lines) == 1
    document = held(run("dr-verify", "expectations", "--task", ID, "--json", cwd=root).stdout)
    assert (document["ok"], document["outcome"], len(document["problems"])) == (False, None, 4)
    missing = run("dr-verify", "expectations", "--task", "XYZ-1", cwd=root)
    assert (missing.returncode, missing.stderr) == (
        1,
        f"ERROR: {TASKS}/XYZ-1-expectations.md: the file is missing\n",
    )


def test_version_one_is_deprecated_and_holds(run: Run, tmp_path: Path) -> None:
    root = workspace(tmp_path, expectations=checklist(wish(fields={"evidence_type": ""}), version=1))
    for option in ("--task", "--verify"):
        result = run("dr-verify", "expectations", option, ID, cwd=root)
        assert result.returncode == 0
        assert [line.split(":")[0] for line in result.stderr.splitlines()] == ["DEPRECATION"]
    assert held(run("dr-verify", "expectations", "--verify", ID, "--json", cwd=root).stdout)["deprecated"]


def test_reproducible_evidence_is_wired(run: Run, tmp_path: Path) -> None:
    fields = {"verification_mode": "reproducible", "evidence_artifact": "totals-survive"}
    root = workspace(tmp_path, expectations=checklist(wish(fields=fields), version=3))
    result = run("dr-verify", "expectations", "--task", ID, cwd=root)
    assert result.returncode == 1
    assert "verification-not-wired" in result.stderr
    assert run("dr-verify", "expectations", "--verify", ID, cwd=root).stdout == BROKEN
    write(root, ".github/workflows/ci.yml", "run: bats -f totals-survive\n")
    assert run("dr-verify", "expectations", "--verify", ID, cwd=root).stdout == PASS


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--task", ID, "--verify", ID],
        ["--verify", ID, "--all"],
        ["--verify"],
        ["--all", "--today", "x"],
        [ID],
        ["--nope"],
    ],
)
def test_wrong_usage_exits_two_and_prints_nothing(run: Run, tmp_path: Path, arguments: list[str]) -> None:
    root = workspace(tmp_path, expectations=OPEN)
    result = run("dr-verify", "expectations", *arguments, cwd=root)
    assert (result.returncode, result.stdout) == (2, "")
    assert run("dr-verify", "expectations", "--verify", "../x", cwd=root).returncode == 2


def test_a_survey_asks_l3_and_l4_and_exits_zero(run: Run, tmp_path: Path) -> None:
    static = {"evidence_type": "static"}
    both = checklist(wish("a", fields=static), wish("b", fields=static), task_id="ABC-0005")
    tasks = [
        ("L2", "2026-11-25", ""),
        ("L3", "2026-11-25", ""),
        ("L4", "2020-01-01", ""),
        ("", "never", "broken"),
        ("L3", "2026-11-25", both),
        ("L3", "2026-11-25", checklist(wish("a", "missed"), task_id="ABC-0006")),
    ]
    for at, (level, started, text) in enumerate(tasks, start=1):
        task_id = f"ABC-{at:04}"
        write(tmp_path, f"{TASKS}/{task_id}-task-description.md", description(task_id, level, started=started))
        if text:
            write(tmp_path, f"{TASKS}/{task_id}-expectations.md", text)
    write(tmp_path, f"{TASKS}/ABC-0007-task-description.md", description("ABC-0007", legacy="true"))
    write(tmp_path, f"{TASKS}/ABC-0008-expectations.md", b"\xff")
    write(tmp_path, "datarim/tasks.md", "- ABC-0004 · open · P1 · L4 · x\n- ABC-0008 · open · P1 · L3 · y\n")
    result = run("dr-verify", "expectations", "--all", "--today", "2026-11-30", cwd=tmp_path)
    assert result.returncode == 0
    lines = result.stdout.splitlines()
    assert [line[: len("info: datarim/tasks/ABC-0002")] for line in lines if "ABC-0004" not in line] == [
        "info: datarim/tasks/ABC-0002",
        "warn: datarim/tasks/ABC-0003",
        "warn: datarim/tasks/ABC-0005",
    ]
    assert all(line.startswith("warn: ") and "no date was found" in line for line in lines if "ABC-0004" in line)
    assert "WARNING: all wishes (2) rest on static evidence" in lines[-1]
    assert result.stderr.startswith(f"ERROR: {TASKS}/ABC-0008-expectations.md: ")
    document = held(run("dr-verify", "expectations", "--all", "--json", cwd=tmp_path).stdout)
    assert [one["task_id"] for one in document["skipped"]] == ["ABC-0001", "ABC-0007"]
    assert document["skipped"][0]["reason"].startswith("L2 (")


def test_a_survey_goes_on_after_a_task_whose_evidence_nobody_could_judge(run: Run, tmp_path: Path) -> None:
    fields = {"verification_mode": "reproducible", "evidence_artifact": "totals-survive"}
    root = workspace(tmp_path, expectations=checklist(wish(fields=fields), version=3))
    write(root, f"{TASKS}/ABC-0002-task-description.md", description("ABC-0002"))
    write(root, "big.yml", b"#" * 1_100_000)
    result = run("dr-verify", "expectations", "--all", cwd=root)
    assert result.returncode == 3
    assert result.stderr.startswith(f"ERROR: {PATH}: line 1: whether anything runs totals-survive")
    assert "ABC-0002" in result.stdout
    one = run("dr-verify", "expectations", "--verify", ID, cwd=root)
    assert (one.returncode, one.stdout) == (3, "")
    assert "wiring_undetermined" in one.stderr


def test_a_survey_of_hundreds_reads_on(run: Run, tmp_path: Path) -> None:
    for at in range(200):
        write(tmp_path, f"{TASKS}/ABC-{at}-task-description.md", description(f"ABC-{at}"))
        write(tmp_path, f"{TASKS}/ABC-{at}-expectations.md", checklist(wish(), task_id=f"ABC-{at}"))
    result = run("dr-verify", "expectations", "--all", cwd=tmp_path)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_the_repository_needs_no_git_and_changes_nothing(run: Run, tmp_path: Path) -> None:
    root = workspace(tmp_path, expectations=OPEN)
    before = sorted((str(path), path.stat().st_mtime_ns) for path in root.rglob("*"))
    run("dr-verify", "expectations", "--verify", ID, cwd=root, PATH="/nowhere")
    assert sorted((str(path), path.stat().st_mtime_ns) for path in root.rglob("*")) == before
