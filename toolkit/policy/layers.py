"""From the files of all layers to the effective documents: one entry an id, with the overlays that edited it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from toolkit.policy.documents import Head, read_head
from toolkit.policy.nodes import MapNode, node_of, try_read
from toolkit.policy.overlays import Overlay, apply_overlay, read_overlay
from toolkit.policy.problems import Mark, Problems, did_you_mean

MAX_DOCUMENTS = 1000
SHIPPED, REPOSITORY = LAYERS = ("shipped", "repository")
OWN_PACK = "repo"  # the pack of the documents and overlays that a repository ships


@dataclass(frozen=True, slots=True)
class Source:
    """The bytes of one policy file, its name for messages, and the layer to which it belongs."""

    file: str
    data: bytes
    layer: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One effective document: its head (version with overlay suffixes), its tree, the overlays that edited it."""

    head: Head
    node: MapNode
    overlays: tuple[str, ...] = ()


def read_entries(sources: Iterable[Source], problems: Problems) -> dict[str, Entry]:
    """Read every file, then apply the overlays in order of layer and id. Every fault is recorded."""
    entries: dict[str, Entry] = {}
    overlays: list[Overlay] = []
    for count, source in enumerate(sources, start=1):
        if count > MAX_DOCUMENTS:
            message = f"a set has at most {MAX_DOCUMENTS} documents"
            problems.add("too_many_documents", message, Mark(source.file, 0, 0))
            break
        with problems.within(""), problems.unit():
            _read_source(source, entries, overlays, problems)
    for overlay in sorted(overlays, key=lambda one: (LAYERS.index(one.head.layer), one.head.id)):
        with problems.within(overlay.head.id), problems.unit():
            _apply(overlay, entries, problems)
    return entries


def _read_source(source: Source, entries: dict[str, Entry], overlays: list[Overlay], problems: Problems) -> None:
    node = try_read(source.data, source.file, problems)
    if node is None:
        return
    head, form = read_head(node, source.layer, problems)
    named = [entry.head for entry in entries.values()] + [overlay.head for overlay in overlays]
    for other in named:
        if other.id == head.id:
            message = f"the id {head.id} is taken by {other.mark.file}"
            problems.fail("duplicate_id", message, form.need("id").mark, "edit another layer's document by an overlay")
    if source.layer != SHIPPED and head.pack != OWN_PACK:
        message = f"a repository's own documents and overlays are of the pack {OWN_PACK!r}, not {head.pack!r}"
        problems.fail("foreign_pack", message, form.need("id").mark, f"call it {OWN_PACK}.{head.id.split('.', 1)[1]}")
    if head.kind == "overlay":
        overlays.append(read_overlay(head, form, problems))
    else:
        assert isinstance(node, MapNode)
        entries[head.id] = Entry(head, node)


def _apply(overlay: Overlay, entries: dict[str, Entry], problems: Problems) -> None:
    entry = entries.get(overlay.base)
    if entry is None:
        hint = did_you_mean(overlay.base, entries)
        problems.fail("unknown_document", f"there is no document {overlay.base[:100]!r}", overlay.base_mark, hint)
    apply_overlay(overlay, entry.head, entry.node, problems)
    suffix = f"{overlay.head.id}@{overlay.head.version}"
    joint = "." if "+" in entry.head.version else "+"
    head = replace(entry.head, version=f"{entry.head.version}{joint}{suffix}")
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
            mark = Mark(record["file"], record["line"], 1)
            head = Head(
                content["kind"], identity, record["version"], content["title"], content.get("source", ""),
                record["layer"], mark,
            )  # fmt: skip
            node = node_of(content, mark)
            assert isinstance(node, MapNode)
            self._built[identity] = Entry(head, node, tuple(record["overlays"]))
        return self._built[identity]

    def __iter__(self) -> Iterator[str]:
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)


def record_of(entry: Entry) -> dict[str, Any]:
    """The JSON record from which ``StoredEntries`` makes the entry again."""
    from toolkit.policy.nodes import plain

    return {
        "content": plain(entry.node),
        "file": entry.head.mark.file,
        "layer": entry.head.layer,
        "line": entry.head.mark.line,
        "overlays": list(entry.overlays),
        "version": entry.head.version,
    }
