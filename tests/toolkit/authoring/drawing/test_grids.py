"""Policies as rows and columns: every condition stands in its cell, as short as it can be read."""

from __future__ import annotations

import pytest
from policy_support import SEVERITY, table, the_table

from toolkit.authoring.drawing.cells import condition_text, declared_text
from toolkit.authoring.drawing.grids import stacked_grid, table_grid, transposed
from toolkit.authoring.drawing.heads import requirement_text
from toolkit.policy.language.rules import TableDocument


def read(declared: str, cell: str, hit: str = "collect") -> TableDocument:
    text = (
        f"hit: {hit}\ninputs:\n  x: {declared}\noutputs:\n  y: {{type: boolean}}\n"
        f"rows:\n  - id: hit\n    when: {{x: {cell}}}\n    then: {{y: true}}\n"
    )
    return the_table(SEVERITY, table(text)).document


@pytest.mark.parametrize(
    ("declared", "cell", "text"),
    [
        ("{type: integer}", "{gt: 400}", "> 400"),
        ("{type: integer}", "{gte: 3, lte: 5}", ">= 3 and <= 5"),
        ("{type: integer}", "[1, 2]", "1 or 2"),
        ("{type: boolean}", "false", "false"),
        ("{type: string}", '"false"', '"false"'),
        ("{type: string}", '"7"', '"7"'),
        ("{type: string}", '""', '""'),
        ("{type: string}", '"a b"', '"a b"'),
        ("{type: string}", '"or"', '"or"'),
        ("{type: string, optional: true}", "null", "null"),
        ("{type: string, optional: true}", "{present: true, not: a}", "not null and not a"),
        ("{type: string}", "{not: [a, b]}", "not (a or b)"),
        ("{type: term, of: t.severity}", "{gte: medium}", ">= medium"),
        ("{type: path}", "{glob: ['a/**', '*.md'], ignore_case: true}", "a/**, *.md (ignoring case)"),
        ("{type: text}", "{matches: ['a|b', 'c,d']}", "contains\na|b\nc,d"),
        ("{type: list, items: {type: string}}", "{some: [a, b]}", "some (a or b)"),
        ("{type: list, items: {type: string}}", "{every: {not: a}}", "every not a"),
        ("{type: list, items: {type: string}}", "{count: {gte: 1}}", "count >= 1"),
    ],
)
def test_a_condition_in_a_cell(declared: str, cell: str, text: str) -> None:
    ((_, condition),) = read(declared, cell).rows[0].when.cells
    assert condition_text(condition) == text


@pytest.mark.parametrize(
    ("declared", "text"),
    [
        ("{type: integer}", "an integer"),
        ("{type: integer, minimum: 0}", "an integer, at least 0"),
        ("{type: integer, maximum: 9, optional: true}", "an integer, at most 9 or null"),
        ("{type: integer, minimum: 1, maximum: 9}", "an integer from 1 to 9"),
        ("{type: boolean, optional: true}", "true or false, or null"),
        ("{type: text, informs: true}", "text of any length (no row tests it)"),
        ("{type: term, one_of: [a, b]}", "one of: a, b"),
        ("{type: term, of: t.severity, optional: true}", "a term of t.severity: high, medium, low, or null"),
        ("{type: list, items: {type: path}}", "a list, each a path"),
    ],
)
def test_an_input_in_words(declared: str, text: str) -> None:
    rest = "outputs: {y: {type: boolean}}\nrows: [{id: a, then: {y: true}}]\n"
    document = the_table(SEVERITY, table(f"hit: first\ninputs:\n  x: {declared}\n{rest}")).document
    assert declared_text(document.inputs["x"]) == text


ALTERNATIVES = the_table(
    table(
        "hit: first\ninputs: {path: {type: path}, a: {type: boolean}, b: {type: boolean}, unused: {type: boolean}}\n"
        "outputs: {y: {type: boolean}, z: {type: string, optional: true}}\n"
        "require: [{when_output: {y: true}, inputs: {a: [true]}}]\n"
        "rows:\n"
        "  - id: many\n"
        "    when:\n"
        "      a: true\n"
        "      path: {not: {glob: ['a-long-name-of-a-directory/**', 'another-directory/**']}}\n"
        "      any_of: [{path: {glob: ['x/**']}}, {b: true}]\n"
        "    then: {y: true, z: null}\n"
        "  - {id: none, when: {b: false}, then: {error: cannot-tell}}\n"
        "  - {id: rest, then: {y: false, z: '1'}}\n"
    )
).document


def test_a_row_with_alternatives_has_a_line_for_each() -> None:
    grid = table_grid(ALTERNATIVES)
    assert [column.title for column in grid.columns] == ["row", "path", "a", "b", "=> y", "=> z"]
    excluded = "not (a-long-name-of-a-directory/**, another-directory/**)"
    assert grid.rows == (
        ("many", f"{excluded}\nand x/**", "true", "", "true", "null"),
        ("  or", "as above", "true", "true", "", ""),
        ("none", "", "", "false", "declines: cannot-tell", ""),
        ("rest", "", "", "", "false", '"1"'),
    )


def test_a_stacked_table_says_the_same_in_three_columns() -> None:
    many, none, rest = stacked_grid(ALTERNATIVES).rows
    assert many[1].splitlines()[1:3] == ["path: not (a-long-name-of-a-directory/**, another-directory/**)", "and x/**"]
    assert "\nor\n" in many[1]
    assert none == ("none", "b: false", "declines: cannot-tell")
    assert rest == ("rest", "always", 'y: false\nz: "1"')


def test_a_grid_on_its_side_has_its_cells_in_the_same_places() -> None:
    grid = table_grid(ALTERNATIVES)
    side = transposed(grid)
    assert [column.title for column in side.columns[1:]] == [row[0] for row in grid.rows]
    for at, row in enumerate(side.rows, start=1):
        assert row == (grid.columns[at].title, *(one[at] for one in grid.rows))


def test_a_requirement_in_words() -> None:
    assert requirement_text(ALTERNATIVES.require[0]) == "y is true only where a is true"
