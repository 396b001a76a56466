"""Where a cited path stands: looked up under declared roots one folder at a time, and never outside of them."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from posixpath import normpath
from typing import NamedTuple

NOT_THERE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.EINVAL, errno.ELOOP})


class Outcome(Enum):
    """What became of a look-up. ``UNREADABLE`` is neither yes nor no: a folder refused to be read."""

    RESOLVED = "resolved"
    MISSING = "missing"
    ESCAPES = "escapes"
    UNREADABLE = "unreadable"


class Resolution(NamedTuple):
    """``root`` is the declared root under which the path stands; null unless it is resolved."""

    outcome: Outcome
    root: Path | None = None


class Roots:
    """The declared roots, opened for looking paths up. Each entry of a folder is asked for at most once.

    A look-up is an ``lstat`` of each folder on the way, starting at the root. A symbolic link is followed by its
    text alone, and only while it stays inside a root, so that nothing outside is ever touched. The last segment
    is not followed: it stands there, or it leads out.
    """

    def __init__(self, roots: Iterable[Path], most_links: int) -> None:
        """``most_links``: how many links one look-up may pass before it counts as a loop, which leads nowhere."""
        self._declared: dict[str, Path] = {}
        self._homes: dict[str, str] = {}  # each spelling of a root, and the real folder
        for root in roots:
            real = os.path.realpath(root)
            self._declared.setdefault(real, root)
            self._homes[normpath(root.absolute())] = self._homes[real] = real
        self._most_links = most_links
        self._entries: dict[str, str | Outcome | None] = {}
        self._resolutions: dict[str, Resolution] = {}

    def resolve(self, text: str) -> Resolution:
        """Where the path ``text`` stands: under the first root that has it; or missing, or outside of every root.

        ``.`` and ``..`` are read as text, before anything is looked up. An absolute path is looked up only when
        it lies in a root.
        """
        if text not in self._resolutions:
            self._resolutions[text] = self._resolve(text)
        return self._resolutions[text]

    def anchored(self, text: str) -> bool:
        """Whether a relative path lies below a folder that exists under some root: then it is meant as a path."""
        first, slash, _ = text.removeprefix("./").partition("/")
        return bool(first and slash) and self.resolve(first).outcome is Outcome.RESOLVED

    def _resolve(self, text: str) -> Resolution:
        seen: set[Outcome] = set()
        for real, declared in self._declared.items():
            outcome = self._look_up((real, normpath(declared.absolute())), text)
            if outcome is Outcome.RESOLVED:
                return Resolution(outcome, declared)
            if outcome is not None:
                seen.add(outcome)
        for outcome in (Outcome.ESCAPES, Outcome.UNREADABLE, Outcome.MISSING):
            if outcome in seen:
                return Resolution(outcome)
        return Resolution(Outcome.ESCAPES)

    def _look_up(self, spellings: tuple[str, str], text: str) -> Outcome | None:
        """The outcome under one root; null where the text itself leads out of every root from there."""
        for base in dict.fromkeys(spellings):
            place = self._inside(normpath(f"{base}/{text}" if text[:1] != "/" else text))
            if place is not None:
                return self._walk(*place)
        return None

    def _inside(self, path: str) -> tuple[str, list[str]] | None:
        """The innermost root that a normal absolute path lies in, and the way from there; null outside of all."""
        home = "/" + path.lstrip("/")
        while home not in self._homes:
            if home == "/":
                return None
            home = home.rpartition("/")[0] or "/"
        rest = path.lstrip("/")[len(home.lstrip("/")) :]
        return self._homes[home], [name for name in rest.split("/") if name]

    def _walk(self, here: str, names: list[str]) -> Outcome:
        pending = names[::-1]
        links = 0
        while pending:
            there = f"{here.rstrip('/')}/{pending.pop()}"
            entry = self._entry(there)
            if isinstance(entry, Outcome):
                return entry
            if entry is None:
                here = there
                continue
            links += 1
            place = self._inside(normpath(f"{here}/{entry}" if entry[:1] != "/" else entry))
            if place is None:
                return Outcome.ESCAPES
            if not pending or links > self._most_links:
                return Outcome.MISSING if pending else Outcome.RESOLVED
            here = place[0]
            pending += place[1][::-1]
        return Outcome.RESOLVED

    def _entry(self, path: str) -> str | Outcome | None:
        """What stands at a path: a link's text, nothing to be found (an outcome), or null for all else."""
        if path not in self._entries:
            self._entries[path] = _stand(path)
        return self._entries[path]


def resolve(path_text: str, roots: Roots) -> Resolution:
    """Where a cited path stands under the declared roots; see :meth:`Roots.resolve`."""
    return roots.resolve(path_text)


def _stand(path: str) -> str | Outcome | None:
    try:
        return str(Path(path).readlink()) if stat.S_ISLNK(os.lstat(path).st_mode) else None
    except ValueError:  # a null byte, or text that no file name can be
        return Outcome.MISSING
    except OSError as error:
        return Outcome.MISSING if error.errno in NOT_THERE else Outcome.UNREADABLE
