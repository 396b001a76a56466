"""What is found of tables written by hand: the words, the witnesses, the bounds."""

from __future__ import annotations

import random
from typing import Any

import pytest
from policy_support import layered, load, table
from proofs_support import Spec, document, spec

from toolkit.authoring.analysis import FAULTS, INFORMATION, Finding, analyze, analyze_table
from toolkit.policy.problems import PolicyError
from toolkit.policy.proofs import NOT_PROVED, PROVED, REFUTED, prove
from toolkit.policy.sets import PolicySet

N = {"n": {"type": "integer", "minimum": 0, "maximum": 9}}
ANSWER = {"y": {"type": "term", "one_of": ["allow", "deny"]}}


def found(body: Spec, kind: str, **more: Any) -> dict[tuple[str, ...], Finding]:
    return {one.subject: one for one in analyze_table(document(body), **more) if one.kind == kind}


def refuted(body: Spec, *kinds: str) -> list[tuple[str, tuple[str, ...]]]:
    """The defects of a table, its faults unless other kinds are named."""
    findings = analyze_table(document(body))
    return [(one.kind, one.subject) for one in findings if one.status == REFUTED and one.kind in (kinds or FAULTS)]


def row(identity: str, answer: str = "deny", **when: Any) -> Spec:
    return {"id": identity, **({"when": when} if when else {}), "then": {"y": answer}}


def first(*rows: Spec, inputs: Spec | None = None, **more: Any) -> Spec:
    return spec(hit="first", inputs=inputs or N, outputs=ANSWER, rows=list(rows), **more)


def unique(*rows: Spec, inputs: Spec | None = None, **more: Any) -> Spec:
    return spec(hit="unique", inputs=inputs or N, outputs=ANSWER, rows=list(rows), **more)


# Rows.


def test_a_shadowed_row_names_the_rows_that_take_its_facts_and_shows_one_of_them() -> None:
    body = first(row("low", n={"lt": 3}), row("high", n={"gt": 5}), row("ends", "allow", n=[2, 7]), row("rest"))
    one = found(body, "shadowed")["ends", "low", "high"]
    assert (one.status, one.witness) == (REFUTED, {"n": 2})
    assert one.message == "the row 'ends' never decides: earlier rows take all that it matches ('low', 'high')"
    assert one.fault
    assert one.is_fault
    healthy = found(body, "shadowed")["high",]
    assert (healthy.status, healthy.witness) == (PROVED, {"n": 6})


def test_of_many_rows_that_take_its_facts_the_first_few_are_named() -> None:
    rows = [row(f"r{place}", n=place) for place in range(10)]
    (one,) = [one for one in found(first(*rows, row("rest")), "shadowed").values() if one.is_fault]
    assert one.subject == ("rest", "r0", "r1", "r2", "r3", "r4")
    assert "'r4', among others" in one.message


@pytest.mark.parametrize(
    "when",
    [
        {"n": {"gt": 5, "lt": 4}},
        {"n": {"gt": 9}},
        {"n": {"gte": 3, "not": {"gte": 2}}},
        {"double": 3},
        {"double": {"gte": 19}},
        {"n": {"lt": 2}, "double": {"gt": 4}},
        {"any_of": [{"n": {"gt": 9}}, {"double": 5}]},
    ],
)
def test_a_row_that_can_match_nothing_is_impossible_and_not_shadowed(when: Spec) -> None:
    body = first(row("never", **when), row("rest"), let={"double": "2 * n"})
    assert [one for one in refuted(body) if one[0] != "unused"] == [("impossible", ("never",))]
    assert found(body, "impossible")["never",].witness is None
    assert ("never",) not in found(body, "shadowed")


def test_an_alternative_that_never_holds_is_named_by_its_number() -> None:
    body = first(row("some", "allow", any_of=[{"n": 1}, {"n": {"gt": 9}}, {"n": 2}]), row("rest"))
    assert refuted(body) == [("impossible", ("some", "2"))]
    assert found(body, "impossible")["some", "2"].message == "the alternative 2 of the row 'some' can never hold"
    assert found(body, "impossible")["some", "3"].witness == {"n": 2}


