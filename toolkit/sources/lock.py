"""``.dr/policy.lock``: id, version and digest of every document in force, so that a review sees a change of any.

The user's own layer has no part in it: what a laptop adds must not make a lock fail elsewhere.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from toolkit.errors import StorageError
from toolkit.policy.layers import REPOSITORY, Source
from toolkit.policy.problems import Mark, PolicyError, Problem, Problems, shown
from toolkit.policy.sets import PolicySet
from toolkit.policy.syntax.forms import Form
from toolkit.policy.syntax.nodes import read_yaml
from toolkit.sources.found import FOLDER, LOCK

VERSION: Final = "v1"  # of the lock's form
NAME: Final = f"{FOLDER}/{LOCK}"
MODE: Final = 0o644
COMMENT: Final = "# Which policies are in force here. Written by: dr-policy lock"
CHANGED_UNDER_VERSION: Final = "changed_under_version"
LOCK_AGAIN: Final = "look at what changed, then run: dr-policy lock"


class LockedDocument(NamedTuple):
    """What is locked of one document, and where the lock says so."""

    version: str
    digest: str
    mark: Mark


class Lock(NamedTuple):
    """A lock as it was read; ``mark`` is where it names the profile."""

    profile: str
    documents: Mapping[str, LockedDocument]
    mark: Mark


def render_lock(policies: PolicySet) -> bytes:
    """The lock of a set: the same bytes for the same policies, one line a document, sorted."""
    bound = policies.bound
    lines = [COMMENT, f"lock: {VERSION}", f"profile: {json.dumps(bound.profile)}", "documents:"]
    for document in bound.ids:
        version, digest = json.dumps(bound.entry(document).head.version), json.dumps(bound.digest(document))
        lines.append(f"  {document}: {{version: {version}, digest: {digest}}}")
    return "\n".join((*lines, "")).encode()


def read_lock(source: Source) -> Lock:
    """The lock in a file, read as strictly as a policy. Raises ``PolicyError`` with every problem of it."""
    problems = Problems()
    lock = None
    with problems.within(""):
        lock = _read(source, problems)
    if lock is None or problems.found:
        hint = f"take it back from the repository's history, or remove it and run: dr-policy lock ({source.file})"
        raise PolicyError.of(
            Problem(one.code, one.message, one.mark, one.document, one.hint or hint) for one in problems.found
        )
    return lock


def differences(lock: Lock, policies: PolicySet) -> tuple[Problem, ...]:
    """A problem for each document that is not as it is locked, and one for another profile."""
    return tuple(_differences(lock, policies.bound))


def changed_under_version(lock: Lock, policies: PolicySet) -> tuple[Problem, ...]:
    """A problem for each document whose content changed although its version, overlays included, did not."""
    return tuple(one for one in differences(lock, policies) if one.code == CHANGED_UNDER_VERSION)


def missing_lock(root: str) -> Problem:
    """The problem of a repository that has no lock; ``root`` stands before the lock's name (empty: nothing)."""
    return Problem("lock_missing", "there is no lock", Mark(f"{root}{NAME}", 0, 0), hint="run: dr-policy lock")


def write_lock(root: Path, data: bytes) -> bool:
    """Write the lock below the directory ``root``, whole or not at all; false where it says the same already.

    Raises ``PolicyError`` where it would leave the repository, ``StorageError`` where it can't be written.
    """
    from toolkit.storage.files import make_directory, replace

    folder, target = root / FOLDER, root / NAME
    if not Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(root)):
        message = "a lock can't leave the repository by a symbolic link"
        raise PolicyError("policy_outside_repository", message, place=FOLDER, next_step=f"make {FOLDER} a folder")
    make_directory(folder)
    if _says(target, data):
        return False
    replace(target, data, MODE)
    return True


def _says(target: Path, data: bytes) -> bool:
    """Whether a plain file holds these bytes already."""
    from toolkit.storage.files import read_bounded

    try:
        return read_bounded(target, len(data)) == data
    except StorageError:  # longer, a link, not there: all of these are replaced
        return False


def _read(source: Source, problems: Problems) -> Lock:
    root = read_yaml(source.data, source.file, problems)
    form = Form(root, "the lock", problems, required=("lock", "profile", "documents"))
    form.choice("lock", (VERSION,))
    documents: dict[str, LockedDocument] = {}
    for document, node, mark in form.entries("documents"):
        with problems.unit():
            inner = Form(node, shown(document), problems, required=("version", "digest"))
            version, digest = inner.text("version"), inner.text("digest")
            if not _digest_pattern().fullmatch(digest):
                problems.fail("bad_digest", f"{shown(digest)} is no digest", inner.need("digest").mark)
            documents[document] = LockedDocument(version, digest, mark)
    return Lock(form.text("profile"), documents, form.need("profile").mark)


def _differences(lock: Lock, bound: PolicySet) -> Iterator[Problem]:
    if lock.profile != bound.profile:
        message = f"the lock is of the profile {shown(lock.profile)}, and {shown(bound.profile)} is in force"
        yield Problem("lock_profile", message, lock.mark, hint=LOCK_AGAIN)
    present = frozenset(bound.ids)
    for document in sorted(present.union(lock.documents)):
        locked = lock.documents.get(document)
        if locked is None:
            mark = bound.entry(document).head.mark
            yield Problem("lock_added", f"{document} is not in the lock", mark, document, LOCK_AGAIN)
        elif document not in present:
            message = f"{shown(document)} is locked, and is there no more"
            yield Problem("lock_removed", message, locked.mark, document, LOCK_AGAIN)
        else:
            yield from _changed(document, locked, bound)


def _changed(document: str, locked: LockedDocument, bound: PolicySet) -> Iterator[Problem]:
    version = bound.entry(document).head.version
    if version != locked.version:
        message = f"{document} is locked as {shown(locked.version)}, and {shown(version)} is in force"
        yield Problem("lock_changed", message, locked.mark, document, LOCK_AGAIN)
    elif bound.digest(document) != locked.digest:
        message = f"the content of {document} changed, and its version is still {version}"
        yield Problem(CHANGED_UNDER_VERSION, message, locked.mark, document, _raise_it(document, bound))


def _raise_it(document: str, bound: PolicySet) -> str:
    """The next legal move: whoever changed content says so in the version of the file that changed."""
    entry = bound.entry(document)
    files = [edit.file for edit in entry.edits if edit.layer == REPOSITORY]
    if entry.head.layer == REPOSITORY:
        files.insert(0, entry.head.mark.file)
    if not files:
        return f"this tool ships another {document} than the one that was locked: report it, and remove the lock"
    return f"raise the version in {' or '.join(files)}, then run: dr-policy lock"


@cache
def _digest_pattern() -> re.Pattern[str]:
    return re.compile(r"sha256:[0-9a-f]{64}")
