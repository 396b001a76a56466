"""The branches of a repository, its own and those it knows of others, and which of them are default ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from toolkit.repository.git import Git
from toolkit.repository.names import decoded

LOCAL: Final = "refs/heads/"
REMOTE: Final = "refs/remotes/"
_HEAD: Final = "HEAD"
PREFERRED: Final = "origin"  # the remote that Git itself names when it clones
_CURRENT: Final = "*"


class Branch(NamedTuple):
    """One branch: its full ref, its name without ``refs/heads/`` or the remote, its tip, its remote (null: local).

    ``points_to`` is the full ref that a symbolic one (a remote's ``HEAD``) stands for, else empty. ``upstream`` is the
    full ref of the branch that it tracks (which may be gone), else empty. ``current`` says that it is checked out here.
    """

    ref: str
    name: str
    oid: str
    remote: str | None
    points_to: str
    upstream: str = ""
    current: bool = False


def branches_of(git: Git) -> tuple[Branch, ...]:
    """Every local and remote-tracking branch, sorted by ref. One process."""
    form = "--format=%(objectname)%00%(refname)%00%(symref)%00%(upstream)%00%(HEAD)"
    listed = git.run("for-each-ref", form, LOCAL, REMOTE)
    return tuple(_branch(line) for line in listed.split(b"\n") if line)


def default_branches(branches: Sequence[Branch], names: Iterable[str]) -> tuple[str, ...]:
    """The name of the branch that others start from; several where nobody says which one; none where none is known.

    What the remote ``origin`` calls its HEAD, or the only remote that says so; else those of ``names`` that are the
    names of branches. A user's ``init.defaultBranch`` says nothing about a repository that exists.
    """
    known = {branch.ref: branch for branch in branches}
    heads = {branch.remote: branch.points_to for branch in branches if branch.remote and branch.name == _HEAD}
    said = heads.get(PREFERRED) or (next(iter(heads.values())) if len(heads) == 1 else "")
    if said in known:
        return (known[said].name,)
    present = {branch.name for branch in branches}
    return tuple(name for name in names if name in present)


def _branch(line: bytes) -> Branch:
    oid, ref, points_to, upstream, mark = (decoded(field) for field in line.split(b"\0"))
    if ref.startswith(LOCAL):
        return Branch(ref, ref.removeprefix(LOCAL), oid, None, points_to, upstream, mark == _CURRENT)
    remote, _, name = ref.removeprefix(REMOTE).partition("/")
    return Branch(ref, name, oid, remote, points_to)