def test_a_path_is_made_up_that_a_glob_matches_and_others_do_not() -> None:
    inputs = {"p": {"type": "path"}}
    body = first(
        row("docs", p={"glob": ["docs/**"]}),
        row("texts", "allow", p={"glob": ["**/*.md"]}),
        row("readme", p={"glob": ["docs/*.md"]}),
        row("rest", "allow"),
        inputs=inputs,
    )
    shown = {one[0]: finding for one, finding in found(body, "shadowed").items()}
    assert (shown["docs"].status, shown["texts"].status) == (PROVED, PROVED)
    assert shown["texts"].witness is not None
    assert str(shown["texts"].witness["p"]).endswith(".md")
    # That one glob finds no more than two others together is more than is known of globs.
    assert shown["readme"].status == NOT_PROVED
    assert "it hangs on patterns" in shown["readme"].message


def test_a_row_of_a_list_is_shadowed_by_rows_that_decline() -> None:
    body = spec(
        hit="collect",
        inputs=N,
        outputs=ANSWER,
        rows=[row("small", n={"lt": 3}), {"id": "no", "when": {"n": {"lt": 5}}, "then": {"error": "unknown"}}],
    )
    one = found(body, "shadowed")["small", "no"]
    assert one.message == "the row 'small' never answers: wherever it matches, the whole list is declined"
    assert found(body, "declines")["no",].witness == {"n": 0}


# What loading proves.


def test_gaps_overlaps_and_requirements_have_the_witnesses_that_loading_tells() -> None:
    body = unique(row("low", n={"lt": 4}), row("high", "allow", n={"gt": 2, "lt": 9}))
    body["require"] = [{"when_output": {"y": "allow"}, "inputs": {"n": {"gt": 5}}}]
    read = document(body)
    proofs = {(one.kind, one.subject): (one.status, one.witness, one.message) for one in prove(read)}
    found_ = {(one.kind, one.subject): (one.status, one.witness, one.message) for one in analyze_table(read)}
    assert proofs.items() <= found_.items()
    assert {kind for kind, _ in proofs} == {"gap", "overlap", "require"}
    assert all(status == REFUTED for status, _, _ in proofs.values())


def test_a_partial_table_owes_no_row_for_all_facts() -> None:
    body = unique(row("low", n={"lt": 4}))
    assert [one.kind for one in analyze_table(document(body), partial=True) if one.is_fault] == []
    assert ("gap", ()) in refuted(body)


def test_of_many_pairs_that_overlap_twenty_are_told_and_the_rest_is_counted() -> None:
    rows = [row(f"r{place}", n={"gte": place % 3}) for place in range(12)]
    listed = [one for one in analyze_table(document(unique(*rows))) if one.kind == "overlap"]
    assert [one.status for one in listed] == [REFUTED] * 20 + [NOT_PROVED]
    assert listed[-1].message.startswith(f"up to {12 * 11 // 2 - 20} more pairs")


# What nothing reads.


def test_inputs_fields_and_lets_that_nothing_reads_are_unused() -> None:
    fields = {"a": {"type": "boolean"}, "b": {"type": "boolean"}, "c": {"type": "boolean", "informs": True}}
    body = spec(
        hit="collect",
        each="items",
        inputs={
            "items": {"type": "list", "items": {"type": "record", "fields": fields}},
            "n": {"type": "integer"},
            "m": {"type": "integer"},
            "k": {"type": "integer"},
            "told": {"type": "string", "informs": True},
        },
        let={"twice": "2 * n"},
        outputs={"y": {"type": "integer"}},
        rows=[{"id": "only", "when": {"a": True}, "then": {"y": {"value": "k"}}}],
    )
    assert refuted(body) == [("unused", ("m",)), ("unused", ("b",)), ("unused", ("twice",))]
    told = {one.subject[0]: one.message for one in found(body, "unused").values()}
    assert told["b"] == "the field 'b' of 'items' is read by nothing: remove it, or say 'informs: true'"
    assert told["twice"] == "the let 'twice' is read by nothing: remove it"


