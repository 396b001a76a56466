"""Invariants: an output that ``require`` names is reachable only where each named fact holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from toolkit.policy.deciding.columns import Cell
from toolkit.policy.language.rules import FIRST, UNIQUE, Invariant, Reference
from toolkit.policy.problems import shown
from toolkit.policy.proofs.claims import Claim
from toolkit.policy.proofs.mentions import range_cells
from toolkit.policy.proofs.prepared import Prepared
from toolkit.policy.proofs.results import MAX_TOLD, PROVED, REQUIRE, Proof
from toolkit.policy.proofs.space import Limits
from toolkit.policy.types import Value


def requirements(prepared: Prepared) -> tuple[Proof, ...]:
    """One proof for each fact of an invariant that a row breaks or may break, and one for each invariant that holds."""
    return tuple(proof for invariant in prepared.document.require for proof in _invariant(prepared, invariant))


def _invariant(prepared: Prepared, invariant: Invariant) -> list[Proof]:
    spent = prepared.budget.spent
    named = ", ".join(f"{name} {' or '.join(map(shown, allowed))}" for name, allowed in invariant.when_output.items())
    faults: list[Proof] = []
    for row in range(len(prepared.document.rows)):
        faults.extend(proof for proof in _row(prepared, row, invariant, named) if proof.status != PROVED)
        if len(faults) >= MAX_TOLD:
            break
    holds = f"{named} only where {', '.join(name for name, _ in invariant.inputs)} allow it"
    return faults or [Proof(REQUIRE, (), PROVED, None, holds, prepared.budget.spent - spent)]


def _row(prepared: Prepared, row: int, invariant: Invariant, named: str) -> Iterator[Proof]:
    """One proof for each fact, or for as many as may be asked about."""
    identity = prepared.document.rows[row].id
    claims = (Claim(prepared, REQUIRE, (identity,), prepared.refuses("invariant_broken")) for _ in invariant.inputs)
    for (name, condition), claim in zip(invariant.inputs, claims, strict=False):
        claim.attempt(lambda: prepared.budget.look(1))
        reaching = list(_reaching(prepared, row, invariant.when_output)) if claim.open else []
        _hold(prepared, row, reaching, (name, condition), claim)
        wanted = f"{name} is not {condition.text()}"
        yield claim.proof(
            f"the row {identity!r} answers {named} only where {name} is {condition.text()}",
            f"the row {identity!r} answers {named} where {wanted}",
            f"it is not proved that the row {identity!r} never answers {named} where {wanted}",
        )
        if not reaching:
            break  # whatever the fact


def _hold(prepared: Prepared, row: int, reaching: list[Limits], fact: Cell, claim: Claim) -> None:
    """In no facts of one row's region may the row answer while a fact does not hold."""
    if not reaching:
        return
    violations = prepared.space.where(*fact, wanted=False)
    others = _others(prepared, row)
    for number in prepared.parts[row]:
        for limits in reaching:
            for violation in violations:
                box = prepared.space.limited(prepared.index.boxes[number])
                for more in (limits, violation):
                    box = None if box is None else prepared.space.limited(more, box)
                if box is not None:
                    claim.uncovered(box, others)


def _others(prepared: Prepared, row: int) -> int:
    """The boxes in which a row does not answer although it matches.

    An earlier row of a ``first`` table does instead; two rows of a ``unique`` table refuse each other; and a list is
    refused whole where an earlier row does.
    """
    if prepared.document.hit == UNIQUE:
        return prepared.index.all & ~prepared.boxes_of((row,))
    return (prepared.boxes_of if prepared.document.hit == FIRST else prepared.refusing)(range(row))


def _reaching(prepared: Prepared, row: int, outputs: Mapping[str, tuple[Value, ...]]) -> Iterator[Limits]:
    """Where a row answers the outputs of an invariant; nowhere, if it can't."""
    answer = prepared.document.rows[row]
    if answer.error is not None:
        return
    limits: dict[int, int] = {}
    for name, allowed in outputs.items():
        produced = answer.then[name]
        if isinstance(produced, Reference):
            place = prepared.space.places[produced.name]
            limits[place] = limits.get(place, -1) & prepared.space.among(produced.name, allowed)
        elif not any(produced == value and type(produced) is type(value) for value in allowed):
            return
    if all(limits.values()):
        for within in prepared.space.all_of(range_cells(prepared.document, answer)):
            yield {place: limits.get(place, -1) & within.get(place, -1) for place in (*limits, *within)}
