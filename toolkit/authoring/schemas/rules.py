"""Schemas of what documents decide by: rows, transitions, terms and invariants, and the cases that ask them."""

from __future__ import annotations

from typing import Final

from toolkit.authoring.schemas.conditions import APART, FACT, NAME_WRONG, WHEN, when_of_event
from toolkit.authoring.schemas.known import Known
from toolkit.authoring.schemas.parts import BOUNDS, SCALARS, Schema, closed, listed, mapping, ref, snippet, text, words
from toolkit.authoring.testing.cases import KEYS, OPTIONAL_KEYS, REFUSAL
from toolkit.policy.language.declarations import name_pattern
from toolkit.policy.language.produced import code_pattern
from toolkit.policy.language.rows import row_id_pattern
from toolkit.policy.language.transitions import EVENT, STATE

ROW, TRANSITION, TERM, INVARIANT, CASE, JSON = "row", "transition", "term", "invariant", "case", "json"
BODY = "_body"  # after the name of a part: the part without its name, as an overlay replaces it
ID_WRONG: Final = "An id is lower-case words joined by hyphens, dots or underscores."

_THEN, _PRODUCED, _MACHINE_WHEN = "then", "produced", "transition_when"
_SOURCE: Final = {"type": "string", "description": "Which reference this comes from, where not from the document's."}


def rule_definitions(known: Known) -> dict[str, Schema]:
    """Rows (those of a ``unique`` table too, where no pattern stands), transitions, terms, invariants and cases."""
    made: dict[str, Schema] = {
        JSON: _json(),
        CASE: _case(),
        _THEN: _then(),
        _PRODUCED: _produced(),
        _MACHINE_WHEN: when_of_event((STATE, EVENT)),
    }
    for prefix in ("", APART):
        made[prefix + ROW + BODY] = _row(prefix, named=False)
        made[prefix + ROW] = _row(prefix, named=True)
        made[prefix + INVARIANT] = _invariant(prefix)
    made[TRANSITION + BODY] = _transition(known, named=False)
    made[TRANSITION] = _transition(known, named=True)
    made[TERM + BODY] = {"type": "object", "additionalProperties": {"type": "string"}, "properties": {"term": False}}
    made[TERM] = _term()
    return made


def identifier(description: str, **more: object) -> Schema:
    """The id of a row, a transition, an event or a case."""
    return text(description, row_id_pattern(), ID_WRONG, **more)


def _row(prefix: str, *, named: bool) -> Schema:
    properties: Schema = {
        "when": ref(prefix + WHEN),
        "then": ref(_THEN),
        "source": _SOURCE,
    }
    if not named:
        return closed(properties, ("then",))
    name = identifier("What the row is called: in explanations, in cases, and by overlays that edit it.")
    body = {"id": "${1:row-id}", "when": {"${2:input}": "${3:value}"}, "then": {"${4:output}": "${5:value}"}}
    offered = [snippet("row", "A row: where all of 'when' holds, it answers 'then'.", body)]
    return closed({"id": name, **properties}, ("id", "then"), defaultSnippets=offered)


def _then() -> Schema:
    error = text(
        "Decline to answer, with this reason: whoever asks is told that it could not be determined.",
        code_pattern(),
        "A reason code is lower-case words joined by hyphens.",
    )
    alone = {"maxProperties": 1, "errorMessage": "A row that declines answers nothing beside its error."}
    return mapping(
        "What the row answers: a value for every output. Or {error: reason-code}, to decline.",
        ref(_PRODUCED),
        name_pattern(),
        NAME_WRONG,
        minProperties=1,
        properties={"error": error},
        **{"if": {"required": ["error"]}, "then": alone},
    )


def _produced() -> Schema:
    """A scalar, a list, or a reference; no keyword holds of two of them."""
    name = text("The input, field or let whose value is answered.", name_pattern(), NAME_WRONG)
    reference = closed({"value": name}, ("value",))
    one = [kind for kind in SCALARS if kind != "null"]
    told = "The value of the output, or {value: name}: that of an input, a field or a let."
    item = {**reference, "type": [*one, "object"], **BOUNDS}
    return {**reference, "type": [*SCALARS, "array", "object"], "description": told, **BOUNDS, "items": item}


