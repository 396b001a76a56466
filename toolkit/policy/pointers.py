"""Editing a payload by JSON Pointer (RFC 6901): a pointer names one thing that is there, or one place for a new one.

A step into a list is the ``id`` of one of its items, so that an entry is named and not counted, or an index, or ``-``
(append, when setting). An id goes before an index.
"""

from __future__ import annotations

from collections import Counter
from itertools import compress

from toolkit.policy.nodes import MAX_DEPTH, ListNode, MapNode, Node, ScalarNode
from toolkit.policy.problems import Mark, Problems, did_you_mean, shown

MAX_POINTER = 1000  # characters
_PAYLOAD_LEVEL = 2  # the document's mapping is the first level, its payload the second
_TWICE = -1


class Editor:
    """Edits the payload of one document, for every overlay of it."""

    def __init__(self, root: MapNode, problems: Problems) -> None:
        self.root = root
        self.problems = problems
        self.lists: dict[int, _Indexed] = {}  # by identity; each holds its list, so the identity stays its own

    def remove_all(self, pointers: tuple[tuple[str, Mark], ...]) -> None:
        """Remove what the pointers name, all of them in the payload as it was: an index does not shift meanwhile."""
        from_lists: dict[int, tuple[ListNode, set[int]]] = {}
        from_maps: list[tuple[MapNode, str, Mark]] = []
        for pointer, mark in pointers:
            with self.problems.unit():
                parent, step, _level = self._parent(pointer, mark)
                if isinstance(parent, ListNode):
                    _, gone = from_lists.setdefault(id(parent), (parent, set()))
                    index = self._index(parent, step, mark)
                    if index in gone:
                        self.problems.fail("bad_pointer", f"{shown(pointer)} names what is removed already", mark)
                    gone.add(index)
                else:
                    self._child(parent, step, mark)
                    from_maps.append((parent, step, mark))
        for node, gone in from_lists.values():
            self._indexed(node).remove(gone)
        for parent, step, mark in from_maps:
            with self.problems.unit():
                self._child(parent, step, mark)
                del parent.entries[step], parent.key_marks[step]

    def set(self, pointer: str, node: Node, mark: Mark) -> None:
        """Put a value in the place that the pointer names; a new key is added, a list grows by ``-`` alone."""
        parent, step, level = self._parent(pointer, mark)
        if level + _height(node) > MAX_DEPTH:
            self.problems.fail("too_deep", f"the payload would have more than {MAX_DEPTH} levels", mark)
        if isinstance(parent, MapNode):
            parent.entries[step] = node
            parent.key_marks[step] = mark
            return
        index = len(parent.items) if step == "-" else self._index(parent, step, mark)
        name = _id_of(node)
        if self._indexed(parent).at.get(name, index) != index:
            self.problems.fail("duplicate_id", f"the list has an item {shown(name)} already", mark, "set it by its id")
        self._indexed(parent).put(index, node, name)

    def _parent(self, pointer: str, mark: Mark) -> tuple[ListNode | MapNode, str, int]:
        """The collection in which the pointer's last step stands, that step, and the collection's level."""
        steps = self._steps(pointer, mark)
        node: Node = self.root.entries["value"]
        for step in steps[:-1]:
            node = self._child(node, step, mark)
        if isinstance(node, ScalarNode):
            self.problems.fail("bad_pointer", f"{shown(pointer)}: nothing stands below a scalar", mark)
        return node, steps[-1], _PAYLOAD_LEVEL + len(steps) - 1

    def _steps(self, pointer: str, mark: Mark) -> list[str]:
        bare = pointer.replace("~0", "").replace("~1", "")
        if not pointer.startswith("/") or len(pointer) > MAX_POINTER or "~" in bare:
            self.problems.fail("bad_pointer", f"{shown(pointer)} is no JSON Pointer", mark, "write it as /key/inner")
        return [step.replace("~1", "/").replace("~0", "~") for step in pointer[1:].split("/")]

    def _child(self, node: Node, step: str, mark: Mark) -> Node:
        if isinstance(node, ListNode):
            return node.items[self._index(node, step, mark)]
        if isinstance(node, ScalarNode):
            self.problems.fail("bad_pointer", f"nothing stands below a scalar ({shown(step)})", mark)
        if step not in node.entries:
            hint = did_you_mean(step, node.entries)
            self.problems.fail("bad_pointer", f"there is no {shown(step)} here", mark, hint)
        return node.entries[step]

    def _index(self, node: ListNode, step: str, mark: Mark) -> int:
        at = self._indexed(node).at
        index = at.get(step)
        if index == _TWICE:
            self.problems.fail("bad_pointer", f"two items of the list have the id {shown(step)}", mark)
        if index is not None:
            return index
        counted = step.isascii() and step.isdigit() and len(step) < 7 and str(int(step)) == step
        if counted and int(step) < len(node.items):
            return int(step)
        hint = did_you_mean(step, at) or f"it has {len(node.items)} items"
        self.problems.fail("bad_pointer", f"the list has no item {shown(step)}", mark, hint)

    def _indexed(self, node: ListNode) -> _Indexed:
        if id(node) not in self.lists:
            self.lists[id(node)] = _Indexed(node)
        return self.lists[id(node)]


class _Indexed:
    """A list and where the item of each id stands. Items are asked for their ids once, however often it is edited."""

    def __init__(self, node: ListNode) -> None:
        self.node = node
        self.names = [_id_of(item) for item in node.items]
        self.at: dict[str, int] = {}
        self._find()

    def remove(self, gone: set[int]) -> None:
        kept = [index not in gone for index in range(len(self.names))]
        self.node.items[:] = compress(self.node.items, kept)
        self.names = list(compress(self.names, kept))
        self._find()

    def put(self, index: int, node: Node, name: str) -> None:
        """Replace an item, or append one at the end."""
        previous = self.names[index : index + 1]
        self.node.items[index : index + 1] = [node]
        self.names[index : index + 1] = [name]
        if previous and self.at.get(previous[0]) == _TWICE:
            self._find()
            return
        for old in previous:
            self.at.pop(old, None)
        if name:
            self.at[name] = index

    def _find(self) -> None:
        self.at = dict(zip(self.names, range(len(self.names)), strict=True))
        self.at.pop("", None)
        if len(self.at) != len(self.names) - self.names.count(""):
            repeated = Counter(self.names)
            self.at |= {name: _TWICE for name in self.at if repeated[name] > 1}


def _id_of(node: Node) -> str:
    named = node.entries.get("id") if isinstance(node, MapNode) else None
    return named.value if isinstance(named, ScalarNode) and isinstance(named.value, str) else ""


def _height(node: Node) -> int:
    """The levels of collections that a value has; it was read, so they are few."""
    if isinstance(node, ScalarNode):
        return 0
    parts = node.items if isinstance(node, ListNode) else node.entries.values()
    return 1 + max(map(_height, parts), default=0)
