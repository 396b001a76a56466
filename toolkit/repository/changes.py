"""What commits changed: their paths, compared with what stood there before. No renames, no contents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from toolkit.repository.git import Git
from toolkit.repository.names import decoded
from toolkit.repository.problems import RepositoryError

MODIFIED: Final = "M"
_DIFF: Final = (
    "diff-tree", "--stdin", "-z", "-r", "--root", "--always", "--raw", "--no-abbrev", "--no-renames", "-c",
    "--ignore-submodules=none", "--no-relative", "--no-ext-diff", "--no-textconv",
)  # fmt: skip


class Change(NamedTuple):
    """One path, relative to the repository's root, that a commit changed.

    ``status`` is A (added), M (modified), D (deleted) or T (became another kind of thing). ``before`` and ``after``
    are the ids of what stood there (for a merge: in its first parent) and of what stands there now; zeros are nothing.
    """

    path: str
    status: str
    before: str
    after: str


def changes_of(git: Git, oids: Iterable[str]) -> Mapping[str, tuple[Change, ...]]:
    """What each commit changed itself: for a merge only the paths that differ from every one of its parents.

    ``oids`` are full hashes of commits. All paths of a history's first commit are added; so are, wrongly, those of a
    commit at which a shallow clone was cut off: ask ``shallow_commits`` first. One process.
    """
    wanted = list(dict.fromkeys(oids))
    return dict(zip(wanted, _differences(git, wanted), strict=True))


def merged_into(git: Git, merges: Mapping[str, str]) -> Mapping[str, tuple[Change, ...]]:
    """What each merge brought to its first parent (a merge's full hash: that parent's full hash). One process."""
    return dict(zip(merges, _differences(git, [f"{oid} {parent}" for oid, parent in merges.items()]), strict=True))


def _differences(git: Git, requests: list[str]) -> Iterator[tuple[Change, ...]]:
    """The answer to each line that ``git diff-tree --stdin`` is given, in the same order."""
    if not requests:
        return
    fields = iter(git.run(*_DIFF, stdin="".join(f"{line}\n" for line in requests).encode()).split(b"\0"))
    answer: list[Change] | None = None
    asked = iter(requests)
    for field in fields:
        if field.startswith(b":"):
            if answer is None:
                raise _unreadable(git)
            answer.append(_change(field, next(fields, b"")))
        elif field:
            if answer is not None:
                yield tuple(answer)
            answer = []
            if field.decode("ascii", "replace") != next(asked, "").partition(" ")[0]:
                raise _unreadable(git)
    if answer is None or next(asked, None) is not None:
        raise _unreadable(git)
    yield tuple(answer)


def _change(field: bytes, name: bytes) -> Change:
    """A record with one colon for each parent: the modes, the ids (parents first, the result last), the letters."""
    parents = len(field) - len(field.lstrip(b":"))
    words = field[parents:].decode("ascii").split(" ")
    ids, letters = words[parents + 1 : -1], words[-1]
    return Change(decoded(name), _status(letters), ids[0], ids[-1])


def _status(letters: str) -> str:
    """One letter for a combined status, such as ``AM``: gone is gone and new is new only where all agree."""
    return letters[0] if len(set(letters)) == 1 else MODIFIED


def _unreadable(git: Git) -> RepositoryError:
    message = "git diff-tree did not answer for every commit that it was asked about"
    return RepositoryError("git_failed", message, place=str(git.root), next_step="look at what git fsck says")
