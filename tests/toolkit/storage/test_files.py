"""Publishing and reading whole files, on real disks and with real processes."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolkit.errors import StorageError
from toolkit.storage.files import make_directory, publish_new, read_bounded, replace

NOBODY = 65534
# A child that can no longer do what root may do, standing in the directory that it was given.
UNPRIVILEGED = f"""
import os, sys
from pathlib import Path
from toolkit.errors import StorageError
from toolkit.storage.files import publish_new, read_bounded
os.chdir(sys.argv[1])
if os.geteuid() == 0:
    os.setgroups([]); os.setgid({NOBODY}); os.setuid({NOBODY})
"""


@pytest.fixture
def shared() -> Iterator[Path]:
    """A directory that any user can reach, unlike pytest's own."""
    directory = Path(tempfile.mkdtemp())
    directory.chmod(0o755)
    yield directory
    directory.chmod(0o755)
    shutil.rmtree(directory)


def names(directory: Path) -> list[str]:
    return sorted(entry.name for entry in directory.iterdir())


def child(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_a_published_file_is_whole_read_only_and_alone_in_its_directory(tmp_path: Path) -> None:
    path = tmp_path / "record.md"
    assert publish_new(path, b"whole", 0o644)
    assert path.read_bytes() == b"whole"
    assert stat.S_IMODE(path.stat().st_mode) == 0o444
    assert path.stat().st_nlink == 1
    assert names(tmp_path) == ["record.md"]


def test_the_umask_takes_nothing_from_the_mode(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        publish_new(tmp_path / "record.md", b"", 0o444)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "record.md").stat().st_mode) == 0o444


def test_a_name_that_is_taken_keeps_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "record.md"
    publish_new(path, b"first", 0o444)
    assert not publish_new(path, b"second", 0o444)
    assert path.read_bytes() == b"first"
    assert names(tmp_path) == ["record.md"]


def test_a_link_under_the_name_counts_as_taken_and_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "record.md").symlink_to(tmp_path / "elsewhere")
    assert not publish_new(tmp_path / "record.md", b"x", 0o444)
    assert not (tmp_path / "elsewhere").exists()


def test_of_many_processes_that_want_one_name_exactly_one_gets_it(tmp_path: Path) -> None:
    script = """
import sys
from pathlib import Path
from toolkit.storage.files import publish_new
print("ready", flush=True)
sys.stdin.read(1)
mine = (sys.argv[2] * 100_000).encode()
print(publish_new(Path(sys.argv[1]), mine, 0o444))
"""
    path = tmp_path / "record.md"
    command = [sys.executable, "-c", script, str(path)]
    running = [
        subprocess.Popen([*command, letter], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for letter in "abcd"
    ]
    for process in running:
        assert process.stdout is not None
        process.stdout.readline()
    answers = [process.communicate("!", timeout=60)[0].strip() for process in running]
    assert sorted(answers) == ["False", "False", "False", "True"]
    winner = "abcd"[answers.index("True")]
    assert path.read_bytes() == winner.encode() * 100_000


def test_a_process_killed_before_the_name_is_given_leaves_nothing_under_it(tmp_path: Path) -> None:
    script = """
import os, signal, sys
from pathlib import Path
from toolkit.storage import files
def paused(*_, **__):
    print("written", flush=True)
    signal.pause()
os.link = paused
files.publish_new(Path(sys.argv[1]), b"x" * 100_000, 0o444)
"""
    path = tmp_path / "record.md"
    process = subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "written\n"
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    assert not path.exists()
    assert publish_new(path, b"next", 0o444)
    assert path.read_bytes() == b"next"


@pytest.mark.parametrize("number", [errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS])
def test_where_there_are_no_hard_links_a_file_is_published_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(number, "no hard links here")

    monkeypatch.setattr(os, "link", refused)
    path = tmp_path / "record.md"
    assert publish_new(path, b"first", 0o444)
    assert not publish_new(path, b"second", 0o444)
    assert path.read_bytes() == b"first"
    assert stat.S_IMODE(path.stat().st_mode) == 0o444
    assert names(tmp_path) == ["record.md"]


def test_a_name_that_was_only_reserved_is_given_back_when_the_move_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "no")

    monkeypatch.setattr(os, "link", refused)
    monkeypatch.setattr(os, "replace", refused)
    with pytest.raises(StorageError):
        publish_new(tmp_path / "record.md", b"x", 0o444)
    assert names(tmp_path) == []


def test_a_directory_without_the_right_to_write_is_said_and_left_alone(shared: Path) -> None:
    shared.chmod(0o555)
    script = (
        UNPRIVILEGED
        + """
try:
    publish_new(Path("record.md"), b"x", 0o444)
except StorageError as error:
    print(error.code, bool(error.next_step), error.place)
"""
    )
    assert child(script, shared).stdout == "not_writable True record.md\n"
    assert names(shared) == []


def test_a_limit_on_file_sizes_is_an_error_and_no_signal(tmp_path: Path) -> None:
    script = """
import resource, sys
from pathlib import Path
from toolkit.errors import StorageError
from toolkit.storage.files import publish_new
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    publish_new(Path(sys.argv[1]), b"x" * 5000, 0o444)
except StorageError as error:
    print(error.code, error.exit_status)
"""
    assert child(script, tmp_path / "record.md").stdout == "file_too_large 3\n"
    assert names(tmp_path) == []


