"""What a table declares and nothing reads: an input, a field of the items of ``each``, a let."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from toolkit.authoring.analysis.findings import UNUSED, Finding
from toolkit.policy.language.rules import TableDocument
from toolkit.policy.proofs import PROVED, REFUTED
from toolkit.policy.proofs.mentions import references_in, row_cells
from toolkit.policy.types import Input


def unused_findings(document: TableDocument, inputs: Mapping[str, Input], event: str = "") -> Iterator[Finding]:
    """One finding for each of ``inputs`` (and each field and let) that nothing reads; one where everything is read.

    Of a machine's ``event`` it stands first in the subject. To be read by a let is to be read, whoever reads the let.
    """
    read = _read(document)
    head = document.head
    subject = (event,) if event else ()
    declared = [(one.name, f"the input {one.name!r}", one) for one in inputs.values() if one.name != document.each]
    declared += [
        (one.name, f"the field {one.name!r} of {document.each!r}", one) for one in document.item_fields.values()
    ]
    unread = [(name, told, one.mark) for name, told, one in declared if name not in read and not one.informs]
    unread += [(let.name, f"the let {let.name!r}", head.mark) for let in document.lets if let.name not in read]
    of = f" of the event {event!r}" if event else ""
    for name, told, mark in unread:
        hint = "remove it" if told.startswith("the let") else "remove it, or say 'informs: true'"
        message = f"{told}{of} is read by nothing: {hint}"
        yield Finding(head.id, UNUSED, (*subject, name), REFUTED, None, message, mark)
    if not unread:
        yield Finding(head.id, UNUSED, subject, PROVED, None, f"everything that is declared{of} is read", head.mark)


def _read(document: TableDocument) -> set[str]:
    read = {name for name, _ in row_cells(document)}
    for row in document.rows:
        for produced in row.then.values():
            read.update(references_in(produced))
    for let in document.lets:
        read |= let.term.names
    return read
