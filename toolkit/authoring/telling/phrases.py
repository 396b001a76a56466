"""Conditions and values as plain English: ``is more than 400``, ``matches billing/**``, ``is missing (null)``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from toolkit.policy.deciding.matching import Cell, CompiledWhen, Values
from toolkit.policy.explaining import beginning
from toolkit.policy.language.conditions import (
    AllOf,
    Compare,
    Condition,
    Equals,
    Items,
    Not,
    OneOf,
    Pattern,
    Present,
)
from toolkit.policy.language.patterns import PatternBudget, pattern_test

MISSING: Final = "missing (null)"
MAX_NAMED = 3  # constants or patterns of one condition that a sentence names
MAX_PATTERN = 60  # characters of one pattern
MAX_VALUE = 200  # characters of one value
_NUMBERS: Final = {"gt": "more than {}", "gte": "at least {}", "lt": "less than {}", "lte": "at most {}"}
_TERMS: Final = {"gt": "above {}", "gte": "{} or above", "lt": "below {}", "lte": "{} or below"}
_OPPOSITE: Final = {"gt": "lte", "gte": "lt", "lt": "gte", "lte": "gt"}


def value_text(value: Any) -> str:
    """A value as JSON, for people: of a long one the beginning."""
    if value is None:
        return MISSING
    shown = json.dumps(beginning(value), ensure_ascii=False, sort_keys=True)
    return shown if len(shown) <= MAX_VALUE else shown[:MAX_VALUE] + "…"


def outputs_text(outputs: Iterable[tuple[str, Any]]) -> str:
    """What a row answers: ``tier "high", reason "large"``."""
    return ", ".join(f"{name} {'null' if value is None else value_text(value)}" for name, value in outputs)


def phrase(condition: Condition, *, negated: bool = False) -> str:
    """The condition as what a sentence says of a name, with its verb: ``is at least 3``, ``matches secret/**``."""
    if isinstance(condition, Not):
        return phrase(condition.inner, negated=not negated)
    if isinstance(condition, AllOf):
        return _all_of(condition, negated)
    if isinstance(condition, Pattern):
        return _pattern(condition, negated)
    if isinstance(condition, Items):
        return _items(condition, negated)
    return f"is {_state(condition, negated)}"


def asked(condition: Condition) -> str:
    """The same without ``is``, as what was asked of a value: ``at least 3``, ``matches secret/**``."""
    return phrase(condition).removeprefix("is ")


def _state(condition: Equals | OneOf | Compare | Present, negated: bool) -> str:
    if isinstance(condition, Present):
        return "not null" if condition.wanted is not negated else MISSING
    if isinstance(condition, OneOf) and len(condition.values) == 1:
        condition = Equals(condition.values[0])
    if isinstance(condition, Equals):
        if condition.value is None:
            return "not null" if negated else MISSING
        return f"{'not ' if negated else ''}{value_text(condition.value)}"
    if isinstance(condition, OneOf):
        return f"{'none of' if negated else 'one of'} {named(condition.values, constant_text)}"
    words = _NUMBERS if condition.term is None else _TERMS
    operator = _OPPOSITE[condition.operator] if negated else condition.operator
    return words[operator].format(value_text(condition.value))


def constant_text(value: Any) -> str:
    """A constant of a condition or an output, as JSON."""
    return "null" if value is None else value_text(value)


def _all_of(condition: AllOf, negated: bool) -> str:
    # That a value is there goes without saying where something else is asked of it.
    told = [part for part in condition.parts if negated or part != Present(True)] or list(condition.parts)
    parts = [phrase(part, negated=negated) for part in told]
    verb = "is "
    if all(part.startswith(verb) for part in parts):
        parts = [parts[0], *(part.removeprefix(verb) for part in parts[1:])]
    return (" or " if negated else " and ").join(parts)


def _pattern(condition: Pattern, negated: bool) -> str:
    verb = "matches" if condition.operator == "glob" else "contains"
    if len(condition.patterns) > 1:
        verb = f"{verb} {'none' if negated else 'one'} of"
    elif negated:
        verb = "does not match" if condition.operator == "glob" else "does not contain"
    case = " (ignoring case)" if condition.ignore_case else ""
    return f"{verb} {named(condition.patterns, _pattern_text)}{case}"


def _pattern_text(pattern: str) -> str:
    return pattern if len(pattern) <= MAX_PATTERN else pattern[:MAX_PATTERN] + "…"


def _items(condition: Items, negated: bool) -> str:
    inner = condition.inner
    if condition.operator == "count":
        return _count(inner, negated)
    if condition.operator == "some":
        return f"has {'no item' if negated else 'an item'} that {phrase(inner)}"
    if negated:
        return f"has an item that {phrase(inner, negated=True)}"
    return f"has no items but those that {_those(inner)}"


def _those(inner: Condition) -> str:
    """The phrase in the plural."""
    said = phrase(inner)
    for one, many in (("is ", "are "), ("matches ", "match "), ("contains ", "contain "), ("does not ", "do not ")):
        if said.startswith(one):
            return many + said.removeprefix(one)
    return said


def _count(inner: Condition, negated: bool) -> str:
    said = phrase(inner, negated=negated).removeprefix("is ")
    if said in ("0", "less than 1"):
        return "is empty"
    if said in ("not 0", "at least 1", "more than 0"):
        return "is not empty"
    return f"has {said} {'item' if said.endswith(' 1') or said == '1' else 'items'}"


def named(values: Sequence[Any], shown: Callable[[Any], str]) -> str:
    """Some of the values, and how many more there are."""
    more = f" and {len(values) - MAX_NAMED} more" if len(values) > MAX_NAMED else ""
    return ", ".join(map(shown, values[:MAX_NAMED])) + more


def reasons(when: CompiledWhen, values: Values) -> list[str]:
    """Why a row that matches does: each of its cells with the value, and the first alternative that holds."""
    cells = list(when.cells)
    if when.any_of:
        cells += next(other for other in when.any_of if other.matches(values)).cells
    return [held(cell, values[cell.name]) for cell in cells]


def held(cell: Cell, value: Any) -> str:
    """One condition that holds: ``lines is 612, more than 400``."""
    condition = _narrowed(cell.condition, value)
    said = phrase(condition)
    stated = f"{cell.name} is {value_text(value)}"
    if said == f"is {value_text(value)}":
        return stated
    return f"{stated}, {said.removeprefix('is ') if said.startswith('is ') else f'which {said}'}"


def missed(cell: Cell, value: Any) -> str:
    """What was asked of a value in vain: of several conditions those that do not hold."""
    condition = cell.condition
    if isinstance(condition, AllOf) and value is not None:
        condition = AllOf(tuple(part for part in condition.parts if not part.compile()(value)))
    return asked(condition)


def unlike(cell: Cell) -> str:
    """What a value would be for which the condition does not hold; null apart."""
    condition = cell.condition
    if isinstance(condition, AllOf):
        condition = AllOf(tuple(part for part in condition.parts if not isinstance(part, Present)))
    return phrase(condition, negated=True).removeprefix("is ")


def _narrowed(condition: Condition, value: Any) -> Condition:
    """The condition with only the first of its patterns that is found."""
    if isinstance(condition, AllOf):
        return AllOf(tuple(_narrowed(part, value) for part in condition.parts))
    if not isinstance(condition, Pattern) or len(condition.patterns) == 1:
        return condition
    for pattern in condition.patterns:
        alone = PatternBudget().compile(condition.operator, pattern, condition.ignore_case)
        test = pattern_test(condition.operator, [alone], condition.ignore_case)
        if test(value):
            return Pattern(condition.operator, (pattern,), condition.ignore_case, test)
    return condition
