"""The committed versions of a document."""

from __future__ import annotations

from pathlib import Path

import pytest
from repository_support import Repository

from toolkit.errors import UndeterminedError
from toolkit.policy.sets import PolicySet
from verify.history.derived import task_history
from verify.history.documents import versions_of
from verify.history.rules import HistoryRules

PLAN = "datarim/plans/ABC-1-plan.md"


@pytest.fixture
def rules(policies: PolicySet) -> HistoryRules:
    return HistoryRules.from_policy(policies)


def contents(
    workspace: Path, rules: HistoryRules, path: str = PLAN, framework: Path | None = None
) -> list[bytes | None]:
    history = task_history("ABC-1", workspace, framework, None, rules)
    return [version.content for version in versions_of(history, path)]


def test_every_commit_that_changed_a_document_is_a_version_of_it(tmp_path: Path, rules: HistoryRules) -> None:
    repository = Repository(tmp_path)
    repository.commit("one", {PLAN: "1"})
    repository.commit("unrelated", {"a": "1"})
    repository.commit("two", {PLAN: "2"})
    repository.commit("gone", delete=[PLAN])
    repository.commit("back", {PLAN: "3"})
    assert contents(tmp_path, rules) == [b"3", None, b"2", b"1"]


def test_a_document_that_was_never_committed_has_no_version(tmp_path: Path, rules: HistoryRules) -> None:
    repository = Repository(tmp_path / "r")
    assert contents(tmp_path / "r", rules) == []
    repository.commit("one", {"a": "1"})
    assert contents(tmp_path / "r", rules) == []
    assert contents(tmp_path / "r", rules, "../elsewhere.md") == []


def test_a_workspace_below_the_top_of_its_repository_has_its_own_documents(tmp_path: Path, rules: HistoryRules) -> None:
    Repository(tmp_path).commit("one", {f"team/{PLAN}": "inner", PLAN: "outer"})
    assert contents(tmp_path / "team", rules) == [b"inner"]


def test_documents_behind_a_link_are_those_that_it_leads_to(tmp_path: Path, rules: HistoryRules) -> None:
    repository = Repository(tmp_path)
    repository.commit("one", {"notes/plans/ABC-1-plan.md": "1"})
    (tmp_path / "datarim").symlink_to("notes")
    assert contents(tmp_path, rules) == [b"1"]


def test_a_document_in_a_repository_of_its_own_is_looked_up_there(tmp_path: Path, rules: HistoryRules) -> None:
    Repository(tmp_path / "w").commit("outer", {"a": "1"})
    Repository(tmp_path / "w/code").commit("inner", {"b.md": "1"})
    assert contents(tmp_path / "w", rules, "code/b.md", tmp_path / "w/code") == [b"1"]


def test_a_shallow_clone_does_not_know_the_first_version(tmp_path: Path, rules: HistoryRules) -> None:
    repository = Repository(tmp_path / "r")
    repository.commit("one", {PLAN: "1"})
    repository.commit("two", {PLAN: "2"})
    repository.commit("three", {"a": "1"})
    repository.git("clone", "-q", "--depth=2", (tmp_path / "r").as_uri(), "../clone")
    with pytest.raises(UndeterminedError) as caught:
        contents(tmp_path / "clone", rules)
    assert caught.value.code == "history_incomplete"
    assert contents(tmp_path / "clone", rules, "a") == [b"1"]
