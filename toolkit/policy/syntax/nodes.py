"""YAML bytes to a tree of places and JSON values, hardened on the event stream before anything is composed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from toolkit.policy.problems import Flawed, Mark, Problems, shown
from toolkit.policy.syntax.scalars import AmbiguousScalar, Scalar, is_unicode, resolve_plain

MAX_BYTES = 1024 * 1024
MAX_DEPTH = 64
MAX_NODES = 600_000  # of all files of a set: two bytes make a node, which takes a hundred times as much memory


class NodeBudget:
    """The nodes that may still be made of the files of a set: keys, values and collections."""

    def __init__(self) -> None:
        self.left = MAX_NODES


@dataclass(slots=True)
class ScalarNode:
    """A leaf: a JSON scalar and its place."""

    value: Scalar
    mark: Mark


@dataclass(slots=True)
class ListNode:
    """A sequence."""

    items: list[Node]
    mark: Mark


@dataclass(slots=True)
class MapNode:
    """A mapping with text keys; ``key_marks`` holds each key's own place."""

    entries: dict[str, Node]
    key_marks: dict[str, Mark]
    mark: Mark


Node = ScalarNode | ListNode | MapNode


def plain(node: Node) -> Any:
    """The JSON value of a tree, without its places."""
    if isinstance(node, ScalarNode):
        return node.value
    if isinstance(node, ListNode):
        return [plain(item) for item in node.items]
    return {key: plain(value) for key, value in node.entries.items()}


def node_of(value: Any, mark: Mark) -> Node:
    """A tree from a JSON value that was read and validated before; every part bears the same place."""
    if isinstance(value, Mapping):
        return MapNode({k: node_of(v, mark) for k, v in value.items()}, dict.fromkeys(value, mark), mark)
    if isinstance(value, (list, tuple)):
        return ListNode([node_of(item, mark) for item in value], mark)
    return ScalarNode(value, mark)


def parts_of(node: Node) -> Iterable[tuple[str | int, Node]]:
    """The parts of a collection with their keys or indexes; a leaf has none."""
    if isinstance(node, MapNode):
        return node.entries.items()
    return enumerate(node.items) if isinstance(node, ListNode) else ()


def part_at(node: Node, path: Iterable[str | int]) -> Node:
    """The part that a path of keys and indexes names; where that leads on to nothing, what is there still."""
    for step in path:
        if isinstance(node, MapNode) and isinstance(step, str) and step in node.entries:
            node = node.entries[step]
        elif isinstance(node, ListNode) and isinstance(step, int) and step < len(node.items):
            node = node.items[step]
    return node


def copied(node: Node) -> Node:
    """A tree of its own with the same values and places, for whoever edits it."""
    if isinstance(node, ScalarNode):
        return node  # nobody edits a leaf in place
    if isinstance(node, ListNode):
        return ListNode([copied(item) for item in node.items], node.mark)
    entries = {key: copied(value) for key, value in node.entries.items()}
    return MapNode(entries, dict(node.key_marks), node.mark)


def read_yaml(
    data: bytes, file: str, problems: Problems, budget: NodeBudget | None = None, *, begin: str | None = None
) -> Node:
    """One YAML document as a tree. Records what is not allowed, and raises ``Flawed`` where there was anything.

    ``budget`` is that of the set; a file that stands alone has one of its own. ``begin`` is what an empty file is told
    to begin with.

    Refused: more than 1 MiB, 64 levels or 600,000 nodes, other encodings than UTF-8, characters that YAML 1.1 and 1.2
    read differently, directives, a second document, tags, anchors, aliases, merge keys, keys that are not text,
    duplicate keys, ambiguous plain scalars.
    """
    if len(data) > MAX_BYTES:
        problems.fail("too_large", f"the file has {len(data)} bytes; at most {MAX_BYTES} are read", Mark(file, 0, 0))
    try:
        text = data.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as fault:
        mark = Mark(file, data.count(b"\n", 0, fault.start) + 1, fault.start - data.rfind(b"\n", 0, fault.start))
        problems.fail("not_utf8", f"byte {fault.start} is not UTF-8", mark, "save the file as UTF-8")
    odd = odd_character().search(text)
    if odd is not None:
        at = odd.start()
        mark = Mark(file, text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at))
        message = f"the character U+{ord(odd[0]):04X} is refused by YAML, or read differently by its versions"
        problems.fail("bad_character", message, mark, 'write it as an escape in double quotes, e.g. "\\u2028"')
    return _Composer(file, problems, budget or NodeBudget()).compose(text, begin)


