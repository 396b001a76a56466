"""Where the policies in force come from: the shipped documents and a repository's ``.dr/policies``, loaded once.

A set that was loaded and checked before is taken from the user's cache, keyed by every byte that went into it and
by the tool's version. The cache holds JSON, is never executed and may be deleted at any time.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from toolkit import __version__
from toolkit.errors import StorageError, UndeterminedError
from toolkit.policy.layers import MAX_DOCUMENTS, REPOSITORY, SHIPPED, Source
from toolkit.policy.nodes import MAX_BYTES
from toolkit.policy.problems import Mark, PolicyError, Problem
from toolkit.policy.sets import PolicySet
from toolkit.shipped import shipped_policy_files, shipped_root, shipped_shapes

LAYER_FOLDER = Path(".dr") / "policies"
SUFFIX = ".yaml"
LOOKALIKES = (SUFFIX, ".yml")  # in whatever case
BUNDLE = "bundle/2"  # the form of what the cache holds


@dataclass(frozen=True, slots=True)
class LoadedPolicies:
    """The set in force and the files of the repository's layer that are part of it (as messages name them)."""

    policies: PolicySet
    repository_files: tuple[str, ...]


def load_policies(
    repository: Path | None, *, packs: tuple[str, ...] = ("verify",), whole: bool = False
) -> LoadedPolicies:
    """Load the shipped set, and over it the layer of ``repository`` (the directory that holds ``.dr``) if there is one.

    ``packs`` are those whose digest the caller will ask for: a warm set has them ready. ``whole`` holds the shipped
    payloads against their shapes too and takes nothing from the cache; otherwise those that no overlay edits stand as
    they were released (``dr-policy check`` is part of what a release passes). Raises ``PolicyError`` with every problem
    of every file.
    """
    from toolkit.storage.cache import Cache, cache_root

    own, refused = read_layer(repository) if repository is not None else ((), ())
    sources = (*_shipped_sources(), *own)
    shapes = shipped_shapes()
    names = tuple(source.file for source in own)
    cache = Cache(cache_root(), "policies")
    key = _cache_key(sources, shapes, packs)
    stored = cache.get(key) if not refused and not whole else None
    if isinstance(stored, dict):
        return LoadedPolicies(PolicySet.from_bundle(stored), names)
    policies = _load(sources, shapes, refused, () if whole else (SHIPPED,))
    cache.put(key, policies.to_bundle(packs))
    return LoadedPolicies(policies, names)


def find_layer(start: Path) -> Path | None:
    """The nearest directory at or above ``start`` that holds ``.dr/policies``, not looking above a Git work tree.

    Raises ``UndeterminedError`` where it can't be told whether there is one.
    """
    for directory in (start, *start.parents):
        if _stands(directory / LAYER_FOLDER):
            return directory
        if _stands(directory / ".git"):
            return None
    return None


def _stands(path: Path) -> bool:
    """Whether anything has this name, be it a link to nowhere. What may not be looked at is not taken for absent."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as fault:
        message = f"it can't be told whether there are policies: {fault.strerror}"
        step = "give this user the right to look there"
        raise UndeterminedError("policy_unreadable", message, place=str(path), next_step=step) from fault
    return True


def read_layer(root: Path) -> tuple[tuple[Source, ...], tuple[Problem, ...]]:
    """The policy files of a repository's layer, sorted by path, and a problem for each that is refused unread.

    Bytes are bounded and nothing outside is read. Refused is a file or folder that leaves the repository by a symbolic
    link, is no regular file, can't be read, or would be overlooked because it is not named ``*.yaml``.
    """
    folder = root / LAYER_FOLDER
    if not _stands(folder):
        return (), ()
    reader = _LayerReader(root)
    if reader.is_inside(folder):
        for count, path in enumerate(_policy_paths(folder, reader)):
            if count > MAX_DOCUMENTS:
                break  # the loader refuses a set of this size by name
            reader.read(path)
    return tuple(reader.sources), tuple(reader.problems)


class _LayerReader:
    """Collects the files of one repository's layer."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.inside = Path(os.path.realpath(root))
        self.sources: list[Source] = []
        self.problems: list[Problem] = []

    def is_inside(self, path: Path) -> bool:
        if Path(os.path.realpath(path)).is_relative_to(self.inside):
            return True
        self.refuse("policy_outside_repository", "a policy can't leave the repository by a symbolic link", path)
        return False

    def read(self, path: Path) -> None:
        from toolkit.storage.files import read_bounded

        if not self.is_inside(path):
            return
        if path.is_dir():
            self.refuse("policy_unreadable", "a linked folder is not read: put the policies themselves here", path)
        elif not path.name.endswith(SUFFIX):
            self.refuse("policy_suffix", f"a policy file ends in {SUFFIX}; this one would be overlooked", path)
        else:
            try:
                data = read_bounded(Path(os.path.realpath(path)), MAX_BYTES)
            except StorageError as fault:
                self.refuse(fault.code, fault.message, path)
            else:
                self.sources.append(Source(self.shown(path), data, REPOSITORY))

    def refuse(self, code: str, message: str, path: Path) -> None:
        self.problems.append(Problem(code, message, Mark(self.shown(path), 0, 0)))

    def shown(self, path: Path) -> str:
        """The path as messages name it: relative, on one line, valid Unicode whatever bytes it is made of."""
        from toolkit.reporting.visible import visible

        return visible(path.relative_to(self.root).as_posix())


def _policy_paths(folder: Path, reader: _LayerReader) -> Iterator[Path]:
    def refuse(fault: OSError) -> None:
        message = f"the folder can't be read: {fault.strerror}"
        reader.refuse("policy_unreadable", message, Path(fault.filename or folder))

    for directory, folders, names in os.walk(folder, onerror=refuse):
        folders.sort()
        linked = {name for name in folders if Path(directory, name).is_symlink()}
        for name in sorted((*names, *linked)):
            if name in linked or name.lower().endswith(LOOKALIKES):
                yield Path(directory, name)


def _load(
    sources: tuple[Source, ...], shapes: Mapping[str, bytes], refused: tuple[Problem, ...], shaped: tuple[str, ...]
) -> PolicySet:
    """Load a set; the problems of files that were refused unread are told with those of the files that were read."""
    try:
        policies = PolicySet.load(sources, shapes, shaped=shaped)
    except PolicyError as fault:
        raise PolicyError.of((*refused, *fault.problems)) from None
    if refused:
        raise PolicyError.of(refused)
    return policies


def _shipped_sources() -> Iterator[Source]:
    root = shipped_root()
    for path in shipped_policy_files():
        yield Source(path.relative_to(root).as_posix(), path.read_bytes(), SHIPPED)


def _cache_key(sources: tuple[Source, ...], shapes: Mapping[str, bytes], packs: tuple[str, ...]) -> str:
    """SHA-256 over every name and every byte, each framed by its length."""
    from toolkit.storage.cache import key_of

    parts = [BUNDLE.encode(), __version__.encode(), *(pack.encode() for pack in packs)]
    for source in sources:
        parts += [source.layer.encode(), source.file.encode(), source.data]
    for name, data in shapes.items():
        parts += [name.encode(), data]
    return key_of(*parts)
