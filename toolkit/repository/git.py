"""Running Git on a repository that nobody vouches for: it starts no program, asks nothing and reaches no network."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from toolkit.repository.problems import (
    NO_REPOSITORY,
    NO_WORK_TREE,
    TO_A_CHECKOUT,
    RepositoryError,
    failure,
    outgrown,
    timed_out,
)

if TYPE_CHECKING:
    from toolkit.processes.completed import Completed

__all__ = ["Git", "GitLimits", "RepositoryError", "open_repository"]

# A caller's GIT_* would point every command at another repository; GIT_TRACE and its like write files.
SCRUBBED: Final = ("GIT_",)
ENVIRONMENT: Final = {
    "LC_ALL": "C",  # Git's messages are read
    "GIT_ALLOW_PROTOCOL": "none",  # outranks protocol.<name>.allow of the repository: no transport is ever started
    "GIT_ASKPASS": "",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_GRAFT_FILE": "/dev/null/none",  # a file that can't be; an empty one makes Git print a hint
    "GIT_LITERAL_PATHSPECS": "1",  # a path is a path, whatever signs it begins with
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
}
# The system's and the user's configuration stay in force, because safe.directory stands there. What could run a
# program, or change what our commands print, is pinned; the command line outranks every file.
PINNED: Final = (
    "color.ui=false",
    "core.disambiguate=none",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.useReplaceRefs=false",
    "core.warnAmbiguousRefs=false",
    "credential.helper=",
    "gc.auto=0",
    "grep.patternType=default",
    "i18n.logOutputEncoding=UTF-8",
    "log.follow=false",
    "log.mailmap=false",
    "log.showSignature=false",
    "maintenance.auto=false",
    "protocol.allow=never",
)


class GitLimits(NamedTuple):
    """How long one run of Git may take, in milliseconds, and how much it may print, in bytes a stream."""

    timeout_ms: int
    output_limit: int


@dataclass(frozen=True, slots=True)
class Git:
    """One repository. ``root`` is the top of its work tree, absolute and without symbolic links.

    ``shallow`` says that its history was cut off. One that is ``bare`` has no work tree: ``root`` is its own folder.
    """

    root: Path
    shallow: bool
    limits: GitLimits
    program: str
    environment: Mapping[str, str]
    bare: bool = False

    def run(self, *arguments: str, stdin: bytes | None = None, accepted: Collection[int] = (0,)) -> bytes:
        """What ``git ARGUMENTS`` prints, run at the root, provided that its exit status is an accepted one.

        ``stdin`` is what it reads. Raises ``RepositoryError`` with the code ``git_timed_out``, ``output_too_large``,
        ``repository_not_trusted``, ``object_missing``, ``repository_corrupt`` or ``git_failed``; ``ProcessError``.
        """
        completed = self.attempt(*arguments, stdin=stdin)
        if completed.exit_code not in accepted:
            raise failure(completed, self.root)
        return completed.stdout

    def attempt(self, *arguments: str, stdin: bytes | None = None) -> Completed:
        """How ``git ARGUMENTS`` ended, whatever its exit status; raises when nothing can be told from that."""
        return _run(self.program, arguments, self.root, self.environment, self.limits, stdin)


def open_repository(start: Path, limits: GitLimits, *, or_bare: bool = False) -> Git | None:
    """The repository in whose work tree the directory ``start`` lies; null when there definitely is none.

    With ``or_bare`` also the bare one in which it lies, unless something called ``.git`` stands around that: who hands
    in a folder that looks like a repository could else answer for the one that holds it.

    One process, two for a bare one. Raises ``RepositoryError`` where it can't be told: ``git_missing``,
    ``repository_not_trusted`` (Git's "dubious ownership"), ``repository_broken`` (a ``.git`` that Git can't use),
    ``no_work_tree`` (a bare repository, the inside of ``.git``), or a code of ``Git.run``; ``ProcessError`` when
    ``start`` is no directory.
    """
    from toolkit.processes.process import find_program, scrubbed

    environment = {**scrubbed(os.environ, SCRUBBED), **ENVIRONMENT}
    program = find_program("git", environment)
    if program is None:
        step = "install git, or put its directory on PATH"
        raise RepositoryError("git_missing", "there is no program 'git'", place="git", next_step=step)
    place = Path(os.path.realpath(start))
    asked = ("--is-bare-repository", "--is-shallow-repository", "--show-toplevel")
    completed = _run(program, ("rev-parse", *asked), place, environment, limits, None)
    if completed.exit_code == 0:
        _, shallow, top = os.fsdecode(completed.stdout).split("\n", 2)
        root = Path(os.path.realpath(top.removesuffix("\n")))
        _require_own(place, root)
        return Git(root, shallow == "true", limits, program, environment)
    if NO_REPOSITORY in completed.stderr:
        _require_none(place, None)
        return None
    refusal = failure(completed, place)
    if or_bare and refusal.code == NO_WORK_TREE:
        return _bare(Git(place, False, limits, program, environment, bare=True))
    raise refusal


def _bare(at: Git) -> Git:
    """The bare repository around the root of this one. Raises ``RepositoryError`` where it is the inside of another."""
    place = at.root
    asked = ("--is-bare-repository", "--is-shallow-repository", "--absolute-git-dir")
    bare, shallow, folder = os.fsdecode(at.run("rev-parse", *asked)).split("\n", 2)
    root = Path(os.path.realpath(folder.removesuffix("\n")))
    around = next((one for one in (place, *place.parents) if os.path.lexists(one / ".git")), None)
    if bare != "true" or around is not None or root not in (place, *place.parents):
        message = f"{str(place)!r} lies in no work tree, and is no bare repository of its own"
        raise RepositoryError(NO_WORK_TREE, message, place=str(place), next_step=TO_A_CHECKOUT)
    return replace(at, root=root, shallow=shallow == "true")


def _run(
    program: str,
    arguments: tuple[str, ...],
    cwd: Path,
    environment: Mapping[str, str],
    limits: GitLimits,
    stdin: bytes | None,
) -> Completed:
    from toolkit.processes.process import run

    pins = (part for pin in PINNED for part in ("-c", pin))
    completed = run(
        [program, "--no-pager", *pins, *arguments],
        cwd=cwd,
        env=environment,
        timeout_ms=limits.timeout_ms,
        output_limit=limits.output_limit,
        stdin=stdin,
    )
    if completed.timed_out:
        raise timed_out(arguments[0], limits.timeout_ms, cwd)
    if completed.stdout_truncated:
        raise outgrown(arguments[0], limits.output_limit, cwd)
    return completed


def _require_own(place: Path, root: Path) -> None:
    """Refuse a work tree that the repository's own settings put somewhere else, and a ``.git`` that was passed over."""
    if root != place and root not in place.parents:
        raise RepositoryError(
            "repository_broken",
            f"the repository at {str(place)!r} says that its work tree is {str(root)!r}, which does not hold it",
            place=str(place),
            next_step="mend core.worktree in its configuration",
        )
    _require_none(place, root)


def _require_none(place: Path, root: Path | None) -> None:
    """Refuse a ``.git`` between ``place`` and the ``root`` that Git found (up to the top when it found none)."""
    for folder in (place, *place.parents):
        if folder == root:
            return
        if os.path.lexists(folder / ".git"):
            raise RepositoryError(
                "repository_broken",
                f"Git does not take {str(folder / '.git')!r} for a repository",
                place=str(folder / ".git"),
                next_step="mend that repository, or remove what is left of it",
            )
