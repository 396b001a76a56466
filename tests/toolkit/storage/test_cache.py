"""The cache of small JSON values: whatever happens to it, an answer is the right one or none."""

from __future__ import annotations

import json
import multiprocessing
import os
import stat
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.storage.cache import KEPT_FOR, Cache, cache_root, key_of

KEY = key_of(b"content")
OTHER = key_of(b"other content")
VALUE = {"findings": [[1, 2, "error", 1009, "text \ud800 и"]], "none": None}

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache", "tests")


def entry(tmp_path: Path, key: str = KEY) -> Path:
    return tmp_path / "cache" / "tests" / key


def test_what_was_put_is_found_again(cache: Cache, tmp_path: Path) -> None:
    cache.put(KEY, VALUE)
    assert cache.get(KEY) == VALUE
    assert Cache(tmp_path / "cache", "tests").get(KEY) == VALUE


@given(value=JSON)
def test_any_json_value_comes_back_as_it_was(tmp_path_factory: pytest.TempPathFactory, value: object) -> None:
    cache = Cache(tmp_path_factory.getbasetemp() / "any-value", "tests")
    cache.put(KEY, value)
    assert cache.get(KEY) == value


def test_what_was_never_put_is_a_miss(cache: Cache) -> None:
    assert cache.get(KEY) is None


def test_a_later_value_replaces_an_earlier_one(cache: Cache) -> None:
    cache.put(KEY, [1])
    cache.put(KEY, [2])
    assert cache.get(KEY) == [2]


def test_namespaces_do_not_see_each_other(cache: Cache, tmp_path: Path) -> None:
    cache.put(KEY, VALUE)
    assert Cache(tmp_path / "cache", "others").get(KEY) is None


def test_with_no_directory_every_look_up_is_a_miss() -> None:
    cache = Cache(None, "tests")
    cache.put(KEY, VALUE)
    assert cache.get(KEY) is None


def test_directories_and_entries_are_the_users_alone(cache: Cache, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        cache.put(KEY, VALUE)
    finally:
        os.umask(before)
    modes = [
        stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "cache", entry(tmp_path).parent, entry(tmp_path))
    ]
    assert modes == [0o700, 0o700, 0o600]


def test_it_may_be_deleted_at_any_time(cache: Cache, tmp_path: Path) -> None:
    cache.put(KEY, VALUE)
    subprocess.run(["rm", "-r", "--", tmp_path / "cache"], check=True)
    assert cache.get(KEY) is None
    cache.put(KEY, VALUE)
    assert cache.get(KEY) == VALUE


# --- damage ----------------------------------------------------------------------------------------------------------


def test_every_truncation_and_every_changed_byte_is_a_miss(cache: Cache, tmp_path: Path) -> None:
    cache.put(KEY, [1, "two"])
    path = entry(tmp_path)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert cache.get(KEY) is None
    for position in range(len(whole)):
        path.write_bytes(whole[:position] + bytes([whole[position] ^ 1]) + whole[position + 1 :])
        assert cache.get(KEY) is None
    path.write_bytes(whole + b" ")
    assert cache.get(KEY) is None
    path.write_bytes(whole)
    assert cache.get(KEY) == [1, "two"]


def test_an_entry_under_another_name_is_a_miss(cache: Cache, tmp_path: Path) -> None:
    cache.put(KEY, VALUE)
    entry(tmp_path).rename(entry(tmp_path, OTHER))
    assert cache.get(OTHER) is None


def test_an_entry_of_another_namespace_is_a_miss(cache: Cache, tmp_path: Path) -> None:
    cache.put(KEY, VALUE)
    (tmp_path / "cache" / "tests").rename(tmp_path / "cache" / "others")
    assert Cache(tmp_path / "cache", "others").get(KEY) is None


def test_a_damaged_entry_is_mended_by_the_next_put(cache: Cache, tmp_path: Path) -> None:
    cache.put(KEY, VALUE)
    entry(tmp_path).write_bytes(b"")
    cache.put(KEY, VALUE)
    assert cache.get(KEY) == VALUE


def test_what_is_no_regular_file_is_a_miss_and_is_not_waited_for(cache: Cache, tmp_path: Path) -> None:
    cache.put(KEY, VALUE)
    entry(tmp_path).rename(tmp_path / "moved")
    for make in (os.mkfifo, os.mkdir, lambda path: path.symlink_to(tmp_path / "moved")):
        make(entry(tmp_path, OTHER))
        assert cache.get(OTHER) is None
        cache.put(OTHER, VALUE)
        subprocess.run(["rm", "-rf", "--", entry(tmp_path, OTHER)], check=True)
    entry(tmp_path).symlink_to(tmp_path / "moved")
    assert cache.get(KEY) is None


def test_an_oversized_entry_is_neither_read_nor_written(cache: Cache, tmp_path: Path) -> None:
    cache.put(KEY, "x" * 17_000_000)
    assert not entry(tmp_path).exists()
    cache.put(KEY, VALUE)
    with entry(tmp_path).open("r+b") as file:
        file.truncate(1_000_000_000)
    assert cache.get(KEY) is None


