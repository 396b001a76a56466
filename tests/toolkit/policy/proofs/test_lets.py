"""Lets: which of their values integers can give them, over all integers that there are."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from proofs_support import Spec, by_kind, proofs_of, spec

from toolkit.policy.proofs import NOT_PROVED, PROVED, REFUTED, Proof
from toolkit.policy.proofs.numbers import MAX_BRANCHES
from toolkit.policy.proofs.simplex import solve
from toolkit.policy.syntax.scalars import MAX_INTEGER

INTEGER: Spec = {"type": "integer"}
NATURAL: Spec = {"type": "integer", "minimum": 0}
MAYBE: Spec = {"type": "integer", "optional": True}
OUTPUTS = {"y": {"type": "boolean"}}


def gap_of(lets: dict[str, str], *whens: Spec, hit: str = "first", **inputs: Spec) -> Proof:
    rows = [{"id": f"r{place}", "when": when, "then": {"y": True}} for place, when in enumerate(whens)]
    body = spec(hit=hit, inputs=inputs or {"a": INTEGER, "b": INTEGER}, let=lets, outputs=OUTPUTS, rows=rows)
    (gap,) = by_kind(proofs_of(body), "gap")
    return gap


def possible(lets: dict[str, str], *, facts: Spec | None = None, **cells: Any) -> Proof:
    """Whether the lets can be what the cells say, as a gap beside all that is otherwise: refuted where they can."""
    return gap_of(lets, *({name: {"not": cell}} for name, cell in cells.items()), **(facts or {}))


def test_two_lets_that_contradict_each_other_are_seen_to_over_all_integers() -> None:
    lets = {"d": "a - b", "e": "b - a"}
    assert possible(lets, d={"gt": 0}, e={"gt": 0}).status == PROVED
    assert possible(lets, d={"gt": 0}, e={"lt": 0}).status == REFUTED
    three = {"d": "a - b", "e": "b - c", "f": "c - a"}
    inputs = {"a": INTEGER, "b": INTEGER, "c": INTEGER}
    assert possible(three, facts=inputs, d={"gt": 0}, e={"gt": 0}, f={"gte": -1}).status == PROVED
    assert possible(three, facts=inputs, d={"gt": 0}, e={"gt": 0}, f={"gte": -2}).status == REFUTED


def test_a_let_and_its_own_input_hang_together() -> None:
    assert possible({"s": "a + b"}, facts={"a": NATURAL, "b": NATURAL}, a={"gt": 5}, s={"lt": 6}).status == PROVED
    proof = possible({"s": "a + b"}, facts={"a": NATURAL, "b": NATURAL}, a={"gt": 5}, s={"lt": 7})
    assert (proof.status, proof.witness) == (REFUTED, {"a": 6, "b": 0})


def test_the_ends_of_the_integers_are_reached_and_not_passed() -> None:
    top = {"a": {"type": "integer", "minimum": 1}, "b": {"type": "integer", "minimum": 1}}
    assert possible({"s": "a - b"}, facts=top, s={"gte": MAX_INTEGER}).status == PROVED
    proof = possible({"s": "a - b"}, facts=top, s={"gte": MAX_INTEGER - 1})
    assert (proof.status, proof.witness) == (REFUTED, {"a": MAX_INTEGER, "b": 1})


def test_what_no_multiple_reaches_is_impossible() -> None:
    assert possible({"s": "6 * a - 4 * b"}, s=3).status == PROVED
    assert possible({"s": "6 * a - 4 * b + 1"}, s=3).status == REFUTED
    assert possible({"s": "a + b", "d": "a - b"}, s=5, d=2).status == PROVED
    assert possible({"s": "a + b", "d": "a - b"}, s=5, d=3).status == REFUTED


def test_rounding_is_exact() -> None:
    assert possible({"half": "ceil(a / 2)"}, half=3, a=4).status == PROVED
    assert possible({"half": "ceil(a / 2)"}, half=3, a=5).status == REFUTED
    assert possible({"third": "floor(-a / 3)"}, third=-2, a=3).status == PROVED
    assert possible({"third": "floor(-a / 3)"}, third=-2, a=4).status == REFUTED
    assert possible({"up": "ceil(a / 7)", "down": "floor(a / 7)", "d": "up - down"}, d={"gt": 1}).status == PROVED
    assert possible({"up": "ceil(a / 7)", "down": "floor(a / 7)", "d": "up - down"}, d=1).status == REFUTED
    assert possible({"x": "floor(max(a / 2, b / 3))"}, x=1, a={"gte": 4}).status == PROVED
    assert possible({"x": "floor(max(a / 2, b / 3))"}, x=1, a=3).status == REFUTED


def test_the_greatest_the_least_and_the_absolute_are_one_of_their_arguments() -> None:
    assert possible({"m": "max(a, b)"}, m={"lt": 3}, a={"gte": 3}).status == PROVED
    assert possible({"m": "max(a, b)"}, m=3, a={"lt": 3}, b={"not": 3}).status == PROVED
    assert possible({"m": "min(a, b, 10)"}, m=11).status == PROVED
    assert possible({"m": "min(a, b, 10)"}, m=10, a=11).status == REFUTED
    assert possible({"m": "abs(a)"}, m={"lt": 0}).status == PROVED
    assert possible({"m": "abs(a - b)", "s": "a + b"}, m=4, s=3).status == PROVED
    assert possible({"m": "abs(a - b)", "s": "a + b"}, m=4, s=-2, a={"lt": 0}).status == REFUTED


def test_a_let_is_null_exactly_where_an_input_is() -> None:
    inputs = {"a": MAYBE, "b": MAYBE}
    lets = {"s": "a + b", "t": "s + 1", "u": "2 * b"}
    for cells, status in (
        ({"s": None, "t": {"present": True}}, PROVED),
        ({"s": {"present": True}, "u": None}, PROVED),
        ({"s": None, "u": {"present": True}}, REFUTED),
        ({"a": None, "s": {"present": True}}, PROVED),
        ({"a": {"present": True}, "b": {"present": True}, "t": None}, PROVED),
        ({"s": None, "a": {"present": True}, "u": {"present": True}}, PROVED),
        ({"s": {"present": True, "gt": 4}, "u": {"present": True, "lt": 0}}, REFUTED),
    ):
        proof = possible(lets, facts=inputs, **cells)
        assert proof.status == status, cells
    proof = possible(lets, facts=inputs, s=None, u={"present": True})
    assert proof.witness == {"a": None, "b": 0}


def test_many_inputs_that_may_be_null_are_not_tried_in_every_combination() -> None:
    inputs = {f"a{place}": {"type": "integer", "minimum": 0, "optional": True} for place in range(12)}
    lets = {"s": " + ".join(inputs), "t": "s - a0"}
    assert possible(lets, facts=inputs, s=None, t={"present": True}).status == PROVED
    proof = possible(lets, facts=inputs, s=None, a0={"present": True}, a1={"present": True})
    assert proof.witness is not None
    assert (proof.status, proof.witness["a0"], proof.witness["a2"]) == (REFUTED, 0, None)
    proof = possible(lets, facts=inputs, s={"present": True, "gte": 5}, t={"present": True, "lt": 3})
    assert proof.status == REFUTED


def test_holes_of_a_let_are_gone_round() -> None:
    cell = {"not": list(range(-20, 21))}
    proof = possible({"s": "a + b"}, s=cell, a=0, b={"lte": 21})
    assert (proof.status, proof.witness) in ((REFUTED, {"a": 0, "b": 21}), (REFUTED, {"a": 0, "b": -21}))
    assert possible({"s": "a + b"}, s=cell, a=0, b={"lte": 20, "gte": -20}).status == PROVED


def test_what_one_place_rules_out_is_still_looked_for_in_another() -> None:
    # Where d is 5 or more, the last row covers all that its let can be; where it is less, it leaves everything open.
    inputs = {"d": NATURAL, "e": {"type": "boolean"}}
    whens = ({"d": {"gte": 5}, "e": True}, {"d": {"lt": 5}, "e": True}, {"s": {"gte": 0}})
    proof = gap_of({"s": "d - 5"}, *whens, **inputs)
    assert (proof.status, proof.witness) == (REFUTED, {"d": 0, "e": False})


def test_rows_that_only_lets_keep_apart_do_not_overlap() -> None:
    rows = [
        {"id": "more", "when": {"d": {"gt": 0}}, "then": {"y": True}},
        {"id": "less", "when": {"e": {"gt": 0}}, "then": {"y": True}},
        {"id": "same", "when": {"d": 0}, "then": {"y": True}},
    ]
    body = spec(
        hit="unique", inputs={"a": INTEGER, "b": INTEGER}, let={"d": "a - b", "e": "b - a"}, outputs=OUTPUTS, rows=rows
    )
    assert [proof.status for proof in proofs_of(body)] == [PROVED, PROVED]
    body["rows"][1]["when"]["e"] = {"gte": 0}
    overlap, gap = proofs_of(body)
    assert (overlap.status, overlap.subject, overlap.witness) == (REFUTED, ("less", "same"), {"a": 0, "b": 0})
    assert gap.status == PROVED


def test_a_question_that_branching_does_not_answer_is_not_answered() -> None:
    # Their difference is even, and never 1: neither sum shows it by itself, and there is no end of fractions to try.
    lets = {"x": "2 * a + 3 * b + 5 * c", "y": "4 * a + 3 * b + 7 * c"}
    inputs = {"a": INTEGER, "b": INTEGER, "c": INTEGER}
    proof = possible(lets, facts=inputs, x=1, y=0)
    assert (proof.status, proof.witness) == (NOT_PROVED, None)
    assert 0 < proof.boxes < 2 * MAX_BRANCHES


numbers = st.integers(-4, 4)


@given(st.lists(st.lists(numbers, min_size=3, max_size=3), min_size=1, max_size=4), st.data())
def test_the_simplex_finds_values_within_their_bounds_or_there_are_none(
    rows: list[list[int]], data: st.DataObject
) -> None:
    bounds = [sorted((data.draw(numbers), data.draw(numbers))) for _ in range(3 + len(rows))]
    lower, upper = [low for low, _ in bounds], [high for _, high in bounds]
    sums = [{place: factor for place, factor in enumerate(row) if factor} for row in rows]
    values = solve(sums, lower, upper)
    inside = [
        (x, y, z)
        for x, y, z in product(*(range(low, high + 1) for low, high in bounds[:3]))
        if all(low <= a * x + b * y + c * z <= high for (a, b, c), (low, high) in zip(rows, bounds[3:], strict=True))
    ]
    if values is None:
        assert not inside
    else:
        assert all(low <= value <= high for value, (low, high) in zip(values, bounds, strict=True))
        for row, value in zip(rows, values[3:], strict=True):
            assert sum(factor * one for factor, one in zip(row, values[:3], strict=True)) == value


@pytest.mark.parametrize("hit", ["first", "unique"])
def test_the_facts_of_an_each_table_are_one_record(hit: str) -> None:
    fields: Spec = {"n": {"type": "integer", "minimum": 0}, "why": {"type": "string", "informs": True}}
    inputs = {"items": {"type": "list", "items": {"type": "record", "fields": fields}}, "limit": NATURAL}
    rows = [
        {"id": "in", "when": {"left": {"gt": 0}}, "then": {"y": True}},
        {"id": "out", "when": {"left": {"lt": 0}}, "then": {"y": True}},
    ]
    body = spec(hit=hit, each="items", inputs=inputs, let={"left": "limit - n"}, outputs=OUTPUTS, rows=rows)
    (gap,) = by_kind(proofs_of(body), "gap")
    assert (gap.status, gap.witness) == (REFUTED, {"items": [{"n": 0, "why": "other"}], "limit": 0})
