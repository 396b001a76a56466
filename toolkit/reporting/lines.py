"""A finding in plain lines, as the formats made of lines show it. Everything here is already visible text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolkit.reporting.report import Item, MalformedRecord
from toolkit.reporting.visible import visible

RECORD_LIMIT: Final = 300  # a malformed record can be of any length; its head is enough to recognise it by

NOWHERE: Final = "(no place)"


def place(item: Item) -> str:
    """``path:line``, or what is known of it."""
    if not item.path:
        return NOWHERE
    path = visible(item.path)
    return path if item.line is None else f"{path}:{item.line}"


def head(item: Item) -> str:
    """Where, which rule, of which kind, under which id: the first line of a finding."""
    tags = f"({visible(', '.join(item.tags))})" if item.tags else ""
    return "  ".join(filter(None, (place(item), visible(item.rule.id), tags, visible(item.id))))


def details(item: Item) -> Iterator[tuple[str, str]]:
    """What else there is to say of a finding, as (label, text); what is not known is left out."""
    if item.quote:
        yield "quote", visible(item.quote)
    if item.fix:
        yield "fix", visible(item.fix)
    if item.criteria:
        yield "criteria", visible(", ".join(item.criteria))
    for note in item.notes:
        yield "note", visible(note)
    if item.reason:
        yield item.state.value, visible(item.reason)


def record(malformed: MalformedRecord) -> str:
    """The head of a malformed record."""
    return visible(malformed.record, RECORD_LIMIT)
