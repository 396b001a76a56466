"""Editing a payload by JSON Pointer (RFC 6901): a pointer names one thing that is there, or one place for a new one.

A step into a list is the ``id`` of one of its items, so that an entry is named and not counted, or an index, or ``-``
(append, when setting). An id goes before an index.
"""

from __future__ import annotations

from collections import Counter
from itertools import compress

from toolkit.policy.problems import Mark, Problems, did_you_mean, shown
from toolkit.policy.syntax.nodes import MAX_DEPTH, ListNode, MapNode, Node, ScalarNode

MAX_POINTER = 1000  # characters
ID = "id"  # the key by which an item of a list is named
_ID_OF_ITEM = 2  # steps from a list to the id of one of its items
_PAYLOAD_LEVEL = 2  # the document's mapping is the first level, its payload the second
_TWICE = -1

_Place = tuple[ListNode, int]


def escaped(step: str) -> str:
    """A step as a pointer spells it."""
    return step.replace("~", "~0").replace("/", "~1")


def _unescaped(step: str) -> str:
    return step.replace("~1", "/").replace("~0", "~")


class Editor:
    """Edits the payload of one document, for every overlay of it."""

    def __init__(self, root: MapNode, problems: Problems) -> None:
        self.root = root
        self.problems = problems
        self.lists: dict[int, _Indexed] = {}  # by identity; each holds its list, so the identity stays its own

    def remove_all(self, pointers: tuple[tuple[str, Mark], ...]) -> None:
        """Remove what the pointers name, all of them in the payload as it was: an index does not shift meanwhile."""
        from_lists: dict[int, tuple[ListNode, set[int]]] = {}
        from_maps: list[tuple[MapNode, str, Mark, _Place | None]] = []
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
                    from_maps.append((parent, step, mark, self._named_place(pointer, mark)))
        for parent, step, mark, place in from_maps:
            with self.problems.unit():
                self._child(parent, step, mark)
                del parent.entries[step], parent.key_marks[step]
                if place is not None:
                    self._indexed(place[0]).put(place[1], parent, "")
        for node, gone in from_lists.values():
            self._indexed(node).remove(gone)

    def set(self, pointer: str, node: Node, mark: Mark) -> None:
        """Put a value in the place that the pointer names; a new key is added, a list grows by ``-`` alone."""
        parent, step, level = self._parent(pointer, mark)
        if level + _height(node) > MAX_DEPTH:
            self.problems.fail("too_deep", f"the payload would have more than {MAX_DEPTH} levels", mark)
        if isinstance(parent, ListNode):
            index = len(parent.items) if step == "-" else self._index(parent, step, mark)
            self._put((parent, index), node, _id_of(node), mark)
            return
        place = self._named_place(pointer, mark)
        if place is not None:
            self._put(place, parent, _text_of(node), mark)
        parent.entries[step] = node
        parent.key_marks[step] = mark

    def _put(self, place: _Place, node: Node, name: str, mark: Mark) -> None:
        """Put an item, whose id is ``name``, into its place in a list: no other one there has that id."""
        listed, index = place
        if self._indexed(listed).at.get(name, index) != index:
            self.problems.fail("duplicate_id", f"the list has an item {shown(name)} already", mark, "set it by its id")
        self._indexed(listed).put(index, node, name)

    def _named_place(self, pointer: str, mark: Mark) -> _Place | None:
        """The list, and the place in it, of the item whose id the pointer names; null where it names no item's id."""
        steps = self._steps(pointer, mark)
        if len(steps) < _ID_OF_ITEM or steps[-1] != ID:
            return None
        node: Node = self.root.entries["value"]
        for step in steps[:-2]:
            node = self._child(node, step, mark)
        return (node, self._index(node, steps[-2], mark)) if isinstance(node, ListNode) else None

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
        return [_unescaped(step) for step in pointer[1:].split("/")]

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
    named = node.entries.get(ID) if isinstance(node, MapNode) else None
    return "" if named is None else _text_of(named)


def _text_of(node: Node) -> str:
    """The text that a node is, or nothing."""
    return node.value if isinstance(node, ScalarNode) and isinstance(node.value, str) else ""


def _height(node: Node) -> int:
    """The levels of collections that a value has; it was read, so they are few."""
    if isinstance(node, ScalarNode):
        return 0
    parts = node.items if isinstance(node, ListNode) else node.entries.values()
    return 1 + max(map(_height, parts), default=0)