def test_a_requirement_reads_what_it_names() -> None:
    body = first(row("rest"), require=[{"when_output": {"y": "allow"}, "inputs": {"n": 3}}])
    assert refuted(body) == []
    del body["require"]
    assert refuted(body) == [("unused", ("n",))]


# Information.


def test_a_first_table_whose_rows_are_apart_could_be_unique() -> None:
    body = first(row("low", n={"lt": 4}), row("high", "allow", n={"gte": 4}))
    assert found(body, "order")[()].message.endswith("no two match the same facts, so it could be unique")
    body["rows"].append(row("again", "allow", n={"gte": 6}))
    assert found(body, "order")[()].message.endswith("rows that match the same facts answer the same")
    body["rows"][-1]["then"] = {"y": "deny"}
    assert found(body, "order")["high", "again"].witness == {"n": 6}
    assert not found(body, "order")["high", "again"].fault


def test_a_value_that_is_taken_over_differs_from_a_constant_where_it_is_another() -> None:
    body = spec(
        hit="first",
        inputs=N,
        outputs={"y": {"type": "integer"}},
        rows=[
            {"id": "four", "when": {"n": 4}, "then": {"y": 4}},
            {"id": "five", "when": {"n": 5}, "then": {"y": 4}},
            {"id": "rest", "then": {"y": {"value": "n"}}},
        ],
    )
    assert set(found(body, "order")) == {("five", "rest")}
    assert refuted(body, *INFORMATION) == [("order", ("five", "rest")), ("redundant", ("four",))]
    told = found(body, "redundant")["four",].message
    assert told == "without the row 'four' everything would be decided the same (for instance by 'rest')"


def test_where_null_goes_is_told_of_every_optional_input() -> None:
    inputs = {"n": {**N["n"], "optional": True}, "k": {**N["n"], "optional": True}}
    body = first(
        row("three", "allow", n={"present": True, "gte": 3}),
        row("none", n=None),
        row("rest", "allow"),
        inputs=inputs,
    )
    assert found(body, "null")["n", "none"].witness == {"n": None, "k": None}
    asked = found(body, "null")["k",]
    assert asked.message == "nothing asks whether k is null: it makes no difference"
    assert asked.witness is not None
    assert asked.witness["k"] is None


def test_values_of_an_output_that_no_row_answers_are_listed() -> None:
    body = first(row("rest"))
    assert found(body, "unanswered")["y", "allow"].message == "y is never 'allow'"
    body["outputs"] = {"y": {"type": "boolean", "optional": True}}
    body["rows"] = [{"id": "rest", "then": {"y": True}}]
    assert set(found(body, "unanswered")) == {("y", "false", "null")}


# Bounds.


def ladder(rows: int, inputs: int = 8) -> Spec:
    names = {f"n{place}": {"type": "integer", "minimum": 0, "maximum": 5 * rows - 1} for place in range(inputs)}
    steps = [row(f"r{place}", "allow", n0={"gte": 5 * place, "lt": 5 * place + 5}) for place in range(rows)]
    return unique(*steps, inputs=names)


def exceptions(rows: int) -> Spec:
    chance = random.Random(3)
    inputs = {f"t{place}": {"type": "term", "one_of": [f"w{word}" for word in range(6)]} for place in range(8)}
    listed = [
        row(f"r{place}", chance.choice(["allow", "deny"]), **_three(chance, sorted(inputs)))
        for place in range(rows - 1)
    ]
    return first(*listed, row("rest"), inputs=inputs)


def _three(chance: random.Random, names: list[str]) -> dict[str, str]:
    return {name: f"w{chance.randrange(6)}" for name in chance.sample(names, 3)}


def hard() -> Spec:
    chance = random.Random(2)
    inputs = {f"b{place}": {"type": "boolean"} for place in range(40)}
    rows = [
        row(f"r{place}", **{name: chance.random() < 0.5 for name in chance.sample(sorted(inputs), 3)})
        for place in range(200)
    ]
    return first(*rows, inputs=inputs)


