"""Everything that is claimed of one table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from toolkit.authoring.analysis.answers import unanswered_findings
from toolkit.authoring.analysis.examined import Examined
from toolkit.authoring.analysis.findings import IMPOSSIBLE, Finding, accounted, of_proof
from toolkit.authoring.analysis.nulls import null_findings
from toolkit.authoring.analysis.order import order_findings, redundant_findings, refers
from toolkit.authoring.analysis.rows import row_findings
from toolkit.authoring.analysis.unused import unused_findings
from toolkit.policy.language.rules import COLLECT, FIRST, UNIQUE, TableDocument
from toolkit.policy.language.transitions import EVENT
from toolkit.policy.problems import Mark
from toolkit.policy.proofs import MAX_BOXES, NOT_PROVED, PROVED, REFUTED, Proof
from toolkit.policy.proofs.mentions import referenced_cells, row_cells
from toolkit.policy.proofs.requirements import requirements
from toolkit.policy.proofs.results import MAX_TOLD, OVERLAP, Budget, Exhausted
from toolkit.policy.proofs.strength import compared_cells
from toolkit.policy.proofs.totality import gap, overlaps

MAX_INFORMATION: Final = 4000  # boxes for what is no fault, so that it does not cost what other tables need
MAX_COUNTED: Final = 1000  # rows whose pairs are counted


def analyze_table(document: TableDocument, *, partial: bool = False, budget: int = MAX_BOXES) -> tuple[Finding, ...]:
    """What is found of a table; at most ``budget`` boxes are split for all of it.

    First what loading proves of it, with the same witnesses, unless a gap is none since the table is ``partial``; then
    its rows, what nothing reads, and the rest. The same document has the same findings, everywhere and always.
    """
    counted = Budget(budget)
    unused = tuple(unused_findings(document, document.inputs))
    try:
        examined = Examined(document, counted)
    except Exhausted:
        message = f"a row of {document.head.id} has too many alternatives for anything to be found out"
        return (Finding(document.head.id, IMPOSSIBLE, (), NOT_PROVED, None, message, document.head.mark), *unused)
    found = (*_owed(examined, partial), *row_findings(examined), *unused, *_information(examined))
    return accounted(found, counted.spent)


def _owed(examined: Examined, partial: bool) -> Iterator[Finding]:
    """What loading proves, asked in the same order."""
    prepared, hit = examined.prepared, examined.document.hit
    if hit == UNIQUE:
        yield from overlap_findings(examined)
    proofs: list[Proof] = [gap(prepared)] if hit != COLLECT and not partial else []
    yield from (of_proof(one, examined.document.head.id, _place(examined, one), {}) for one in proofs)
    for one in requirements(prepared):
        yield of_proof(one, examined.document.head.id, _place(examined, one), {})


def overlap_findings(examined: Examined) -> Iterator[Finding]:
    """Rows of a ``unique`` table that match the same facts; how many more there may be where not all are told."""
    proofs = overlaps(examined.prepared)
    head = examined.document.head
    for one in proofs:
        told = replace(one, **_of_event(examined, one)) if examined.event else one
        yield of_proof(told, head.id, _place(examined, one), examined.event)
    if sum(one.status == REFUTED for one in proofs) >= MAX_TOLD:
        left = _meeting(examined) - len(proofs)
        if left > 0:
            number = f"up to {left}" if len(examined.document.rows) <= MAX_COUNTED else f"at least {left}"
            message = f"{number} more pairs of rows meet, of which it is not told whether they match the same facts"
            yield examined.finding(OVERLAP, (), NOT_PROVED, message, head.mark)


def _of_event(examined: Examined, proof: Proof) -> dict[str, Any]:
    """What is said of a machine's event instead."""
    event = str(examined.event[EVENT])
    if proof.status == PROVED:
        return {"subject": (event,), "message": f"no facts enable two transitions of the event {event!r}"}
    if proof.status == REFUTED:
        return {"message": f"some facts enable both of the transitions {' and '.join(map(repr, proof.subject))}"}
    return {}


def _meeting(examined: Examined) -> int:
    """How many pairs the first rows are in, as far as boxes tell; one of several boxes may be counted as often."""
    meeting = examined.prepared.index.meeting
    rows = range(min(len(examined.document.rows), MAX_COUNTED))
    return sum(meeting(box, examined.after(row))[0].bit_count() for row in rows for box in examined.boxes(row))


def _place(examined: Examined, proof: Proof) -> Mark:
    """The last row that a proof is about, or the table."""
    marks = [row.mark for row in examined.document.rows if row.id in proof.subject]
    return marks[-1] if marks else examined.document.head.mark


def _information(examined: Examined) -> Iterator[Finding]:
    document, budget = examined.document, examined.budget
    budget.boxes = min(budget.boxes, budget.spent + MAX_INFORMATION)
    yield from null_findings(examined, document.inputs)
    yield from unanswered_findings(examined)
    if document.hit == FIRST:
        apart = _told_apart(examined)
        yield from order_findings(apart)
        yield from redundant_findings(apart)


def _told_apart(examined: Examined) -> Examined:
    """The table in a space in which values that are taken over can be told from the constants of other rows."""
    document = examined.document
    if not any(map(refers, document.rows)):
        return examined
    cells = (*row_cells(document), *referenced_cells(document), *compared_cells(document, document))
    try:
        apart = Examined(document, examined.budget, cells)
    except Exhausted:
        return examined
    apart.decided, apart.matched = examined.decided, examined.matched
    return apart
