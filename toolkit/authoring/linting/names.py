"""The names that a set knows: what another word must not pass for."""

from __future__ import annotations

from collections.abc import Iterator

from toolkit.policy.documents.heads import HEAD
from toolkit.policy.sets import PolicySet
from toolkit.policy.syntax.items import ITEMS, name_of
from toolkit.policy.syntax.nodes import ListNode, MapNode

DECLARING = ("inputs", "outputs", "let", "events")


def names_of(policies: PolicySet) -> frozenset[str]:
    """Ids of documents, rows, transitions and terms, and the names of inputs, outputs, lets and events."""
    return frozenset(name for document in policies.ids for name in _names(policies, document))


def _names(policies: PolicySet, document: str) -> Iterator[str]:
    entry = policies.entry(document)
    yield document
    yield from HEAD
    yield from entry.node.entries
    kind = ITEMS.get(entry.head.kind)
    if kind is None:
        return
    listed = entry.node.entries.get(kind.list)
    if isinstance(listed, ListNode):
        yield from filter(None, (name_of(item, kind) for item in listed.items))
    for key in DECLARING:
        declared = entry.node.entries.get(key)
        if isinstance(declared, MapNode):
            yield from declared.entries
