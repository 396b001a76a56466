"""Held against asking everything: the differences that are told of small tables are those that there are."""

from __future__ import annotations

import random

from comparison_support import Maker, Spec, differing, loaded, shows, untold
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from toolkit.authoring.comparison import Comparison, compare
from toolkit.policy.problems import PolicyError
from toolkit.policy.tables import Table

RUNS = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
FEWER = settings(RUNS, max_examples=20)
SEEDS = st.integers(0, 2**32)
SINGLE = st.sampled_from(["unique", "first"])
INCOMPARABLE = ("one decides once", "no facts are legal in both")


def compared(before: Spec, after: Spec) -> tuple[Comparison, tuple[Table, Table]]:
    try:
        one, other = loaded(before), loaded(after)
    except PolicyError:
        assume(False)  # the edit took away what a cell names
        raise
    return compare(one, other), (one.table("t.table"), other.table("t.table"))


def hold(before: Spec, after: Spec) -> None:
    """What is told is what there is: the rows, the directions, and a witness for each."""
    found, tables = compared(before, after)
    told = [(one.row_before, one.row_after, one.direction) for one in found.changes if one.kind == "decision"]
    assert len(set(told)) == len(told)
    assert all(one.reason.startswith(INCOMPARABLE) for one in found.unproved)
    if found.complete:
        assert set(told) == differing(tables, (before, after))
    else:
        assert not told


def hold_lists(before: Spec, after: Spec) -> None:
    found, tables = compared(before, after)
    told = [one for one in found.changes if one.witness is not None]
    keys = {(one.row_before, one.row_after, one.direction, one.kind) for one in told}
    assert len(keys) == len(told)
    refused = [
        one for one in told if any(isinstance(side, dict) and "error" in side for side in (one.before, one.after))
    ]
    assert all(shows(tables, (before, after), one) for one in told if one not in refused)
    if found.complete:
        assert not list(untold(tables, (before, after), keys))
    else:
        # Equal answers of which some changed places hide whether others did.
        assert all(one.subject == "sequence" or one.reason.startswith(INCOMPARABLE) for one in found.unproved)


@RUNS
@given(SEEDS, SINGLE)
def test_of_an_edited_table_exactly_what_is_decided_differently_is_told(seed: int, hit: str) -> None:
    maker = Maker(random.Random(seed))
    before = maker.body(hit)
    hold(before, maker.edit(before))


@FEWER
@given(SEEDS, SINGLE)
def test_of_an_edited_table_with_texts_too(seed: int, hit: str) -> None:
    maker = Maker(random.Random(seed), texts=True)
    before = maker.body(hit)
    hold(before, maker.edit(before))


@FEWER
@given(SEEDS, SINGLE, SINGLE)
def test_of_two_tables_that_have_nothing_to_do_with_each_other_too(seed: int, hit: str, other: str) -> None:
    maker = Maker(random.Random(seed))
    hold(maker.body(hit), maker.body(other))


@RUNS
@given(SEEDS, st.booleans())
def test_of_an_edited_list_whatever_is_lost_new_or_moved_is_told(seed: int, texts: bool) -> None:
    maker = Maker(random.Random(seed), texts=texts)
    before = maker.body("collect")
    hold_lists(before, maker.edit(before))


@FEWER
@given(SEEDS)
def test_of_two_lists_that_have_nothing_to_do_with_each_other_too(seed: int) -> None:
    maker = Maker(random.Random(seed))
    hold_lists(maker.body("collect"), maker.body("collect"))


@FEWER
@given(SEEDS, st.sampled_from(["unique", "first", "collect"]), st.permutations(["high", "middle", "low"]))
def test_another_order_of_terms_is_a_change_of_the_tables_that_compare_them(
    seed: int, hit: str, terms: list[str]
) -> None:
    body = Maker(random.Random(seed)).body(hit)
    sets = loaded(body), loaded(body, tuple(terms))
    found = compare(*sets)
    tables = sets[0].table("t.table"), sets[1].table("t.table")
    told = {(one.row_before, one.row_after, one.direction) for one in found.changes if one.kind == "decision"}
    if hit != "collect" and found.complete:
        assert told == differing(tables, (body, body))
    assert found.complete or {one.subject for one in found.unproved} == {"sequence"}
    assert found.changed == (() if terms == ["high", "middle", "low"] else ("t.rank",))
