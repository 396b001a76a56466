"""What an overlay can edit in a document, and a first edit that says again what the document says already."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final, NamedTuple

from toolkit.authoring.testing.asking import Asked, asked_of
from toolkit.authoring.testing.cases import CASES, REFUSAL
from toolkit.policy.documents.effective import Entry
from toolkit.policy.layers import REPOSITORY
from toolkit.policy.problems import PolicyError
from toolkit.policy.sets import PolicySet
from toolkit.policy.syntax.items import ITEMS
from toolkit.policy.syntax.nodes import plain
from toolkit.policy.syntax.pointers import ID, MAX_POINTER, escaped

SET, REPLACE = "set", "replace"
MAX_LEAVES: Final = 1000  # of a payload that are looked at
MAX_VALUE: Final = 200  # characters of a value that is shown as an example
OWN_CASE: Final = "-here"  # after the name of the case that is asked again


class Editable(NamedTuple):
    """The names of a document's parts (of a payload: pointers), and one of them as it is: ``edit`` of ``name``.

    ``case`` is a question that the part answers, with the answer that is in force; null where none is known.
    """

    names: tuple[str, ...]
    edit: str
    name: str
    content: Any
    case: Mapping[str, Any] | None = None


def editable(policies: PolicySet, base: str, overlay: str) -> Editable:
    """What the overlay of that id could edit first in the document ``base``.

    Overlays of a layer apply in order of id, so what a later one brings is not there yet. Raises ``PolicyError`` where
    nothing else is.
    """
    entry = policies.entry(base)
    later = {one.id for one in entry.edits if one.layer == REPOSITORY and one.id > overlay}
    barred = {origin.part for origin in policies.origins(base) if origin.overlay in later}
    if entry.head.kind not in ITEMS:
        return _payload(entry, barred)
    kind = ITEMS[entry.head.kind]
    parts = {part[kind.name]: part for part in plain(entry.node)[kind.list]}
    free = [name for name in parts if f"{kind.word} {name}" not in barred]
    if not free:
        raise _nothing_left(base, later)
    name, case = free[0], None
    if entry.head.kind != "vocabulary":
        name, case = next(_asked(entry, asked_of(policies, base), free), (name, None))
    content = {key: value for key, value in parts[name].items() if key != kind.name}
    return Editable(tuple(parts), REPLACE, name, content, case)


def _asked(entry: Entry, asked: Asked, free: Collection[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Rows that a case of the document asks, and the question with the answer that is in force."""
    wanted = frozenset(free)
    for case in plain(entry.node).get(CASES, ()):
        try:
            answers = asked.answers(case["given"])
        except (PolicyError, KeyError, TypeError, AttributeError):  # no case that can be asked: dr-policy test tells it
            continue
        rows = [one.row for one in answers]
        row = next((one for one in rows if one in wanted), None)
        if row is None:
            continue
        told: dict[str, Any] = {"id": f"{case['id']}{OWN_CASE}", "given": case["given"]}
        if asked.lists and REFUSAL not in answers[0].outputs:
            yield row, {**told, "expect": [dict(one.outputs) for one in answers], "row": rows}
        else:
            yield row, {**told, "expect": dict(answers[0].outputs), "row": row}


def _payload(entry: Entry, barred: Collection[str]) -> Editable:
    """The values of a payload, and the first of them that is short."""
    leaves = {
        pointer: value for pointer, value in _leaves(plain(entry.node)["value"], "") if len(pointer) <= MAX_POINTER
    }
    below = tuple(f"{one}/" for one in barred)
    free = [one for one in leaves if one not in barred and not one.startswith(below)]
    if not free:
        raise _nothing_left(entry.head.id, barred)
    name = next((one for one in free if len(str(leaves[one])) <= MAX_VALUE), free[0])
    return Editable(tuple(leaves), SET, name, leaves[name])


def _leaves(value: Any, pointer: str) -> Iterator[tuple[str, Any]]:
    """The values of a payload that hold no others, or only plain ones, by their pointers; the first of them."""
    waiting = [(pointer, value)]
    told = 0
    while waiting and told < MAX_LEAVES:
        place, part = waiting.pop()
        steps = list(_steps(part))
        if place and not any(isinstance(inner, (Mapping, list)) for _step, inner in steps) and not _is_map(part):
            told += 1
            yield place, part
        else:
            waiting += reversed([(f"{place}/{escaped(step)}", inner) for step, inner in steps])


def _is_map(part: Any) -> bool:
    return isinstance(part, Mapping) and bool(part)


def _steps(part: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(part, Mapping):
        yield from part.items()
    elif isinstance(part, list):
        for index, item in enumerate(part):
            name = item.get(ID) if isinstance(item, Mapping) else None
            yield (name if isinstance(name, str) and name else str(index)), item


def _nothing_left(base: str, later: Collection[str]) -> PolicyError:
    message = f"every part of {base} is one that a later overlay brings ({', '.join(sorted(later)[:5])})"
    return PolicyError(
        "nothing_to_edit", message, next_step="edit that overlay, or choose an id that comes after its own"
    )
