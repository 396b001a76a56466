"""Analysis against asking everything: whatever is said of a small table is so, and every witness shows it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from proofs_support import Facts, Spec, document, everything, outcome, specs

from toolkit.authoring.analysis import Finding, analyze_table
from toolkit.policy.deciding.answering import emitter, shared_decision
from toolkit.policy.language.rules import TableDocument
from toolkit.policy.problems import PolicyError
from toolkit.policy.proofs import NOT_PROVED, PROVED, REFUTED
from toolkit.policy.tables import Table


class Asked:
    """What a table does with every set of facts that there is."""

    def __init__(self, body: Spec) -> None:
        self.document: TableDocument = document(body)
        self.table = Table(self.document)
        self.ids = [row.id for row in self.document.rows]
        self.facts = list(everything(body))
        self.hits = [self.matching(one) for one in self.facts]

    def matching(self, facts: Facts) -> list[int]:
        ((_, values),) = self.table.questions(facts)
        return [place for place, when in enumerate(self.table.whens) if when.matches(values)]

    def answer(self, row: int, facts: Facts) -> object:
        ((_, values),) = self.table.questions(facts)
        one = self.document.rows[row]
        try:
            return dict(emitter(self.document, one, shared_decision(one))(values, None).outputs)
        except PolicyError as refusal:
            return refusal.code

    def deciding(self, facts: Facts, hits: list[int]) -> list[int]:
        """The rows that decide, those that decline among them."""
        if self.document.hit == "first":
            return hits[:1]
        if self.document.hit == "unique":
            return hits if len(hits) == 1 else []
        refusing = [hit for hit in hits if isinstance(self.answer(hit, facts), str)]
        if not refusing:
            return hits
        return [hit for hit in refusing[:1] if self.document.rows[hit].error is not None]

    def every(self) -> Iterable[tuple[Facts, list[int], list[int]]]:
        for facts, hits in zip(self.facts, self.hits, strict=True):
            yield facts, hits, self.deciding(facts, hits)


def of(findings: Iterable[Finding], kind: str) -> list[Finding]:
    return [one for one in findings if one.kind == kind]


def statuses(findings: Iterable[Finding], kind: str) -> dict[tuple[str, ...], str]:
    return {one.subject: one.status for one in of(findings, kind)}


def said(*, defect: bool) -> str:
    return REFUTED if defect else PROVED


@settings(max_examples=100)
@given(specs())
def test_of_each_row_it_is_known_whether_it_matches_and_whether_it_decides(body: Spec) -> None:
    asked = Asked(body)
    findings = analyze_table(asked.document)
    assert not [one for one in findings if one.is_open]
    matched = {hit for hits in asked.hits for hit in hits}
    decided = {row for _, _, deciding in asked.every() for row in deciding}
    rows = {one: status for one, status in statuses(findings, "impossible").items() if len(one) == 1}
    assert rows == {(name,): said(defect=place not in matched) for place, name in enumerate(asked.ids)}
    if body["hit"] != "unique":
        shadowed = {one.subject[0]: one.status for one in of(findings, "shadowed")}
        assert shadowed == {asked.ids[place]: said(defect=place not in decided) for place in sorted(matched)}
    declines = {
        (row.id,): said(defect=place in decided)
        for place, row in enumerate(asked.document.rows)
        if row.error is not None and place in matched
    }
    assert statuses(findings, "declines") == declines
    for one in of(findings, "impossible"):
        if one.status == PROVED:
            assert one.witness is not None
            assert asked.ids.index(one.subject[0]) in asked.matching(dict(one.witness))
    for one in of(findings, "shadowed"):
        assert one.witness is not None
        facts = dict(one.witness)
        hits = asked.matching(facts)
        row = asked.ids.index(one.subject[0])
        assert row in hits
        assert (row in asked.deciding(facts, hits)) == (one.status == PROVED)
        if one.status == REFUTED and body["hit"] == "first":
            takers = {asked.ids[every[0]] for every in asked.hits if row in every}
            assert asked.ids[hits[0]] == one.subject[1]
            assert takers >= set(one.subject[1:])
            assert takers == set(one.subject[1:]) or "among others" in one.message


@settings(max_examples=80)
@given(specs())
def test_an_alternative_is_impossible_exactly_where_it_never_holds(body: Spec) -> None:
    asked = Asked(body)
    found = {
        one: status for one, status in statuses(analyze_table(asked.document), "impossible").items() if len(one) > 1
    }
    matched = {hit for hits in asked.hits for hit in hits}
    expected: dict[tuple[str, ...], str] = {}
    for place, when in enumerate(asked.table.whens):
        for number, alternative in enumerate(when.any_of if len(when.any_of) > 1 and place in matched else ()):
            holds = False
            for facts in asked.facts:
                ((_, values),) = asked.table.questions(facts)
                cells = all(cell.holds(values[cell.name]) for cell in when.cells)
                holds = holds or (cells and alternative.matches(values))
            expected[asked.ids[place], str(number + 1)] = said(defect=not holds)
    assert found == expected


@settings(max_examples=80)
@given(specs())
def test_gaps_and_overlaps_are_those_that_asking_finds(body: Spec) -> None:
    asked = Asked(body)
    findings = analyze_table(asked.document)
    for kind, code in (("gap", "no_row"), ("overlap", "several_rows"), ("require", "invariant_broken")):
        listed = of(findings, kind)
        owed = {"gap": body["hit"] != "collect", "overlap": body["hit"] == "unique", "require": bool(body["require"])}
        assert bool(listed) == owed[kind]
        if listed:
            broken = any(outcome(asked.table, one) == code for one in asked.facts)
            assert any(one.status == REFUTED for one in listed) == broken
        for one in listed:
            if one.status == REFUTED:
                assert one.witness is not None
                assert outcome(asked.table, dict(one.witness)) == code


@settings(max_examples=100)
@given(specs(hit="first"))
def test_order_matters_exactly_where_two_rows_would_answer_differently(body: Spec) -> None:
    asked = Asked(body)
    listed = of(analyze_table(asked.document), "order")
    differing, together = set(), False
    for facts, hits, _ in asked.every():
        together = together or len(hits) > 1
        for other in hits[1:]:
            if asked.answer(hits[0], facts) != asked.answer(other, facts):
                differing.add((asked.ids[hits[0]], asked.ids[other]))
    refuted = {one.subject for one in listed if one.status == REFUTED}
    unknown = {one.subject for one in listed if one.status == NOT_PROVED}
    assert refuted <= differing <= refuted | unknown
    whole = [one for one in listed if one.subject == ()]
    assert bool(whole) == (not refuted and not unknown)
    for one in whole:
        assert one.status == PROVED
        assert ("could be unique" in one.message) == (not together)
    for one in listed:
        if one.status == REFUTED:
            assert one.witness is not None
            facts = dict(one.witness)
            first, other = map(asked.ids.index, one.subject)
            hits = asked.matching(facts)
            assert hits[0] == first
            assert other in hits
            assert asked.answer(first, facts) != asked.answer(other, facts)


@settings(max_examples=100)
@given(specs(hit="first"))
def test_a_row_is_redundant_exactly_where_the_rows_below_answer_the_same(body: Spec) -> None:
    asked = Asked(body)
    needed: dict[str, bool] = {}
    for facts, hits, deciding in asked.every():
        for row in deciding:
            differs = len(hits) < 2 or asked.answer(row, facts) != asked.answer(hits[1], facts)
            needed[asked.ids[row]] = needed.get(asked.ids[row], False) or differs
    listed = of(analyze_table(asked.document), "redundant")
    assert {one.subject[0] for one in listed} == set(needed)
    for one in listed:
        if one.status != NOT_PROVED:
            assert (one.status == PROVED) == needed[one.subject[0]], one
        if one.status == PROVED:
            assert one.witness is not None
            facts = dict(one.witness)
            hits = asked.matching(facts)
            assert asked.ids[hits[0]] == one.subject[0]
            assert len(hits) < 2 or asked.answer(hits[0], facts) != asked.answer(hits[1], facts)


@settings(max_examples=80)
@given(specs())
def test_null_goes_where_asking_says_that_it_goes(body: Spec) -> None:
    asked = Asked(body)
    listed = {one.subject[0]: one for one in of(analyze_table(asked.document), "null")}
    assert set(listed) == {name for name, declared in body["inputs"].items() if declared.get("optional")}
    for name, one in listed.items():
        if "nothing asks" in one.message:
            continue
        rows = {asked.ids[row] for facts, _, deciding in asked.every() if facts[name] is None for row in deciding}
        assert set(one.subject[1:]) == rows
        assert one.status == said(defect=not rows)
        if rows:
            assert one.witness is not None
            facts = dict(one.witness)
            assert facts[name] is None
            assert asked.ids.index(one.subject[1]) in asked.deciding(facts, asked.matching(facts))


@settings(max_examples=80)
@given(specs())
def test_a_value_is_unanswered_exactly_where_no_facts_get_it(body: Spec) -> None:
    asked = Asked(body)
    answered: set[object] = set()
    for facts, _, deciding in asked.every():
        answers = (asked.answer(row, facts) for row in deciding)
        answered |= {one["y"] for one in answers if isinstance(one, Mapping)}
    (one,) = of(analyze_table(asked.document), "unanswered")
    never: set[object] = {"a", "b", "c"} - answered
    if one.status == PROVED:
        assert not never
    else:
        assert set(one.subject[1:]) <= never if one.status == REFUTED else never <= set(one.subject[1:])


@settings(max_examples=80)
@given(specs(), st.data())
def test_what_is_unused_can_be_anything_and_nothing_else_is_called_so(body: Spec, data: st.DataObject) -> None:
    asked = Asked(body)
    unused = {one.subject[0] for one in of(analyze_table(asked.document), "unused") if one.status == REFUTED}
    assert unused == {*body["inputs"], *body.get("let", {})} - _mentioned(body)
    if unused and data.draw(st.booleans()):
        name = data.draw(st.sampled_from(sorted(unused)))
        groups: dict[str, set[str]] = {}
        for facts in asked.facts:
            rest = str({one: value for one, value in facts.items() if one != name})
            groups.setdefault(rest, set()).add(str(outcome(asked.table, facts)))
        assert all(len(outcomes) == 1 for outcomes in groups.values())


def _mentioned(body: Spec) -> set[str]:
    """The names that a row, a requirement or a let of the table mentions."""
    found: set[str] = set()

    def look(when: Any) -> None:
        for name, cell in when.items():
            if name == "any_of":
                for one in cell:
                    look(one)
            else:
                found.add(name)

    for row in body["rows"]:
        look(row.get("when", {}))
        found.update(one["value"] for one in row["then"].values() if isinstance(one, dict))
    for promise in body["require"]:
        look(promise["inputs"])
    for text in body.get("let", {}).values():
        found.update(re.findall("[a-z]+", text))
    return found
