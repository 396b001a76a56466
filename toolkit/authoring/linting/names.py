"""The names that a set knows: what another word must not pass for."""

from __future__ import annotations

from collections.abc import Iterator

from toolkit.policy.documents.heads import HEAD
from toolkit.policy.sets import PolicySet
from toolkit.policy.syntax.items import ITEMS, name_of
from toolkit.policy.syntax.nodes import ListNode, MapNode, Node, ScalarNode, parts_of

DECLARING = ("inputs", "outputs", "let", "events")


def names_of(policies: PolicySet) -> frozenset[str]:
    """Ids of documents, rows, transitions and terms, and the names of inputs, outputs, lets and events.

    The terms that a declaration lists in place (``one_of``) are names as those of a vocabulary are.
    """
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
            yield from _listed_terms(declared)


def _listed_terms(declared: Node) -> Iterator[str]:
    waiting = [declared]
    while waiting:
        node = waiting.pop()
        terms = node.entries.get("one_of") if isinstance(node, MapNode) else None
        if isinstance(terms, ListNode):
            found = (item.value for item in terms.items if isinstance(item, ScalarNode))
            yield from (term for term in found if isinstance(term, str))
        waiting += [part for _step, part in parts_of(node)]