def _invariant(prefix: str) -> Schema:
    value = {"type": [*SCALARS, "array"], "minItems": 1, **BOUNDS, "items": {"type": [*SCALARS], **BOUNDS}}
    outputs = mapping(
        "Where the outputs are these (a list: one of these) ...", value, name_pattern(), NAME_WRONG, minProperties=1
    )
    inputs = mapping(
        "... each of these facts holds.", ref(prefix + FACT), name_pattern(), NAME_WRONG, minProperties=1
    )  # fmt: skip
    return closed({"when_output": outputs, "inputs": inputs}, ("when_output", "inputs"))


def _transition(known: Known, *, named: bool) -> Schema:
    state: Schema = {"type": "string"}
    effect = words("What code does on the way.", list(known.effects), known.effects) if known.effects else state
    origin: Schema = {
        "type": ["string", "array"],
        "description": "The state, or the list of states, from which it leads.",
        "items": state,
        "minItems": 1,
        "uniqueItems": True,
    }
    properties: Schema = {
        "from": origin,
        "event": identifier("The event on which it is taken."),
        "when": ref(_MACHINE_WHEN, "What else must hold, by the event's inputs."),
        "to": {**state, "description": "The state to which it leads."},
        "effects": listed("What code does on the way, in this order.", effect, uniqueItems=True),
        "source": _SOURCE,
    }
    required = ("from", "event", "to")
    if not named:
        return closed(properties, required)
    name = identifier("What the transition is called; each stands once in the machine.")
    body = {"id": "${1:transition-id}", "from": "${2:state}", "event": "${3:event}", "to": "${4:state}"}
    offered = [snippet("transition", "A transition: on this event, from this state to that.", body)]
    return closed({"id": name, **properties}, ("id", *required), defaultSnippets=offered)


def _term() -> Schema:
    term = {"type": "string", "description": "The term itself."}
    return {
        "type": "object",
        "description": "A term, with a text for each of the document's anchors.",
        "required": ["term"],
        "properties": {"term": term},
        "additionalProperties": {"type": "string"},
    }


def single_answers() -> Schema:
    """What cases hold to where a question has one answer."""
    wrong = "One question has one answer here: a mapping of outputs, or {error: reason-code}."
    expect: Schema = {"type": "object", "errorMessage": wrong}
    return {"items": {"properties": {"expect": expect, "row": {"type": "string"}}}}


def listed_answers() -> Schema:
    """What cases hold to where a question has a list of answers."""
    wrong = "One question has a list of answers here, or {error: reason-code}."
    return {"items": {"properties": {"expect": {"required": [REFUSAL], "maxProperties": 1, "errorMessage": wrong}}}}


def _case() -> Schema:
    """One question with its known answer."""
    properties: Schema = {
        "id": identifier("What the case shows, in words: the name under which it is reported."),
        "given": {
            "type": "object",
            "description": "The facts: a value for every input. For a machine also the state and the event.",
            "additionalProperties": ref(JSON),
        },
        "expect": {
            "type": ["object", "array"],
            "description": (
                "The answer: some or all outputs; {error: reason-code} where the row declines; where there are several "
                "answers, the list of them in order."
            ),
            "additionalProperties": ref(JSON),
            "items": {"type": "object", "additionalProperties": ref(JSON)},
        },
        "row": {
            "type": ["string", "array"],
            "description": "The row or transition that answers; where there are several answers, that of each.",
            "items": {"type": "string"},
        },
        "todo": {
            "type": "string",
            "description": "Why the case does not hold yet: it is reported, and fails nothing.",
            "pattern": r"\S",
            "patternErrorMessage": "Say what is still missing.",
        },
    }
    assert properties.keys() == {*KEYS, *OPTIONAL_KEYS}
    said: Schema = {"minProperties": 1, "errorMessage": "An empty answer without a row tests nothing."}
    unnamed: Schema = {"properties": {"expect": {**said, "items": said}}}
    body = {"id": "${1:what-it-shows}", "given": {"${2:input}": "${3:value}"}, "expect": {"${4:output}": "${5:value}"}}
    offered = [snippet("case", "A case: for these facts, this answer.", body)]
    nameless: Schema = {"if": {"required": ["row"]}, "then": {}, "else": unnamed}
    return closed(properties, KEYS, defaultSnippets=offered, **nameless)


def _json() -> Schema:
    """Any value that a document may hold: JSON without fractions."""
    return {
        "type": [*SCALARS, "array", "object"],
        **BOUNDS,
        "items": ref(JSON),
        "additionalProperties": ref(JSON),
    }
