"""The cells of a table: what each condition holds for, what it does with null, and what may not stand there."""

from __future__ import annotations

import pytest
from policy_support import SEVERITY, codes, data, head, one_input, only_problem, table, the_table

from toolkit.policy.problems import PolicyError

ASCENDING = head("vocabulary", "t.size") + "order: ascending\nterms: [{term: small}, {term: big}]\n"
SEQUENCE = head("vocabulary", "t.lens") + "order: sequence\nterms: [{term: first}, {term: second}]\n"


def holds(declared: str, cell: str, value: object) -> bool:
    """Whether the row with this one cell matches the value."""
    return bool(the_table(SEVERITY, ASCENDING, SEQUENCE, one_input(declared, cell)).decide_all(x=value))


BOOLEAN, INTEGER, STRING = "{type: boolean}", "{type: integer}", "{type: string}"
PATH, TEXT = "{type: path}", "{type: text}"
TERM, SIZE, LENS = "{type: term, of: t.severity}", "{type: term, of: t.size}", "{type: term, of: t.lens}"
STRINGS, INTEGERS = "{type: list, items: {type: string}}", "{type: list, items: {type: integer}}"
TERMS = "{type: list, items: {type: term, of: t.severity}}"
MAYBE = "{type: integer, optional: true}"
MAYBE_TERM = "{type: term, of: t.severity, optional: true}"
MAYBE_FLAG = "{type: boolean, optional: true}"
MAYBE_LIST = "{type: list, items: {type: string}, optional: true}"
MAYBE_PATH = "{type: path, optional: true}"


@pytest.mark.parametrize(
    ("declared", "cell", "matching", "failing"),
    [
        (BOOLEAN, "true", [True], [False]),
        (BOOLEAN, "false", [False], [True]),
        (BOOLEAN, "[true, false]", [True, False], []),
        (INTEGER, "3", [3], [2, 4, -3]),
        (INTEGER, "[1, 3]", [1, 3], [0, 2]),
        (INTEGER, "1", [1], [0]),
        (STRING, "a", ["a"], ["", "A", "aa"]),
        (STRING, "'1'", ["1"], ["01", "true"]),
        (STRING, "''", [""], [" "]),
        (TERM, "high", ["high"], ["medium", "low"]),
        (TERM, "[high, low]", ["high", "low"], ["medium"]),
        (INTEGER, "{gt: 3}", [4], [3, 2]),
        (INTEGER, "{gte: 3}", [3, 4], [2]),
        (INTEGER, "{lt: 3}", [2, -9], [3]),
        (INTEGER, "{lte: 3}", [3], [4]),
        (INTEGER, "{gte: 1, lt: 3}", [1, 2], [0, 3]),
        (INTEGER, "{gte: 1, lte: 9, not: 5}", [1, 9], [0, 5, 10]),
        (TERM, "{gte: medium}", ["high", "medium"], ["low"]),
        (TERM, "{gt: medium}", ["high"], ["medium", "low"]),
        (TERM, "{lte: medium}", ["medium", "low"], ["high"]),
        (TERM, "{lt: high, not: low}", ["medium"], ["high", "low"]),
        (SIZE, "{gte: big}", ["big"], ["small"]),
        (SIZE, "{lt: big}", ["small"], ["big"]),
        (LENS, "[first]", ["first"], ["second"]),
        (BOOLEAN, "{not: true}", [False], [True]),
        (INTEGER, "{not: [1, 2]}", [3], [1, 2]),
        (INTEGER, "{not: {gte: 3}}", [2], [3]),
        (INTEGER, "{not: {not: 1}}", [1], [2]),
        (INTEGER, "{not: {gte: 1, lte: 3}}", [0, 4], [1, 3]),
        (STRINGS, "{some: a}", [["a"], ["b", "a"]], [[], ["b"]]),
        (STRINGS, "{some: {not: a}}", [["b"], ["a", "b"]], [[], ["a"]]),
        (STRINGS, "{every: a}", [[], ["a", "a"]], [["a", "b"]]),
        (STRINGS, "{not: {some: a}}", [[], ["b"]], [["a"]]),
        (STRINGS, "{count: 0}", [[]], [["a"]]),
        (STRINGS, "{count: {gte: 2}}", [["a", "a"]], [[], ["a"]]),
        (STRINGS, "{every: a, count: {gte: 1}}", [["a"]], [[], ["b"]]),
        (STRINGS, "{count: {not: 1}}", [[], ["a", "b"]], [["a"]]),
        (INTEGERS, "{some: {gte: 1, lte: 3}}", [[0, 2]], [[0, 4], []]),
        (TERMS, "{some: {gte: medium}}", [["low", "high"]], [["low"], []]),
        (TERMS, "{every: [high, medium]}", [["high"], []], [["high", "low"]]),
        (PATH, "{glob: ['src/**']}", ["src/a"], ["lib/a"]),
        (PATH, "{glob: ['*.MD'], ignore_case: true}", ["a.md"], ["a.mdx"]),
        (PATH, "{glob: ['*.md'], ignore_case: false}", ["a.md"], ["a.MD"]),
        (PATH, "{glob: ['src/**'], not: {glob: ['**/*.md']}}", ["src/a"], ["src/a.md", "a"]),
        (STRING, "{matches: ['^a+$']}", ["aa", "b\naa"], ["ab"]),
        (TEXT, "{matches: [x, y]}", ["y", "a\nx"], ["z"]),
        (STRINGS, "{some: {matches: ['^a']}}", [["b", "ab"]], [["b"], []]),
    ],
)
def test_a_condition_holds_for_what_it_says(
    declared: str, cell: str, matching: list[object], failing: list[object]
) -> None:
    for value in matching:
        assert holds(declared, cell, value), value
    for value in failing:
        assert not holds(declared, cell, value), value


