"""The policies in force: the layers put together and loaded once.

A set that was loaded and checked before is taken from the user's cache, keyed by every byte that went into it and
by the tool's version. The cache holds JSON, is never executed and may be deleted at any time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from toolkit import __version__
from toolkit.effects import EFFECTS
from toolkit.policy.layers import LAYERS, PROFILE, SHIPPED, Source
from toolkit.policy.problems import PolicyError, Problem, Problems
from toolkit.policy.sets import PolicySet
from toolkit.shipped import Shipped, read_shipped
from toolkit.sources.folder import read_repository, read_user
from toolkit.sources.found import FoundLayer
from toolkit.sources.places import find_layer, user_folder

if TYPE_CHECKING:
    from toolkit.sources.tree import PolicyTree

BUNDLE: Final = "bundle/5"  # the form of what the cache holds
PACKS: Final = ("verify",)

UserLayer = Literal["full", "pins", "none"]


@dataclass(frozen=True, slots=True)
class LoadedPolicies:
    """The set in force, and what of which layers it is made of.

    ``repository_files`` and ``user_files`` are the files of these layers that have a part in it, as messages name them.
    ``root`` is the directory whose ``.dr`` was read in the working tree, ``tree`` the Git tree that was read instead.
    ``lock`` is the repository's lock where that was asked for and there is one. ``parts`` are the bytes of all layers.
    """

    policies: PolicySet
    repository_files: tuple[str, ...]
    user_files: tuple[str, ...]
    root: Path | None
    tree: PolicyTree | None
    lock: Source | None
    parts: _Parts = field(repr=False)

    def up_to(self, layer: str) -> PolicySet:
        """The set that this layer and those below it make, of the same bytes and under the same profile.

        It is made anew each time, and nothing is proved of it. Raises ``PolicyError`` where these layers alone do not
        load: a user's document may name what only the repository has.
        """
        if layer == LAYERS[-1]:
            return self.policies
        return _load(self.parts, layers=LAYERS[: LAYERS.index(layer) + 1], prove=False)


@dataclass(frozen=True, slots=True)
class _Parts:
    """Everything that goes into a set, unread."""

    shipped: Shipped
    user: FoundLayer
    repository: FoundLayer
    user_layer: UserLayer
    packs: tuple[str, ...]

    @property
    def refused(self) -> tuple[Problem, ...]:
        return (*self.user.problems, *self.repository.problems)


def load_policies(
    start: Path | None,
    *,
    policy_from: str | None = None,
    user: UserLayer = "full",
    packs: tuple[str, ...] = PACKS,
    whole: bool = False,
    with_lock: bool = False,
    prove: bool = True,
) -> LoadedPolicies:
    """Load what is in force at the directory ``start`` (absolute; null: what is shipped and what the user adds).

    The repository's layer is that of the nearest ``.dr``, as it stands in the working tree, or in the tree of the
    revision ``policy_from``: then nothing of the working tree counts. ``user`` says whether the user's layer counts: in
    full, for its pins alone (reviews and gates), or not at all. ``packs`` are those whose digest the caller will ask
    for: a warm set has them ready. ``whole`` takes nothing from the cache; ``with_lock`` reads the lock too.
    Without ``prove`` the set is made anew, and nothing is proved of it.

    Raises ``PolicyError`` with every problem of every file, ``RevisionError`` for a revision that is none (exit 2);
    ``UndeterminedError`` where a layer can't be told (exit 3).
    """
    root = find_layer(start) if start is not None and policy_from is None else None
    tree = _tree(start, policy_from)
    repository = _repository(root, tree, with_lock)
    parts = _Parts(read_shipped(), _user(user), repository, user, packs)
    policies = _cached(parts, whole=whole) if prove else _load(parts, prove=False)
    return LoadedPolicies(policies, repository.files, parts.user.files, root, tree, repository.lock, parts)


def load_layer(repository: FoundLayer, *, user: UserLayer = "full", packs: tuple[str, ...] = PACKS) -> PolicySet:
    """The set that is in force where a repository has this layer. Raises as ``load_policies`` does."""
    return _cached(_Parts(read_shipped(), _user(user), repository, user, packs), whole=False)


def load_files(shipped: Shipped, user: FoundLayer, repository: FoundLayer) -> PolicySet:
    """The set that these files make, wherever they come from. Raises as ``load_policies`` does."""
    return _cached(_Parts(shipped, user, repository, "full", PACKS), whole=False)


def _cached(parts: _Parts, *, whole: bool) -> PolicySet:
    """The set of these parts: from the cache, unless it is not there or a ``whole`` one is asked for."""
    from toolkit.storage.cache import Cache, cache_root

    cache = Cache(cache_root(), "policies")
    key = _cache_key(parts)
    stored = cache.get(key) if not parts.refused and not whole else None
    if isinstance(stored, dict):
        return PolicySet.from_bundle(stored)
    policies = _load(parts)
    cache.put(key, policies.to_bundle(parts.packs))
    return policies


def _tree(start: Path | None, policy_from: str | None) -> PolicyTree | None:
    if start is None or policy_from is None:
        return None
    from toolkit.sources.tree import open_tree

    return open_tree(start, policy_from)


def _repository(root: Path | None, tree: PolicyTree | None, with_lock: bool) -> FoundLayer:
    if tree is not None:
        from toolkit.sources.tree import read_tree

        return read_tree(tree, with_lock=with_lock)
    return read_repository(root, with_lock=with_lock) if root is not None else FoundLayer()


def _user(user: UserLayer) -> FoundLayer:
    folder = user_folder() if user != "none" else None
    return read_user(folder) if folder is not None else FoundLayer()


def _load(parts: _Parts, *, layers: Collection[str] = LAYERS, prove: bool = True) -> PolicySet:
    """Load a set; the problems of files that were refused unread are told with those of the files that were read."""
    from toolkit.sources.config import profile_of

    problems = Problems()
    profile = profile_of(parts.repository.config, parts.shipped.profiles, problems)
    refused = (*parts.refused, *problems.found)
    shipped = parts.shipped
    try:
        policies = PolicySet.load(
            (source for source in _sources(parts, profile) if source.layer in layers),
            shipped.shapes,
            templates=shipped.templates,
            effects=EFFECTS,
            profile=profile,
            user_edits=parts.user_layer == "full",
            prove=prove,
        )
    except PolicyError as fault:
        raise PolicyError.of((*refused, *fault.problems)) from None
    if refused:
        raise PolicyError.of(refused)
    return policies


def _sources(parts: _Parts, profile: str) -> Iterator[Source]:
    """Every file of the set, in the order of the layers."""
    for name, data in parts.shipped.documents.items():
        yield Source(name, data, SHIPPED)
    for name, data in parts.shipped.profiles.get(profile, {}).items():
        yield Source(name, data, PROFILE)
    yield from parts.user.sources
    yield from parts.repository.sources


def _cache_key(parts: _Parts) -> str:
    """SHA-256 over every name and every byte, each framed by its length, and how many there are of each kind.

    All profiles count, and the bytes of the configuration that chooses one: to know which, it would have to be read.
    """
    from toolkit.storage.cache import key_of

    shipped, config = parts.shipped, parts.repository.config
    sections: tuple[Iterable[tuple[str, bytes]], ...] = (
        shipped.documents.items(),
        *(files.items() for files in shipped.profiles.values()),
        shipped.shapes.items(),
        shipped.templates.items(),
        ((source.file, source.data) for source in parts.user.sources),
        ((source.file, source.data) for source in parts.repository.sources),
        [(config.file, config.data)] if config is not None else [],
    )
    framed: list[bytes] = [b"".join(b"%s\0" % word.encode() for word in (BUNDLE, __version__, parts.user_layer))]
    for section in (((pack, b"") for pack in parts.packs), *sections):
        pairs = [part for name, data in section for part in (name.encode(), data)]
        framed += [b"%d" % len(pairs), *pairs]
    return key_of(*framed)
