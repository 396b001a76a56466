"""From the files of all layers to the effective documents: one entry an id, with the overlays that edited it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from toolkit.policy.documents.heads import LANGUAGE, Head, read_head
from toolkit.policy.documents.overlays import (
    BroughtCases,
    Overlay,
    apply_to_items,
    apply_to_payload,
    check_base,
    item_editor,
    read_overlay,
)
from toolkit.policy.layers import LAYERS, MAX_DOCUMENTS, MAX_SET_BYTES, OWN_PACKS, Edit, Source
from toolkit.policy.problems import Mark, Problems, did_you_mean, shown
from toolkit.policy.syntax.items import ITEMS, ItemEditor
from toolkit.policy.syntax.nodes import MapNode, NodeBudget, copied, read_yaml
from toolkit.policy.syntax.pointers import Editor


class Entry(NamedTuple):
    """One effective document: its head (version with overlay suffixes), its tree, the overlays that edited it.

    ``cases`` are those that overlays bring, also one that edits nothing; the document's own stand in its tree.
    """

    head: Head
    node: MapNode
    edits: tuple[Edit, ...] = ()
    cases: tuple[BroughtCases, ...] = ()

    @property
    def overlays(self) -> tuple[str, ...]:
        """The files of the overlays, in the order in which they were applied."""
        return tuple(edit.file for edit in self.edits)

    def edit_at(self, mark: Mark) -> Edit | None:
        """The overlay from which the part at this place comes, or null where the document itself says it."""
        return next((edit for edit in self.edits if edit.file == mark.file), None)


class Files(NamedTuple):
    """The documents and overlays of a set as they stand in their files, nothing applied."""

    documents: Mapping[str, Entry]
    overlays: tuple[Overlay, ...]

    def uses(self, layer: str) -> bool:
        """Whether the layer edits anything, asks any case, or has documents of its own. To pin is none of these."""
        edits = any(one.head.layer == layer and (one.edits or one.cases) for one in self.overlays)
        return edits or any(entry.head.layer == layer for entry in self.documents.values())


def read_files(sources: Iterable[Source], problems: Problems) -> Files:
    """Read every file of a set. Every fault is recorded."""
    read = _Reader({}, [], {}, NodeBudget(), problems)
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
            read.source(source)
        if read.budget.left < 0:
            break
    overlays = sorted(read.overlays, key=lambda one: (LAYERS.index(one.head.layer), one.head.id))
    return Files(read.documents, tuple(overlays))


class _Reader(NamedTuple):
    """What was read so far; ``heads`` are those of documents and overlays alike."""

    documents: dict[str, Entry]
    overlays: list[Overlay]
    heads: dict[str, Head]
    budget: NodeBudget
    problems: Problems

    def source(self, source: Source) -> None:
        node = read_yaml(source.data, source.file, self.problems, self.budget, begin=f"policy: {LANGUAGE}")
        head, form = read_head(node, source.layer, self.problems)
        place = form.need("id").mark
        taken = self.heads.setdefault(head.id, head)
        if taken is not head:
            hint = "edit another layer's document by an overlay"
            self.problems.fail("duplicate_id", f"the id {head.id} is taken by {taken.mark.file}", place, hint)
        self._keep_to_pack(head, place)
        if head.kind == "overlay":
            self.overlays.append(read_overlay(head, form, self.problems))
        else:
            self.documents[head.id] = Entry(head, form.node)

    def _keep_to_pack(self, head: Head, place: Mark) -> None:
        own = OWN_PACKS.get(head.layer)
        if own is not None and head.pack != own:
            message = f"the {head.layer} layer's own documents and overlays are of the pack {own!r}, not {head.pack!r}"
            self.problems.fail("foreign_pack", message, place, f"call it {own}.{head.id.split('.', 1)[1]}")
        if own is None and head.pack in OWN_PACKS.values():
            message = f"the pack {head.pack!r} belongs to a layer above the shipped documents"
            self.problems.fail("foreign_pack", message, place)


def effective(files: Files, layers: Collection[str], problems: Problems) -> dict[str, Entry]:
    """The documents of ``layers`` with the overlays of these applied, in order of layer and id. Faults are recorded."""
    entries = {name: entry for name, entry in files.documents.items() if entry.head.layer in layers}
    applying = _Applying(entries, {}, {}, problems)
    for overlay in files.overlays:
        if overlay.head.layer in layers:
            with problems.within(overlay.head.id):
                applying.overlay(overlay)
    for listed in applying.lists.values():
        if listed is not None:
            listed.finish()
    return entries


class _Applying(NamedTuple):
    """The effective documents so far. What is edited is a copy: the same files make other sets as well."""

    entries: dict[str, Entry]
    lists: dict[str, ItemEditor | None]
    payloads: dict[str, Editor]
    problems: Problems

    def overlay(self, overlay: Overlay) -> None:
        entry = base_of(overlay, self.entries, self.problems)
        check_base(overlay, entry.head, self.problems)
        if overlay.cases:
            brought = BroughtCases(overlay.head.id, overlay.head.layer, overlay.cases)
            entry = self.entries[overlay.base] = entry._replace(cases=(*entry.cases, brought))
        if not overlay.edits:
            return
        if not entry.edits:
            root = copied(entry.node)
            assert isinstance(root, MapNode)
            entry = entry._replace(node=root)
        if entry.head.kind in ITEMS:
            if overlay.base not in self.lists:
                self.lists[overlay.base] = item_editor(entry.head, entry.node, self.problems)
            listed = self.lists[overlay.base]
            if listed is not None:  # else it is told where the document is read
                apply_to_items(overlay, listed, entry.node, self.problems)
        else:
            editor = self.payloads.setdefault(overlay.base, Editor(entry.node, self.problems))
            apply_to_payload(overlay, editor, self.problems)
        self.entries[overlay.base] = _edited(entry, overlay)


def base_of(overlay: Overlay, entries: Mapping[str, Entry], problems: Problems) -> Entry:
    """The document that an overlay edits or pins; it is of the overlay's own layer or of one below."""
    entry = entries.get(overlay.base)
    if entry is None:
        hint = did_you_mean(overlay.base, entries)
        problems.fail("unknown_document", f"there is no document {shown(overlay.base)}", overlay.base_mark, hint)
    if LAYERS.index(entry.head.layer) > LAYERS.index(overlay.head.layer):
        message = f"{overlay.base} is of the {entry.head.layer} layer, which comes later"
        problems.fail("later_layer", message, overlay.base_mark, "an overlay edits its own layer or one below")
    return entry


def _edited(entry: Entry, overlay: Overlay) -> Entry:
    """The entry with the overlay among its edits and in its version."""
    head = overlay.head
    joint = "." if "+" in entry.head.version else "+"
    version = f"{entry.head.version}{joint}{head.id}@{head.version}" if entry.head.version else ""
    edit = Edit(head.id, head.version, head.layer, head.mark.file, head.source or head.title)
    return entry._replace(head=entry.head._replace(version=version), edits=(*entry.edits, edit))
