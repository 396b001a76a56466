"""Where a report goes: whole files, devices written to, nothing of the workspace replaced."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests_support import Run

TASK = "LEDG-0042"
Example = Callable[[str], Path]


def _verify(run: Run, root: Path, *arguments: str) -> tuple[int, str, str]:
    result = run("dr-verify", TASK, "--floor-only", "--no-commands", *arguments, cwd=root)
    return result.returncode, result.stdout, result.stderr


def test_a_report_replaces_the_old_one_whole_and_leaves_nothing_beside_it(run: Run, example: Example) -> None:
    root = example("ledger-repaired")
    (root / "report.json").write_text("old")
    before = set(os.listdir(root))
    status, printed, _ = _verify(run, root, "--json", "--output", "report.json")
    assert (status, printed) == (0, "")
    assert json.loads((root / "report.json").read_text())["task_id"] == TASK
    assert set(os.listdir(root)) == before


def test_a_link_is_written_through(run: Run, example: Example, tmp_path: Path) -> None:
    root = example("ledger-repaired")
    (tmp_path / "real.json").write_text("old")
    (root / "report.json").symlink_to(tmp_path / "real.json")
    assert _verify(run, root, "--json", "--output", "report.json")[0] == 0
    assert (root / "report.json").is_symlink()
    assert json.loads((tmp_path / "real.json").read_text())["task_id"] == TASK


def test_a_pipe_is_written_to_and_not_replaced(run: Run, example: Example) -> None:
    root = example("ledger-repaired")
    os.mkfifo(root / "pipe")
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append((root / "pipe").read_text()))
    reader.start()
    assert _verify(run, root, "--json", "--output", "pipe")[0] == 0
    reader.join()
    assert json.loads(read[0])["task_id"] == TASK
    assert (root / "pipe").is_fifo()


@pytest.mark.parametrize("name", ["", ".", "missing/report.txt", "datarim/tasks.md", "datarim/prd/PRD-LEDG-0042.md"])
def test_what_cannot_be_or_may_not_be_replaced_is_refused_before_the_run(run: Run, example: Example, name: str) -> None:
    root = example("ledger-repaired")
    before = (root / "datarim/prd/PRD-LEDG-0042.md").read_bytes()
    status, printed, told = _verify(run, root, "--output", name)
    assert (status, printed) == (2, "")
    assert "output_not_writable" in told
    assert not list((root / "datarim").glob("qa/*"))
    assert (root / "datarim/prd/PRD-LEDG-0042.md").read_bytes() == before


def test_an_earlier_log_is_not_replaced(run: Run, example: Example) -> None:
    root = example("ledger-repaired")
    _verify(run, root)
    log = root / f"datarim/qa/verify-{TASK}-all-1.md"
    before = log.read_bytes()
    assert _verify(run, root, "--no-write", "--output", str(log))[0] == 2
    assert log.read_bytes() == before


def test_the_repositorys_own_policies_are_named_in_every_report_and_in_the_log(run: Run, example: Example) -> None:
    root = example("ledger-repaired")
    document = json.loads(_verify(run, root, "--json")[1])
    assert document["policy_files"] == [".dr/policies/floor.yaml"]
    assert any(".dr/policies/floor.yaml" in warning for warning in document["warnings"])
    assert ".dr/policies/floor.yaml" in (root / document["audit_log"]).read_text()
    for name in ("text", "markdown", "junit", "sarif"):
        assert ".dr/policies/floor.yaml" in _verify(run, root, "--no-write", "--format", name)[1]


def test_the_highest_number_that_a_log_can_bear_does_not_block_later_runs(run: Run, example: Example) -> None:
    root = example("ledger-repaired")
    (root / "datarim/qa").mkdir(exist_ok=True)
    (root / f"datarim/qa/verify-{TASK}-all-999999999.md").write_text("")
    document = json.loads(_verify(run, root, "--json")[1])
    assert document["audit_log"] == f"datarim/qa/verify-{TASK}-all-1.md"


def test_every_path_that_is_given_is_relative_to_cwd(run: Run, example: Example, tmp_path: Path) -> None:
    root = example("ledger-repaired")
    (root / "framework").mkdir()
    start = tmp_path / "elsewhere"
    start.mkdir()
    asked = ("dr-verify", TASK, "--floor-only", "--no-commands", "--no-write", "--json", "--cwd", "..")
    named = ("--workspace", root.name, "--framework-root", f"{root.name}/framework")
    first = run(*asked, *named, "--output", "before.json", cwd=start)
    assert (first.returncode, first.stdout) == (0, "")
    document = json.loads((tmp_path / "before.json").read_text())
    assert document["roots"] == [".", "datarim", "framework"]
    second = run(*asked, *named, "--baseline", "before.json", cwd=start)
    assert second.returncode == 0
    assert json.loads(second.stdout)["baseline"]["file"] == str(tmp_path / "before.json")
    floor = run("dr-verify", "floor", "--task", TASK, "--no-commands", "--cwd", "..", *named, cwd=start)
    assert floor.returncode == 0


@pytest.mark.parametrize("option", ["--workspace", "--framework-root"])
@pytest.mark.parametrize("name", ["nowhere", "pyproject.toml", "a" * 300])
def test_a_directory_that_is_none_is_wrong_usage(run: Run, example: Example, option: str, name: str) -> None:
    root = example("ledger-repaired")
    for command in ((TASK,), ("floor", "--task", TASK)):
        told = run("dr-verify", *command, option, name, cwd=root)
        assert (told.returncode, told.stdout) == (2, "")
        assert option in told.stderr
        assert name in told.stderr


FLOOR = ("dr-verify", "floor", "--no-commands")
KEYS = [
    "finding_id", "source_layer", "artifact_ref", "ac_criteria", "severity", "category", "drift_subtype", "evidence",
    "suggested_fix", "check_name",
]  # fmt: skip


def test_the_floor_prints_one_finding_a_line_and_its_count_last(run: Run, example: Example) -> None:
    root = example("ledger")
    result = run(*FLOOR, f"--task={TASK}", "--stage=all", f"--workspace={root}", "--framework-root", str(root / "src"))
    findings = [json.loads(line) for line in result.stdout.splitlines()]
    grave = sum(finding["severity"] == "high" for finding in findings)
    assert result.returncode == grave > 0
    assert result.stderr.splitlines()[-1] == f"[summary] findings={len(findings)} high_severity={grave}"
    assert {finding["finding_id"] for finding in findings} == {f"F-floor-{n}" for n in range(1, len(findings) + 1)}
    for finding in findings:
        assert list(finding) == [key for key in KEYS if key in finding]
        assert len(finding["evidence"]["excerpt"]) <= 200
        assert not finding["artifact_ref"].startswith(("/", ".."))


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--task",),
        ("--task", TASK, "--stage", "later"),
        ("--task", TASK, "--commits", "main"),
        ("--task", TASK, "--commits", "--output=x..y"),
        ("--task", TASK, "--commits", "a..--output=x"),
        ("--task", TASK, "--commits", "a...b"),
        ("--task", TASK, "--commits", "a..b c"),
        ("--task", TASK, "--commits", "a.." + "b" * 500),
        ("--task", "../x"),
        ("--task", "LEDG-9999"),
        ("--task", TASK, "--no-such-option"),
        ("--task", TASK, "surplus"),
    ],
)
def test_wrong_usage_of_the_floor_prints_no_finding(run: Run, example: Example, arguments: tuple[str, ...]) -> None:
    result = run(*FLOOR, *arguments, cwd=example("ledger"))
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr


def test_help_and_report_say_that_the_qa_review_is_not_replaced(run: Run, example: Example) -> None:
    words = "single-agent QA review (/dr-qa)"
    assert words in " ".join(run("dr-verify", "task", "--help").stdout.split())
    assert _verify(run, example("ledger-repaired"), "--no-write")[1].count(words) == 1


def test_an_active_session_is_a_warning_and_nothing_more(run: Run, example: Example) -> None:
    root = example("ledger-repaired")
    before = json.loads(_verify(run, root, "--no-write", "--json")[1])
    (root / "datarim/activeContext.md").write_text(f"# Active\n\n- {TASK} · /dr-do\n- ~~{TASK} · /dr-plan~~\n")
    status, printed, _ = _verify(run, root, "--no-write", "--json")
    after = json.loads(printed)
    assert (status, after["verdict"], after["exit"]) == (before["exit"], before["verdict"], before["exit"])
    (warning,) = set(after["warnings"]) - set(before["warnings"])
    assert warning.startswith("datarim/activeContext.md:3 notes an active /dr-do session")
    assert f"warning: {warning}" in _verify(run, root, "--no-write")[1]
