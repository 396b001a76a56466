"""What work is held against: its upstream or the default branch, and the commit that it shares with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from repository_support import Repository, opened

from toolkit.repository.bases import merge_base, shared_branches, tip
from toolkit.repository.branches import branches_of

NAMES = ("main", "master")


def shared(repository: Repository, names: tuple[str, ...] = NAMES) -> list[str]:
    return [one.ref for one in shared_branches(branches_of(opened(repository.path)), names)]


def base(repository: Repository, names: tuple[str, ...] = NAMES) -> str | None:
    git = opened(repository.path)
    branches = branches_of(git)
    return merge_base(git, tip(branches), shared_branches(branches, names))


@pytest.fixture
def clone(tmp_path: Path) -> Repository:
    """A clone of a repository with one commit on ``main``."""
    origin = Repository(tmp_path / "origin")
    origin.commit("one")
    origin.git("clone", "-q", ".", "../clone")
    return Repository(tmp_path / "clone")


def test_the_upstream_comes_before_the_default_branch(clone: Repository) -> None:
    first = clone.head()
    clone.branch("next")
    second = clone.commit("two")
    clone.git("push", "-q", "origin", "next")
    clone.branch("work")
    clone.git("branch", "-q", "--set-upstream-to", "origin/next")
    clone.commit("three")
    assert (shared(clone), base(clone)) == (["refs/remotes/origin/next"], second)
    clone.git("branch", "-q", "--unset-upstream")
    assert (shared(clone), base(clone)) == (["refs/remotes/origin/main"], first)


def test_a_local_branch_may_be_the_upstream(clone: Repository) -> None:
    clone.branch("work")
    clone.git("branch", "-q", "--set-upstream-to", "main")
    assert shared(clone) == ["refs/heads/main"]


def test_what_was_pushed_of_the_branch_itself_is_still_the_work(clone: Repository) -> None:
    first = clone.head()
    clone.branch("work")
    pushed = clone.commit("two")
    clone.git("push", "-q", "-u", "origin", "work")
    assert (shared(clone), base(clone)) == (["refs/remotes/origin/main"], first)
    assert clone.git("symbolic-ref", "refs/remotes/origin/HEAD") == "refs/remotes/origin/main"
    clone.git("remote", "set-head", "origin", "--delete")
    assert (shared(clone, ("trunk",)), base(clone, ("trunk",))) == (["refs/remotes/origin/work"], pushed)


def test_a_default_branch_is_held_against_what_its_remote_has_of_it(clone: Repository) -> None:
    first = clone.head()
    clone.commit("two")
    assert (shared(clone), base(clone)) == (["refs/remotes/origin/main"], first)


def test_an_upstream_that_is_gone_is_none(clone: Repository) -> None:
    clone.branch("work")
    clone.git("push", "-q", "-u", "origin", "work")
    clone.git("update-ref", "-d", "refs/remotes/origin/work")
    assert shared(clone) == ["refs/remotes/origin/main"]


def test_without_a_remote_it_is_the_local_default_branch_and_a_commit_that_both_have(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    first = repository.commit("one")
    assert base(repository) == first
    repository.branch("work")
    repository.commit("two")
    repository.branch("main")
    repository.commit("three")
    repository.branch("work")
    assert (shared(repository), base(repository)) == (["refs/heads/main"], first)


def test_a_detached_head_has_no_upstream(clone: Repository) -> None:
    first = clone.head()
    clone.commit("two")
    clone.git("checkout", "-q", "--detach")
    assert (shared(clone), base(clone)) == (["refs/remotes/origin/main"], first)


def test_a_linked_work_tree_has_a_head_of_its_own(clone: Repository, tmp_path: Path) -> None:
    first = clone.head()
    clone.commit("two")
    clone.git("worktree", "add", "-q", "-b", "work", str(tmp_path / "linked"), "origin/main")
    branches = branches_of(opened(tmp_path / "linked"))
    assert [one.name for one in branches if one.current] == ["work"]
    assert tip(branches) == first


def test_unrelated_histories_share_nothing_nor_does_one_without_a_commit(clone: Repository) -> None:
    clone.git("checkout", "-q", "--orphan", "other")
    assert base(clone) is None
    clone.commit("another beginning")
    assert base(clone) is None
    assert shared(clone, ()) == ["refs/remotes/origin/main"]  # the remote says so itself


def test_where_no_branch_is_the_default_one_there_is_nothing_to_hold_against(tmp_path: Path) -> None:
    repository = Repository(tmp_path, branch="stem")
    repository.commit("one")
    assert (shared(repository), base(repository)) == ([], None)
