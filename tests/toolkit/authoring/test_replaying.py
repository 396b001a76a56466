"""Past decisions asked again: what is the same, what would change and which way, and what can't be asked any more."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from policy_oracle import VOCABULARIES, Maker, vocabulary_text
from policy_support import SEVERITY, head, load, table

from toolkit.authoring import deciders
from toolkit.authoring.past import Origin, PastDecision
from toolkit.authoring.replaying import CHANGED, SAME, UNDECIDABLE, Replayed, replay
from toolkit.policy.problems import PolicyError
from toolkit.policy.sets import PolicySet
from toolkit.policy.syntax.nodes import plain
from toolkit.policy.tables import Table
from toolkit.policy.types import freeze

VERDICT = table(
    """\
    hit: first
    inputs: {high: {type: integer, minimum: 0}, medium: {type: integer, minimum: 0}}
    outputs:
      verdict: {type: term, one_of: [BLOCKED, CONDITIONAL, PASS], stronger: [BLOCKED, CONDITIONAL, PASS]}
      verified: {type: boolean, stronger: [false, true]}
      note: {type: string}
    rows:
      - {id: grave, when: {high: {gte: 1}}, then: {verdict: BLOCKED, verified: true, note: a}}
      - {id: some, when: {medium: {gte: 1}}, then: {verdict: CONDITIONAL, verified: true, note: a}}
      - {id: none, then: {verdict: PASS, verified: true, note: a}}
    """
)
MACHINE = head("machine", "t.machine") + (
    "states: {of: t.state, initial: open, terminal: [done]}\n"
    "events:\n  close: {inputs: {left: {type: integer, minimum: 0}}}\n  wait: {}\n"
    "transitions:\n"
    "  - {id: closed, from: open, event: close, when: {left: 0}, to: done, effects: [ring, note]}\n"
    "  - {id: still-open, from: open, event: close, when: {left: {gte: 1}}, to: open}\n"
    "  - {id: waited, from: open, event: wait, to: open}\n"
)
STATES = head("vocabulary", "t.state") + "order: sequence\nterms:\n  - {term: open}\n  - {term: done}\n"
SIGNALS = table(
    """\
    hit: collect
    inputs: {path: {type: path}}
    outputs: {severity: {type: term, of: t.severity}}
    rows:
      - {id: auth, when: {path: {glob: ["auth/**"]}}, then: {severity: high}}
      - {id: any, then: {severity: low}}
    """,
    "t.signals",
)
EACH = table(
    """\
    hit: first
    each: found
    inputs: {found: {type: list, items: {type: record, fields: {n: {type: integer}}}}}
    outputs: {severity: {type: term, of: t.severity}}
    rows:
      - {id: big, when: {n: {gte: 5}}, then: {severity: high}}
      - {id: small, then: {severity: low}}
    """,
    "t.each",
)


def past(facts: Any, outputs: Any, row: Any, document: str = "t.table", line: int = 1, times: int = 1) -> PastDecision:
    return PastDecision(document, facts, outputs, row, Origin("log", line), None, times)


def asked(policies: PolicySet, *decisions: PastDecision) -> Replayed:
    (one,) = replay(policies, decisions).questions
    return one


def outputs(verdict: str, verified: bool = True, note: str = "a") -> dict[str, object]:
    return {"verdict": verdict, "verified": verified, "note": note}


NOW = load(VERDICT)
SOME = {"high": 0, "medium": 1}


def test_an_answer_that_is_the_same_is_the_same() -> None:
    one = asked(NOW, past(SOME, outputs("CONDITIONAL"), "some"))
    assert (one.outcome, one.row_differs, one.direction, one.reason) == (SAME, False, None, None)


def test_the_same_answer_by_another_row_is_the_same_and_says_so() -> None:
    one = asked(NOW, past(SOME, outputs("CONDITIONAL"), "of-old"))
    assert (one.outcome, one.row_differs) == (SAME, True)
    assert one.now is not None
    assert one.now.row == "some"


@pytest.mark.parametrize(
    ("before", "direction"),
    [
        (outputs("BLOCKED"), "weaker"),
        (outputs("PASS"), "stronger"),
        (outputs("PASS", note="b"), "stronger"),  # what has no order says nothing beside what has one
        (outputs("CONDITIONAL", note="b"), "other"),
        (outputs("CONDITIONAL", verified=False), "weaker"),
        (outputs("PASS", verified=False), "mixed"),
        (outputs("GONE"), "other"),
        ({"verdict": "CONDITIONAL", "verified": True}, "other"),
        ({**outputs("CONDITIONAL"), "more": 1}, "other"),
        ({"verdict": [], "verified": {}, "note": None}, "other"),
        ([outputs("CONDITIONAL")], "other"),
    ],
)
def test_a_change_goes_where_the_table_says(before: Any, direction: str) -> None:
    one = asked(NOW, past(SOME, before, ["some"] if isinstance(before, list) else "some"))
    assert (one.outcome, one.direction) == (CHANGED, direction)
    assert one.now is not None
    assert one.now.outputs == outputs("CONDITIONAL")


@pytest.mark.parametrize("before", [1, 1.0, "true", None])
def test_values_of_other_types_are_other_values(before: object) -> None:
    assert asked(NOW, past(SOME, {**outputs("CONDITIONAL"), "verified": before}, "some")).outcome == CHANGED


@pytest.mark.parametrize(
    ("document", "facts", "code"),
    [
        ("t.gone", SOME, "unknown_document"),
        ("", {}, "unknown_document"),
        ("t.severity", SOME, "wrong_kind"),
        ("t.table", {"high": 0}, "fact_missing"),
        ("t.table", {**SOME, "low": 1}, "fact_unknown"),
        ("t.table", {"high": -1, "medium": 0}, "fact_invalid"),
        ("t.table", {"high": True, "medium": 0}, "fact_invalid"),
        ("t.table", {"high": 1.5, "medium": [{"x": "y" * 100_000}]}, "fact_invalid"),
        ("t.table", {str(number): 0 for number in range(10_000)}, "fact_missing"),
        ("t.machine", {"state": "open", "event": "close"}, "fact_missing"),
        ("t.machine", {"event": "close", "left": 0}, "fact_missing"),
        ("t.machine", {"state": ["open"], "event": "close", "left": 0}, "fact_invalid"),
        ("t.machine", {"state": "shut", "event": "close", "left": 0}, "unknown_state"),
        ("t.machine", {"state": "open", "event": "shout"}, "unknown_event"),
        ("t.machine", {"state": "done", "event": "close", "left": 0}, "terminal_state"),
        ("t.declines", {"a": 1}, "cannot-tell"),
    ],
)
def test_what_can_t_be_asked_any_more_is_neither_same_nor_changed(document: str, facts: Any, code: str) -> None:
    declines = table(
        "inputs: {a: {type: integer}}\noutputs: {y: {type: boolean}}\nrows: [{id: never, then: {error: cannot-tell}}]\n"
    )
    now = load(VERDICT, SEVERITY, STATES, MACHINE, declines.replace("t.table", "t.declines"))
    one = asked(now, past(facts, {"y": True}, "row", document))
    assert (one.outcome, one.now, one.direction, one.row_differs) == (UNDECIDABLE, None, None, False)
    assert one.reason is not None
    assert one.reason.code == code
    assert len(one.reason.message) < 500


def test_a_step_of_a_machine_is_asked_with_its_state_and_event() -> None:
    now = load(STATES, MACHINE)
    facts = {"state": "open", "event": "close", "left": 0}
    assert asked(now, past(facts, {"to": "done", "effects": ["ring", "note"]}, "closed", "t.machine")).outcome == SAME
    other = asked(now, past(facts, {"to": "done", "effects": ["note", "ring"]}, "closed", "t.machine"))
    assert (other.outcome, other.direction, other.row_differs) == (CHANGED, "other", False)


@pytest.mark.parametrize(
    ("path", "before", "direction"),
    [
        ("auth/x", [], "stronger"),
        ("auth/x", ["high"], "other"),  # what is new was there, and stronger
        ("auth/x", ["medium", "low"], "stronger"),
        ("x", ["high", "low"], "weaker"),
        ("x", ["medium"], "weaker"),
        ("auth/x", ["low", "high"], "other"),  # the order alone
        ("x", ["low", "low"], "other"),
        ("x", ["unheard-of"], "mixed"),
    ],
)
def test_a_list_is_weaker_where_it_lost_an_answer_and_has_none_as_strong(
    path: str, before: list[str], direction: str
) -> None:
    now = load(SEVERITY, SIGNALS)
    listed = [{"severity": one} for one in before]
    one = asked(now, past({"path": path}, listed, ["r"] * len(before), "t.signals"))
    assert (one.outcome, one.direction) == (CHANGED, direction)


@pytest.mark.parametrize(
    ("before", "direction"),
    [({}, "stronger"), ({"tier": "high"}, "stronger"), ({"severity": "low", "tier": "high"}, "other")],
)
def test_of_an_answer_of_another_form_only_what_the_table_still_says_counts(
    before: dict[str, Any], direction: str
) -> None:
    one = asked(load(SEVERITY, SIGNALS), past({"path": "x"}, [before], ["r"], "t.signals"))
    assert (one.outcome, one.direction) == (CHANGED, direction)


def test_an_output_that_was_not_there_is_neither_weaker_nor_stronger() -> None:
    ranked = "{type: term, one_of: [a, b], optional: true, stronger: [a, null, b]}"
    body = (
        f"hit: first\ninputs: {{n: {{type: integer}}}}\noutputs: {{y: {ranked}, z: {{type: string, optional: true}}}}\n"
    )
    now = load(table(body + "rows: [{id: all, then: {y: a, z: null}}]\n"))
    assert asked(now, past({"n": 1}, {"y": None, "z": None}, "all")).direction == "stronger"
    assert asked(now, past({"n": 1}, {"z": None}, "all")).direction == "other"
    gone = asked(now, past({"n": 1}, {"y": "a"}, "all"))
    assert (gone.outcome, gone.direction) == (CHANGED, "other")
    assert gone.now is not None
    assert deciders.changed_outputs(gone.past.outputs, gone.now.outputs) == {"z": (None, None)}


def test_the_same_list_is_the_same() -> None:
    now = load(SEVERITY, SIGNALS, EACH)
    collected = past({"path": "auth/x"}, [{"severity": "high"}, {"severity": "low"}], ["auth", "any"], "t.signals")
    assert asked(now, collected).outcome == SAME
    facts = {"found": [{"n": 9}, {"n": 1}]}
    items = [{"severity": "high", "item": 0}, {"severity": "low", "item": 1}]
    assert asked(now, past(facts, items, ("big", "small"), "t.each")).outcome == SAME
    assert asked(now, past({"found": []}, [], [], "t.each")).outcome == SAME


@pytest.mark.parametrize(
    ("before", "direction"),
    [
        ([("high", 0), ("high", 1)], "weaker"),
        ([("low", 0), ("low", 1)], "stronger"),
        ([("low", 0), ("high", 1)], "mixed"),  # each item is one question
        ([("high", 1), ("low", 0)], "mixed"),
        ([("high", 0)], "stronger"),
        ([("high", 0), ("low", 1), ("low", 2)], "weaker"),
        ([("high", "first"), ("low", None)], "mixed"),
        ([("high", [0]), ("low", {})], "mixed"),
    ],
)
def test_each_item_of_a_list_is_held_against_itself(before: list[Any], direction: str) -> None:
    now = load(SEVERITY, EACH)
    items = [{"severity": severity, "item": item} for severity, item in before]
    one = asked(now, past({"found": [{"n": 9}, {"n": 1}]}, items, ["r"] * len(items), "t.each"))
    assert (one.outcome, one.direction) == (CHANGED, direction)


def test_lists_that_are_too_long_to_be_held_against_each_other_have_no_direction() -> None:
    now = load(SEVERITY, SIGNALS)
    many = [{"severity": f"s{number}"} for number in range(deciders.MAX_PAIRS)]
    one = asked(now, past({"path": "auth/x"}, many, ["r"] * len(many), "t.signals"))
    assert (one.outcome, one.direction) == (CHANGED, "other")


def test_the_same_question_is_asked_once_and_counts_as_often_as_it_was_made(monkeypatch: pytest.MonkeyPatch) -> None:
    questions: list[Mapping[str, object]] = []
    real = Table.decide_all

    def counting(self: Table, facts: Any = None, /, **named: object) -> Any:
        questions.append(facts)
        return real(self, facts, **named)

    monkeypatch.setattr(Table, "decide_all", counting)
    found = replay(
        NOW,
        [
            past(SOME, outputs("CONDITIONAL"), "some", line=1, times=3),
            past(dict(reversed(SOME.items())), outputs("CONDITIONAL"), "some", line=2),
            past(SOME, outputs("PASS"), "none", line=2),
            past({"high": False, "medium": 1}, outputs("PASS"), "none", line=4),  # not the same as 0
        ],
    )
    assert len(questions) == 3
    first = found.questions[0]
    assert (first.times, [origin.line for origin in first.origins]) == (4, [1, 2])
    total = found.total
    assert (total.asked, total.same, total.changed, total.undecidable) == (6, 4, 1, 1)
    assert total.directions == {"weaker": 0, "mixed": 0, "other": 0, "stronger": 1}


def test_another_row_is_another_record_and_the_same_place_is_told_once() -> None:
    records = [past(SOME, outputs("CONDITIONAL"), row) for row in ("some", "of-old", "some")]
    first, second = replay(NOW, records).questions
    assert (first.past.row, first.times, first.origins) == ("some", 2, (Origin("log", 1),))
    assert (second.past.row, second.times, second.row_differs) == ("of-old", 1, True)


def test_a_table_is_made_ready_once_for_all_its_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    real = deciders.DecidingTable.__init__

    def counting(self: deciders.DecidingTable, given: Table) -> None:
        made.append(given.document.head.id)
        real(self, given)

    monkeypatch.setattr(deciders.DecidingTable, "__init__", counting)
    replay(NOW, [past({"high": number, "medium": 0}, outputs("BLOCKED"), "grave") for number in range(50)])
    assert made == ["t.table"]


def test_questions_stand_by_document_and_in_their_order() -> None:
    found = replay(
        NOW,
        [
            past({}, {}, "x", "t.z"),
            past(SOME, outputs("CONDITIONAL"), "some"),
            past({}, {}, "y", "t.a"),
            past({"high": 1, "medium": 0}, outputs("BLOCKED"), "grave"),
        ],
    )
    assert [one.past.document for one in found.questions] == ["t.a", "t.table", "t.table", "t.z"]
    assert [one.past.row for one in found.questions[1:3]] == ["some", "grave"]
    assert list(found.tallies()) == ["t.a", "t.table", "t.z"]
    assert [tally.undecidable for tally in found.tallies().values()] == [1, 0, 1]


def test_nothing_asked_of_an_empty_set_is_nothing() -> None:
    empty = load()
    assert replay(empty, []).questions == ()
    assert replay(empty, []).total.asked == 0
    assert asked(empty, past(SOME, outputs("PASS"), "none")).outcome == UNDECIDABLE


def recorded(policies: PolicySet, document: str, facts: Mapping[str, object]) -> PastDecision | None:
    """A decision as a record of it says; null where the table refuses."""
    try:
        answer = deciders.Deciders(policies).of(document).answer(facts)
    except PolicyError:
        return None
    return past(facts, answer.outputs, answer.row, document)


def test_every_shipped_case_is_decided_as_it_was(policies: PolicySet) -> None:
    decisions = []
    for document in policies.ids:
        if policies.entry(document).head.kind in ("table", "machine"):
            content: Any = plain(policies.entry(document).node)
            cases = (recorded(policies, document, case["given"]) for case in content.get("cases", ()))
            decisions += [one for one in cases if one is not None]
    found = replay(policies, decisions)
    assert {one.outcome for one in found.questions} == {SAME}
    assert not any(one.row_differs for one in found.questions)
    kinds = {policies.entry(document).head.kind for document in found.tallies()}
    assert (kinds, found.total.asked) == ({"table", "machine"}, len(decisions))


@given(st.integers(0, 2**64))
@settings(max_examples=150)
def test_what_was_decided_is_decided_the_same_by_the_same_policies(seed: int) -> None:
    maker = Maker(seed)
    made = maker.table()
    policies = load(*map(vocabulary_text, VOCABULARIES), made.text)
    document = str(made.document["id"])
    some = [recorded(policies, document, maker.facts(made)) for _ in range(8)]
    decisions = [one for one in some if one is not None]
    frozen = [past(freeze(one.facts), freeze(one.outputs), freeze(one.row), document) for one in decisions]
    read = [past(*json.loads(json.dumps([one.facts, one.outputs, one.row])), document) for one in decisions]
    for given_as in (decisions, frozen, read):
        found = replay(policies, given_as)
        assert {one.outcome for one in found.questions} <= {SAME}
        assert not any(one.row_differs for one in found.questions)
        assert found.total.same == found.total.asked == len(decisions)


@given(st.integers(0, 2**64))
@settings(max_examples=100)
def test_a_change_that_is_taken_back_goes_the_other_way(seed: int) -> None:
    """Of two tables that answer the same facts differently, one is weaker where the other is stronger."""
    opposite = {"weaker": "stronger", "stronger": "weaker", "mixed": "mixed", "other": "other", None: None}
    maker = Maker(seed)
    facts = {"high": maker.chance.randrange(3), "medium": maker.chance.randrange(3)}
    before, after = (load(VERDICT.replace("gte: 1", f"gte: {maker.chance.randrange(3)}")) for _ in range(2))
    there, back = recorded(before, "t.table", facts), recorded(after, "t.table", facts)
    assert there is not None
    assert back is not None
    assert asked(before, back).direction == opposite[asked(after, there).direction]
