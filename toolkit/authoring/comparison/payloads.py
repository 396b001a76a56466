"""Two states of a data document: which parts of the payload are not the same, by JSON Pointers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from toolkit.authoring.comparison.changes import PAYLOAD, TEMPLATE, Change, stated
from toolkit.policy.documents.heads import read_data
from toolkit.policy.problems import clipped, shown
from toolkit.policy.sets import PolicySet
from toolkit.policy.types import thaw
from toolkit.storage.canonical import bytes_digest, canonical_bytes

MAX_PARTS: Final = 200  # that are told of one document
MAX_BYTES: Final = 2_000  # of one value that is told whole
ID: Final = "id"


class Absent:
    """The mark of what one side does not have."""


ABSENT: Final = Absent()


def payload_changes(name: str, before: PolicySet, after: PolicySet) -> Iterator[Change]:
    """The parts of a payload that are not the same: added, removed, or another value.

    A step into a list is the ``id`` of an item where every item has one of its own, as in an overlay, else an index.
    A value is told whole while it is short. ``before`` or ``after`` is null where that side has no such part, which
    the message says.
    """
    documents = [_read(name, side) for side in (before, after)]
    if documents[0][0] != documents[1][0]:
        message = f"the shape is {documents[1][0]} and was {documents[0][0]}"
        yield stated(name, PAYLOAD, "shape", documents[0][0], documents[1][0], message)
    parts = differing("", before.data(name), after.data(name))
    for pointer, was, now in islice(parts, MAX_PARTS):
        yield stated(name, PAYLOAD, pointer, _told(was), _told(now), _words(pointer, was, now))
    more = sum(1 for _ in parts)
    if more:
        yield stated(name, PAYLOAD, "", None, None, f"{more} more parts of the payload are not the same")
    old, new = documents[0][1], documents[1][1]
    for template in sorted(old.keys() | new.keys()):
        was, now = old.get(template), new.get(template)
        if was != now:
            verb = "is new" if was is None else "is gone" if now is None else "has other bytes"
            yield stated(name, TEMPLATE, template, was, now, f"the template {template} {verb}")


def _read(name: str, policies: PolicySet) -> tuple[str, Mapping[str, str]]:
    """The shape of a data document, and the digests of its templates."""
    from toolkit.policy.loading.reading import opened

    entry = policies.entry(name)
    with opened(entry) as form:
        shape = read_data(entry.head, form).shape
    return shape, {template: bytes_digest(data) for template, data in policies.templates(name).items()}


def differing(pointer: str, before: Any, after: Any) -> Iterator[tuple[str, Any, Any]]:
    """The parts of two JSON values that are not the same, by their pointers; what has no counterpart is whole."""
    waiting = [(pointer, before, after)]
    while waiting:
        pointer, was, now = waiting.pop()
        steps = _steps(was, now)
        if steps is not None:
            waiting.extend((f"{pointer}/{_escaped(step)}", one, other) for step, one, other in reversed(steps))
            if _order(was) != _order(now) and set(_order(was)) == set(_order(now)):
                yield pointer, _order(was), _order(now)
        elif type(was) is not type(now) or was != now:
            yield pointer, was, now


def _steps(before: Any, after: Any) -> list[tuple[str, Any, Any]] | None:
    """What stands below two values that can be gone into together; null for the rest."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        names = dict.fromkeys((*before, *after))
        return [(name, before.get(name, ABSENT), after.get(name, ABSENT)) for name in names]
    if isinstance(before, tuple) and isinstance(after, tuple):
        if _ids(before) is not None and _ids(after) is not None:
            old, new = ({item[ID]: item for item in one} for one in (before, after))
            return [(name, old.get(name, ABSENT), new.get(name, ABSENT)) for name in dict.fromkeys((*old, *new))]
        if len(before) == len(after):
            return [(str(place), *pair) for place, pair in enumerate(zip(before, after, strict=True))]
    return None


def _ids(items: Sequence[Any]) -> tuple[str, ...] | None:
    """The ids of a list's items, where each has one of its own."""
    ids = [item.get(ID) for item in items if isinstance(item, Mapping)]
    named = [one for one in ids if isinstance(one, str)]
    return tuple(named) if len(set(named)) == len(items) else None


def _order(value: Any) -> tuple[str, ...]:
    return (_ids(value) or ()) if isinstance(value, tuple) else ()


def _escaped(step: str) -> str:
    return step.replace("~", "~0").replace("/", "~1")


def _told(value: Any) -> Any:
    """A value as plain JSON; of a long one, what it is."""
    if value is ABSENT:
        return None
    if isinstance(value, str):
        return clipped(value)
    plain = thaw(value)
    return (
        plain if len(canonical_bytes(plain)) <= MAX_BYTES else f"({shown(value)}, {len(canonical_bytes(plain))} bytes)"
    )


def _words(pointer: str, before: Any, after: Any) -> str:
    place = pointer or "the payload"
    if before is ABSENT:
        return f"{place} is new"
    if after is ABSENT:
        return f"{place} is gone"
    if isinstance(before, tuple) and isinstance(after, tuple) and sorted(map(str, before)) == sorted(map(str, after)):
        return f"{place} stands in another order"
    return f"{place} is {shown(after)} and was {shown(before)}"
