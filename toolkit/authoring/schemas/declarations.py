"""Schemas of what tables and events declare: inputs, lets and outputs, each with the keys of its type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from toolkit.authoring.schemas.conditions import NAME_WRONG
from toolkit.authoring.schemas.known import Known
from toolkit.authoring.schemas.parts import (
    BOUNDS,
    Schema,
    closed,
    listed,
    mapping,
    one_needed,
    only_where,
    ref,
    text,
    without,
    words,
)
from toolkit.policy.documents.heads import id_pattern
from toolkit.policy.language.arithmetic import MAX_LENGTH
from toolkit.policy.language.declarations import KEYS_OF_TYPE, RESERVED, TYPES, name_pattern

INPUT, EACH_INPUT, OUTPUT = "input", "each_input", "output"
_ITEM, _RECORD_ITEM = "item", "record_item"
_BOOLEAN, _TERM, _LIST, _RECORD = "boolean", "term", "list", "record"

_TYPES_TOLD: Final = {
    "boolean": "true or false.",
    "integer": "A whole number, within 'minimum' and 'maximum' where they are given.",
    "string": "A short text, which globs and patterns may test.",
    "path": "A path with slashes, which globs may test.",
    "text": "Text of many lines, which patterns test a line at a time.",
    "term": "One of the terms of a vocabulary ('of'), or of the list 'one_of'.",
    "list": "A list, each item of the type that 'items' declares.",
    "record": "A mapping with the given 'fields': only the item of the list that 'each' names.",
}
_NEEDED = {_LIST: ("items",), _RECORD: ("fields",)}


def declaration_definitions(known: Known) -> dict[str, Schema]:
    """What may be declared, by name."""
    plain = [one for one in TYPES if one != _RECORD]
    items = [one for one in plain if one != _LIST]
    informs = {"informs": {"type": "boolean", "description": "true: no row may test it; callers report it."}}
    stronger: Schema = listed(
        "Every value of this output once, the gravest first: then two versions can be compared for which is stronger.",
        {"type": ["string", "boolean", "null"]},
        uniqueItems=True,
        minItems=1,
    )
    output = _declared(plain, known, _ITEM, {**_optional("The row may answer null."), "stronger": stronger})
    output["allOf"] += _stronger_rules()
    fact = {**_optional("null is a legal value."), **informs}
    return {
        INPUT: _declared(plain, known, _ITEM, fact),
        EACH_INPUT: _declared(plain, known, _RECORD_ITEM, fact),
        OUTPUT: output,
        _ITEM: _declared(items, known, None, {}),
        _RECORD_ITEM: _declared([*items, _RECORD], known, None, {}),
    }


def named_inputs(description: str, declared: str, *reserved: str) -> Schema:
    """Inputs by name; ``declared`` is the definition of one."""
    return _named(description, ref(declared), *reserved)


def named_outputs() -> Schema:
    told = "What the table answers, by name; every row says each of them."
    return {**_named(told, ref(OUTPUT)), "minProperties": 1}


def named_lets() -> Schema:
    one = text("Exact arithmetic over integer inputs and earlier lets: + - * / min max abs ceil floor.")
    told = "Numbers that rows may test, computed from integer inputs, in this order."
    return _named(told, {**one, "minLength": 1, "maxLength": MAX_LENGTH})


def _named(description: str, values: Schema, *reserved: str) -> Schema:
    taken: Schema = {"not": {"enum": [*RESERVED, *reserved]}}
    taken["errorMessage"] = f"{NAME_WRONG} Taken: {', '.join((*RESERVED, *reserved))}."
    return mapping(description, values, name_pattern(), NAME_WRONG, named=taken)


def _optional(told: str) -> Schema:
    return {"optional": {"type": "boolean", "description": f"true: {told}"}}


def _declared(types: Sequence[str], known: Known, items: str | None, more: Schema) -> Schema:
    """A declaration of one of these types; each key stands beside its own type alone."""
    usable = {name: keys for name, keys in KEYS_OF_TYPE.items() if name in types}
    every = {key: _key(key, known, items) for keys in usable.values() for key in keys}
    kind = words("What kind of value it is.", types, _TYPES_TOLD)
    schema = closed({"type": kind, **every, **more}, ("type",))
    schema["allOf"] = list(_rules(usable))
    return schema


def _rules(usable: dict[str, tuple[str, ...]]) -> Iterator[Schema]:
    for name, keys in usable.items():
        otherwise = without(keys, f"{' and '.join(keys)}: only where the type is {name}.")
        then: Schema = {}
        if name == _TERM:
            then = one_needed(keys, "A term needs 'of' (a vocabulary) or 'one_of' (a list of words).")
        elif name in _NEEDED:
            then = {"required": list(_NEEDED[name])}
        yield only_where("type", name, then, otherwise)


def _key(key: str, known: Known, items: str | None) -> Schema:
    if key in ("minimum", "maximum"):
        least = "least" if key == "minimum" else "greatest"
        return {"type": "integer", "description": f"The {least} value, which is legal itself.", **BOUNDS}
    if key == "of":
        return text(
            "The vocabulary whose terms it may be.",
            id_pattern(),
            "The id of a vocabulary, such as review.severity.",
            examples=known.of_kind("vocabulary"),
        )
    if key == "one_of":
        told = "The terms that it may be: some of the vocabulary's, or words of its own where there is no 'of'."
        return listed(told, {"type": "string"}, minItems=1, uniqueItems=True)
    if key == "items":
        assert items is not None
        return ref(items, "What each item of the list is.")
    return {**named_inputs("The fields of the record, by name.", INPUT), "minProperties": 1}


def _stronger_rules() -> Iterator[Schema]:
    wrong = without(("stronger",), "stronger: only where the type is boolean or term.")
    yield only_where("type", (_BOOLEAN, _TERM), {}, wrong)
    for name, value in ((_BOOLEAN, "boolean"), (_TERM, "string")):
        values = {"properties": {"stronger": {"items": {"type": [value, "null"]}}}}
        yield only_where("type", name, values, {})
