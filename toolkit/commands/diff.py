"""``dr-policy diff``: which decisions an edit of policies changes, and whether any becomes weaker."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from toolkit.authoring.directions import WEAKER
from toolkit.commands.interface import (
    FAILS,
    HOLDS,
    UNDETERMINED,
    common_options,
    fails_clearly,
    write_json,
    write_note,
    write_text,
)
from toolkit.errors import ToolkitError

if TYPE_CHECKING:
    from toolkit.authoring.comparison import Change, Comparison
    from toolkit.sources.sides import Side

HELP: Final = "dr-policy diff --help"
ADDED, PRESENT, NOTHING = "added", "present", "none"  # what became of a reason's record
RECORDED: Final = {
    ADDED: "allowed; the reason is recorded in .dr/weakened.jsonl",
    PRESENT: "allowed; the same reason for the same edit is recorded in .dr/weakened.jsonl already",
    NOTHING: "it is shown that nothing became weaker, so no reason is recorded",
}


@dataclass(frozen=True)
class Asked:
    """A question with its answer: two sides, the documents that were asked about (none: all), what differs."""

    before: Side
    after: Side
    documents: tuple[str, ...]
    found: Comparison

    @cached_property
    def forbidden(self) -> tuple[Change, ...]:
        """The changes that ``--forbid-weaker`` does not let pass."""
        return tuple(change for change in self.found.changes if change.may_weaken)

    @property
    def passes(self) -> bool:
        """Whether it is shown that nothing is decided weaker."""
        return self.found.complete and not self.forbidden

    @property
    def unproved(self) -> list[dict[str, object]]:
        return [one.to_json() for one in self.found.unproved]


@click.command()
@click.argument("before", metavar="[A", required=False)
@click.argument("after", metavar="B]", required=False)
@click.option("--from", "old", metavar="REV", help="Compare this revision of the repository with the working tree.")
@click.option("--to", "new", metavar="REV", help="With --from: this revision instead of the working tree.")
@click.option("-d", "--document", "documents", metavar="ID", multiple=True, help="Only this document; may be repeated.")
@click.option("--forbid-weaker", is_flag=True, help="Exit 1 unless it is shown that nothing became weaker.")
@click.option("--allow-weaker", "reason", metavar="REASON", help="Let it pass, and append why to .dr/weakened.jsonl.")
@common_options
@fails_clearly
def diff(
    *,
    before: str | None,
    after: str | None,
    old: str | None,
    new: str | None,
    documents: tuple[str, ...],
    forbid_weaker: bool,
    reason: str | None,
    cwd: Path,
    as_json: bool,
) -> None:
    """Which decisions are different in B from what they are in A, each with facts for which that is so.

    A and B are each a branch, tag or commit (what is in force there), a directory with a .dr or .git in it (what is in
    force there as it stands on disk), a folder or file of policies (they stand for the shipped documents of their ids,
    or are added to them), or the word shipped. A name that could be a path and a revision is refused: say ./NAME or
    refs/heads/NAME. Each side has the profile that its own config.yaml chooses. Your own layer (~/.config/dr/policies)
    has no part in either: the answer is the same on every machine.

    \b
        dr-policy diff --from HEAD                   what the edits that are not committed change
        dr-policy diff --from main --to HEAD         what this branch changes
        dr-policy diff shipped .                     what this repository changes of what is shipped
        dr-policy diff old.yaml new.yaml             two versions of a document

    A decision is weaker where its output stands lower in the order that the table declares (stronger:) or the ordered
    vocabulary has; mixed where one output is weaker and another stronger. What has no order is told as other. Wording,
    declining and mere additions of that are harmless; of the rest (a payload, a profile, a step of a machine, a
    document that is gone) nothing shows that it is not weaker.

    Exit 0 whatever differs, 3 where it could not be told of every decision. With --forbid-weaker 1 unless it is shown
    that nothing became weaker. With --allow-weaker the same question is answered with 0, and REASON is recorded as it
    stands, so no secrets in it; that excuses nothing later: --forbid-weaker never reads the record.
    """
    start = cwd.resolve()
    if reason is not None:
        reason = _allowed(reason, forbid_weaker)
    asked = _ask(start, _named(before, after, old, new), documents)
    record = _record(start, asked, reason) if reason is not None else None
    status = _status(asked, forbid_weaker, reason)
    if as_json:
        allowed = {"reason": reason, "record": record} if reason is not None else None
        write_json("dr-policy.diff/v1", _document(asked, allowed, status))
    else:
        _tell(asked, record)
    sys.exit(status)


def _allowed(reason: str, forbid_weaker: bool) -> str:
    from toolkit.sources.allowances import reason_of

    if forbid_weaker:
        raise _usage("--forbid-weaker and --allow-weaker exclude each other")
    return reason_of(reason)


def _named(before: str | None, after: str | None, old: str | None, new: str | None) -> tuple[str | None, ...]:
    """Both sides as they were named on the command line, and the revisions: one pair of the two is there."""
    if old is None and new is not None:
        raise _usage("--to goes with --from")
    if old is not None and before is not None:
        raise _usage("name either A and B or --from; documents are named by -d")
    if old is None and (before is None or after is None):
        raise _usage("name what to compare: A and B, or --from REV")
    return before, after, old, new


def _usage(message: str) -> ToolkitError:
    return ToolkitError("usage", message, next_step=HELP)


def _ask(start: Path, named: tuple[str | None, ...], documents: tuple[str, ...]) -> Asked:
    from toolkit.authoring.comparison import compare
    from toolkit.sources.sides import Sides, both

    sides = Sides(start)
    before, after, old, new = named
    loaded = both(
        lambda: sides.revision(old) if old is not None else sides.named(before or ""),
        lambda: (
            (sides.revision(new) if new is not None else sides.working_tree())
            if old is not None
            else sides.named(after or "")
        ),
    )
    policies = [side.policies for side in loaded]
    wanted = tuple(sorted(set(documents)))
    return Asked(*loaded, wanted, compare(*policies, documents=wanted or None))


def _status(asked: Asked, forbid_weaker: bool, reason: str | None) -> int:
    if reason is not None:
        return HOLDS
    if forbid_weaker:
        return HOLDS if asked.passes else FAILS
    return HOLDS if asked.found.complete else UNDETERMINED


def _record(start: Path, asked: Asked, reason: str) -> str:
    """Append the reason where anything became weaker, or may have; what became of it."""
    from datetime import UTC, datetime

    from toolkit.sources.allowances import SCHEMA, record_once, repository_of

    root = repository_of(start)
    if asked.passes:
        return NOTHING
    record = {
        "at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "complete": asked.found.complete,
        "documents": list(asked.documents),
        "from": _told_of(asked.before),
        "reason": reason,
        "schema": SCHEMA,
        "to": _told_of(asked.after),
        "unproved": asked.unproved,
        "weaker": [
            {
                "direction": change.direction,
                "document": change.document,
                "row_after": change.row_after,
                "row_before": change.row_before,
            }
            for change in asked.forbidden
        ],
    }
    return ADDED if record_once(root, record) else PRESENT


def _told_of(side: Side) -> dict[str, object]:
    told = side.to_json()
    return {key: told[key] for key in ("digest", "kind", "name", "profile", "revision")}


def _tell(asked: Asked, record: str | None) -> None:
    from toolkit.commands.differences import told

    for side in (asked.before, asked.after):
        for file in side.left_out:
            write_note(f"{file}: left out: an overlay of a profile has no part here")
    write_text("\n".join(told(asked.before, asked.after, asked.found)))
    if record is not None:
        write_text(RECORDED[record])


def _document(asked: Asked, allowed: dict[str, str | None] | None, status: int) -> dict[str, object]:
    found = asked.found
    return {
        "allowed": allowed,
        "boxes": found.boxes,
        "changed": list(found.changed),
        "changes": [change.to_json() for change in found.changes],
        "complete": found.complete,
        "directions": dict(Counter(change.direction for change in found.changes)),
        "documents": list(asked.documents),
        "from": asked.before.to_json(),
        "ok": status == HOLDS,
        "to": asked.after.to_json(),
        "unproved": asked.unproved,
        "weaker": sum(change.direction == WEAKER for change in found.changes),
    }
