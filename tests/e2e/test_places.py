"""Every directory that a command is given is meant relative to ``--cwd``, and one that is not there is wrong usage."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests_support import Run

TASK = "LEDG-0042"
COMMANDS = [
    (TASK, "--stage", "prd", "--floor-only", "--no-write", "--workspace"),
    ("floor", "--task", TASK, "--no-commands", "--workspace"),
    ("init-task", "--task", TASK, "--root"),
    ("expectations", "--verify", TASK, "--root"),
    *(("spec", look, "--task", TASK, "--root") for look in ("lint", "trace", "grade", "check", "gate")),
    ("audit", "list", "--workspace"),
    ("audit", "check", "--workspace"),
    ("stats", "--workspace"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:2]))
def test_a_directory_is_relative_to_cwd(command: tuple[str, ...], run: Run, example: Callable[[str], Path]) -> None:
    root = example("ledger-repaired")
    there = run("dr-verify", *command, ".", cwd=root)
    elsewhere = run("dr-verify", *command, root.name, "--cwd", str(root.parent), cwd=Path("/"))
    assert there.returncode == 0, there.stderr
    assert (elsewhere.returncode, elsewhere.stdout) == (there.returncode, there.stdout), elsewhere.stderr
    nowhere = run("dr-verify", *command, root.name, "--cwd", str(root), cwd=root.parent)
    assert (nowhere.returncode, nowhere.stdout) == (2, "")
    assert f"{command[-1]}: there is no directory" in nowhere.stderr


def test_the_folders_of_the_statistics_are_relative_to_cwd_too(run: Run, example: Callable[[str], Path]) -> None:
    root = example("ledger-repaired")
    (root / "logs").mkdir()
    asked = ("stats", "--verify-dir", "logs", "--archive-dir", "logs", "--cwd")
    assert run("dr-verify", *asked, str(root), cwd=Path("/")).returncode == 0
    assert run("dr-verify", *asked, str(root.parent), cwd=root).returncode == 2
