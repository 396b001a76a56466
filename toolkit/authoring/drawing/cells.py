"""What stands in a cell of a drawn table: conditions as short as they can be read, and values as they are written."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any, Final

from toolkit.policy.language.conditions import AllOf, Compare, Condition, Equals, Items, Not, OneOf, Pattern, Present
from toolkit.policy.language.rules import Produced, Reference, Row
from toolkit.policy.types import BooleanType, Input, IntegerType, ListType, RecordType, TermType, TextType, Type

_SIGNS: Final = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
_WORDS: Final = ("null", "true", "false", "or", "and", "not")
MAX_TERMS: Final = 20  # of one type that are named


def value_text(value: Any) -> str:
    """A value as a policy would write it: a word as it is, whatever could be taken for something else as JSON."""
    if isinstance(value, str) and plain_word().match(value) and value not in _WORDS:
        return value
    return json.dumps(value, ensure_ascii=False)


def condition_text(condition: Condition) -> str:
    """The condition of one cell; patterns of ``matches`` have a line each."""
    if isinstance(condition, Equals):
        return value_text(condition.value)
    if isinstance(condition, OneOf):
        return " or ".join(map(value_text, condition.values))
    if isinstance(condition, Compare):
        return f"{_SIGNS[condition.operator]} {value_text(condition.value)}"
    if isinstance(condition, Present):
        return "not null" if condition.wanted else "null"
    if isinstance(condition, Pattern):
        return _pattern_text(condition)
    if isinstance(condition, Items):
        return f"{condition.operator} {_grouped(condition.inner)}"
    if isinstance(condition, Not):
        return f"not {_grouped(condition.inner)}"
    return " and ".join(condition_text(part) for part in condition.parts)


def _grouped(condition: Condition) -> str:
    said = condition_text(condition)
    several = isinstance(condition, AllOf) or (isinstance(condition, (OneOf, Pattern)) and _length(condition) > 1)
    return f"({said})" if several else said


def _length(condition: OneOf | Pattern) -> int:
    return len(condition.values if isinstance(condition, OneOf) else condition.patterns)


def _pattern_text(condition: Pattern) -> str:
    case = " (ignoring case)" if condition.ignore_case else ""
    if condition.operator == "glob":
        return ", ".join(condition.patterns) + case
    return f"contains{case}\n" + "\n".join(condition.patterns)


def produced_text(produced: Produced) -> str:
    """What a row puts into one output."""
    if isinstance(produced, Reference):
        return f"= {produced.name}"
    if isinstance(produced, tuple):
        return "[" + ", ".join(map(produced_text, produced)) + "]"
    return value_text(produced)


def then_texts(row: Row, outputs: tuple[str, ...]) -> tuple[str, ...]:
    """What a row answers, a text for each output; where it declines, the first of them says so."""
    if row.error is not None:
        return (f"declines: {row.error}", *("" for _ in outputs[1:]))
    return tuple(produced_text(row.then[name]) if name in row.then else "" for name in outputs)


def declared_text(declared: Input) -> str:
    """What an input or output may be, in words."""
    null = ", or null" if _is_list(declared.type) else " or null"
    more = (null if declared.optional else "") + (" (no row tests it)" if declared.informs else "")
    return type_text(declared.type) + more


def type_text(kind: Type) -> str:
    """A type in words."""
    if isinstance(kind, IntegerType):
        return _integer_text(kind)
    if isinstance(kind, TermType):
        of = f"a term of {kind.vocabulary}" if kind.vocabulary else "one of"
        more = f" and {len(kind.terms) - MAX_TERMS} more" if len(kind.terms) > MAX_TERMS else ""
        return f"{of}: {', '.join(map(value_text, kind.terms[:MAX_TERMS]))}{more}"
    if isinstance(kind, ListType):
        if isinstance(kind.items, RecordType):
            return f"a list of records of {', '.join(kind.items.fields)}"
        return f"a list, each {type_text(kind.items)}"
    if isinstance(kind, TextType):
        return "text of any length" if kind.kind == "text" else f"a {kind.kind}"
    return kind.describe()


def _is_list(kind: Type) -> bool:
    """Whether a type is told as a list of what it allows."""
    return isinstance(kind, (TermType, BooleanType))


def _integer_text(kind: IntegerType) -> str:
    whole = IntegerType()
    if kind.minimum == whole.minimum and kind.maximum == whole.maximum:
        return "an integer"
    if kind.maximum == whole.maximum:
        return f"an integer, at least {kind.minimum}"
    if kind.minimum == whole.minimum:
        return f"an integer, at most {kind.maximum}"
    return f"an integer from {kind.minimum} to {kind.maximum}"


@cache
def plain_word() -> re.Pattern[str]:
    return re.compile(r"[^\W\d][\w./+-]*\Z")
