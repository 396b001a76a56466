"""Schemas of whole documents: vocabularies, tables, machines and data."""

from __future__ import annotations

from typing import Final

from toolkit.authoring.schemas.conditions import APART
from toolkit.authoring.schemas.declarations import EACH_INPUT, INPUT, named_inputs, named_lets, named_outputs
from toolkit.authoring.schemas.known import Known
from toolkit.authoring.schemas.parts import Schema, closed, listed, only_where, ref, text, words
from toolkit.authoring.schemas.rules import (
    CASE,
    ID_WRONG,
    INVARIANT,
    JSON,
    ROW,
    TERM,
    TRANSITION,
    listed_answers,
    single_answers,
)
from toolkit.policy.documents.heads import HEAD, KINDS, LANGUAGE, ORDERS, SOURCE, TEMPLATES, id_pattern, version_pattern
from toolkit.policy.language import rows, transitions
from toolkit.policy.language.declarations import name_pattern
from toolkit.policy.language.rows import MAX_ROWS, row_id_pattern
from toolkit.policy.language.rules import COLLECT, FIRST, HITS
from toolkit.policy.language.transitions import EVENT, STATE

KINDS_TOLD: Final = {
    "vocabulary": "An ordered list of terms, each with texts that say what it means.",
    "table": "Rows that answer questions: what holds of the inputs decides the outputs.",
    "machine": "Which event leads from which state to which.",
    "data": "A payload for code, in a shape that the code owns.",
    "overlay": "Edits of a document of a lower layer, by the names of its parts.",
}
_HITS_TOLD: Final = {
    "unique": "Exactly one row matches whatever the facts are, which is proved when the document loads.",
    "first": "The first row that matches answers; some row always does.",
    "collect": "Every row that matches gives one answer, in their order.",
}
_ORDERS_TOLD: Final = {
    "descending": "The gravest term first; terms can be compared.",
    "ascending": "The lowest term first; terms can be compared.",
    "sequence": "The order only lists them; terms can't be compared.",
}


def head(kind: str, known: Known) -> Schema:
    """The keys that every document has."""
    spelled, wrong = (
        id_pattern().pattern,
        "An id is <pack>.<name>, in lower case, with more names after dots if needed.",
    )
    if known.pack is not None:
        spelled = rf"(?={known.pack}\.){spelled}"
        wrong = f"What stands here is called {known.pack}.<name>, in lower case."
    keys: Schema = {
        "policy": {"const": LANGUAGE, "description": "The version of the policy language."},
        "kind": {"const": kind, "description": KINDS_TOLD[kind]},
        "id": text("What the document is called; no two of a set have one id.", spelled, wrong),
        "version": text(
            "The document's own version. Raise it with every change of what is decided.",
            version_pattern(),
            "A version is three numbers: 1.0.0",
            examples=["1.0.0"],
        ),
        "title": text("What the document is about, in one line.", minLength=1),
        SOURCE: text("Which reference the rules come from, or whose decision they are and why.", minLength=1),
    }
    assert keys.keys() == {*HEAD, SOURCE}
    return keys


def vocabulary(known: Known) -> Schema:
    anchors = listed(
        "The keys of the texts that every term carries beside its name.",
        {"type": "string", "not": {"const": "term"}},
        uniqueItems=True,
    )
    order = words("What the order of the terms means. Without it: sequence.", ORDERS, _ORDERS_TOLD)
    keys = {"order": order, "anchors": anchors, "terms": listed("The terms, in order.", ref(TERM), minItems=1)}
    return _document("vocabulary", known, keys, ("terms",))


