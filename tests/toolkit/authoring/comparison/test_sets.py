"""Whole sets: which documents are compared, and what is told of each kind of document."""

from __future__ import annotations

import json
from typing import Any

import pytest
from policy_support import ANY_SHAPE, EFFECTS, SEVERITY, data, head, layered, load, overlay, table

from toolkit.authoring.comparison import Change, Comparison, compare
from toolkit.policy.layers import SHIPPED, Source
from toolkit.policy.problems import PolicyError
from toolkit.policy.sets import PolicySet

RISK = table("""\
    hit: first
    inputs:
      lines: {type: integer, minimum: 0}
      path: {type: path}
    outputs:
      severity: {type: term, of: t.severity}
    rows:
      - {id: large, when: {lines: {gt: 400}}, then: {severity: high}}
      - {id: docs, when: {path: {glob: ["docs/**"]}}, then: {severity: low}}
      - {id: rest, then: {severity: medium}}
    """)
GRAVE = table(
    """\
    hit: first
    inputs: {severity: {type: term, of: t.severity}}
    outputs: {stop: {type: boolean, stronger: [true, false]}}
    rows:
      - {id: grave, when: {severity: {gte: medium}}, then: {stop: true}}
      - {id: rest, then: {stop: false}}
    """,
    "t.grave",
)
REORDERED = SEVERITY.replace("high", "HELD").replace("low", "high").replace("HELD", "low")


def found(before: list[str], after: list[str], **more: Any) -> Comparison:
    return compare(load(*before, prove=True), load(*after, prove=True), **more)


def only(comparison: Comparison) -> Change:
    (change,) = comparison.changes
    assert comparison.complete
    return change


def told(comparison: Comparison) -> list[tuple[str, str, str]]:
    return [(one.document, one.kind, one.subject) for one in comparison.changes]


def test_equal_sets_are_told_equal_by_their_digests_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = load(SEVERITY, RISK, GRAVE), load(SEVERITY, RISK, GRAVE)
    for name in ("table", "vocabulary", "machine", "data"):
        monkeypatch.delattr(PolicySet, name)
    assert compare(one, other) == Comparison()
    assert compare(one, one) == Comparison()


def test_only_what_changed_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    original = PolicySet.table

    def table_of(self: PolicySet, document: str) -> Any:
        asked.append(document)
        return original(self, document)

    monkeypatch.setattr(PolicySet, "table", table_of)
    found([SEVERITY, RISK, GRAVE], [SEVERITY, RISK.replace("400", "500"), GRAVE])
    assert set(asked) == {"t.table"}


def test_a_change_says_the_rows_both_answers_the_direction_and_facts_that_show_it() -> None:
    comparison = found([SEVERITY, RISK], [SEVERITY, RISK.replace("gt: 400", "gt: 600")])
    first, second = comparison.changes
    assert (first.row_before, first.row_after, first.direction) == ("large", "docs", "weaker")
    assert (first.before, first.after) == ({"severity": "high"}, {"severity": "low"})
    assert first.witness is not None
    assert 400 < first.witness["lines"] <= 600
    assert first.witness["path"].startswith("docs/")
    assert first.message == "severity 'high' -> 'low'"
    assert json.loads(json.dumps(second.to_json()))["subject"] == "large -> rest"
    assert comparison.changed == ("t.table",)


def test_another_name_or_another_source_of_a_row_is_no_change() -> None:
    renamed = RISK.replace("id: large, when", "id: big, source: elsewhere, when")
    comparison = found([SEVERITY, RISK], [SEVERITY, renamed])
    assert (comparison.changes, comparison.complete, comparison.changed) == ((), True, ("t.table",))


def test_a_refusal_is_another_answer_that_no_order_ranks() -> None:
    declines = RISK.replace("then: {severity: high}", "then: {error: unsure}")
    change = only(found([SEVERITY, RISK], [SEVERITY, declines]))
    assert (change.direction, change.after) == ("other", {"error": "unsure"})
    assert change.message == "severity 'high' -> refused (unsure)"


def test_terms_in_another_order_change_the_tables_that_compare_them() -> None:
    comparison = found([SEVERITY, RISK, GRAVE], [REORDERED, RISK, GRAVE])
    assert next(one for one in told(comparison) if one[0] == "t.severity") == ("t.severity", "order", "terms")
    decisions = {
        (one.witness["severity"], one.direction) for one in comparison.changes if one.kind == "decision" and one.witness
    }
    assert decisions == {("high", "weaker"), ("low", "stronger")}
    assert comparison.changed == ("t.severity",)


def test_reworded_anchors_compare_no_table() -> None:
    reworded = SEVERITY.replace("noticed", "seen")
    change = only(found([SEVERITY, GRAVE], [reworded, GRAVE]))
    assert (change.kind, change.subject, change.before, change.after) == ("anchor", "low/definition", "noticed", "seen")


