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
