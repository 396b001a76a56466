"""``.dr/weakened.jsonl``: that decisions may have become weaker, who said so why, one line each, appended for good.

It is a record for people and excuses nothing: what is forbidden to become weaker is asked of the policies alone.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from toolkit.errors import StorageError, ToolkitError
from toolkit.reporting.visible import shows, visible
from toolkit.sources.found import FOLDER
from toolkit.sources.places import GIT, find_layer, stands, work_tree_of
from toolkit.storage.files import DIRECTORY_FLAGS, IO_FAILURE, NO_FOLLOW, WRITE_FAILURES, make_directory

SCHEMA: Final = "dr-policy.weakened/v1"
FILE: Final = "weakened.jsonl"
NAME: Final = f"{FOLDER}/{FILE}"
MODE: Final = 0o644
MAX_REASON: Final = 500  # characters
MAX_RECORD: Final = 16 * 1024 * 1024  # bytes of all lines together: all are read before one is added
LOCK_SECONDS: Final = 10.0
LOCK_EVERY: Final = 0.02
APPEND_FLAGS: Final = (
    os.O_RDWR | os.O_CREAT | os.O_APPEND | NO_FOLLOW | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
)
FAILURES: Final = {**WRITE_FAILURES, errno.ELOOP: ("is_symlink", f"put a plain file in the place of {NAME}")}


def reason_of(text: str) -> str:
    """A reason as it is recorded. Raises ``ToolkitError`` (``bad_reason``) for one that says nothing, or too much."""
    reason = text.strip()
    said = ""
    if not reason:
        said = "says nothing"
    elif len(reason) > MAX_REASON:
        said = f"has {len(reason)} characters; at most {MAX_REASON} are recorded"
    elif not all(map(shows, reason)):
        said = "has a line break, or another character that does not show"
    if said:
        step = "say in one line why the decisions may become weaker"
        raise ToolkitError("bad_reason", f"the reason {said}", place="--allow-weaker", next_step=step)
    return reason


def repository_of(start: Path) -> Path:
    """The directory around ``start`` in whose ``.dr`` it is recorded: that of the layer, else the top of the work tree.

    Raises ``ToolkitError`` (``no_repository``) where there is neither.
    """
    layer = find_layer(start)
    root = layer or work_tree_of(start)
    if layer is None and not stands(root / GIT):
        message = f"there is no repository here whose {NAME} could hold the reason"
        step = "run it in a repository, or ask without --allow-weaker"
        raise ToolkitError("no_repository", message, place=visible(str(start)), next_step=step)
    return root


def record_once(root: Path, record: Mapping[str, Any]) -> bool:
    """Append a record to the file below the directory ``root``, durably, whole or not at all.

    False where one with the same reason for the same question stands there: the digests of both sides and the
    ``documents`` that were asked about; when, and under which names, does not count. Whoever else appends at the same
    time waits. Raises ``StorageError`` where it can't be recorded.
    """
    folder = root / FOLDER
    real = Path(os.path.realpath(folder))
    if not real.is_relative_to(os.path.realpath(root)):
        message = "a record can't leave the repository by a symbolic link"
        raise StorageError("policy_outside_repository", message, place=FOLDER, next_step=f"make {FOLDER} a folder")
    make_directory(real)
    try:
        with _opened(real) as (descriptor, directory):
            data = _read(descriptor)
            if _question(record) in map(_asked, data.splitlines()):
                return False
            _append(descriptor, data, record)
            os.fsync(directory)
    except OSError as fault:
        code, step = FAILURES.get(fault.errno or 0, IO_FAILURE)
        message = f"{NAME} could not be written: {(fault.strerror or 'the system gave no reason').lower()}"
        raise StorageError(code, message, place=NAME, next_step=step) from fault
    return True


@contextmanager
def _opened(folder: Path) -> Iterator[tuple[int, int]]:
    """The file, which nobody else appends to meanwhile, and its directory; made unless it is there."""
    directory = os.open(folder, DIRECTORY_FLAGS)
    try:
        deadline = time.monotonic() + LOCK_SECONDS
        while True:
            descriptor = _locked(directory, deadline)
            try:
                # Whoever waited may hold the lock of a file that was replaced meanwhile, as a checkout does.
                if _is_still(descriptor, directory):
                    yield descriptor, directory
                    return
            finally:
                os.close(descriptor)
    finally:
        os.close(directory)


def _locked(directory: int, deadline: float) -> int:
    descriptor = os.open(FILE, APPEND_FLAGS, MODE, dir_fd=directory)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            step = "move away what stands there under this name"
            raise StorageError("not_regular", f"{NAME} is no plain file", place=NAME, next_step=step)
        while not _try_lock(descriptor):
            if time.monotonic() > deadline:
                message = f"{NAME} is locked by another process, for more than {LOCK_SECONDS:.0f} seconds"
                step = "see what holds it, then run the same command again"
                raise StorageError("lock_timed_out", message, place=NAME, next_step=step)
            time.sleep(LOCK_EVERY)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_still(descriptor: int, directory: int) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(FILE, dir_fd=directory, follow_symlinks=False))
    except FileNotFoundError:
        return False


def _read(descriptor: int) -> bytes:
    size = os.fstat(descriptor).st_size
    if size > MAX_RECORD:
        message = f"{NAME} has {size} bytes; at most {MAX_RECORD} are read"
        step = "move the file to where you keep such records, then run the same command again"
        raise StorageError("too_large", message, place=NAME, next_step=step)
    with os.fdopen(os.dup(descriptor), "rb") as file:
        return file.read()


def _asked(line: bytes) -> object:
    """The question of a line. One that is damaged has none, and stays as it is."""
    try:
        return _question(json.loads(line))
    except (ValueError, LookupError, TypeError, RecursionError):
        return None


def _question(record: Mapping[str, Any]) -> object:
    return record["reason"], record["documents"], record["from"]["digest"], record["to"]["digest"]


def _append(descriptor: int, data: bytes, record: Mapping[str, Any]) -> None:
    """One line at the end, in one piece; what was written of it is taken back where it does not fit."""
    line = json.dumps(record, sort_keys=True).encode() + b"\n"
    if data and not data.endswith(b"\n"):  # a line was cut off there; it must not swallow this one
        line = b"\n" + line
    try:
        rest = memoryview(line)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    except BaseException:
        os.ftruncate(descriptor, len(data))
        raise