@pytest.mark.parametrize(
    ("declared", "cell", "at_null", "matching", "failing"),
    [
        (MAYBE, "null", True, [], [0, 1]),
        (MAYBE, "0", False, [0], [1]),
        (MAYBE, "[null, 1]", True, [1], [0]),
        (MAYBE, "[1, 2]", False, [1], [0]),
        (MAYBE, "{not: 1}", True, [0], [1]),
        (MAYBE, "{not: [1, 2]}", True, [0], [1, 2]),
        (MAYBE, "{not: null}", False, [0, 1], []),
        (MAYBE, "{not: [null, 1]}", False, [0], [1]),
        (MAYBE, "{not: {not: 1}}", False, [1], [0]),
        (MAYBE, "{present: true}", False, [0, 1], []),
        (MAYBE, "{present: false}", True, [], [0]),
        (MAYBE, "{not: {present: true}}", True, [], [0]),
        (MAYBE, "{not: {present: false}}", False, [0], []),
        (MAYBE, "{present: true, gte: 3}", False, [3], [2]),
        (MAYBE, "{gte: 3, present: true}", False, [3], [2]),
        (MAYBE, "{present: true, not: 1}", False, [0], [1]),
        (MAYBE, "{present: true, not: {gte: 3}}", False, [2], [3]),
        (MAYBE, "{not: {present: true, gte: 3}}", True, [2], [3]),
        (MAYBE_TERM, "{present: true, gte: medium}", False, ["high"], ["low"]),
        (MAYBE_TERM, "{not: low}", True, ["high"], ["low"]),
        (MAYBE_FLAG, "{not: false}", True, [True], [False]),
        (MAYBE_FLAG, "false", False, [False], [True]),
        (MAYBE_LIST, "null", True, [], [[], ["a"]]),
        (MAYBE_LIST, "{present: true, count: 0}", False, [[]], [["a"]]),
        (MAYBE_LIST, "{present: true, every: a}", False, [[], ["a"]], [["b"]]),
        (MAYBE_LIST, "{not: {present: true, some: a}}", True, [[], ["b"]], [["a"]]),
        (MAYBE_PATH, "{present: true, glob: ['**']}", False, ["a"], []),
        (MAYBE_PATH, "{present: true, not: {glob: ['a']}}", False, ["b"], ["a"]),
    ],
)
def test_null_goes_where_the_cell_says(
    declared: str, cell: str, at_null: bool, matching: list[object], failing: list[object]
) -> None:
    assert holds(declared, cell, None) is at_null
    for value in matching:
        assert holds(declared, cell, value), value
    for value in failing:
        assert not holds(declared, cell, value), value


@pytest.mark.parametrize(
    ("declared", "cell"),
    [
        *((MAYBE, f"{{{operator}: 1}}") for operator in ("gt", "gte", "lt", "lte")),
        (MAYBE, "{not: {gte: 1}}"),
        (MAYBE, "{not: {not: {gte: 1}}}"),
        (MAYBE, "{present: false, gte: 1}"),
        (MAYBE, "{not: {present: false, gte: 1}}"),
        (MAYBE_TERM, "{gte: low}"),
        (MAYBE_PATH, "{glob: ['**']}"),
        (MAYBE_PATH, "{not: {glob: ['**']}}"),
        (MAYBE_LIST, "{some: a}"),
        (MAYBE_LIST, "{every: a}"),
        (MAYBE_LIST, "{count: 0}"),
        (MAYBE_LIST, "{not: {count: 0}}"),
        ("{type: text, optional: true}", "{matches: [a]}"),
    ],
)
def test_what_can_t_be_asked_of_null_needs_present_in_the_same_cell(declared: str, cell: str) -> None:
    assert codes(SEVERITY, one_input(declared, cell)) == ["null_guard"]


