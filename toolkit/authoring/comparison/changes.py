"""One difference between two sets of policies, as a value; and all of them together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from toolkit.authoring.directions import MIXED, OTHER, STRONGER, WEAKER

KINDS: Final = (
    "profile",
    "document",
    "hit",
    "input",
    "output",
    "let",
    "require",
    "state",
    "event",
    "order",
    "term",
    "anchor",
    "payload",
    "template",
    "decision",
    "transition",
    "sequence",
)
(
    PROFILE, DOCUMENT, HIT, INPUT, OUTPUT, LET, REQUIRE, STATE, EVENT, ORDER, TERM, ANCHOR, PAYLOAD, TEMPLATE,
    DECISION, TRANSITION, SEQUENCE,
) = KINDS  # fmt: skip

UNKNOWN: Final = "unknown"  # changed, and nobody could tell which way
DIRECTIONS: Final = (WEAKER, STRONGER, MIXED, OTHER, UNKNOWN)


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that is not the same.

    ``kind`` says what: ``decision`` (a table) and ``transition`` (a machine) are facts that are decided differently,
    ``sequence`` the same answers of a list in another order; all else is about what a document declares or says.
    ``subject`` names it within the document: the rows of a decision, the event of a transition, a name, a term, the
    JSON Pointer of a part of a payload.

    ``row_before`` and ``row_after`` are the ids of the rows that decide; null where that side has no such row, or none
    that answers. ``before`` and ``after`` are JSON values: of a decision all outputs, or ``{"error": code}`` where that
    side declines to decide. They are what was answered to the ``witness``, whose facts both sides were asked with
    before it was told: each with those that it declares.

    ``direction`` is ``weaker`` or ``stronger`` where an ordered output is and none is the contrary, ``mixed`` where
    one is weaker and another stronger, ``other`` where no order says (a refusal is neither weaker nor stronger than
    an answer), ``unknown`` where it is certain that something changed and nobody could say what that does.

    ``may_weaken`` says that nothing shows that nothing became weaker: of ``weaker``, ``mixed`` and ``unknown``, and of
    what has no order and is neither wording nor a mere addition.
    """

    document: str
    kind: str
    subject: str
    row_before: str | None
    row_after: str | None
    before: Any
    after: Any
    direction: str
    witness: Mapping[str, Any] | None
    message: str
    may_weaken: bool

    def to_json(self) -> dict[str, Any]:
        """The same as plain JSON."""
        return {
            "after": self.after,
            "before": self.before,
            "direction": self.direction,
            "document": self.document,
            "kind": self.kind,
            "may_weaken": self.may_weaken,
            "message": self.message,
            "row_after": self.row_after,
            "row_before": self.row_before,
            "subject": self.subject,
            "witness": None if self.witness is None else dict(self.witness),
        }


@dataclass(frozen=True, slots=True)
class Unproved:
    """Something of which nobody could show that it is decided as before, nor that it is not."""

    document: str
    subject: str
    reason: str

    def to_json(self) -> dict[str, Any]:
        """The same as plain JSON."""
        return {"document": self.document, "reason": self.reason, "subject": self.subject}


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two sets decide and say differently, sorted by document.

    ``complete`` says that nothing else is decided differently; else ``unproved`` says where something may be.
    ``changed`` are the documents whose digest is not the same, those that only one set has among them. One of them may
    have no change: a row that has another name decides as before. ``boxes`` were split for all tables together.
    """

    changes: tuple[Change, ...] = ()
    unproved: tuple[Unproved, ...] = ()
    changed: tuple[str, ...] = ()
    boxes: int = 0

    @property
    def complete(self) -> bool:
        """Whether everything that differs is told."""
        return not self.unproved


def stated(
    document: str, kind: str, subject: str, before: Any, after: Any, message: str, direction: str = OTHER
) -> Change:
    """A change of what a document declares or says, which no facts decide."""
    weakens = direction != OTHER or _may_weaken(kind, before, after)
    return Change(document, kind, subject, None, None, before, after, direction, None, message, weakens)


def _may_weaken(kind: str, before: Any, after: Any) -> bool:
    """Whether what is declared otherwise may make something weaker that is not told as a decision of its own."""
    if before is None:
        return kind not in (DOCUMENT, OUTPUT, REQUIRE, TERM, ANCHOR, LET)
    if after is None:
        return kind not in (EVENT, ANCHOR, LET)
    return kind not in (ANCHOR, LET, HIT, ORDER)
