"""The lock: what is in force, by version and digest, and every way in which it can differ."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from policy_support import head
from sources_support import LIMITS, USER_LIMITS, write

from toolkit.errors import StorageError
from toolkit.policy.layers import REPOSITORY, Source
from toolkit.policy.problems import PolicyError
from toolkit.policy.sets import PolicySet
from toolkit.policy.syntax.nodes import MAX_BYTES
from toolkit.sources import load_policies
from toolkit.sources.lock import (
    NAME,
    Lock,
    changed_under_version,
    differences,
    read_lock,
    render_lock,
    write_lock,
)

WORDS = head("vocabulary", "repo.words") + "terms: [{term: a}]\n"


def in_force(repository: Path) -> PolicySet:
    return load_policies(repository).policies


def locked(repository: Path) -> Lock:
    return read_lock(Source(NAME, render_lock(in_force(repository)), REPOSITORY))


def found(lock: Lock, repository: Path) -> list[tuple[str, str, str]]:
    return [(one.code, one.document, str(one.mark)) for one in differences(lock, in_force(repository))]


def refused(text: bytes | str) -> list[tuple[str, str]]:
    with pytest.raises(PolicyError) as caught:
        read_lock(Source(NAME, text.encode() if isinstance(text, str) else text, REPOSITORY))
    assert all(problem.hint for problem in caught.value.problems)
    return [(problem.code, str(problem.mark)) for problem in caught.value.problems]


def test_a_lock_has_a_line_for_each_document_and_is_the_same_every_time(repository: Path) -> None:
    write(repository, "words.yaml", WORDS)
    text = render_lock(in_force(repository)).decode()
    assert text == render_lock(in_force(repository)).decode()
    *head_lines, words, limits = text.splitlines()
    assert head_lines == [
        "# Which policies are in force here. Written by: dr-policy lock",
        "lock: v1",
        'profile: "compact"',
        "documents:",
    ]
    digest = in_force(repository).digest("repo.words")
    assert words == f'  repo.words: {{version: "1.0.0", digest: "{digest}"}}'
    assert limits.startswith("  verify.limits: ")
    assert text.endswith("}\n")


def test_what_is_in_force_is_as_it_was_locked(repository: Path) -> None:
    write(repository, "limits.yaml", LIMITS)
    assert found(locked(repository), repository) == []


def test_the_wording_of_a_file_and_its_name_change_no_lock(repository: Path) -> None:
    write(repository, "limits.yaml", LIMITS)
    lock = locked(repository)
    (repository / ".dr/policies/limits.yaml").unlink()
    write(repository, "other.yaml", "# comment\n" + LIMITS.replace("A document", "Another title"))
    assert found(lock, repository) == []


def test_the_user_s_layer_has_no_part_in_it(repository: Path, user: Path) -> None:
    lock = locked(repository)
    user.mkdir(parents=True, mode=0o700)
    (user / "limits.yaml").write_text(USER_LIMITS)
    (user / "words.yaml").write_text(WORDS.replace("repo.words", "user.words"))
    assert "user.words" in in_force(repository).ids
    assert found(lock, repository) == []


def test_a_document_that_came_and_one_that_went_are_named_with_their_places(repository: Path) -> None:
    before = locked(repository)
    write(repository, "words.yaml", WORDS)
    after = locked(repository)
    assert found(before, repository) == [("lock_added", "repo.words", ".dr/policies/words.yaml:1:1")]
    (repository / ".dr/policies/words.yaml").unlink()
    assert found(after, repository) == [("lock_removed", "repo.words", ".dr/policy.lock:5:3")]


def test_a_raised_version_is_a_difference_and_an_unchanged_one_an_error_that_names_what_to_raise(
    repository: Path,
) -> None:
    write(repository, "words.yaml", WORDS)
    write(repository, "limits.yaml", LIMITS)
    lock = locked(repository)
    write(repository, "words.yaml", WORDS.replace("term: a", "term: b"))
    write(repository, "limits.yaml", LIMITS.replace("max_iter: 2", "max_iter: 3"))
    assert found(lock, repository) == [
        ("changed_under_version", "repo.words", ".dr/policy.lock:5:3"),
        ("changed_under_version", "verify.limits", ".dr/policy.lock:6:3"),
    ]
    words, limits = changed_under_version(lock, in_force(repository))
    assert words.hint == "raise the version in .dr/policies/words.yaml, then run: dr-policy lock"
    assert limits.hint == "raise the version in .dr/policies/limits.yaml, then run: dr-policy lock"
    write(repository, "words.yaml", WORDS.replace("term: a", "term: b").replace("1.0.0", "1.0.1"))
    write(repository, "limits.yaml", LIMITS.replace("max_iter: 2", "max_iter: 3").replace("1.0.0", "1.1.0"))
    assert [code for code, _, _ in found(lock, repository)] == ["lock_changed", "lock_changed"]
    assert changed_under_version(lock, in_force(repository)) == ()


def test_a_version_that_was_raised_for_nothing_is_a_difference_too(repository: Path) -> None:
    write(repository, "words.yaml", WORDS)
    lock = locked(repository)
    write(repository, "words.yaml", WORDS.replace("1.0.0", "1.0.1"))
    assert [code for code, _, _ in found(lock, repository)] == ["lock_changed"]


def test_another_profile_is_told_besides_what_it_edits(repository: Path) -> None:
    lock = locked(repository)
    (repository / ".dr/config.yaml").write_text("profile: strict\n")
    assert found(lock, repository) == [
        ("lock_profile", "", ".dr/policy.lock:3:10"),
        ("lock_changed", "verify.limits", ".dr/policy.lock:5:3"),
    ]


# A damaged or hostile one.

GOOD = '{version: "1", digest: "sha256:' + "0" * 64 + '"}'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [("empty", ".dr/policy.lock:1:1")]),
        ("lock: v1\n", [("missing_key", ".dr/policy.lock:1:1"), ("missing_key", ".dr/policy.lock:1:1")]),
        ("lock: v2\nprofile: a\ndocuments: {}\n", [("unknown_word", ".dr/policy.lock:1:7")]),
        ("lock: v1\nprofile: a\ndocuments: []\n", [("wrong_type", ".dr/policy.lock:3:12")]),
        (f"lock: v1\nprofile: a\nmore: 1\ndocuments: {{a.b: {GOOD}}}\n", [("unknown_key", ".dr/policy.lock:3:1")]),
        (
            f"lock: v1\nprofile: a\ndocuments:\n  a.b: {GOOD}\n  a.b: {GOOD}\n",
            [("duplicate_key", ".dr/policy.lock:5:3")],
        ),
        ("lock: v1\nprofile: a\ndocuments:\n  a.b: {version: x}\n", [("missing_key", ".dr/policy.lock:4:8")]),
        (
            "lock: v1\nprofile: a\ndocuments:\n  a.b: {version: x, digest: sha256}\n",
            [("bad_digest", ".dr/policy.lock:4:29")],
        ),
        (
            "lock: v1\nprofile: a\ndocuments:\n<<<<<<< ours\n  a.b: {version: x, digest: y}\n=======\n",
            [("yaml_syntax", ".dr/policy.lock:5:6")],
        ),
        (b"\xff", [("not_utf8", ".dr/policy.lock:1:1")]),
        (b"#" * (MAX_BYTES + 1), [("too_large", ".dr/policy.lock")]),
        ("[" * 100, [("too_deep", ".dr/policy.lock:1:65")]),
        ("a: &a x\nb: *a\n", [("anchor", ".dr/policy.lock:1:4"), ("alias", ".dr/policy.lock:2:4")]),
    ],
)
def test_a_damaged_lock_is_told_with_every_place(text: bytes | str, expected: list[tuple[str, str]]) -> None:
    assert refused(text) == expected


def test_an_empty_lock_is_told_what_to_do_with_a_lock() -> None:
    with pytest.raises(PolicyError) as caught:
        read_lock(Source(NAME, b"", REPOSITORY))
    assert "dr-policy lock" in str(caught.value.problems[0].hint)


def test_an_id_in_a_lock_that_a_terminal_would_obey_is_spelled_out(repository: Path) -> None:
    lock = read_lock(
        Source(NAME, f'lock: v1\nprofile: "compact"\ndocuments:\n  "\\e[31m": {GOOD}\n'.encode(), REPOSITORY)
    )
    removed = next(one for one in differences(lock, in_force(repository)) if one.code == "lock_removed")
    assert "\x1b" not in removed.message


# Writing.


def test_a_lock_is_written_whole_and_not_again_where_it_says_the_same(tmp_path: Path) -> None:
    assert write_lock(tmp_path, b"one\n")
    path = tmp_path / NAME
    before = path.stat().st_ino
    assert not write_lock(tmp_path, b"one\n")
    assert (path.stat().st_ino, path.stat().st_mode & 0o777) == (before, 0o644)
    assert write_lock(tmp_path, b"two, longer\n")
    assert path.read_bytes() == b"two, longer\n"
    assert os.listdir(tmp_path / ".dr") == ["policy.lock"]


def test_a_lock_that_is_a_link_is_replaced_and_what_it_leads_to_is_not(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"one\n")
    root = tmp_path / "root"
    (root / ".dr").mkdir(parents=True)
    (root / NAME).symlink_to(outside)
    assert write_lock(root, b"one\n")
    assert not (root / NAME).is_symlink()
    assert write_lock(root, b"two\n")
    assert outside.read_bytes() == b"one\n"


def test_a_lock_does_not_leave_the_repository_by_a_link(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    root = tmp_path / "root"
    root.mkdir()
    (root / ".dr").symlink_to(tmp_path / "outside")
    with pytest.raises(PolicyError) as caught:
        write_lock(root, b"x")
    assert caught.value.code == "policy_outside_repository"
    assert os.listdir(tmp_path / "outside") == []


def test_a_lock_that_can_t_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir(parents=True)
    with pytest.raises(StorageError) as caught:
        write_lock(tmp_path, b"x")
    assert caught.value.code == "not_writable"
    assert os.listdir(tmp_path / ".dr") == ["policy.lock"]
    (tmp_path / "file").mkdir()
    (tmp_path / "file/.dr").write_text("x")
    with pytest.raises(StorageError):
        write_lock(tmp_path / "file", b"x")
