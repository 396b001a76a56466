"""Where the policies in force come from: the shipped documents and a repository's ``.dr/policies``, loaded once.

A set that was loaded and checked before is taken from the user's cache, keyed by every byte that went into it and
by the tool's version. The cache holds JSON, is never executed and may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from toolkit import __version__
from toolkit.errors import StorageError
from toolkit.policy.layers import MAX_DOCUMENTS, REPOSITORY, SHIPPED, Source
from toolkit.policy.nodes import MAX_BYTES
from toolkit.policy.problems import Mark, PolicyError, Problem
from toolkit.policy.sets import PolicySet
from toolkit.shipped import shipped_policy_files, shipped_root, shipped_shapes

LAYER_FOLDER = Path(".dr") / "policies"
SUFFIX = ".yaml"


@dataclass(frozen=True, slots=True)
class LoadedPolicies:
    """The set in force and the files of the repository's layer that are part of it (as messages name them)."""

    policies: PolicySet
    repository_files: tuple[str, ...]


def load_policies(repository: Path | None, *, packs: tuple[str, ...] = ("verify",)) -> LoadedPolicies:
    """Load the shipped set, and over it the layer of ``repository`` (the directory that holds ``.dr``) if there is one.

    ``packs`` are those whose digest the caller will ask for: a warm set has them ready. Raises ``PolicyError`` with
    every problem of every file.
    """
    from toolkit.storage.cache import Cache, cache_root

    own = list(repository_sources(repository)) if repository is not None else []
    sources = [*_shipped_sources(), *own]
    shapes = shipped_shapes()
    names = tuple(source.file for source in own)
    cache = Cache(cache_root(), "policies")
    key = _cache_key(sources, shapes, packs)
    stored = cache.get(key)
    if isinstance(stored, dict):
        return LoadedPolicies(PolicySet.from_bundle(stored), names)
    policies = PolicySet.load(sources, shapes)
    cache.put(key, policies.to_bundle(packs))
    return LoadedPolicies(policies, names)


def find_layer(start: Path) -> Path | None:
    """The nearest directory at or above ``start`` that holds ``.dr/policies``, not looking above a Git work tree."""
    for directory in (start, *start.parents):
        if (directory / LAYER_FOLDER).is_dir():
            return directory
        if (directory / ".git").exists():
            return None
    return None


def repository_sources(root: Path) -> Iterator[Source]:
    """The policy files of a repository's layer, sorted by path; bytes are bounded and nothing outside is read.

    Raises ``PolicyError`` for a file or folder that leaves the repository by a symbolic link, is no regular file,
    or would be overlooked because it is not named ``*.yaml``.
    """
    folder = root / LAYER_FOLDER
    if not folder.is_dir():
        return
    inside = Path(os.path.realpath(root))
    _require_inside(folder, inside, root)
    for count, path in enumerate(_policy_paths(folder)):
        if count > MAX_DOCUMENTS:
            return  # the loader refuses a set of this size by name
        _require_inside(path, inside, root)
        yield Source(_shown(path, root), _read(path, root), REPOSITORY)


def _policy_paths(folder: Path) -> Iterator[Path]:
    for directory, folders, names in os.walk(folder):
        folders.sort()
        linked = [name for name in folders if Path(directory, name).is_symlink()]
        for name in sorted(names + linked):
            if name in linked or name.endswith((SUFFIX, ".yml")):
                yield Path(directory, name)


def _require_inside(path: Path, inside: Path, root: Path) -> None:
    real = Path(os.path.realpath(path))
    if not real.is_relative_to(inside):
        message = "a policy can't leave the repository by a symbolic link"
        raise _refused("policy_outside_repository", message, path, root)


def _read(path: Path, root: Path) -> bytes:
    from toolkit.storage.files import read_bounded

    if path.is_dir():
        raise _refused("policy_unreadable", "a linked folder is not read: put the policies themselves here", path, root)
    if path.suffix != SUFFIX:
        raise _refused("policy_suffix", f"a policy file ends in {SUFFIX}; this one would be overlooked", path, root)
    try:
        return read_bounded(Path(os.path.realpath(path)), MAX_BYTES)
    except StorageError as fault:
        raise _refused(fault.code, fault.message, path, root) from fault


def _refused(code: str, message: str, path: Path, root: Path) -> PolicyError:
    return PolicyError.of([Problem(code, message, Mark(_shown(path, root), 0, 0))])


def _shown(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix().encode("utf-8", "backslashreplace").decode()


def _shipped_sources() -> Iterator[Source]:
    root = shipped_root()
    for path in shipped_policy_files():
        yield Source(path.relative_to(root).as_posix(), path.read_bytes(), SHIPPED)


def _cache_key(sources: list[Source], shapes: Mapping[str, bytes], packs: tuple[str, ...]) -> str:
    """SHA-256 over every name and every byte, each framed by its length."""
    key = hashlib.sha256()
    parts = [__version__.encode(), *(pack.encode() for pack in packs)]
    for source in sources:
        parts += [source.layer.encode(), source.file.encode(), source.data]
    for name, data in shapes.items():
        parts += [name.encode(), data]
    for part in parts:
        key.update(f"{len(part)}:".encode())
        key.update(part)
    return key.hexdigest()