def table(known: Known) -> Schema:
    keys: Schema = {
        "hit": words("How rows answer. Without it: unique.", HITS, _HITS_TOLD),
        "order_note": text("Why the order of the rows means something."),
        "each": text(
            "The input, a list of records, for each item of which the rows are asked.",
            name_pattern(),
            "The name of an input that is a list of records.",
        ),
        "inputs": named_inputs("The facts that the table is asked with, by name.", EACH_INPUT),
        "let": named_lets(),
        "outputs": named_outputs(),
        "require": listed("What is proved of the answers, whatever the order of the rows.", ref(INVARIANT)),
        "rows": listed("The rows.", ref(ROW), minItems=1, maxItems=MAX_ROWS),
        "cases": cases(),
    }
    assert keys.keys() == {*rows.KEYS, *rows.OPTIONAL_KEYS} - {SOURCE}
    made = _document("table", known, keys, rows.KEYS)
    apart = {"rows": {"items": ref(APART + ROW)}, "require": {"items": ref(APART + INVARIANT)}}
    flat = {"inputs": {"additionalProperties": ref(INPUT)}}
    made["allOf"] = [
        only_where("hit", (FIRST, COLLECT), {}, {"properties": apart}),
        {"if": {"required": ["each"]}, "then": {}, "else": {"properties": flat}},
        {
            "if": {"anyOf": [{"required": ["each"]}, {"required": ["hit"], "properties": {"hit": {"const": COLLECT}}}]},
            "then": {"properties": {"cases": listed_answers()}},
            "else": {"properties": {"cases": single_answers()}},
        },
    ]
    return made


def machine(known: Known) -> Schema:
    state: Schema = {"type": "string"}
    of = text(
        "The vocabulary whose terms are the states.",
        id_pattern(),
        "The id of a vocabulary, such as repo.lamp-state.",
        examples=known.of_kind("vocabulary"),
    )
    states = closed(
        {
            "of": of,
            "initial": {**state, "description": "The state in which it begins."},
            "terminal": listed("The states that nothing leaves.", state, uniqueItems=True),
        },
        ("of", "initial", "terminal"),
        description="The states, and which of them are the first and the last.",
    )
    told = "The facts that come with the event, by name; the state and the event themselves need no mention."
    event = closed({"inputs": named_inputs(told, INPUT, STATE, EVENT)}, description="An event.")
    events: Schema = {
        "type": "object",
        "description": "What may happen, by name.",
        "minProperties": 1,
        "additionalProperties": event,
        "propertyNames": text("", row_id_pattern(), ID_WRONG),
    }
    moves = listed("The transitions; their order means nothing.", ref(TRANSITION), minItems=1, maxItems=MAX_ROWS)
    keys: Schema = {"states": states, "events": events, "transitions": moves, "cases": cases()}
    assert keys.keys() == {*transitions.KEYS, *transitions.OPTIONAL_KEYS} - {SOURCE}
    return {
        **_document("machine", known, keys, transitions.KEYS),
        "allOf": [{"properties": {"cases": single_answers()}}],
    }


def data(known: Known) -> Schema:
    shape = "The name of the JSON Schema that the payload satisfies. Shapes belong to code: there are no others."
    template = "A text that the payload fills in; its bytes are part of what is identified."
    keys: Schema = {
        "shape": words(shape, known.shapes) if known.shapes else text(shape),
        TEMPLATES: listed(
            "The templates that the payload fills in.",
            words(template, known.templates) if known.templates else text(template),
        ),
        "value": ref(JSON, "The payload, as its shape says."),
    }
    return _document("data", known, keys, ("shape", "value"))


def cases() -> Schema:
    return listed("Questions with known answers, which `dr-policy test` asks.", ref(CASE))


def union() -> Schema:
    """Any document, by its kind: for editors that hold a whole folder against one schema."""
    kind = words("What the document is.", KINDS, KINDS_TOLD)
    return {
        "type": "object",
        "required": ["kind"],
        "properties": {"kind": kind},
        "allOf": [only_where("kind", one, ref(one), {}) for one in KINDS],
    }


def _document(kind: str, known: Known, keys: Schema, required: tuple[str, ...]) -> Schema:
    return closed({**head(kind, known), **keys}, (*HEAD, SOURCE, *required), description=KINDS_TOLD[kind])
