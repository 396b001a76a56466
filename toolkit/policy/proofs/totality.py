"""Some row matches, whatever the facts; and in a unique table, no two."""

from __future__ import annotations

from collections.abc import Iterator

from toolkit.policy.deciding.columns import bits
from toolkit.policy.language.rules import FIRST, UNIQUE, When
from toolkit.policy.proofs.claims import Claim
from toolkit.policy.proofs.prepared import Prepared
from toolkit.policy.proofs.results import GAP, MAX_TOLD, OVERLAP, PROVED, Proof
from toolkit.policy.proofs.space import Box


def gap(prepared: Prepared) -> Proof:
    """Whether a row matches whatever the facts."""
    document = prepared.document
    claim = Claim(prepared, GAP, (), prepared.refuses("no_row"))
    total = document.hit == FIRST and document.rows[-1].when == When()
    if not total:
        whole = prepared.space.full
        disjoint = document.hit == UNIQUE and next(_pairs(prepared), None) is None and not _meets_itself(prepared)
        claim.uncovered(whole, prepared.index.all, disjoint=disjoint)
    name = document.head.id
    return claim.proof(
        f"some row of {name} matches, whatever the facts",
        f"no row of {name} matches some facts",
        f"it is not proved that some row of {name} matches, whatever the facts",
    )


def overlaps(prepared: Prepared) -> tuple[Proof, ...]:
    """Each two rows that match together, or may; one proof where there are none."""
    found: dict[tuple[int, int], Claim] = {}
    refuted = 0
    spent = prepared.budget.spent
    for pair, box in _pairs(prepared):
        claim = found.get(pair)
        if claim is None:
            names = tuple(prepared.document.rows[row].id for row in pair)
            claim = found[pair] = Claim(prepared, OVERLAP, names, prepared.refuses("several_rows"))
        known = claim.witness is not None
        claim.empty(box)
        refuted += claim.witness is not None and not known
        if refuted >= MAX_TOLD or claim.exhausted:
            break
    proofs = [_overlap(claim) for claim in found.values()]
    faults = tuple(proof for proof in proofs if proof.status != PROVED)
    holds = f"no two rows of {prepared.document.head.id} match the same facts"
    return faults[:MAX_TOLD] or (Proof(OVERLAP, (), PROVED, None, holds, prepared.budget.spent - spent),)


def _overlap(claim: Claim) -> Proof:
    first, second = claim.subject
    return claim.proof(
        f"the rows {first!r} and {second!r} match no facts together",
        f"the rows {first!r} and {second!r} both match some facts",
        "it is not proved that no facts match both",
    )


def _pairs(prepared: Prepared) -> Iterator[tuple[tuple[int, int], Box]]:
    """The boxes in which two rows meet, as far as their masks tell, with the rows."""
    index, owners = prepared.index, prepared.owners
    for number, limits in enumerate(index.boxes):
        box = prepared.space.limited(limits)
        if box is not None:
            row = owners[number]
            later = index.all >> prepared.parts[row].stop << prepared.parts[row].stop
            for other in bits(index.meeting(box, later)[0]):
                both = prepared.space.limited(index.boxes[other], box)
                if both is not None:
                    yield (row, owners[other]), both


def _meets_itself(prepared: Prepared) -> bool:
    """Whether alternatives of one row have facts in common."""
    index = prepared.index
    for part in prepared.parts:
        if len(part) > 1:
            for number in part:
                box = prepared.space.limited(index.boxes[number])
                others = ((1 << part.stop) - (1 << part.start)) & ~(1 << number)
                if box is not None and index.meeting(box, others)[0]:
                    return True
    return False
