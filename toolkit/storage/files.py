"""Whole files: published once, durable and never half there; read within bounds, and only if they are plain files."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from toolkit.errors import StorageError

WRITE_BITS: Final = 0o222
ONLY_OWNER: Final = 0o600
# Not every system has all of these; where one is missing, the check on the open file still stands.
NO_FOLLOW: Final = getattr(os, "O_NOFOLLOW", 0)
READ_FLAGS: Final = os.O_RDONLY | NO_FOLLOW | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
CREATE_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_FOLLOW | getattr(os, "O_CLOEXEC", 0)
DIRECTORY_FLAGS: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)

# What link(2) answers where the file system has no hard links.
NO_HARD_LINKS: Final = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})

WRITE_FAILURES: Final = {
    errno.ENOSPC: ("no_space", "free some space on that disk, then run the same command again"),
    errno.EDQUOT: ("no_space", "free some of your quota, then run the same command again"),
    errno.EFBIG: ("file_too_large", "raise the limit on file sizes (ulimit -f), then run the same command again"),
    errno.EROFS: ("not_writable", "the file system is read-only: choose a place that can be written"),
    errno.EACCES: ("not_writable", "give this user the right to write there, then run the same command again"),
    errno.EPERM: ("not_writable", "give this user the right to write there, then run the same command again"),
    errno.ENOENT: ("not_writable", "create the directory, then run the same command again"),
    errno.ENOTDIR: ("not_writable", "something that is no directory stands in the way: move it"),
    errno.EEXIST: ("not_writable", "something that is no directory stands in the way: move it"),
    errno.EISDIR: ("not_writable", "a directory stands in the way: move it"),
}
READ_FAILURES: Final = {
    errno.ENOENT: ("not_found", "check the path"),
    errno.ENOTDIR: ("not_found", "check the path"),
    errno.ENAMETOOLONG: ("bad_name", "check the path"),
    errno.ELOOP: ("is_symlink", "name the file itself, not a link to it"),
    errno.EACCES: ("not_readable", "give this user the right to read it"),
    errno.EPERM: ("not_readable", "give this user the right to read it"),
}
IO_FAILURE: Final = ("io_error", "look at the disk and the system's log, then run the same command again")


def publish_new(path: Path, data: bytes, mode: int) -> bool:
    """Create ``path`` with ``data``, whole and on disk, or leave no trace. False when the name is taken.

    Nothing is ever replaced. ``mode`` loses its write bits: what is published stays as it is. Whoever reads the
    directory at any moment, a crash included, sees no file or the whole file; where the file system has no hard
    links, an empty one may stand there for an instant. Raises ``StorageError`` with the code ``no_space``,
    ``file_too_large``, ``not_writable`` or ``io_error``.
    """
    return create(path, data, mode & ~WRITE_BITS)


def create(path: Path, data: bytes, mode: int) -> bool:
    """Create a file likewise that may be changed later: ``mode`` keeps its write bits."""
    try:
        directory = os.open(path.parent, DIRECTORY_FLAGS)
        try:
            published = _publish(directory, path.name, data, mode)
            _sync_directory(directory)
        finally:
            os.close(directory)
    except OSError as error:
        raise _failure("written", path, error, WRITE_FAILURES) from error
    return published


def replace(path: Path, data: bytes, mode: int) -> None:
    """Give ``path`` the content ``data`` and the permissions ``mode``, whole and on disk, whatever stood there.

    Whoever reads it at any moment, a crash included, sees the old content or the new one; a link is replaced, not
    followed. Raises ``StorageError`` as ``publish_new`` does.
    """
    try:
        directory = os.open(path.parent, DIRECTORY_FLAGS)
        try:
            _replace(directory, path.name, data, mode)
            _sync_directory(directory)
        finally:
            os.close(directory)
    except OSError as error:
        raise _failure("written", path, error, WRITE_FAILURES) from error


def make_directory(path: Path) -> None:
    """Create the directory ``path``, durably, unless it is there. Raises ``StorageError`` as ``publish_new`` does."""
    try:
        path.mkdir()
    except FileExistsError as error:
        if not path.is_dir():
            raise _failure("created", path, error, WRITE_FAILURES) from error
        return
    except OSError as error:
        raise _failure("created", path, error, WRITE_FAILURES) from error
    try:
        above = os.open(path.parent, DIRECTORY_FLAGS)
        try:
            _sync_directory(above)
        finally:
            os.close(above)
    except OSError as error:
        raise _failure("created", path, error, WRITE_FAILURES) from error


def read_bounded(path: Path, limit: int) -> bytes:
    """The bytes of the plain file ``path``, at most ``limit`` of them.

    A link in the last place is not followed, and nothing but a plain file is opened, so a pipe or a device never
    blocks. Raises ``StorageError`` with the code ``not_found``, ``is_symlink``, ``not_regular``, ``too_large``,
    ``not_readable``, ``bad_name`` or ``io_error``.
    """
    try:
        _require_plain(os.lstat(path), path)
        with os.fdopen(os.open(path, READ_FLAGS), "rb") as file:
            status = os.fstat(file.fileno())
            _require_plain(status, path)
            data = b"" if status.st_size > limit else file.read(limit + 1)
    except OSError as error:
        raise _failure("read", path, error, READ_FAILURES) from error
    except ValueError as error:  # a NUL byte, or a character that no file name can hold
        message = "the name can't be that of a file"
        raise StorageError("bad_name", message, place=ascii(str(path)), next_step="check the path") from error
    if status.st_size > limit or len(data) > limit:
        message = f"{path} is larger than {limit} bytes"
        raise StorageError("too_large", message, place=str(path), next_step="make the file smaller or raise the limit")
    return data


def _publish(directory: int, name: str, data: bytes, mode: int) -> bool:
    temporary = f".publish-{os.urandom(8).hex()}.tmp"
    descriptor = os.open(temporary, CREATE_FLAGS, ONLY_OWNER, dir_fd=directory)
    try:
        _fill(descriptor, data, mode)
        return _claim(directory, temporary, name)
    finally:
        with suppress(OSError):  # gone already when it became the file itself
            os.unlink(temporary, dir_fd=directory)


def _replace(directory: int, name: str, data: bytes, mode: int) -> None:
    temporary = f".replace-{os.urandom(8).hex()}.tmp"
    descriptor = os.open(temporary, CREATE_FLAGS, ONLY_OWNER, dir_fd=directory)
    try:
        _fill(descriptor, data, mode)
        os.replace(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
    except BaseException:
        with suppress(OSError):  # it became the file itself before an interrupt
            os.unlink(temporary, dir_fd=directory)
        raise


def _sync_directory(directory: int) -> None:
    """Wait until the new name is on disk. A file system that can't do that for directories says so, and is believed."""
    try:
        os.fsync(directory)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise


