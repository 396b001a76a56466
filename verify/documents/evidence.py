"""Whether what a document gives as evidence for a criterion counts, claim by claim."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from verify.documents.proofs import EvidenceRules, Lookup, Proof, nothing_in, proofs_of
from verify.documents.statements import Statement

__all__ = ["EvidenceClaim", "EvidenceRules", "Lookup", "claims_of", "judge"]


class EvidenceClaim(NamedTuple):
    """What a document says to prove a criterion, at ``line`` (1-based) of ``document`` (a path).

    ``label`` is empty where it names none. ``accepted`` is null where nobody could tell; ``why`` says what counts in
    it, or why nothing does. ``implied`` as in ``Statement``.
    """

    label: str
    document: str
    line: int
    text: str
    accepted: bool | None
    why: str
    implied: bool = False


def claims_of(
    statements: Iterable[Statement], document: str, rules: EvidenceRules, lookup: Lookup
) -> Iterator[EvidenceClaim]:
    """Each statement of a document, once for each label that it names."""
    for statement in statements:
        accepted, why = judge(statement, document, rules, lookup)
        if statement.implied and not accepted:
            continue
        for label in statement.labels or ("",):
            yield EvidenceClaim(label, document, statement.line, statement.text, accepted, why, statement.implied)


def judge(statement: Statement, document: str, rules: EvidenceRules, lookup: Lookup) -> Proof:
    """Whether anything in a statement counts: then so does the statement; else what is unknown, else what is wrong."""
    doubtful: Proof | None = None
    refused: Proof | None = None
    for proof in proofs_of(statement, document, rules, lookup):
        if proof.counts:
            return proof
        if proof.counts is None:
            doubtful = doubtful or proof
        else:
            refused = refused or proof
    return doubtful or refused or nothing_in(statement, rules)
