"""Commits: what they say about themselves, where they are reachable, and where a history ends."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from repository_support import LIMITS, Repository, opened

from toolkit.repository.commits import commits_from, shallow_commits
from toolkit.repository.git import GitLimits, RepositoryError


def subjects(repository: Repository, *revisions: str, **selection: object) -> list[str]:
    found = commits_from(opened(repository.path), revisions, 100, **selection)  # type: ignore[arg-type]
    return [commit.subject for commit in found]


def test_a_commit_says_who_it_is_when_it_was_made_and_what_it_is_about(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    first = repository.commit("one")
    repository.date = "2024-02-03T04:05:06+0300"
    second = repository.commit("A subject\non two lines\n\nA body: \u0444\n\nRefs: ABC-1\n")
    commit, parent = commits_from(opened(tmp_path), (), 10)
    assert (commit.oid, commit.parents, parent.oid, parent.parents) == (second, (first,), first, ())
    assert commit.committed_at == datetime(2024, 2, 3, 1, 5, 6, tzinfo=UTC)
    assert commit.subject == "A subject on two lines"
    assert commit.message == "A subject\non two lines\n\nA body: \u0444\n\nRefs: ABC-1\n"
    assert commit.source == "HEAD"


@pytest.mark.parametrize(
    ("written", "committed", "day"),
    [
        ("2024-02-03T04:05:06+0000", "2024-02-03T04:05:06+0000", "2024-02-03"),
        ("2024-02-03T23:00:00-0800", "2024-02-03T23:00:00-0800", "2024-02-03"),
        ("2024-02-03T08:00:00+0900", "2024-02-03T08:00:00+0900", "2024-02-02"),
        ("2024-02-03T04:05:06+0000", "2024-02-13T04:05:06+0000", "2024-02-03"),
        ("2024-02-13T04:05:06+0000", "2024-02-03T04:05:06+0000", "2024-02-03"),
    ],
)
def test_the_day_of_a_commit_is_the_earliest_that_anybody_may_give_it(
    written: str, committed: str, day: str, tmp_path: Path
) -> None:
    repository = Repository(tmp_path)
    repository.date = committed
    repository.commit("base")
    repository.git("commit", "-q", "--allow-empty", "-m", "one", f"--date={written}")
    assert commits_from(opened(tmp_path), (), 10)[0].day.isoformat() == day


@pytest.mark.parametrize("message", ["", "\n", "\x01\x1f", "a\n\n", "%H%n%P%x00", "0" * 40])
def test_any_message_is_read_as_it_is(message: str, tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    tree = repository.git("hash-object", "-t", "tree", "-w", "--stdin", stdin=b"")
    raw = f"tree {tree}\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n\n{message}"
    oid = repository.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=raw.encode())
    repository.git("update-ref", "refs/heads/main", oid)
    (commit,) = commits_from(opened(tmp_path), (), 10)
    assert commit.oid == oid
    assert commit.message.strip("\n") == message.strip("\n")


def test_a_message_in_another_encoding_is_read_and_broken_bytes_stop_nothing(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    tree = repository.git("hash-object", "-t", "tree", "-w", "--stdin", stdin=b"")
    head = f"tree {tree}\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n".encode()
    for extra, word in ((b"encoding ISO-8859-1\n\n", b"caf\xe9"), (b"\n", b"caf\xe9")):
        oid = repository.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=head + extra + word)
        repository.git("update-ref", "refs/heads/main", oid)
        assert subjects(repository)[0] in {"café", "caf\ufffd"}
    assert subjects(repository) == ["caf\ufffd"]


@pytest.mark.parametrize(
    ("stamp", "expected"),
    [
        ("1 +0000", datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)),
        ("99999999999999 +0000", datetime.max.replace(tzinfo=UTC)),
        ("99999999999999999999999999 +0000", None),
        ("-5 +0000", datetime(1970, 1, 1, tzinfo=UTC)),
        ("yesterday", datetime(1970, 1, 1, tzinfo=UTC)),
    ],
)
def test_no_date_stops_the_reading(stamp: str, expected: datetime | None, tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    tree = repository.git("hash-object", "-t", "tree", "-w", "--stdin", stdin=b"")
    raw = f"tree {tree}\nauthor A <a> {stamp}\ncommitter A <a> {stamp}\n\nx\n"
    oid = repository.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=raw.encode())
    repository.git("update-ref", "refs/heads/main", oid)
    (commit,) = commits_from(opened(tmp_path), (), 10)
    if expected is not None:
        assert abs((commit.committed_at - expected).total_seconds()) < 5
    assert commit.committed_at.tzinfo is UTC


def test_a_repository_without_a_commit_has_none(tmp_path: Path) -> None:
    assert subjects(Repository(tmp_path / "sha1")) == []
    assert subjects(Repository(tmp_path / "sha256", "--object-format=sha256")) == []


def test_a_head_that_is_broken_is_no_head_without_commits(tmp_path: Path) -> None:
    for number, content in enumerate(("garbage\n", "1" * 40 + "\n")):
        repository = Repository(tmp_path / str(number))
        repository.commit("one")
        (repository.path / ".git/refs/heads/main").write_text(content)
        with pytest.raises(RepositoryError) as caught:
            subjects(repository)
        assert caught.value.code == "repository_corrupt"


def test_a_parent_that_is_gone_is_an_error(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    first = repository.commit("one")
    repository.commit("two")
    (tmp_path / f".git/objects/{first[:2]}/{first[2:]}").unlink()
    with pytest.raises(RepositoryError) as caught:
        subjects(repository)
    assert caught.value.code == "repository_corrupt"


def test_commits_are_kept_by_the_words_that_they_hold_and_by_the_path_that_they_change(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    repository.commit("one: a.c (x)", {"a.c": "1", ":(top)*": "1"})
    repository.commit("two: aXc\n\n-x", {"b.c": "1"})
    repository.commit("three", {"a.c": "2"}, delete=[":(top)*"])
    assert subjects(repository, word="a.c") == ["one: a.c (x)"]
    assert subjects(repository, word="-x") == ["two: aXc"]
    assert subjects(repository, word="(x)") == ["one: a.c (x)"]
    assert subjects(repository, word="A.C") == subjects(repository, word="Xc") == subjects(repository, word="aX") == []
    assert subjects(repository, path="a.c") == ["three", "one: a.c (x)"]
    assert subjects(repository, path=":(top)*") == ["three", "one: a.c (x)"]
    assert subjects(repository, path="-x") == []


def test_a_commit_knows_from_which_branch_it_was_reached(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    repository.commit("base")
    repository.branch("side/ю")
    repository.commit("on the side")
    repository.branch("main")
    repository.commit("on main")
    found = commits_from(opened(tmp_path), ["refs/heads/side/ю"], 10, excluding=["refs/heads/main"])
    assert [(commit.subject, commit.source) for commit in found] == [("on the side", "refs/heads/side/ю")]


def test_children_stand_before_their_parents_whatever_the_clock_said(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    repository.date = "2024-01-05T00:00:00+0000"
    repository.commit("base")
    repository.branch("late")
    repository.date = "2024-01-01T00:00:00+0000"
    repository.commit("before its parent")
    repository.branch("main")
    repository.date = "2024-01-06T00:00:00+0000"
    repository.commit("after it")
    repository.merge("late", "merge")
    assert subjects(repository)[-1] == "base"


def test_commits_can_be_asked_for_without_those_before_them(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    oids = [repository.commit(str(number)) for number in range(4)]
    asked = [oids[1], oids[3], oids[0]]
    assert [commit.oid for commit in commits_from(opened(tmp_path), asked, 3, walk=False)] == asked


def test_more_commits_than_the_limit_are_an_error_and_as_many_are_none(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    for number in range(3):
        repository.commit(str(number))
    git = opened(tmp_path)
    assert len(commits_from(git, (), 3)) == 3
    with pytest.raises(RepositoryError) as caught:
        commits_from(git, (), 2)
    assert caught.value.code == "too_many_commits"


def test_more_output_than_the_limit_is_an_error_and_never_half_an_answer(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    repository.commit("x" * 5000)
    with pytest.raises(RepositoryError) as caught:
        commits_from(opened(tmp_path, GitLimits(LIMITS.timeout_ms, 4000)), (), 10)
    assert caught.value.code == "output_too_large"


def test_a_shallow_clone_knows_where_it_was_cut_off_in_a_linked_work_tree_too(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "r")
    repository.commit("one")
    second = repository.commit("two")
    repository.commit("three")
    repository.git("clone", "-q", "--depth=2", (tmp_path / "r").as_uri(), "../clone")
    Repository(tmp_path / "clone").git("worktree", "add", "-q", "../linked")
    assert shallow_commits(opened(tmp_path / "r")) == frozenset()
    for place in ("clone", "linked"):
        git = opened(tmp_path / place)
        assert shallow_commits(git) == {second}
        assert [(commit.subject, len(commit.parents)) for commit in commits_from(git, (), 9)] == [
            ("three", 1),
            ("two", 0),
        ]


@given(word=st.text(alphabet=".[]\\()*+?{}|^$-/'\"`,", min_size=1, max_size=12))
@settings(max_examples=20, deadline=None)
def test_a_word_of_any_signs_means_itself_alone(word: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    repository = Repository(tmp_path_factory.mktemp("r"))
    repository.commit(f"yes {word} end")
    repository.commit(f"no x{word}x")
    repository.commit("neither")
    assert subjects(repository, word=word) == [f"yes {word} end"]
