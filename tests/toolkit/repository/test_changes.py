"""What commits changed: paths of any name, kinds of change, and merges."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from repository_support import Repository, opened

from toolkit.repository.changes import changes_of, merged_into
from toolkit.repository.git import RepositoryError
from toolkit.repository.names import encoded


def told(repository: Repository, oid: str) -> set[tuple[str, str]]:
    return {(change.status, change.path) for change in changes_of(opened(repository.path), [oid])[oid]}


@pytest.mark.parametrize("form", ["sha1", "sha256"])
def test_the_first_commit_adds_everything_and_the_others_what_differs(form: str, tmp_path: Path) -> None:
    repository = Repository(tmp_path, f"--object-format={form}")
    first = repository.commit("one", {"a": "1", "d/b": "1", "c": "1"})
    second = repository.commit("two", {"a": "2", "d/n": "1"}, delete=["c"])
    assert told(repository, first) == {("A", "a"), ("A", "d/b"), ("A", "c")}
    assert told(repository, second) == {("M", "a"), ("A", "d/n"), ("D", "c")}


def test_an_empty_commit_changes_nothing(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    assert told(repository, repository.commit("root")) == set()
    assert told(repository, repository.commit("next")) == set()


def test_a_new_name_is_a_deletion_and_an_addition(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    repository.commit("one", {"old": "1\n" * 100})
    assert told(repository, repository.commit("two", {"new": "1\n" * 100}, delete=["old"])) == {
        ("D", "old"),
        ("A", "new"),
    }


def test_a_mode_a_kind_and_a_submodule_are_changes_too(tmp_path: Path) -> None:
    library = Repository(tmp_path / "library")
    library.commit("one")
    repository = Repository(tmp_path / "r")
    repository.commit("one", {"x.sh": "1", "link": "1"})
    assert told(repository, repository.commit("chmod", modes={"x.sh": 0o755})) == {("M", "x.sh")}
    (tmp_path / "r/link").unlink()
    (tmp_path / "r/link").symlink_to("x.sh")
    assert told(repository, repository.commit("link")) == {("T", "link")}
    repository.git("submodule", "--quiet", "add", "../library", "sub")
    assert told(repository, repository.commit("add")) == {("A", ".gitmodules"), ("A", "sub")}
    Repository(tmp_path / "r/sub").commit("two")
    repository.git("config", "submodule.sub.ignore", "all")
    repository.git("add", "-f", "sub")
    moved = repository.git("commit-tree", "-p", "HEAD", "-m", "moved", repository.git("write-tree"))
    assert told(repository, moved) == {("M", "sub")}


def test_a_change_says_what_stood_there_before_and_what_stands_there_now(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    repository.commit("one", {"a": "1"})
    before = repository.git("rev-parse", "HEAD:a")
    oid = repository.commit("two", {"a": "2"})
    (change,) = changes_of(opened(tmp_path), [oid])[oid]
    assert (change.before, change.after) == (before, repository.git("rev-parse", "HEAD:a"))
    oid = repository.commit("three", delete=["a"])
    (change,) = changes_of(opened(tmp_path), [oid])[oid]
    assert set(change.after) == {"0"}


def merged(tmp_path: Path) -> tuple[Repository, str, str]:
    """A merge in which both sides and the merge itself changed something; it, and its first parent."""
    repository = Repository(tmp_path)
    repository.commit("base", {"both": "0", "side": "0", "main": "0"})
    repository.branch("side")
    repository.commit("side", {"both": "side", "side": "1", "new": "1"})
    repository.branch("main")
    parent = repository.commit("main", {"both": "main", "main": "1"})
    return repository, repository.merge("side", "merge", {"both": "merged", "slipped in": "1"}), parent


def test_a_merge_changes_itself_only_what_no_parent_has(tmp_path: Path) -> None:
    repository, merge, _ = merged(tmp_path)
    assert told(repository, merge) == {("M", "both"), ("A", "slipped in")}


def test_a_merge_brings_to_its_first_parent_all_that_differs_from_it(tmp_path: Path) -> None:
    _, merge, parent = merged(tmp_path)
    brought = merged_into(opened(tmp_path), {merge: parent})[merge]
    assert {change.path for change in brought} == {"both", "side", "new", "slipped in"}


def test_many_commits_are_asked_about_at_once_and_each_gets_its_own_answer(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    oids = [repository.commit(str(number), {f"f{number}": "1"} if number % 3 else {}) for number in range(8)]
    found = changes_of(opened(tmp_path), [*oids, oids[0]])
    assert list(found) == oids
    assert [[change.path for change in found[oid]] for oid in oids] == [
        [f"f{number}"] if number % 3 else [] for number in range(8)
    ]
    assert changes_of(opened(tmp_path), []) == {}


def test_a_commit_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    first = repository.commit("one")
    for oid in ("1" * 40, repository.git("rev-parse", "HEAD^{tree}"), "-x", "HEAD"):
        with pytest.raises(RepositoryError):
            changes_of(opened(tmp_path), [first, oid])


_SEGMENT = st.binary(min_size=1, max_size=12).filter(
    lambda name: not {0, 47} & set(name) and name not in {b".", b".."} and name.lower() != b".git"
)


@settings(max_examples=25, deadline=None)
@given(names=st.sets(_SEGMENT, min_size=1, max_size=8))
def test_every_name_that_a_file_can_have_is_told_to_the_byte(
    names: set[bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    repository = Repository(tmp_path_factory.mktemp("r"))
    oid = repository.commit("odd", {os.fsdecode(name): "x" for name in names})
    assert {encoded(path) for _, path in told(repository, oid)} == names
