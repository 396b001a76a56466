"""``dr-verify init-task`` as other programs call it: its lines, its exit statuses, its document."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from captured_support import ID, TASKS, description, init_task, question, workspace, write
from jsonschema import Draft202012Validator
from tests_support import Run

PATH = f"{TASKS}/{ID}-init-task.md"
SCHEMA = Path(__file__).parents[2] / "docs/schemas/dr-verify.init-task.v1.json"


def held(printed: str) -> Any:
    document = json.loads(printed)
    Draft202012Validator(json.loads(SCHEMA.read_bytes())).validate(document)
    return document


def test_one_that_holds_exits_zero(run: Run, tmp_path: Path) -> None:
    root = workspace(tmp_path, init_task=init_task(question()))
    result = run("dr-verify", "init-task", "--task", ID, cwd=root)
    assert (result.returncode, result.stdout, result.stderr) == (0, f"OK: {PATH}\n", "")
    result = run("dr-verify", "init-task", f"--task={ID}", "--report", f"--root={root / 'datarim/tasks'}", cwd="/")
    assert result.returncode == 0
    assert "1 question(s)" in result.stdout
    assert "/dr-prd round 1, decided by operator" in result.stdout
    document = held(run("dr-verify", "init-task", "--task", ID, "--json", cwd=root).stdout)
    assert (document["ok"], document["tasks"], document["problems"]) == (True, [ID], [])


def test_each_error_is_a_line_that_names_the_file(run: Run, tmp_path: Path) -> None:
    text = init_task(question("agent"), task_id="ABC-0002").replace("## Append-log", "## Log")
    root = workspace(tmp_path, init_task=text)
    result = run("dr-verify", "init-task", "--task", ID, cwd=root)
    assert (result.returncode, result.stdout) == (1, "")
    lines = result.stderr.splitlines()
    assert len(lines) == 3
    assert all(line.startswith(f"ERROR: {PATH}: line ") for line in lines)
    result = run("dr-verify", "init-task", "--task", ID, "--json", cwd=root)
    assert (result.returncode, result.stderr) == (1, "")
    document = held(result.stdout)
    assert [one["code"] for one in document["problems"]] == ["front-matter-value", "heading-missing", "rationale"]
    assert {one["level"] for one in document["problems"]} == {"error"}


@pytest.mark.parametrize("content", [None, b"\xff\xfe", b"x" * 1_100_000])
def test_a_file_that_is_missing_or_unusable_does_not_hold(run: Run, tmp_path: Path, content: bytes | None) -> None:
    root = workspace(tmp_path)
    if content is not None:
        write(root, PATH, content)
    result = run("dr-verify", "init-task", "--task", ID, cwd=root)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith(f"ERROR: {PATH}: ")
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [[], ["--task"], ["--task", ID, "--all"], ["--all", "--today", "soon"], ["--task", ID, "--root", "nowhere"], [ID]],
)
def test_wrong_usage_exits_two_and_prints_nothing(run: Run, tmp_path: Path, arguments: list[str]) -> None:
    root = workspace(tmp_path, init_task=init_task())
    result = run("dr-verify", "init-task", *arguments, cwd=root)
    assert (result.returncode, result.stdout) == (2, "")


@pytest.mark.parametrize("task_id", ["../x", "abc-1", "", "ABC-1/../../x"])
def test_what_is_no_task_id_is_refused(run: Run, tmp_path: Path, task_id: str) -> None:
    result = run("dr-verify", "init-task", "--task", task_id, cwd=workspace(tmp_path))
    assert (result.returncode, result.stdout) == (2, "")
    assert "invalid_task_id" in result.stderr


def test_outside_of_a_workspace_the_error_says_what_to_do(run: Run, tmp_path: Path) -> None:
    result = run("dr-verify", "init-task", "--all", "--json", cwd=tmp_path)
    assert result.returncode == 2
    assert json.loads(result.stdout)["error"]["code"] == "workspace_not_found"


def _many(root: Path) -> Path:
    """Tasks of every age and state."""
    for at, (started, text) in enumerate(
        [
            ("2026-11-25", ""),
            ("2026-10-31", ""),
            ("2026-11-01", ""),
            ("never", ""),
            ("2020-01-01", init_task(task_id="ABC-0005")),
            ("2027-01-01", "broken"),
        ],
        start=1,
    ):
        task_id = f"ABC-{at:04}"
        write(root, f"{TASKS}/{task_id}-task-description.md", description(task_id, started=started))
        if text:
            write(root, f"{TASKS}/{task_id}-init-task.md", text)
    for at, more in enumerate([{"legacy": "true"}, {"status": "archived"}, {"status": "cancelled"}], start=7):
        write(root, f"{TASKS}/ABC-{at:04}-task-description.md", description(f"ABC-{at:04}", **more))
    write(root, f"{TASKS}/ABC-0010-init-task.md", b"\xff")
    return root


def test_a_survey_tells_young_tasks_from_old_ones_and_exits_zero(run: Run, tmp_path: Path) -> None:
    root = _many(tmp_path)
    result = run("dr-verify", "init-task", "--all", "--today", "2026-11-30", cwd=root)
    assert result.returncode == 0
    told = [
        (line.split(":")[0], line[line.index("ABC-") : line.index("ABC-") + 8]) for line in result.stdout.splitlines()
    ]
    assert dict.fromkeys(told) == dict.fromkeys(
        [("info", "ABC-0001"), ("warn", "ABC-0002"), ("info", "ABC-0003"), ("warn", "ABC-0004"), ("info", "ABC-0006")]
    )
    assert "no date was found" in result.stdout
    assert result.stderr.startswith(f"ERROR: {TASKS}/ABC-0010-init-task.md: line 1: ")
    later = run("dr-verify", "init-task", "--all", "--today", "2027-06-01", cwd=root)
    assert {line.split(":")[0] for line in later.stdout.splitlines()} == {"warn"}
    document = held(run("dr-verify", "init-task", "--all", "--today", "2026-11-30", "--json", cwd=root).stdout)
    assert [one["task_id"] for one in document["skipped"]] == ["ABC-0007", "ABC-0008", "ABC-0009"]
    assert document["tasks"][-1] == "ABC-0010"
    assert not document["ok"]
    report = run("dr-verify", "init-task", "--all", "--report", "--today", "2026-11-30", cwd=root).stdout
    assert f"ok: {TASKS}/ABC-0005-init-task.md" in report
    assert "skipped: ABC-0007: " in report


def test_a_survey_of_hundreds_reads_on(run: Run, tmp_path: Path) -> None:
    for at in range(300):
        write(tmp_path, f"{TASKS}/ABC-{at}-task-description.md", description(f"ABC-{at}"))
        write(tmp_path, f"{TASKS}/ABC-{at}-init-task.md", init_task(task_id=f"ABC-{at}"))
    result = run("dr-verify", "init-task", "--all", cwd=tmp_path)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


# Everything is imported and the policies are read before the rights are given up.
UNPRIVILEGED = """
import contextlib, io, os, sys
from toolkit.sources import loading
from verify.commands.main import main
os.environ["DR_VERIFY_CACHE_DIR"] = "/dev/null/none"
silent = io.TextIOWrapper(io.BytesIO())
with contextlib.suppress(SystemExit), contextlib.redirect_stdout(silent), contextlib.redirect_stderr(silent):
    main()
