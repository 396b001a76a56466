"""What a task's commits changed: what may be held against them, what excuses, and where each path lies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from repository_support import Repository

from toolkit.errors import UndeterminedError
from toolkit.policy.sets import PolicySet
from verify.history.changes import CommitChanges, task_changes
from verify.history.derived import task_history
from verify.history.rules import HistoryRules

ID = "ABC-1"


@pytest.fixture
def rules(policies: PolicySet) -> HistoryRules:
    return HistoryRules.from_policy(policies)


def changes(
    workspace: Path, rules: HistoryRules, framework: Path | None = None, commits: str | None = None
) -> tuple[CommitChanges, ...]:
    return task_changes(task_history(ID, workspace, framework, commits, rules))


def paths(found: tuple[CommitChanges, ...]) -> list[tuple[set[str], set[str]]]:
    return [({one.path for one in each.changed}, {one.path for one in each.touched}) for each in found]


def test_a_commit_is_told_with_what_it_changed(tmp_path: Path, rules: HistoryRules) -> None:
    repository = Repository(tmp_path)
    repository.commit("base", {"a": "1", "b": "1"})
    repository.commit("ABC-1: x", {"a": "2", "n": "1"}, delete=["b"])
    (found,) = changes(tmp_path, rules)
    assert {(one.status, one.path) for one in found.changed} == {("M", "a"), ("A", "n"), ("D", "b")}
    assert found.changed == found.touched
    assert found.commit.subject == "ABC-1: x"


def test_a_task_without_commits_changed_nothing(tmp_path: Path, rules: HistoryRules) -> None:
    Repository(tmp_path).commit("base", {"a": "1"})
    assert changes(tmp_path, rules) == ()


def test_a_merge_is_accused_of_its_own_changes_only_and_excused_by_all_that_it_brought(
    tmp_path: Path, rules: HistoryRules
) -> None:
    repository = Repository(tmp_path)
    repository.commit("base", {"both": "0"})
    repository.branch("side")
    repository.commit("side", {"both": "1", "side": "1"})
    repository.branch("main")
    repository.commit("main", {"both": "2", "main": "1"})
    repository.merge("side", "Merge for ABC-1", {"both": "3"})
    assert paths(changes(tmp_path, rules)) == [({"both"}, {"both", "side"})]


def test_a_merge_of_the_default_branch_into_the_tasks_brings_nothing_of_the_tasks(
    tmp_path: Path, rules: HistoryRules
) -> None:
    repository = Repository(tmp_path)
    repository.commit("base", {"a": "0"})
    repository.branch("ABC-1")
    repository.commit("own", {"a": "1"})
    repository.branch("main")
    repository.commit("theirs", {"b": "1"})
    repository.branch("ABC-1")
    repository.merge("main", "Merge branch 'main'")
    assert paths(changes(tmp_path, rules)) == [(set(), set()), ({"a"}, {"a"})]


def test_what_a_revert_took_back_is_held_against_nobody(tmp_path: Path, rules: HistoryRules) -> None:
    repository = Repository(tmp_path)
    repository.commit("base", {"a": "0", "b": "0"})
    repository.commit("ABC-1: x", {"a": "1", "b": "1", "c": "1"})
    repository.git("revert", "--no-edit", "HEAD")
    assert paths(changes(tmp_path, rules)) == [(set(), {"a", "b", "c"}), (set(), {"a", "b", "c"})]


def test_a_revert_that_leaves_something_else_takes_back_nothing(tmp_path: Path, rules: HistoryRules) -> None:
    repository = Repository(tmp_path)
    repository.commit("base", {"a": "0"})
    first = repository.commit("ABC-1: x", {"a": "1", "b": "1"})
    repository.commit(f'Revert "ABC-1: x"\n\nThis reverts commit {first}.\n', {"a": "not 0"}, delete=["b"])
    assert [changed for changed, _ in paths(changes(tmp_path, rules))] == [{"a"}, {"a"}]


def test_a_revert_of_somebody_elses_commit_is_the_tasks_own_change(tmp_path: Path, rules: HistoryRules) -> None:
    repository = Repository(tmp_path)
    repository.commit("base", {"a": "0"})
    other = repository.commit("other", {"a": "1"})
    repository.commit(f"ABC-1: undo\n\nThis reverts commit {other}.\n", {"a": "0"})
    assert [changed for changed, _ in paths(changes(tmp_path, rules))] == [{"a"}]


def test_in_a_monorepo_paths_are_the_workspaces_and_the_others_are_told_apart(
    tmp_path: Path, rules: HistoryRules
) -> None:
    repository = Repository(tmp_path / "mono")
    repository.commit(
        "ABC-1: x", {"team/app/src/a.py": "1", "team/lib/b.py": "1", "framework/c.md": "1", "team/apps/d": "1"}
    )
    (found,) = changes(tmp_path / "mono/team/app", rules, tmp_path / "mono/framework")
    assert {(one.root, one.path, one.stored) for one in found.changed} == {
        ("workspace", "src/a.py", "team/app/src/a.py"),
        ("outside", "team/lib/b.py", "team/lib/b.py"),
        ("outside", "team/apps/d", "team/apps/d"),
        ("framework", "c.md", "framework/c.md"),
    }


def test_paths_of_a_repository_inside_the_workspace_are_the_workspaces_too(tmp_path: Path, rules: HistoryRules) -> None:
    (tmp_path / "w").mkdir()
    Repository(tmp_path / "w/code").commit("ABC-1: x", {"a.py": "1"})
    (found,) = changes(tmp_path / "w", rules, tmp_path / "w/code")
    assert [(one.root, one.path, one.stored) for one in found.changed] == [("workspace", "code/a.py", "a.py")]


def test_paths_of_a_framework_root_elsewhere_are_relative_to_it(tmp_path: Path, rules: HistoryRules) -> None:
    Repository(tmp_path / "w").commit("ABC-1: plan", {"plan.md": "1"})
    Repository(tmp_path / "f").commit("ABC-1: code", {"sub/a.py": "1", "b.py": "1"})
    workspace, framework = changes(tmp_path / "w", rules, tmp_path / "f/sub")
    assert [(one.root, one.path) for one in workspace.changed] == [("workspace", "plan.md")]
    assert {(one.root, one.path) for one in framework.changed} == {("framework", "a.py"), ("outside", "b.py")}


def test_any_name_of_a_file_is_told(tmp_path: Path, rules: HistoryRules) -> None:
    names = ["a\nb", 'q"', "t\t", os.fsdecode(b"\xff"), "ю", ":x", "-y", "a::b"]
    Repository(tmp_path).commit("ABC-1: x", dict.fromkeys(names, "1"))
    assert paths(changes(tmp_path, rules)) == [(set(names), set(names))]


def test_a_commit_at_which_a_shallow_clone_ends_has_unknown_changes(tmp_path: Path, rules: HistoryRules) -> None:
    repository = Repository(tmp_path / "r")
    repository.commit("base", {"a": "0"})
    repository.commit("ABC-1: one", {"b": "1"})
    repository.commit("ABC-1: two", {"c": "1"})
    for depth in (1, 2):
        repository.git("clone", "-q", f"--depth={depth}", (tmp_path / "r").as_uri(), f"../clone{depth}")
        assert len(task_history(ID, tmp_path / f"clone{depth}", None, None, rules).commits) == depth
        with pytest.raises(UndeterminedError) as caught:
            changes(tmp_path / f"clone{depth}", rules)
        assert caught.value.code == "history_incomplete"
        assert caught.value.next_step == "fetch the whole history: git fetch --unshallow"


def test_a_shallow_clone_that_ends_before_the_task_began_is_good_enough(tmp_path: Path, rules: HistoryRules) -> None:
    repository = Repository(tmp_path / "r")
    repository.commit("older", {"a": "0"})
    repository.commit("base", {"b": "0"})
    repository.commit("ABC-1: x", {"c": "1"})
    repository.git("clone", "-q", "--depth=2", (tmp_path / "r").as_uri(), "../clone")
    assert paths(changes(tmp_path / "clone", rules)) == [({"c"}, {"c"})]
    assert task_history(ID, tmp_path / "r", None, None, rules).whole
    assert not task_history(ID, tmp_path / "clone", None, None, rules).whole
