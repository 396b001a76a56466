"""Stored objects: the bytes of files at a commit, and which commits a hash, a name or a range means."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from toolkit.repository.git import Git
from toolkit.repository.names import encoded
from toolkit.repository.problems import FETCH_HISTORY, FETCH_OBJECTS, RepositoryError, RevisionError

HASH: Final = re.compile(r"[0-9a-f]{4,64}")
_MISSING: Final = (b" missing", b" ambiguous")
_RANGE: Final = ".."


def blobs(git: Git, names: Sequence[str]) -> Mapping[str, bytes | None]:
    """The bytes of files at commits, by their names ``HASH:PATH`` (a full hash, a path relative to the root).

    Null where the commit holds no file of that path (a directory and a submodule are none, nor is a path with ``..``;
    of a symbolic link the bytes are its target). One process, and one more for each commit that lacks a path, which
    tells "not there" from "not fetched". Raises ``RepositoryError`` (``object_missing``, ``output_too_large``).
    """
    found: dict[str, bytes | None] = dict.fromkeys(names)
    absent: dict[str, list[str]] = {}
    for name, kind, content in _contents(git, [name for name in found if _names_a_file(name)]):
        found[name] = content if kind == b"blob" else None
        if kind == b"":
            revision, _, path = name.partition(":")
            absent.setdefault(revision, []).append(path)
    for revision, paths in absent.items():
        _require_absent(git, revision, paths)
    return found


def contents_of(git: Git, oids: Sequence[str]) -> Mapping[str, bytes]:
    """The bytes of files by their full ids. One process; who asks has looked at their sizes first.

    Raises ``RepositoryError`` (``object_missing``, ``output_too_large``, ``git_failed``).
    """
    found: dict[str, bytes] = {}
    for oid, kind, content in _contents(git, tuple(dict.fromkeys(oids))):
        if kind != b"blob":
            message = f"the bytes of {oid} are not in this clone"
            raise RepositoryError("object_missing", message, place=str(git.root), next_step=FETCH_OBJECTS)
        found[oid] = content
    return found


def commits_named(git: Git, hashes: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    """The full hashes of the commits that each (short) hash stands for: usually one, several when it is ambiguous.

    Case is disregarded; what is no hash of 4 to 64 digits names no commit, and a branch of that name does not count.
    In a shallow clone a commit that is unknown may exist all the same. One process, two more when a hash is unknown or
    ambiguous.
    """
    wanted = list(dict.fromkeys(hashes))
    asked = [text.lower() for text in wanted if HASH.fullmatch(text.lower())]
    plain = dict(zip(asked, _peeled(git, asked), strict=True))
    # The others are unknown, ambiguous, the hash of a tag, or the name of a branch that stands for something else.
    doubtful = [text for text, oid in plain.items() if not oid.startswith(text)]
    known: dict[str, tuple[str, ...]] = {text: (oid,) for text, oid in plain.items()}
    known.update(_candidates(git, doubtful))
    return {text: known.get(text.lower(), ()) for text in wanted}


def range_of(git: Git, text: str) -> tuple[str, str] | None:
    """The full hashes of the two ends of a range ``A..B``; null when one of them names no commit here.

    Raises ``RevisionError`` (``invalid_range``) for what is no such range, or begins with a ``-``;
    ``RepositoryError`` (``history_incomplete``) for an end that is unknown in a shallow clone. One process.
    """
    ends = text.split(_RANGE)
    if len(ends) != 2 or not all(map(_usable, ends)):
        step = "give two revisions with two dots between them, such as main..HEAD"
        raise RevisionError("invalid_range", f"{text!r} is no range of commits", place=ascii(text), next_step=step)
    first, last = _peeled(git, ends)
    for end, oid in zip(ends, (first, last), strict=True):
        if not HASH.fullmatch(oid):
            if git.shallow:
                raise _cut_off(git, end)
            return None
    return first, last


def _names_a_file(name: str) -> bool:
    """Whether a path is one that a tree can hold; Git reads ``..`` in another way in each of its commands."""
    revision, _, path = name.partition(":")
    if not HASH.fullmatch(revision):
        raise RevisionError("invalid_revision", f"{revision!r} is no hash of a commit", place=ascii(revision))
    return "\0" not in path and not {"", ".", ".."}.intersection(path.split("/"))


def _usable(end: str) -> bool:
    return end.isprintable() and end == end.strip() and end[:1] not in ("", "-", ".", "^", ":") and end[-1] != "."


def _cut_off(git: Git, text: str) -> RepositoryError:
    return RepositoryError(
        "history_incomplete",
        f"no commit {text!r} is in this clone, which is shallow: it may exist all the same",
        place=str(git.root),
        next_step=FETCH_HISTORY,
    )


def _peeled(git: Git, revisions: Sequence[str]) -> list[str]:
    """The full hash of the commit that each revision means, or a word for none: ``missing`` or ``ambiguous``."""
    if not revisions:
        return []
    asked = "".join(f"{revision}^{{commit}}\n" for revision in revisions)
    answers = git.run("cat-file", "--batch-check=%(objectname)", stdin=asked.encode()).decode("utf-8", "replace")
    found = [line.rpartition(" ")[2] for line in answers.split("\n")[:-1]]
    if len(found) != len(revisions):
        raise _unreadable(git)
    return found


def _candidates(git: Git, hashes: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """The commits among all objects whose ids begin so (of an annotated tag, the one that it tags)."""
    if not hashes:
        return {}
    listed = git.run("rev-parse", *(f"--disambiguate={text}" for text in hashes)).decode("ascii").split()
    commits = dict(zip(listed, _peeled(git, listed), strict=True))
    return {
        text: tuple(
            dict.fromkeys(oid for whole, oid in commits.items() if whole.startswith(text) and HASH.fullmatch(oid))
        )
        for text in hashes
    }


def _contents(git: Git, names: Sequence[str]) -> Iterable[tuple[str, bytes, bytes]]:
    """Each name with the kind of its object (empty when there is none) and its bytes, in the order of the names."""
    if not names:
        return
    # -z came with Git 2.38: it is asked for only where it is needed. Without it a carriage return at the end gets lost.
    separated = any("\n" in name or name.endswith("\r") for name in names)
    end = b"\0" if separated else b"\n"
    options = ("--batch", "-z") if separated else ("--batch",)
    answer = git.run("cat-file", *options, stdin=b"".join(encoded(name) + end for name in names))
    at = 0
    for name in names:
        lack = next((text for text in _MISSING if answer.startswith(encoded(name) + text + b"\n", at)), None)
        if lack is not None:
            at += len(encoded(name)) + len(lack) + 1
            yield name, b"", b""
            continue
        line_end = answer.find(b"\n", at)
        words = answer[at:line_end].split(b" ")
        if line_end < 0 or len(words) != 3 or not words[2].isdigit():
            raise _unreadable(git)
        at = line_end + 1 + int(words[2]) + 1
        yield name, words[1], answer[line_end + 1 : at - 1]


def _require_absent(git: Git, revision: str, paths: Sequence[str]) -> None:
    """Raise when a path stands in the commit's tree although its bytes are not here. ``ls-tree`` reads trees alone."""
    listed = git.run("ls-tree", "-z", "--full-tree", revision, "--", *paths)
    present = {line.partition(b"\t")[2]: line.split(b" ", 2)[1] for line in listed.split(b"\0") if line}
    for path in paths:
        if present.get(encoded(path)) == b"blob":
            raise RepositoryError(
                "object_missing",
                f"{path!r} stands in the commit {revision}, but its bytes are not in this clone",
                place=str(git.root),
                next_step=FETCH_OBJECTS,
            )


def _unreadable(git: Git) -> RepositoryError:
    message = "git cat-file did not answer for every object that it was asked about"
    return RepositoryError("git_failed", message, place=str(git.root), next_step="look at what git fsck says")
