"""Lets: exact integer arithmetic that always ends, and nothing that is not of the grammar."""

from __future__ import annotations

import ast
import math
import operator
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from policy_support import codes, only_problem, table, the_table

from toolkit.policy.language.arithmetic import (
    INPUT_BITS,
    MAX_LENGTH,
    MAX_NESTING,
    MAX_OPERATIONS,
    ExpressionError,
    Term,
    parse_expression,
)
from toolkit.policy.syntax.scalars import MAX_INTEGER

KNOWN = dict.fromkeys("abc", INPUT_BITS)


def value_of(text: str, **facts: int) -> object:
    return parse_expression(text, dict.fromkeys(facts, INPUT_BITS)).evaluate(facts)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", 7),
        ("-a", -7),
        ("- -a", 7),
        ("a - b - 1", 4),
        ("a - (b - 1)", 6),
        ("2 * a + b", 16),
        ("a * 2 * 3", 42),
        ("-2 * a", -14),
        ("ceil(a / 2)", 4),
        ("floor(a / 2)", 3),
        ("floor(-a / 2)", -4),
        ("ceil(-a / 2)", -3),
        ("ceil(a / 2 + b / 2)", 5),
        ("ceil((a + b) * 2 / 3)", 6),
        ("floor(a / 2 / 2)", 1),
        ("min(a, b, 5)", 2),
        ("max(a, b)", 7),
        ("max(b)", 2),
        ("abs(b - a)", 5),
        ("floor(max(a / 2, b))", 3),
        ("floor(abs(-a / 2))", 3),
        ("min(200, ceil(a / 2))", 4),
        ("6 / 2", 3),
        ("ceil(7 / 2) * a", 28),
        ("abs(1 - 3) * a", 14),
        ("9007199254740991", MAX_INTEGER),
        ("  a+b  ", 9),
    ],
)
def test_an_expression_has_the_value_that_arithmetic_gives_it(text: str, expected: int) -> None:
    value = value_of(text, a=7, b=2)
    assert value == expected
    assert type(value) is int


def test_division_is_exact_where_floats_are_not() -> None:
    assert value_of("ceil(a / 3 * 3)", a=MAX_INTEGER) == MAX_INTEGER
    assert value_of("floor(a * 3 / 10 - a / 5 - a / 10)", a=3) == 0
    assert value_of("a + b + c", a=MAX_INTEGER, b=MAX_INTEGER, c=MAX_INTEGER) == 3 * MAX_INTEGER


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "expected a number or a name"),
        ("a b", "expected 'the end' at character 3, found 'b'"),
        ("a +", "expected a number or a name at character 4"),
        ("(a", "expected '\\)' at character 3"),
        ("a)", "expected 'the end'"),
        ("a * b", "needs a constant on one side"),
        ("a * (b + 1)", "needs a constant on one side"),
        ("1 / a", "divisor at character 3 must be a constant"),
        ("a / 0", "division by zero"),
        ("a / (1 - 1)", "division by zero"),
        ("a / 2", "must stand inside ceil"),
        ("1 / 3", "must stand inside ceil"),
        ("min(a / 2, b)", "must stand inside ceil"),
        ("d", "'d' is no integer input and no earlier let"),
        ("ceil", "'ceil' is no integer input"),
        ("ceil(a, b)", "takes one argument"),
        ("abs()", "expected a number or a name"),
        ("max(a,)", "expected a number or a name"),
        ("pow(a, 2)", "'pow' is no integer input"),
        ("a ** 2", "expected a number or a name"),
        ("a // 2", "expected a number or a name"),
        ("a % 2", "'%' at character 3 has no place"),
        ("a.b", "'\\.' at character 2 has no place"),
        ("1.5", "has no place"),
        ("1e3", "expected a number or a name"),
        ("2a", "expected a number or a name"),
        ("0400", "begins with a zero"),
        ("9007199254740992", r"beyond 2\^53 - 1"),
        ("9" * 900, r"beyond 2\^53 - 1"),
        ("a; b", "has no place"),
        ("__import__('os')", "has no place"),
        ("a if b else c", "expected 'the end'"),
        ("٣", "has no place"),
        ("a\x00", "has no place"),
        ("+" * 50 + "a", "expected a number or a name"),
    ],
)
def test_what_is_not_of_the_grammar_is_refused_with_a_reason(text: str, reason: str) -> None:
    with pytest.raises(ExpressionError, match=reason):
        parse_expression(text, KNOWN)


@pytest.mark.parametrize(
    "text",
    [
        "a" + " " * MAX_LENGTH,
        "(" * (MAX_NESTING + 1) + "a" + ")" * (MAX_NESTING + 1),
        "-" * (MAX_NESTING + 1) + "a",
        "abs(" * (MAX_NESTING + 1) + "a" + ")" * (MAX_NESTING + 1),
        "+".join(["a"] * (MAX_OPERATIONS + 2)),
        "min(" + ",".join(["a"] * (MAX_OPERATIONS + 2)) + ")",
        "*".join(["a", *["9007199254740991"] * 20]),
        "floor(" + "/".join(["a", *["9007199254740991"] * 20]) + ")",
    ],
)
def test_an_expression_is_bounded_in_length_depth_operations_and_result(text: str) -> None:
    with pytest.raises(ExpressionError, match=r"at most|longer than 1024 bits|could be longer"):
        parse_expression(text, KNOWN)


