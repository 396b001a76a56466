"""Entries as JSON records, for a cache: a checked set is made again from them without reading YAML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolkit.policy.documents.effective import Entry
from toolkit.policy.documents.heads import Head
from toolkit.policy.documents.overlays import BroughtCases
from toolkit.policy.layers import Edit
from toolkit.policy.problems import Mark
from toolkit.policy.syntax.items import ITEMS
from toolkit.policy.syntax.nodes import ListNode, MapNode, Node, node_of, part_at, parts_of, plain

Steps = tuple[str | int, ...]


def marked_parts(entry: Entry) -> Iterator[tuple[Steps, Node]]:
    """The parts of a tree whose place is worth keeping: named parts, and whatever an overlay put into a payload."""
    kind = ITEMS.get(entry.head.kind)
    if kind is not None:
        listed = entry.node.entries.get(kind.list)
        for index, item in enumerate(listed.items if isinstance(listed, ListNode) else ()):
            yield (kind.list, index), item
    elif entry.edits:
        yield from _foreign(entry.node, ())


def _foreign(node: Node, path: Steps) -> Iterator[tuple[Steps, Node]]:
    """The topmost parts that stand in another file than what is around them."""
    for step, part in parts_of(node):
        if part.mark.file != node.mark.file:
            yield (*path, step), part
        yield from _foreign(part, (*path, step))


def record_of(entry: Entry) -> dict[str, Any]:
    """The JSON record from which ``StoredEntries`` makes the entry again, with the places that decisions name."""
    return {
        "cases": [
            [one.overlay, one.layer, [[list(node.mark), plain(node)] for node in one.nodes]] for one in entry.cases
        ],
        "content": plain(entry.node),
        "edits": [list(edit) for edit in entry.edits],
        "layer": entry.head.layer,
        "place": list(entry.head.mark),
        "places": [[list(path), list(node.mark)] for path, node in marked_parts(entry)],
        "version": entry.head.version,
    }


class StoredEntries(Mapping[str, Entry]):
    """Entries from the JSON records of a checked set; a tree is built when its document is first asked for."""

    def __init__(self, records: Mapping[str, Any]) -> None:
        self._records = records
        self._built: dict[str, Entry] = {}

    def __getitem__(self, identity: str) -> Entry:
        if identity not in self._built:
            self._built[identity] = _entry(identity, self._records[identity])
        return self._built[identity]

    def kind_of(self, identity: str) -> str | None:
        """The kind of a document, or null where there is none of that id."""
        return self._records[identity]["content"]["kind"] if identity in self._records else None

    def content_of(self, identity: str) -> Mapping[str, Any]:
        """The JSON content of a document, as it was stored."""
        content: Mapping[str, Any] = self._records[identity]["content"]
        return content

    def __iter__(self) -> Iterator[str]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)


def _entry(identity: str, record: Mapping[str, Any]) -> Entry:
    content = record["content"]
    mark = Mark(*record["place"])
    head = Head(
        content["kind"], identity, record["version"], content["title"], content.get("source", ""), record["layer"], mark
    )
    node = node_of(content, mark)
    assert isinstance(node, MapNode)
    for path, place in record["places"]:
        _move(part_at(node, path), Mark(*place))
    cases = tuple(
        BroughtCases(overlay, layer, tuple(node_of(case, Mark(*place)) for place, case in nodes))
        for overlay, layer, nodes in record["cases"]
    )
    return Entry(head, node, tuple(Edit(*edit) for edit in record["edits"]), cases)


def _move(node: Node, mark: Mark) -> None:
    """Give a part and all that is in it the place of its beginning."""
    node.mark = mark
    if isinstance(node, MapNode):
        node.key_marks = dict.fromkeys(node.key_marks, mark)
    for _step, part in parts_of(node):
        _move(part, mark)
