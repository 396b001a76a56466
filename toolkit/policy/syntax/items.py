"""A document's list of named parts (rows, transitions, terms), edited by name: remove, replace, insert."""

from __future__ import annotations

from typing import NamedTuple

from toolkit.policy.problems import Mark, Problems, did_you_mean, shown
from toolkit.policy.syntax.nodes import ListNode, MapNode, Node, ScalarNode

AFTER, BEFORE, AT = POSITIONS = ("after", "before", "at")
START, END = ENDS = ("start", "end")


class ItemKind(NamedTuple):
    """How a kind of document holds its parts: the key of the list, the key of a part's name, and what one is called."""

    list: str
    name: str
    word: str


ITEMS = {
    "table": ItemKind("rows", "id", "row"),
    "machine": ItemKind("transitions", "id", "transition"),
    "vocabulary": ItemKind("terms", "term", "term"),
}

_Key = str | int  # a part's name, or its index where it has none
_HEAD, _TAIL = -1, -2


class ItemEditor:
    """Edits one list, kept linked and joined at the end: an edit takes the same time however long the list is."""

    def __init__(self, node: ListNode, kind: ItemKind, problems: Problems) -> None:
        self.node = node
        self.kind = kind
        self.problems = problems
        self._nodes: dict[_Key, Node] = {}
        self._next: dict[_Key, _Key] = {_HEAD: _TAIL}
        self._previous: dict[_Key, _Key] = {_TAIL: _HEAD}
        for index, item in enumerate(node.items):
            name = name_of(item, kind)
            # A part without a name, or with one that another has, is told where the document is read.
            self._link(name if name and name not in self._nodes else index, item, _TAIL)

    def remove(self, name: str, mark: Mark) -> None:
        self._known(name, mark)
        before, after = self._previous.pop(name), self._next.pop(name)
        self._next[before], self._previous[after] = after, before
        del self._nodes[name]

    def replace(self, name: str, node: Node, mark: Mark) -> None:
        """Put another part of the same name in its place; ``node`` does not repeat the name."""
        self._known(name, mark)
        if not isinstance(node, MapNode):
            self.problems.fail(
                "wrong_type", f"what replaces the {self.kind.word} {shown(name)} is a mapping", node.mark
            )
        key = self.kind.name
        if key in node.entries:
            message = f"the {self.kind.word} {shown(name)} keeps its name: leave {key!r} out"
            self.problems.fail("unknown_key", message, node.key_marks[key])
        entries = {key: ScalarNode(name, mark), **node.entries}
        self._nodes[name] = MapNode(entries, {key: mark, **node.key_marks}, mark)

    def insert(self, node: Node, position: str, anchor: str, mark: Mark) -> None:
        """Put a new part ``after`` or ``before`` a named one, or ``at`` the start or the end."""
        name = name_of(node, self.kind)
        if name in self._nodes:
            hint = "replace it, or give the new one a name of its own"
            self.problems.fail("duplicate_id", f"there is a {self.kind.word} {shown(name)} already", node.mark, hint)
        if not name:
            message = f"the new {self.kind.word} needs a name of its own, under {self.kind.name!r}"
            self.problems.fail("missing_key", message, node.mark)
        if position == AT:
            follower = self._next[_HEAD] if anchor == START else _TAIL
        else:
            self._known(anchor, mark)
            follower = self._next[anchor] if position == AFTER else anchor
        self._link(name, node, follower)

    def finish(self) -> None:
        """Put the parts back into the list, after the last edit."""
        self.node.items[:] = self.joined()

    def joined(self) -> list[Node]:
        """The parts in their order."""
        items, key = [], self._next[_HEAD]
        while key != _TAIL:
            items.append(self._nodes[key])
            key = self._next[key]
        return items

    def _link(self, key: _Key, node: Node, follower: _Key) -> None:
        before = self._previous[follower]
        self._next[before], self._next[key] = key, follower
        self._previous[follower], self._previous[key] = key, before
        self._nodes[key] = node

    def _known(self, name: str, mark: Mark) -> None:
        if name not in self._nodes:
            hint = did_you_mean(name, (key for key in self._nodes if isinstance(key, str)))
            self.problems.fail("unknown_item", f"there is no {self.kind.word} {shown(name)}", mark, hint)


def name_of(node: Node, kind: ItemKind) -> str:
    """The name of a part; empty where it has none."""
    named = node.entries.get(kind.name) if isinstance(node, MapNode) else None
    return named.value if isinstance(named, ScalarNode) and isinstance(named.value, str) else ""
