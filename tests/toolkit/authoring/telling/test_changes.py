"""What would have to be different: every change that is told leads where it says, whatever the table is."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from policy_oracle import VOCABULARIES, Maker, vocabulary_text
from policy_support import table, the_table

from toolkit.authoring.telling import changes as changing
from toolkit.authoring.telling.changes import Change, changes_of
from toolkit.authoring.telling.questions import Question, matching, table_questions, with_value
from toolkit.authoring.telling.told import told
from toolkit.policy.problems import PolicyError
from toolkit.policy.types import IntegerType

TEXTS = tuple(map(vocabulary_text, VOCABULARIES))
RANGE = re.compile(r"(?:(at most|at least|from) )?(-?\d+)(?: to (-?\d+))?\Z")


def questions(seed: int) -> list[Question]:
    maker = Maker(seed)
    made = maker.table()
    loaded = the_table(*TEXTS, made.text)
    found = []
    for _ in range(3):
        try:
            found += table_questions(loaded, maker.facts(made), {})
        except PolicyError:
            continue
    return found


def numbers(change: Change, kind: IntegerType) -> list[int]:
    """Some of the numbers that a change speaks of, its ends among them."""
    found = RANGE.match(change.words)
    if found is None:
        return []
    word, first, last = found[1], int(found[2]), found[3]
    if word == "at most":
        return [first, max(first - 1, kind.minimum), kind.minimum]
    if word == "at least":
        return [first, min(first + 1, kind.maximum), kind.maximum]
    return [first, int(last), (first + int(last)) // 2] if last is not None else [first]


@given(st.integers(0, 2**64))
@settings(max_examples=150)
def test_what_is_said_of_numbers_holds_for_all_of_them(seed: int) -> None:
    for question in questions(seed):
        declared = {**question.document.inputs, **question.document.item_fields}
        for change in changes_of(question).found:
            kind = declared[change.name].type if change.name in declared else None
            if isinstance(kind, IntegerType):
                for number in numbers(change, kind):
                    assert matching(question.table, with_value(question, change.name, number)) == change.outcome.rows


@given(st.integers(0, 2**64))
@settings(max_examples=150)
def test_a_change_leads_to_other_rows_and_a_near_miss_is_told_one_way_or_the_other(seed: int) -> None:
    for question in questions(seed):
        now = matching(question.table, question.values)
        found = changes_of(question)
        assert found.whole
        reached = set(found.kept)
        for change in found.found:
            assert change.outcome.rows != now
            reached |= {question.document.rows[number].id for number in change.outcome.rows}
        assert set(question.explanation.near_misses) <= reached


@given(st.integers(0, 2**64))
@settings(max_examples=100)
def test_everything_that_can_be_asked_can_be_told(seed: int) -> None:
    for question in questions(seed):
        for every in (False, True):
            lines = [line.text for line in told(question, every=every)]
            assert lines[0].startswith(question.id)
            if question.explanation.refusal is not None:
                assert question.explanation.refusal.code in lines[0]
            for decision in question.explanation.decisions:
                assert any(f"row {decision.row} " in line for line in lines)


def one(body: str, facts: dict[str, Any]) -> list[tuple[str, str, tuple[int, ...]]]:
    (question,) = table_questions(the_table(table(body)), facts, {})
    return [(change.name, change.words, change.outcome.rows) for change in changes_of(question).found]


NUMBERS = (
    "hit: first\ninputs: {n: {type: integer, minimum: 0}, m: {type: integer}}\n"
    "outputs: {y: {type: boolean}}\nrows:\n"
    "  - {id: a, when: {n: [3, 4, 7]}, then: {y: true}}\n"
    "  - {id: b, when: {n: {gt: 10}, m: 1}, then: {y: true}}\n"
    "  - {id: c, then: {y: false}}\n"
)


def test_neighbouring_numbers_are_told_together_and_others_apart() -> None:
    assert one(NUMBERS, {"n": 5, "m": 1}) == [
        ("n", "from 3 to 4", (0,)),
        ("n", "7", (0,)),
        ("n", "at least 11", (1,)),
    ]
    assert one(NUMBERS, {"n": 12, "m": 2}) == [("n", "from 3 to 4", (0,)), ("n", "7", (0,)), ("m", "1", (1,))]


LETS = (
    "hit: first\ninputs: {n: {type: integer, minimum: 0, maximum: 20}, m: {type: integer, minimum: 0}}\n"
    'let: {sum: "n + m", twice: "sum * 2"}\n'
    "outputs: {y: {type: integer}}\nrows:\n"
    "  - {id: many, when: {twice: {gte: 10}}, then: {y: 1}}\n"
    "  - {id: three, when: {n: 3}, then: {y: 2}}\n"
    "  - {id: few, then: {y: {value: m}}}\n"
)


def test_a_let_is_told_and_a_number_that_it_reads_by_values_that_were_asked() -> None:
    assert one(LETS, {"n": 2, "m": 1}) == [("n", "3", (1,)), ("n", "4", (0,)), ("twice", "at least 10", (0,))]


def test_a_large_table_is_asked_no_more_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = "".join(f"  - {{id: r{i}, when: {{n: {i}}}, then: {{y: true}}}}\n" for i in range(300))
    body = f"hit: collect\ninputs: {{n: {{type: integer}}}}\noutputs: {{y: {{type: boolean}}}}\nrows:\n{rows}"
    (question,) = table_questions(the_table(table(body)), {"n": -5}, {})
    assert changes_of(question).whole
    monkeypatch.setattr(changing, "MAX_ROWS_ASKED", 3_000)
    found = changes_of(question)
    assert not found.whole
    assert len(found.found) <= 10
    assert "(not every change was tried: the table is large, or tells very many values apart)" in [
        line.text for line in told(question)
    ]


def told_changes(body: str, facts: dict[str, Any]) -> list[str]:
    (question,) = table_questions(the_table(table(body)), facts, {})
    lines = [line.text for line in told(question, every=True)]
    return lines[lines.index("What would have to be different, one fact at a time") + 1 :]


def test_a_number_that_the_answer_takes_over_is_told_as_the_one_that_was_asked() -> None:
    body = (
        "hit: first\ninputs: {n: {type: integer, minimum: 0, maximum: 100}}\n"
        "outputs: {z: {type: integer, minimum: 0, maximum: 20}}\nrows:\n"
        "  - {id: big, when: {n: {gte: 10}}, then: {z: {value: n}}}\n  - {id: rest, then: {z: 0}}\n"
    )
    assert told_changes(body, {"n": 5}) == ["n 10 -> row big, z 10", "n 11 -> row big, z 11"]


def test_of_very_many_values_those_nearest_to_the_fact_are_tried_and_that_is_said() -> None:
    listed = ", ".join(map(str, range(0, 750, 3)))
    body = (
        "hit: first\ninputs: {n: {type: integer, minimum: 0, maximum: 1000}}\noutputs: {y: {type: boolean}}\nrows:\n"
        f"  - {{id: listed, when: {{n: [{listed}]}}, then: {{y: true}}}}\n"
        "  - {id: high, when: {n: {gte: 950}}, then: {y: true}}\n  - {id: rest, then: {y: false}}\n"
    )
    assert told_changes(body, {"n": 4})[-1].startswith("(not every change was tried")
    assert "n at least 950 -> row high, y true" in told_changes(body, {"n": 920})


def test_what_declines_in_a_list_compares_the_rows_that_match() -> None:
    body = (
        "hit: collect\ninputs: {n: {type: integer}}\noutputs: {y: {type: boolean}}\nrows:\n"
        "  - {id: always, then: {y: true}}\n  - {id: unsure, when: {n: {gte: 3}}, then: {error: unsure}}\n"
    )
    assert told_changes(body, {"n": 5}) == ["n at most 2 -> row unsure no longer"]


def test_of_a_let_it_is_said_what_would_follow_and_not_that_facts_give_it() -> None:
    body = (
        "hit: first\ninputs: {d: {type: integer, minimum: 0, maximum: 9}}\nlet: {twice: 2 * d}\n"
        "outputs: {y: {type: boolean}}\nrows:\n"
        "  - {id: odd, when: {twice: 3}, then: {y: true}}\n  - {id: rest, then: {y: false}}\n"
    )
    assert told_changes(body, {"d": 1}) == ["if twice were 3 -> row odd, y true"]
