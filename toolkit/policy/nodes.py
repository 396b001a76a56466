"""YAML bytes to a tree of places and JSON values, hardened on the event stream before anything is composed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from toolkit.policy.problems import Flawed, Mark, Problems, shown
from toolkit.policy.scalars import AmbiguousScalar, Scalar, is_unicode, resolve_plain

MAX_BYTES = 1024 * 1024
MAX_DEPTH = 64


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


def read_yaml(data: bytes, file: str, problems: Problems) -> Node:
    """One YAML document as a tree. Records what is not allowed, and raises ``Flawed`` where there was anything.

    Refused: more than 1 MiB or 64 levels, other encodings than UTF-8, characters that YAML 1.1 and 1.2 read
    differently, directives, a second document, tags, anchors, aliases, merge keys, keys that are not text, duplicate
    keys, ambiguous plain scalars.
    """
    if len(data) > MAX_BYTES:
        problems.fail("too_large", f"the file has {len(data)} bytes; at most {MAX_BYTES} are read", Mark(file, 0, 0))
    try:
        text = data.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as fault:
        mark = Mark(file, data.count(b"\n", 0, fault.start) + 1, fault.start - data.rfind(b"\n", 0, fault.start))
        problems.fail("not_utf8", f"byte {fault.start} is not UTF-8", mark, "save the file as UTF-8")
    odd = _odd_character().search(text)
    if odd is not None:
        at = odd.start()
        mark = Mark(file, text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at))
        message = f"the character U+{ord(odd[0]):04X} is refused by YAML, or read differently by its versions"
        problems.fail("bad_character", message, mark, 'write it as an escape in double quotes, e.g. "\\u2028"')
    return _Composer(file, problems).compose(text)


@cache
def _odd_character() -> re.Pattern[str]:
    # NEL, LS and PS end a line in YAML 1.1 and do not in YAML 1.2: a comment could end where nobody sees it.
    return re.compile("[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


class _Composer:
    """Builds the tree from the parser's events, iteratively: depth is counted, never trusted."""

    def __init__(self, file: str, problems: Problems) -> None:
        self.file = file
        self.problems = problems
        self.stack: list[ListNode | MapNode] = []
        self.keys: list[str | None] = []  # the key that waits for its value, for each open mapping
        self.key_places: list[Mark] = []
        self.root: Node | None = None

    def compose(self, text: str) -> Node:
        import yaml

        before = len(self.problems.found)
        start = Mark(self.file, 1, 1)
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        try:
            for event in yaml.parse(text, Loader=loader):
                self._take(event, yaml)
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
            self.problems.fail("empty", "the file holds no document", start, "begin with: policy: v1")
        return self.root

    def _take(self, event: Any, yaml: Any) -> None:
        if isinstance(event, yaml.ScalarEvent):
            self._scalar(event, self._checked(event))
        elif isinstance(event, (yaml.SequenceStartEvent, yaml.MappingStartEvent)):
            self._open(isinstance(event, yaml.MappingStartEvent), self._checked(event))
        elif isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
            self._close()
        elif isinstance(event, yaml.AliasEvent):
            self.problems.add("alias", f"aliases are not allowed (*{event.anchor})", self._mark(event), "write it out")
            self._put(None, self._mark(event))
        elif isinstance(event, yaml.DocumentStartEvent):
            self._document_start(event)

    def _document_start(self, event: Any) -> None:
        if event.version or event.tags:
            self.problems.add("directive", "YAML directives are not allowed", self._mark(event), "remove the % line")
        if self.root is not None:
            self.problems.fail("second_document", "a file holds one document", self._mark(event), "split the file")

    def _mark(self, event: Any) -> Mark:
        return Mark(self.file, event.start_mark.line + 1, event.start_mark.column + 1)

    def _checked(self, event: Any) -> Mark:
        mark = self._mark(event)
        if event.anchor is not None:
            self.problems.add("anchor", f"anchors are not allowed (&{event.anchor})", mark, "write it out")
        if event.tag is not None:
            self.problems.add("tag", f"tags are not allowed ({event.tag})", mark, "remove the tag")
        return mark

    def _open(self, is_map: bool, mark: Mark) -> None:
        if len(self.stack) >= MAX_DEPTH:
            self.problems.fail("too_deep", f"more than {MAX_DEPTH} levels", mark)
        node: ListNode | MapNode = MapNode({}, {}, mark) if is_map else ListNode([], mark)
        if self._awaits_key():
            self.problems.add("key_not_text", "a key must be text", mark)
            self.keys[-1] = ""
        else:
            self._attach(node)
        self.stack.append(node)
        self.keys.append(None)
        self.key_places.append(mark)

    def _close(self) -> None:
        self.stack.pop()
        self.keys.pop()
        self.key_places.pop()

    def _awaits_key(self) -> bool:
        return bool(self.stack) and isinstance(self.stack[-1], MapNode) and self.keys[-1] is None

    def _put(self, value: Scalar, mark: Mark) -> None:
        """A stand-in for what was refused, so that the events after it still find their places."""
        if self._awaits_key():
            self.keys[-1] = ""
        else:
            self._attach(ScalarNode(value, mark))

    def _scalar(self, event: Any, mark: Mark) -> None:
        value = self._value(event, mark)
        if not self._awaits_key():
            self._attach(ScalarNode(value, mark))
            return
        if not isinstance(value, str):
            self.problems.add("key_not_text", f"the key {event.value} must be text", mark, "quote it")
            value = str(event.value)
        parent = self.stack[-1]
        assert isinstance(parent, MapNode)
        if value in parent.entries:
            first = parent.key_marks[value].line
            self.problems.add("duplicate_key", f"the key {shown(value)} stands twice; first at line {first}", mark)
        self.keys[-1] = value
        self.key_places[-1] = mark

    def _value(self, event: Any, mark: Mark) -> Scalar:
        if event.style:
            if not is_unicode(event.value):
                self.problems.add("bad_character", "a lone surrogate is no character", mark)
            return str(event.value)
        if event.value == "<<" and self._awaits_key():
            self.problems.add("merge_key", "merge keys are not allowed", mark, "write the keys out")
            return "<<"
        try:
            return resolve_plain(event.value)
        except AmbiguousScalar as fault:
            subject = f"{event.value[:40]} unquoted" if event.value else "an empty value"
            message = f"{subject} may be read as {fault.kind}"
            self.problems.add("ambiguous_scalar", message, mark, "quote it, or write JSON's true, false, null, digits")
            return str(event.value)

    def _attach(self, node: Node) -> None:
        if not self.stack:
            self.root = node
            return
        parent = self.stack[-1]
        if isinstance(parent, ListNode):
            parent.items.append(node)
            return
        key = self.keys[-1]
        assert key is not None
        parent.entries[key] = node
        parent.key_marks[key] = self.key_places[-1]
        self.keys[-1] = None
