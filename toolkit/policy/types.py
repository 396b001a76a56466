"""The types of facts and outputs: what a value may be, and how it is checked once, at the edge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from toolkit.policy.problems import Mark
from toolkit.policy.syntax.scalars import MAX_INTEGER, is_unicode

Value = bool | int | str | None | tuple["Value", ...] | Mapping[str, "Value"]
Fact = object


@dataclass(frozen=True, slots=True)
class BooleanType:
    """``true`` or ``false``; an integer is neither."""

    def accepts(self, value: Fact) -> bool:
        return value is True or value is False

    def describe(self) -> str:
        return "true or false"


@dataclass(frozen=True, slots=True)
class IntegerType:
    """An integer within its bounds (inclusive); a boolean is none."""

    minimum: int = -MAX_INTEGER
    maximum: int = MAX_INTEGER

    def accepts(self, value: Fact) -> bool:
        return type(value) is int and self.minimum <= value <= self.maximum

    def describe(self) -> str:
        low = str(self.minimum) if self.minimum != -MAX_INTEGER else "-(2^53 - 1)"
        high = str(self.maximum) if self.maximum != MAX_INTEGER else "2^53 - 1"
        return f"an integer from {low} to {high}"


@dataclass(frozen=True, slots=True)
class TextType:
    """``string`` (a short text), ``path`` (slash-separated) or ``text`` (many lines): valid Unicode each."""

    kind: str

    def accepts(self, value: Fact) -> bool:
        return type(value) is str and is_unicode(value)

    def describe(self) -> str:
        return f"a {self.kind} (valid Unicode)" if self.kind != "text" else "text (valid Unicode)"


@dataclass(frozen=True, slots=True)
class TermType:
    """One of ``terms``. ``strengths`` ranks them where their vocabulary is ordered (greater is graver or higher)."""

    terms: tuple[str, ...]
    vocabulary: str | None = None
    strengths: Mapping[str, int] | None = None
    members: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "members", frozenset(self.terms))

    def accepts(self, value: Fact) -> bool:
        return type(value) is str and value in self.members

    def describe(self) -> str:
        of = f" of {self.vocabulary}" if self.vocabulary else ""
        shown = ", ".join(self.terms[:20])
        return f"a term{of} ({shown})"


@dataclass(frozen=True, slots=True)
class ListType:
    """A list (a Python list or tuple) of items of one type."""

    items: Type

    def accepts(self, value: Fact) -> bool:
        return type(value) in (list, tuple) and all(map(self.items.accepts, cast("Sequence[Fact]", value)))

    def describe(self) -> str:
        return f"a list, each item {self.items.describe()}"


@dataclass(frozen=True, slots=True)
class RecordType:
    """A mapping with exactly the named fields; only the item of the list that ``each`` names."""

    fields: Mapping[str, Input]

    def accepts(self, value: Fact) -> bool:
        return (
            isinstance(value, Mapping)
            and len(value) == len(self.fields)
            and all(name in value and field.accepts(value[name]) for name, field in self.fields.items())
        )

    def describe(self) -> str:
        return f"a record of {', '.join(self.fields)}"


Type = BooleanType | IntegerType | TextType | TermType | ListType | RecordType


@dataclass(frozen=True, slots=True)
class Input:
    """A named input (or output): its type, whether null is legal, and whether it only informs."""

    name: str
    type: Type
    optional: bool
    informs: bool
    mark: Mark

    def accepts(self, value: Fact) -> bool:
        return (value is None and self.optional) or self.type.accepts(value)

    def describe(self) -> str:
        return self.type.describe() + (", or null" if self.optional else "")


def freeze(value: Fact) -> Value:
    """An immutable copy of a JSON value."""
    if isinstance(value, (list, tuple)):
        return tuple(freeze(item) for item in value)
    if isinstance(value, Mapping):
        from types import MappingProxyType

        return MappingProxyType({str(key): freeze(item) for key, item in value.items()})
    assert value is None or isinstance(value, (bool, int, str))
    return value


def thaw(value: Value) -> object:
    """The same value as plain lists and dicts, for JSON."""
    if isinstance(value, tuple):
        return [thaw(item) for item in value]
    if isinstance(value, Mapping):
        return {key: thaw(item) for key, item in value.items()}
    return value
