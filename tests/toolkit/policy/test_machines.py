"""Machines: which transition an event takes, what is refused and how, and what of a machine does not load."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from policy_oracle import (
    STRANGERS,
    STRINGS,
    VOCABULARIES,
    Maker,
    belongs,
    patterned,
    row_matches,
    terms_of,
    vocabulary_text,
)
from policy_support import SEVERITY, head

from toolkit.effects import EFFECTS
from toolkit.policy.documents.heads import Vocabulary, read_head, read_vocabulary
from toolkit.policy.explaining import describe_when
from toolkit.policy.language.declarations import Declarations
from toolkit.policy.language.patterns import PatternBudget
from toolkit.policy.language.rules import UNIQUE
from toolkit.policy.language.transitions import MachineDocument, read_machine
from toolkit.policy.layers import REPOSITORY, SHIPPED
from toolkit.policy.machines import Machine, Refused
from toolkit.policy.problems import PolicyError, Problem, Problems, Undecided
from toolkit.policy.proofs import PROVED, REFUTED, prove
from toolkit.policy.syntax.nodes import read_yaml
from toolkit.policy.types import IntegerType, TermType

KNOWN = frozenset({"freeze-findings", "charge-attempt", "write-receipt", "close-lineage"})
STATES = head("vocabulary", "t.state") + (
    "terms: [{term: reviewing}, {term: correcting}, {term: validating}, {term: approved}, {term: escalated}]\n"
)
REVIEW = """\
states: {of: t.state, initial: reviewing, terminal: [approved, escalated]}
events:
  results: {inputs: {corrections: {type: integer, minimum: 0}, escalations: {type: integer, minimum: 0}}}
  corrected: {inputs: {passed: {type: boolean}}}
  evidence: {inputs: {passed: {type: boolean}, note: {type: text, informs: true}}}
  give-up: {}
