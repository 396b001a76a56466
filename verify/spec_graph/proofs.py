"""Which criteria a document gives evidence for: what the statements of its evidence say, as edges of the graph."""

from __future__ import annotations

from verify.artifacts import Artifact
from verify.criteria import says_something
from verify.documents.statements import StatementRules, statements_in
from verify.spec_graph.graph import Proof
from verify.spec_graph.rules import SpecRules


def proofs_in(document: Artifact, where: StatementRules, rules: SpecRules) -> tuple[Proof, ...]:
    """The statements of a document in order of line, each criterion once a line.

    What is said is not weighed here; but an empty cell, or one that is to be filled in, says nothing.
    """
    found = {
        (statement.line, label)
        for statement in statements_in(document.blocks, where)
        if not statement.implied and says_something(statement.text, rules.criteria.cues)
        for label in statement.labels
        if rules.binds(label)
    }
    return tuple(Proof(label, document.path, line) for line, label in sorted(found))
