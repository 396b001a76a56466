"""What two declarations have in common: the values that both of them take."""

from __future__ import annotations

from dataclasses import replace

from toolkit.policy.types import Input, IntegerType, ListType, RecordType, TermType, TextType, Type, Value

Fields = dict[str, Input]


class NothingShared(Exception):
    """Internal: no value of a name is legal on both sides."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def shared_fields(before: Fields, after: Fields) -> Fields:
    """The names of either side, each with the values that every side that has it takes. Raises ``NothingShared``.

    An output may take over what only informs, so that here nothing does.
    """
    names = dict.fromkeys((*after, *before))
    return {name: _shared_input(before.get(name), after.get(name)) for name in names}


def _shared_input(before: Input | None, after: Input | None) -> Input:
    if before is None or after is None:
        one = after or before
        assert one is not None
        return replace(one, informs=False)
    kind = shared(before.type, after.type)
    if kind is None:
        raise NothingShared(before.name)
    return replace(after, type=kind, optional=before.optional and after.optional, informs=False)


def shared(one: Type, other: Type) -> Type | None:
    """The values of two types; null where there are none, or none but the empty list."""
    if isinstance(one, TermType) and isinstance(other, TermType):
        terms = tuple(term for term in other.terms if term in one.members)
        return TermType(terms) if terms else None
    if isinstance(one, (TermType, TextType)) and isinstance(other, (TermType, TextType)):
        if isinstance(one, TextType) and isinstance(other, TextType):
            return other
        return one if isinstance(one, TermType) else other
    if isinstance(one, IntegerType) and isinstance(other, IntegerType):
        low, high = max(one.minimum, other.minimum), min(one.maximum, other.maximum)
        return IntegerType(low, high) if low <= high else None
    if isinstance(one, ListType) and isinstance(other, ListType):
        items = shared(one.items, other.items)
        return None if items is None else ListType(items)
    if isinstance(one, RecordType) and isinstance(other, RecordType):
        return RecordType(shared_fields({**one.fields}, {**other.fields}))
    return one if type(one) is type(other) else None


def same_value(one: Value, other: Value) -> bool:
    """Whether two values are the same; ``true`` is not 1."""
    if type(one) is not type(other):
        return False
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(same_value, one, other))
    return one == other
