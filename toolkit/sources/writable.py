"""Policy files that a tool may write anew: found where a person says, replaced whole or not at all.

No link is followed out of the repository that is around what was named (without one: out of the folder itself).
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from toolkit.errors import StorageError
from toolkit.policy.layers import MAX_DOCUMENTS, MAX_SET_BYTES, REPOSITORY, Source
from toolkit.policy.problems import Mark, Problem
from toolkit.policy.syntax.nodes import MAX_BYTES
from toolkit.reporting.visible import visible
from toolkit.sources.files import read_file
from toolkit.sources.folder import FolderReader
from toolkit.sources.found import CONFIG, FOLDER, POLICIES, FoundLayer
from toolkit.sources.places import find_layer, stands, work_tree_of

PERMISSIONS: Final = 0o7777
SUFFIX_CODE: Final = "policy_suffix"  # another file than a policy may end in .yml


class Writable(NamedTuple):
    """A file: its name for messages, the file itself (no link), and what stands in it."""

    name: str
    path: Path
    data: bytes


class Writables(NamedTuple):
    """The files that were found, each once, and a problem for each that is refused unread."""

    files: tuple[Writable, ...]
    problems: tuple[Problem, ...]


def find_writable(start: Path, named: Iterable[str]) -> Writables:
    """What was named (files and folders, relative to ``start``, which is absolute), or the repository's own layer.

    A file counts whatever is in it. In a folder, at any depth, those count that say of themselves that they are
    policies: a repository has other YAML files too.
    """
    found = [_named(start, name) for name in named] or [_repository(start)]
    files = {one.path: one for part in found for one in part.files}
    problems = dict.fromkeys(problem for part in found for problem in part.problems)
    full = _too_many(str(start), (one.data for one in files.values()))
    return Writables(() if full else tuple(files.values()), (*problems, *full))


def write_anew(file: Writable, data: bytes) -> None:
    """Put ``data`` in the place of what stands in a file, which keeps its permissions.

    Whoever reads it at any moment sees the old content or the new one. Raises ``StorageError``, with the code
    ``changed_meanwhile`` where somebody else wrote there since it was read.
    """
    from toolkit.storage.files import read_bounded, replace

    if read_bounded(file.path, MAX_BYTES) != file.data:
        message = "the file was changed since it was read, so it is left as it is"
        raise StorageError("changed_meanwhile", message, place=file.name, next_step="run the same command again")
    replace(file.path, data, stat.S_IMODE(os.stat(file.path).st_mode) & PERMISSIONS)


def _named(start: Path, name: str) -> Writables:
    path = start / name
    if path.is_dir():
        real = Path(os.path.realpath(path))
        around = work_tree_of(Path(os.path.realpath(path.parent)) if path.is_symlink() else real)
        return _folder(real, around, name)
    real = Path(os.path.realpath(path.parent)) / path.name
    target = Path(os.path.realpath(real))
    if not target.is_relative_to(work_tree_of(real.parent)):
        message = "a policy can't leave the repository by a symbolic link"
        hint = "make it a file or folder of the repository itself"
        return Writables((), (Problem("policy_outside_repository", message, Mark(visible(name), 0, 0), hint=hint),))
    found = read_file(target, name).found
    if not found.sources and not found.problems:
        problem = Problem(
            "not_found", "there is no such file or folder", Mark(visible(name), 0, 0), hint="check the path"
        )
        return Writables((), (problem,))
    return _paired(found, {source.file: target for source in found.sources})


def _repository(start: Path) -> Writables:
    """The policies and the configuration of the nearest ``.dr``; nothing where there is none."""
    root = find_layer(start)
    if root is None:
        return Writables((), ())
    reader = _Reader(root, root, Path())
    home = root / FOLDER
    if reader.inner.is_home(home):
        if stands(home / POLICIES):
            reader.inner.read_below(home / POLICIES)
        return _paired(reader.inner.layer(reader.inner.read_one(home / CONFIG)), reader.paths)
    return _paired(reader.inner.layer(), reader.paths)


def _folder(folder: Path, around: Path, name: str) -> Writables:
    reader = _Reader(folder, around, Path(name))
    reader.inner.read_below(folder)
    found = reader.inner.layer()
    full = _too_many(name, (source.data for source in found.sources))
    problems = (*(one for one in found.problems if one.code != SUFFIX_CODE), *full)
    sources = () if full else tuple(one for one in found.sources if _is_policy(one.data))
    return _paired(found._replace(sources=sources, problems=problems), reader.paths)


def _too_many(name: str, found: Iterable[bytes]) -> tuple[Problem, ...]:
    """The problem of more files than are looked at; none where there are not."""
    sizes = [len(data) for data in found]
    if len(sizes) <= MAX_DOCUMENTS and sum(sizes) <= MAX_SET_BYTES:
        return ()
    message = f"at most {MAX_DOCUMENTS} files with {MAX_SET_BYTES} bytes are looked at together"
    return (
        Problem("too_many_documents", message, Mark(visible(name), 0, 0), hint="name folders in it, or fewer files"),
    )


class _Reader:
    """A reader of a folder that remembers which file each name means; nothing outside of ``around`` is read."""

    def __init__(self, folder: Path, around: Path, name: Path) -> None:
        self._folder = folder
        self._name = name
        self.paths: dict[str, Path] = {}
        self.inner = FolderReader(REPOSITORY, around, self._shown)

    def _shown(self, path: Path) -> str:
        shown = visible(str(self._name / path.relative_to(self._folder)))
        while self.paths.setdefault(shown, path) != path:
            shown = f"./{shown}"  # two names that look the same
        return shown


def _paired(found: FoundLayer, paths: dict[str, Path]) -> Writables:
    sources: tuple[Source, ...] = (*((found.config,) if found.config is not None else ()), *found.sources)
    files = (Writable(one.file, Path(os.path.realpath(paths[one.file])), one.data) for one in sources)
    return Writables(tuple(files), found.problems)


def _is_policy(data: bytes) -> bool:
    """Whether a file says that it is a policy, be it in YAML or in JSON; it need not be a right one."""
    pattern = _in_json() if data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{" else _in_yaml()
    return pattern.search(data) is not None


@cache
def _in_yaml() -> re.Pattern[bytes]:
    return re.compile(rb"""^(?:\xef\xbb\xbf)?["']?policy["']?[ \t]{0,40}:[ \t]{1,40}["']?v[0-9]""", re.MULTILINE)


@cache
def _in_json() -> re.Pattern[bytes]:
    return re.compile(rb"""[{,\s]["']?policy["']?\s{0,40}:\s{0,40}["']?v[0-9]""")