def test_present_in_another_alternative_guards_nothing() -> None:
    text = table(
        "hit: collect\ninputs: {x: {type: integer, optional: true}}\noutputs: {y: {type: boolean}}\nrows:\n"
        "  - {id: r, when: {x: {present: true}, any_of: [{x: {gte: 1}}, {x: 0}]}, then: {y: true}}\n"
    )
    assert codes(text) == ["null_guard"]


@pytest.mark.parametrize(
    ("declared", "cell", "code"),
    [
        (INTEGER, "null", "never_null"),
        (INTEGER, "[1, null]", "never_null"),
        (INTEGER, "{not: null}", "never_null"),
        (INTEGER, "{present: true}", "never_null"),
        (MAYBE, "{present: true, not: null}", "never_null"),
        (MAYBE, "{present: 'true'}", "wrong_type"),
        (MAYBE, "{present: null}", "wrong_type"),
        (STRINGS, "{some: null}", "never_null"),
        (INTEGER, "true", "wrong_value"),
        (INTEGER, "'1'", "wrong_value"),
        (BOOLEAN, "1", "wrong_value"),
        (BOOLEAN, "[true, 0]", "wrong_value"),
        (BOOLEAN, "'true'", "wrong_value"),
        (STRING, "1", "wrong_value"),
        (STRING, "true", "wrong_value"),
        (TERM, "hihg", "wrong_value"),
        (TERM, "[high, blocker]", "wrong_value"),
        (TERM, "{not: lwo}", "wrong_value"),
        (TERM, "{gte: blocker}", "wrong_value"),
        ("{type: term, of: t.severity, one_of: [high, low]}", "medium", "wrong_value"),
        ("{type: integer, minimum: 0}", "-1", "wrong_value"),
        (STRINGS, "{count: -1}", "wrong_value"),
        (STRINGS, "{count: a}", "wrong_value"),
        (INTEGERS, "{some: true}", "wrong_value"),
        (INTEGER, "[]", "empty_cell"),
        (INTEGER, "{}", "empty_cell"),
        (INTEGER, "{not: []}", "empty_cell"),
        (PATH, "{glob: []}", "empty_cell"),
        (TEXT, "{matches: []}", "empty_cell"),
        (INTEGER, "{gt: '1'}", "wrong_type"),
        (INTEGER, "{gt: true}", "wrong_type"),
        (INTEGER, "{gt: [1]}", "wrong_type"),
        (INTEGER, "[[1]]", "wrong_type"),
        (INTEGER, "[{gt: 1}]", "wrong_type"),
        (TERM, "{gte: [high]}", "wrong_type"),
        (PATH, "{glob: '**'}", "wrong_type"),
        (PATH, "{glob: [1]}", "wrong_type"),
        (PATH, "{glob: ['**'], ignore_case: 1}", "wrong_type"),
        (LENS, "{gte: first}", "not_comparable"),
        ("{type: term, one_of: [a, b]}", "{gte: a}", "not_comparable"),
        (BOOLEAN, "{gte: true}", "wrong_operator"),
        (STRING, "{gt: a}", "wrong_operator"),
        (STRINGS, "a", "wrong_operator"),
        (STRINGS, "[a]", "wrong_operator"),
        (STRINGS, "{gt: 1}", "wrong_operator"),
        (STRINGS, "{glob: ['**']}", "wrong_operator"),
        (STRING, "{some: a}", "wrong_operator"),
        (INTEGER, "{count: 1}", "wrong_operator"),
        (TEXT, "{glob: ['**']}", "wrong_operator"),
        (PATH, "{matches: [a]}", "wrong_operator"),
        (INTEGER, "{matches: ['1']}", "wrong_operator"),
        (TERM, "{glob: ['h*']}", "wrong_operator"),
        (INTEGER, "{gte: 1, ignore_case: true}", "unknown_operator"),
        (INTEGER, "{equals: 1}", "unknown_operator"),
        (INTEGER, "{ne: 1}", "unknown_operator"),
        (TERM, "{not_in: [high]}", "unknown_operator"),
        (INTEGER, "{any_of: [1, 2]}", "unknown_operator"),
        (PATH, "{path_glob: 'auth/**'}", "unknown_operator"),
    ],
)
def test_what_could_never_hold_or_means_nothing_does_not_load(declared: str, cell: str, code: str) -> None:
    assert codes(SEVERITY, SEQUENCE, one_input(declared, cell)) == [code]