def test_the_largest_expressions_evaluate_even_from_deep_within_a_program() -> None:
    wide = parse_expression("+".join(["a"] * (MAX_OPERATIONS + 1)), KNOWN)
    deep = parse_expression("abs(" * MAX_NESTING + "a" + ")" * MAX_NESTING, KNOWN)
    results: list[object] = []

    def descend(depth: int) -> None:
        if depth:
            descend(depth - 1)
        else:
            results.extend((wide.evaluate({"a": 1}), deep.evaluate({"a": -1})))

    thread = threading.Thread(target=descend, args=(sys.getrecursionlimit() - 300,))
    thread.start()
    thread.join()
    assert results == [MAX_OPERATIONS + 1, 1]


# Against an evaluator of Python's own syntax trees, which share the grammar of what is legal here.

FUNCTIONS = {"min": min, "max": max, "abs": abs, "ceil": math.ceil, "floor": math.floor}
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul}


def oracle(node: ast.expr, facts: Mapping[str, int]) -> int | Fraction:
    match node:
        case ast.Constant():
            return Fraction(node.value)
        case ast.Name():
            return Fraction(facts[node.id])
        case ast.UnaryOp():
            return -oracle(node.operand, facts)
        case ast.BinOp(op=ast.Div()):
            return oracle(node.left, facts) / oracle(node.right, facts)
        case ast.BinOp():
            return OPERATORS[type(node.op)](oracle(node.left, facts), oracle(node.right, facts))
        case ast.Call(func=ast.Name()):
            return Fraction(FUNCTIONS[node.func.id](*(oracle(one, facts) for one in node.args)))
    raise AssertionError(ast.dump(node))


NUMBERS = st.integers(0, 12).map(str)
EXPRESSIONS = st.recursive(
    NUMBERS | st.sampled_from("abc"),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-"]), inner).map(lambda parts: f"({' '.join(parts)})"),
        st.tuples(NUMBERS, inner).map(lambda parts: f"{parts[0]} * {parts[1]}"),
        st.tuples(inner, st.integers(1, 9).map(str)).map(lambda parts: f"({parts[0]}) / {parts[1]}"),
        inner.map(lambda part: f"-({part})"),
        st.tuples(st.sampled_from(["ceil", "floor", "abs"]), inner).map(lambda parts: f"{parts[0]}({parts[1]})"),
        st.tuples(st.sampled_from(["min", "max"]), st.lists(inner, min_size=2, max_size=3)).map(
            lambda parts: f"{parts[0]}({', '.join(parts[1])})"
        ),
    ),
    max_leaves=8,
)
FACTS = st.fixed_dictionaries(dict.fromkeys("abc", st.integers(-20, 20) | st.integers(-MAX_INTEGER, MAX_INTEGER)))


@given(EXPRESSIONS, FACTS)
@settings(max_examples=300)
def test_values_agree_with_exact_fractions(text: str, facts: dict[str, int]) -> None:
    term = parse_expression(f"floor({text})", KNOWN)
    expected = math.floor(oracle(ast.parse(text, mode="eval").body, facts))
    value = term.evaluate(facts)
    assert value == expected
    assert type(value) is int
    assert value.bit_length() <= term.bits
    assert term.names == {name for name in "abc" if name in set(text) - set("absceil") or _reads(text, name)}


@given(EXPRESSIONS, st.lists(st.tuples(st.integers(-6, 6), st.integers(0, 3)), min_size=3, max_size=3))
@settings(max_examples=200)
def test_bounds_hold_for_every_value_within_the_intervals(text: str, ranges: list[tuple[int, int]]) -> None:
    term = parse_expression(f"floor({text})", KNOWN)
    intervals = {name: (low, low + width) for name, (low, width) in zip("abc", ranges, strict=True)}
    low, high = term.bounds(intervals)
    assert type(low) is type(high) is int
    values = [
        term.evaluate(dict(zip("abc", facts, strict=True)))
        for facts in product(*(range(first, last + 1) for first, last in intervals.values()))
    ]
    assert low <= min(values)
    assert high >= max(values)
    assert {walked(term, {name: first for name, (first, _) in intervals.items()})} == {values[0]}


