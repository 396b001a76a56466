"""The fast way of deciding: it answers and refuses as the plain one does, and asks less."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from policy_oracle import VOCABULARIES, Maker, vocabulary_text
from policy_support import SEVERITY, table, the_table

from toolkit.policy.deciding.narrowing import MAX_CELLS
from toolkit.policy.deciding.placing import MAX_REMEMBERED, MAX_TEXT
from toolkit.policy.language import conditions
from toolkit.policy.problems import PolicyError
from toolkit.policy.tables import PLAIN_QUESTIONS, Table

VOCABULARY_TEXTS = tuple(map(vocabulary_text, VOCABULARIES))


def outcome(ask: Callable[..., object], *facts: object, **named: object) -> tuple[object, ...]:
    """What was answered, or how it was refused."""
    try:
        return (ask(*facts, **named),)
    except PolicyError as fault:
        return fault.code, fault.exit_status, str(fault), fault.next_step


def ready(text: str, *more: str, proved: bool = False) -> Table:
    made = Table(the_table(SEVERITY, *more, text).document, proved=proved)
    made.get_ready()
    return made


@given(st.integers(0, 2**64))
@settings(max_examples=400)
def test_a_table_that_is_ready_answers_and_refuses_as_the_rows_do_one_by_one(seed: int) -> None:
    maker = Maker(seed)
    made = maker.table()
    document = the_table(*VOCABULARY_TEXTS, made.text).document
    fast = Table(document)
    fast.get_ready()
    for _ in range(12):
        facts = maker.facts(made)
        plain = Table(document)
        for plainly, at_once in ((plain.decide_all, fast.decide_all), (plain.decide, fast.decide)):
            expected = outcome(plainly, facts)
            for _again in range(2):
                assert outcome(at_once, facts) == expected
            assert outcome(at_once, **facts) == expected
            assert outcome(at_once, MappingProxyType(facts)) == expected
        assert plain.narrowing is None


class Text(str):
    """A string that is more than a string."""

    __slots__ = ()


class Chameleon:
    """Equal to everything, with the hash of null."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash(None)


KINDS = table(
    "hit: first\n"
    "inputs:\n  flag: {type: boolean}\n  n: {type: integer, minimum: 0, maximum: 9}\n"
    "  grade: {type: term, of: t.severity, optional: true}\n  name: {type: string}\n"
    "outputs: {y: {type: integer}}\n"
    "rows:\n  - {id: a, when: {flag: true, n: 1, grade: high, name: x}, then: {y: 1}}\n"
    "  - {id: b, when: {grade: null}, then: {y: 2}}\n  - {id: c, when: {n: {gte: 5}}, then: {y: 3}}\n"
    "  - {id: d, then: {y: 4}}\n"
)
RIGHT = {"flag": True, "n": 1, "grade": "high", "name": "x"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("flag", value) for value in (1, 1.0, 0, None, "true")),
        *(("n", value) for value in (True, 1.0, -1, 10, 2**70, None, "1")),
        *(("grade", value) for value in (Text("high"), "gravest", "", 1, False, [])),
        *(("name", value) for value in (Text("x"), "\ud800", "x\udfff", None, 1, b"x")),
        *((name, Chameleon()) for name in RIGHT),
    ],
)
def test_what_equals_a_legal_fact_and_is_none_is_refused(name: str, value: object) -> None:
    made = ready(KINDS)
    for _ in range(3):
        assert made.decide(RIGHT).row == "a"
        with pytest.raises(PolicyError) as caught:
            made.decide({**RIGHT, name: value})
        assert caught.value.code == "fact_invalid"
        assert f"the fact {name!r}" in caught.value.message


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        ({"flag": True, "n": 1, "grade": "high"}, "fact_missing"),
        ({**RIGHT, "more": 1}, "fact_unknown"),
        ({**{name: value for name, value in RIGHT.items() if name != "n"}, "m": 1}, "fact_missing"),
        ({**RIGHT, 7: 1}, "fact_unknown"),
        ({**RIGHT, 7: 1, "seven": 1}, "fact_unknown"),
        (defaultdict(int, flag=True, grade="high", name="x"), "fact_missing"),
        ([*RIGHT], "facts_invalid"),
        (3, "facts_invalid"),
    ],
)
@pytest.mark.parametrize("prepare", [ready, lambda text: the_table(SEVERITY, text)])
def test_facts_that_are_not_those_of_the_table_are_refused(
    prepare: Callable[[str], Table], facts: Any, code: str
) -> None:
    before = repr(facts)
    for ask in (prepare(KINDS).decide, prepare(KINDS).decide_all):
        with pytest.raises(PolicyError) as caught:
            ask(facts)
        assert caught.value.code == code
    assert repr(facts) == before


@pytest.mark.parametrize("prepare", [ready, lambda text: the_table(SEVERITY, text)])
def test_facts_are_given_in_one_way_only(prepare: Callable[[str], Table]) -> None:
    made = prepare(KINDS)
    assert made.decide(RIGHT) == made.decide(**RIGHT) == made.decide(MappingProxyType(RIGHT))
    for more in (RIGHT, {"n": 2}):
        with pytest.raises(PolicyError) as caught:
            made.decide(RIGHT, **more)
        assert caught.value.code == "facts_invalid"


# What is asked, and what is remembered.


