"""The repository's policy layer, file by file: the one in force, and the one where the work left what others share."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from toolkit.errors import StorageError
from toolkit.policy.problems import PolicyError
from toolkit.policy.syntax.nodes import MAX_BYTES
from toolkit.reporting.visible import visible
from toolkit.repository.bases import merge_base, shared_branches, tip
from toolkit.repository.branches import branches_of
from toolkit.repository.commits import short
from toolkit.repository.git import Git
from toolkit.repository.names import quoted
from toolkit.repository.problems import FETCH_HISTORY
from toolkit.repository.revisions import Revision
from toolkit.sources.found import FOLDER, FoundLayer
from toolkit.sources.places import GIT, find_layer, stands
from verify.errors import VerificationUndetermined
from verify.floor.changes import task_history
from verify.floor.check import FloorContext

if TYPE_CHECKING:
    from toolkit.sources.tree import PolicyTree

WAIVERS: Final = "waivers.yaml"  # stands in .dr too, and is no policy
UNUSABLE: Final = b"\0"  # stands for what is there and can't be read as a file


class LayerFiles(NamedTuple):
    """The files that judge, by their paths, and the policies among them as a ``layer`` that can be loaded.

    ``data`` holds bytes with one kind of line ending, since Git may keep another than a checkout has. ``names`` are the
    paths by what messages of the policies call the files. Paths are safe to show and, but for those of ``in_force``,
    relative to the top of the repository.
    """

    layer: FoundLayer
    data: Mapping[str, bytes]
    names: Mapping[str, str]

    def below(self, top: str) -> LayerFiles:
        """The same with paths relative to the directory ``top``."""
        lead = f"{visible(top).rstrip('/')}/"
        names = {name: path.removeprefix(lead) for name, path in self.names.items()}
        return self._replace(data={path.removeprefix(lead): data for path, data in self.data.items()}, names=names)


class Base(NamedTuple):
    """The commit that the layer in force is held against, in the task's repository; ``told`` says in words which.

    ``tree`` is null where none can be told, and then ``told`` says why.
    """

    tree: PolicyTree | None
    told: str


def in_force(context: FloorContext) -> LayerFiles:
    """The files that judge this run. Use it through ``context.once``, before anything can have changed them."""
    if context.policy_tree is not None:
        return stored(context.policy_tree)
    from toolkit.sources.folder import read_repository

    start = context.task.workspace.root
    home = find_layer(start)
    layer = read_repository(home) if home is not None else FoundLayer()
    return _files(layer, f"{home}/", _waivers(start))


def base(context: FloorContext) -> Base:
    """Where the work left its upstream or the default branch. Use it through ``context.once``.

    A layer that is a commit's is held against where that commit left it: what the default branch has of its own was
    reviewed there. Two processes at most. Raises ``RepositoryError`` where Git can't tell.
    """
    history = context.once(task_history)
    if history.home is None:
        return Base(None, "the workspace lies in no repository")
    git = history.repositories[history.home]
    branches = branches_of(git) if history.branches is None else history.branches[history.home]
    shared = shared_branches(branches, history.rules.default_branches)
    if not shared:
        return Base(None, "there is no upstream, and no branch is the default one")
    names = " and ".join(dict.fromkeys(quoted(one.ref.split("/", 2)[2]) for one in shared))
    tree = context.policy_tree
    own = tree is not None and tree.revision.is_commit and tree.git.root == git.root
    oid = merge_base(git, tree.revision.oid if tree is not None and own else tip(branches), shared)
    if oid is None:
        cut = f" in this clone, which is shallow: {FETCH_HISTORY}" if git.shallow else ""
        return Base(None, f"no commit is shared with {names}{cut}")
    return Base(_tree(git, oid, context.task.workspace.root), f"{short(oid)}, the merge base with {names}")


def stored(tree: PolicyTree) -> LayerFiles:
    """The files of the layer in a Git tree. One process where it has none, else five at most."""
    from toolkit.sources.tree import read_tree

    lead = tree.shown("")
    try:
        homes = tuple(tree.homes())
        layer = read_tree(tree) if homes else FoundLayer()
        waivers = next(_stored_waivers(tree), None) if homes else None
    except PolicyError as fault:
        place = tree.shown(FOLDER)
        raise VerificationUndetermined(fault.code, fault.message, place=place, next_step=fault.next_step) from fault
    files = _files(layer, "", waivers)
    names = {name: path.removeprefix(lead) for name, path in files.names.items()}
    return files._replace(data={path.removeprefix(lead): data for path, data in files.data.items()}, names=names)


def _tree(git: Git, oid: str, start: Path) -> PolicyTree:
    from toolkit.sources.tree import tree_at

    return tree_at(git, Revision(short(oid), oid, True), start)


def _files(layer: FoundLayer, lead: str, waivers: tuple[str, bytes] | None) -> LayerFiles:
    """A layer whose files stand in ``lead``, and the waivers, which may stand somewhere else."""
    sources = tuple(chain(layer.sources, [layer.config] if layer.config is not None else []))
    names = {source.file: f"{visible(lead)}{source.file}" for source in sources}
    data = {names[source.file]: _plain(source.data) for source in sources}
    if waivers is not None:
        data[visible(waivers[0])] = _plain(waivers[1])
    return LayerFiles(layer, data, names)


def _plain(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")


def _waivers(start: Path) -> tuple[str, bytes] | None:
    """The nearest file of waivers at or above a directory, not above its work tree."""
    from toolkit.storage.files import read_bounded

    for directory in (start, *start.parents):
        place = directory / FOLDER / WAIVERS
        if stands(place):
            data = UNUSABLE
            if os.path.realpath(place) == str(place):
                with suppress(StorageError):  # whoever needs the waivers says what is wrong with them
                    data = read_bounded(place, MAX_BYTES)
            return str(place), data
        if stands(directory / GIT):
            break
    return None


def _stored_waivers(tree: PolicyTree) -> Iterator[tuple[str, bytes]]:
    from toolkit.repository.trees import LINK, TREE

    for home in tree.homes():
        for entry in tree.entries([f"{home.path}/"]) if home.mode == TREE else ():
            if entry.path == f"{home.path}/{WAIVERS}":
                usable = entry.size is not None and entry.size <= MAX_BYTES and entry.mode != LINK
                yield tree.shown(entry.path), tree.content(entry) if usable else UNUSABLE
