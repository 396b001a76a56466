"""The values that one fact could have as well: a value for each class that the conditions on it tell apart."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from toolkit.authoring.telling.phrases import MISSING, value_text
from toolkit.policy.deciding.matching import Cell
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


def classes(kind: Type, optional: bool, conditions: Sequence[Condition], value: Any) -> list[Class]:
    """The classes of values; of numbers in ascending order, and the one that ``value`` is in among them."""
    found = list(_classes(kind, conditions, value))
    if optional and value is not None:
        found.append(Class(None, MISSING))
    return found


def asking_order(found: Sequence[Class], value: Any, near: Iterable[Sequence[Cell]]) -> list[int]:
    """The places of the classes in the order in which to ask them.

    First null, and for each row one fact away (``near`` has its cells on this fact) the class that is nearest to
    ``value`` of those that it asks for, then the next of each; then the others. Of numbers the nearest come first.
    """
    now = value if type(value) is int else 0

    def distance(place: int) -> int:
        number = found[place].value
        return abs(number - now) if type(number) is int else 0

    lows = [one.low for one in found if type(one.value) is int]
    places = {one.value: place for place, one in enumerate(found) if isinstance(one.value, (str, bool))}
    first, second = [place for place, one in enumerate(found) if one.value is None], []
    for cells in near:
        constants = [one for cell in cells for one in _constants(cell.condition)]
        if lows:
            around = (one + step for one in constants if type(one) is int for step in (-1, 0, 1))
            wanted = [bisect_right(lows, one) - 1 for one in around if lows[0] <= one <= found[len(lows) - 1].high]
        else:
            wanted = [places[one] for one in constants if isinstance(one, (str, bool)) and one in places]
        wanted = [place for place in wanted if all(cell.holds(found[place].value) for cell in cells)]
        nearest = sorted(set(wanted), key=distance)
        first += nearest[:1]
        second += nearest[1:2]
    groups = (sorted(group, key=distance) for group in (first, second, range(len(found))))
    return list(dict.fromkeys(place for group in groups for place in group))


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
