"""Branches, and which of them is the one that others start from."""

from __future__ import annotations

from pathlib import Path

import pytest
from repository_support import Repository, opened

from toolkit.repository.branches import Branch, branches_of, default_branches

NAMES = ("main", "master")


def default(repository: Repository) -> tuple[str, ...]:
    return default_branches(branches_of(opened(repository.path)), NAMES)


def cloned(tmp_path: Path, branch: str) -> Repository:
    repository = Repository(tmp_path / "r", branch=branch)
    repository.commit("one")
    repository.git("branch", "main") if branch != "main" else None
    repository.git("clone", "-q", ".", "../clone")
    return Repository(tmp_path / "clone")


def test_local_and_remote_branches_are_told_apart(tmp_path: Path) -> None:
    repository = cloned(tmp_path, "trunk")
    head = repository.head()
    assert set(branches_of(opened(repository.path))) == {
        Branch("refs/heads/trunk", "trunk", head, None, "", "refs/remotes/origin/trunk", True),
        Branch("refs/remotes/origin/HEAD", "HEAD", head, "origin", "refs/remotes/origin/trunk"),
        Branch("refs/remotes/origin/main", "main", head, "origin", ""),
        Branch("refs/remotes/origin/trunk", "trunk", head, "origin", ""),
    }


def test_the_remote_says_which_branch_is_the_default(tmp_path: Path) -> None:
    assert default(cloned(tmp_path, "trunk")) == ("trunk",)


def test_the_only_remote_need_not_be_called_origin_but_two_others_say_nothing(tmp_path: Path) -> None:
    repository = cloned(tmp_path, "trunk")
    repository.git("remote", "rename", "origin", "upstream")
    repository.git("remote", "set-head", "upstream", "trunk")
    assert default(repository) == ("trunk",)
    repository.git("symbolic-ref", "refs/remotes/fork/HEAD", "refs/remotes/upstream/main")
    assert default(repository) == ("main",)


def test_what_a_remote_points_to_and_nobody_has_is_no_default(tmp_path: Path) -> None:
    repository = cloned(tmp_path, "trunk")
    repository.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/gone")
    assert default(repository) == ("main",)


@pytest.mark.parametrize(
    ("branches", "expected"),
    [(["master", "main"], ("main", "master")), (["master", "develop"], ("master",)), (["trunk"], ()), ([], ())],
)
def test_without_a_remote_the_usual_names_are_looked_for(
    branches: list[str], expected: tuple[str, ...], tmp_path: Path
) -> None:
    repository = Repository(tmp_path, branch="other")
    for branch in branches:
        repository.branch(branch)
        repository.commit(branch)
    assert default(repository) == expected
