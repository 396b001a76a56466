"""The record of a decision: read strictly, whatever it comes from."""

from __future__ import annotations

from typing import Any

import pytest

from toolkit.authoring.past import MAX_DEPTH, Origin, Past, PastProblem, Unreadable, read_decision

HERE = Origin("log.jsonl", 3)
GOOD: dict[str, Any] = {"document": "t.table", "facts": {"a": [1, {"b": None}]}, "outputs": {"y": True}, "row": "r"}


def nested(depth: int) -> object:
    value: object = "x"
    for _ in range(depth):
        value = [value]
    return value


def test_a_record_is_its_question_answer_place_and_count() -> None:
    one = read_decision(GOOD, HERE, "2026-01-02T03:04:05Z")
    assert (one.document, one.facts, one.outputs, one.row) == (*GOOD.values(),)
    assert (one.origin.place, one.at, one.times) == ("log.jsonl:3", "2026-01-02T03:04:05Z", 1)
    other = read_decision({**GOOD, "times": 7, "at": "yesterday"}, HERE, "2026-01-02T03:04:05Z")
    assert (other.at, other.times) == ("yesterday", 7)


def test_a_list_of_answers_has_a_row_for_each() -> None:
    one = read_decision({**GOOD, "outputs": [{"y": 1}, {"y": 2}], "row": ["a", "b"]}, HERE)
    assert one.row == ["a", "b"]
    assert read_decision({**GOOD, "outputs": [], "row": []}, HERE).outputs == []


def test_depth_has_a_limit() -> None:
    assert read_decision({**GOOD, "facts": {"a": nested(MAX_DEPTH - 2)}}, HERE)
    with pytest.raises(Unreadable, match="deeper"):
        read_decision({**GOOD, "facts": {"a": nested(MAX_DEPTH)}}, HERE)


@pytest.mark.parametrize(
    "change",
    [
        {"document": ""},
        {"document": None},
        {"document": "x" * 201},
        {"facts": []},
        {"facts": None},
        {"facts": {1: 2}},
        {"facts": {"a": {None: 2}}},
        {"facts": {"a": float("inf")}},
        {"facts": {"a": b"bytes"}},
        {"outputs": "x"},
        {"outputs": []},
        {"outputs": [{}], "row": "r"},
        {"outputs": [{}], "row": ["a", "b"]},
        {"outputs": ["x"], "row": ["a"]},
        {"outputs": [{}], "row": [1]},
        {"row": None},
        {"row": ["r"]},
        {"times": 0},
        {"times": True},
        {"times": 2**60},
        {"at": ""},
        {"at": 3},
        {"version": "1.0.0"},
        {7: "x"},
    ],
)
def test_whatever_else_is_no_record_and_says_what_is_wrong(change: dict[Any, Any]) -> None:
    with pytest.raises(Unreadable) as caught:
        read_decision({**GOOD, **change}, HERE)
    assert 0 < len(str(caught.value)) < 400


@pytest.mark.parametrize("key", list(GOOD))
def test_a_key_that_is_missing_is_named(key: str) -> None:
    with pytest.raises(Unreadable, match=f"'{key}' is missing"):
        read_decision({name: value for name, value in GOOD.items() if name != key}, HERE)


@pytest.mark.parametrize("record", [None, [], "x", 1])
def test_what_is_no_object_is_no_record(record: object) -> None:
    with pytest.raises(Unreadable, match="a decision is an object"):
        read_decision(record, HERE)


def test_what_several_keep_is_told_together() -> None:
    one = Past((read_decision(GOOD, HERE),), (), 1)
    other = Past((), (PastProblem("log_incomplete", "cut short", "x.md"),), 3, ("old.md",))
    both = Past.joined([one, other])
    assert (len(both.decisions), len(both.problems), both.records, both.empty) == (1, 1, 4, ("old.md",))
    assert Past.joined([]) == Past()
