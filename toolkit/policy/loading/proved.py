"""Proofs at load: a table that is not proved to decide once, always, and as it promises does not load."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from toolkit.policy.documents.effective import Entry
from toolkit.policy.language.rules import TableDocument
from toolkit.policy.loading.checked import Checked
from toolkit.policy.problems import Mark, Problems, shown
from toolkit.policy.proofs import MAX_BOXES, PROVED, REFUTED, Proof, prove
from toolkit.policy.proofs.results import REQUIRE

MAX_SET_BOXES = 200_000  # split for all tables of a set together, so that no set takes minutes to load
_CODES = {REQUIRE: "requirement_broken"}  # a gap and an overlap are called so


def hold_proofs(entries: Mapping[str, Entry], checked: Checked, problems: Problems) -> None:
    """Record everything that can't be proved of the tables and machines that could be read, each with its witness."""
    left = MAX_SET_BOXES
    for name, document, partial in _provable(checked):
        entry = entries[name]
        with problems.within(name):
            for proof in prove(document, partial=partial, budget=min(left, MAX_BOXES)):
                left = max(left - proof.boxes, 0)
                _tell(proof, entry, document, problems)


def _provable(checked: Checked) -> Iterator[tuple[str, TableDocument, bool]]:
    for name, document in sorted(checked.tables.items()):
        yield name, document, False
    for name, machine in sorted(checked.machines.items()):
        for event in machine.events.values():
            yield name, event, True


def _tell(proof: Proof, entry: Entry, document: TableDocument, problems: Problems) -> None:
    if proof.status == PROVED:
        return
    refuted = proof.status == REFUTED
    code = _CODES.get(proof.kind, proof.kind) if refuted else "not_proved"
    overlaid = f" (as edited by {', '.join(edit.id for edit in entry.edits)})" if entry.edits else ""
    problems.add(code, f"{proof.message}{overlaid}", _place(proof, entry, document), _hint(proof, refuted))


def _place(proof: Proof, entry: Entry, document: TableDocument) -> Mark:
    """The row that the proof is about, one from an overlay if there is one; else the last overlay, else the head."""
    places = [row.mark for row in document.rows if row.id in proof.subject]
    foreign = [mark for mark in places if entry.edit_at(mark) is not None]
    if foreign:
        return foreign[-1]
    if entry.edits:
        return Mark(entry.edits[-1].file, 0, 0)
    return places[-1] if places else entry.head.mark


def _hint(proof: Proof, refuted: bool) -> str:
    if refuted and proof.witness is not None:
        return "for instance " + ", ".join(f"{name} {_spelt(value)}" for name, value in proof.witness.items())
    return "name constants that tell the rows apart, or split the table"


def _spelt(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_spelt, value)) + "]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name} {_spelt(part)}" for name, part in value.items()) + "}"
    return shown(value)
