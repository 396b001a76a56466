"""How a program ended and what it printed, kept within a limit."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

CHUNK: Final = 65536  # bytes that are read at once


class Keep(Enum):
    """Which part of a stream stays when it is longer than the limit."""

    FIRST = "first"
    LAST = "last"


@dataclass(frozen=True, slots=True)
class Completed:
    """How a program ended and what it printed.

    Exactly one of ``exit_code`` and ``signal`` (the number of the signal that killed it) is set; both are null when the
    system kept no status (SIGCHLD is ignored here, or not even SIGKILL ended it), which is never success. ``timed_out``
    says that the deadline passed first, whatever the status. Each stream is at most the limit, in bytes.
    """

    argv: tuple[str, ...]
    exit_code: int | None
    signal: int | None
    stdout: bytes
    stderr: bytes
    stdout_truncated: bool
    stderr_truncated: bool
    timed_out: bool
    duration_ms: int

    @property
    def ending(self) -> str:
        """How it ended, in words for a message."""
        if self.exit_code is not None:
            return f"exit {self.exit_code}"
        return "ended without a status" if self.signal is None else f"killed by signal {self.signal}"


class Capture:
    """The first or the last ``limit`` bytes of a stream, in memory bounded by the limit."""

    def __init__(self, limit: int, keep: Keep) -> None:
        self._limit = limit
        self._keep = keep
        self._kept = bytearray()
        self.truncated = False

    def add(self, chunk: bytes) -> None:
        if self._keep is Keep.FIRST:
            chunk_that_fits = chunk[: self._limit - len(self._kept)]
            self.truncated = self.truncated or len(chunk_that_fits) < len(chunk)
            self._kept += chunk_that_fits
            return
        self._kept += chunk
        self.truncated = self.truncated or len(self._kept) > self._limit
        if len(self._kept) > 2 * self._limit + CHUNK:  # now and then: at every chunk it would copy the whole each time
            self._trim()

    def value(self) -> bytes:
        self._trim()
        return bytes(self._kept)

    def _trim(self) -> None:
        del self._kept[: max(0, len(self._kept) - self._limit)]
