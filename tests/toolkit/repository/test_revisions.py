"""A revision that a user names: one meaning, or none."""

from __future__ import annotations

from pathlib import Path

import pytest
from repository_support import Repository, opened

from toolkit.repository.problems import RepositoryError, RevisionError
from toolkit.repository.revisions import LONGEST, resolve


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Two commits on main, a tag on the first, a branch ``side`` beside them, and a remote's branch."""
    made = Repository(tmp_path / "repository")
    made.commit("one", {"a": "1\n"})
    made.git("tag", "-a", "v1", "-m", "v1")
    made.commit("two", {"a": "2\n"})
    made.branch("team/side")
    made.commit("side", {"a": "3\n"})
    made.git("update-ref", "refs/remotes/origin/main", "main~1")
    made.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    made.branch("main")
    return made


def meant(repository: Repository, text: str) -> str:
    return resolve(opened(repository.path), text).oid


def refused(repository: Repository, text: str) -> str:
    with pytest.raises(RevisionError) as caught:
        resolve(opened(repository.path), text)
    assert caught.value.exit_status == 2
    assert caught.value.next_step
    assert str(caught.value.place).isprintable()
    return caught.value.code


@pytest.mark.parametrize(
    ("text", "same_as"),
    [
        ("main", "main"),
        ("HEAD", "main"),
        ("@", "main"),
        ("refs/heads/main", "main"),
        ("heads/main", "main"),
        ("main~1", "v1^{commit}"),
        ("HEAD^", "v1^{commit}"),
        ("main~0", "main"),
        ("v1", "v1^{commit}"),
        ("tags/v1", "v1^{commit}"),
        ("team/side", "team/side"),
        ("team/side~2", "v1^{commit}"),
        ("origin/main", "v1^{commit}"),
        ("origin", "v1^{commit}"),
    ],
)
def test_a_name_means_the_commit_that_git_means(repository: Repository, text: str, same_as: str) -> None:
    assert meant(repository, text) == repository.git("rev-parse", same_as)


def test_a_hash_means_its_commit_whole_or_short_in_either_case(repository: Repository) -> None:
    oid = repository.head()
    for text in (oid, oid[:9], oid.upper(), oid[:7].upper(), f"{oid}~0"):
        assert meant(repository, text) == oid
    tag = repository.git("rev-parse", "v1")
    assert meant(repository, tag) == repository.git("rev-parse", "v1^{commit}")


def test_a_bare_tree_is_told_apart_from_a_commit(repository: Repository) -> None:
    tree = repository.git("rev-parse", "main^{tree}")
    assert resolve(opened(repository.path), tree) == (tree, tree, False)
    assert resolve(opened(repository.path), "main").is_commit


@pytest.mark.parametrize(
    "text",
    [
        "", "-main", "--all", "--output=/tmp/x", "--", "main..side", "main...side", "^main", "main:",
        "main:sub", ":/two", ":0:a", "main^{/two}", "main^{tree}", "HEAD^{commit}", "main@{1}", "main@{yesterday}",
        "@{u}", "main@{upstream}", "main ", " main", "main\n", "main\x00", "ma*n", "ma?n", "[m]ain",
        "main\\", "main~main", "a//b", "x" * (LONGEST + 1),
    ],
)  # fmt: skip
def test_whatever_searches_names_a_path_or_looks_like_an_option_is_no_revision(
    repository: Repository, text: str
) -> None:
    assert refused(repository, text) == "invalid_revision"


@pytest.mark.parametrize(
    "text",
    ["nowhere", "main~9", "main^2", "refs/heads", "refs", "heads", "0" * 40, "abcdef0", "v1-1-g0000000", "FETCH_HEAD"],
)
def test_what_is_not_there_is_told_as_unknown(repository: Repository, text: str) -> None:
    assert refused(repository, text) == "unknown_revision"


def test_a_name_that_git_describe_would_make_means_no_hash(repository: Repository) -> None:
    assert refused(repository, f"v1-1-g{repository.head()[:9]}") == "unknown_revision"


def test_a_file_is_no_revision(repository: Repository) -> None:
    assert refused(repository, repository.git("rev-parse", "main:a")) == "unknown_revision"


def test_before_the_first_commit_there_is_no_revision(tmp_path: Path) -> None:
    empty = Repository(tmp_path / "empty")
    for text in ("HEAD", "@", "main"):
        assert refused(empty, text) == "unknown_revision"


def test_a_tag_does_not_hide_a_branch_of_its_name(repository: Repository) -> None:
    repository.git("tag", "main", "team/side")
    assert refused(repository, "main") == "ambiguous_revision"
    assert meant(repository, "refs/heads/main") == repository.git("rev-parse", "refs/heads/main")
    assert meant(repository, "refs/tags/main") == repository.git("rev-parse", "team/side")


def test_several_names_of_one_commit_are_no_ambiguity(repository: Repository) -> None:
    repository.git("tag", "main", "refs/heads/main")
    assert meant(repository, "main") == repository.git("rev-parse", "refs/heads/main")


def test_a_branch_called_like_a_short_hash_does_not_hide_the_commit(repository: Repository) -> None:
    oid = repository.head()
    repository.git("update-ref", f"refs/heads/{oid[:8]}", "team/side")
    assert refused(repository, oid[:8]) == "ambiguous_revision"
    repository.git("update-ref", f"refs/heads/{oid}", "team/side")
    assert meant(repository, oid) == oid


def test_a_branch_whose_name_is_made_of_hexadecimal_digits_is_one(repository: Repository) -> None:
    repository.git("branch", "deadbeef", "team/side")
    assert meant(repository, "deadbeef") == repository.git("rev-parse", "team/side")


def test_a_branch_called_head_does_not_stand_for_what_is_checked_out(repository: Repository) -> None:
    repository.git("update-ref", "refs/heads/HEAD", "team/side")
    assert refused(repository, "HEAD") == "ambiguous_revision"


def test_what_was_fetched_last_has_its_name(repository: Repository) -> None:
    repository.git("fetch", "-q", str(repository.path), "team/side")
    assert meant(repository, "FETCH_HEAD") == repository.git("rev-parse", "team/side")


def test_a_name_of_other_letters_and_of_no_text_is_read(repository: Repository) -> None:
    repository.git("branch", "ветка", "team/side")
    assert meant(repository, "ветка") == repository.git("rev-parse", "team/side")
    assert refused(repository, "\udcff") == "unknown_revision"


def test_in_a_shallow_clone_what_is_missing_is_not_told_as_unknown(repository: Repository, tmp_path: Path) -> None:
    shallow = Repository(tmp_path / "shallow")
    shallow.git("fetch", "-q", "--depth=1", repository.path.as_uri(), "main")
    shallow.git("checkout", "-q", "-B", "main", "FETCH_HEAD")
    assert meant(shallow, "main") == repository.head()
    for text in ("main~1", "v1"):
        with pytest.raises(RepositoryError) as caught:
            resolve(opened(shallow.path), text)
        assert (caught.value.code, caught.value.exit_status) == ("history_incomplete", 3)


def test_a_branch_whose_commit_is_gone_is_not_told_as_unknown(repository: Repository) -> None:
    oid = repository.git("rev-parse", "team/side")
    (repository.path / ".git/objects" / oid[:2] / oid[2:]).unlink()
    with pytest.raises(RepositoryError) as caught:
        resolve(opened(repository.path), "team/side")
    assert (caught.value.code, caught.value.exit_status) == ("object_missing", 3)