def test_terms_come_and_go() -> None:
    more = SEVERITY + "  - {term: none, definition: nothing}\n"
    assert told(found([SEVERITY], [more])) == [("t.severity", "term", "none")]
    assert only(found([more], [SEVERITY])).message == "the term 'none' is gone"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("lines: {type: integer, minimum: 0}", "lines: {type: integer, minimum: -5}", [("input", "lines")]),
        ("path: {type: path}\n", "path: {type: path}\n  more: {type: boolean}\n", [("input", "more")]),
        ("path: {type: path}", "path: {type: path, optional: false}", []),
        (
            "  severity: {type: term, of: t.severity}",
            "  severity: {type: term, of: t.severity, optional: true}",
            [("output", "severity")],
        ),
    ],
)
def test_declarations_are_compared_by_what_they_say(old: str, new: str, expected: list[tuple[str, str]]) -> None:
    assert old in RISK
    comparison = found([SEVERITY, RISK], [SEVERITY, RISK.replace(old, new)])
    assert [(one.kind, one.subject) for one in comparison.changes] == expected
    assert comparison.complete


def test_an_input_that_only_one_side_has_stands_in_the_witness_and_is_asked_of_that_side() -> None:
    passive = RISK.replace("  path: {type: path}\n", "  path: {type: path}\n  passive: {type: boolean}\n")
    passive = passive.replace("when: {lines: {gt: 400}}", "when: {lines: {gt: 400}, passive: false}")
    comparison = found([SEVERITY, RISK], [SEVERITY, passive])
    assert [one.subject for one in comparison.changes] == ["passive", "large -> docs", "large -> rest"]
    assert all(one.witness["passive"] is True for one in comparison.changes[1:] if one.witness)


def test_a_single_answer_is_not_held_against_a_list() -> None:
    comparison = found([SEVERITY, RISK], [SEVERITY, RISK.replace("hit: first", "hit: collect")])
    assert [(one.kind, one.direction) for one in comparison.changes] == [("hit", "unknown")]
    assert [one.document for one in comparison.unproved] == ["t.table"]
    assert not comparison.complete


def test_inputs_without_a_value_in_common_leave_nothing_to_compare() -> None:
    texts = RISK.replace("lines: {type: integer, minimum: 0}", "lines: {type: string}").replace("{gt: 400}", '"many"')
    (one,) = found([SEVERITY, RISK], [SEVERITY, texts]).unproved
    assert one.reason == "no facts are legal in both: of 'lines' they have no value in common"


def test_lets_are_compared_by_what_they_compute_not_by_their_names() -> None:
    lets = RISK.replace("outputs:", 'let: {twice: "2 * lines"}\noutputs:').replace(
        "lines: {gt: 400}", "twice: {gt: 800}"
    )
    renamed = lets.replace("twice", "doubled")
    assert told(found([SEVERITY, lets], [SEVERITY, renamed])) == [
        ("t.table", "let", "twice"),
        ("t.table", "let", "doubled"),
    ]
    thrice = lets.replace("2 * lines", "3 * lines")
    decisions = [one for one in found([SEVERITY, lets], [SEVERITY, thrice]).changes if one.kind == "decision"]
    assert {(one.row_before, one.row_after, one.direction) for one in decisions} == {
        ("docs", "large", "stronger"), ("rest", "large", "stronger"),
    }  # fmt: skip
    assert all(one.witness and 267 <= one.witness["lines"] <= 400 for one in decisions)


def test_what_hangs_on_a_pattern_of_which_no_example_is_found_is_said_to_be_unknown() -> None:
    never = '{path: {glob: ["docs/**"], not: {glob: ["docs/*", "docs/*/**"]}}}'
    above = RISK.replace(
        "  - {id: large", f"  - {{id: none, when: {never}, then: {{severity: high}}}}\n  - {{id: large"
    )
    comparison = found([SEVERITY, RISK], [SEVERITY, above])
    assert (comparison.changes, comparison.complete) == ((), False)
    assert [(one.document, one.subject) for one in comparison.unproved] == [("t.table", "docs -> none")]


def test_payloads_are_compared_by_pointers() -> None:
    old = data("{limits: {a: 1, b: 2}, checks: [{id: x, live: true}, {id: y, live: true}], names: [p, q]}")
    new = data("{limits: {a: 1, c/d: 3}, checks: [{id: y, live: false}, {id: x, live: true}], names: [p, q, r]}")
    comparison = found([old], [new])
    assert {(one.subject, json.dumps(one.before), json.dumps(one.after)) for one in comparison.changes} == {
        ("/limits/b", "2", "null"),
        ("/limits/c~1d", "null", "3"),
        ("/checks/y/live", "true", "false"),
        ("/checks", '["x", "y"]', '["y", "x"]'),
        ("/names", '["p", "q"]', '["p", "q", "r"]'),
    }
    assert {one.direction for one in comparison.changes} == {"other"}


def test_long_values_and_many_parts_are_cut() -> None:
    many = "{" + ", ".join(f"k{number}: 1" for number in range(300)) + "}"
    comparison = found([data("{}")], [data(many)])
    assert len(comparison.changes) == 201
    assert comparison.changes[-1].message == "100 more parts of the payload are not the same"
    (long,) = found([data("{}")], [data("{a: [" + ", ".join(["word"] * 2000) + "]}")]).changes
    assert long.after == "(a list of 2000, 14001 bytes)"


