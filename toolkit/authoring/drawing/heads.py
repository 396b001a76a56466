"""What is told of a policy before it is drawn: what it is, whose it is, what it is given and what it promises."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from toolkit.authoring.drawing.cells import declared_text, value_text
from toolkit.authoring.telling.lines import joined
from toolkit.authoring.telling.phrases import constant_text as quoted
from toolkit.authoring.telling.phrases import phrase
from toolkit.policy.documents.effective import Entry
from toolkit.policy.documents.heads import Vocabulary
from toolkit.policy.language.rules import COLLECT, FIRST, UNIQUE, Invariant, TableDocument
from toolkit.policy.language.transitions import STATE, MachineDocument
from toolkit.policy.syntax.nodes import ListNode, plain
from toolkit.policy.types import Input

HITS: Final = {
    FIRST: "the first row that matches decides",
    UNIQUE: "exactly one row matches whatever the facts are, so the order of rows means nothing",
    COLLECT: "every row that matches adds to the answer, in this order; where none does, the answer is an empty list",
}
ORDERS: Final = {
    "descending": "from the gravest or highest down, so terms can be compared",
    "ascending": "from the lowest up, so terms can be compared",
    "sequence": "the order in which they are listed; no term is more than another",
}


class Told(NamedTuple):
    """A label with its text; a ``title`` begins a group, whose entries follow."""

    label: str
    text: str = ""
    title: bool = False


def head_of(entry: Entry) -> Iterator[Told]:
    """What every document says of itself."""
    head = entry.head
    yield Told("kind", head.kind)
    yield Told("layer", f"{head.layer}, {head.mark.file}")
    if head.source:
        yield Told("source", head.source)
    for edit in entry.edits:
        yield Told("overlaid by", f"{edit.file} ({edit.id} {edit.version}, {edit.layer} layer)")


def table_head(document: TableDocument, entry: Entry) -> Iterator[Told]:
    """How a table decides, what it is given, what it computes, what it answers, what was proved of it."""
    yield Told("hit", f"{document.hit}: {HITS[document.hit]}")
    if document.each is not None:
        yield Told("each", f"it decides once for every record of {document.each}, each by itself")
    if document.order_note:
        yield Told("order", document.order_note)
    yield Told("cases", _cases(entry))
    yield from _group("Given", document.inputs)
    if document.item_fields:
        yield from _group(f"Each record of {document.each}", document.item_fields)
    if document.lets:
        formulas = formulas_of(entry)
        yield Told("Computed", title=True)
        yield from (Told(let.name, f"= {formulas.get(let.name, '')}") for let in document.lets)
    yield Told("Answered", title=True)
    for name, output in document.outputs.items():
        order = document.stronger.get(name)
        graver = f"; gravest first: {', '.join(map(value_text, order))}" if order else ""
        yield Told(name, declared_text(output) + graver)
    if document.require:
        yield Told("Required, and proved whenever policies load", title=True)
        yield from (Told("-", requirement_text(one)) for one in document.require)


def machine_head(document: MachineDocument, entry: Entry) -> Iterator[Told]:
    """The states and events of a machine."""
    yield Told("states", ", ".join(document.states.terms))
    yield Told("begins in", document.initial)
    yield Told("ends in", ", ".join(document.terminal) or "no state: it never ends")
    yield Told("refuses", "an event that no transition takes; the machine then stays where it is")
    yield Told("cases", _cases(entry))
    for event, table in document.events.items():
        inputs = {name: one for name, one in table.inputs.items() if name != STATE}
        yield from _group(f"Event {event}", inputs)


def vocabulary_head(vocabulary: Vocabulary) -> Iterator[Told]:
    """What the order of the terms means."""
    yield Told("order", f"{vocabulary.order}: {ORDERS[vocabulary.order]}")


def data_head(entry: Entry) -> Iterator[Told]:
    """What a payload must look like, and the texts that it fills in."""
    content = plain(entry.node)
    yield Told("shape", f"{content['shape']}, a JSON Schema that the payload satisfies")
    if content.get("templates"):
        yield Told("templates", ", ".join(content["templates"]))


def requirement_text(invariant: Invariant) -> str:
    """A requirement in words: ``tier is low only where passive is true``."""
    outputs = [f"{name} is {' or '.join(map(quoted, values))}" for name, values in invariant.when_output.items()]
    facts = [f"{name} {phrase(condition)}" for name, condition in invariant.inputs]
    return f"{joined(outputs)} only where {joined(facts)}"


def formulas_of(entry: Entry) -> Mapping[str, str]:
    """The lets of a table as they are written."""
    lets = plain(entry.node.entries["let"]) if "let" in entry.node.entries else {}
    found: Mapping[str, Any] = lets if isinstance(lets, Mapping) else {}
    return {name: str(text) for name, text in found.items()}


def _group(title: str, declared: Mapping[str, Input]) -> Iterator[Told]:
    yield Told(title, "" if declared else "no facts", title=True)
    yield from (Told(name, declared_text(one)) for name, one in declared.items())


def _cases(entry: Entry) -> str:
    own = entry.node.entries.get("cases")
    count = len(own.items) if isinstance(own, ListNode) else 0
    brought = sum(len(one.nodes) for one in entry.cases)
    told = f"{count}, which dr-policy test asks" if count else "none"
    return f"{told}; and {brought} of overlays" if brought else told