def _fill(descriptor: int, data: bytes, mode: int) -> None:
    """Write everything, take away what the mode takes away, and wait for the disk. Closes ``descriptor``."""
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fchmod(descriptor, mode)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _claim(directory: int, temporary: str, name: str) -> bool:
    """Give the finished file its name, unless somebody has it. A link never replaces; a rename would."""
    try:
        os.link(temporary, name, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in NO_HARD_LINKS:
            raise
        return _reserve(directory, temporary, name)
    return True


def _reserve(directory: int, temporary: str, name: str) -> bool:
    """Without hard links: take the name with an empty file, which is complete to nobody, then move the file over it."""
    try:
        os.close(os.open(name, CREATE_FLAGS, ONLY_OWNER, dir_fd=directory))
    except FileExistsError:
        return False
    try:
        os.replace(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
    except OSError:
        os.unlink(name, dir_fd=directory)
        raise
    return True


def _require_plain(status: os.stat_result, path: Path) -> None:
    kind = stat.S_IFMT(status.st_mode)
    if kind == stat.S_IFLNK:
        raise OSError(errno.ELOOP, "a symbolic link")
    if kind != stat.S_IFREG:
        message = f"{path} is {'a directory' if kind == stat.S_IFDIR else 'no plain file'}"
        raise StorageError("not_regular", message, place=str(path), next_step="name a plain file")


def _failure(done: str, path: Path, error: OSError, known: dict[int, tuple[str, str]]) -> StorageError:
    code, next_step = known.get(error.errno or 0, IO_FAILURE)
    reason = (error.strerror or "the system gave no reason").lower()
    return StorageError(code, f"{path} could not be {done}: {reason}", place=str(path), next_step=next_step)
