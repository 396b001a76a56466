"""A content-addressed cache of small JSON values: what is lost or damaged is a miss, never an error or a wrong one."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

DIRECTORY_VARIABLE: Final = "DR_VERIFY_CACHE_DIR"
APPLICATION: Final = "dr-verify"
PRIVATE: Final = 0o700
HEXADECIMAL: Final = frozenset("0123456789abcdef")
DIGEST_LENGTH: Final = 64
# What nobody asked for in a month goes, and it is looked for once a day at most. A read renews an entry once a day.
KEPT_FOR: Final = 30 * 86400
RENEWED_AFTER: Final = 86400
PRUNED_EVERY: Final = 86400
PRUNE_MARK: Final = ".pruned"
ENTRY_LIMIT: Final = 16 * 1024 * 1024


class Cache:
    """The entries of one namespace under ``directory``; with no directory every look-up is a miss.

    An entry is a file named by its key: a line with the SHA-256 of namespace, key and value, then the value as JSON.
    It is believed only when that line is right, so a torn, truncated, renamed or edited file is a miss. It is written
    under a name of its own and renamed, so readers and writers at the same time see whole entries. Nothing in it is
    executed. A directory that is somebody else's, or that others may write to, is neither read nor written.
    """

    def __init__(self, directory: Path | None, namespace: str) -> None:
        if not namespace.isidentifier() or not namespace.isascii():
            raise ValueError(f"{namespace!r} is no namespace: use letters, digits and underscores")
        self._namespace = namespace
        self._directory = None if directory is None else directory / namespace
        self._writable = True
        self._pruned = False

    def get(self, key: str) -> Any:
        """The JSON value stored under ``key`` (lower-case hexadecimal), or null."""
        path = self._path(key)
        if path is None:
            return None
        try:
            data = self._read(path)
        except OSError:
            return None
        digest, _, payload = data.partition(b"\n")
        if digest != self._digest(key, payload):
            return None
        import json

        try:
            return json.loads(payload)
        except (ValueError, RecursionError):
            return None

    def put(self, key: str, value: object) -> None:
        """Store the JSON value ``value`` under ``key``, if the disk allows. No JSON: ``ValueError``, ``TypeError``."""
        import json

        path = self._path(key)
        payload = json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")
        if path is None or not self._writable or len(payload) > ENTRY_LIMIT - DIGEST_LENGTH - 1:
            return
        try:
            self._write(path, self._digest(key, payload) + b"\n" + payload)
            self._prune(path.parent)
        except OSError:
            self._writable = False  # a full or read-only disk is not asked again for every entry

    def _path(self, key: str) -> Path | None:
        if not key or not HEXADECIMAL.issuperset(key):
            raise ValueError(f"{key!r} is no key: use lower-case hexadecimal digits")
        return None if self._directory is None else self._directory / key

    def _digest(self, key: str, payload: bytes) -> bytes:
        return hashlib.sha256(f"{self._namespace}\n{key}\n".encode("ascii") + payload).hexdigest().encode("ascii")

    def _read(self, path: Path) -> bytes:
        _require_private(path.parent)
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        with open(path, "rb", opener=lambda name, _: os.open(name, flags)) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > ENTRY_LIMIT:
                return b""
            data = file.read(ENTRY_LIMIT)
        if time.time() - status.st_mtime > RENEWED_AFTER:
            with suppress(OSError):
                os.utime(path)
        return data

    def _write(self, path: Path, data: bytes) -> None:
        _make_private(path.parent)
        _require_private(path.parent)
        temporary = path.parent / f".{path.name}.{os.urandom(8).hex()}"
        try:
            with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
                file.write(data)
            temporary.replace(path)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise

    def _prune(self, directory: Path) -> None:
        """Remove what has long not been used, temporary files that a killed process left behind included."""
        if self._pruned:
            return
        self._pruned = True
        mark = directory / PRUNE_MARK
        now = time.time()
        with suppress(FileNotFoundError):
            if now - mark.stat().st_mtime <= PRUNED_EVERY:
                return
        mark.touch(mode=0o600)  # first, so that no other process starts on the same work
        with os.scandir(directory) as entries:
            for entry in entries:
                with suppress(OSError):  # another process removed it
                    if now - entry.stat(follow_symlinks=False).st_mtime > KEPT_FOR:
                        Path(entry.path).unlink()


def cache_root() -> Path | None:
    """The user's cache directory for this program, or null where none can be told. It need not exist.

    ``DR_VERIFY_CACHE_DIR`` wins; else it is ``dr-verify`` under ``$XDG_CACHE_HOME`` or ``~/.cache``, and on macOS and
    Windows where these keep caches.
    """
    override = os.environ.get(DIRECTORY_VARIABLE)
    if override:
        return Path(override).absolute()
    if os.name != "posix" or sys.platform == "darwin":
        import platformdirs

        return Path(platformdirs.user_cache_dir(APPLICATION, appauthor=False))
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if not base.is_absolute():  # the XDG rule: a relative path is no setting
        try:
            base = Path.home() / ".cache"
        except RuntimeError:  # a user without a home
            return None
    return base / APPLICATION if base.is_absolute() else None


def key_of(*parts: bytes) -> str:
    """A key for what is told apart by ``parts``. Each is hashed with its length, so that no two lists share a key."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.hexdigest()


def _make_private(directory: Path) -> None:
    """Create ``directory`` and what is missing above it, for this user alone."""
    try:
        directory.mkdir(mode=PRIVATE)
    except FileExistsError:
        return
    except FileNotFoundError:
        _make_private(directory.parent)
        directory.mkdir(mode=PRIVATE, exist_ok=True)


def _require_private(directory: Path) -> None:
    """Raise ``PermissionError`` unless ``directory`` is this user's and nobody else may write to it."""
    status = directory.stat()
    if os.name == "posix" and (status.st_uid != os.geteuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)):
        raise PermissionError(f"{directory} is open to other users")
