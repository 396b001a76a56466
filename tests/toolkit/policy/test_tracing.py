"""Explanations as text: what ``explain`` says, to the letter."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from policy_oracle import VOCABULARIES, Maker, vocabulary_text
from policy_support import table, the_table

from toolkit.policy.explaining import explain
from toolkit.policy.language import conditions
from toolkit.policy.problems import PolicyError
from toolkit.policy.tables import Table
from toolkit.policy.tracing import Tracer

VOCABULARY_TEXTS = tuple(map(vocabulary_text, VOCABULARIES))


def as_text(made: Table, facts: dict[str, object]) -> tuple[str, ...] | str:
    try:
        return tuple(json.dumps(one.to_json(), sort_keys=True) for one in explain(made, facts))
    except PolicyError as fault:
        return str(fault)


def traced(tracer: Tracer, facts: dict[str, object]) -> tuple[str, ...] | str:
    try:
        return tracer.traces(facts)
    except PolicyError as fault:
        return str(fault)


@given(st.integers(0, 2**64))
@settings(max_examples=300)
def test_a_trace_is_the_explanation_to_the_letter(seed: int) -> None:
    maker = Maker(seed)
    made = maker.table()
    loaded = the_table(*VOCABULARY_TEXTS, made.text)
    tracer = Tracer(Table(loaded.document))
    for _ in range(8):
        facts = maker.facts(made)
        expected = as_text(loaded, facts)
        for _again in range(2):
            assert traced(tracer, facts) == expected


HOSTILE = table(
    "hit: first\ninputs: {s: {type: string}, n: {type: integer}}\noutputs: {y: {type: boolean}}\n"
    "rows:\n  - {id: a, source: '100 %(s)s %', when: {s: '%(n)s\"}', n: {lt: 5}}, then: {y: true}}\n"
    "  - {id: b, then: {y: false}}\n"
)


@pytest.mark.parametrize("text", ["%(n)s", "%", "\0n\0", '"}', "\n", "Ы", "long " * 10**5, ""])
def test_no_fact_is_taken_for_a_part_of_the_trace(text: str) -> None:
    made = the_table(HOSTILE)
    tracer = Tracer(made)
    for n in (1, 9, 1):
        facts: dict[str, object] = {"s": text, "n": n}
        assert tracer.traces(facts) == as_text(made, facts)


def test_tracing_the_same_cells_asks_their_conditions_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    compiled = conditions.Compare.compile

    def counted(self: conditions.Compare) -> conditions.Holds:
        holds = compiled(self)
        return lambda value: asked.append(value) is None and holds(value)

    monkeypatch.setattr(conditions.Compare, "compile", counted)
    tracer = Tracer(the_table(HOSTILE))
    for n in range(5, 105):
        (trace,) = tracer.traces({"s": "x", "n": n})
        assert json.loads(trace)["rows"][0]["failed"][1] == {"condition": "lt 5", "name": "n", "value": n}
    assert len(asked) == 1