def test_a_file_where_the_directory_should_be_is_a_miss(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("")
    cache = Cache(tmp_path / "cache", "tests")
    cache.put(KEY, VALUE)
    assert cache.get(KEY) is None


def test_a_full_disk_is_a_miss_and_leaves_nothing_behind(cache: Cache, tmp_path: Path) -> None:
    import resource

    cache.put(OTHER, VALUE)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))  # Python ignores SIGXFSZ: the write fails
    try:
        cache.put(KEY, "x" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert cache.get(KEY) is None
    assert cache.get(OTHER) == VALUE
    assert {path.name for path in entry(tmp_path).parent.iterdir()} == {OTHER, ".pruned"}


def test_a_directory_that_others_may_write_to_is_not_believed(cache: Cache, tmp_path: Path) -> None:
    cache.put(KEY, VALUE)
    entry(tmp_path).parent.chmod(0o777)
    assert cache.get(KEY) is None
    cache.put(OTHER, VALUE)
    assert not entry(tmp_path, OTHER).exists()


def test_without_the_right_to_read_or_write_it_is_a_miss(cache: Cache, tmp_path: Path) -> None:
    cache.put(KEY, VALUE)
    program = """
        import json, os, pathlib, sys
        from toolkit.storage.cache import Cache
        directory, key = sys.argv[1:]
        if os.geteuid() == 0:
            os.setuid(65534)
        else:
            pathlib.Path(directory, "tests").chmod(0)
        cache = Cache(pathlib.Path(directory), "tests")
        print(cache.get(key))
        cache.put("ab", [1])
        print(cache.get("ab"))
    """
    command = [sys.executable, "-c", textwrap.dedent(program), str(tmp_path / "cache"), KEY]
    ended = subprocess.run(command, cwd=Path(__file__).parents[3], capture_output=True, text=True, check=True)
    assert ended.stdout == "None\nNone\n"


# --- misuse ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["", "../../etc/passwd", "AB", "ab/cd", "ab\n", ".pruned"])
def test_a_key_that_is_no_digest_is_refused(cache: Cache, key: str) -> None:
    with pytest.raises(ValueError, match="is no key"):
        cache.get(key)
    with pytest.raises(ValueError, match="is no key"):
        cache.put(key, VALUE)


@pytest.mark.parametrize("namespace", ["", "..", "a/b", "a.b"])
def test_a_namespace_that_is_no_plain_name_is_refused(tmp_path: Path, namespace: str) -> None:
    with pytest.raises(ValueError, match="is no namespace"):
        Cache(tmp_path, namespace)


def test_what_json_cannot_say_is_refused(cache: Cache) -> None:
    with pytest.raises(ValueError, match="JSON"):
        cache.put(KEY, float("nan"))


@given(first=st.lists(st.binary(max_size=4), max_size=4), second=st.lists(st.binary(max_size=4), max_size=4))
def test_two_lists_of_parts_share_a_key_only_if_they_are_equal(first: list[bytes], second: list[bytes]) -> None:
    assert (key_of(*first) == key_of(*second)) == (first == second)


# --- several processes -----------------------------------------------------------------------------------------------


def hammer(directory: Path, value: int) -> int:
    """Write and read one key over and over; how many reads gave anything but a whole value."""
    cache = Cache(directory, "tests")
    wrong = 0
    for _ in range(200):
        cache.put(KEY, [value] * 2000)
        seen = cache.get(KEY)
        wrong += seen is None or len(seen) != 2000 or len(set(seen)) != 1
    return wrong


def test_processes_at_the_same_time_see_only_whole_entries(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.starmap(hammer, [(tmp_path, 1), (tmp_path, 2)]) == [0, 0]


# --- growth ----------------------------------------------------------------------------------------------------------


def age(path: Path, seconds: float) -> None:
    moment = time.time() - seconds
    os.utime(path, (moment, moment))


def test_what_was_not_used_for_long_is_pruned_and_what_was_used_stays(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache", "tests")
    used, unused = key_of(b"used"), key_of(b"unused")
    for key in (used, unused):
        cache.put(key, VALUE)
        age(entry(tmp_path, key), KEPT_FOR + 60)
    assert cache.get(used) == VALUE
    leftover = entry(tmp_path).parent / f".{KEY}.0123"
    leftover.write_bytes(b"torn")
    age(leftover, KEPT_FOR + 60)
    age(entry(tmp_path).parent / ".pruned", KEPT_FOR)
    Cache(tmp_path / "cache", "tests").put(KEY, VALUE)
    assert {path.name for path in entry(tmp_path).parent.iterdir()} == {used, KEY, ".pruned"}


def test_it_is_pruned_once_a_day_at_most(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache", "tests")
    cache.put(OTHER, VALUE)
    age(entry(tmp_path, OTHER), KEPT_FOR + 60)
    Cache(tmp_path / "cache", "tests").put(KEY, VALUE)
    assert entry(tmp_path, OTHER).exists()


# --- where it stands -------------------------------------------------------------------------------------------------


def test_the_variable_of_its_own_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DR_VERIFY_CACHE_DIR", str(tmp_path / "mine"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_root() == tmp_path / "mine"


@pytest.mark.skipif(sys.platform == "darwin" or os.name != "posix", reason="platformdirs answers there")
def test_without_it_the_xdg_rules_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DR_VERIFY_CACHE_DIR", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_root() == tmp_path / "xdg" / "dr-verify"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_root() == tmp_path / ".cache" / "dr-verify"
    monkeypatch.setenv("HOME", "nowhere")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_root() is None


def test_it_agrees_with_platformdirs(monkeypatch: pytest.MonkeyPatch) -> None:
    import platformdirs

    monkeypatch.delenv("DR_VERIFY_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache_root() == Path(platformdirs.user_cache_dir("dr-verify", appauthor=False))


def test_an_entry_is_plain_text_and_nothing_that_could_run(cache: Cache, tmp_path: Path) -> None:
    cache.put(KEY, VALUE)
    digest, payload = entry(tmp_path).read_text("ascii").split("\n")
    assert len(digest) == 64
    assert json.loads(payload) == VALUE
