"""The cells of a table: what may stand there for which type, and one closure for each, made at load."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from toolkit.policy.syntax.scalars import Scalar
from toolkit.policy.types import TermType

Holds = Callable[[Any], bool]

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "gt": operator.gt,
    "gte": operator.ge,
    "lt": operator.lt,
    "lte": operator.le,
}


@dataclass(frozen=True, slots=True)
class Equals:
    """The value is this constant (null included)."""

    value: Scalar

    def compile(self) -> Holds:
        value = self.value
        return (lambda v: v is None) if value is None else (lambda v: v == value)

    def text(self) -> str:
        return _show(self.value)


@dataclass(frozen=True, slots=True)
class OneOf:
    """The value is one of these constants."""

    values: tuple[Scalar, ...]

    def compile(self) -> Holds:
        values = frozenset(self.values)
        return lambda v: v in values

    def text(self) -> str:
        return f"one of {', '.join(map(_show, self.values))}"


@dataclass(frozen=True, slots=True)
class Compare:
    """``gt gte lt lte`` against a constant, on integers or on the strength of terms."""

    operator: str
    value: int | str
    term: TermType | None = None

    def compile(self) -> Holds:
        holds = COMPARISONS[self.operator]
        bound = self.value
        if self.term is None:
            return lambda v: holds(v, bound)
        strengths = cast("Mapping[str, int]", self.term.strengths)
        least = strengths[cast("str", bound)]
        return lambda v: holds(strengths[v], least)

    def text(self) -> str:
        return f"{self.operator} {_show(self.value)}"


@dataclass(frozen=True, slots=True)
class Pattern:
    """``glob`` or ``matches``: one of the patterns is found, as ``test`` says."""

    operator: str
    patterns: tuple[str, ...]
    ignore_case: bool
    test: Holds = field(repr=False, compare=False)

    def compile(self) -> Holds:
        return self.test

    def text(self) -> str:
        return f"{self.operator} {', '.join(self.patterns)}" + (", in any case" if self.ignore_case else "")


@dataclass(frozen=True, slots=True)
class Items:
    """``some`` or ``every`` item of a list, or the ``count`` of its items, satisfies a condition."""

    operator: str
    inner: Condition

    def compile(self) -> Holds:
        holds = self.inner.compile()
        if self.operator == "some":
            return lambda v: any(map(holds, v))
        if self.operator == "every":
            return lambda v: all(map(holds, v))
        return lambda v: holds(len(v))

    def text(self) -> str:
        return f"{self.operator}: {self.inner.text()}"


@dataclass(frozen=True, slots=True)
class Present:
    """``present: true`` holds for everything but null, ``present: false`` for null alone."""

    wanted: bool

    def compile(self) -> Holds:
        wanted = self.wanted
        return lambda v: (v is not None) is wanted

    def text(self) -> str:
        return "present" if self.wanted else "null"


@dataclass(frozen=True, slots=True)
class Not:
    """The inner condition does not hold."""

    inner: Condition

    def compile(self) -> Holds:
        holds = self.inner.compile()
        return lambda v: not holds(v)

    def text(self) -> str:
        return f"not ({self.inner.text()})"


@dataclass(frozen=True, slots=True)
class AllOf:
    """Several operators in one cell: each holds. ``present`` stands first, so that the rest never sees null."""

    parts: tuple[Condition, ...]

    def compile(self) -> Holds:
        tests = tuple(part.compile() for part in self.parts)
        return lambda v: all(test(v) for test in tests)

    def text(self) -> str:
        return ", ".join(part.text() for part in self.parts)


Condition = Equals | OneOf | Compare | Pattern | Items | Present | Not | AllOf


def excludes_null(condition: Condition) -> bool:
    """Whether the condition can hold only for a value that is not null (decided from its form)."""
    if isinstance(condition, Equals):
        return condition.value is not None
    if isinstance(condition, OneOf):
        return None not in condition.values
    if isinstance(condition, Present):
        return condition.wanted
    if isinstance(condition, AllOf):
        return any(map(excludes_null, condition.parts))
    if isinstance(condition, Not):
        inner = condition.inner
        if isinstance(inner, Equals):
            return inner.value is None
        if isinstance(inner, OneOf):
            return None in inner.values
        return isinstance(inner, Present) and not inner.wanted
    return True


def uses_patterns(condition: Condition, operators: tuple[str, ...] = ("glob", "matches")) -> bool:
    """Whether a glob or a pattern stands anywhere in the condition."""
    if isinstance(condition, AllOf):
        return any(uses_patterns(part, operators) for part in condition.parts)
    if isinstance(condition, (Not, Items)):
        return uses_patterns(condition.inner, operators)
    return isinstance(condition, Pattern) and condition.operator in operators


def _show(value: Scalar) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) or '""'
