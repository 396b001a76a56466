"""Stored objects: bytes at a commit, what a hash stands for, what a range means."""

from __future__ import annotations

import os
import shutil
from hashlib import sha1
from pathlib import Path

import pytest
from repository_support import LIMITS, Repository, counting_git, opened

from toolkit.repository.git import GitLimits, RepositoryError
from toolkit.repository.objects import blobs, commits_named, range_of
from toolkit.repository.problems import RevisionError


def test_bytes_of_files_are_read_as_they_were_committed(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    contents = {
        "a": b"",
        "b": b"\x00\xff\n",
        "c d": b"no line end",
        "e\nf": b"x missing\n",
        "\udcff": b"y",
        "g\r": b"z",
    }
    first = repository.commit("one", contents)
    second = repository.commit("two", {"a": "later"})
    names = [f"{first}:{name}" for name in contents]
    found = blobs(opened(tmp_path), [*names, f"{second}:a"])
    assert [found[name] for name in names] == list(contents.values())
    assert found[f"{second}:a"] == b"later"


def test_what_is_no_file_of_the_commit_has_no_bytes(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    head = repository.commit("one", {"d/a": "1", ":(top)x": "2"})
    absent = [
        "b",
        "d",
        "d/",
        "",
        "/etc/passwd",
        "../d/a",
        "d/../d/a",
        "./d/a",
        "d/a/b",
        "-x",
        "a\0b",
        "D/A",
        "b missing",
        "*",
    ]
    found = blobs(opened(tmp_path), [f"{head}:{name}" for name in [*absent, "d/a", ":(top)x"]])
    assert [name for name in absent if found[f"{head}:{name}"] is not None] == []
    assert (found[f"{head}:d/a"], found[f"{head}::(top)x"]) == (b"1", b"2")


def test_all_bytes_come_from_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = Repository(tmp_path / "r")
    head = repository.commit("one", {f"f{number}": str(number) for number in range(20)})
    folder, runs = counting_git(tmp_path / "bin", shutil.which("git") or "git")
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    git = opened(tmp_path / "r")
    blobs(git, [f"{head}:f{number}" for number in range(20)])
    assert len(runs.read_text().splitlines()) == 2
    blobs(git, [f"{head}:f1", f"{head}:none", f"{head}:none2"])
    assert len(runs.read_text().splitlines()) == 4


@pytest.mark.parametrize("name", ["HEAD:a", "-x:a", ":a", "a", ":/one", "HEAD^{/one}:a"])
def test_bytes_are_asked_for_by_full_hashes_only(name: str, tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    repository.commit("one", {"a": "1"})
    with pytest.raises(RevisionError) as caught:
        blobs(opened(tmp_path), [name])
    assert caught.value.exit_status == 2


def test_bytes_at_a_commit_that_is_not_there_cannot_be_told(tmp_path: Path) -> None:
    Repository(tmp_path).commit("one", {"a": "1"})
    with pytest.raises(RepositoryError):
        blobs(opened(tmp_path), [f"{'1' * 40}:a"])


def test_bytes_that_were_not_fetched_are_told_from_a_file_that_is_not_there(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "r")
    repository.git("config", "uploadpack.allowFilter", "true")
    head = repository.commit("one", {"a": "1"})
    url = (tmp_path / "r").as_uri()
    repository.git("clone", "-q", "--no-checkout", "--filter=blob:none", url, "../clone")
    git = opened(tmp_path / "clone")
    assert blobs(git, [f"{head}:b"]) == {f"{head}:b": None}
    with pytest.raises(RepositoryError) as caught:
        blobs(git, [f"{head}:b", f"{head}:a"])
    assert caught.value.code == "object_missing"


def test_more_bytes_than_the_limit_are_an_error(tmp_path: Path) -> None:
    head = Repository(tmp_path).commit("one", {"a": "x" * 5000})
    with pytest.raises(RepositoryError) as caught:
        blobs(opened(tmp_path, GitLimits(LIMITS.timeout_ms, 4000)), [f"{head}:a"])
    assert caught.value.code == "output_too_large"


@pytest.mark.parametrize("form", ["sha1", "sha256"])
def test_a_hash_short_or_long_in_any_case_stands_for_its_commit(form: str, tmp_path: Path) -> None:
    repository = Repository(tmp_path, f"--object-format={form}")
    head = repository.commit("one", {"a": "1"})
    asked = [head, head[:7], head[:12].upper()]
    assert commits_named(opened(tmp_path), asked) == dict.fromkeys(asked, (head,))


def test_what_stands_for_no_commit_names_none(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    repository.commit("one", {"a": "1"})
    absent = [
        "1234567",
        "1" * 40,
        "HEAD",
        "main",
        "-x",
        "",
        "abc",
        "zzzzzzz",
        "1234567\n",
        "1234567:a",
        "1234567^{commit}",
    ]
    absent += [repository.git("rev-parse", "HEAD:a"), repository.git("rev-parse", "HEAD^{tree}")[:10]]
    assert commits_named(opened(tmp_path), absent) == dict.fromkeys(absent, ())


def test_a_branch_or_tag_with_the_name_of_a_hash_is_no_commit_of_that_hash(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    head = repository.commit("one")
    repository.git("branch", "deadbee")
    repository.git("branch", head[:7], repository.commit("two"))
    assert commits_named(opened(tmp_path), ["deadbee", head[:7]]) == {"deadbee": (), head[:7]: (head,)}


def test_the_hash_of_a_tag_stands_for_what_is_tagged(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    head = repository.commit("one")
    repository.git("tag", "-a", "-m", "x", "v1")
    tag = repository.git("rev-parse", "v1")
    assert commits_named(opened(tmp_path), [tag[:9]]) == {tag[:9]: (head,)}


def test_an_ambiguous_hash_stands_for_every_commit_that_it_may_mean(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    tree = repository.git("hash-object", "-t", "tree", "-w", "--stdin", stdin=b"")
    seen: dict[str, bytes] = {}
    pair: tuple[bytes, bytes] | None = None
    for number in range(5000):
        raw = f"tree {tree}\nauthor A <a> {number} +0000\ncommitter A <a> 1 +0000\n\nx\n".encode()
        short = sha1(b"commit %d\0" % len(raw) + raw).hexdigest()[:4]
        if short in seen:
            pair = (seen[short], raw)
            break
        seen[short] = raw
    assert pair is not None
    both = {repository.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=raw) for raw in pair}
    assert len(both) == 2
    assert set(commits_named(opened(tmp_path), [short])[short]) == both


def test_an_unknown_end_of_a_range_in_a_shallow_clone_may_exist_all_the_same(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "r")
    first = repository.commit("one")
    head = repository.commit("two")
    repository.git("clone", "-q", "--depth=1", (tmp_path / "r").as_uri(), "../clone")
    git = opened(tmp_path / "clone")
    assert commits_named(git, [head[:8], first]) == {head[:8]: (head,), first: ()}
    with pytest.raises(RepositoryError) as caught:
        range_of(git, f"{first}..{head}")
    assert caught.value.code == "history_incomplete"
    assert "--unshallow" in (caught.value.next_step or "")


def test_a_range_has_two_ends_of_any_name(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    first = repository.commit("one")
    repository.git("tag", "-a", "-m", "x", "v1.0")
    repository.branch("feature/ю")
    second = repository.commit("two")
    git = opened(tmp_path)
    for text in ("v1.0..HEAD", f"{first[:7]}..feature/ю", "HEAD~1..HEAD", "main..feature/ю", "HEAD^..@"):
        assert range_of(git, text) == (first, second), text
    assert range_of(git, "nowhere..HEAD") is None
    assert range_of(git, f"HEAD..{'1' * 40}x") is None


@pytest.mark.parametrize(
    "text",
    [
        "", "HEAD", "..", "HEAD..", "..HEAD", "HEAD...main", "a..b..c", "-x..HEAD", "HEAD..--output=/tmp/x", "^a..b",
        ":/a..b", "a ..b", "a\n..b", "HEAD..HEAD\nmain", "\0..b", "a..\udcff",
    ],
)  # fmt: skip
def test_what_is_no_range_is_refused_as_wrong_usage(text: str, tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    repository.commit("one")
    with pytest.raises(RevisionError) as caught:
        range_of(opened(tmp_path), text)
    assert (caught.value.code, caught.value.exit_status) == ("invalid_range", 2)