def counting(monkeypatch: pytest.MonkeyPatch, *kinds: str) -> list[object]:
    """Every value that a condition of these kinds is asked of from now on."""
    asked: list[object] = []
    for kind in kinds:
        compiled = getattr(conditions, kind).compile

        def compile_counted(self: Any, compiled: Any = compiled) -> Callable[[Any], bool]:
            holds = compiled(self)
            return lambda value: asked.append(value) or holds(value)

        monkeypatch.setattr(getattr(conditions, kind), "compile", compile_counted)
    return asked


def test_a_cell_of_the_facts_is_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = counting(monkeypatch, "Equals", "Compare")
    made = ready(KINDS)
    for n in (5, 6, 7, 8, 9) * 100:
        assert made.decide({**RIGHT, "n": n}).row == "c"
    assert len(asked) == 4  # two cells of a, one of b, one of c


def test_a_table_gets_ready_when_it_is_asked_often() -> None:
    made = the_table(SEVERITY, KINDS)
    for _ in range(PLAIN_QUESTIONS):
        made.decide(RIGHT)
    assert made.narrowing is None
    made.decide(RIGHT)
    assert made.narrowing is not None


GLOBS = table(
    "hit: first\ninputs:\n  kind: {type: string}\n  path: {type: path}\n  tags: {type: list, items: {type: string}}\n"
    "outputs: {y: {type: integer}}\n"
    "rows:\n  - {id: a, when: {kind: a, path: {glob: ['a/**']}}, then: {y: 1}}\n"
    "  - {id: b, when: {kind: b, path: {glob: ['b/**']}}, then: {y: 2}}\n"
    "  - {id: c, when: {kind: c, tags: {some: c}}, then: {y: 3}}\n"
    "  - {id: d, when: {kind: [c, d]}, then: {y: 4}}\n"
    "  - {id: e, then: {y: 5}}\n"
)


def test_patterns_and_lists_are_asked_of_the_rows_that_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = counting(monkeypatch, "Pattern", "Items")
    made = ready(GLOBS)
    facts = {"kind": "a", "path": "a/b", "tags": ["c"]}
    assert made.decide(facts).row == "a"
    assert asked == ["a/b"]
    assert made.decide({**facts, "kind": "c"}).row == "c"
    assert asked == ["a/b", ["c"]]
    assert made.decide({**facts, "kind": "d"}).row == "d"
    assert made.decide({**facts, "kind": "other"}).row == "e"
    assert len(asked) == 2


def test_no_more_values_are_remembered_than_there_is_room_for() -> None:
    made = ready(KINDS.replace("{type: integer, minimum: 0, maximum: 9}", "{type: integer}"))
    for number in range(MAX_REMEMBERED + 100):
        name = f"stranger {number}" if number else "long " * MAX_TEXT
        assert made.decide({**RIGHT, "n": number + 5, "name": name}).row == "c"
    assert made.narrowing is not None
    assert made.narrowing.whole is not None
    remembered = {axis.name: axis.places for axis in made.narrowing.whole.axes}
    assert len(remembered["n"]) == len(remembered["name"]) == MAX_REMEMBERED
    assert max(map(len, remembered["name"])) <= MAX_TEXT


def many_cells(inputs: int, constants: int) -> str:
    """Integers, each of which is split at many constants."""
    names = "abcdefgh"[:inputs]
    rows = [
        f"  - {{id: {name}{number}, when: {{{name}: {{gte: {number}, lt: {number + 1}}}}}, then: {{y: {number}}}}}\n"
        for number in range(constants)
        for name in names
    ]
    declared = ", ".join(f"{name}: {{type: integer}}" for name in names)
    return table(
        f"hit: first\ninputs: {{{declared}}}\noutputs: {{y: {{type: integer}}}}\nrows:\n{''.join(rows)}"
        "  - {id: none, then: {y: -1}}\n"
    )


@pytest.mark.parametrize(("inputs", "constants", "groups"), [(2, 20, 1), (4, 9, 2), (3, 70, 3), (8, 1, 2)])
def test_facts_with_too_many_cells_stand_in_several_groups(inputs: int, constants: int, groups: int) -> None:
    text = many_cells(inputs, constants)
    made, plain = ready(text), Table(the_table(text).document)
    assert made.narrowing is not None
    assert len(made.narrowing.inputs) == groups
    for seed in range(60):
        facts = {name: (seed * 7 + at * 11) % (constants * 3) - 1 for at, name in enumerate("abcdefgh"[:inputs])}
        assert made.decide(facts) == Table(plain.document).decide(facts)


def test_a_name_with_more_classes_than_cells_is_left_to_its_rows() -> None:
    text = many_cells(1, MAX_CELLS)
    made = ready(text)
    assert made.narrowing is not None
    assert made.narrowing.inputs == ()
    assert made.decide(a=MAX_CELLS - 1).row == f"a{MAX_CELLS - 1}"
    assert made.decide(a=MAX_CELLS).row == "none"


# Invariants.


PROMISE = KINDS.replace("rows:", "require: [{when_output: {y: 4}, inputs: {flag: true}}]\nrows:")


def test_a_promise_that_was_proved_is_not_held_again() -> None:
    broken = {**RIGHT, "flag": False}
    for made in (the_table(SEVERITY, PROMISE), ready(PROMISE)):
        with pytest.raises(PolicyError, match="flag forbids it"):
            made.decide(broken)
    assert ready(PROMISE, proved=True).decide(broken).row == "d"
