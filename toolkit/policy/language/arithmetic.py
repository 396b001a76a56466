"""``let``: exact integer arithmetic over integer inputs and earlier lets, parsed by hand and compiled to closures.

Grammar: integers, names, ``+ - * /``, parentheses, ``min max ceil floor abs``. A product has a constant on one
side, a quotient a constant divisor; a quotient is an exact rational and must stand inside ``ceil`` or ``floor``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from toolkit.policy.syntax.scalars import MAX_INTEGER

Number = int | Fraction
Interval = tuple[Number, Number]
Evaluate = Callable[[Mapping[str, object]], Number]

MAX_LENGTH = 1000
MAX_NESTING = 32
MAX_OPERATIONS = 100  # each one is a call within a call when the expression is evaluated
MAX_BITS = 1024  # of a let's possible values; lets that multiply each other up would grow without end
INPUT_BITS = MAX_INTEGER.bit_length()
_ROUNDING: dict[str, Callable[[Number], int]] = {"ceil": math.ceil, "floor": math.floor}
_FUNCTIONS = ("abs", "ceil", "floor", "max", "min")
_OPERATORS = ("+", "-", "*", "/", ",")


class ExpressionError(ValueError):
    """An expression that is not of the grammar; the text says what and at which character."""


@dataclass(frozen=True, slots=True)
class Term:
    """A part of an expression: how to compute it, which names it reads, and what is known of it statically.

    ``bits`` bounds how long its numerator and denominator can be. ``operator`` and ``parts`` are the expression as a
    tree, for those who reason about it: ``constant`` and ``name`` have no parts, ``+`` has two, ``*`` has one, and
    ``factor`` beside it, the functions have their arguments.
    """

    evaluate: Evaluate
    names: frozenset[str] = frozenset()
    constant: Number | None = None
    rational: bool = False
    bits: int = INPUT_BITS
    operator: str = "name"
    parts: tuple[Term, ...] = ()
    factor: Number = 1

    def bounds(self, intervals: Mapping[str, Interval]) -> Interval:
        """The least and the greatest value that it could have while each name stays within its interval (inclusive).

        Never too narrow; exact where no name is read twice, but for an ``abs`` across zero. A term that is not
        ``rational`` has integers as bounds.
        """
        if self.constant is not None:
            return self.constant, self.constant
        if self.operator == "name":
            (name,) = self.names
            return intervals[name]
        return combined(self.operator, self.factor, [part.bounds(intervals) for part in self.parts])


def constant(value: Number) -> Term:
    """A constant; a fraction that is whole becomes the integer that it is."""
    exact = value.numerator if value.denominator == 1 else value
    bits = max(exact.numerator.bit_length(), exact.denominator.bit_length())
    return Term(lambda _: exact, constant=exact, rational=isinstance(exact, Fraction), bits=bits, operator="constant")


def combined(operator: str, factor: Number, parts: Sequence[Interval]) -> Interval:
    """The interval of one operation from those of its parts."""
    lows, highs = [part[0] for part in parts], [part[1] for part in parts]
    if operator == "+":
        return lows[0] + lows[1], highs[0] + highs[1]
    if operator == "*":
        ends = (factor * lows[0], factor * highs[0])
        return ends if factor >= 0 else (ends[1], ends[0])
    if operator in _ROUNDING:
        rounding = _ROUNDING[operator]
        return rounding(lows[0]), rounding(highs[0])
    if operator == "abs":
        return max(lows[0], -highs[0], 0), max(highs[0], -lows[0])
    choose = min if operator == "min" else max
    return choose(lows), choose(highs)


def parse_expression(text: str, known: Mapping[str, int]) -> Term:
    """Parse an expression; ``known`` holds the names that it may read (inputs and earlier lets) and their ``bits``.

    Returns a term whose ``evaluate`` takes the checked facts. Raises ``ExpressionError``.
    """
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"an expression has at most {MAX_LENGTH} characters")
    tokens = list(_tokens(text))
    if sum(token in _OPERATORS for token, _place in tokens) > MAX_OPERATIONS:
        raise ExpressionError(f"an expression has at most {MAX_OPERATIONS} operations")
    parser = _Parser(tokens, known)
    term = parser.sum()
    parser.expect_end()
    if term.rational:
        raise ExpressionError("a quotient must stand inside ceil(...) or floor(...)")
    if term.bits > MAX_BITS:
        raise ExpressionError(f"the result could be longer than {MAX_BITS} bits")
    return term


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    position = 0
    while position < len(text):
        character = text[position]
        end = position + 1
        if character.isspace():
            position = end
            continue
        if character.isascii() and (character.isalnum() or character == "_"):
            while end < len(text) and text[end].isascii() and (text[end].isalnum() or text[end] == "_"):
                end += 1
        elif character not in "+-*/(),":
            raise ExpressionError(f"{character!r} at character {position + 1} has no place in an expression")
        yield text[position:end], position + 1
        position = end
    yield "", len(text) + 1


class _Parser:
    """Recursive descent with a depth limit."""

    def __init__(self, tokens: list[tuple[str, int]], known: Mapping[str, int]) -> None:
        self.tokens = tokens
        self.known = known
        self.at = 0
        self.depth = 0

    def sum(self) -> Term:
        left = self._product()
        while self._peek() in ("+", "-"):
            sign = 1 if self._next() == "+" else -1
            left = _add(left, self._product(), sign)
        return left

    def expect_end(self) -> None:
        self._expect("")

    def _product(self) -> Term:
        left = self._unary()
        while self._peek() in ("*", "/"):
            operator, place = self._next(), self.tokens[self.at - 1][1]
            right = self._unary()
            left = _multiply(left, right, place) if operator == "*" else _divide(left, right, place)
        return left

    def _unary(self) -> Term:
        if self._peek() == "-":
            self._next()
            self._deeper()
            term = _multiply(constant(-1), self._unary(), self.tokens[self.at - 1][1])
            self.depth -= 1
            return term
        return self._atom()

    def _atom(self) -> Term:
        token, place = self.tokens[self.at]
        self.at += 1
        if token == "(":  # noqa: S105 - a token of the grammar
            self._deeper()
            inner = self.sum()
            self._expect(")")
            self.depth -= 1
            return inner
        if token.isdigit():
            return constant(_number(token, place))
        if token in _FUNCTIONS and self._peek() == "(":
            return self._call(token, place)
        if token in self.known:
            return Term(_read(token), frozenset((token,)), bits=self.known[token])
        if not token or not (token[0].isalpha() or token[0] == "_"):
            raise ExpressionError(f"expected a number or a name at character {place}")
        raise ExpressionError(f"{token!r} is no integer input and no earlier let")

    def _call(self, function: str, place: int) -> Term:
        self._expect("(")
        self._deeper()
        arguments = [self.sum()]
        while self._peek() == ",":
            self._next()
            arguments.append(self.sum())
        self._expect(")")
        self.depth -= 1
        if function in (*_ROUNDING, "abs") and len(arguments) != 1:
            raise ExpressionError(f"{function} at character {place} takes one argument")
        return _apply(function, arguments)

    def _deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise ExpressionError(f"an expression nests at most {MAX_NESTING} deep")

    def _peek(self) -> str:
        return self.tokens[self.at][0]

    def _next(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1][0]

    def _expect(self, wanted: str) -> None:
        token, place = self.tokens[self.at]
        if token != wanted:
            found = token or "the end"
            raise ExpressionError(f"expected {wanted or 'the end'!r} at character {place}, found {found!r}")
        self.at += 1


def _number(token: str, place: int) -> int:
    if len(token) > 1 and token.startswith("0"):
        raise ExpressionError(f"the number at character {place} begins with a zero: write it without")
    if len(token) > 16 or int(token) > MAX_INTEGER:
        raise ExpressionError(f"the number at character {place} is beyond 2^53 - 1")
    return int(token)


def _read(name: str) -> Evaluate:
    return lambda values: cast("int", values[name])


def _add(left: Term, right: Term, sign: int) -> Term:
    if left.constant is not None and right.constant is not None:
        return constant(left.constant + sign * right.constant)
    first, second = left.evaluate, right.evaluate
    evaluate: Evaluate = (lambda v: first(v) + second(v)) if sign > 0 else (lambda v: first(v) - second(v))
    rational = left.rational or right.rational
    # The sum of two fractions has the product of their denominators.
    bits = left.bits + right.bits + 1 if rational else max(left.bits, right.bits) + 1
    parts = (left, right if sign > 0 else _scaled(-1, right))
    return Term(evaluate, left.names | right.names, rational=rational, bits=bits, operator="+", parts=parts)


def _multiply(left: Term, right: Term, place: int) -> Term:
    if left.constant is not None and right.constant is not None:
        return constant(left.constant * right.constant)
    factor, other = (left, right) if left.constant is not None else (right, left)
    if factor.constant is None:
        raise ExpressionError(f"the product at character {place} needs a constant on one side")
    return _scaled(factor.constant, other)


def _divide(left: Term, right: Term, place: int) -> Term:
    if right.constant is None:
        raise ExpressionError(f"the divisor at character {place} must be a constant")
    if right.constant == 0:
        raise ExpressionError(f"division by zero at character {place}")
    by = Fraction(1) / right.constant
    if left.constant is not None:
        return constant(left.constant * by)
    return _scaled(by, left, rational=True)


def _scaled(by: Number, inner: Term, *, rational: bool = False) -> Term:
    """A term times a constant; ``rational`` where it was written as a quotient, whole or not."""
    if inner.constant is not None:
        return constant(by * inner.constant)
    evaluate = inner.evaluate
    factor = constant(by)
    return Term(
        lambda v: by * evaluate(v), inner.names, rational=rational or inner.rational or factor.rational,
        bits=factor.bits + inner.bits, operator="*", parts=(inner,), factor=by,
    )  # fmt: skip


def _apply(function: str, arguments: list[Term]) -> Term:
    evaluate = _applied(function, [argument.evaluate for argument in arguments])
    if all(argument.constant is not None for argument in arguments):
        return constant(evaluate({}))
    names = frozenset().union(*(argument.names for argument in arguments))
    rational = function not in _ROUNDING and any(argument.rational for argument in arguments)
    bits = max(argument.bits for argument in arguments)
    return Term(evaluate, names, rational=rational, bits=bits, operator=function, parts=tuple(arguments))


def _applied(function: str, parts: list[Evaluate]) -> Evaluate:
    first = parts[0]
    if function in _ROUNDING:
        rounding = _ROUNDING[function]
        return lambda v: rounding(first(v))
    if function == "abs":
        return lambda v: _absolute(first(v))  # asked once: two calls a level would be exponential in the nesting
    if function == "min":
        return lambda v: min(part(v) for part in parts)
    return lambda v: max(part(v) for part in parts)


def _absolute(value: Number) -> Number:
    return max(value, -value)
