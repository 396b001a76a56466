"""The schema of an overlay: which edits there are, and which of them its base takes, where that is known."""

from __future__ import annotations

from collections.abc import Iterator

from toolkit.authoring.schemas.documents import KINDS_TOLD, cases, head
from toolkit.authoring.schemas.known import Known
from toolkit.authoring.schemas.parts import Schema, closed, listed, one_needed, ref, snippet, text, without, words
from toolkit.authoring.schemas.rules import BODY, INVARIANT, JSON, ROW, TERM, TRANSITION
from toolkit.policy.documents.heads import HEAD, KINDS, id_pattern
from toolkit.policy.documents.overlays import EDITS, EDITS_OF, comparison_pattern
from toolkit.policy.layers import OWN_PACKS, USER
from toolkit.policy.syntax.items import AT, ENDS, ITEMS, POSITIONS
from toolkit.policy.syntax.pointers import MAX_POINTER

_PARTS = tuple(kind.word for kind in ITEMS.values())
_POINTER = "(?:/(?:[^~/]|~[01])*)+"
_POINTER_WRONG = "A JSON Pointer: /key/inner, where an item of a list is named by its id."
_INSERTION = "insertion"


def overlay(known: Known) -> Schema:
    """An overlay of any document."""
    version = rf"\s*{_comparison()}\s*(?:,\s*{_comparison()}\s*)*"
    base = closed(
        {
            "id": text(
                "The document that is edited.",
                id_pattern(),
                "The id of a document, such as review.risk.",
                examples=sorted(known.documents),
            ),
            "version": text(
                "The versions of it for which this was written: comma-joined comparisons.",
                version,
                'Comma-joined comparisons, such as ">=1.0,<2".',
                examples=[">=1.0,<2"],
            ),
        },
        ("id", "version"),
        description="What is edited.",
    )
    keys = {"base": base, **_edits(), "pin": _pin(), "cases": cases()}
    made = closed({**head("overlay", known), **keys}, (*HEAD, "base"), description=KINDS_TOLD["overlay"])
    made["allOf"] = [
        one_needed((*EDITS, "pin", "cases"), f"It changes nothing yet: {', '.join(EDITS)} edit its base.", filled=True),
        {"if": {"required": ["pin"]}, "then": {"properties": {"id": _of_user()}}},
        *_by_kind(known),
    ]
    return made


def overlay_definitions() -> dict[str, Schema]:
    """What is inserted, and its place."""
    positions: Schema = {
        "after": {"type": "string", "description": "The name of the part after which it stands."},
        "before": {"type": "string", "description": "The name of the part before which it stands."},
        AT: words("At the start or the end of all.", ENDS),
    }
    parts = {word: ref(word, f"The new {word}, with a name of its own.") for word in (ROW, TRANSITION, TERM)}
    assert positions.keys() == set(POSITIONS)
    assert parts.keys() == set(_PARTS)
    body = {"at": "end", "row": {"id": "${1:row-id}", "when": {"${2:input}": "${3:value}"}, "then": {}}}
    offered = [snippet("insert a row", "A new row at the end.", body)]
    wrong = "An insertion names one place (after, before or at) and one new part (row, transition or term)."
    made = closed({**positions, **parts}, maxProperties=2, defaultSnippets=offered)
    return {_INSERTION: {**made, "allOf": [one_needed(POSITIONS, wrong), one_needed(_PARTS, wrong)]}}


def _edits() -> Schema:
    settings: Schema = {
        "type": "object",
        "description": "New values in the payload of a data document, by JSON Pointer.",
        "additionalProperties": ref(JSON),
        "propertyNames": _pointer(),
    }
    keys: Schema = {
        "remove": listed(
            "What is taken away: names of rows, transitions or terms; of a payload, JSON Pointers.",
            {"type": "string"},
        ),
        "replace": {
            "type": "object",
            "description": "What stands in the place of a row, transition or term, by its name, which is not repeated.",
            "additionalProperties": {"type": "object"},
        },
        "insert": listed("New rows, transitions or terms, each with its place.", ref(_INSERTION)),
        "require": listed("More of what is proved of a table's answers.", ref(INVARIANT)),
        "set": settings,
    }
    assert keys.keys() == set(EDITS)
    return keys


def _by_kind(known: Known) -> Iterator[Schema]:
    """Edits of documents that are known, by kind."""
    for kind in KINDS:
        ids, allowed = known.of_kind(kind), EDITS_OF.get(kind, ())
        if not ids or not allowed:
            continue
        named: Schema = {"properties": {"base": {"properties": {"id": {"enum": ids}}, "required": ["id"]}}}
        refused = without(
            (one for one in EDITS if one not in allowed), f"The base is a {kind}: it takes {', '.join(allowed)}."
        )
        yield {"if": {**named, "required": ["base"]}, "then": {"allOf": [refused, {"properties": _edits_of(kind)}]}}


def _edits_of(kind: str) -> Schema:
    if kind not in ITEMS:
        return {"remove": {"items": _pointer()}, "cases": {"maxItems": 0}}
    word = ITEMS[kind].word
    others = without((one for one in _PARTS if one != word), f"The base is a {kind}: insert a {word}.")
    edits: Schema = {"replace": {"additionalProperties": ref(word + BODY)}, "insert": {"items": others}}
    return edits if kind != "vocabulary" else {**edits, "cases": {"maxItems": 0}}


def _pointer() -> Schema:
    return text("A JSON Pointer into the payload.", _POINTER, _POINTER_WRONG, maxLength=MAX_POINTER)


def _pin() -> Schema:
    told = "Rows or transitions that no repository may weaken. Only in the user's own overlays."
    return listed(told, {"type": "string"})


def _of_user() -> Schema:
    pack = OWN_PACKS[USER]
    return {"pattern": rf"^{pack}\.", "patternErrorMessage": f"Only the user's own overlays ({pack}.<name>) pin."}


def _comparison() -> str:
    """One comparison of versions, as part of a larger pattern."""
    return comparison_pattern().pattern.removesuffix(r"\Z")
