"""Reading a layer from a Git tree, so that a change can't judge itself: nothing of the working tree is looked at."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

from toolkit.policy.layers import MAX_SET_BYTES, REPOSITORY, Source
from toolkit.policy.problems import Mark, PolicyError, Problem
from toolkit.policy.syntax.nodes import MAX_BYTES
from toolkit.reporting.visible import visible
from toolkit.repository.git import Git, GitLimits, open_repository
from toolkit.repository.objects import contents_of
from toolkit.repository.problems import RepositoryError, RevisionError
from toolkit.repository.revisions import Revision, resolve
from toolkit.repository.trees import LINK, SUBMODULE, TREE, TreeEntry, tree_entries
from toolkit.sources.found import (
    CONFIG,
    FOLDER,
    LOCK,
    NO_FOLDER,
    POLICIES,
    SUFFIX,
    Collector,
    FoundLayer,
    is_config_alike,
    is_of_layer,
    is_policy_alike,
)

# One run of Git. It prints at most the files of a set, of which the last may be one too many, and as much again.
GIT_LIMITS: Final = GitLimits(timeout_ms=60_000, output_limit=2 * MAX_SET_BYTES)


class PolicyTree(NamedTuple):
    """A commit or tree of a repository; ``start`` is the folder in it (empty: the top) from which a layer is sought."""

    git: Git
    revision: Revision
    start: str

    def shown(self, path: str) -> str:
        """A path in the tree as Git itself names it, ``REVISION:PATH``, safe to print."""
        return visible(f"{self.revision.text}:{path}")

    def homes(self) -> Iterator[TreeEntry]:
        """Whatever is called ``.dr`` from ``start`` upwards, the nearest first."""
        folders = [self.start] if self.start else []
        folders += [self.start[:at] for at in range(len(self.start) - 1, 0, -1) if self.start[at] == "/"]
        paths = [*(f"{folder}/{FOLDER}" for folder in folders), FOLDER]
        found = {entry.path: entry for entry in self.entries(paths)}
        return (found[path] for path in paths if path in found)

    def entries(self, paths: Sequence[str], *, below: bool = False) -> tuple[TreeEntry, ...]:
        """See ``tree_entries``. Raises ``PolicyError`` where a hostile tree holds more than is read."""
        try:
            return tree_entries(self.git, self.revision.oid, paths, below=below)
        except RepositoryError as fault:
            if fault.code != "output_too_large":
                raise
            message, hint = "more files and folders stand here than are looked at", "keep here what is a policy"
            mark = Mark(self.shown(paths[0]), 0, 0)
            raise PolicyError.of([Problem("too_many_files", message, mark, hint=hint)]) from fault

    def content(self, entry: TreeEntry) -> bytes:
        """The bytes of a file whose size was looked at."""
        return contents_of(self.git, [entry.oid])[entry.oid]


class _RememberingTree(PolicyTree):
    """A tree that is asked nothing twice: policies and waivers stand in the same folders, and no tree ever changes."""

    @cached_property
    def _listed(self) -> dict[tuple[tuple[str, ...], bool], tuple[TreeEntry, ...]]:
        return {}

    def entries(self, paths: Sequence[str], *, below: bool = False) -> tuple[TreeEntry, ...]:
        key = tuple(paths), below
        if key not in self._listed:
            self._listed[key] = super().entries(paths, below=below)
        return self._listed[key]


def open_tree(start: Path, revision: str) -> PolicyTree:
    """The tree that ``revision`` names in the repository around the directory ``start``; three or four processes.

    Raises ``RevisionError`` where there is none (exit 2), ``RepositoryError`` where that can't be told (exit 3).
    """
    git = open_repository(start, GIT_LIMITS)
    if git is None:
        message = f"there is no Git repository here that could hold {revision[:100]!a}"
        step = "run it in a repository, or leave --policy-from out"
        raise RevisionError("no_repository", message, place=visible(str(start)), next_step=step)
    return tree_at(git, resolve(git, revision), start)


def tree_at(git: Git, revision: Revision, start: Path) -> PolicyTree:
    """The tree of a revision that is resolved already, in the repository around the directory ``start``. No process.

    In a bare repository no folder on disk stands for one of the tree: there it is the top.
    """
    within = "." if git.bare else os.path.relpath(os.path.realpath(start), git.root)
    # Names of files are held as Git holds them; the system's own form differs where it is not UTF-8.
    place = "" if within == "." else os.fsencode(within).decode("utf-8", "surrogateescape")
    return _RememberingTree(replace(git, limits=GIT_LIMITS), revision, place)


def read_tree(tree: PolicyTree, *, with_lock: bool = False) -> FoundLayer:
    """The layer that stands nearest to the tree's ``start``; empty where there is none.

    A link is not followed, nor a submodule entered: both are refused by name, whatever they are called. Sizes are
    looked at before anything is read.
    """
    reader = _TreeReader(tree)
    for home in tree.homes():
        if home.mode in (LINK, SUBMODULE):
            reader.refuse_link(home)
            return reader.layer()
        if home.mode == TREE:
            inside = tree.entries([f"{home.path}/"])
            if any(is_of_layer(_name(entry)) for entry in inside):
                return reader.read(inside, with_lock=with_lock)
        else:
            reader.refuse_file(home)
            return reader.layer()
    return FoundLayer()


class _TreeReader:
    """Chooses the files of one layer by their entries, then reads them in one go."""

    def __init__(self, tree: PolicyTree) -> None:
        self._tree = tree
        self._collector = Collector(REPOSITORY)
        self._config: TreeEntry | None = None
        self._lock: TreeEntry | None = None

    def read(self, inside: Sequence[TreeEntry], *, with_lock: bool) -> FoundLayer:
        """The layer whose folder has these entries."""
        policies: list[TreeEntry] = []
        for entry in inside:
            name = _name(entry)
            if name == POLICIES:
                policies = self._policies(entry)
            elif name == CONFIG:
                self._config = self._readable(entry)
            elif name == LOCK and with_lock:
                self._lock = self._readable(entry)
            elif is_config_alike(name):
                message = f"this file would be overlooked: call it {CONFIG}"
                self._collector.refuse("config_name", message, self._tree.shown(entry.path))
        single = [entry for entry in (self._config, self._lock) if entry is not None]
        contents = contents_of(self._tree.git, [entry.oid for entry in (*policies, *single)])
        for entry in policies:
            self._collector.add(self._tree.shown(entry.path), contents[entry.oid])
        return self.layer(lambda entry: contents[entry.oid])

    def layer(self, content: Callable[[TreeEntry], bytes] | None = None) -> FoundLayer:
        def source(entry: TreeEntry | None) -> Source | None:
            if entry is None or content is None:
                return None
            return self._collector.source(self._tree.shown(entry.path), content(entry))

        collected = self._collector
        return FoundLayer(tuple(collected.sources), source(self._config), source(self._lock), tuple(collected.problems))

    def refuse_file(self, home: TreeEntry) -> None:
        self._collector.refuse(NO_FOLDER.code, NO_FOLDER.message, self._tree.shown(home.path), NO_FOLDER.hint)

    def refuse_link(self, entry: TreeEntry) -> None:
        kind = "a symbolic link, which is not followed" if entry.mode == LINK else "a submodule, which is not entered"
        message = f"in a Git tree this is {kind}"
        self._collector.refuse("policy_link", message, self._tree.shown(entry.path), "put the file itself there")

    def _policies(self, folder: TreeEntry) -> list[TreeEntry]:
        """The policies that are to be read, until they are more than a set may have."""
        if folder.mode != TREE:
            self._refuse_non_folder(folder)
            return []
        chosen: list[TreeEntry] = []
        size = 0
        for entry in sorted(self._tree.entries([folder.path], below=True), key=_order):
            if not self._collector.counts(self._tree.shown(folder.path)):
                break
            policy = self._policy(entry)
            if policy is not None and policy.size is not None:
                chosen.append(policy)
                size += policy.size
                if size > MAX_SET_BYTES:
                    break
        return chosen

    def _policy(self, entry: TreeEntry) -> TreeEntry | None:
        if entry.mode in (LINK, SUBMODULE):
            self.refuse_link(entry)
            return None
        name = _name(entry)
        if not is_policy_alike(name):
            return None
        if not name.endswith(SUFFIX):
            message = f"a policy file ends in {SUFFIX}; this one would be overlooked"
            self._collector.refuse("policy_suffix", message, self._tree.shown(entry.path))
            return None
        return self._readable(entry)

    def _readable(self, entry: TreeEntry) -> TreeEntry | None:
        """The entry, unless it is no file or too large a one."""
        if entry.mode in (LINK, SUBMODULE):
            self.refuse_link(entry)
        elif entry.size is None:
            self._collector.refuse("not_regular", "this is a folder, not a file", self._tree.shown(entry.path))
        elif entry.size > MAX_BYTES:
            message = f"the file has {entry.size} bytes; at most {MAX_BYTES} are read"
            self._collector.refuse("too_large", message, self._tree.shown(entry.path))
        else:
            return entry
        return None

    def _refuse_non_folder(self, entry: TreeEntry) -> None:
        if entry.mode in (LINK, SUBMODULE):
            self.refuse_link(entry)
        else:
            self._collector.refuse("policy_unreadable", "this is no folder", self._tree.shown(entry.path))


def _name(entry: TreeEntry) -> str:
    return entry.path.rpartition("/")[2]


def _order(entry: TreeEntry) -> list[tuple[bool, str]]:
    """Of each folder first its files, then its folders: the order in which a working tree is read."""
    *folders, name = entry.path.split("/")
    return [*((True, folder) for folder in folders), (False, name)]
