"""The errors that a user may see: each names a thing, a place, a reason code and the next legal move."""

from __future__ import annotations

from typing import ClassVar


class ToolkitError(Exception):
    """Base of every expected failure.

    ``code`` is stable and machine readable. ``place`` is where it happened (``file:line:column``, a path,
    a check's name), ``next_step`` is what the user can do about it. ``exit_status`` is 2 for wrong usage or
    bad input, 3 for "could not be determined"; it is a property of the kind of failure, never of its wording.
    """

    exit_status: ClassVar[int] = 2

    def __init__(self, code: str, message: str, *, place: str | None = None, next_step: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.place = place
        self.next_step = next_step

    def __str__(self) -> str:
        where = f" ({self.place})" if self.place else ""
        return f"{self.code}: {self.message}{where}"

    def to_json(self) -> dict[str, str | None]:
        """The ``error`` object of the machine output."""
        return {"code": self.code, "message": self.message, "next": self.next_step, "place": self.place}


class UndeterminedError(ToolkitError):
    """Something outside the input failed (a disk, a program, a lock): the answer is neither yes nor no."""

    exit_status = 3


class StorageError(UndeterminedError):
    """A record could not be written or read back."""


class ProcessError(UndeterminedError):
    """A program could not be started at all."""
