"""A data document's payload against its shape: the JSON Schema (2020-12) that its consumer owns."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from toolkit.policy.nodes import ListNode, MapNode, Node, plain
from toolkit.policy.problems import Mark, Problems, did_you_mean, shown

MAX_LOOKED_AT = 500
MAX_FAULTS = 20  # of one document; a payload that is wholly wrong need not be told a thousand times


def check_shape(node: Node, shape: str, shape_mark: Mark, shapes: Mapping[str, bytes], problems: Problems) -> None:
    """Record where the payload differs from its shape, at the place of the part that differs."""
    if shape not in shapes:
        problems.fail("unknown_shape", f"there is no shape {shown(shape)}", shape_mark, did_you_mean(shape, shapes))
    from jsonschema import Draft202012Validator

    validator = Draft202012Validator(json.loads(shapes[shape]))
    payload = plain(node)
    found = islice(validator.iter_errors(payload), MAX_LOOKED_AT)
    faults = sorted(found, key=lambda fault: list(map(str, fault.absolute_path)))
    for fault in faults[:MAX_FAULTS]:
        part = _part(node, fault.absolute_path)
        path = "/".join(map(str, fault.absolute_path)) or "the payload"
        mark, hint = part.mark, None
        if fault.validator == "additionalProperties" and isinstance(part, MapNode):
            known = fault.schema.get("properties", {})
            unknown = next((key for key in part.entries if key not in known), None)
            if unknown is not None:
                mark, hint = part.key_marks[unknown], did_you_mean(unknown, known)
        missing = _missing(fault.validator_value) if fault.validator == "contains" else ""
        message = f"an item with {missing} must stand here" if missing else fault.message
        problems.add("wrong_shape", f"{path}: {message}", mark, hint)


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


def _part(node: Node, path: Iterable[Any]) -> Node:
    """The part of the payload that a path of keys and indexes names."""
    for step in path:
        if isinstance(node, MapNode) and step in node.entries:
            node = node.entries[step]
        elif isinstance(node, ListNode) and isinstance(step, int) and step < len(node.items):
            node = node.items[step]
    return node
