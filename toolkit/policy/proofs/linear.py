"""Lets as linear forms: what isn't linear becomes a variable of its own, tied to the rest by rows and by choices."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import cast

from toolkit.policy.language.arithmetic import Number, Term


@dataclass(frozen=True, slots=True)
class Form:
    """A sum of variables times factors, plus a constant."""

    factors: Mapping[int, Number] = field(default_factory=dict)
    constant: Number = 0

    def plus(self, other: Form, by: Number = 1) -> Form:
        factors = dict(self.factors)
        for place, factor in other.factors.items():
            total = _whole(factors.get(place, 0) + by * factor)
            if total:
                factors[place] = total
            else:
                factors.pop(place, None)
        return Form(factors, _whole(self.constant + by * other.constant))

    def times(self, by: Number) -> Form:
        return Form().plus(self, by)

    @property
    def denominator(self) -> int:
        """What it has to be multiplied by so that nothing of it is a fraction."""
        return math.lcm(*(part.denominator for part in (self.constant, *self.factors.values())))

    def value(self, values: Sequence[Number]) -> Number:
        return sum((factor * values[place] for place, factor in self.factors.items()), self.constant)


@dataclass(frozen=True, slots=True)
class Row:
    """A form without its constant, between two bounds (null: none)."""

    factors: Mapping[int, Number]
    low: Number | None
    high: Number | None


@dataclass(frozen=True, slots=True)
class Choice:
    """A variable that equals one of several forms: the row ``first + i`` keeps it on the right side of the i-th.

    ``reads`` are the inputs that this hangs on; where one of them is null, nothing does.
    """

    variable: int
    options: tuple[Form, ...]
    first: int
    reads: frozenset[str]


class Linear:
    """Collects the variables, rows and choices that some terms need. Every variable is an integer."""

    def __init__(self, inputs: tuple[str, ...]) -> None:
        self.forms: dict[str, Form] = {name: Form({place: 1}) for place, name in enumerate(inputs)}
        self.reads: dict[str, frozenset[str]] = {name: frozenset((name,)) for name in inputs}
        self.variables = len(inputs)
        self.rows: list[Row] = []
        self.choices: list[Choice] = []

    def define(self, name: str, term: Term) -> None:
        """A let, after those that it reads."""
        self.reads[name] = frozenset[str]().union(*(self.reads[used] for used in term.names))
        self.forms[name] = self._form(term, self.reads[name])

    def _form(self, term: Term, reads: frozenset[str]) -> Form:
        if term.constant is not None:
            return Form(constant=term.constant)
        if term.operator == "name":
            return self.forms[next(iter(term.names))]
        parts = [self._form(part, reads) for part in term.parts]
        if term.operator == "+":
            return parts[0].plus(parts[1])
        if term.operator == "*":
            return parts[0].times(term.factor)
        if term.operator in ("ceil", "floor"):
            return self._rounded(1 if term.operator == "ceil" else -1, parts[0])
        if term.operator == "abs":
            return self._chosen(1, [parts[0], parts[0].times(-1)], reads)
        return self._chosen(1 if term.operator == "max" else -1, parts, reads)

    def _variable(self) -> int:
        self.variables += 1
        return self.variables - 1

    def _rounded(self, sign: int, inner: Form) -> Form:
        """``z = ceil(n/d)`` is ``0 <= d * z - n <= d - 1``, for integers; with the sign turned, ``floor``."""
        by = inner.denominator
        if by == 1:
            return inner
        place = self._variable()
        gap = Form({place: sign}).plus(inner, -sign).times(by)
        self.rows.append(Row(gap.factors, -gap.constant, by - 1 - gap.constant))
        return Form({place: 1})

    def _chosen(self, sign: int, options: list[Form], reads: frozenset[str]) -> Form:
        """``z = max(...)``: at least each of them, and equal to one; with the sign turned, ``min``.

        The variable is z times the common denominator, so that it is an integer too.
        """
        by = math.lcm(*(option.denominator for option in options))
        place = self._variable()
        raised = tuple(option.times(by) for option in options)
        first = len(self.rows)
        for option in raised:
            excess = Form({place: sign}).plus(option, -sign)
            self.rows.append(Row(excess.factors, -excess.constant, None))
        self.choices.append(Choice(place, raised, first, reads))
        return Form({place: _whole(Fraction(1, by))})


def reduced(factors: Mapping[int, Number]) -> tuple[dict[int, Number], int]:
    """The factors of a sum of integers divided by what they have in common, and by how much."""
    step = math.gcd(*(cast("int", factor) for factor in factors.values())) or 1
    return {place: cast("int", factor) // step for place, factor in factors.items()}, step


def _whole(number: Number) -> Number:
    return number.numerator if number.denominator == 1 else number
