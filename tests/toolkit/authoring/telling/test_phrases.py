"""Conditions in plain English, for every operator, asked and turned around."""

from __future__ import annotations

import pytest
from policy_support import SEVERITY, table, the_table

from toolkit.authoring.telling.phrases import held, missed, phrase, unlike, value_text
from toolkit.policy.deciding.matching import Cell
from toolkit.policy.language.conditions import Not

INTEGER, STRING = "{type: integer}", "{type: string}"
LIST = "{type: list, items: {type: string}}"
CASES = [
    (INTEGER, "7", "is 7", "is not 7"),
    (INTEGER, "{gt: 400}", "is more than 400", "is at most 400"),
    (INTEGER, "{gte: 400}", "is at least 400", "is less than 400"),
    (INTEGER, "{lt: 400}", "is less than 400", "is at least 400"),
    (INTEGER, "{lte: 400}", "is at most 400", "is more than 400"),
    (INTEGER, "{gte: 3, lte: 5}", "is at least 3 and at most 5", "is less than 3 or more than 5"),
    ("{type: boolean}", "true", "is true", "is not true"),
    (STRING, "[a, b]", 'is one of "a", "b"', 'is none of "a", "b"'),
    (STRING, "[a]", 'is "a"', 'is not "a"'),
    (STRING, "[a, b, c, d, e]", 'is one of "a", "b", "c" and 2 more', 'is none of "a", "b", "c" and 2 more'),
    ("{type: string, optional: true}", "null", "is missing (null)", "is not null"),
    ("{type: string, optional: true}", "[a, null]", 'is one of "a", null', 'is none of "a", null'),
    ("{type: string, optional: true}", "{present: true}", "is not null", "is missing (null)"),
    ("{type: string, optional: true}", "{present: false}", "is missing (null)", "is not null"),
    ("{type: integer, optional: true}", "{present: true, gt: 4}", "is more than 4", "is missing (null) or at most 4"),
    (STRING, "{not: a}", 'is not "a"', 'is "a"'),
    ("{type: term, of: t.severity}", "{gte: medium}", 'is "medium" or above', 'is below "medium"'),
    ("{type: term, of: t.severity}", "{lt: medium}", 'is below "medium"', 'is "medium" or above'),
    ("{type: path}", "{glob: ['billing/**']}", "matches billing/**", "does not match billing/**"),
    ("{type: path}", "{glob: ['a/**', b]}", "matches one of a/**, b", "matches none of a/**, b"),
    (
        "{type: path}",
        "{glob: ['*.md'], ignore_case: true}",
        "matches *.md (ignoring case)",
        "does not match *.md (ignoring case)",
    ),
    ("{type: text}", "{matches: ['a.c']}", "contains a.c", "does not contain a.c"),
    (LIST, "{some: login}", 'has an item that is "login"', 'has no item that is "login"'),
    (LIST, "{every: {not: a}}", 'has no items but those that are not "a"', 'has an item that is "a"'),
    (
        LIST,
        "{every: {glob: ['a*']}}",
        "has no items but those that match a*",
        "has an item that does not match a*",
    ),
    (LIST, "{count: 0}", "is empty", "is not empty"),
    (LIST, "{count: {gte: 1}}", "is not empty", "is empty"),
    (LIST, "{count: 1}", "has 1 item", "has not 1 item"),
    (LIST, "{count: {gt: 2}}", "has more than 2 items", "has at most 2 items"),
]  # fmt: skip


def cell(declared: str, asked: str) -> Cell:
    text = (
        f"hit: collect\ninputs:\n  x: {declared}\noutputs:\n  y: {{type: boolean}}\n"
        f"rows:\n  - id: hit\n    when: {{x: {asked}}}\n    then: {{y: true}}\n"
    )
    ((one,),) = [when.cells for when in the_table(SEVERITY, table(text)).whens]
    return one


@pytest.mark.parametrize(("declared", "asked", "said", "turned"), CASES)
def test_a_condition_and_its_opposite_in_words(declared: str, asked: str, said: str, turned: str) -> None:
    condition = cell(declared, asked).condition
    assert phrase(condition) == said
    assert phrase(condition, negated=True) == turned
    assert phrase(Not(condition)) == turned


@pytest.mark.parametrize(
    ("declared", "asked", "value", "said"),
    [
        (INTEGER, "{gt: 400}", 612, "x is 612, more than 400"),
        ("{type: boolean}", "false", False, "x is false"),
        (STRING, "[a, b]", "b", 'x is "b", one of "a", "b"'),
        ("{type: string, optional: true}", "null", None, "x is missing (null)"),
        (
            "{type: path}",
            "{glob: ['a/**', 'b/**', '**/c']}",
            "b/x",
            'x is "b/x", which matches b/**',
        ),
        ("{type: text, optional: true}", "{present: true, matches: ['z', 'y']}", "xy", 'x is "xy", which contains y'),
        (LIST, "{count: {gte: 1}}", ["a"], 'x is ["a"], not empty'),
    ],
)
def test_what_holds_is_told_with_its_value(declared: str, asked: str, value: object, said: str) -> None:
    assert held(cell(declared, asked), value) == said


def test_of_several_conditions_those_that_failed_are_told() -> None:
    both = cell("{type: path}", "{glob: ['a/**'], not: {glob: ['**/*.md']}}")
    assert missed(both, "b/x.py") == "matches a/**"
    assert missed(both, "a/x.md") == "does not match **/*.md"
    assert missed(cell("{type: integer, optional: true}", "{present: true, gt: 4}"), None) == "more than 4"
    assert unlike(cell("{type: integer, optional: true}", "{present: true, gt: 4}")) == "at most 4"


def test_a_long_value_is_told_by_its_beginning() -> None:
    assert len(value_text("x" * 10_000)) < 500
    assert value_text(list(range(1000))).startswith("[0, 1, 2")
    assert len(value_text(["y" * 300] * 1000)) < 500