os.environ["XDG_CONFIG_HOME"] = "/dev/null/none"  # root's own policies are nobody else's to look for
kept = loading.read_shipped()
loading.read_shipped = lambda: kept
if os.getuid() == 0:
    os.setgid(65534); os.setuid(65534)
main()
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that anybody may enter, whatever other runs of the tests do to those of pytest."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder).resolve()


@pytest.mark.parametrize(
    "arguments", [["init-task", "--task", ID], ["init-task", "--all"], ["expectations", "--verify", ID]]
)
def test_a_file_that_may_not_be_read_is_undetermined(
    open_folder: Path, environment: dict[str, str], arguments: list[str]
) -> None:
    root = workspace(open_folder, init_task=init_task(), expectations="x")
    write(root, f"{TASKS}/ABC-0002-task-description.md", description("ABC-0002"))
    for name in ("init-task", "expectations"):
        (root / f"{TASKS}/{ID}-{name}.md").chmod(0)
    command = [sys.executable, "-c", UNPRIVILEGED, *arguments]
    result = subprocess.run(command, cwd=root, env=environment, capture_output=True, encoding="utf-8", check=False)
    assert result.returncode == 3, result.stderr
    assert "Traceback" not in result.stderr
    assert ID in result.stderr
    if "--all" in arguments:
        assert "ABC-0002" in result.stdout  # the others are told all the same
