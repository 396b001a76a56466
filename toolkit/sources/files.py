"""Policy documents in files of the user's choice, put in the place of the shipped ones: a modified copy, a draft.

A document stands for the shipped one of its id, or is added to what is shipped. One of the pack ``repo`` or ``user``,
overlays among them, counts as a document of that layer. Shapes and templates are those that are shipped.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from toolkit.policy.documents.heads import Head, read_head
from toolkit.policy.layers import OWN_PACKS, PROFILE, REPOSITORY, SHIPPED, USER, Source
from toolkit.policy.problems import PolicyError, Problem, Problems
from toolkit.policy.sets import PolicySet
from toolkit.policy.syntax.nodes import read_yaml
from toolkit.reporting.visible import visible
from toolkit.shipped import POLICIES, POLICY, Shipped, read_shipped
from toolkit.sources.folder import FolderReader
from toolkit.sources.found import FoundLayer
from toolkit.sources.loading import load_files

FILE: Final = "file"
DRAFTS: Final = "folder"
LAYER_OF: Final = {pack: layer for layer, pack in OWN_PACKS.items()}


class Made(NamedTuple):
    """The set that some files make with what is shipped.

    ``kind`` says whether it was a folder of them or one. ``left_out`` are overlays of profiles: they have no part in a
    set whose profile is the default one.
    """

    kind: str
    policies: PolicySet
    files: tuple[str, ...]
    left_out: tuple[str, ...]


class Read(NamedTuple):
    """What was read of a folder or a file, and which of them it was."""

    kind: str
    found: FoundLayer


def read_folder(folder: Path, name: str) -> Read:
    """Every policy in a folder (absolute, no link), at any depth; ``name`` is how messages call it."""

    def shown(path: Path) -> str:
        return visible(str(Path(name) / path.relative_to(folder)))

    reader = FolderReader(REPOSITORY, folder, shown)
    reader.read_below(folder)
    found = reader.layer()
    return Read(DRAFTS, found._replace(problems=tuple(map(_own_bounds, found.problems))))


def read_file(path: Path, name: str) -> Read:
    """One policy (absolute, no link), whatever its suffix; ``name`` is how messages call it."""
    reader = FolderReader(REPOSITORY, path.parent, lambda _path: visible(name))
    source = reader.read_one(path)
    return Read(FILE, reader.layer()._replace(sources=(source,) if source is not None else ()))


def made_of(read: Read, name: str) -> Made:
    """The set that these files make. Raises ``PolicyError`` with every problem of them, or because there is none."""
    standing: list[tuple[Source, Head | None]] = []
    layers: dict[str, list[Source]] = {USER: [], REPOSITORY: [], PROFILE: []}
    for source in read.found.sources:
        head = _head(source)
        layer = SHIPPED if head is None else LAYER_OF.get(head.pack, SHIPPED)
        if layer == SHIPPED:
            standing.append((source, head))
        else:
            layers[layer].append(source._replace(layer=layer))
    left_out = tuple(source.file for source in layers[PROFILE])
    files = tuple(source.file for source in read.found.sources if source.file not in left_out)
    if not files and not read.found.problems:
        said = "holds no policy but overlays of profiles" if left_out else "holds no policy"
        step = "name a folder or file of policies, or the directory that holds .dr"
        raise PolicyError("no_policies", f"{name!a} {said}", place=visible(name), next_step=step)
    user, repository = (FoundLayer(tuple(layers[layer])) for layer in (USER, REPOSITORY))
    shipped = _with(read_shipped(), standing)
    policies = load_files(shipped, user, repository._replace(problems=read.found.problems))
    return Made(read.kind, policies, files, left_out)


def _with(shipped: Shipped, standing: Iterable[tuple[Source, Head | None]]) -> Shipped:
    """What is shipped, with files in the place of the documents of their ids."""
    documents = dict(shipped.documents)
    for _, head in standing:
        if head is not None:
            documents.pop(f"{POLICIES}/{head.id.replace('.', '/')}{POLICY}", None)
    for source, _ in standing:
        name = source.file
        while name in documents:  # a file that is called as another document's is
            name = f"./{name}"
        documents[name] = source.data
    return shipped._replace(documents=documents)


def _head(source: Source) -> Head | None:
    """What a file says of itself; null where it does not, which is told when it is loaded."""
    problems = Problems()
    head = None
    with problems.within(""):
        head, _ = read_head(read_yaml(source.data, source.file, problems), source.layer, problems)
    return head


def _own_bounds(problem: Problem) -> Problem:
    """What was read is no repository."""
    if problem.code != "policy_outside_repository":
        return problem
    message = "a policy can't leave the folder by a symbolic link"
    return replace(problem, code="policy_outside_folder", message=message, hint="make it a file of the folder itself")
