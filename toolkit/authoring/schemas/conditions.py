"""Schemas of the cells that rows, transitions and invariants ask: one for each place, as the reader allows there."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from toolkit.authoring.schemas.parts import BOUNDS, SCALARS, Schema, closed, listed, mapping, one_needed, ref, without
from toolkit.policy.language.cells import ITEM_OPERATORS, OPERATORS, PATTERN_TYPES
from toolkit.policy.language.conditions import COMPARISONS
from toolkit.policy.language.declarations import name_pattern
from toolkit.policy.language.patterns import MAX_PATTERN

NAME_WRONG = "A name is lower-case words joined by underscores."
CELL, ITEM, COUNT, FACT, WHEN, PART = "cell", "item_cell", "count_cell", "fact_cell", "when", "when_part"
APART = "apart_"  # before the names of cells whose rows are proved apart, so that no pattern stands there

_TOLD = {
    "gt": "Greater than this integer, or stronger than this term of an ordered vocabulary.",
    "gte": "This integer or a greater one; this term or a stronger one.",
    "lt": "Less than this integer, or weaker than this term.",
    "lte": "This integer or a smaller one; this term or a weaker one.",
    "glob": "One of these globs matches the path: `*`, `?`, `[a-z]`, `**`, always from the top.",
    "matches": "One of these RE2 patterns is found in some line.",
    "ignore_case": "Whether capital and small letters are the same to the globs or patterns beside it.",
    "some": "At least one item of the list is like this.",
    "every": "Each item of the list is like this; so it is of an empty list.",
    "count": "The number of items of the list is like this.",
    "present": "true: it is not null. false: it is null.",
    "not": "What stands here does not hold.",
}
_CELL_TOLD = (
    "What must hold of the value: a constant that it equals, a list of constants of which it equals one, or operators "
    "that all hold."
)


def condition_definitions() -> dict[str, Schema]:
    """Every kind of cell and every kind of ``when``, by name."""
    made: dict[str, Schema] = {}
    for prefix in ("", APART):
        usable = [one for one in OPERATORS if not (prefix and (one in PATTERN_TYPES or one == "ignore_case"))]
        no_lists = [one for one in usable if one not in ITEM_OPERATORS]
        made[prefix + CELL] = _cell(prefix, CELL, usable)
        made[prefix + FACT] = _cell(prefix, FACT, no_lists)
        made[prefix + ITEM] = _cell(prefix, ITEM, [one for one in no_lists if one != "present"], null=False)
        made[prefix + PART] = _when(prefix + CELL, {"any_of": False})
        made[prefix + WHEN] = _when(prefix + CELL, {"any_of": _alternatives(prefix)})
    made[COUNT] = _cell("", COUNT, [*COMPARISONS, "not"], null=False, scalars=("integer",))
    return made


def when_of_event(reserved: Collection[str]) -> Schema:
    """The ``when`` of a transition, which has no place for what is said beside it."""
    when = _when(APART + CELL, {"any_of": _alternatives(APART), **dict.fromkeys(reserved, False)})
    return {**when, "errorMessage": "The state stands under 'from' and the event under 'event'."}


def _cell(
    prefix: str, kind: str, operators: Collection[str], *, null: bool = True, scalars: tuple[str, ...] = SCALARS
) -> Schema:
    """A scalar, a list of scalars or a mapping of operators: no keyword holds of two of them."""
    constants = [one for one in scalars if null or one != "null"]
    operands = {one: _operand(one, prefix, kind) for one in OPERATORS if one in operators}
    schema = closed(operands, minProperties=1, description=_CELL_TOLD)
    schema |= {"type": [*constants, "array", "object"], "minItems": 1, **BOUNDS}
    schema["items"] = {"type": constants if len(constants) > 1 else constants[0], **BOUNDS}
    if kind == COUNT:
        schema["minimum"] = schema["items"]["minimum"] = 0
    if prefix:
        schema["properties"] |= dict.fromkeys(PATTERN_TYPES, True)  # refused by a rule, which says why
    if rules := list(_rules(operators, apart=bool(prefix))):
        schema["allOf"] = rules
    return schema


def _operand(operator: str, prefix: str, kind: str) -> Schema:
    told = _TOLD[operator]
    if operator in COMPARISONS:
        return {"type": "integer" if kind == COUNT else ["integer", "string"], "description": told, **BOUNDS}
    if operator in PATTERN_TYPES:
        return listed(told, {"type": "string", "minLength": 1, "maxLength": MAX_PATTERN}, minItems=1)
    if operator == "not":
        return ref(("" if kind == COUNT else prefix) + kind, told)
    if operator == "count":
        return ref(COUNT, told)
    if operator in ITEM_OPERATORS:
        return ref(prefix + ITEM, told)
    return {"type": "boolean", "description": told}


def _rules(operators: Collection[str], *, apart: bool) -> Iterator[Schema]:
    """What operators ask of each other, and of the place."""
    if apart:
        yield without(PATTERN_TYPES, "Nothing proves such rows apart: 'hit: first' takes patterns, a machine none.")
    if "ignore_case" in operators:
        beside = one_needed(PATTERN_TYPES, "ignore_case belongs to glob or matches.")
        yield {"if": {"type": "object", "required": ["ignore_case"]}, "then": beside}
    if "present" in operators:
        absent: Schema = {"type": "object", "properties": {"present": {"const": False}}, "required": ["present"]}
        others = without(
            (one for one in operators if one != "present"), "Nothing can be asked beside 'present: false'."
        )
        yield {"if": absent, "then": others}


def _when(cell: str, properties: Schema) -> Schema:
    told = "What must hold, by the name of the input, field or let. Leave 'when' out where the row always matches."
    return mapping(told, ref(cell), name_pattern(), NAME_WRONG, minProperties=1, properties=properties)


def _alternatives(prefix: str) -> Schema:
    return listed("At least one of these holds as well.", ref(prefix + PART), minItems=1)
