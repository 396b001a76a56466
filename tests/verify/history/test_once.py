"""What the floor's checks ask: once a run, whatever the number of checks."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from repository_support import Repository, counting_git

from toolkit.policy.sets import PolicySet
from verify.floor.changes import task_changes, task_history
from verify.floor.check import FloorContext
from verify.task import find_workspace, load_task


def test_every_check_asks_and_git_runs_once(
    tmp_path: Path, policies: PolicySet, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = Repository(tmp_path / "w")
    repository.commit("base", {"datarim/tasks.md": "- ABC-1 \u00b7 in_progress \u00b7 P1 \u00b7 L2 \u00b7 x\n"})
    repository.commit("ABC-1: x", {"a": "1"})
    folder, runs = counting_git(tmp_path / "bin", shutil.which("git") or "git")
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    context = FloorContext(load_task(find_workspace(tmp_path / "w"), "ABC-1", policies), "do", policies)
    for _ in range(3):
        assert [commit.subject for commit in context.once(task_history).commits] == ["ABC-1: x"]
        assert [[change.path for change in each.changed] for each in context.once(task_changes)] == [["a"]]
    assert len(runs.read_text().splitlines()) == 4


def test_a_range_that_the_user_named_is_the_tasks(tmp_path: Path, policies: PolicySet) -> None:
    repository = Repository(tmp_path)
    repository.commit("base", {"datarim/tasks.md": "- ABC-1 \u00b7 in_progress \u00b7 P1 \u00b7 L2 \u00b7 x\n"})
    repository.commit("unnamed", {"a": "1"})
    task = load_task(find_workspace(tmp_path), "ABC-1", policies)
    context = FloorContext(task, "do", policies, commits="HEAD~1..HEAD")
    assert [commit.subject for commit in context.once(task_history).commits] == ["unnamed"]
