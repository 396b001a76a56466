"""Commits that are cited by a hash: whether they exist, and what they touched."""

from __future__ import annotations

from pathlib import Path

import pytest
from repository_support import Repository

from toolkit.policy.sets import PolicySet
from verify.history.cited import Cited, cited_commits
from verify.history.derived import task_history
from verify.history.rules import HistoryRules


@pytest.fixture
def rules(policies: PolicySet) -> HistoryRules:
    return HistoryRules.from_policy(policies)


def cited(workspace: Path, rules: HistoryRules, text: str, framework: Path | None = None) -> Cited:
    return cited_commits(task_history("ABC-1", workspace, framework, None, rules), [text])[text]


def touched(answer: Cited) -> set[str]:
    assert answer.touched is not None
    return {change.path for change in answer.touched}


def test_a_commit_exists_with_what_it_touched_on_any_branch(tmp_path: Path, rules: HistoryRules) -> None:
    repository = Repository(tmp_path)
    repository.commit("base", {"a": "1"})
    repository.branch("other")
    oid = repository.commit("two", {"b": "1"})
    repository.branch("main")
    answer = cited(tmp_path, rules, oid[:7])
    assert (answer.exists, touched(answer)) == (True, {"b"})


def test_a_merge_touched_what_it_brought(tmp_path: Path, rules: HistoryRules) -> None:
    repository = Repository(tmp_path)
    repository.commit("base", {"a": "1"})
    repository.branch("other")
    repository.commit("two", {"b": "1"})
    repository.branch("main")
    repository.commit("three", {"c": "1"})
    assert touched(cited(tmp_path, rules, repository.merge("other", "merge")[:9])) == {"b"}


def test_what_is_no_commit_does_not_exist(tmp_path: Path, rules: HistoryRules) -> None:
    repository = Repository(tmp_path)
    repository.commit("base", {"a": "1"})
    assert cited(tmp_path, rules, "1234567") == Cited(False, ())
    assert cited(tmp_path, rules, repository.git("rev-parse", "HEAD:a")) == Cited(False, ())


def test_a_commit_of_the_framework_root_exists_too(tmp_path: Path, rules: HistoryRules) -> None:
    Repository(tmp_path / "w").commit("one")
    oid = Repository(tmp_path / "f").commit("two", {"x": "1"})
    assert touched(cited(tmp_path / "w", rules, oid, tmp_path / "f")) == {"x"}


def test_in_a_shallow_clone_an_unknown_commit_may_exist_and_the_oldest_has_unknown_changes(
    tmp_path: Path, rules: HistoryRules
) -> None:
    repository = Repository(tmp_path / "r")
    first = repository.commit("one", {"a": "1"})
    second = repository.commit("two", {"b": "1"})
    third = repository.commit("three", {"c": "1"})
    repository.git("clone", "-q", "--depth=2", (tmp_path / "r").as_uri(), "../clone")
    assert cited(tmp_path / "clone", rules, first) == Cited(None, None)
    assert cited(tmp_path / "clone", rules, second) == Cited(True, None)
    assert touched(cited(tmp_path / "clone", rules, third)) == {"c"}
