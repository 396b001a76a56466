"""Everything that loading needs to know of one table."""

from __future__ import annotations

from dataclasses import replace

from toolkit.policy.language.rules import COLLECT, UNIQUE, TableDocument
from toolkit.policy.proofs.prepared import Prepared
from toolkit.policy.proofs.requirements import requirements
from toolkit.policy.proofs.results import GAP, MAX_BOXES, NOT_PROVED, OVERLAP, REQUIRE, Budget, Exhausted, Proof
from toolkit.policy.proofs.totality import gap, overlaps


def prove(document: TableDocument, *, partial: bool = False, budget: int = MAX_BOXES) -> tuple[Proof, ...]:
    """The proofs that a table owes: at most ``budget`` boxes are split for all of them together.

    A ``unique`` table has no two rows that match the same facts, and like a ``first`` one it has a row for all facts,
    unless ``partial`` (the table of a machine's event). Every invariant of every table holds. The same document has
    the same proofs, everywhere and always.
    """
    counted = Budget(budget)
    kinds = _owed(document, partial)
    if not kinds:
        return ()
    try:
        prepared = Prepared(document, counted)
    except Exhausted:
        message = f"a row of {document.head.id} has too many alternatives for anything to be proved of it"
        return tuple(Proof(kind, (), NOT_PROVED, None, message) for kind in kinds)
    found: list[Proof] = []
    if OVERLAP in kinds:
        found.extend(overlaps(prepared))
    if GAP in kinds:
        found.append(gap(prepared))
    found.extend(requirements(prepared))
    # Claims that held beside one that did not are not told, but what they have cost is.
    untold = counted.spent - sum(proof.boxes for proof in found)
    return (*found[:-1], replace(found[-1], boxes=found[-1].boxes + untold))


def _owed(document: TableDocument, partial: bool) -> list[str]:
    overlap = [OVERLAP] if document.hit == UNIQUE else []
    total = [GAP] if document.hit != COLLECT and not partial else []
    return [*overlap, *total, *([REQUIRE] if document.require else [])]
