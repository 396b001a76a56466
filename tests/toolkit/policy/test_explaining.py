"""Explanations: the same answer as deciding gives, the cells that failed, and the rows that one fact kept away."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from policy_oracle import VOCABULARIES, Made, Maker, holds, row_matches, vocabulary_text
from policy_support import SEVERITY, table, the_table

from toolkit.policy.explaining import describe_when, explain
from toolkit.policy.language import conditions
from toolkit.policy.problems import PolicyError, Undecided
from toolkit.policy.sets import PolicySet

VOCABULARY_TEXTS = tuple(map(vocabulary_text, VOCABULARIES))


def outcome(ask: Callable[[], Any]) -> tuple[Any, PolicyError | None]:
    """What was answered, or the refusal."""
    try:
        return ask(), None
    except PolicyError as fault:
        return None, fault


@given(st.integers(0, 2**64))
@settings(max_examples=300)
def test_an_explanation_gives_the_answer_that_deciding_gives(seed: int) -> None:
    maker = Maker(seed)
    made = maker.table()
    loaded = the_table(*VOCABULARY_TEXTS, made.text)
    for _ in range(8):
        facts = maker.facts(made)
        decided, fault = outcome(lambda facts=facts: loaded.decide_all(**facts))
        explained, refused = outcome(lambda facts=facts: explain(loaded, facts))
        if explained is None:
            assert not isinstance(refused, Undecided)
            assert str(refused) == str(fault)
            continue
        refusal = next((one.refusal for one in explained if one.refusal), None)
        if refusal is not None:
            assert str(refusal) == str(fault)
        else:
            assert tuple(answer for one in explained for answer in one.decisions) == decided
        json.dumps([one.to_json() for one in explained])


@given(st.integers(0, 2**64))
@settings(max_examples=200)
def test_what_is_said_of_a_row_is_what_became_of_it(seed: int) -> None:
    maker = Maker(seed)
    made = maker.table()
    loaded = the_table(*VOCABULARY_TEXTS, made.text)
    for _ in range(5):
        facts = maker.facts(made)
        try:
            explained = explain(loaded, facts)
        except PolicyError:
            continue
        for one in explained:
            values, declared = seen(made, facts, one.item)
            assert one.lets == {name: values[name] for name in made.lets}
            won = False
            for row, tried in zip(made.document["rows"], one.rows, strict=True):
                matches = row_matches(row.get("when", {}), declared, values)
                if won and made.document["hit"] == "first":
                    assert tried.outcome == "not tried"
                    continue
                won = won or matches
                assert tried.outcome == ("matched" if matches else "failed")
                assert {cell.name for cell in tried.failed} == blamed(row.get("when", {}), declared, values)
                near = row["id"] in one.near_misses
                assert near == (not matches and one_name_away(row["when"], declared, values))


def seen(made: Made, facts: dict[str, object], item: int | None) -> tuple[dict[str, object], dict[str, object]]:
    """The values that the cells see, and how they are declared."""
    declared = dict(made.document["inputs"])
    values = dict(facts)
    if item is not None:
        record = values.pop("items")[item]  # type: ignore[index]
        values |= record
        declared |= declared["items"]["items"]["fields"]
    for name, compute in made.lets.items():
        values[name] = compute(values)
        declared[name] = {"type": "integer", "optional": True}
    return values, declared


def failing(when: dict[str, object], declared: dict[str, object], values: dict[str, object]) -> set[str]:
    return {name for name, cell in when.items() if name != "any_of" and not holds(cell, declared[name], values[name])}  # type: ignore[arg-type]


def blamed(when: dict[str, object], declared: dict[str, object], values: dict[str, object]) -> set[str]:
    """The names that kept a row from matching, those of every alternative where none holds."""
    alternatives = [failing(one, declared, values) for one in when.get("any_of", [])]  # type: ignore[attr-defined]
    beside = failing(when, declared, values)
    return beside.union(*alternatives) if alternatives and all(alternatives) else beside


def one_name_away(when: dict[str, object], declared: dict[str, object], values: dict[str, object]) -> bool:
    alternatives = [failing(one, declared, values) for one in when.get("any_of", [])] or [set()]  # type: ignore[attr-defined]
    beside = failing(when, declared, values)
    return any(len(beside | one) == 1 for one in alternatives)


RISK = table(
    "hit: first\n"
    "inputs: {lines: {type: integer, minimum: 0}, passive: {type: boolean},"
    " signals: {type: list, items: {type: string}}}\n"
    'let: {over: "lines - 400"}\n'
    "outputs: {tier: {type: string}}\n"
    "rows:\n"
    "  - {id: signal, source: the first rule, when: {signals: {count: {gte: 1}}}, then: {tier: high}}\n"
    "  - {id: large, when: {passive: false, over: {gt: 0}}, then: {tier: high}}\n"
    "  - {id: passive, when: {any_of: [{passive: true, over: {lte: 0}}, {lines: 0}]}, then: {tier: low}}\n"
    "  - {id: unclear, when: {lines: 7}, then: {error: cannot-tell}}\n"
    "  - {id: ordinary, then: {tier: medium}}\n"
)


def test_a_trace_tells_every_row_with_the_cells_that_failed() -> None:
    (one,) = explain(the_table(RISK), {"lines": 500, "passive": True, "signals": []})
    assert [(row.id, row.outcome) for row in one.rows] == [
        ("signal", "failed"),
        ("large", "failed"),
        ("passive", "failed"),
        ("unclear", "failed"),
        ("ordinary", "matched"),
    ]
    assert [(cell.name, cell.condition, cell.value) for cell in one.rows[2].failed] == [
        ("over", "lte 0", 100),
        ("lines", "0", 500),
    ]
    assert one.lets == {"over": 100}
    assert one.near_misses == ("signal", "large", "passive", "unclear")
    assert [row.source for row in one.rows[:2]] == ["the first rule", "ours"]
    assert {row.layer for row in one.rows} == {"shipped"}


def test_rows_after_the_first_that_matched_were_not_tried() -> None:
    (one,) = explain(the_table(RISK), {"lines": 1, "passive": True, "signals": ["auth"]})
    assert [row.outcome for row in one.rows] == ["matched", *["not tried"] * 4]
    assert one.near_misses == ()


def test_a_row_that_two_facts_kept_away_is_no_near_miss() -> None:
    (one,) = explain(the_table(RISK), {"lines": 1, "passive": True, "signals": ["auth"]})
    assert "large" not in one.near_misses
    (one,) = explain(the_table(RISK), {"lines": 0, "passive": True, "signals": []})
    assert one.near_misses == ("signal",)


def test_a_refusal_is_part_of_the_explanation() -> None:
    (one,) = explain(the_table(RISK), {"lines": 7, "passive": False, "signals": []})
    assert one.decisions == ()
    assert one.refusal is not None
    assert (one.refusal.code, one.refusal.exit_status) == ("cannot-tell", 3)
    assert one.to_json()["refusal"] == one.refusal.to_json()
    assert one.rows[3].outcome == "matched"


def test_a_broken_promise_is_a_refusal_that_names_the_row_that_broke_it() -> None:
    text = RISK.replace("rows:", "require: [{when_output: {tier: medium}, inputs: {passive: true}}]\nrows:")
    (one,) = explain(the_table(text), {"lines": 1, "passive": False, "signals": []})
    assert one.refusal is not None
    assert one.refusal.code == "invariant_broken"
    assert [row.id for row in one.rows if row.outcome == "matched"] == ["ordinary"]


def test_a_bad_fact_is_refused_as_deciding_refuses_it() -> None:
    with pytest.raises(PolicyError, match="'passive' is missing"):
        explain(the_table(RISK), {"lines": 1, "signals": []})


EACH = table(
    "hit: first\neach: items\n"
    "inputs: {items: {type: list, items: {type: record, fields: {n: {type: integer}}}}, limit: {type: integer}}\n"
    'let: {over: "n - limit"}\noutputs: {y: {type: boolean}}\n'
    "rows:\n  - {id: above, when: {over: {gt: 0}}, then: {y: true}}\n  - {id: within, then: {y: false}}\n"
)


def test_each_item_has_its_own_explanation_and_number() -> None:
    explained = explain(the_table(EACH), {"items": [{"n": 1}, {"n": 9}], "limit": 5})
    assert [(one.item, one.lets["over"], one.decisions[0].row, one.decisions[0].item) for one in explained] == [
        (0, -4, "within", 0),
        (1, 4, "above", 1),
    ]


@pytest.mark.parametrize("items", [[], ()])
def test_no_items_have_no_explanations(items: object) -> None:
    assert explain(the_table(EACH), {"items": items, "limit": 5}) == ()


@pytest.mark.parametrize("facts", [{"limit": 5}, {"items": None, "limit": 5}, {"items": "", "limit": 5}, {"items": []}])
def test_bad_facts_of_an_each_table_are_refused_and_never_crash(facts: dict[str, object]) -> None:
    with pytest.raises(PolicyError):
        explain(the_table(EACH), facts)


def test_a_trace_shows_the_beginning_of_what_is_long() -> None:
    text = table(
        "hit: collect\ninputs: {t: {type: text}, l: {type: list, items: {type: string}}}\n"
        "outputs: {y: {type: boolean}}\n"
        "rows:\n  - {id: r, when: {t: x, l: {count: 0}}, then: {y: true}}\n"
    )
    (one,) = explain(the_table(text), {"t": "long " * 10**6, "l": ["long " * 10**6] * 50})
    assert len(json.dumps(one.to_json())) < 20_000


def test_explaining_compiles_nothing_again(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = the_table(RISK)
    for name in ("Equals", "Compare", "Items"):
        monkeypatch.delattr(getattr(conditions, name), "compile")
    assert explain(loaded, {"lines": 500, "passive": True, "signals": []})


@pytest.mark.parametrize(
    ("declared", "cell", "words"),
    [
        ("{type: boolean}", "true", "x true"),
        ("{type: string}", "''", 'x ""'),
        ("{type: integer, optional: true}", "null", "x null"),
        ("{type: integer, optional: true}", "[null, 1]", "x one of null, 1"),
        ("{type: integer}", "{gte: 1, lt: 5}", "x gte 1, lt 5"),
        ("{type: term, of: t.severity}", "{not: {gte: medium}}", "x not (gte medium)"),
        ("{type: list, items: {type: string}}", "{some: a, count: {lt: 3}}", "x some: a, count: lt 3"),
        ("{type: path, optional: true}", "{present: true, glob: ['a/**', b]}", "x present, glob a/**, b"),
        ("{type: path}", "{glob: [A], ignore_case: true}", "x glob A, in any case"),
        ("{type: integer, optional: true}", "{present: false}", "x null"),
    ],
)
def test_a_condition_is_told_in_words(declared: str, cell: str, words: str) -> None:
    text = table(
        f"hit: collect\ninputs: {{x: {declared}}}\noutputs: {{y: {{type: boolean}}}}\n"
        f"rows:\n  - {{id: r, when: {{x: {cell}}}, then: {{y: true}}}}\n"
    )
    assert describe_when(the_table(SEVERITY, text).document.rows[0].when) == words


def test_a_whole_row_is_told_in_words() -> None:
    rows = the_table(RISK).document.rows
    assert describe_when(rows[2].when) == "any of (passive true; over lte 0; or lines 0)"
    assert describe_when(rows[4].when) == "always"


def test_every_shipped_tier_names_the_rule_that_decided_it(policies: PolicySet) -> None:
    risk = policies.table("review.risk")
    rows = {row.id for row in risk.document.rows}
    for facts in (
        {"authored_lines": 1001, "signals": [], "passive": True},
        {"authored_lines": 1, "signals": ["auth"], "passive": False},
        {"authored_lines": 1, "signals": [], "passive": False},
    ):
        (one,) = explain(risk, facts)
        assert one.decisions[0].row in rows
        assert one.source
        assert next(row.outcome for row in one.rows if row.id == one.decisions[0].row) == "matched"
