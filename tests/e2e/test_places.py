"""Every directory that a command is given is meant relative to ``--cwd``, and one that is not there is wrong usage."""

from __future__ import annotations

import subprocess
import sys
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


def test_rules_are_not_listed_for_a_place_that_is_none(run: Run, tmp_path: Path) -> None:
    outside = run("dr-verify", "spec", "rules", cwd=tmp_path)
    assert outside.returncode == 0
    assert run("dr-verify", "spec", "rules", "--root", "nowhere", cwd=tmp_path).returncode == 2
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace/datarim").symlink_to("../elsewhere")
    leads_out = run("dr-verify", "spec", "rules", "--root", "workspace", cwd=tmp_path)
    assert (leads_out.returncode, leads_out.stdout) == (2, "")
    assert "outside of the workspace" in leads_out.stderr


def test_what_stands_below_the_process_s_own_directory_says_nothing_of_a_place_below_cwd(
    run: Run, tmp_path: Path
) -> None:
    (tmp_path / "shims").write_text("a file of the same name")
    (tmp_path / "there").mkdir()
    installed = run("dr-verify", "install", "shims", "shims", "--cwd", "there", cwd=tmp_path)
    assert installed.returncode == 0, installed.stderr
    assert (tmp_path / "there/shims/dr-verify-floor.sh").exists()
    refused = run("dr-verify", "install", "shims", "shims", cwd=tmp_path)
    assert refused.returncode in (2, 3)
    assert (tmp_path / "shims").read_text() == "a file of the same name"


@pytest.mark.parametrize(
    ("command", "status"),
    [(("resolve-provider",), 1), (("audit", "list"), 2), (("spec", "rules"), 2), ((TASK, "--floor-only"), 2)],
    ids=str,
)
def test_a_current_directory_that_was_removed_is_named(
    command: tuple[str, ...], status: int, environment: dict[str, str], tmp_path: Path
) -> None:
    program = Path(sys.executable).parent / "dr-verify"
    script = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"'
    done = subprocess.run(
        ["sh", "-c", script, "sh", str(program), *command],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (status, "")
    assert "the current directory is no longer there" in done.stderr


@pytest.mark.parametrize("look", ["list", "check"])
@pytest.mark.parametrize("name", ["ledg-0042", "../x", ""])
def test_logs_are_not_looked_for_under_what_is_no_task_id(
    look: str, name: str, run: Run, example: Callable[[str], Path]
) -> None:
    refused = run("dr-verify", "audit", look, name, cwd=example("ledger-repaired"))
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "invalid_task_id" in refused.stderr
