"""Which shell scripts are checked: those that the task cites, then those in the configured directories; read once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple, cast

from toolkit.errors import StorageError
from toolkit.storage.files import read_bounded

NO_SCRIPT: Final = frozenset({"not_found", "not_regular"})  # it went away meanwhile, or is a pipe with a script's name


class ScriptRules(NamedTuple):
    """Where scripts are looked for, and how much is read (in bytes); from the check's entry and ``verify.limits``."""

    directories: tuple[str, ...]
    extensions: tuple[str, ...]
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
    """All that was found. ``links`` counts the symbolic links that were passed over."""

    found: tuple[Script, ...]
    unjudged: tuple[Unjudged, ...]
    links: int


def find_scripts(cited: Iterable[Path], roots: Sequence[Path], rules: ScriptRules) -> Scripts:
    """The scripts among ``cited`` first, then those below ``rules.directories`` of every root, each once.

    ``roots`` are the declared roots, the workspace first; nothing outside of them is read. A symbolic link is not
    followed, except that a cited path may lead through one to a script inside a root.
    """
    search = _Search(roots, rules)
    for path in cited:
        search.take_cited(path)
    for root in search.roots:
        for directory in rules.directories:
            search.walk(root, directory)
    return Scripts(tuple(search.found), tuple(search.unjudged), search.links)


def shown_path(path: str) -> str:
    """``path`` as text that is valid UTF-8 and one line: as it stands, or in Git's C quoting where it is neither."""
    raw = os.fsencode(path)
    if _is_plain(path) and not path.startswith('"'):
        return path
    return '"' + "".join(_ESCAPES.get(byte) or _octal_or_itself(byte) for byte in raw) + '"'


_ESCAPES = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}


def _octal_or_itself(byte: int) -> str:
    return chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"


def _is_plain(text: str) -> bool:
    return all(character.isprintable() or character == " " for character in text)  # a lone surrogate is not printable


class _Search:
    """The work of one ``find_scripts``."""

    def __init__(self, roots: Sequence[Path], rules: ScriptRules) -> None:
        self.roots = tuple(dict.fromkeys(os.path.realpath(root) for root in roots))
        self.found: list[Script] = []
        self.unjudged: list[Unjudged] = []
        self.links = 0
        self._rules = rules
        self._seen: set[str] = set()
        self._bytes = 0
        self._entries = 0

    def take_cited(self, path: Path) -> None:
        real = os.path.realpath(path)
        if self._rules.extension_of(real) is None and self._rules.extension_of(os.fspath(path)) is None:
            return
        if any(_is_below(real, root) for root in self.roots):
            self._take(real)
        else:
            self.links += 1

    def walk(self, root: str, directory: str) -> None:
        """Take every script below ``directory``; depth is bounded by the length that the system allows a path."""
        top = os.path.normpath(Path(root, directory))
        if os.path.realpath(top) != top or not _is_below(top, root):
            self.links += 1
            return
        pending = [top]
        while pending and self._entries <= self._rules.max_entries:
            for entry in self._entries_of(pending.pop()):
                if entry.is_symlink():
                    self.links += self._rules.extension_of(entry.name) is not None
                elif entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                elif self._rules.extension_of(entry.name) is not None and entry.is_file(follow_symlinks=False):
                    self._take(entry.path)

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

    def _take(self, path: str) -> None:
        if path in self._seen:
            return
        self._seen.add(path)
        if len(self.found) >= self._rules.max_scripts:
            self._leave(path, f"more than {self._rules.max_scripts} scripts")
            return
        try:
            content = read_bounded(Path(path), self._rules.max_bytes)
        except StorageError as error:
            if error.code not in NO_SCRIPT:
                self._leave(path, error.code.replace("_", " "))
            return
        if self._bytes + len(content) > self._rules.max_total_bytes:
            self._leave(path, f"more than {self._rules.max_total_bytes} bytes of scripts")
            return
        self._bytes += len(content)
        ref = self._ref(path)
        extension = self._rules.extension_of(path) or ""
        self.found.append(Script(shown_path(ref), _is_quotable(ref), extension, content))

    def _leave(self, path: str, reason: str) -> None:
        self.unjudged.append(Unjudged(shown_path(self._ref(path)), reason))

    def _ref(self, path: str) -> str:
        return os.path.relpath(path, self.roots[0])


def _is_below(path: str, root: str) -> bool:
    return path.startswith(root.rstrip("/") + "/")


def _is_quotable(ref: str) -> bool:
    return ref == shown_path(ref) and not ref.startswith("../")
