"""Commits: listed from where they are reachable, with what they say about themselves."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Final, NamedTuple

from toolkit.repository.git import Git
from toolkit.repository.names import decoded, encoded
from toolkit.repository.problems import NO_COMMITS, RepositoryError, failure

SHORT: Final = 12  # digits of a hash, as Git itself shows one of a large repository
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
LATEST: Final = int((datetime.max.replace(tzinfo=UTC) - EPOCH).total_seconds()) - 1
FORMAT: Final = "%H%n%P%n%ct%n%ai%n%ci%n%S%n%B"  # nothing before the message can hold a line break
_OUTSIDE: Final = "({}|[^A-Za-z0-9_])"
_SPECIAL: Final = frozenset(".[]\\()*+?{}|^$")
OUTPUT: Final = (
    "-z", f"--format={FORMAT}", "--no-patch", "--no-notes", "--no-show-signature", "--no-decorate",
    "--no-mailmap", "--no-color", "--encoding=UTF-8",
)  # fmt: skip


class Commit(NamedTuple):
    """One commit. ``source`` is the revision from which it was reached, as it was given (``HEAD`` if none was).

    ``parents`` are empty for the first commit of a history, and for one at which a shallow clone was cut off.
    ``committed_at`` is in UTC; a time that no calendar holds becomes the nearest that does. What is not UTF-8 in
    ``message`` is replaced. ``subject`` is its first paragraph on one line. ``day`` is the earliest on which whoever
    wrote or committed it may say that it was made: by their own clocks, and in UTC.
    """

    oid: str
    parents: tuple[str, ...]
    committed_at: datetime
    subject: str
    message: str
    source: str = ""
    day: date = date.min


def commits_from(
    git: Git,
    revisions: Iterable[str],
    most: int,
    *,
    word: str | None = None,
    path: str | None = None,
    excluding: Iterable[str] = (),
    walk: bool = True,
) -> tuple[Commit, ...]:
    """The commits reachable from ``revisions`` (full hashes or full names of refs) and from none of ``excluding``.

    Children stand before their parents. ``word`` keeps those whose message holds it with no ASCII letter, digit or
    ``_`` right beside it; ``path`` those that changed it (relative to the root), as ``git log -- PATH`` tells it: a
    side of a merge that did not bring the content in is left out. Without ``walk`` only the given commits themselves
    count, in the given order. No revisions mean HEAD; a repository without any commit has none. One process. Raises
    ``RepositoryError`` (``too_many_commits`` when there are more than ``most``).
    """
    wanted = [*revisions]
    lines = "".join(f"{line}\n" for line in (*wanted, *(f"^{name}" for name in excluding)))
    selection = [f"--max-count={most + 1}", "--topo-order" if walk else "--no-walk=unsorted"]
    if word is not None:
        selection += ["--extended-regexp", f"--grep={_OUTSIDE.format('^')}{_escaped(word)}{_OUTSIDE.format('$')}"]
    if wanted:
        selection.append("--stdin")
    paths = ["--", path] if path is not None else ["--"]
    completed = git.attempt("log", *OUTPUT, *selection, *paths, stdin=encoded(lines) if wanted else None)
    if not wanted and NO_COMMITS in completed.stderr:
        return ()
    if completed.exit_code != 0:
        raise failure(completed, git.root)
    found = tuple(_commit(record) for record in completed.stdout.split(b"\0")[:-1])
    if len(found) > most:
        message = f"more than {most} commits would have to be looked at"
        step = "name the task's commits with --commits A..B, or raise the limit in verify.history"
        raise RepositoryError("too_many_commits", message, place=str(git.root), next_step=step)
    return found


def not_in_history(git: Git, oids: Iterable[str], revision: str) -> frozenset[str]:
    """Those of the commits (full hashes) that the history of ``revision`` (a full hash) does not hold. One process."""
    wanted = frozenset(oids)
    if not wanted:
        return wanted
    asked = "".join(f"{oid}\n" for oid in (*sorted(wanted), f"^{revision}"))
    return wanted.intersection(git.run("rev-list", "--stdin", stdin=asked.encode()).decode("ascii").split())


def short(oid: str) -> str:
    """The beginning of a hash, as people are shown it."""
    return oid[:SHORT]


def shallow_commits(git: Git) -> frozenset[str]:
    """The commits at which a shallow clone was cut off: what they changed is not known. One process if it is one."""
    if not git.shallow:
        return frozenset()
    from toolkit.storage.files import read_bounded

    name = decoded(git.run("rev-parse", "--git-path", "shallow")).removesuffix("\n")
    return frozenset(read_bounded(git.root / name, git.limits.output_limit).decode("ascii", "replace").split())


def _escaped(word: str) -> str:
    """A POSIX extended pattern for nothing but ``word``."""
    return "".join(f"\\{char}" if char in _SPECIAL else char for char in word)


def _commit(record: bytes) -> Commit:
    oid, parents, seconds, written, committed, source, said = record.split(b"\n", 6)
    moment = _moment(seconds)
    message = said.decode("utf-8", "replace")
    subject = message.strip("\n").partition("\n\n")[0]
    return Commit(
        oid=oid.decode("ascii"),
        parents=tuple(parents.decode("ascii").split()),
        committed_at=moment,
        subject=" ".join(subject.split()),
        message=message,
        source=decoded(source),
        day=min(_day(written, moment), _day(committed, moment), moment.date()),
    )


def _day(shown: bytes, moment: datetime) -> date:
    """The day of a time that Git shows on the clock of whoever made it; that of ``moment`` where no calendar has it."""
    try:
        return date.fromisoformat(shown[:10].decode("ascii"))
    except ValueError:
        return moment.date()


def _moment(seconds: bytes) -> datetime:
    try:
        return EPOCH + timedelta(seconds=max(0, min(int(seconds), LATEST)))
    except ValueError:
        return EPOCH
