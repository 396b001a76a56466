"""What a stored tree holds: its entries with their kinds and sizes, listed before anything is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from toolkit.repository.git import Git
from toolkit.repository.names import decoded, encoded
from toolkit.repository.problems import FETCH_OBJECTS, RepositoryError

TREE: Final = "040000"
LINK: Final = "120000"
SUBMODULE: Final = "160000"
FILE: Final = "blob"  # a file's bytes, or the target of a link
ARGUMENTS: Final = 128 * 1024  # bytes of paths that one run is given; every system takes as many


class TreeEntry(NamedTuple):
    """One entry. ``path`` is relative to the repository's root; ``size`` in bytes, null of what is no file."""

    path: str
    mode: str
    oid: str
    size: int | None


def tree_entries(git: Git, tree: str, paths: Sequence[str], *, below: bool = False) -> tuple[TreeEntry, ...]:
    """The entries of a tree (the full id of a commit or tree) that have these paths, in the tree's order.

    A path that ends in a slash gives what stands in that folder. ``below`` gives instead, at any depth, all that lies
    in the folders of these paths and is no folder itself. No link is followed and no submodule entered (a submodule is
    all that lies below it). One process for each 128 KiB of paths. Raises ``RepositoryError`` (``object_missing`` for a
    file that was not fetched).
    """
    options = ("-r",) if below else ()
    found: list[TreeEntry] = []
    for chunk in _chunks([f"{path}/" for path in paths] if below else paths):
        listed = git.run("ls-tree", "-z", "-l", *options, "--full-tree", tree, "--", *chunk)
        found += (_entry(record, git) for record in listed.split(b"\0") if record)
    return tuple(found)


def _chunks(paths: Sequence[str]) -> Iterator[list[str]]:
    chunk: list[str] = []
    room = ARGUMENTS
    for path in paths:
        cost = len(encoded(path)) + 1
        if chunk and cost > room:
            yield chunk
            chunk, room = [], ARGUMENTS
        chunk.append(path)
        room -= cost
    if chunk:
        yield chunk


def _entry(record: bytes, git: Git) -> TreeEntry:
    head, _, path = record.partition(b"\t")
    words = head.decode("ascii", "replace").split()
    if len(words) != 4 or not path:
        message = "git ls-tree printed something else than entries"
        raise RepositoryError("git_failed", message, place=str(git.root), next_step="look at what git fsck says")
    mode, kind, oid, size = words
    if kind == FILE and not size.isdigit():
        message = f"{decoded(path)!r} stands in the tree, but its bytes are not in this clone"
        raise RepositoryError("object_missing", message, place=str(git.root), next_step=FETCH_OBJECTS)
    return TreeEntry(decoded(path), mode, oid, int(size) if kind == FILE else None)