def test_a_misspelt_operator_or_term_comes_with_the_nearest_one() -> None:
    operator = only_problem(one_input(INTEGER, "{gre: 1}"))
    assert (operator.hint, operator.document) == ("did you mean 'gte'?", "t.table")
    assert (operator.mark.line, operator.mark.column) == (14, 16)
    assert only_problem(SEVERITY, one_input(TERM, "mediun")).hint == "did you mean 'medium'?"


def test_a_misspelt_name_in_a_row_never_widens_it() -> None:
    text = table(
        "hit: first\ninputs: {path: {type: path}, lines_over: {type: integer}}\n"
        "outputs: {high: {type: boolean}}\nrows:\n"
        "  - {id: big, when: {path: {glob: ['auth/**']}, lines_ovr: 400}, then: {high: true}}\n"
        "  - {id: else, then: {high: false}}\n"
    )
    problem = only_problem(text)
    assert (problem.code, problem.hint, problem.mark.line) == ("unknown_input", "did you mean 'lines_over'?", 11)


@pytest.mark.parametrize(
    ("when", "code"),
    [
        ("{}", "wrong_type"),
        ("[]", "wrong_type"),
        ("null", "wrong_type"),
        ("true", "wrong_type"),
        ("'x > 1'", "wrong_type"),
        ("{any_of: []}", "empty_cell"),
        ("{any_of: {x: 1}}", "wrong_type"),
        ("{any_of: [{}]}", "wrong_type"),
        ("{any_of: [1]}", "wrong_type"),
        ("{any_of: [{any_of: [{x: 1}]}]}", "unknown_input"),
        ("{all_of: [{x: 1}]}", "unknown_input"),
        ("{y: true}", "unknown_input"),
    ],
)
def test_a_when_is_a_mapping_of_names_to_conditions(when: str, code: str) -> None:
    text = one_input(INTEGER, "1").replace("when: {x: 1}", f"when: {when}")
    assert codes(text) == [code]


def test_every_fault_of_a_row_is_told_at_once() -> None:
    text = table(
        "hit: first\ninputs: {a: {type: integer}, b: {type: boolean}}\noutputs: {y: {type: boolean}}\nrows:\n"
        "  - {id: r, when: {a: x, b: 1, c: 2}, then: {z: 1}, note: x}\n  - {id: r, then: {y: 1}}\n"
    )
    first = ["wrong_value", "wrong_value", "unknown_input", "missing_key", "unknown_key", "unknown_key"]
    assert sorted(codes(text)) == sorted([*first, "duplicate_id", "wrong_value"])


ALTERNATIVES = table(
    "hit: collect\ninputs: {a: {type: integer}, b: {type: boolean}, c: {type: boolean}}\n"
    "outputs: {y: {type: boolean}}\nrows:\n"
    "  - {id: hit, when: {c: true, any_of: [{a: 1}, {b: true, a: {gte: 5}}]}, then: {y: true}}\n"
)


@pytest.mark.parametrize(
    ("a", "b", "c", "expected"),
    [
        (1, False, True, True),
        (1, True, True, True),
        (1, False, False, False),
        (5, True, True, True),
        (5, True, False, False),
        (5, False, True, False),
        (4, True, True, False),
        (0, False, True, False),
    ],
)
def test_any_of_needs_one_alternative_and_every_cell_beside_it(a: int, b: bool, c: bool, expected: bool) -> None:
    assert bool(the_table(ALTERNATIVES).decide_all(a=a, b=b, c=c)) is expected


def test_an_informing_input_is_asked_for_and_never_tested() -> None:
    tested = one_input("{type: integer, informs: true}", "1")
    assert codes(tested) == ["informs"]
    untested = the_table(tested.replace("    when: {x: 1}\n", ""))
    assert untested.decide_all(x=1)
    with pytest.raises(PolicyError, match="'x' is missing"):
        untested.decide_all()


def test_a_vocabulary_named_by_a_table_must_be_one() -> None:
    assert codes(data("{}"), one_input("{type: term, of: t.data}", "a")) == ["unknown_vocabulary"]