def walked(term: Term, facts: Mapping[str, int]) -> Fraction:
    """The value of a term by its tree alone."""
    parts = [walked(part, facts) for part in term.parts]
    match term.operator:
        case "constant":
            assert term.constant is not None
            return Fraction(term.constant)
        case "name":
            return Fraction(facts[next(iter(term.names))])
        case "+":
            return parts[0] + parts[1]
        case "*":
            return term.factor * parts[0]
        case function:
            return Fraction(FUNCTIONS[function](*parts))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b", (-2, 13)),
        ("a - b", (-13, 2)),
        ("-2 * a + 1", (-5, 7)),
        ("ceil(a / 2)", (-1, 2)),
        ("floor(a / 2)", (-2, 1)),
        ("min(a, b, 4)", (-3, 3)),
        ("max(a, b)", (1, 10)),
        ("abs(a)", (0, 3)),
        ("abs(a - 5)", (2, 8)),
        ("7", (7, 7)),
    ],
)
def test_bounds_are_exact_where_each_name_is_read_once(text: str, expected: tuple[int, int]) -> None:
    assert parse_expression(text, KNOWN).bounds({"a": (-3, 3), "b": (1, 10)}) == expected


def _reads(text: str, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(ast.parse(text)))


@given(st.text(alphabet="abc019+-*/(), minmaxceilfloorabs", max_size=30) | st.text(max_size=20))
def test_any_text_is_an_expression_or_a_reason(text: str) -> None:
    with suppress(ExpressionError):
        term = parse_expression(text, KNOWN)
        assert type(term.evaluate(dict.fromkeys("abc", 3))) is int


# In a table.


def with_lets(lets: str, cell: str = "{r: {gte: 0}}", inputs: str = "a: {type: integer}, b: {type: integer}") -> str:
    return table(
        f"hit: collect\ninputs: {{{inputs}}}\nlet: {lets}\noutputs: {{y: {{type: boolean}}}}\n"
        f"rows:\n  - {{id: hit, when: {cell}, then: {{y: true}}}}\n"
    )


def test_a_let_reads_integer_inputs_and_earlier_lets() -> None:
    both = the_table(with_lets('{s: "a - b", r: "s * 2 - 1"}'))
    assert both.decide_all(a=2, b=1)
    assert not both.decide_all(a=1, b=1)


@pytest.mark.parametrize(
    ("lets", "inputs", "code"),
    [
        ('{r: "s", s: "a"}', "a: {type: integer}", "bad_expression"),
        ('{r: "r"}', "a: {type: integer}", "bad_expression"),
        ('{r: "a"}', "a: {type: boolean}", "bad_expression"),
        ('{r: "a"}', "a: {type: list, items: {type: integer}}", "bad_expression"),
        ('{r: "a"}', "a: {type: integer, informs: true}", "bad_expression"),
        ('{a: "1"}', "a: {type: integer}", "duplicate_id"),
        ("{r: 1}", "a: {type: integer}", "wrong_type"),
        ('{R: "a"}', "a: {type: integer}", "bad_name"),
    ],
)
def test_a_let_reads_nothing_else(lets: str, inputs: str, code: str) -> None:
    assert codes(with_lets(lets, "{a: 1}", inputs))[0] == code


def test_an_input_that_informs_is_named_where_a_let_would_read_it() -> None:
    text = with_lets('{r: "a + b"}', "{b: 1}", "a: {type: integer, informs: true}, b: {type: integer}")
    assert only_problem(text).hint == "'a' only informs, so a let can't read it"


def test_lets_that_multiply_each_other_up_do_not_load() -> None:
    lets = ", ".join(f'l{n}: "9007199254740991 * {f"l{n - 1}" if n else "a"}"' for n in range(25))
    assert "bad_expression" in codes(with_lets(f"{{{lets}}}", "{a: 1}"))


def test_a_let_over_a_null_is_null_and_tested_like_an_optional_input() -> None:
    inputs = "a: {type: integer, optional: true}, b: {type: integer}"
    present = the_table(with_lets('{r: "a + b"}', "{r: {present: true, gte: 0}}", inputs))
    assert present.decide_all(a=1, b=1)
    assert not present.decide_all(a=None, b=1)
    absent = the_table(with_lets('{s: "a + b", r: "max(s, 5)"}', "{r: null}", inputs))
    assert absent.decide_all(a=None, b=1)
    assert not absent.decide_all(a=0, b=1)
    assert codes(with_lets('{r: "a + b"}', "{r: {gte: 0}}", inputs)) == ["null_guard"]
    assert codes(with_lets('{r: "b"}', "{r: null}", inputs)) == ["never_null"]


def test_a_let_may_compute_with_the_fields_of_a_record() -> None:
    each = the_table(
        table(
            "hit: first\neach: items\n"
            "inputs: {items: {type: list, items: {type: record, fields: {n: {type: integer}}}},"
            " limit: {type: integer}}\n"
            'let: {over: "n - limit"}\noutputs: {y: {type: boolean}}\n'
            "rows:\n  - {id: above, when: {over: {gt: 0}}, then: {y: true}}\n  - {id: within, then: {y: false}}\n"
        )
    )
    decisions = each.decide_all(items=[{"n": 1}, {"n": 9}], limit=5)
    assert [(one.item, one.row) for one in decisions] == [(0, "within"), (1, "above")]
