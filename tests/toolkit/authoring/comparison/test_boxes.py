"""What it costs: an edit of one row of a large table is found without going through the table."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

import pytest
from comparison_support import HEAD, Spec, loaded

from toolkit.authoring.comparison import compare

TERMS = [f"t{place}" for place in range(5)]
NUMBERS = {name: {"type": "integer", "minimum": 0, "maximum": 1000} for name in "abcd"}
OUTPUTS = {"y": {"type": "term", "one_of": ["a", "b", "c"], "stronger": ["a", "b", "c"]}, "w": {"type": "string"}}
LETS = {"v": "a + 2 * b - c", "u": "max(a, d) - b"}
PLACE = 100


def table(hit: str, inputs: Spec, whens: list[Spec], let: Spec | None = None) -> Spec:
    rows: list[Spec] = [
        {"id": f"r{number}", "when": when, "then": {"y": "abc"[number % 3], "w": f"r{number}"}}
        for number, when in enumerate(whens)
    ]
    if hit == "first":
        rows.append({"id": "rest", "then": {"y": "a", "w": "rest"}})
    own = {"kind": "table", "id": "t.table", "hit": hit, "inputs": inputs, "outputs": OUTPUTS, "rows": rows}
    return {**HEAD, **own, **({"let": let} if let else {})}


def grid(_hit: str) -> Spec:
    """A partition by two integers."""
    steps = [
        {"gte": low * 1000 // parts, **({"lt": (low + 1) * 1000 // parts} if low < parts - 1 else {})}
        for parts in (20, 10)
        for low in range(parts)
    ]
    return table("unique", NUMBERS, [{"a": one, "b": other} for one in steps[:20] for other in steps[20:]])


def ranges(hit: str, let: Spec | None = None) -> Spec:
    """Rows that are wide in two of several names, so that most of them meet."""
    chance = random.Random(1)
    whens = []
    for _ in range(199):
        names = chance.sample([*NUMBERS, *(let or ())], 2)
        when: Spec = {name: {chance.choice(["gt", "lt"]): chance.randrange(1000)} for name in names}
        whens.append({**when, **({"p": chance.sample(TERMS, 2)} if chance.random() < 0.5 else {})})
    return table(hit, {**NUMBERS, "p": {"type": "term", "one_of": TERMS}}, whens, let)


def boxes(hit: str, let: Spec | None = None) -> Spec:
    """Rows that are narrow in three names."""
    chance = random.Random(2)
    whens = []
    for _ in range(199):
        lows = {name: chance.randrange(900) for name in chance.sample([*NUMBERS, *(let or ())], 3)}
        whens.append({name: {"gte": low, "lte": low + 100} for name, low in lows.items()})
    return table(hit, NUMBERS, whens, let)


def paths(hit: str) -> Spec:
    whens = [{"f": {"glob": [f"d{number}/**", f"**/*.e{number}"]}} for number in range(199)]
    return table(hit, {"f": {"type": "path"}}, whens)


def answer(rows: list[Spec]) -> None:
    rows[PLACE]["then"] = {"y": "abc"[(PLACE + 1) % 3], "w": "edited"}


def bound(rows: list[Spec]) -> None:
    name, cell = next(iter(rows[PLACE]["when"].items()))
    if "glob" in cell:
        cell["glob"] = ["elsewhere/**"]
    else:
        operator = next(iter(cell))
        rows[PLACE]["when"][name] = {**cell, operator: cell[operator] + 7}


def gone(rows: list[Spec]) -> None:
    del rows[PLACE]


def refused(rows: list[Spec]) -> None:
    rows[PLACE]["then"] = {"error": "unsure"}


def moved(rows: list[Spec]) -> None:
    rows[PLACE : PLACE + 2] = [rows[PLACE + 1], rows[PLACE]]


def doubled(rows: list[Spec]) -> None:
    rows.insert(PLACE, {**copy.deepcopy(rows[3]), "id": "new"})


SHAPES: dict[str, Callable[[str], Spec]] = {
    "ranges": ranges,
    "ranges of lets": lambda hit: ranges(hit, LETS),
    "boxes": boxes,
    "boxes of lets": lambda hit: boxes(hit, {"v": LETS["v"]}),
    "paths": paths,
}
EDITS = {one.__name__: one for one in (answer, bound, gone, refused, moved, doubled)}


def split(before: Spec, edit: Callable[[list[Spec]], Any]) -> int:
    after = copy.deepcopy(before)
    edit(after["rows"])
    found = compare(loaded(before), loaded(after))
    assert found.complete, found.unproved
    return found.boxes


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
@pytest.mark.parametrize("hit", ["first", "collect"])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_one_row_of_two_hundred_costs_at_most_two_thousand_boxes(
    shape: Callable[[str], Spec], hit: str, edit: Callable[[list[Spec]], Any]
) -> None:
    assert split(shape(hit), edit) <= 2_000


@pytest.mark.parametrize("edit", [answer, refused])
def test_a_row_of_a_partition_costs_nothing(edit: Callable[[list[Spec]], Any]) -> None:
    assert split(grid(""), edit) == 0


def test_a_row_above_all_others_is_held_against_each_of_them() -> None:
    def to_the_top(rows: list[Spec]) -> None:
        rows.insert(0, rows.pop(PLACE))

    assert split(ranges("first", LETS), to_the_top) <= 2_000


def test_where_the_boxes_end_it_is_said_that_nothing_is_known() -> None:
    before = ranges("first", LETS)
    after = copy.deepcopy(before)
    gone(after["rows"])
    found = compare(loaded(before), loaded(after), budget=3)
    assert (found.complete, found.boxes) == (False, 3)
    assert found.unproved[-1].reason == "3 boxes were split without an answer"
