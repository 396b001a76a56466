"""The two sides of a comparison: what is in force at a revision or in a directory, or what some files would make.

The user's own layer has no part in either side: what a team compares is the same on every machine.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolkit.errors import ToolkitError, UndeterminedError
from toolkit.policy.documents.identity import closure_digest
from toolkit.policy.layers import SHIPPED
from toolkit.policy.problems import PolicyError
from toolkit.policy.sets import PolicySet
from toolkit.reporting.visible import visible
from toolkit.repository.problems import NO_WORK_TREE, RepositoryError, RevisionError
from toolkit.sources.files import Made, made_of, read_file, read_folder
from toolkit.sources.folder import read_repository
from toolkit.sources.found import FOLDER, FoundLayer
from toolkit.sources.loading import load_layer
from toolkit.sources.places import GIT, find_layer, stands

if TYPE_CHECKING:
    from toolkit.repository.git import Git
    from toolkit.repository.revisions import Revision

REVISION: Final = "revision"
DIRECTORY: Final = "directory"
WORKING_TREE: Final = "the working tree"
REFS: Final = "refs/"  # what begins so is a revision, whatever stands on disk
HERE: Final = (".", "..")
PATHS: Final = ("/", "./", "../")  # what begins so is a path, whatever a branch is called
# There is no such revision; nothing else went wrong.
NO_REVISION: Final = ("invalid_revision", "unknown_revision", "no_repository")


@dataclass(frozen=True, slots=True)
class Side:
    """One side: ``name`` as it was given, ``kind`` of what it is, and the set that is in force there.

    ``revision`` is the full id that a revision was resolved to. ``files`` are its own ones, as messages name them;
    ``left_out`` those among them that have no part in the set.
    """

    name: str
    kind: str
    policies: PolicySet
    revision: str | None = None
    files: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """``sha256:<hex>`` of every document of the set and of its profile; wording is left out."""
        policies = self.policies
        return closure_digest({one: policies.digest(one) for one in policies.ids}, policies.profile)

    def to_json(self) -> dict[str, object]:
        """What machine output says of a side."""
        return {
            "digest": self.digest,
            "documents": len(self.policies.ids),
            "files": list(self.files),
            "kind": self.kind,
            "left_out": list(self.left_out),
            "name": visible(self.name),
            "profile": self.policies.profile,
            "revision": self.revision,
        }


def both(before: Callable[[], Side], after: Callable[[], Side]) -> tuple[Side, Side]:
    """Both sides, loaded one after the other.

    What is wrong with one is told together with what is wrong with the other: a problem says of which side it is.
    Raises ``PolicyError`` with all problems, or the graver of two other failures.
    """
    sides: list[Side] = []
    faults: list[ToolkitError] = []
    for label, load in (("before", before), ("after", after)):
        try:
            sides.append(load())
        except ToolkitError as fault:
            faults.append(_labelled(fault, label))
    if faults:
        problems = [problem for fault in faults for problem in getattr(fault, "problems", ())]
        gravest = max(faults, key=lambda fault: fault.exit_status)
        raise PolicyError.of(problems) if all(getattr(one, "problems", ()) for one in faults) else gravest
    return sides[0], sides[1]


def _labelled(fault: ToolkitError, label: str) -> ToolkitError:
    """The same failure, which says of which side it is."""
    if isinstance(fault, PolicyError) and fault.problems:
        return PolicyError.of(replace(one, message=f"{label}: {one.message}") for one in fault.problems)
    return type(fault)(fault.code, f"{label}: {fault.message}", place=fault.place, next_step=fault.next_step)


class Sides:
    """Loads sides as they are named by somebody who stands in the directory ``start`` (absolute)."""

    def __init__(self, start: Path) -> None:
        self._start = start

    def working_tree(self) -> Side:
        """What is in force at ``start`` as the working tree stands, by the nearest ``.dr``.

        Raises ``RepositoryError`` (``no_work_tree``) in a bare repository.
        """
        if self._is_bare:
            message = "a bare repository has no working tree that could be compared"
            step = "name the revision to compare with: dr-policy diff OLD NEW"
            raise RepositoryError(NO_WORK_TREE, message, place=visible(str(self._start)), next_step=step)
        root = find_layer(self._start)
        return _of_layer(WORKING_TREE, DIRECTORY, read_repository(root) if root is not None else FoundLayer())

    def revision(self, text: str) -> Side:
        """What is in force at ``start`` in the tree of a revision. Three or four processes, one fewer the second time.

        Raises ``RevisionError`` where there is none (exit 2), ``RepositoryError`` where that can't be told (exit 3).
        """
        from toolkit.sources.tree import read_tree, tree_at

        git = self._git
        if git is None:
            message = f"there is no Git repository here that could hold {_shown(text)}"
            step = "run it in a repository, or compare folders and files: dr-policy diff --help"
            raise RevisionError("no_repository", message, place=visible(str(self._start)), next_step=step)
        revision = self._resolved(git, text)
        return _of_layer(text, REVISION, read_tree(tree_at(git, revision, self._start)), revision.oid)

    def named(self, text: str) -> Side:
        """A side by the word ``shipped``, a path or a revision.

        What may be either of the latter is refused, and told how each is meant. Raises ``ToolkitError``
        (``unknown_side``, ``ambiguous_side``), and as ``revision`` and loading do.
        """
        if text == SHIPPED:
            return _of_layer(SHIPPED, SHIPPED, FoundLayer())
        path = self._start / text
        is_path = text in HERE or text.startswith(PATHS)
        if text and not text.startswith(REFS) and _is_there(path):
            if not is_path and self._may_be_revision(text):
                if self._is_bare:  # what stands there is Git's own, such as the file HEAD
                    return self.revision(text)
                message = f"{_shown(text)} is both a path here and a revision"
                step = f"say ./{visible(text)} for the path, or the revision's full name, such as refs/heads/NAME"
                raise ToolkitError("ambiguous_side", message, place=visible(text), next_step=step)
            return _of_path(text, path)
        if not text or is_path:
            raise _unknown(text, "is no folder and no file")
        try:
            return self.revision(text)
        except RevisionError as fault:
            if fault.code not in NO_REVISION:
                raise
            raise _unknown(text, "is no folder, no file and no revision here") from fault

    @cached_property
    def _git(self) -> Git | None:
        from toolkit.repository.git import open_repository
        from toolkit.sources.tree import GIT_LIMITS

        return open_repository(self._start, GIT_LIMITS, or_bare=True)

    @property
    def _is_bare(self) -> bool:
        return self._git is not None and self._git.bare

    def _resolved(self, git: Git, text: str) -> Revision:
        from toolkit.repository.revisions import resolve

        return resolve(git, text)

    def _may_be_revision(self, text: str) -> bool:
        """Whether a name that is a path is one of a revision too. Raises where a repository can't say so."""
        try:
            git = self._git
            return git is not None and bool(self._resolved(git, text))
        except RevisionError as fault:
            return fault.code not in NO_REVISION
        except RepositoryError as fault:
            # Without Git nothing is a revision, nor is what this clone has no name for.
            if fault.code in ("git_missing", "history_incomplete"):
                return False
            step = f"{fault.next_step}; or say ./{visible(text)} for the path"
            raise RepositoryError(fault.code, fault.message, place=fault.place, next_step=step) from fault


