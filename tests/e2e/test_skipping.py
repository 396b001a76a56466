"""Tasks that are not verified: exit 0, no verdict, no log, and the reason with its place."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests_support import Run

TASK = "LEDG-0042"
DESCRIPTION = f"datarim/tasks/{TASK}-task-description.md"
Example = Callable[[str], Path]


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def _run(run: Run, root: Path, *arguments: str) -> tuple[int, dict[str, object]]:
    result = run("dr-verify", TASK, "--floor-only", "--no-commands", "--json", *arguments, cwd=root)
    return result.returncode, json.loads(result.stdout)


def test_a_trivial_task_is_skipped_with_the_place_that_says_so(run: Run, example: Example) -> None:
    root = example("ledger")
    _edit(root / "datarim/prd/PRD-LEDG-0042.md", "**Complexity:** Level 3\n", "")
    _edit(root / DESCRIPTION, "complexity: L3", "complexity: L1")
    status, document = _run(run, root)
    assert (status, document["verdict"], document["audit_log"]) == (0, None, None)
    assert document["skipped"] == {"reason": f"an L1 task is not verified (L1: {DESCRIPTION}:6)"}
    assert not list((root / "datarim").glob("qa/verify-*"))
    assert run("dr-verify", TASK, "--floor-only", cwd=root).stdout.startswith(f"SKIPPED  {TASK} (all): an L1 task")


def test_an_archived_task_is_verified_only_as_an_archive(run: Run, example: Example) -> None:
    root = example("ledger")
    archive = root / "documentation/archive/general"
    archive.mkdir(parents=True)
    (archive / f"archive-{TASK}.md").write_text("# Archive\n")
    status, document = _run(run, root)
    assert (status, document["verdict"]) == (0, None)
    assert f"archive-{TASK}.md" in str(document["skipped"])
    assert _run(run, root, "--stage", "archive", "--no-write")[1]["skipped"] is None


def test_a_trivial_task_is_left_alone_as_an_archive_too(run: Run, example: Example) -> None:
    root = example("ledger")
    _edit(root / "datarim/prd/PRD-LEDG-0042.md", "**Complexity:** Level 3\n", "**Complexity:** Level 1\n")
    for stage in ("prd", "plan", "do", "archive", "all"):
        status, document = _run(run, root, "--stage", stage)
        assert (status, document["verdict"], document["checks"], document["findings"]) == (0, None, [], [])
        assert str(document["skipped"]).count("an L1 task is not verified") == 1
        assert (document["waivers"], document["commits"]) == (
            {"applied": 0, "expired": [], "file": None, "unused": []},
            [],
        )


def test_a_waiver_file_that_is_bad_is_told_of_a_skipped_task_too(run: Run, example: Example) -> None:
    root = example("ledger")
    _edit(root / "datarim/prd/PRD-LEDG-0042.md", "**Complexity:** Level 3\n", "**Complexity:** Level 1\n")
    (root / ".dr/waivers.yaml").write_text("waivers: none\n")
    assert _run(run, root)[0] == 2


def test_what_another_task_says_of_itself_skips_nothing(run: Run, example: Example) -> None:
    root = example("ledger")
    rows = f"| ID | Status | Level | Depends on |\n| --- | --- | --- | --- |\n| LEDG-0001 | archived | L1 | {TASK} |\n"
    (root / "datarim/tasks.md").write_text(rows)
    _edit(root / "datarim/prd/PRD-LEDG-0042.md", "**Complexity:** Level 3\n", "**Complexity:** L1 | L2 | L3\n")
    assert _run(run, root)[1]["verdict"] == "BLOCKED"
