"""Where documents say what proves a criterion: ``Evidence: V-AC-1 …``, or a row with the label and its evidence."""

from __future__ import annotations

from collections.abc import Iterator

from verify.artifacts import Artifact
from verify.criteria import labels_in, says_something
from verify.criteria.labels import find_mentions
from verify.criteria.pieces import cut, plain_words
from verify.documents.bindings import bound_in
from verify.documents.rules import BindingRules
from verify.documents.tables import cell_text, tables_in
from verify.spec_graph.graph import Proof
from verify.spec_graph.rules import SpecRules


def proofs_in(document: Artifact, bindings: BindingRules, rules: SpecRules) -> tuple[Proof, ...]:
    """The statements of a document in order of line, each criterion once a line; what is said is not weighed here."""
    found = {(proof.line, proof.label): proof for proof in _all_proofs(document, bindings, rules)}
    return tuple(found[key] for key in sorted(found))


def _all_proofs(document: Artifact, bindings: BindingRules, rules: SpecRules) -> Iterator[Proof]:
    labels = rules.criteria.labels
    for statement in bound_in(
        cut(document.blocks), bindings.evidence, lambda text: find_mentions(text, labels), bindings.joiners
    ):
        for label in filter(rules.binds, statement.labels):
            yield Proof(label, document.path, statement.line)
    names = frozenset(map(plain_words, bindings.evidence))
    for table in tables_in(document.blocks):
        column = table.column(names)
        for row in table.rows if column is not None else ():
            texts = [cell_text(cell) for cell in row.cells]
            said = texts.pop(column) if column is not None and column < len(texts) else ""
            if says_something(said, rules.criteria.cues):
                for text in texts:
                    for label in filter(rules.binds, labels_in(text, rules.criteria)):
                        yield Proof(label, document.path, row.line)