def test_documents_come_go_and_change_their_kind() -> None:
    assert told(found([SEVERITY, RISK], [SEVERITY])) == [("t.table", "document", "t.table")]
    assert only(found([SEVERITY], [SEVERITY, RISK])).before is None
    replaced = found([data("{}", "t.grave")], [SEVERITY, GRAVE], documents=["t.grave"])
    assert [(one.kind, one.direction) for one in replaced.changes] == [("document", "unknown")]
    assert not replaced.complete


def test_some_documents_alone() -> None:
    sets = [SEVERITY, RISK, GRAVE], [REORDERED, RISK.replace("400", "500"), GRAVE]
    assert {one[0] for one in told(found(*sets, documents=["t.table"]))} == {"t.table"}
    assert {one[0] for one in told(found(*sets, documents=["t.grave"]))} == {"t.grave"}
    with pytest.raises(PolicyError) as caught:
        found(*sets, documents=["t.grav"])
    assert (caught.value.code, caught.value.next_step) == ("unknown_document", "did you mean 't.grave'?")


def test_another_profile_is_told() -> None:
    sources = [Source("a.yaml", SEVERITY.encode(), SHIPPED)]
    one, other = (PolicySet.load(sources, ANY_SHAPE, effects=EFFECTS, profile=name) for name in ("compact", "atomic"))
    assert told(compare(one, other)) == [("", "profile", "profile")]


def test_overlays_are_compared_by_what_they_make_of_a_document() -> None:
    lower = overlay("replace: {large: {when: {lines: {gt: 400}}, then: {severity: low}}}\n", base="t.table")
    sets = layered(SEVERITY, RISK), layered(SEVERITY, RISK, repository=[lower])
    assert [(one.row_before, one.direction) for one in compare(*sets).changes] == [("large", "weaker")]
    assert [(one.row_before, one.direction) for one in compare(*reversed(sets)).changes] == [("large", "stronger")]


def test_two_empty_sets_are_the_same() -> None:
    assert compare(PolicySet({}), PolicySet({})) == Comparison()


def test_a_thousand_documents_of_which_one_changed_cost_one_comparison() -> None:
    rest = [data(f"{{n: {number}}}", f"t.d{number}") for number in range(900)]
    comparison = found([*rest, SEVERITY, GRAVE], [*rest, SEVERITY, GRAVE.replace("gte: medium", "gte: high")])
    assert told(comparison) == [("t.grave", "decision", "grave -> rest")]


MACHINE = head("machine", "t.machine") + (
    "states: {of: t.severity, initial: high, terminal: [low]}\n"
    "events: {go: {inputs: {n: {type: integer, minimum: 0}}}, stop: {}}\n"
    "transitions:\n"
    "  - {id: down, from: high, event: go, when: {n: 0}, to: medium, effects: [note]}\n"
    "  - {id: out, from: medium, event: go, to: low}\n"
    "  - {id: end, from: [high, medium], event: stop, to: low}\n"
)


def step(comparison: Comparison) -> tuple[Any, ...]:
    change = only(comparison)
    return change.kind, change.subject, change.row_before, change.row_after, change.direction


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("when: {n: 0}, to: medium", "when: {n: [0, 1]}, to: medium", ("transition", "go", None, "down", "other")),
        ("when: {n: 0}, to: medium", "when: {n: 0}, to: low", ("transition", "go", "down", "down", "other")),
        ("effects: [note]", "effects: [note, ring]", ("transition", "go", "down", "down", "other")),
        ("from: [high, medium], event: stop", "from: high, event: stop", ("transition", "stop", "end", None, "other")),
        ("initial: high", "initial: medium", ("state", "initial", None, None, "other")),
    ],
)
def test_a_step_that_is_taken_refused_or_leads_elsewhere_is_told(old: str, new: str, expected: tuple[Any, ...]) -> None:
    assert old in MACHINE
    assert step(found([SEVERITY, MACHINE], [SEVERITY, MACHINE.replace(old, new)])) == expected


def test_a_transition_of_another_name_is_no_change_and_an_event_is() -> None:
    assert found([SEVERITY, MACHINE], [SEVERITY, MACHINE.replace("id: out", "id: leave")]).changes == ()
    without = MACHINE.replace(", stop: {}", "").replace(
        "  - {id: end, from: [high, medium], event: stop, to: low}\n", ""
    )
    assert step(found([SEVERITY, MACHINE], [SEVERITY, without]))[:2] == ("event", "stop")


def test_a_new_state_is_told_and_what_leads_from_it_has_no_counterpart() -> None:
    more = SEVERITY + "  - {term: none, definition: nothing}\n"
    machine = MACHINE.replace("from: [high, medium], event", "from: [high, medium, none], event")
    assert told(found([SEVERITY, MACHINE], [more, machine])) == [
        ("t.machine", "state", "none"),
        ("t.severity", "term", "none"),
    ]
