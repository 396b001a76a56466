"""Every shipped table and machine is proved: no gap, no overlap, no invariant that a row could break."""

from __future__ import annotations

from collections.abc import Iterator

from toolkit.policy.language.rules import COLLECT, UNIQUE, TableDocument
from toolkit.policy.proofs import MAX_BOXES, PROVED, prove
from toolkit.policy.sets import PolicySet


def rules(policies: PolicySet) -> Iterator[tuple[str, TableDocument, bool]]:
    """Every table with its name; those of machines' events, which are partial, too."""
    for name in policies.ids:
        kind = policies.entry(name).head.kind
        if kind == "table":
            yield name, policies.table(name).document, False
        elif kind == "machine":
            for event, document in policies.machine(name).document.events.items():
                yield f"{name}: {event}", document, True


def test_every_shipped_table_and_machine_is_proved(policies: PolicySet) -> None:
    named = list(rules(policies))
    assert len(named) >= 23
    for name, document, partial in named:
        proofs = prove(document, partial=partial)
        assert [(proof.kind, proof.message) for proof in proofs if proof.status != PROVED] == [], name
        owed = {"overlap"} if document.hit == UNIQUE else set()
        owed |= {"gap"} if document.hit != COLLECT and not partial else set()
        owed |= {"require"} if document.require else set()
        assert {proof.kind for proof in proofs} == owed, name


def test_proving_what_is_shipped_takes_few_boxes(policies: PolicySet) -> None:
    spent = [sum(proof.boxes for proof in prove(document, partial=partial)) for _, document, partial in rules(policies)]
    # A table that needs many is one that people will not see through either.
    assert max(spent) <= 200
    assert sum(spent) <= MAX_BOXES // 10
