"""A data document's payload against its shape: the JSON Schema (2020-12) that its consumer owns."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from toolkit.policy.nodes import ListNode, MapNode, Node, plain
from toolkit.policy.problems import Mark, Problems, did_you_mean

MAX_FAULTS = 20  # of one document; a payload that is wholly wrong need not be told a thousand times


def check_shape(node: Node, shape: str, shape_mark: Mark, shapes: Mapping[str, bytes], problems: Problems) -> None:
    """Record where the payload differs from its shape, at the place of the part that differs."""
    if shape not in shapes:
        problems.fail("unknown_shape", f"there is no shape {shape!r}", shape_mark, did_you_mean(shape, shapes))
    from jsonschema import Draft202012Validator

    validator = Draft202012Validator(json.loads(shapes[shape]))
    payload = plain(node)
    faults = sorted(validator.iter_errors(payload), key=lambda fault: list(map(str, fault.absolute_path)))
    for fault in faults[:MAX_FAULTS]:
        where = _place(node, fault.absolute_path)
        path = "/".join(map(str, fault.absolute_path)) or "the payload"
        problems.add("wrong_shape", f"{path}: {_message(fault)}", where, _hint(fault))


def _place(node: Node, path: Iterable[Any]) -> Mark:
    mark = node.mark
    for step in path:
        if isinstance(node, MapNode) and step in node.entries:
            mark, node = node.key_marks[step], node.entries[step]
        elif isinstance(node, ListNode) and isinstance(step, int) and step < len(node.items):
            node = node.items[step]
            mark = node.mark
    return mark


def _message(fault: Any) -> str:
    text = str(fault.message)
    return text if len(text) <= 300 else text[:297] + "..."


def _hint(fault: Any) -> str | None:
    """The nearest known key for one that the shape does not know."""
    if fault.validator != "additionalProperties" or not isinstance(fault.instance, dict):
        return None
    known = fault.schema.get("properties", {})
    unknown = [key for key in fault.instance if key not in known]
    return did_you_mean(unknown[0], known) if unknown else None
