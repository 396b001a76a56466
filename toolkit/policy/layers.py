"""From the files of all layers to the effective documents: one entry an id, with the overlays that edited it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from toolkit.policy.documents import Head, read_head
from toolkit.policy.nodes import ListNode, MapNode, Node, node_of, plain, read_yaml
from toolkit.policy.overlays import Overlay, apply_overlay, read_overlay
from toolkit.policy.pointers import Editor
from toolkit.policy.problems import Mark, Problems, did_you_mean, shown

MAX_DOCUMENTS = 1000
MAX_SET_BYTES = 16 * 1024 * 1024  # of all files together; a thousand files of the largest size would fill any memory
SHIPPED, REPOSITORY = LAYERS = ("shipped", "repository")
OWN_PACK = "repo"  # the pack of the documents and overlays that a repository ships


class Source(NamedTuple):
    """The bytes of one policy file, its name for messages, and the layer to which it belongs."""

    file: str
    data: bytes
    layer: str


class Entry(NamedTuple):
    """One effective document: its head (version with overlay suffixes), its tree, the overlays that edited it."""

    head: Head
    node: MapNode
    overlays: tuple[str, ...] = ()


def read_entries(sources: Iterable[Source], problems: Problems) -> dict[str, Entry]:
    """Read every file, then apply the overlays in order of layer and id. Every fault is recorded."""
    read = _Read({}, [], {})
    size = 0
    for count, source in enumerate(sources, start=1):
        size += len(source.data)
        with problems.within(""):
            if count > MAX_DOCUMENTS:
                problems.add("too_many_documents", f"a set has at most {MAX_DOCUMENTS} files", Mark(source.file, 0, 0))
                break
            if size > MAX_SET_BYTES:
                problems.add("set_too_large", f"a set has at most {MAX_SET_BYTES} bytes", Mark(source.file, 0, 0))
                break
            _read_source(source, read, problems)
    editors: dict[str, Editor] = {}
    for overlay in sorted(read.overlays, key=lambda one: (LAYERS.index(one.head.layer), one.head.id)):
        with problems.within(overlay.head.id):
            _apply(overlay, read.entries, editors, problems)
    return read.entries


class _Read(NamedTuple):
    """What was read so far; ``heads`` are those of documents and overlays alike."""

    entries: dict[str, Entry]
    overlays: list[Overlay]
    heads: dict[str, Head]


def _read_source(source: Source, read: _Read, problems: Problems) -> None:
    node = read_yaml(source.data, source.file, problems)
    head, form = read_head(node, source.layer, problems)
    taken = read.heads.setdefault(head.id, head)
    if taken is not head:
        message = f"the id {head.id} is taken by {taken.mark.file}"
        hint = "edit another layer's document by an overlay"
        problems.fail("duplicate_id", message, form.need("id").mark, hint)
    if source.layer != SHIPPED and head.pack != OWN_PACK:
        message = f"a repository's own documents and overlays are of the pack {OWN_PACK!r}, not {head.pack!r}"
        hint = f"call it {OWN_PACK}.{head.id.split('.', 1)[1]}"
        problems.fail("foreign_pack", message, form.need("id").mark, hint)
    if head.kind == "overlay":
        read.overlays.append(read_overlay(head, form, problems))
    else:
        read.entries[head.id] = Entry(head, form.node)


def _apply(overlay: Overlay, entries: dict[str, Entry], editors: dict[str, Editor], problems: Problems) -> None:
    entry = entries.get(overlay.base)
    if entry is None:
        hint = did_you_mean(overlay.base, entries)
        problems.fail("unknown_document", f"there is no document {shown(overlay.base)}", overlay.base_mark, hint)
    editor = editors.setdefault(overlay.base, Editor(entry.node, problems))
    apply_overlay(overlay, entry.head, editor, problems)
    suffix = f"{overlay.head.id}@{overlay.head.version}"
    joint = "." if "+" in entry.head.version else "+"
    head = entry.head._replace(version=f"{entry.head.version}{joint}{suffix}")
    entries[overlay.base] = Entry(head, entry.node, (*entry.overlays, overlay.head.mark.file))


class StoredEntries(Mapping[str, Entry]):
    """Entries from the JSON records of a checked set; a tree is built when its document is first asked for."""

    def __init__(self, records: Mapping[str, Any]) -> None:
        self._records = records
        self._built: dict[str, Entry] = {}

    def __getitem__(self, identity: str) -> Entry:
        if identity not in self._built:
            record = self._records[identity]
            content = record["content"]
            mark = Mark(record["file"], *record["place"])
            head = Head(
                content["kind"], identity, record["version"], content["title"], content.get("source", ""),
                record["layer"], mark,
            )  # fmt: skip
            node = node_of(content, mark)
            assert isinstance(node, MapNode)
            for row, place in zip(_rows_of(node), record["rows"], strict=True):
                row.mark = Mark(record["file"], *place)
            self._built[identity] = Entry(head, node, tuple(record["overlays"]))
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


def record_of(entry: Entry) -> dict[str, Any]:
    """The JSON record from which ``StoredEntries`` makes the entry again, with the places that decisions name."""
    return {
        "content": plain(entry.node),
        "file": entry.head.mark.file,
        "layer": entry.head.layer,
        "overlays": list(entry.overlays),
        "place": entry.head.mark[1:],
        "rows": [row.mark[1:] for row in _rows_of(entry.node)],
        "version": entry.head.version,
    }


def _rows_of(node: MapNode) -> list[Node]:
    rows = node.entries.get("rows")
    return rows.items if isinstance(rows, ListNode) else []
