"""The record of what was allowed to become weaker: appended once, whole or not at all, and only in its place."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from repository_support import Repository

from toolkit.errors import StorageError, ToolkitError
from toolkit.sources import allowances
from toolkit.sources.allowances import MAX_REASON, NAME, reason_of, record_once, repository_of

RECORD: dict[str, Any] = {
    "at": "2024-01-01T00:00:00Z",
    "reason": "the audit asked for it",
    "documents": [],
    "from": {"name": "main", "digest": "sha256:a"},
    "to": {"name": "the working tree", "digest": "sha256:b"},
}


def lines(root: Path) -> list[Any]:
    data = (root / NAME).read_bytes()
    assert data.endswith(b"\n")
    return [json.loads(line) for line in data.splitlines()]


def failure(root: Path) -> StorageError:
    with pytest.raises(StorageError) as caught:
        record_once(root, RECORD)
    assert caught.value.exit_status == 3
    assert caught.value.next_step
    return caught.value


# The reason.


def test_a_reason_is_one_line_of_words() -> None:
    assert reason_of("  почему — because 'of' it\t".rstrip("\t")) == "почему — because 'of' it"
    assert len(reason_of("x" * MAX_REASON)) == MAX_REASON


@pytest.mark.parametrize(
    "text", ["", " \t\n", "\u3000", "two\nlines", "a\x1b[31m", "a\x00b", "a\u202eb", "\udcff", "x" * (MAX_REASON + 1)]
)
def test_a_reason_that_says_nothing_or_too_much_is_refused(text: str) -> None:
    with pytest.raises(ToolkitError) as caught:
        reason_of(text)
    assert (caught.value.code, caught.value.exit_status) == ("bad_reason", 2)


# Where it stands.


def test_it_stands_beside_the_layer_or_at_the_top_of_the_work_tree(tmp_path: Path) -> None:
    made = Repository(tmp_path / "work")
    made.commit("base", {"a/b/c.py": "1"})
    assert repository_of(made.path / "a/b") == made.path
    (made.path / "a/.dr/policies").mkdir(parents=True)
    assert repository_of(made.path / "a/b") == made.path / "a"
    made.git("worktree", "add", "-q", str(tmp_path / "linked"))
    assert repository_of(tmp_path / "linked/a/b") == tmp_path / "linked"
    (tmp_path / "plain/.dr/policies").mkdir(parents=True)
    assert repository_of(tmp_path / "plain") == tmp_path / "plain"


def test_without_a_repository_there_is_no_place_for_it(tmp_path: Path) -> None:
    (tmp_path / ".dr").mkdir()  # holds no policies, so it is none of ours
    with pytest.raises(ToolkitError) as caught:
        repository_of(tmp_path)
    assert (caught.value.code, caught.value.exit_status) == ("no_repository", 2)
    assert str(tmp_path) in str(caught.value.place)


def test_a_folder_that_leaves_the_repository_by_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "root").mkdir()
    (tmp_path / "root/.dr").symlink_to(tmp_path / "outside")
    assert failure(tmp_path / "root").code == "policy_outside_repository"
    assert os.listdir(tmp_path / "outside") == []


# Appending.


def test_the_folder_and_the_file_are_made(tmp_path: Path) -> None:
    assert record_once(tmp_path, RECORD)
    assert lines(tmp_path) == [RECORD]
    assert (tmp_path / NAME).stat().st_mode & 0o777 == 0o644 & ~_umask()
    assert os.listdir(tmp_path / ".dr") == ["weakened.jsonl"]


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_the_same_answer_to_the_same_question_is_recorded_once(tmp_path: Path) -> None:
    assert record_once(tmp_path, RECORD)
    before = (tmp_path / NAME).read_bytes()
    assert not record_once(tmp_path, {**RECORD, "at": "2025-01-01T00:00:00Z"})
    assert not record_once(tmp_path, {**RECORD, "from": {"name": "HEAD", "digest": "sha256:a"}})
    assert (tmp_path / NAME).read_bytes() == before


@pytest.mark.parametrize(
    "other",
    [
        {"reason": "another"},
        {"documents": ["review.risk"]},
        {"from": {"name": "main", "digest": "sha256:c"}},
        {"to": {"name": "the working tree", "digest": "sha256:c"}},
    ],
)
def test_another_question_or_reason_is_another_line(tmp_path: Path, other: dict[str, Any]) -> None:
    assert record_once(tmp_path, RECORD)
    assert record_once(tmp_path, {**RECORD, **other})
    assert lines(tmp_path) == [RECORD, {**RECORD, **other}]


def test_what_stands_there_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / ".dr").mkdir()
    damaged = b'{"reason": "cut off\n[]\n\xff\nnull\n{"reason": 1, "documents": 2, "from": 3}\n' + b"[" * 100_000
    (tmp_path / NAME).write_bytes(damaged)  # the last line without an end
    assert record_once(tmp_path, RECORD)
    after = (tmp_path / NAME).read_bytes()
    assert after.startswith(damaged + b"\n")
    assert json.loads(after[len(damaged) :]) == RECORD
    assert not record_once(tmp_path, RECORD)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / ".dr").mkdir()
    (tmp_path / "elsewhere").write_text("")
    (tmp_path / NAME).symlink_to(tmp_path / "elsewhere")
    assert failure(tmp_path).code == "is_symlink"
    assert (tmp_path / "elsewhere").read_text() == ""


def test_what_is_no_plain_file_is_not_written_to(tmp_path: Path) -> None:
    (tmp_path / ".dr").mkdir()
    os.mkfifo(tmp_path / NAME)
    assert failure(tmp_path).code == "not_regular"
    (tmp_path / NAME).unlink()
    (tmp_path / NAME).mkdir()
    assert failure(tmp_path).code == "not_writable"


def test_a_record_that_grew_beyond_reading_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert record_once(tmp_path, RECORD)
    monkeypatch.setattr(allowances, "MAX_RECORD", 10)
    assert failure(tmp_path).code == "too_large"


def test_a_line_that_does_not_fit_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert record_once(tmp_path, {**RECORD, "reason": "first"})
    before = (tmp_path / NAME).read_bytes()
    real, calls = os.write, []

    def short(descriptor: int, data: Any) -> int:
        calls.append(len(data))
        if len(calls) > 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(descriptor, data[:10])

    monkeypatch.setattr(os, "write", short)
    assert failure(tmp_path).code == "no_space"
    assert len(calls) == 2
    assert (tmp_path / NAME).read_bytes() == before


def test_who_holds_the_file_for_ever_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allowances, "LOCK_SECONDS", 0.0)
    (tmp_path / ".dr").mkdir()
    with open(tmp_path / NAME, "wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert failure(tmp_path).code == "lock_timed_out"
    assert (tmp_path / NAME).read_bytes() == b""
    assert record_once(tmp_path, RECORD)


def test_a_file_that_is_replaced_while_its_lock_is_waited_for_is_not_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".dr").mkdir()
    (tmp_path / NAME).write_bytes(b"{}\n")
    real, waits = fcntl.flock, []

    def replaced_meanwhile(descriptor: int, operation: int) -> None:
        if not waits:
            (tmp_path / "new").write_bytes(b"[]\n")
            (tmp_path / "new").replace(tmp_path / NAME)
        waits.append(descriptor)
        real(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", replaced_meanwhile)
    assert record_once(tmp_path, RECORD)
    assert lines(tmp_path) == [[], RECORD]
    assert len(waits) == 2


def test_processes_that_record_at_once_record_each_reason_once(tmp_path: Path) -> None:
    script = (
        "import sys, json\n"
        "from pathlib import Path\n"
        "from toolkit.sources.allowances import record_once\n"
        "record = json.loads(sys.argv[2])\n"
        "sys.stdin.readline()\n"
        "print(sum(record_once(Path(sys.argv[1]), {**record, 'reason': f'{n}'}) for n in range(40)))\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path), json.dumps(RECORD)]
    children = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=_project())
        for _ in range(3)
    ]
    for child in children:
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()
    added = [int(child.communicate()[0]) for child in children]
    assert [child.returncode for child in children] == [0, 0, 0]
    assert sum(added) == 40
    assert sorted(int(one["reason"]) for one in lines(tmp_path)) == list(range(40))


def test_without_the_right_to_write_nothing_is_recorded(request: pytest.FixtureRequest) -> None:
    script = f"""
import os, sys
from pathlib import Path
import toolkit.sources.allowances as allowances, toolkit.storage.files
from toolkit.errors import StorageError
if os.geteuid() == 0:
    os.setgroups([]), os.setgid(65534), os.setuid(65534)
try:
    allowances.record_once(Path(sys.argv[1]), {RECORD!r})
except StorageError as fault:
    print(fault.code, fault.exit_status)
"""
    for there in (True, False):
        with tempfile.TemporaryDirectory(dir="/tmp") as made:
            root = Path(made)
            root.chmod(0o555)
            if there:
                root.chmod(0o755)
                (root / ".dr").mkdir()
                (root / NAME).write_bytes(b"")
                (root / NAME).chmod(0o444)
                (root / ".dr").chmod(0o555)
            child = subprocess.run(
                [sys.executable, "-c", script, made], capture_output=True, text=True, check=True, cwd=_project()
            )
            assert child.stdout == "not_writable 3\n"
            root.chmod(0o755)
            if there:
                assert (root / NAME).read_bytes() == b""
                (root / ".dr").chmod(0o755)


def _project() -> Path:
    return Path(__file__).parents[3]
