"""Which layer gave each part of an effective document."""

from __future__ import annotations

from typing import NamedTuple

from toolkit.policy.documents.effective import Entry
from toolkit.policy.documents.stored import Steps, marked_parts
from toolkit.policy.problems import Mark
from toolkit.policy.syntax.items import ITEMS, name_of
from toolkit.policy.syntax.pointers import escaped


class Origin(NamedTuple):
    """A part of a document (``row docs``, ``/limits/tries``), its layer, its place, and the overlay that put it there.

    ``part`` is empty for the document itself; ``overlay`` is null where the document itself says it.
    """

    part: str
    layer: str
    mark: Mark
    overlay: str | None


def origins_of(entry: Entry) -> tuple[Origin, ...]:
    """The document itself, then every named part, or every part of a payload that an overlay put there."""
    found = [Origin("", entry.head.layer, entry.head.mark, None)]
    kind = ITEMS.get(entry.head.kind)
    for path, node in marked_parts(entry):
        part = f"{kind.word} {name_of(node, kind)}" if kind is not None else _pointer(path[1:])
        found.append(_origin(part, node.mark, entry))
    return tuple(found)


def _origin(part: str, mark: Mark, entry: Entry) -> Origin:
    edit = entry.edit_at(mark)
    if edit is None:
        return Origin(part, entry.head.layer, mark, None)
    return Origin(part, edit.layer, mark, edit.id)


def _pointer(path: Steps) -> str:
    return "".join(f"/{escaped(str(step))}" for step in path)
