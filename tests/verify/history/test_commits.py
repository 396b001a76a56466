"""Which commits belong to a task: by what they say, by their branch, by the user's word, in one repository or two."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from repository_support import Repository, counting_git

from toolkit.errors import ToolkitError, UndeterminedError
from toolkit.policy.sets import PolicySet
from verify.history.derived import History, task_history
from verify.history.rules import HistoryRules

ID = "ABC-1"


@pytest.fixture
def rules(policies: PolicySet) -> HistoryRules:
    return HistoryRules.from_policy(policies)


def told(history: History) -> list[tuple[str, str]]:
    return [(commit.subject, commit.why) for commit in history.commits]


def test_commits_that_name_the_task_belong_to_it(tmp_path: Path, rules: HistoryRules) -> None:
    repository = Repository(tmp_path)
    repository.commit("base", {"a": "0"})
    repository.commit("ABC-1: store", {"a": "1"})
    repository.commit("ABC-12: other", {"a": "2"})
    repository.commit("ABC-1-FU-x: follow-up", {"a": "3"})
    repository.commit("fix\n\nbody\n\nTask: ABC-1\n", {"a": "4"})
    repository.commit('Revert "ABC-1: store"\n\nThis reverts commit 0123.\n', {"a": "5"})
    repository.commit("\u00abABC-1\u00bb", {"a": "6"})
    history = task_history(ID, tmp_path, None, None, rules)
    assert told(history) == [
        ("\u00abABC-1\u00bb", "names the task"),
        ('Revert "ABC-1: store"', "names the task"),
        ("fix", "names the task"),
        ("ABC-1: store", "names the task"),
    ]
    assert {commit.repository for commit in history.commits} == {0}
    assert history.home == 0


def test_a_task_without_commits_has_an_empty_history(tmp_path: Path, rules: HistoryRules) -> None:
    repository = Repository(tmp_path)
    assert told(task_history(ID, tmp_path, None, None, rules)) == []
    repository.commit("base")
    assert told(task_history(ID, tmp_path, None, None, rules)) == []


def test_without_a_repository_nobody_can_tell(tmp_path: Path, rules: HistoryRules) -> None:
    with pytest.raises(UndeterminedError) as caught:
        task_history(ID, tmp_path, tmp_path, None, rules)
    assert caught.value.code == "no_repository"


def test_every_commit_of_the_tasks_branch_belongs_to_it(tmp_path: Path, rules: HistoryRules) -> None:
    repository = Repository(tmp_path)
    repository.commit("base")
    repository.branch("feature/ABC-1-thing")
    repository.commit("says nothing")
    repository.commit("ABC-1: says it")
    repository.branch("ABC-12")
    repository.commit("another task")
    repository.branch("main")
    repository.commit("goes on")
    assert told(task_history(ID, tmp_path, None, None, rules)) == [
        ("ABC-1: says it", "on the branch feature/ABC-1-thing"),
        ("says nothing", "on the branch feature/ABC-1-thing"),
    ]


def test_a_branch_may_have_any_name(tmp_path: Path, rules: HistoryRules) -> None:
    repository = Repository(tmp_path)
    repository.commit("base")
    for name in ("ABC-1-\udcff", "ABC-1-\u044e", 'ABC-1-"x"'):
        repository.git("checkout", "-q", "-b", name, "main")
        repository.commit("says nothing", {name: "1"})
    assert {commit.why for commit in task_history(ID, tmp_path, None, None, rules).commits} == {
        'on the branch "ABC-1-\\377"',
        "on the branch ABC-1-\u044e",
        'on the branch ABC-1-"x"',
    }


def test_a_commit_that_counts_twice_stands_there_once_and_its_own_words_are_the_reason(
    tmp_path: Path, rules: HistoryRules
) -> None:
    repository = Repository(tmp_path)
    repository.commit("base")
    repository.branch("ABC-1")
    repository.commit("one")
    repository.commit("ABC-1: two")
    repository.git("branch", "ABC-1-copy")
    assert sorted(told(task_history(ID, tmp_path, None, None, rules))) == [
        ("ABC-1: two", "names the task"),
        ("one", "on the branch ABC-1"),
    ]


def test_what_is_on_the_default_branch_is_not_the_branchs_own(tmp_path: Path, rules: HistoryRules) -> None:
    repository = Repository(tmp_path)
    repository.commit("base")
    repository.branch("ABC-1")
    repository.commit("one")
    repository.branch("main")
    repository.merge("ABC-1", "Merge")
    assert told(task_history(ID, tmp_path, None, None, rules)) == []


def test_a_default_branch_with_the_tasks_id_makes_nothing_the_tasks(tmp_path: Path, rules: HistoryRules) -> None:
    Repository(tmp_path / "r", branch="ABC-1").commit("base")
    Repository(tmp_path / "r").git("clone", "-q", ".", "../clone")
    assert told(task_history(ID, tmp_path / "clone", None, None, rules)) == []


def test_where_no_branch_is_the_default_one_a_branch_makes_nothing_the_tasks(
    tmp_path: Path, rules: HistoryRules
) -> None:
    repository = Repository(tmp_path, branch="stem")
    repository.commit("base")
    repository.branch("ABC-1")
    repository.commit("one")
    repository.commit("ABC-1: two")
    repository.branch("stem")
    history = task_history(ID, tmp_path, None, None, rules)
    assert told(history) == [("ABC-1: two", "names the task")]
    assert history.baseless == ("ABC-1",)


@pytest.mark.parametrize("default", ["main", "master", "trunk", "mainline", "develop"])
def test_the_default_branch_is_known_by_its_usual_names(default: str, tmp_path: Path, rules: HistoryRules) -> None:
    repository = Repository(tmp_path, branch=default)
    repository.commit("base")
    repository.branch("ABC-1")
    repository.commit("one")
    history = task_history(ID, tmp_path, None, None, rules)
    assert told(history) == [("one", "on the branch ABC-1")]
    assert history.baseless == ()


def test_where_the_default_branch_is_only_guessed_what_is_on_any_of_them_is_others(
    tmp_path: Path, rules: HistoryRules
) -> None:
    repository = Repository(tmp_path)
    repository.commit("base")
    repository.branch("develop")
    repository.commit("somebody else's")
    repository.branch("ABC-1")
    repository.commit("one")
    assert told(task_history(ID, tmp_path, None, None, rules)) == [("one", "on the branch ABC-1")]


def test_a_branch_that_only_the_remote_has_counts_and_a_stale_default_branch_accuses_nobody(
    tmp_path: Path, rules: HistoryRules
) -> None:
    upstream = Repository(tmp_path / "r")
    upstream.commit("base")
    upstream.git("clone", "-q", ".", "../clone")
    upstream.commit("somebody else's")
    upstream.branch("ABC-1")
    upstream.commit("one")
    Repository(tmp_path / "clone").git("fetch", "-q")
    history = task_history(ID, tmp_path / "clone", None, None, rules)
    assert told(history) == [("one", "on the branch origin/ABC-1")]


def test_what_was_amended_away_here_and_still_stands_on_the_remote_is_not_the_tasks(
    tmp_path: Path, rules: HistoryRules
) -> None:
    repository = Repository(tmp_path / "r")
    repository.commit("base")
    repository.branch("ABC-1")
    repository.commit("too much", {"x": "1"})
    repository.git("clone", "-q", ".", "../clone")
    clone = Repository(tmp_path / "clone")
    clone.git("remote", "set-head", "origin", "main")
    clone.branch("ABC-1")
    clone.git("reset", "-q", "--hard", "origin/main")
    clone.commit("just right", {"y": "1"})
    assert told(task_history(ID, clone.path, None, None, rules)) == [("just right", "on the branch ABC-1")]


def test_a_remote_with_the_tasks_id_for_a_name_makes_nothing_the_tasks(tmp_path: Path, rules: HistoryRules) -> None:
    upstream = Repository(tmp_path / "r")
    upstream.commit("base")
    upstream.git("clone", "-q", "-o", "ABC-1", ".", "../clone")
    upstream.branch("other")
    upstream.commit("somebody else's")
    Repository(tmp_path / "clone").git("fetch", "-q")
    assert told(task_history(ID, tmp_path / "clone", None, None, rules)) == []


def test_a_merge_of_the_task_is_known_as_one(tmp_path: Path, rules: HistoryRules) -> None:
    repository = Repository(tmp_path)
    repository.commit("base")
    repository.branch("side")
    repository.commit("side", {"a": "1"})
    repository.branch("main")
    repository.merge("side", "Merge ABC-1")
    (commit,) = task_history(ID, tmp_path, None, None, rules).commits
    assert (commit.merge, len(commit.parents)) == (True, 2)


def test_a_range_is_the_users_word_and_nothing_else_counts(tmp_path: Path, rules: HistoryRules) -> None:
    repository = Repository(tmp_path)
    repository.commit("ABC-1: before")
    first = repository.head()
    repository.commit("one")
    repository.commit("two")
    history = task_history(ID, tmp_path, None, f"{first[:8]}..main", rules)
    assert told(history) == [("two", f"--commits {first[:8]}..main"), ("one", f"--commits {first[:8]}..main")]
    assert told(task_history(ID, tmp_path, None, "main..main", rules)) == []


@pytest.mark.parametrize(
    ("text", "code"),
    [("--all..main", "invalid_range"), ("main", "invalid_range"), ("nowhere..main", "unknown_range")],
)
def test_a_range_that_means_nothing_is_wrong_usage(text: str, code: str, tmp_path: Path, rules: HistoryRules) -> None:
    Repository(tmp_path).commit("base")
    with pytest.raises(ToolkitError) as caught:
        task_history(ID, tmp_path, None, text, rules)
    assert (caught.value.code, caught.value.exit_status) == (code, 2)


def test_the_framework_root_may_be_a_repository_of_its_own(tmp_path: Path, rules: HistoryRules) -> None:
    Repository(tmp_path / "w").commit("ABC-1: plan")
    code = Repository(tmp_path / "w/code")
    base = code.commit("base")
    code.commit("ABC-1: code")
    history = task_history(ID, tmp_path / "w", tmp_path / "w/code", None, rules)
    assert [(commit.subject, commit.repository) for commit in history.commits] == [
        ("ABC-1: plan", 0),
        ("ABC-1: code", 1),
    ]
    history = task_history(ID, tmp_path / "w", tmp_path / "w/code", f"{base}..HEAD", rules)
    assert [(commit.subject, commit.repository) for commit in history.commits] == [("ABC-1: code", 1)]


def test_a_workspace_without_git_may_have_its_code_in_a_repository(tmp_path: Path, rules: HistoryRules) -> None:
    (tmp_path / "w").mkdir()
    Repository(tmp_path / "code").commit("ABC-1: code")
    history = task_history(ID, tmp_path / "w", tmp_path / "code", None, rules)
    assert (history.home, told(history)) == (None, [("ABC-1: code", "names the task")])


def test_a_framework_root_inside_the_workspaces_repository_is_no_second_one(
    tmp_path: Path, rules: HistoryRules
) -> None:
    Repository(tmp_path).commit("ABC-1: all", {"w/x": "1", "code/y": "1"})
    history = task_history(ID, tmp_path / "w", tmp_path / "code", None, rules)
    assert len(history.repositories) == len(history.commits) == 1


def test_the_same_commit_in_two_work_trees_is_one_commit(tmp_path: Path, rules: HistoryRules) -> None:
    repository = Repository(tmp_path / "r")
    repository.commit("ABC-1: all")
    repository.git("worktree", "add", "-q", "../linked")
    history = task_history(ID, tmp_path / "r", tmp_path / "linked", None, rules)
    assert (len(history.repositories), len(history.commits)) == (2, 1)


def test_a_history_takes_three_processes_and_four_with_a_branch(
    tmp_path: Path, rules: HistoryRules, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = Repository(tmp_path / "r")
    for number in range(20):
        repository.commit(f"ABC-1: {number}")
    folder, runs = counting_git(tmp_path / "bin", shutil.which("git") or "git")
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    task_history(ID, tmp_path / "r", tmp_path / "r", None, rules)
    assert len(runs.read_text().splitlines()) == 3
    task_history("ABC-2", tmp_path / "r", None, None, rules)
    assert len(runs.read_text().splitlines()) == 6
    repository.git("branch", "ABC-2")
    runs.write_text("")
    task_history("ABC-2", tmp_path / "r", None, None, rules)
    assert len(runs.read_text().splitlines()) == 4


def test_too_many_commits_or_branches_are_no_answer(tmp_path: Path, rules: HistoryRules) -> None:
    repository = Repository(tmp_path)
    for number in range(3):
        repository.commit(f"ABC-1: {number}")
    repository.git("branch", "ABC-1-a")
    repository.git("branch", "ABC-1-b")
    assert len(task_history(ID, tmp_path, None, None, rules._replace(most_commits=3, most_branches=2)).commits) == 3
    for limit, code in (
        (rules._replace(most_commits=2), "too_many_commits"),
        (rules._replace(most_branches=1), "too_many_branches"),
    ):
        with pytest.raises(UndeterminedError) as caught:
            task_history(ID, tmp_path, None, None, limit)
        assert caught.value.code == code