def _of_layer(name: str, kind: str, found: FoundLayer, revision: str | None = None) -> Side:
    return Side(name, kind, load_layer(found, user="none"), revision, found.files)


def _of_path(text: str, path: Path) -> Side:
    """The side that stands in a place: a directory with a layer or a work tree, a folder of policies, or one of them.

    A ``.dr`` stands for the directory that holds it.
    """
    real = Path(os.path.realpath(path))
    if not _is_there(real):
        raise _unknown(text, "is a link to nothing")
    if not os.path.isdir(real):
        return _of_files(text, made_of(read_file(real, text), text))
    above = os.path.normpath(os.path.join(text, os.pardir)) if real.name == FOLDER else text
    home = real.parent if real.name == FOLDER else real
    if find_layer(home) == home or stands(home / GIT):
        return _of_layer(text, DIRECTORY, _placed(read_repository(home), above))
    return _of_files(text, made_of(read_folder(real, text), text))


def _of_files(text: str, made: Made) -> Side:
    return Side(text, made.kind, made.policies, None, made.files, made.left_out)


def _placed(found: FoundLayer, folder: str) -> FoundLayer:
    """A layer whose files are named as they are found from where the user stands."""
    if folder == os.curdir:
        return found

    def placed(file: str) -> str:
        return visible(os.path.join(folder, file))

    return FoundLayer(
        tuple(source._replace(file=placed(source.file)) for source in found.sources),
        found.config and found.config._replace(file=placed(found.config.file)),
        None,
        tuple(replace(one, mark=one.mark._replace(file=placed(one.mark.file))) for one in found.problems),
    )


def _is_there(path: Path) -> bool:
    """Whether anything has this name. What may not be looked at is not taken for absent."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as fault:
        if fault.errno == errno.ENAMETOOLONG:
            return False
        message = f"it can't be told whether this stands there: {fault.strerror}"
        step = "give this user the right to look there"
        raise UndeterminedError("side_unreadable", message, place=visible(str(path)), next_step=step) from fault
    return True


def _unknown(text: str, said: str) -> ToolkitError:
    step = "name a branch, tag or commit, a directory with a .dr, a folder or file of policies, or: shipped"
    return ToolkitError("unknown_side", f"{_shown(text)} {said}", place=visible(text) or None, next_step=step)


def _shown(text: str) -> str:
    return ascii(text if len(text) <= 100 else f"{text[:97]}...")
