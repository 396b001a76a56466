"""Writing into a repository: whole files, never out of it, never over what somebody wrote."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Barrier, Thread

import pytest

from toolkit.errors import StorageError
from toolkit.policy.problems import PolicyError
from toolkit.policy.syntax.nodes import MAX_BYTES
from toolkit.sources.writing import KEPT, MODE, REFRESHED, UNCHANGED, WRITTEN, Put, put_new, refresh

FILE = ".dr/policies/deep/a.yaml"


def everything(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


def test_a_new_file_is_written_with_its_folders_and_can_be_edited(tmp_path: Path) -> None:
    assert put_new(tmp_path, FILE, b"a: 1\n") == Put(FILE, WRITTEN)

    assert (tmp_path / FILE).read_bytes() == b"a: 1\n"
    assert (tmp_path / FILE).stat().st_mode & 0o777 == MODE
    assert everything(tmp_path) == [".dr", ".dr/policies", ".dr/policies/deep", FILE]


def test_what_stands_there_is_left_as_it_is(tmp_path: Path) -> None:
    put_new(tmp_path, FILE, b"mine\n")
    before = (tmp_path / FILE).stat()

    assert put_new(tmp_path, FILE, b"yours\n") == Put(FILE, KEPT)
    assert put_new(tmp_path, FILE, b"mine\n") == Put(FILE, UNCHANGED)
    assert (tmp_path / FILE).read_bytes() == b"mine\n"
    assert (tmp_path / FILE).stat() == before
    assert everything(tmp_path)[-1] == FILE


def test_what_was_generated_is_refreshed_and_nothing_else(tmp_path: Path) -> None:
    put_new(tmp_path, "a.json", b"old")

    assert refresh(tmp_path, "a.json", b"new", lambda present: present == b"old") == Put("a.json", REFRESHED)
    assert refresh(tmp_path, "a.json", b"newer", lambda present: present == b"old") == Put("a.json", KEPT)
    assert (tmp_path / "a.json").read_bytes() == b"new"


def test_an_empty_file_is_nobodys_work(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").touch()

    assert put_new(tmp_path, "a.yaml", b"a: 1\n") == Put("a.yaml", WRITTEN)
    assert (tmp_path / "a.yaml").read_bytes() == b"a: 1\n"


@pytest.mark.parametrize("kind", ["directory", "link", "dangling", "pipe", "large"])
def test_what_is_no_plain_file_is_left_and_not_followed(kind: str, tmp_path: Path) -> None:
    target = tmp_path / "a.yaml"
    other = tmp_path / "other"
    if kind == "directory":
        target.mkdir()
    elif kind == "link":
        other.write_bytes(b"")
        target.symlink_to(other)
    elif kind == "dangling":
        target.symlink_to(other)
    elif kind == "pipe":
        os.mkfifo(target)
    else:
        with target.open("wb") as file:
            file.truncate(MAX_BYTES + 1)
    before = os.lstat(target)

    assert refresh(tmp_path, "a.yaml", b"a: 1\n", lambda _present: True) == Put("a.yaml", KEPT)
    assert os.lstat(target) == before
    assert not other.exists() or other.read_bytes() == b""


@pytest.mark.parametrize("linked", [".dr", ".dr/policies"])
@pytest.mark.parametrize("dangling", [False, True])
def test_nothing_is_written_out_of_the_repository(linked: str, dangling: bool, tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    (root / linked).parent.mkdir(parents=True)
    if not dangling:
        outside.mkdir()
    (root / linked).symlink_to(outside)

    with pytest.raises(PolicyError) as caught:
        put_new(root, FILE, b"a: 1\n")

    assert (caught.value.code, caught.value.place) == ("policy_outside_repository", linked)
    assert not outside.exists() or not everything(outside)


def test_a_link_within_the_repository_is_one_of_its_folders(tmp_path: Path) -> None:
    (tmp_path / "settings").mkdir()
    (tmp_path / ".dr").symlink_to("settings")

    assert put_new(tmp_path, ".dr/config.yaml", b"x") == Put(".dr/config.yaml", WRITTEN)
    assert (tmp_path / "settings/config.yaml").read_bytes() == b"x"


def test_a_file_in_the_place_of_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / ".dr").write_bytes(b"")

    with pytest.raises(StorageError) as caught:
        put_new(tmp_path, FILE, b"x")

    assert (caught.value.code, caught.value.place) == ("not_writable", str(tmp_path / ".dr"))


def test_of_two_who_write_at_the_same_time_one_wins_and_the_other_is_told(tmp_path: Path) -> None:
    for attempt in range(20):
        name, barrier, outcomes = f"{attempt}.yaml", Barrier(2), {}

        def write(text: bytes, name: str = name, barrier: Barrier = barrier, told: dict[bytes, str] = outcomes) -> None:
            barrier.wait()
            told[text] = put_new(tmp_path, name, text).outcome

        threads = [Thread(target=write, args=(text,)) for text in (b"one\n", b"two\n")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(outcomes.values()) == [KEPT, WRITTEN]
        assert outcomes[(tmp_path / name).read_bytes()] == WRITTEN
    assert len(everything(tmp_path)) == 20
