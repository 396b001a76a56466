"""The values that one fact could have as well: a value for each class that the conditions on it tell apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from toolkit.authoring.telling.phrases import MISSING, value_text
from toolkit.policy.language.conditions import AllOf, Compare, Condition, Equals, Items, Not, OneOf
from toolkit.policy.proofs.samples import lists, texts
from toolkit.policy.types import BooleanType, IntegerType, ListType, TermType, Type

MAX_CLASSES: Final = 400  # of one fact
MAX_MADE_UP: Final = 100  # values of one fact that are made up for one row


class Class(NamedTuple):
    """Values that the conditions don't tell apart: one of them, how they are called; of numbers from where to where."""

    value: Any
    words: str
    low: int = 0
    high: int = 0


def classes(kind: Type, optional: bool, conditions: Sequence[Condition], value: Any) -> tuple[list[Class], bool]:
    """The classes of values, and whether they are all: ``MAX_CLASSES`` at most, of numbers those nearest to ``value``.

    Of numbers the class that ``value`` is in is among them.
    """
    found = list(_classes(kind, conditions, value))
    whole = len(found) <= MAX_CLASSES
    if not whole and isinstance(kind, IntegerType):
        now = value if value is not None else 0
        found = sorted(sorted(found, key=lambda one: abs(one.value - now))[:MAX_CLASSES], key=lambda one: one.low)
    found = found[:MAX_CLASSES]
    if optional and value is not None:
        found.append(Class(None, MISSING))
    return found, whole


def _classes(kind: Type, conditions: Sequence[Condition], value: Any) -> Iterator[Class]:
    constants = dict.fromkeys(one for condition in conditions for one in _constants(condition) if one is not None)
    if isinstance(kind, IntegerType):
        yield from _intervals(kind, [one for one in constants if type(one) is int], value)
    elif isinstance(kind, BooleanType):
        yield from (Class(one, value_text(one)) for one in (True, False) if one is not value)
    elif isinstance(kind, TermType):
        yield from (Class(one, value_text(one)) for one in kind.terms if one != value)
    elif isinstance(kind, ListType):
        if value:
            yield Class([], "empty")
    else:
        yield from (Class(one, value_text(one)) for one in constants if type(one) is str and one != value)


def _intervals(kind: IntegerType, constants: Iterable[int], value: int | None) -> Iterator[Class]:
    """What lies below, at and between the constants, as far as the type goes, each with the number nearest to now."""
    starts = sorted({start for one in constants for start in (one, one + 1)})
    edges = [kind.minimum, *(one for one in starts if kind.minimum < one <= kind.maximum)]
    for low, following in zip(edges, [*edges[1:], kind.maximum + 1], strict=True):
        high = following - 1
        near = min(max(value if value is not None else 0, low), high)
        yield Class(near, "", low, high)


def _constants(condition: Condition) -> Iterator[Any]:
    if isinstance(condition, (Equals, Compare)):
        yield condition.value
    elif isinstance(condition, OneOf):
        yield from condition.values
    elif isinstance(condition, Not):
        yield from _constants(condition.inner)
    elif isinstance(condition, AllOf):
        for part in condition.parts:
            yield from _constants(part)


def made_up(kind: Type, wanted: Sequence[Condition], all_asked: Sequence[Condition], value: Any) -> Iterator[Any]:
    """Texts or lists in which ``wanted`` may hold; whoever asks for them tries whether it does."""
    good: list[Condition] = []
    bad: list[Condition] = []
    for condition in wanted:
        for part in condition.parts if isinstance(condition, AllOf) else (condition,):
            (bad if isinstance(part, Not) else good).append(part.inner if isinstance(part, Not) else part)
    if isinstance(kind, ListType):
        made: Iterator[Any] = _lists(kind, good, bad, list(value or ()))
    else:
        constants = [one for condition in all_asked for one in _constants(condition) if isinstance(one, str)]
        made = (text for text in texts(constants, good, bad))
    return (one for one in islice(made, MAX_MADE_UP) if kind.accepts(one))


def _lists(kind: ListType, good: Sequence[Condition], bad: Sequence[Condition], value: list[Any]) -> Iterator[Any]:
    """Such lists, after the present one with an item or two of them, and with only the items that may be there."""
    made = list(islice(lists(kind.items, good, bad), MAX_MADE_UP))
    yield from (value + one for one in made if one)
    every = [one.inner.compile() for one in good if isinstance(one, Items) and one.operator == "every"]
    some = [one.inner.compile() for one in bad if isinstance(one, Items) and one.operator == "some"]
    yield [one for one in value if all(test(one) for test in every) and not any(test(one) for test in some)]
    yield from made
