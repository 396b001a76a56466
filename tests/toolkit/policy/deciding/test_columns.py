"""Columns: the classes of values that the cells of a table can tell apart, and which of them a cell allows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policy_support import SEVERITY, load, table

from toolkit.policy.deciding.columns import Column, column, columns_of, names_of, opaque
from toolkit.policy.language.conditions import AllOf, Compare, Condition, Equals, Not, OneOf, Pattern, Present
from toolkit.policy.language.rules import TableDocument
from toolkit.policy.syntax.scalars import Scalar
from toolkit.policy.types import BooleanType, IntegerType, TermType, TextType

GRADES = TermType(("high", "medium", "low"), "t.severity", {"high": 3, "medium": 2, "low": 1})


def parsed(body: str) -> TableDocument:
    return load(SEVERITY, table(body)).table("t.table").document


def held(found: Column, condition: Condition) -> list[str]:
    """The atoms on which a condition holds, in words."""
    mask = found.mask(condition)
    return [atom.text() for place, atom in enumerate(found.atoms) if mask >> place & 1]


def test_integers_are_cut_where_a_cell_begins_or_ceases_to_hold() -> None:
    above, three = Compare("gt", 10), Equals(3)
    found = column("x", IntegerType(0, 100), False, [above, three])
    assert [atom.text() for atom in found.atoms] == ["0 to 2", "3", "4 to 10", "11 to 100"]
    assert held(found, above) == ["11 to 100"]
    assert held(found, Not(three)) == ["0 to 2", "4 to 10", "11 to 100"]
    assert [found.index(value) for value in (0, 2, 3, 4, 10, 11, 100)] == [0, 0, 1, 2, 2, 3, 3]


def test_a_constant_out_of_reach_cuts_nothing_and_holds_nowhere_or_everywhere() -> None:
    cells = [Compare("gte", 0), Compare("lt", -5), Compare("lte", 900), Equals(101)]
    found = column("x", IntegerType(0, 100), False, cells)
    assert [held(found, cell) for cell in cells] == [["0 to 100"], [], ["0 to 100"], []]


def test_null_is_an_atom_of_its_own_and_the_last_one() -> None:
    found = column("x", IntegerType(0, 9), True, [AllOf((Present(True), Compare("lt", 4)))])
    assert [atom.text() for atom in found.atoms] == ["0 to 3", "4 to 9", "null"]
    assert held(found, Not(Equals(None))) == ["0 to 3", "4 to 9"]
    assert held(found, Not(AllOf((Present(True), Compare("lt", 4))))) == ["4 to 9", "null"]
    assert found.index(None) == found.null == 2


def test_terms_and_booleans_have_an_atom_for_each_value() -> None:
    grades = column("x", GRADES, True, [])
    assert [atom.text() for atom in grades.atoms] == ["high", "medium", "low", "null"]
    assert held(grades, Compare("gte", "medium", GRADES)) == ["high", "medium"]
    assert held(grades, OneOf(("low", None))) == ["low", "null"]
    switch = column("x", BooleanType(), False, [])
    assert held(switch, Equals(True)) == ["true"]
    with pytest.raises(ValueError, match="no legal value"):
        grades.index("grave")


def test_a_text_that_no_cell_names_is_any_other() -> None:
    found = column("x", TextType("string"), False, [OneOf(("b", "other")), Not(Equals("a"))])
    assert [atom.text() for atom in found.atoms] == ["a", "b", "other", "any other text"]
    assert found.atoms[3].sample not in ("a", "b", "other")
    assert found.index("anything") == found.rest == 3
    assert held(found, Not(OneOf(("b", "other")))) == ["a", "any other text"]


def test_a_condition_that_would_split_an_atom_is_refused() -> None:
    numbers = column("x", IntegerType(0, 9), False, [Compare("gt", 4)])
    texts = column("x", TextType("string"), False, [Equals("a")])
    for found, condition in ((numbers, Compare("gt", 3)), (numbers, Equals(4)), (texts, Equals("b"))):
        with pytest.raises(ValueError, match=r"alone|both sides"):
            found.mask(condition)
    glob = Pattern("glob", ("**",), False, lambda _: True)
    assert opaque(AllOf((Present(True), Not(glob))))
    with pytest.raises(ValueError, match="no matter of atoms"):
        texts.mask(glob)


def test_the_columns_of_a_table_are_the_names_that_its_cells_test() -> None:
    document = parsed("""\
        hit: first
        each: things
        inputs:
          things: {type: list, items: {type: record, fields: {n: {type: integer, minimum: 0, optional: true}}}}
          limit: {type: integer, minimum: 0, maximum: 10}
          unused: {type: boolean}
          seen: {type: list, items: {type: string}}
          note: {type: string, informs: true}
        let: {left: "limit - 2 * n"}
        outputs: {y: {type: boolean}}
        rows:
          - {id: a, when: {seen: {count: 0}, any_of: [{n: null}, {left: {present: true, lt: 0}}]}, then: {y: true}}
          - {id: b, then: {y: false}}
        """)
    assert set(names_of(document)) == {"limit", "unused", "seen", "n", "left"}
    columns = columns_of(document)
    assert list(columns) == ["n", "left"]
    assert [atom.text() for atom in columns["left"].atoms] == [f"-{2 * (2**53 - 1)} to -1", "0 to 10", "null"]


INTEGERS = IntegerType(-4, 4)
COMPARED = st.builds(Compare, st.sampled_from(["gt", "gte", "lt", "lte"]), st.integers(-6, 6))
CELLS = st.recursive(
    st.one_of(
        COMPARED.map(lambda one: AllOf((Present(True), one))),
        st.builds(Equals, st.integers(-4, 4)),
        st.lists(st.one_of(st.none(), st.integers(-4, 4)), min_size=1, max_size=3).map(lambda one: OneOf(tuple(one))),
        st.builds(Present, st.booleans()),
    ),
    lambda inner: st.one_of(inner.map(Not), st.lists(inner, min_size=1, max_size=2).map(lambda one: AllOf(tuple(one)))),
    max_leaves=4,
)


def values() -> Iterator[Scalar]:
    yield from range(-4, 5)
    yield None


@given(st.lists(CELLS, min_size=1, max_size=3))
def test_a_mask_says_of_every_value_what_the_cell_says(cells: list[Condition]) -> None:
    found = column("x", INTEGERS, True, cells)
    for cell in cells:
        mask, holds = found.mask(cell), cell.compile()
        for value in values():
            assert bool(mask >> found.index(value) & 1) == holds(value)
    numbers = found.atoms[:-1]
    assert [atom.low for atom in numbers] == [-4, *(atom.high + 1 for atom in numbers[:-1] if atom.high is not None)]
    assert numbers[-1].high == 4
    assert found.atoms[-1].sample is None