def test_a_full_disk_is_said_and_nothing_is_left(tmp_path: Path) -> None:
    script = """
import os, sys
from pathlib import Path
from toolkit.errors import StorageError
from toolkit.storage.files import publish_new
try:
    publish_new(Path(sys.argv[1]) / "record.md", os.urandom(1 << 20), 0o444)
except StorageError as error:
    print(error.code, os.listdir(sys.argv[1]))
"""
    mounted = 'mount -t tmpfs -o size=64k none "$1" || exit 77; exec "$2" -c "$3" "$1"'
    namespace = ["--mount"] if os.geteuid() == 0 else ["--user", "--map-root-user", "--mount"]
    unshare = shutil.which("unshare")
    if unshare is None:
        pytest.skip("unshare is not installed")
    command = [unshare, *namespace, "sh", "-c", mounted, "sh", str(tmp_path), sys.executable, script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode in (1, 77) and not done.stdout:
        pytest.skip("no file system may be mounted here")
    assert done.stdout == "no_space []\n"


def test_a_missing_directory_is_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError) as caught:
        publish_new(tmp_path / "none" / "record.md", b"x", 0o444)
    assert caught.value.code == "not_writable"
    assert caught.value.place == str(tmp_path / "none" / "record.md")


def test_a_directory_is_made_once_and_not_in_place_of_a_file(tmp_path: Path) -> None:
    make_directory(tmp_path / "new")
    make_directory(tmp_path / "new")
    (tmp_path / "file").write_bytes(b"")
    for path in (tmp_path / "file", tmp_path / "none" / "new", tmp_path / "file" / "new"):
        with pytest.raises(StorageError) as caught:
            make_directory(path)
        assert (caught.value.code, caught.value.place) == ("not_writable", str(path))
    assert names(tmp_path) == ["file", "new"]


def test_a_file_is_read_up_to_its_limit_and_not_beyond(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"12345")
    assert read_bounded(path, 5) == b"12345"
    with pytest.raises(StorageError) as caught:
        read_bounded(path, 4)
    assert caught.value.code == "too_large"


def test_a_file_whose_size_is_not_told_is_bounded_as_well() -> None:
    with pytest.raises(StorageError) as caught:
        read_bounded(Path("/proc/self/environ" if Path("/proc/self/environ").exists() else "/etc/services"), 1)
    assert caught.value.code == "too_large"


def test_what_is_no_plain_file_is_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path("/dev/zero")):
        with pytest.raises(StorageError) as caught:
            read_bounded(path, 10)
        assert caught.value.code == "not_regular"


def test_a_link_in_the_last_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"x")
    (tmp_path / "link").symlink_to("real")
    with pytest.raises(StorageError) as caught:
        read_bounded(tmp_path / "link", 10)
    assert caught.value.code == "is_symlink"


@pytest.mark.parametrize(
    ("name", "code"), [("none", "not_found"), ("file/none", "not_found"), ("a\0b", "bad_name"), ("x" * 300, "bad_name")]
)
def test_a_name_without_a_file_is_an_error_that_says_which(tmp_path: Path, name: str, code: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageError) as caught:
        read_bounded(tmp_path / name, 10)
    assert caught.value.code == code


def test_a_name_that_no_file_can_have_is_an_error_and_no_crash(tmp_path: Path) -> None:
    with pytest.raises(StorageError) as caught:
        read_bounded(tmp_path / "\ud800", 10)
    assert caught.value.code == "bad_name"


def test_a_file_without_the_right_to_read_is_said(shared: Path) -> None:
    (shared / "closed").write_bytes(b"x")
    (shared / "closed").chmod(0o000)
    script = (
        UNPRIVILEGED
        + """
try:
    read_bounded(Path("closed"), 10)
except StorageError as error:
    print(error.code)
"""
    )
    assert child(script, shared).stdout == "not_readable\n"


# Replacing.


def test_a_file_is_replaced_whole_with_its_permissions_and_nothing_else_stays(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    for data in (b"one", b"", b"a longer one\n" * 10_000):
        replace(path, data, 0o640)
        assert path.read_bytes() == data
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert names(tmp_path) == ["lock"]


def test_who_reads_a_file_that_is_replaced_sees_the_old_or_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    replace(path, b"old", 0o644)
    with path.open("rb") as reader:
        replace(path, b"new", 0o644)
        assert reader.read() == b"old"
    assert path.read_bytes() == b"new"


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(b"kept")
    (tmp_path / "lock").symlink_to("other")
    replace(tmp_path / "lock", b"new", 0o644)
    assert (tmp_path / "other").read_bytes() == b"kept"
    assert not (tmp_path / "lock").is_symlink()


@pytest.mark.parametrize("failing", ["replace", "fsync", "write"])
def test_what_can_t_be_replaced_stays_and_leaves_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    replace(tmp_path / "lock", b"old", 0o644)
    monkeypatch.setattr(os, failing, fail)
    with pytest.raises(StorageError) as caught:
        replace(tmp_path / "lock", b"new", 0o644)
    assert caught.value.code == "no_space"
    assert (tmp_path / "lock").read_bytes() == b"old"
    assert names(tmp_path) == ["lock"]


def test_a_directory_in_the_way_is_named_and_stays(tmp_path: Path) -> None:
    (tmp_path / "lock").mkdir()
    with pytest.raises(StorageError) as caught:
        replace(tmp_path / "lock", b"new", 0o644)
    assert (caught.value.code, names(tmp_path)) == ("not_writable", ["lock"])
