"""Facts and outputs: what a value may be. Nothing is coerced, nothing is taken for something else."""

from __future__ import annotations

from collections import OrderedDict, UserDict
from collections.abc import Callable, Mapping
from enum import IntEnum, StrEnum
from types import MappingProxyType
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policy_support import SEVERITY, codes, head, one_input, only_problem, table, the_table

from toolkit.policy.problems import MAX_TEXT, PolicyError
from toolkit.policy.syntax.scalars import MAX_INTEGER
from toolkit.policy.tables import Table
from toolkit.policy.types import freeze, thaw


class Word(StrEnum):
    HIGH = "high"


class Number(IntEnum):
    ONE = 1


class Text(str):
    """Text that says it equals everything."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return True


class Pair(NamedTuple):
    a: str
    b: str


DECLARED = {
    "boolean": "{type: boolean}",
    "integer": "{type: integer, minimum: 0, maximum: 10}",
    "string": "{type: string}",
    "path": "{type: path}",
    "text": "{type: text}",
    "term": "{type: term, of: t.severity}",
    "subset": "{type: term, of: t.severity, one_of: [high, low]}",
    "words": "{type: term, one_of: [a, b]}",
    "strings": "{type: list, items: {type: string}}",
    "integers": "{type: list, items: {type: integer, minimum: 0}}",
    "terms": "{type: list, items: {type: term, of: t.severity}}",
}
LEGAL: Mapping[str, tuple[object, ...]] = {
    "boolean": (True, False),
    "integer": (0, 10),
    "string": ("", "text", "да"),
    "path": ("src/a.py",),
    "text": ("two\nlines",),
    "term": ("high", "medium", "low"),
    "subset": ("high", "low"),
    "words": ("a", "b"),
    "strings": ([], (), ["a", ""], ("a",)),
    "integers": ([], [0, 1]),
    "terms": (["high", "high"],),
}
NEVER: tuple[object, ...] = (
    *(1.0, 0.5, float("nan"), float("inf"), 1j, b"high", object(), int, {"a": 1}, {"a"}, frozenset(), range(2)),
    *(Word.HIGH, Number.ONE, Text("high"), Text("a"), Pair("a", "b"), [[]], [None], [1.0], [True], iter(())),
    *("\ud800", "a\udfff", ["\udcff"]),
)


def table_of(declared: str) -> Table:
    return the_table(
        SEVERITY,
        table(
            f"hit: first\ninputs:\n  x: {declared}\noutputs:\n  y: {{type: boolean}}\n"
            "rows:\n  - {id: always, then: {y: true}}\n"
        ),
    )


TABLES = {name: table_of(declared) for name, declared in DECLARED.items()}
OPTIONAL = {name: table_of(declared[:-1] + ", optional: true}") for name, declared in DECLARED.items()}


def refusal(table: Table, **facts: object) -> PolicyError:
    with pytest.raises(PolicyError) as caught:
        table.decide(**facts)
    assert caught.value.exit_status == 2
    return caught.value


def is_text(value: object) -> bool:
    return type(value) is str and not any("\ud800" <= character <= "\udfff" for character in value)


def is_list_of(belongs: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: type(value) in (list, tuple) and all(map(belongs, value))  # type: ignore[call-overload]


def is_term(value: object) -> bool:
    return is_text(value) and value in ("high", "medium", "low")


BELONGS: Mapping[str, Callable[[object], bool]] = {
    "boolean": lambda value: type(value) is bool,
    "integer": lambda value: type(value) is int and 0 <= value <= 10,
    **dict.fromkeys(("string", "path", "text"), is_text),
    "term": is_term,
    "subset": lambda value: is_term(value) and value != "medium",
    "words": lambda value: is_text(value) and value in ("a", "b"),
    "strings": is_list_of(is_text),
    "integers": is_list_of(lambda value: type(value) is int and value >= 0),
    "terms": is_list_of(is_term),
}


@pytest.mark.parametrize("name", DECLARED)
def test_a_fact_is_accepted_if_it_is_of_the_type_and_refused_by_name_if_not(name: str) -> None:
    accepted = 0
    for value in (*NEVER, *(one for values in LEGAL.values() for one in values)):
        if BELONGS[name](value):
            accepted += 1
            assert TABLES[name].decide(x=value).row == "always"
        else:
            fault = refusal(TABLES[name], x=value)
            assert fault.code == "fact_invalid"
            assert "the fact 'x' is " in fault.message
    assert accepted >= len(LEGAL[name])


@pytest.mark.parametrize("name", DECLARED)
def test_null_is_legal_where_the_input_is_optional_and_nowhere_else(name: str) -> None:
    assert OPTIONAL[name].decide(x=None).row == "always"
    assert refusal(TABLES[name], x=None).code == "fact_invalid"


@pytest.mark.parametrize("value", [-1, 11, True, False, 5.0, "5", MAX_INTEGER + 1, 10**5000, -(10**5000)], ids=type)
def test_an_integer_is_a_whole_number_within_its_bounds(value: object) -> None:
    assert refusal(TABLES["integer"], x=value).code == "fact_invalid"


@pytest.mark.parametrize("value", [MAX_INTEGER + 1, -MAX_INTEGER - 1, 2**1000])
def test_no_integer_lies_beyond_what_json_holds_exactly(value: int) -> None:
    unbounded = table_of("{type: integer}")
    assert unbounded.decide(x=MAX_INTEGER).row == "always"
    assert unbounded.decide(x=-MAX_INTEGER).row == "always"
    assert refusal(unbounded, x=value).code == "fact_invalid"


def test_every_missing_unknown_and_ill_typed_fact_is_named_at_once() -> None:
    two = the_table(
        table(
            "hit: first\ninputs: {spent: {type: integer}, passive: {type: boolean}}\noutputs: {y: {type: boolean}}\n"
            "rows:\n  - {id: always, then: {y: true}}\n"
        )
    )
    fault = refusal(two, spnt=1, passive="yes")
    assert fault.code == "fact_missing"
    assert "'spent' is missing" in fault.message
    assert "'passive' is 'yes', not true or false" in fault.message
    assert "there is no fact 'spnt' (did you mean 'spent'?)" in fault.message


def test_a_million_unknown_facts_make_a_short_message() -> None:
    fault = refusal(TABLES["boolean"], x=True, **{f"unknown_{n}": n for n in range(100_000)})
    assert fault.code == "fact_unknown"
    assert "and 99980 more" in fault.message
    assert len(fault.message) < 30 * MAX_TEXT


@pytest.mark.parametrize("value", ["x" * 10**7, ["x" * 10**7], {"k": "x" * 10**7}, 10**100_000, b"x" * 10**7], ids=type)
def test_no_message_repeats_a_huge_fact(value: object) -> None:
    assert len(refusal(TABLES["boolean"], x=value).message) < 3 * MAX_TEXT


def test_a_fact_in_a_message_is_safe_to_print() -> None:
    message = refusal(TABLES["boolean"], x="\x1b[31m\ud800\n").message
    assert message.isprintable()


def test_tuples_and_lists_are_the_same_fact() -> None:
    some = the_table(one_input("{type: list, items: {type: string}}", "{some: a}"))
    assert some.decide_all(x=["b", "a"]) == some.decide_all(x=("b", "a")) != some.decide_all(x=("b",))


def test_a_text_that_pretends_to_equal_everything_is_no_fact() -> None:
    equal = the_table(one_input("{type: string}", "secret"))
    with pytest.raises(PolicyError):
        equal.decide_all(x=Text("guess"))


RECORDS = table(
    "hit: first\neach: items\n"
    "inputs:\n  items: {type: list,"
    " items: {type: record, fields: {a: {type: integer}, b: {type: string, optional: true}}}}\n"
    "outputs: {y: {type: boolean}}\nrows:\n  - {id: always, then: {y: true}}\n"
)


@pytest.mark.parametrize(
    "record",
    [
        *({}, {"a": 1}, {"a": 1, "b": None, "c": 1}, {"a": "1", "b": "x"}, {"a": None, "b": "x"}, {"a": 1, "b": 2}),
        *([("a", 1), ("b", "x")], "ab", None, 1),
    ],
)
def test_a_record_has_exactly_its_fields(record: object) -> None:
    each = the_table(RECORDS)
    good: tuple[Mapping[str, object], ...] = (
        {"a": 1, "b": None},
        OrderedDict(a=1, b="x"),
        MappingProxyType({"a": 1, "b": ""}),
    )
    assert len(each.decide_all(items=[*good, UserDict({"a": 1, "b": "x"})])) == 4
    with pytest.raises(PolicyError):
        each.decide_all(items=[*good, record])


# What may be declared.


@pytest.mark.parametrize(
    ("declared", "code"),
    [
        ("{}", "missing_key"),
        ("{type: bolean}", "unknown_word"),
        ("{type: [integer]}", "wrong_type"),
        ("integer", "wrong_type"),
        ("{type: integer, minimum: 2, maximum: 1}", "empty_range"),
        ("{type: integer, minimum: '1'}", "wrong_type"),
        ("{type: integer, minimum: true}", "wrong_type"),
        ("{type: integer, minimun: 1}", "unknown_key"),
        ("{type: string, minimum: 1}", "unknown_key"),
        ("{type: boolean, optional: 1}", "wrong_type"),
        ("{type: boolean, optional: 'true'}", "wrong_type"),
        ("{type: boolean, default: false}", "unknown_key"),
        ("{type: term}", "missing_key"),
        ("{type: term, of: t.severty}", "unknown_vocabulary"),
        ("{type: term, of: t.data}", "unknown_vocabulary"),
        ("{type: term, of: t.severity, one_of: [high, hgih]}", "unknown_term"),
        ("{type: term, one_of: []}", "bad_one_of"),
        ("{type: term, one_of: [a, a]}", "bad_one_of"),
        ("{type: term, one_of: [a, 1]}", "wrong_type"),
        ("{type: term, one_of: a}", "wrong_type"),
        ("{type: list}", "missing_key"),
        ("{type: list, items: {type: list, items: {type: string}}}", "nested_list"),
        ("{type: list, items: {type: string, optional: true}}", "unknown_key"),
        ("{type: list, items: {type: record, fields: {a: {type: string}}}}", "record_misplaced"),
        ("{type: record, fields: {a: {type: string}}}", "record_misplaced"),
        ("{type: boolean, stronger: [true, false]}", "unknown_key"),
    ],
)
def test_a_declaration_is_read_strictly(declared: str, code: str) -> None:
    assert codes(SEVERITY, one_input(declared, "true")) == [code]


def test_a_wrong_term_in_a_subset_is_shown_with_the_nearest() -> None:
    problem = only_problem(SEVERITY, one_input("{type: term, of: t.severity, one_of: [high, hgih]}", "high"))
    assert problem.hint == "did you mean 'high'?"
    assert (problem.mark.line, problem.mark.column) == (9, 50)


@pytest.mark.parametrize("name", ["X", "1x", "a-b", "a.b", "", "any_of", "error", "item", "да", "a" * 62])
def test_a_name_is_lower_case_words_and_none_that_a_table_uses_itself(name: str) -> None:
    quoted = f"'{name}'"
    as_input = head("table", "t.table") + (
        f"hit: first\ninputs: {{{quoted}: {{type: boolean}}}}\noutputs: {{y: {{type: boolean}}}}\n"
        "rows:\n  - {id: r, then: {y: true}}\n"
    )
    as_output = (
        as_input.replace(quoted, "x")
        .replace("{y: {type", f"{{{quoted}: {{type")
        .replace("{y: true}", f"{{{quoted}: true}}")
    )
    assert codes(as_input)[0] in ("bad_name", "reserved_name")
    assert codes(as_output)[0] in ("bad_name", "reserved_name")


def test_a_name_may_be_any_that_python_uses_itself() -> None:
    named = the_table(
        table(
            "hit: first\ninputs: {self: {type: boolean}, lambda: {type: boolean}}\noutputs: {y: {type: boolean}}\n"
            "rows:\n  - {id: both, when: {self: true, lambda: true}, then: {y: true}}\n"
            "  - {id: else, then: {y: false}}\n"
        )
    )
    assert named.decide(**{"self": True, "lambda": True}).row == "both"


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


@given(JSON_VALUES)
def test_a_frozen_value_thaws_to_itself(value: object) -> None:
    assert thaw(freeze(value)) == value
