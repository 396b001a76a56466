"""Evidence as the graph reads it: in every form that the gate of the evidence reads, and in no other."""

from __future__ import annotations

from typing import Any

import pytest

from verify.artifacts import Artifact
from verify.documents.statements import statements_in
from verify.spec_graph.proofs import proofs_in

FORMS = [
    ("Evidence: V-AC-1 — `pytest` exits 0\n", [(1, "V-AC-1")]),
    ("Evidence for V-AC-1: `pytest` exits 0\n", [(1, "V-AC-1")]),
    ("Evidence: V-AC-1, V-AC-2 — `pytest` exits 0\n", [(1, "V-AC-1"), (1, "V-AC-2")]),
    ("Evidence: V-AC-1\n", [(1, "V-AC-1")]),
    ("Доказательство: V-AC-1 — журнал\n", [(1, "V-AC-1")]),
    ("## Evidence\n\n- V-AC-1: `pytest` exits 0\n- V-AC-2: log\n", [(3, "V-AC-1"), (4, "V-AC-2")]),
    ("| criterion | Proof |\n|-|-|\n| V-AC-1 | `pytest` exits 0 |\n", [(3, "V-AC-1")]),
    ("| criterion | evidence |\n|-|-|\n| V-AC-1 | log |\n| V-AC-2 | |\n| V-AC-3 | TBD |\n", [(3, "V-AC-1")]),
    ("| criterion | note |\n|-|-|\n| V-AC-1 | Evidence: `pytest` exits 0 |\n", [(3, "V-AC-1")]),
    ("## Acceptance criteria\n\n- V-AC-1: x\n  - Evidence: log\n", [(4, "V-AC-1")]),
    ("## Acceptance criteria\n\n- V-AC-1: x\n  - Evidence:\n", []),
    ("Evidence: V-AC-1 — log. Evidence: V-AC-1 — again\n", [(1, "V-AC-1")]),
    ("Evidence: AC-1, TV-2, V-AC-3 — log\n", [(1, "V-AC-3")]),
    ("## Acceptance criteria\n\n- V-AC-1: x\n\n  ```\n  5 passed\n  ```\n", []),
    ("V-AC-1 is done\n", []),
    ("Evidence: the log\n", []),
]


@pytest.mark.parametrize(("text", "wanted"), FORMS)
def test_what_is_called_evidence_proves_its_criteria_in_the_graph(
    reader: Any, text: str, wanted: list[tuple[int, str]]
) -> None:
    proofs = proofs_in(Artifact("qa_report", "qa.md", text, ""), reader.statements, reader.rules)
    assert [(proof.line, proof.label) for proof in proofs] == wanted
    assert {proof.path for proof in proofs} <= {"qa.md"}


@pytest.mark.parametrize("text", [text for text, _ in FORMS])
def test_the_graph_reads_nothing_that_the_gate_does_not_read(reader: Any, text: str) -> None:
    document = Artifact("qa_report", "qa.md", text, "")
    read = {(one.line, label) for one in statements_in(document.blocks, reader.statements) for label in one.labels}
    assert {(one.line, one.label) for one in proofs_in(document, reader.statements, reader.rules)} <= read
