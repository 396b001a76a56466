"""What goes wrong with Git, told from its exit status and its messages (in the C locale), with a way out of each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolkit.errors import ToolkitError, UndeterminedError

if TYPE_CHECKING:
    from toolkit.processes.completed import Completed

NO_REPOSITORY: Final = b"not a git repository (or any"  # the words for "I looked everywhere above"
NO_COMMITS: Final = b"does not have any commits yet"
NO_WORK_TREE: Final = "no_work_tree"
TO_A_CHECKOUT: Final = "run it in a checkout that has its files"
SHOWN: Final = 300  # characters of Git's own words in a message
FETCH_HISTORY: Final = "fetch the whole history: git fetch --unshallow"  # the way out where a clone is shallow
FETCH_OBJECTS: Final = "fetch the whole repository: git fetch --refetch --no-filter"  # and where it is a partial one

_DUBIOUS: Final = "dubious ownership"
_REMEDY: Final = "git config --global --add safe.directory"
_FETCH: Final = ("object_missing", FETCH_OBJECTS)
_CHECK: Final = ("repository_corrupt", "look at what git fsck says")
_RENEW: Final = ("git_too_old", "install a newer Git")
_OTHERWISE: Final = ("git_failed", "run the same git command by hand and mend what it names")

# A part of Git's message, with the code and the next step that it means. The first that fits is taken.
KNOWN: Final = (
    (_DUBIOUS, ("repository_not_trusted", "if you trust it: ")),
    ("must be run in a work tree", (NO_WORK_TREE, TO_A_CHECKOUT)),
    ("not a git repository", ("repository_broken", "mend that repository, or remove what is left of it")),
    ("invalid gitfile format", ("repository_broken", "mend the file .git, or remove it")),
    ("bad config", ("repository_broken", "mend the configuration file that Git names")),
    ("promisor remote", _FETCH),
    ("could not fetch", _FETCH),
    ("unknown switch", _RENEW),
    ("unrecognized argument", _RENEW),
    ("ould not read", _CHECK),
    ("unable to read", _CHECK),
    ("bad object", _CHECK),
    ("bad tree object", _CHECK),
    ("appears to be broken", _CHECK),
    ("corrupt", _CHECK),
)


class RepositoryError(UndeterminedError):
    """The repository could not be asked, or did not know: neither yes nor no (exit 3)."""


class RevisionError(ToolkitError):
    """A revision or a range that a user gave is not usable as given (exit 2)."""


def failure(completed: Completed, place: Path) -> RepositoryError:
    """The error for a run of Git that ended badly."""
    said = completed.stderr.decode("utf-8", "replace")
    lines = [line for line in said.splitlines() if line.startswith(("fatal:", "error:"))] or said.splitlines()
    code, step = next((meaning for part, meaning in KNOWN if part in said), _OTHERWISE)
    if _DUBIOUS in said:  # Git says which directory, which need not be the one where it was run
        step += next((_shown(line.strip()) for line in said.splitlines() if _REMEDY in line), f"{_REMEDY} DIRECTORY")
    words = _shown(lines[-1][:SHOWN] if lines else completed.ending)
    message = f"git {_command(completed.argv)} failed ({completed.ending}): {words}"
    return RepositoryError(code, message, place=str(place), next_step=step)


def timed_out(command: str, timeout_ms: int, place: Path) -> RepositoryError:
    """The error for a run of Git that had to be ended."""
    message = f"git {command} took longer than {timeout_ms} ms and was ended"
    step = "see what keeps Git busy there (git gc may help), then run it again"
    return RepositoryError("git_timed_out", message, place=str(place), next_step=step)


def outgrown(command: str, limit: int, place: Path) -> RepositoryError:
    """The error for a run of Git that printed more than is read."""
    message = f"git {command} printed more than {limit} bytes"
    return RepositoryError("output_too_large", message, place=str(place), next_step="name a shorter range of commits")


def _shown(text: str) -> str:
    """Text of somebody else's on one line, with nothing in it that a terminal would obey."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)


def _command(argv: tuple[str, ...]) -> str:
    """The name of the Git command: the first word that is neither an option nor the value of a ``-c``."""
    values = {at + 1 for at, word in enumerate(argv) if word == "-c"}
    found = (word for at, word in enumerate(argv[1:], 1) if at not in values and not word.startswith("-"))
    return next(found, "")
