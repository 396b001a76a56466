"""What a stored tree holds, whatever its names are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from repository_support import Repository, opened

from toolkit.repository import trees
from toolkit.repository.commits import not_in_history
from toolkit.repository.objects import contents_of
from toolkit.repository.problems import RepositoryError
from toolkit.repository.trees import LINK, SUBMODULE, TREE, tree_entries


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "repository")
    (made.path / "a/b").mkdir(parents=True)
    (made.path / "a/link").symlink_to("b")
    made.commit("all", {"a/b/x": "12345", "a/y": "", "a/b-c/z": "z", "top": "t"}, modes={"a/y": 0o755})
    made.git("update-index", "--add", "--cacheinfo", f"160000,{made.head()},a/sub")
    made.git("commit", "-q", "-m", "a submodule")
    return made


def listed(repository: Repository, *paths: str, below: bool = False) -> list[tuple[str, str, int | None]]:
    git = opened(repository.path)
    return [(one.path, one.mode, one.size) for one in tree_entries(git, repository.head(), paths, below=below)]


def test_entries_are_named_with_their_kinds_and_sizes(repository: Repository) -> None:
    assert listed(repository, "a/y", "a/link", "a/sub") == [
        ("a/link", LINK, 1),
        ("a/sub", SUBMODULE, None),
        ("a/y", "100755", 0),
    ]
    assert listed(repository, "a", "gone", "top/x") == [("a", TREE, None)]


def test_a_folder_is_listed_with_a_slash(repository: Repository) -> None:
    assert [path for path, _, _ in listed(repository, "a/")] == ["a/b-c", "a/b", "a/link", "a/sub", "a/y"]
    assert listed(repository, "a/link/") == []


def test_all_that_lies_below_is_listed_and_no_link_followed(repository: Repository) -> None:
    found = listed(repository, "a", below=True)
    assert [path for path, _, _ in found] == ["a/b-c/z", "a/b/x", "a/link", "a/sub", "a/y"]
    assert listed(repository, "a/link", "top", "gone", below=True) == []
    assert listed(repository, "a/sub", below=True) == [("a/sub", SUBMODULE, None)]


def test_names_are_taken_literally_and_whole(repository: Repository) -> None:
    names = ["*", ":(top)x", "-x", "a b", "tab\there", "line\nbreak", '"quoted"', "ü", os.fsdecode(b"\xff")]
    for name in names:
        (repository.path / "odd").mkdir(exist_ok=True)
        (repository.path / "odd" / name).write_text(name.encode("unicode_escape").decode())
    repository.commit("odd")
    found = listed(repository, "odd", below=True)
    assert sorted(path.partition("/")[2] for path, _, _ in found) == sorted(names)
    assert listed(repository, ":(top)x", "*", "-x") == []
    assert [path for path, _, _ in listed(repository, "odd/*", "odd/:(top)x")] == ["odd/*", "odd/:(top)x"]


def test_more_paths_than_a_command_takes_are_asked_in_turns(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trees, "ARGUMENTS", 10)
    paths = ["top", "nowhere/at/all", "a/b/x", "a/y"]
    assert [path for path, _, _ in listed(repository, *paths)] == ["top", "a/b/x", "a/y"]


def test_contents_are_read_by_their_ids(repository: Repository) -> None:
    git = opened(repository.path)
    entries = {one.path: one.oid for one in tree_entries(git, repository.head(), ["a/b/x", "a/y", "a/link"])}
    contents = contents_of(git, [*entries.values(), *entries.values()])
    assert {path: contents[oid] for path, oid in entries.items()} == {"a/b/x": b"12345", "a/y": b"", "a/link": b"b"}
    assert contents_of(git, []) == {}


def test_bytes_that_are_not_in_the_clone_are_an_error(repository: Repository) -> None:
    oid = repository.git("rev-parse", "HEAD:a/b/x")
    (repository.path / ".git/objects" / oid[:2] / oid[2:]).unlink()
    with pytest.raises(RepositoryError) as caught:
        listed(repository, "a", below=True)
    assert (caught.value.code, caught.value.exit_status) == ("object_missing", 3)
    with pytest.raises(RepositoryError) as caught:
        contents_of(opened(repository.path), [oid])
    assert caught.value.code == "object_missing"
    with pytest.raises(RepositoryError):
        contents_of(opened(repository.path), [repository.git("rev-parse", "HEAD^{tree}")])


def test_commits_are_told_apart_by_whose_history_holds_them(repository: Repository) -> None:
    first, second = repository.git("rev-parse", "HEAD~1"), repository.head()
    repository.git("checkout", "-q", "-b", "side", "HEAD~1")
    third = repository.commit("third", {"n": "1"})
    git = opened(repository.path)
    assert not_in_history(git, [first, second, third], second) == {third}
    assert not_in_history(git, [first, second, third], first) == {second, third}
    assert not_in_history(git, [], first) == frozenset()
