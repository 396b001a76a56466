"""What analysis found: one claim about a table or machine, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from toolkit.policy.problems import Mark
from toolkit.policy.proofs import PROVED, REFUTED, Proof
from toolkit.policy.proofs.results import GAP, OVERLAP, REQUIRE

IMPOSSIBLE: Final = "impossible"
SHADOWED: Final = "shadowed"
UNUSED: Final = "unused"
UNREACHABLE: Final = "unreachable"
DEAD: Final = "dead"
STUCK: Final = "stuck"
IGNORED: Final = "ignored"
ORDER: Final = "order"
REDUNDANT: Final = "redundant"
NULL: Final = "null"
UNANSWERED: Final = "unanswered"
DECLINES: Final = "declines"

FAULTS: Final = (GAP, OVERLAP, REQUIRE, IMPOSSIBLE, SHADOWED, UNUSED, UNREACHABLE, DEAD, STUCK, IGNORED)
INFORMATION: Final = (ORDER, REDUNDANT, NULL, UNANSWERED, DECLINES)
MAX_TOLD: Final = 20  # rows that decide where one input is null; rows that may answer one value
MAX_NAMED: Final = 5  # names in one message


@dataclass(frozen=True, slots=True)
class Finding:
    """One claim. ``kind`` names the defect, or what there is to know; the claim is that there is none.

    Of a table (its rows, and for a machine its transitions):

    - ``gap``: some facts match no row.
    - ``overlap``: two rows of a ``unique`` table match the same facts; two transitions do.
    - ``require``: an answer is given where an invariant forbids it.
    - ``impossible``: a row can match no facts at all, or (subject: the row and a number) one of its alternatives can't.
    - ``shadowed``: a row matches facts but decides none: earlier rows take them all (named after it); in a ``collect``
      table, rows that decline do.
    - ``unused``: an input, a field of ``each`` or a let that nothing reads, though it does not say ``informs: true``.

    Of a machine: ``unreachable`` (a state to which nothing leads from the initial one), ``dead`` (a transition that can
    never be taken), ``stuck`` (a state from which no terminal one can be reached), ``ignored`` (an event that no
    transition ever answers).

    Information, no faults: ``order`` (of a ``first`` table: which of two rows stands first makes a difference; about
    the whole table: it never does), ``redundant`` (without the row everything would be decided the same), ``null``
    (the rows that decide where an input is null, after its name; the defect is that none does), ``unanswered`` (the
    values of an output, after its name, that are never answered) and ``declines`` (a row refuses to decide).

    ``status`` is ``proved`` where there is no such defect, ``refuted`` where there is, ``not proved`` where the boxes
    ran out or it hangs on patterns of which no example was found. ``witness`` are legal facts of the table (plain JSON
    values; of a machine with its ``event``) that showed it when they were asked. What does not exist has none: no facts
    show that a row is impossible. ``mark`` is the place in the policy; ``boxes`` were split for it.
    """

    document: str
    kind: str
    subject: tuple[str, ...]
    status: str
    witness: Mapping[str, object] | None
    message: str
    mark: Mark
    boxes: int = 0

    @property
    def fault(self) -> bool:
        """Whether its defect is one that has to be mended; the rest is good to know."""
        return self.kind in FAULTS

    @property
    def is_fault(self) -> bool:
        """Whether there is a defect that has to be mended."""
        return self.fault and self.status == REFUTED

    @property
    def is_open(self) -> bool:
        """Whether nobody knows if there is a defect that has to be mended."""
        return self.fault and self.status not in (PROVED, REFUTED)

    @property
    def is_news(self) -> bool:
        """Whether it is no fault and yet something that somebody who edits the policy wants to know."""
        return not self.fault and (
            self.status != PROVED or self.kind == NULL or (self.kind == ORDER and not self.subject)
        )

    def to_json(self) -> dict[str, object]:
        return {
            "boxes": self.boxes,
            "column": self.mark.column,
            "document": self.document,
            "fault": self.fault,
            "file": self.mark.file,
            "kind": self.kind,
            "line": self.mark.line,
            "message": self.message,
            "status": self.status,
            "subject": list(self.subject),
            "witness": None if self.witness is None else dict(self.witness),
        }


def of_proof(proof: Proof, document: str, mark: Mark, event: Mapping[str, object]) -> Finding:
    """A proof that loading asks for too, as a finding; ``event`` stands before the facts of its witness."""
    witness = None if proof.witness is None else {**event, **proof.witness}
    return Finding(document, proof.kind, proof.subject, proof.status, witness, proof.message, mark, proof.boxes)


def accounted(findings: tuple[Finding, ...], spent: int) -> tuple[Finding, ...]:
    """The findings with all boxes that were split; those that are on no finding's own account are on the last one's."""
    untold = spent - sum(one.boxes for one in findings)
    return (*findings[:-1], replace(findings[-1], boxes=findings[-1].boxes + untold))


def named(names: Iterable[str]) -> str:
    """Some names in a message, the first few of them."""
    listed = list(names)
    more = f" and {len(listed) - MAX_NAMED} more" if len(listed) > MAX_NAMED else ""
    return ", ".join(map(repr, listed[:MAX_NAMED])) + more
