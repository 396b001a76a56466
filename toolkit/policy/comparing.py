"""Two sets of policies: of which tables decisions became weaker from one to the other, and of which that is unknown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from toolkit.policy.deciding.columns import cells_in
from toolkit.policy.language.rules import TableDocument
from toolkit.policy.proofs import MAX_BOXES, PROVED, REFUTED, Proof, weakenings
from toolkit.policy.sets import PolicySet
from toolkit.policy.tables import Table

MAX_WEAKER_BOXES: Final = 100_000  # split for all tables of two sets together


class Weakened(NamedTuple):
    """A row of a table (empty: all of it) that is decided weaker, or of which nobody could show that it is not.

    ``documents`` are those of the table and the vocabularies that it names which are not the same. ``facts`` are the
    witness, where there is one: what the rows test that decide it comes first.
    """

    document: str
    row: str
    proof: Proof
    documents: frozenset[str]
    facts: Mapping[str, object]

    @property
    def sure(self) -> bool:
        """Whether the witness shows it."""
        return self.proof.status == REFUTED


def weaker_decisions(before: PolicySet, after: PolicySet, *, budget: int = MAX_WEAKER_BOXES) -> Iterator[Weakened]:
    """Every row of a table of ``before`` that ``after`` decides weaker, or about which nothing could be shown.

    Asked is of each table that is not the same in both sets, or whose vocabularies are not. A table that is gone
    decides nothing, which is not weaker; nor is a machine, whose transitions are legal or are not.
    """
    known, still = frozenset(before.ids), frozenset(after.ids)
    changed = frozenset(one for one in known if one not in still or before.digest(one) != after.digest(one))
    reworded = any(before.entry(one).head.kind == "vocabulary" for one in changed)
    for name in sorted(known & still if reworded else changed & still):
        if {before.entry(name).head.kind, after.entry(name).head.kind} != {"table"}:
            continue
        old, new = before.table(name).document, after.table(name)
        documents = changed.intersection((name, *old.references))
        if not documents:
            continue
        for proof in weakenings(old, new.document, budget=min(budget, MAX_BOXES)):
            budget = max(budget - proof.boxes, 0)
            if proof.status != PROVED:
                row = proof.subject[0] if proof.subject else ""
                yield Weakened(name, row, proof, documents, _telling_first(proof.witness or {}, row, old, new))


def _telling_first(witness: Mapping[str, object], row: str, old: TableDocument, new: Table) -> Mapping[str, object]:
    """The witness, what is tested by the rows that decide it first."""
    deciding = {one.row for one in new.decide_all(witness)} if witness else set()
    whens = [one.when for one in old.rows if one.id == row]
    whens += [one.when for one in new.document.rows if one.id in deciding]
    tested = {name for when in whens for name, _ in cells_in(when)}
    tested |= {name for let in old.lets if let.name in tested for name in let.term.names}
    if tested & old.item_fields.keys():
        tested.add(old.each or "")
    return dict(sorted(witness.items(), key=lambda fact: fact[0] not in tested))
