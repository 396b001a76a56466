"""A data document's payload against its shape: the JSON Schema (2020-12) that its consumer owns."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from toolkit.policy.problems import Mark, Problems, did_you_mean, shown
from toolkit.policy.syntax.nodes import MapNode, Node, part_at, plain

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator, ValidationError

MAX_LOOKED_AT = 500
MAX_FAULTS = 20  # of one document; a payload that is wholly wrong need not be told a thousand times
SCHEMA_SHAPE = "json-schema"  # of payloads that are JSON Schemas themselves


def validator_of(schema: dict[str, Any] | str) -> Draft202012Validator:
    """A JSON Schema, as a value or as JSON text, ready to check with.

    Nothing is retrieved, whatever the schema refers to; patterns take linear time, so they look neither ahead nor back;
    ``format`` informs. Raises ``ValueError`` where it is no schema or has a pattern that can't be used.
    """
    from jsonschema_rs import Draft202012Validator, RegexOptions

    return Draft202012Validator(schema, offline=True, pattern_options=RegexOptions(), validate_formats=False)


def reason_of(fault: ValueError) -> str:
    """Why there is no validator, in one line."""
    return str(fault).split("\n", 1)[0]


def check_shape(node: Node, shape: str, shape_mark: Mark, shapes: Mapping[str, bytes], problems: Problems) -> None:
    """Record where the payload differs from its shape, at the place of the part that differs."""
    if shape not in shapes:
        problems.fail("unknown_shape", f"there is no shape {shown(shape)}", shape_mark, did_you_mean(shape, shapes))
    try:
        validator = validator_of(shapes[shape].decode())
    except ValueError as fault:
        problems.fail("bad_shape", f"the shape {shown(shape)} can't be used: {reason_of(fault)}", shape_mark)
    payload = plain(node)
    try:
        found = list(islice(validator.iter_errors(payload), MAX_LOOKED_AT))
    except ValueError as fault:  # it is nested deeper than the library reads
        problems.fail("wrong_shape", f"the payload can't be checked: {reason_of(fault)}", node.mark)
    if found:
        _tell(found, node, json.loads(shapes[shape]), problems)
    elif shape == SCHEMA_SHAPE:
        _check_schema(node, payload, problems)


def _tell(found: list[ValidationError], node: Node, schema: Any, problems: Problems) -> None:
    for fault in sorted(found, key=lambda one: list(map(str, one.instance_path)))[:MAX_FAULTS]:
        part = part_at(node, fault.instance_path)
        mark, hint, message = part.mark, None, fault.message
        keyword = fault.kind.name
        if keyword == "additionalProperties" and isinstance(part, MapNode):
            known = _rule(schema, fault.schema_path[:-1]).get("properties", {})
            unknown = next((key for key in part.entries if key not in known), None)
            if unknown is not None:
                mark, hint = part.key_marks[unknown], did_you_mean(unknown, known)
        elif keyword == "contains" and (missing := _missing_item(_rule(schema, fault.schema_path))):
            message = f"{missing} must stand here"
        problems.add("wrong_shape", f"{_path(fault)}: {message}", mark, hint)


def _check_schema(node: Node, payload: dict[str, Any], problems: Problems) -> None:
    """Record why a payload that should be a JSON Schema can't be used as one."""
    from jsonschema_rs import ValidationError

    try:
        validator_of(payload)
    except ValidationError as fault:
        problems.add("wrong_shape", f"{_path(fault)}: {fault.message}", part_at(node, fault.instance_path).mark)
    except ValueError as fault:
        problems.add("wrong_shape", f"the payload can't be used: {reason_of(fault)}", node.mark)


def _path(fault: ValidationError) -> str:
    return "/".join(map(str, fault.instance_path)) or "the payload"


def _rule(schema: Any, path: Iterable[str | int]) -> dict[str, Any]:
    """The part of a schema at a path, if there is a mapping."""
    for step in path:
        if isinstance(schema, dict):
            schema = schema.get(str(step))
        elif isinstance(schema, list) and isinstance(step, int) and step < len(schema):
            schema = schema[step]
    return schema if isinstance(schema, dict) else {}


def _missing_item(rule: Mapping[str, Any]) -> str:
    """Which item a list lacks, as far as the rule for it says so in constants."""
    if "const" in rule:
        return f"the item {shown(rule['const'])}"
    missing = _missing(rule)
    return missing and f"an item with {missing}"


def _missing(schema: object) -> str:
    """What an item must hold that a list is to contain, as far as its schema says so in constants."""
    if not isinstance(schema, dict):
        return ""
    wanted = []
    for key, value in schema.get("properties", {}).items():
        if "const" in value:
            wanted.append(f"{key}: {value['const']}")
        elif inner := _missing(value.get("contains")):
            wanted.append(f"{key} that hold {inner}")
    return " and ".join(wanted)
