"""Which shell scripts are checked: those that the task cites, then those in the configured directories; read once."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple, cast

from toolkit.errors import StorageError
from toolkit.repository.names import on_one_line
from toolkit.storage.files import read_bounded
from verify.floor.shell.shebang import interpreter_of

WENT_AWAY: Final = "not_found"
OUTSIDE: Final = "out of the roots"
NOWHERE: Final = "to nothing"


class ScriptRules(NamedTuple):
    """Where scripts are looked for, and how much is read (in bytes); from the check's entry and ``verify.limits``."""

    directories: tuple[str, ...]
    extensions: tuple[str, ...]
    shebangs: frozenset[str]
    shebang_bytes: int
    max_bytes: int
    max_total_bytes: int
    max_scripts: int
    max_entries: int

    @classmethod
    def from_policy(cls, parameters: Mapping[str, object], limits: Mapping[str, object]) -> ScriptRules:
        """The rules of one entry (the policies' shapes prove the types)."""
        return cls(
            directories=tuple(cast("Sequence[str]", parameters["directories"])),
            extensions=tuple(cast("Sequence[str]", parameters["extensions"])),
            shebangs=frozenset(cast("Sequence[str]", parameters["shebangs"])),
            shebang_bytes=cast(int, limits["scripts_shebang_bytes"]),
            max_bytes=cast(int, parameters["max_bytes"]),
            max_total_bytes=cast(int, limits["scripts_max_total_bytes"]),
            max_scripts=cast(int, limits["scripts_max_number"]),
            max_entries=cast(int, limits["scripts_max_entries"]),
        )

    def extension_of(self, name: str) -> str | None:
        """The configured extension of a file name (in any case), or null."""
        lowered = name.lower()
        return next((extension for extension in self.extensions if lowered.endswith(extension)), None)


class Script(NamedTuple):
    """One script as it was read. ``ref`` is how findings cite it, ``quotable`` whether a reader can open it by that."""

    ref: str
    quotable: bool
    extension: str
    content: bytes


class Unjudged(NamedTuple):
    """A script, or a place where scripts may be, that could not be judged, and why."""

    ref: str
    reason: str


class Scripts(NamedTuple):
    """All that was found. ``links`` are the symbolic links that were not followed, and where they lead."""

    found: tuple[Script, ...]
    unjudged: tuple[Unjudged, ...]
    links: tuple[Unjudged, ...]


def find_scripts(cited: Iterable[Path], roots: Sequence[Path], rules: ScriptRules) -> Scripts:
    """The scripts among ``cited`` first, then those below ``rules.directories`` of every root, each once.

    ``roots`` are the declared roots, the workspace first; nothing outside of them is read. A symbolic link is followed
    if it ends inside a root. What it leads to counts by its real path, so it is taken once, and no loop is endless.
    A file is a script by its extension; one that has none is one by its first line.
    """
    search = _Search(roots, rules)
    for path in cited:
        search.take_cited(path)
    for root in search.roots:
        for directory in rules.directories:
            search.walk(root, directory)
    return Scripts(tuple(search.found), tuple(dict.fromkeys(search.unjudged)), tuple(dict.fromkeys(search.links)))


