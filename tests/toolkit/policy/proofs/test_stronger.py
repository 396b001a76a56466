"""Pins: what a row decided is decided the same or stronger after an edit, or a witness shows where it is not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from policy_support import head
from proofs_support import (
    RANK,
    REST,
    Facts,
    Spec,
    by_kind,
    document,
    edits,
    everything,
    outcome,
    row,
    specs,
    table_of,
)

from toolkit.policy.proofs import NOT_PROVED, PROVED, REFUTED, Proof, prove, same_or_stronger
from toolkit.policy.tables import Decision, Table

STRENGTH = {"a": 3, "b": 2, "c": 1}


def weakened(before: Table, after: Table, row: str, facts: Facts) -> bool:
    """Whether facts that the row decided (or declined) are now decided weaker, otherwise or not at all."""
    old, new = outcome(before, facts), outcome(after, facts)
    pinned = next(one for one in before.document.rows if one.id == row)
    if pinned.error is not None:
        values = next(iter(before.questions(facts)))[1]
        matching = [one for one, when in zip(before.document.rows, before.whens, strict=True) if when.matches(values)]
        telling = [one for one in matching if one.error is not None or before.document.hit != "collect"]
        return telling[:1] == [pinned] and old == pinned.error and new != pinned.error
    if isinstance(old, str):
        return False
    own = [one for one in old if one.row == row]
    return bool(own) and (isinstance(new, str) or not any(strong(one, own[0]) for one in new))


def strong(one: Decision, least: Decision) -> bool:
    return (
        STRENGTH[str(one.outputs["y"])] >= STRENGTH[str(least.outputs["y"])] and one.outputs["z"] == least.outputs["z"]
    )


@settings(max_examples=120, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(st.data())
def test_a_pin_of_a_small_table_holds_exactly_where_no_fact_shows_otherwise(data: st.DataObject) -> None:
    body = {**data.draw(specs()), "require": []}
    edited = data.draw(edits(body))
    row = data.draw(st.sampled_from([one["id"] for one in body["rows"]]))
    before, after = Table(document(body)), Table(document(edited))
    for table in (before, after):
        # A unique table whose rows overlap does not load, pinned or not.
        assume(all(proof.status == PROVED for proof in by_kind(prove(table.document), "overlap")))
    proof = same_or_stronger(before.document, after.document, row)
    broken = any(weakened(before, after, row, facts) for facts in everything(body))
    answered = {str(one["then"]["z"]) for one in (*body["rows"], *edited["rows"]) if "z" in one["then"]}
    if proof.status == NOT_PROVED and sum("value" in one for one in answered) > 1:
        return  # two names are compared, and the values that were tried happened to be the same
    assert proof.status == (REFUTED if broken else PROVED), proof
    if proof.witness is not None:
        assert weakened(before, after, row, dict(proof.witness))


def pinned(before: list[Spec], after: list[Spec], identity: str, **more: Any) -> Proof:
    return same_or_stronger(table_of(before, **more), table_of(after, **more), identity)


def test_a_stronger_answer_keeps_a_pin_and_a_weaker_one_breaks_it() -> None:
    before = [row("pinned", "middle", t="high"), REST]
    assert pinned(before, [row("raised", "high", t="high"), REST], "pinned").status == PROVED
    proof = pinned(before, [row("lowered", "low", t=["high", "low"]), REST], "pinned")
    assert (proof.status, proof.subject, proof.witness) == (REFUTED, ("pinned",), {"t": "high", "p": "other"})


def test_an_output_without_strength_has_to_stay_the_same() -> None:
    before = [row("pinned", "low", "because", t="high"), REST]
    assert pinned(before, [row("other", "high", "since", t="high"), REST], "pinned").status == REFUTED


def test_a_refusal_is_neither_stronger_nor_weaker_than_an_answer() -> None:
    declines = {"id": "pinned", "when": {"t": "high"}, "then": {"error": "unsure"}}
    answers = row("pinned", "high", t="high")
    assert pinned([declines, REST], [answers, REST], "pinned").status == REFUTED
    assert pinned([answers, REST], [declines, REST], "pinned").status == REFUTED
    assert pinned([declines, REST], [{**declines, "id": "renamed"}, REST], "pinned").status == PROVED
    assert pinned([declines, REST], [{**declines, "then": {"error": "other"}}, REST], "pinned").status == REFUTED


def test_a_row_before_the_pinned_one_takes_its_region_only_where_it_matches() -> None:
    before = [row("pinned", "high", p={"glob": ["src/**"]}), REST]
    exempt = row("exempt", "low", p={"glob": ["src/generated/**"]})
    proof = pinned(before, [exempt, *before], "pinned")
    assert proof.status == REFUTED
    assert proof.witness is not None
    assert str(proof.witness["p"]).startswith("src/generated/")
    assert pinned(before, [row("apart", "low", p={"glob": ["docs/**", "tests/*"]}), *before], "pinned").status == PROVED
    assert pinned(before, [row("apart", "low", p="src"), *before], "pinned").status == PROVED
    assert pinned(before, [row("also", "high", p={"glob": ["docs/**"]}), *before], "pinned").status == PROVED


def test_the_same_reference_is_the_same_and_another_is_compared_value_by_value() -> None:
    inputs = {one: {"type": "term", "of": "t.rank"} for one in ("t", "u")}
    before = [row("pinned", {"value": "t"}), REST]
    assert pinned(before, [row("new", {"value": "t"}), REST], "pinned", inputs=inputs).status == PROVED
    assert pinned(before, [row("new", "high"), REST], "pinned", inputs=inputs).status == PROVED
    proof = pinned(before, [row("new", {"value": "u"}), REST], "pinned", inputs=inputs)
    assert proof.witness is not None
    assert (proof.status, {**proof.witness}) == (REFUTED, {"t": "high", "u": "middle"})
    guarded = [row("higher", {"value": "u"}, u="high"), row("rest", {"value": "t"})]
    assert pinned(before, guarded, "pinned", inputs=inputs).status == PROVED


def test_of_a_list_any_row_with_an_answer_as_strong_will_do() -> None:
    before = [row("pinned", "middle", t=["high", "low"])]
    shared = [row("one", "high", t="high"), row("two", "low", t="low"), row("three", "middle", t={"lte": "middle"})]
    assert pinned(before, shared, "pinned", hit="collect").status == PROVED
    proof = pinned(before, shared[:2], "pinned", hit="collect")
    assert proof.witness is not None
    assert (proof.status, proof.witness["t"]) == (REFUTED, "low")


FOUR = head("vocabulary", "t.rank") + (
    "order: descending\nanchors: []\n"
    "terms:\n  - {term: high}\n  - {term: between}\n  - {term: middle}\n  - {term: low}\n"
)


def test_a_term_that_the_vocabulary_has_gained_belongs_to_the_region_that_it_lies_in() -> None:
    rows = [row("pinned", "high", t={"gte": "middle"}), REST]
    assert same_or_stronger(table_of(rows), table_of(rows, FOUR), "pinned").status == PROVED
    lowered = [row("new", "low", t="between"), *rows]
    proof = same_or_stronger(table_of(rows), table_of(lowered, FOUR), "pinned")
    assert proof.witness is not None
    assert (proof.status, proof.witness["t"]) == (REFUTED, "between")


SWAPPED = RANK.replace("high}", "HELD}").replace("middle}", "high}").replace("HELD}", "middle}")


def test_an_order_that_was_turned_round_does_not_shrink_the_region_of_a_pin() -> None:
    rows = [row("pinned", "low", "held", t={"gte": "high"}), row("rest", "low", "free")]
    assert same_or_stronger(table_of(rows), table_of(rows, SWAPPED), "pinned").status == PROVED
    rows = [row("pinned", "low", "held", t={"gte": "middle"}), row("rest", "low", "free")]
    proof = same_or_stronger(table_of(rows), table_of(rows, SWAPPED), "pinned")
    assert proof.witness is not None
    assert (proof.status, proof.witness["t"]) == (REFUTED, "high")


@pytest.mark.parametrize("hit", ["first", "unique"])
def test_a_pin_whose_budget_ends_is_not_proved(hit: str) -> None:
    numbers = {f"n{place}": {"type": "integer", "minimum": 0, "maximum": 9} for place in range(4)}
    before = [row("pinned", "high")]
    after = [row(f"r{place}", "high", **{f"n{place % 4}": place % 5}) for place in range(20)]
    proof = same_or_stronger(
        table_of(before, inputs=numbers, hit=hit), table_of(after, inputs=numbers, hit=hit), "pinned", budget=1
    )
    assert (proof.status, proof.boxes) == (NOT_PROVED, 1)