transitions:
  - {id: clean, from: reviewing, event: results, when: {corrections: 0, escalations: 0}, to: validating,
     effects: [freeze-findings]}
  - {id: broken, from: reviewing, event: results, when: {corrections: {gt: 0}, escalations: 0}, to: correcting,
     source: a row's own}
  - {id: fixed, from: correcting, event: corrected, when: {passed: true}, to: validating, effects: [charge-attempt]}
  - {id: again, from: correcting, event: corrected, when: {passed: false}, to: correcting, effects: [charge-attempt]}
  - {id: proved, from: validating, event: evidence, when: {passed: true}, to: approved,
     effects: [write-receipt, close-lineage]}
  - {id: enough, from: [reviewing, correcting], event: give-up, to: escalated, effects: [close-lineage]}
"""


def document(
    body: str = REVIEW, *vocabularies: str, layer: str = SHIPPED, effects: frozenset[str] = KNOWN
) -> MachineDocument:
    """A machine ``t.machine`` from the part below its head, read beside some vocabularies."""
    problems = Problems()
    read: dict[str, Vocabulary] = {}
    for text in vocabularies or (STATES, SEVERITY):
        one, form = read_head(read_yaml(text.encode(), "vocabulary.yaml", problems), SHIPPED, problems)
        read[one.id] = read_vocabulary(one, form, problems)
    machines = []
    with problems.within(""):
        node = read_yaml((head("machine", "t.machine") + body).encode(), "machine.yaml", problems)
        own, form = read_head(node, layer, problems)
        machines.append(read_machine(own, form, Declarations(read, problems), PatternBudget(), effects))
    problems.raise_if_any()
    return machines[0]


def faults(body: str, *vocabularies: str) -> tuple[Problem, ...]:
    """The problems for which a machine does not load."""
    with pytest.raises(PolicyError) as caught:
        document(body, *vocabularies)
    return caught.value.problems


def as_yaml(body: Mapping[str, Any]) -> str:
    """A body written a key a line."""
    return "\n".join(f"{key}: {json.dumps(value)}" for key, value in body.items()) + "\n"


@pytest.fixture(scope="module")
def review() -> Machine:
    return Machine(document())


def refusal(machine: Machine, state: str, event: str, **inputs: object) -> Refused:
    with pytest.raises(Refused) as caught:
        machine.step(state, event, **inputs)
    return caught.value


# Steps.


def test_an_event_takes_the_one_transition_whose_conditions_hold(review: Machine) -> None:
    taken = review.step("reviewing", "results", corrections=0, escalations=0)
    assert (taken.id, taken.event, taken.to, taken.effects) == ("clean", "results", "validating", ("freeze-findings",))
    assert review.step("reviewing", "results", corrections=3, escalations=0).to == "correcting"
    assert review.step("validating", "evidence", passed=True, note="").effects == ("write-receipt", "close-lineage")


def test_a_transition_may_lead_back_to_the_state_that_it_left(review: Machine) -> None:
    assert review.step("correcting", "corrected", passed=False).to == "correcting"


@pytest.mark.parametrize("state", ["reviewing", "correcting"])
def test_a_transition_may_come_from_several_states(review: Machine, state: str) -> None:
    taken = review.step(state, "give-up")
    assert (taken.id, taken.from_states) == ("enough", ("reviewing", "correcting"))


def test_a_step_answers_with_the_transition_of_the_document_itself(review: Machine) -> None:
    taken = review.step("reviewing", "give-up")
    assert taken is review.document.transitions["enough"]
    with pytest.raises(AttributeError):
        taken.to = "approved"  # type: ignore[misc]


def test_inputs_that_no_transition_takes_are_refused(review: Machine) -> None:
    refused = refusal(review, "reviewing", "results", corrections=0, escalations=1)
    assert not isinstance(refused, Undecided)
    assert (refused.code, refused.exit_status, refused.place) == ("no_transition", 2, "machine.yaml:1:1")
    assert (
        refused.message
        == "t.machine: no transition of the event 'results' from the state 'reviewing' takes these inputs"
    )
    assert (refused.state, refused.event, refused.enabled) == ("reviewing", "results", ("results", "give-up"))
    assert refused.next_step == "legal in the state 'reviewing': results, give-up"


def test_an_event_that_does_not_belong_to_the_state_is_refused_whatever_its_inputs(review: Machine) -> None:
    for inputs in ({"passed": True}, {}, {"passed": "yes", "other": 1}):
        refused = refusal(review, "reviewing", "corrected", **inputs)
        assert (refused.code, refused.enabled) == ("no_transition", ("results", "give-up"))
        assert refused.message == "t.machine: the event 'corrected' has no transition from the state 'reviewing'"


def test_nothing_leads_on_from_a_terminal_state(review: Machine) -> None:
    refused = refusal(review, "approved", "give-up")
    assert (refused.code, refused.exit_status, refused.enabled) == ("terminal_state", 2, ())
    assert "terminal" in refused.message
    assert refused.next_step == "nothing leads on from 'approved'"


def test_a_state_without_transitions_refuses_though_it_is_not_terminal() -> None:
    before, after = REVIEW.split("  - {id: proved,")
    refused = refusal(
        Machine(document(before + after[after.index("  - {id: enough") :])),
        "validating",
        "evidence",
        passed=True,
        note="",
    )
    assert (refused.code, refused.enabled) == ("no_transition", ())


def test_two_enabled_transitions_are_no_answer() -> None:
    both = REVIEW.replace("corrections: {gt: 0}, escalations: 0", "escalations: 0")
    with pytest.raises(Undecided) as caught:
        Machine(document(both)).step("reviewing", "results", corrections=0, escalations=0)
    assert (caught.value.code, caught.value.exit_status) == ("several_rows", 3)
    assert "clean, broken" in caught.value.message


@pytest.mark.parametrize("odd", ["reviewed", "", None, 1, True, [], {}, ("reviewing",)])
def test_a_state_that_the_machine_does_not_have_is_named(review: Machine, odd: Any) -> None:
    for asked in (
        lambda: review.step(odd, "results", corrections=0, escalations=0),
        lambda: review.enabled(odd),
        lambda: review.explain(odd, "results", {"corrections": 0, "escalations": 0}),
    ):
        with pytest.raises(PolicyError, match=r"t\.machine has no state") as caught:
            asked()
        assert (caught.value.code, caught.value.exit_status) == ("unknown_state", 2)
        assert not isinstance(caught.value, Refused)
        if odd == "reviewed":
            assert caught.value.next_step == "did you mean 'reviewing'?"


@pytest.mark.parametrize("odd", ["result", "", None, 1, [], {}])
def test_an_event_that_the_machine_does_not_have_is_named(review: Machine, odd: Any) -> None:
    for asked in (
        lambda: review.step("reviewing", odd),
        lambda: review.step("approved", odd),
        lambda: review.explain("reviewing", odd, {}),
        lambda: review.table(odd),
    ):
        with pytest.raises(PolicyError, match=r"t\.machine has no event") as caught:
            asked()
        assert (caught.value.code, caught.value.exit_status) == ("unknown_event", 2)
        if odd == "result":
            assert caught.value.next_step == "did you mean 'results'?"


@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        ({"corrections": 0}, "fact_missing"),
        ({"corrections": 0, "escalations": 0, "escalation": 0}, "fact_unknown"),
        ({"corrections": True, "escalations": 0}, "fact_invalid"),
        ({"corrections": -1, "escalations": 0}, "fact_invalid"),
        ({"corrections": 0, "escalations": 0, "state": "reviewing"}, "fact_unknown"),
        ({"corrections": 0, "escalations": 0, "event": "results"}, "fact_unknown"),
        ({"corrections": 0, "escalations": 0, "self": 0}, "fact_unknown"),
    ],
)
def test_a_bad_input_is_named_as_a_table_names_it(review: Machine, inputs: dict[str, object], code: str) -> None:
    for asked in (
        lambda: review.step("reviewing", "results", **inputs),
        lambda: review.explain("reviewing", "results", inputs),
    ):
        with pytest.raises(PolicyError) as caught:
            asked()
        assert (caught.value.code, caught.value.exit_status) == (code, 2)
        assert not isinstance(caught.value, Refused)


def test_the_events_that_a_state_answers_are_told_in_the_order_of_the_machine(review: Machine) -> None:
    assert review.enabled("reviewing") == ("results", "give-up")
    assert review.enabled("correcting") == ("corrected", "give-up")
    assert review.enabled("validating") == ("evidence",)
    assert review.enabled("approved") == review.enabled("escalated") == ()


def test_an_event_that_no_transition_answers_is_refused_everywhere() -> None:
    machine = Machine(document(REVIEW.replace("  give-up: {}\n", "  give-up: {}\n  shout: {}\n")))
    assert refusal(machine, "reviewing", "shout").enabled == ("results", "give-up")
    explained = machine.explain("reviewing", "shout", {})
    assert explained.rows == ()
    assert isinstance(explained.refusal, Refused)


# What can be asked about a machine.


def test_an_explanation_names_the_transition_and_what_kept_the_others(review: Machine) -> None:
    explained = review.explain("reviewing", "results", {"corrections": 2, "escalations": 0})
    assert [decision.row for decision in explained.decisions] == ["broken"]
    assert dict(explained.decisions[0].outputs) == {"to": "correcting"}
    assert explained.refusal is None
    clean, broken = explained.rows
    assert [(cell.name, cell.value) for cell in clean.failed] == [("corrections", 2)]
    assert (broken.outcome, broken.source) == ("matched", "a row's own")
    assert explained.near_misses == ("clean",)


def test_an_explanation_of_what_is_refused_holds_the_refusal_and_the_near_misses(review: Machine) -> None:
    explained = review.explain("validating", "corrected", {"passed": True})
    assert isinstance(explained.refusal, Refused)
    assert explained.refusal.code == "no_transition"
    assert explained.to_json()["refusal"] == explained.refusal.to_json()
    assert explained.near_misses == ("fixed",)  # the state is the one fact that kept it
    terminal = review.explain("escalated", "give-up", {})
    assert terminal.refusal is not None
    assert terminal.refusal.code == "terminal_state"


def test_an_explanation_of_two_enabled_transitions_is_no_refusal() -> None:
    both = Machine(document(REVIEW.replace("corrections: {gt: 0}, escalations: 0", "escalations: 0")))
    explained = both.explain("reviewing", "results", {"corrections": 0, "escalations": 0})
    assert isinstance(explained.refusal, Undecided)
    assert [row.outcome for row in explained.rows] == ["matched", "matched"]


def test_every_event_is_a_unique_table_of_the_state_and_its_inputs() -> None:
    read = document(layer=REPOSITORY)
    assert tuple(read.events) == ("results", "corrected", "evidence", "give-up")
    results = read.events["results"]
    assert (results.hit, results.each, results.head.id) == (UNIQUE, None, "t.machine")
    assert tuple(results.inputs) == ("state", "corrections", "escalations")
    assert isinstance(results.inputs["corrections"].type, IntegerType)
    assert [(row.id, row.layer, row.source) for row in results.rows] == [
        ("clean", "repository", ""),
        ("broken", "repository", "a row's own"),
    ]
    assert [row.mark.line for row in results.rows] == [14, 16]
    output = results.outputs["to"].type
    assert isinstance(output, TermType)
    assert output.terms == read.states.terms == ("reviewing", "correcting", "validating", "approved", "escalated")
    assert tuple(read.events["give-up"].inputs) == ("state",)


def test_an_event_needs_no_transition_for_every_input_and_two_for_none() -> None:
    silent = document(REVIEW.replace("  give-up: {}\n", "  give-up: {}\n  shout: {}\n"))
    for table in silent.events.values():
        assert {(proof.kind, proof.status) for proof in prove(table, partial=True)} == {("overlap", PROVED)}
    both = document(REVIEW.replace("corrections: {gt: 0}, escalations: 0", "escalations: 0"))
    (proof,) = prove(both.events["results"], partial=True)
    assert (proof.kind, proof.status) == ("overlap", REFUTED)
    assert proof.witness is not None
    witness = dict(proof.witness)
    with pytest.raises(Undecided, match="several rows"):
        Machine(both).step(str(witness.pop("state")), "results", **witness)


def test_a_transition_holds_all_that_a_drawing_needs() -> None:
    drawn = [
        f"{state} --> {one.to}: {one.event} [{describe_when(one.when)}]"
        for one in document().transitions.values()
        for state in one.from_states
    ]
    assert drawn[:2] == [
        "reviewing --> validating: results [corrections 0; escalations 0]",
        "reviewing --> correcting: results [corrections gt 0; escalations 0]",
    ]
    assert drawn[-1] == "correcting --> escalated: give-up [always]"


def test_a_machine_names_every_vocabulary_that_it_reads() -> None:
    read = document(REVIEW.replace("give-up: {}", "give-up: {inputs: {how: {type: term, of: t.severity}}}"))
    assert read.references == {"t.state", "t.severity"}
    assert {table.references for table in read.events.values()} == {read.references}
    assert document().references == {"t.state"}


def test_nobody_can_change_what_a_machine_is() -> None:
    read = document()
    with pytest.raises(TypeError):
        read.events["other"] = read.events["results"]  # type: ignore[index]
    with pytest.raises(TypeError):
        del read.transitions["clean"]  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        read.initial = "approved"  # type: ignore[misc]


# What does not load.

ONE = "{id: clean, from: reviewing, event: results, when: {corrections: 0, escalations: 0}, to: validating,"
PATTERN = "give-up: {inputs: {path: {type: path}}}"


@pytest.mark.parametrize(
    ("old", "new", "code", "hint"),
    [
        ("of: t.state", "of: t.states", "unknown_vocabulary", "did you mean 't.state'?"),
        ("initial: reviewing", "initial: reviewed", "unknown_state", "did you mean 'reviewing'?"),
        ("initial: reviewing", "initial: approved", "bad_initial", None),
        ("initial: reviewing, ", "", "missing_key", None),
        (", terminal: [approved, escalated]", "", "missing_key", None),
        ("terminal: [approved, escalated]", "terminal: [aproved]", "unknown_state", "did you mean 'approved'?"),
        ("terminal: [approved, escalated]", "terminal: [approved, approved]", "duplicate_id", None),
        ("terminal: [approved, escalated]", "terminal: approved", "wrong_type", None),
        ("of: t.state,", "of: t.state, one_of: [reviewing],", "unknown_key", None),
        ("give-up: {}", "Give up: {}", "bad_id", "lower-case-words"),
        ("give-up: {}", "give-up: []", "wrong_type", None),
        ("give-up: {}", "give-up: {input: {}}", "unknown_key", "did you mean 'inputs'?"),
        ("give-up: {}", "give-up: {inputs: {state: {type: boolean}}}", "reserved_name", "rename it"),
        ("give-up: {}", "give-up: {inputs: {event: {type: boolean}}}", "reserved_name", "rename it"),
        ("give-up: {}", "give-up: {inputs: {any_of: {type: boolean}}}", "reserved_name", "rename it"),
        ("give-up: {}", "give-up: {inputs: {how: {type: bolean}}}", "unknown_word", "did you mean 'boolean'?"),
        ("give-up: {}", "give-up: {inputs: {how: {type: record, fields: {}}}}", "record_misplaced", None),
        ("from: validating", "from: validated", "unknown_state", "did you mean 'validating'?"),
        ("from: validating", "from: []", "empty", None),
        ("from: validating", "from: [validating, validating]", "duplicate_id", None),
        ("from: validating", "from: [validating, 1]", "wrong_type", None),
        ("from: validating", "from: approved", "leaves_terminal", "nothing follows a terminal state"),
        ("from: validating", "from: [validating, escalated]", "leaves_terminal", "nothing follows a terminal state"),
        ("to: approved", "to: aproved", "unknown_state", "did you mean 'approved'?"),
        ("to: approved", "to: [approved]", "wrong_type", None),
        ("event: evidence", "event: evidance", "unknown_event", "did you mean 'evidence'?"),
        ("[freeze-findings]", "[freeze-finding]", "unknown_effect", "did you mean 'freeze-findings'?"),
        ("[freeze-findings]", "[write-receipt, write-receipt]", "duplicate_id", None),
        ("[freeze-findings]", "freeze-findings", "wrong_type", None),
        ("id: clean", "id: broken", "duplicate_id", None),
        ("id: clean", "id: Clean!", "bad_id", "lower-case-words"),
        ("id: proved", "id: clean", "duplicate_id", None),
        ("id: clean, ", "", "missing_key", None),
        ("corrections: 0, escalations", "correction: 0, escalations", "unknown_input", "did you mean 'corrections'?"),
        ("corrections: 0, escalations", "passed: true, escalations", "unknown_input", None),
        ("{passed: true}, to: approved", "{note: x}, to: approved", "informs", None),
        ("{passed: true}, to: approved", "{}, to: approved", "wrong_type", None),
        ("{passed: true}, to: approved", "{passed: 1}, to: approved", "wrong_value", None),
        ("{passed: true}, to: approved", "{state: validating}, to: approved", "reserved_name", "say it under 'from'"),
        ("{passed: true}, to: approved", "{any_of: [{state: validating}]}, to: approved", "unknown_input", None),
        ("when: {passed: true}, to: approved", "then: {to: approved}, to: approved", "unknown_key", None),
        ("states: {", "order_note: why\nstates: {", "unknown_key", None),
        ("states: {", "hit: first\nstates: {", "unknown_key", None),
        ("states: {", "cases: {}\nstates: {", "wrong_type", None),
    ],
)
def test_what_is_wrong_with_a_machine_is_named_with_what_would_be_right(
    old: str, new: str, code: str, hint: str | None
) -> None:
    assert REVIEW.count(old) >= 1
    (fault,) = faults(REVIEW.replace(old, new, 1))
    assert fault.code == code
    if hint is not None:
        assert fault.hint == hint
    assert fault.mark.line
    assert fault.document == "t.machine"


@pytest.mark.parametrize(
    ("kind", "cell"), [("path", "{glob: [a]}"), ("text", "{matches: [a]}"), ("string", "{not: {glob: [a]}}")]
)
def test_a_pattern_has_no_place_in_a_machine(kind: str, cell: str) -> None:
    asking = REVIEW.replace("give-up: {}", f"give-up: {{inputs: {{x: {{type: {kind}}}}}}}")
    (fault,) = faults(asking.replace("event: give-up,", f"event: give-up, when: {{x: {cell}}},"))
    assert fault.code == "pattern_in_unique"
    assert fault.hint == "ask it in a table, and hand the event what that answers"


@pytest.mark.parametrize("key", ["states", "events", "transitions"])
def test_a_machine_has_states_events_and_transitions(key: str) -> None:
    whole = yaml.safe_load(REVIEW)
    del whole[key]
    assert [fault.code for fault in faults(as_yaml(whole))] == ["missing_key"]


@pytest.mark.parametrize("empty", ["events: {}", "transitions: []"])
def test_a_machine_with_nothing_in_it_does_not_load(empty: str) -> None:
    whole = yaml.safe_load(REVIEW)
    whole |= yaml.safe_load(empty)
    assert [fault.code for fault in faults(as_yaml(whole))] == ["empty"]


def test_every_fault_of_a_machine_is_told_in_one_go() -> None:
    wrong = (
        REVIEW.replace("to: approved", "to: aproved")
        .replace("[write-receipt, close-lineage]", "[write-recept, close-lineages]")
        .replace("from: validating", "from: [validated, approved]")
        .replace("event: give-up", "event: give-in")
    )
    assert [fault.code for fault in faults(wrong)] == [
        "leaves_terminal",
        "unknown_state",
        "unknown_state",
        "unknown_effect",
        "unknown_effect",
        "unknown_event",
    ]


def test_the_faults_of_states_and_of_events_are_told_together_and_those_of_transitions_after_them() -> None:
    wrong = REVIEW.replace("initial: reviewing", "initial: reviewed").replace("type: boolean", "type: bolean")
    assert [fault.code for fault in faults(wrong)] == ["unknown_state", "unknown_word", "unknown_word"]


def test_a_vocabulary_of_any_order_holds_states() -> None:
    graded = REVIEW.replace("t.state", "t.severity").replace("escalations: 0}, to", "escalations: 0}, to")
    for term, state in (("high", "reviewing"), ("low", "approved")):
        graded = graded.replace(state, term)
    short = graded[: graded.index("  - {id: broken")].replace("validating", "low").replace(", escalated]", "]")
    assert Machine(document(short)).step("high", "results", corrections=0, escalations=0).to == "low"


def test_a_machine_has_a_limit_of_transitions() -> None:
    many = "".join(f"  - {{id: t{n}, from: reviewing, event: give-up, to: escalated}}\n" for n in range(10_001))
    (fault,) = faults(REVIEW[: REVIEW.index("  - {id: clean")] + many)
    assert fault.code == "too_many_transitions"


# What code can do.


def test_every_effect_says_in_a_line_what_code_does() -> None:
    assert list(EFFECTS)
    for name, meaning in EFFECTS.items():
        assert name == name.lower()
        assert "\n" not in meaning
        assert meaning.endswith(".")


# Against the letter.


def made(maker: Maker) -> dict[str, Any]:
    """The body of a random machine that loads."""
    vocabulary = maker.chance.choice(sorted(VOCABULARIES))
    states = VOCABULARIES[vocabulary][1]
    terminal = maker.some(states[1:], 0, 1)
    events = {name: {"inputs": {x: maker.type() for x in maker.some("ab", 0, 2)}} for name in maker.some("efg", 1, 3)}
    transitions = []
    for number in range(maker.chance.randint(1, 8)):
        event = maker.chance.choice(sorted(events))
        sources = maker.some([state for state in states if state not in terminal], 1, 2)
        testable = {x: one for x, one in events[event]["inputs"].items() if not patterned(one)}
        transitions.append(
            {
                "id": f"t{number}",
                "from": sources[0] if len(sources) == 1 and maker.maybe() else sources,
                "event": event,
                **maker.when(testable),
                "to": maker.chance.choice(states),
                "effects": maker.some(sorted(KNOWN), 0, 2),
            }
        )
    declared = {"of": vocabulary, "initial": states[0], "terminal": terminal}
    return {"states": declared, "events": events, "transitions": transitions}


def small_values(declared: dict[str, Any]) -> Iterator[Any]:
    """Every small value of a type, and null where it is legal."""
    if declared.get("optional"):
        yield None
    match declared["type"]:
        case "boolean":
            yield from (True, False)
        case "integer":
            yield from (number for number in range(-5, 6) if belongs(number, declared))
        case "term":
            yield from terms_of(declared)
        case "list":
            items = list(small_values(declared["items"]))[:4]
            yield from map(list, itertools.chain([()], itertools.product(items), itertools.product(items, items[:2])))
        case _:
            yield from STRINGS[:4]


def questions(maker: Maker, inputs: dict[str, Any]) -> list[dict[str, Any]]:
    """Small facts for an event, and a few that are none."""
    columns = [list(small_values(declared)) for declared in inputs.values()]
    whole = [dict(zip(inputs, values, strict=True)) for values in itertools.product(*columns)]
    asked = maker.some(whole, 1, 12)
    for name in [*inputs, "unknown"]:
        asked.append({**maker.chance.choice(whole), name: maker.chance.choice(STRANGERS)})
    return [*asked, *([{}] if inputs else [])]


def expected(body: Mapping[str, Any], state: str, event: str, facts: Mapping[str, Any]) -> object:
    """By the letter: a transition's id, target and effects, or the code of the refusal."""
    if state in body["states"]["terminal"]:
        return "terminal_state"
    here = [one for one in body["transitions"] if one["event"] == event and leaves(one, state)]
    inputs = body["events"][event]["inputs"]
    if not here:
        return "no_transition"
    if set(facts) != set(inputs) or not all(belongs(facts[name], inputs[name]) for name in inputs):
        return "bad fact"
    found = [one for one in here if row_matches(one.get("when", {}), inputs, dict(facts))]
    if len(found) != 1:
        return "several_rows" if found else "no_transition"
    return found[0]["id"], found[0]["to"], tuple(found[0]["effects"])


def leaves(transition: Mapping[str, Any], state: str) -> bool:
    return state in (transition["from"] if isinstance(transition["from"], list) else [transition["from"]])


def stepped(machine: Machine, state: str, event: str, facts: Mapping[str, Any]) -> object:
    try:
        taken = machine.step(state, event, **facts)
    except PolicyError as fault:
        refusal = fault
    else:
        return taken.id, taken.to, taken.effects
    assert refusal.exit_status == (3 if isinstance(refusal, Undecided) else 2)
    if isinstance(refusal, (Undecided, Refused)):
        return refusal.code
    assert refusal.code in ("fact_missing", "fact_invalid", "fact_unknown")
    return "bad fact"


@given(st.integers(0, 2**64))
@settings(max_examples=150)
def test_every_step_is_the_one_that_the_language_describes(seed: int) -> None:
    maker = Maker(seed)
    body = made(maker)
    machine = Machine(document(as_yaml(body), *map(vocabulary_text, VOCABULARIES)))
    for state, event in itertools.product(machine.document.states.terms, machine.document.events):
        for facts in questions(maker, body["events"][event]["inputs"]):
            assert stepped(machine, state, event, facts) == expected(body, state, event, facts)
        answered = any(leaves(one, state) and one["event"] == event for one in body["transitions"])
        assert (event in machine.enabled(state)) is answered
