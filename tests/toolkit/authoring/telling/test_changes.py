"""What would have to be different: every change that is told leads where it says, whatever the table is."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from comparison_support import Maker as SmallMaker
from comparison_support import Spec, all_inputs, loaded
from hypothesis import given, settings
from hypothesis import strategies as st
from policy_oracle import VOCABULARIES, Maker, vocabulary_text
from policy_support import table, the_table

from toolkit.authoring.telling import changes as changing
from toolkit.authoring.telling.changes import changes_of
from toolkit.authoring.telling.outcomes import Change
from toolkit.authoring.telling.phrases import value_text
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


def small(seed: int) -> Iterator[tuple[Spec, Question]]:
    """Questions of a table whose integers have a handful of values, so that every one can be asked."""
    maker = SmallMaker(random.Random(seed), texts=True)
    body = maker.body(maker.chance.choice(["first", "unique", "collect"]))
    for name in body["inputs"].keys() & {"n", "m"}:
        body["inputs"][name]["maximum"] += maker.chance.choice([0, 4])  # some that no row tells apart
    asked = loaded(body).table("t.table")
    for _ in range(4):
        facts = {name: maker.chance.choice(values(declared)) for name, declared in all_inputs(body).items()}
        given = {name: value for name, value in facts.items() if name in body["inputs"]}
        if "each" in body:
            item = {name: value for name, value in facts.items() if name not in given}
            given[body["each"]] = [item]
        yield from ((body, question) for question in table_questions(asked, given, {}))


def values(declared: Spec) -> list[Any]:
    """Every legal value; of texts and lists some."""
    whole: dict[str, list[Any]] = {
        "integer": [*range(declared.get("minimum", 0), declared.get("maximum", 0) + 1)],
        "boolean": [False, True],
        "term": [*declared.get("one_of", ("high", "middle", "low"))],
        "string": ["p", "q", "other"],
        "list": [[], ["p"], ["q"], ["p", "q"]],
    }
    return whole[declared["type"]] + ([None] if declared.get("optional") else [])


def speaks_of(change: Change, declared: Spec, value: Any) -> bool:
    """Whether what is told of a number, term or boolean is told of this value too; of nothing else."""
    if declared["type"] in ("string", "list") or change.example is not None:
        return False
    if declared["type"] != "integer" or value is None:
        return value_text(value) in change.words.removeprefix("one of ").split(", ")
    if change.words == "any number":
        return True
    found = RANGE.match(change.words)
    if found is None:
        return False
    word, first, last = found[1], int(found[2]), int(found[3] or found[2])
    return (word == "at most" or value >= first) and (word == "at least" or value <= last)


def said(question: Question, name: str, value: Any) -> tuple[object, ...]:
    """What the table decides with another value, as an outcome has it."""
    given = with_value(question, name, value)
    rows = matching(question.table, given)
    try:
        return rows, question.table.answers(given, question.item), None
    except PolicyError as refusal:
        return rows, (), refusal.code


@given(st.integers(0, 2**64))
@settings(max_examples=200)
def test_what_is_told_is_so_for_every_value_that_it_speaks_of(seed: int) -> None:
    for body, question in small(seed):
        declared = all_inputs(body)
        for change in changes_of(question).found:
            of = declared.get(change.name)
            spoken = [value for value in values(of) if speaks_of(change, of, value)] if of else []
            for value in spoken:
                assert said(question, change.name, value) == tuple(change.outcome), (change, value)


@given(st.integers(0, 2**64))
@settings(max_examples=150)
def test_every_value_that_leads_elsewhere_is_told_where_no_answer_and_no_let_takes_it_over(seed: int) -> None:
    for body, question in small(seed):
        taken = {"n", "m"} if "let" in body else set()
        taken |= {one["value"] for row in body["rows"] for one in row["then"].values() if isinstance(one, dict)}
        found = changes_of(question)
        for name, declared in all_inputs(body).items():
            if name in taken or declared["type"] in ("string", "list"):
                continue
            told = [change for change in found.found if change.name == name]
            for value in values(declared):
                elsewhere = matching(question.table, with_value(question, name, value)) != found.now
                assert elsewhere == any(speaks_of(change, declared, value) for change in told)


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


def test_numbers_between_two_that_were_asked_are_not_told_with_them() -> None:
    body = (
        "hit: first\ninputs: {n: {type: integer, minimum: 0, maximum: 30}, m: {type: integer}}\n"
        'let: {far: "abs(n - 5)"}\noutputs: {y: {type: boolean}}\nrows:\n'
        "  - {id: mid, when: {far: {lte: 1}}, then: {y: true}}\n"
        "  - {id: both, when: {n: 3, m: 1}, then: {y: true}}\n"
        "  - {id: low, when: {n: {lte: 8}}, then: {y: true}}\n"
        "  - {id: rest, then: {y: false}}\n"
    )
    found = one(body, {"n": 20, "m": 0})
    assert [words for name, words, rows in found if name == "n"] == ["from 2 to 3", "from 7 to 8"]


def listing(numbers: Sequence[int], others: str) -> str:
    listed = ", ".join(map(str, numbers))
    return (
        "hit: first\ninputs: {n: {type: integer, minimum: 0, maximum: 10000}, b: {type: boolean}}\n"
        "outputs: {y: {type: boolean}}\nrows:\n"
        f"  - {{id: listed, when: {{n: [{listed}]}}, then: {{y: true}}}}\n{others}"
        "  - {id: rest, then: {y: false}}\n"
    )


def test_of_very_many_values_one_that_a_near_miss_asks_for_is_tried_however_far_it_is() -> None:
    body = listing(range(0, 3000, 3), "  - {id: far, when: {n: {gte: 9000}}, then: {y: true}}\n")
    told = told_changes(body, {"n": 4, "b": False})
    assert "n at least 9000 -> row far, y true" in told
    assert "n 3 -> row listed, y true" in told
    assert told[-1].startswith("(not every change was tried")


def test_a_gap_of_what_was_not_tried_is_not_told_with_what_was() -> None:
    many = "".join(f"  - {{id: r{i}, when: {{n: {i}, b: true}}, then: {{y: true}}}}\n" for i in range(1, 3000, 3))
    body = listing([9000], many + "  - {id: low, when: {n: {gte: 5}}, then: {y: true}}\n")
    for change in one(body, {"n": 1, "b": False}):
        assert change[1] != "from 5 to 8999"


def test_where_there_is_little_room_every_fact_has_a_share_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = "".join(f"  - {{id: r{i}, when: {{n: {i}}}, then: {{y: true}}}}\n" for i in range(100, 200))
    body = (
        "hit: first\ninputs: {n: {type: integer, minimum: 0, maximum: 900}, b: {type: boolean}}\n"
        f"outputs: {{y: {{type: boolean}}}}\nrows:\n{rows}"
        "  - {id: flag, when: {b: true}, then: {y: true}}\n  - {id: rest, then: {y: false}}\n"
    )
    monkeypatch.setattr(changing, "MAX_ROWS_ASKED", 2_000)
    told = told_changes(body, {"n": 205, "b": False})
    assert "b true -> row flag, y true" in told
    assert "n 199 -> row r199, y true" in told
    assert told[-1].startswith("(not every change was tried")