@cache
def odd_character() -> re.Pattern[str]:
    # NEL, LS and PS end a line in YAML 1.1 and do not in YAML 1.2: a comment could end where nobody sees it.
    return re.compile("[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


class _Composer:
    """Builds the tree from the parser's events, iteratively: depth is counted, never trusted.

    ``parent`` is the collection that is open, ``key`` the key of an open mapping that waits for its value; ``outer``
    keeps both for each collection around it.
    """

    def __init__(self, file: str, problems: Problems, budget: NodeBudget) -> None:
        self.file = file
        self.problems = problems
        self.budget = budget
        self.root: Node | None = None
        self.parent: ListNode | MapNode | None = None
        self.key: str | None = None
        self.key_mark = Mark(file, 1, 1)
        self.outer: list[tuple[ListNode | MapNode | None, str | None, Mark]] = []

    def compose(self, text: str, begin: str | None) -> Node:
        import yaml

        before = len(self.problems.found)
        start = Mark(self.file, 1, 1)
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        handlers = self._handlers(yaml)
        try:
            for event in yaml.parse(text, Loader=loader):
                handler = handlers.get(type(event))
                if handler is not None:
                    handler(event)
        except yaml.MarkedYAMLError as fault:
            where = fault.problem_mark or fault.context_mark
            mark = Mark(self.file, where.line + 1, where.column + 1) if where else start
            self.problems.fail("yaml_syntax", fault.problem or "not YAML", mark)
        except (yaml.YAMLError, ValueError, OverflowError) as fault:
            # The loader in pure Python has no place for an escape that names no character.
            self.problems.fail("yaml_syntax", f"not YAML: {fault}", start)
        if len(self.problems.found) > before:
            raise Flawed
        if self.root is None:
            self.problems.fail("empty", "the file holds no document", start, f"begin with: {begin}" if begin else None)
        return self.root

    def _handlers(self, yaml: Any) -> dict[type, Callable[[Any], None]]:
        """What to do by the type of an event; the others say nothing about the tree."""
        return {
            yaml.ScalarEvent: self._scalar,
            yaml.SequenceStartEvent: self._open_list,
            yaml.MappingStartEvent: self._open_map,
            yaml.SequenceEndEvent: self._close,
            yaml.MappingEndEvent: self._close,
            yaml.AliasEvent: self._alias,
            yaml.DocumentStartEvent: self._document_start,
        }

    def _document_start(self, event: Any) -> None:
        if event.version or event.tags:
            self.problems.add("directive", "YAML directives are not allowed", self._mark(event), "remove the % line")
        if self.root is not None:
            self.problems.fail("second_document", "a file holds one document", self._mark(event), "split the file")

    def _count(self, mark: Mark) -> None:
        self.budget.left -= 1
        if self.budget.left < 0:
            message = f"the files of a set have at most {MAX_NODES} keys and values together"
            self.problems.fail("too_many_nodes", message, mark, "what is so large is no policy: keep it elsewhere")

    def _mark(self, event: Any) -> Mark:
        start = event.start_mark
        return Mark(self.file, start.line + 1, start.column + 1)

    def _refuse_properties(self, event: Any, mark: Mark) -> None:
        if event.anchor is not None:
            self.problems.add("anchor", f"anchors are not allowed (&{event.anchor})", mark, "write it out")
        if event.tag is not None:
            self.problems.add("tag", f"tags are not allowed ({event.tag})", mark, "remove the tag")

    def _alias(self, event: Any) -> None:
        mark = self._mark(event)
        self.problems.add("alias", f"aliases are not allowed (*{event.anchor})", mark, "write it out")
        if self.key is None and type(self.parent) is MapNode:
            self.key = ""  # a stand-in, so that the events after it still find their places
        else:
            self._attach(ScalarNode(None, mark))

    def _open_list(self, event: Any) -> None:
        self._open(ListNode([], self._mark(event)), event)

    def _open_map(self, event: Any) -> None:
        self._open(MapNode({}, {}, self._mark(event)), event)

    def _open(self, node: ListNode | MapNode, event: Any) -> None:
        self._refuse_properties(event, node.mark)
        if len(self.outer) >= MAX_DEPTH:
            self.problems.fail("too_deep", f"more than {MAX_DEPTH} levels", node.mark)
        if self.key is None and type(self.parent) is MapNode:
            self.problems.add("key_not_text", "a key must be text", node.mark)
            self.key = ""
        else:
            self._attach(node)
        self.outer.append((self.parent, self.key, self.key_mark))
        self.parent, self.key = node, None

    def _close(self, _event: Any) -> None:
        self.parent, self.key, self.key_mark = self.outer.pop()

    def _scalar(self, event: Any) -> None:
        mark = self._mark(event)
        if event.anchor is not None or event.tag is not None:
            self._refuse_properties(event, mark)
        value: Scalar = event.value
        if not event.style:
            value = self._plain(event.value, mark)
        elif not is_unicode(event.value):
            self.problems.add("bad_character", "a lone surrogate is no character", mark)
        if self.key is None and type(self.parent) is MapNode:
            self._take_key(value, event, mark)
        else:
            self._attach(ScalarNode(value, mark))

    def _take_key(self, value: Scalar, event: Any, mark: Mark) -> None:
        self._count(mark)
        parent = self.parent
        assert type(parent) is MapNode
        if type(value) is not str:
            self.problems.add("key_not_text", f"the key {event.value} must be text", mark, "quote it")
            value = str(event.value)
        elif value == "<<" and not event.style:
            self.problems.add("merge_key", "merge keys are not allowed", mark, "write the keys out")
        if value in parent.entries:
            first = parent.key_marks[value].line
            self.problems.add("duplicate_key", f"the key {shown(value)} stands twice; first at line {first}", mark)
        self.key = value
        self.key_mark = mark

    def _plain(self, text: str, mark: Mark) -> Scalar:
        if text == "<<" and self.key is None and type(self.parent) is MapNode:
            return text  # a merge key, which is refused by its own name
        try:
            return resolve_plain(text)
        except AmbiguousScalar as fault:
            subject = f"{text[:40]} unquoted" if text else "an empty value"
            message = f"{subject} may be read as {fault.kind}"
            self.problems.add("ambiguous_scalar", message, mark, "quote it, or write JSON's true, false, null, digits")
            return text

    def _attach(self, node: Node) -> None:
        self._count(node.mark)
        parent = self.parent
        if type(parent) is MapNode:
            key = self.key
            assert key is not None
            parent.entries[key] = node
            parent.key_marks[key] = self.key_mark
            self.key = None
        elif type(parent) is ListNode:
            parent.items.append(node)
        else:
            self.root = node
