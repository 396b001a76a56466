"""Facts near those that a box gives: where an answer takes over a text or a list, one value may hide a difference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from toolkit.policy.proofs.space import Space
from toolkit.policy.proofs.witnesses import Facts
from toolkit.policy.types import Input, ListType, RecordType, TextType, Type

MAX_LONGER = 50  # items of a list of which a longer one is tried


def variants(space: Space, facts: Facts) -> Iterator[Facts]:
    """The facts themselves, then each text or list made another, and all of them. They need not lie in the box."""
    yield facts
    document = space.document
    each = document.each
    items = facts[each] if each is not None else None
    inner = items[0] if isinstance(items, list) and items else {}
    changed = {**_others(document.inputs, facts), **_others(document.item_fields, inner)}
    for names in [*((name,) for name in changed), tuple(changed)] if changed else ():
        made = {name: changed[name] if name in names else value for name, value in facts.items()}
        if inner and each is not None:
            made[each] = [{name: changed[name] if name in names else value for name, value in inner.items()}]
        yield made


def _others(declared: Mapping[str, Input], facts: Mapping[str, object]) -> dict[str, object]:
    """Another value for each text and list that is not null."""
    found: dict[str, object] = {}
    for name, one in declared.items():
        value = facts.get(name)
        if isinstance(one.type, TextType) and isinstance(value, str):
            found[name] = f"{value}{name}"
        elif isinstance(value, list) and 0 < len(value) <= MAX_LONGER and not _records(one.type):
            found[name] = [*value, value[0]]
    return found


def _records(kind: Type) -> bool:
    return isinstance(kind, ListType) and isinstance(kind.items, RecordType)