def test_a_large_table_is_analyzed_within_few_boxes() -> None:
    assert sum(one.boxes for one in analyze_table(document(ladder(200)))) == 0
    findings = analyze_table(document(exceptions(200)))
    assert sum(one.boxes for one in findings) < 2000
    assert not [one for one in findings if one.is_open]


def test_what_the_boxes_do_not_reach_is_not_proved_and_names_the_rows() -> None:
    findings = analyze_table(document(hard()), budget=300)
    assert sum(one.boxes for one in findings) == 300
    assert [one.kind for one in findings if one.is_open]
    assert all(one.subject for one in findings if one.is_open)
    assert not [one for one in findings if one.is_fault]
    assert analyze_table(document(hard()), budget=300) == findings


def test_a_row_with_too_many_alternatives_leaves_everything_open_but_what_is_unused() -> None:
    alternatives = [{"n": place % 10} for place in range(600)]
    body = unique(row("many", any_of=alternatives), inputs={**N, "m": {"type": "boolean"}})
    findings = analyze_table(document(body))
    assert [(one.kind, one.status) for one in findings] == [("impossible", NOT_PROVED), ("unused", REFUTED)]
    assert findings[0].is_open


def test_a_set_of_many_documents_costs_each_of_them_once() -> None:
    body = "hit: first\ninputs: {n: {type: integer}}\noutputs: {y: {type: integer}}\nrows:\n"
    body += "  - {id: low, when: {n: {lt: 3}}, then: {y: 1}}\n  - {id: mid, when: {n: {lt: 8, gt: -8}}, then: {y: 2}}\n"
    body += "  - {id: rest, then: {y: 3}}\n"
    one = sum(finding.boxes for finding in analyze(load(table(body))))
    many = load(*(table(body, f"t.table-{place}") for place in range(1000)))
    findings = analyze(many)
    assert sum(finding.boxes for finding in findings) == 1000 * one
    assert len({finding.document for finding in findings}) == 1000
    assert not [finding for finding in findings if finding.is_fault or finding.is_open]


def test_a_run_splits_no_more_boxes_than_it_may(policies: PolicySet) -> None:
    findings = analyze(policies, budget=20)
    assert sum(one.boxes for one in findings) == 20


# Sets.


def test_an_empty_set_has_no_findings() -> None:
    assert analyze(PolicySet.load([], {})) == ()


def test_vocabularies_and_payloads_have_no_findings(policies: PolicySet) -> None:
    assert analyze(policies, ["verify.severity", "verify.limits"]) == ()
    named = {one.document for one in analyze(policies)}
    assert named == {one for one in policies.ids if policies.entry(one).head.kind in ("table", "machine")}


def test_a_document_that_is_not_there_is_told_with_the_nearest(policies: PolicySet) -> None:
    with pytest.raises(PolicyError) as caught:
        analyze(policies, ["verify.verdct"])
    assert (caught.value.code, caught.value.next_step) == ("unknown_document", "did you mean 'verify.verdict'?")


def test_a_set_that_is_not_proved_is_analyzed() -> None:
    body = "hit: unique\ninputs: {b: {type: boolean}}\noutputs: {y: {type: boolean}}\nrows:\n"
    body += "  - {id: good, when: {b: true}, then: {y: true}}\n"
    with pytest.raises(PolicyError) as caught:
        layered(table(body))
    (problem,) = caught.value.problems
    (fault,) = [one for one in analyze(load(table(body))) if one.is_fault]
    assert (fault.kind, fault.witness, fault.message) == (problem.code, {"b": False}, problem.message)
    assert problem.hint == "for instance b false"


def test_of_the_shipped_policies_every_claim_is_known_and_every_witness_is_legal(policies: PolicySet) -> None:
    findings = analyze(policies)
    assert not [one for one in findings if one.status == NOT_PROVED]
    assert not [one for one in findings if one.is_fault]
    for one in findings:
        if one.witness is not None and policies.entry(one.document).head.kind == "table":
            list(policies.table(one.document).questions(one.witness))