class _Search:
    """The work of one ``find_scripts``."""

    def __init__(self, roots: Sequence[Path], rules: ScriptRules) -> None:
        self.roots = tuple(dict.fromkeys(os.path.realpath(root) for root in roots))
        self.found: list[Script] = []
        self.unjudged: list[Unjudged] = []
        self.links: list[Unjudged] = []
        self._rules = rules
        self._seen: set[str] = set()
        self._walked: set[str] = set()
        self._bytes = 0
        self._entries = 0

    def take_cited(self, path: Path) -> None:
        """Take a path that the task cites, if a script stands there."""
        real = self._followed(os.fspath(path))
        if real is not None and not os.path.isdir(real):
            self._consider(real, (os.path.basename(real), path.name))

    def walk(self, root: str, directory: str) -> None:
        """Take every script below ``directory``; depth is bounded by the length that the system allows a path."""
        top = os.path.normpath(Path(root, directory))
        pending = [self._followed(top)] if os.path.lexists(top) else []
        while pending and self._entries <= self._rules.max_entries:
            here = pending.pop()
            if here is None or here in self._walked:
                continue
            self._walked.add(here)
            for entry in self._entries_of(here):
                path = self._followed(entry.path) if entry.is_symlink() else entry.path
                if path is None:
                    continue
                if os.path.isdir(path) if entry.is_symlink() else entry.is_dir(follow_symlinks=False):
                    pending.append(path)
                else:
                    self._consider(path, (os.path.basename(path), entry.name))

    def _followed(self, path: str) -> str | None:
        """The real path of ``path``; null, and said, where it leads out of the roots or to nothing."""
        real = os.path.realpath(path)
        if not any(_is_in(real, root) for root in self.roots):
            self.links.append(Unjudged(on_one_line(self._ref(path)), OUTSIDE))
            return None
        try:
            ends = not stat.S_ISLNK(os.lstat(real).st_mode)  # a loop has no end
        except (FileNotFoundError, NotADirectoryError):
            ends = False
        except OSError as error:
            self._leave(path, f"not readable: {error.strerror}")
            return None
        if not ends:
            self.links.append(Unjudged(on_one_line(self._ref(path)), NOWHERE))
        return real if ends else None

    def _consider(self, path: str, names: Sequence[str]) -> None:
        """Take the file ``path`` if one of ``names``, which are its own and a link's, or its first line says so."""
        extension = next(filter(None, map(self._rules.extension_of, names)), None)
        if extension is not None:
            self._take(path, extension)
        elif not all(os.path.splitext(name)[1] for name in names) and self._names_shell(path):
            self._take(path, "")

    def _names_shell(self, path: str) -> bool:
        try:
            return interpreter_of(path, self._rules.shebang_bytes) in self._rules.shebangs
        except FileNotFoundError:
            return False
        except OSError as error:
            self._leave(path, f"not readable: {error.strerror}")
            return False

    def _entries_of(self, directory: str) -> Iterator[os.DirEntry[str]]:
        """The entries by name. Once the limit on all entries is passed, the rest is left out, and that is said."""
        try:
            with os.scandir(directory) as listing:
                entries = []
                for entry in listing:
                    self._entries += 1
                    if self._entries > self._rules.max_entries:
                        self._leave(directory, f"from here on: more than {self._rules.max_entries} directory entries")
                        break
                    entries.append(entry)
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            self._leave(directory, f"not readable: {error.strerror}")
            return
        yield from sorted(entries, key=lambda entry: entry.name)

    def _take(self, path: str, extension: str) -> None:
        if path in self._seen:
            return
        self._seen.add(path)
        if len(self.found) >= self._rules.max_scripts:
            self._leave(path, f"more than {self._rules.max_scripts} scripts")
            return
        try:
            content = read_bounded(Path(path), self._rules.max_bytes)
        except StorageError as error:
            if error.code != WENT_AWAY:
                self._leave(path, error.code.replace("_", " "))
            return
        if self._bytes + len(content) > self._rules.max_total_bytes:
            self._leave(path, f"more than {self._rules.max_total_bytes} bytes of scripts")
            return
        self._bytes += len(content)
        ref = self._ref(path)
        self.found.append(Script(on_one_line(ref), _is_quotable(ref), extension, content))

    def _leave(self, path: str, reason: str) -> None:
        self.unjudged.append(Unjudged(on_one_line(self._ref(path)), reason))

    def _ref(self, path: str) -> str:
        return os.path.relpath(path, self.roots[0])


def _is_in(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")


def _is_quotable(ref: str) -> bool:
    return ref == on_one_line(ref) and not ref.startswith("../")
