"""The small parts of which the schemas are made. Draft-07 alone, with what editors' YAML servers read beside it.

``errorMessage``, ``patternErrorMessage``, ``enumDescriptions`` and ``defaultSnippets`` are annotations to a validator.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from toolkit.policy.syntax.scalars import MAX_INTEGER

Schema = dict[str, Any]

DRAFT = "http://json-schema.org/draft-07/schema#"
BOUNDS: Schema = {"minimum": -MAX_INTEGER, "maximum": MAX_INTEGER}  # these hold of numbers alone
SCALARS = ("string", "integer", "boolean", "null")


def ref(name: str, description: str | None = None) -> Schema:
    """One of the definitions; a description beside it only informs."""
    return {"$ref": f"#/definitions/{name}", **_told(description)}


def text(description: str, pattern: re.Pattern[str] | str | None = None, wrong: str = "", **more: Any) -> Schema:
    """A text, spelled as ``pattern`` says from its first character to its last; ``wrong`` tells what is meant."""
    schema: Schema = {"type": "string", "description": description, **more}
    if pattern is not None:
        schema["pattern"] = whole(pattern)
    if wrong:
        schema["patternErrorMessage"] = wrong
    return schema


def whole(pattern: re.Pattern[str] | str) -> str:
    """A reader's pattern as JSON Schema writes it: anchored by itself at both ends."""
    source = pattern if isinstance(pattern, str) else pattern.pattern
    return f"^(?:{source.removesuffix(chr(92) + 'Z')})$"


def words(description: str, known: Sequence[str], told: Mapping[str, str] | None = None) -> Schema:
    """One of the known words; ``told`` says what each means."""
    schema: Schema = {"type": "string", "description": description, "enum": list(known)}
    if told:
        schema["enumDescriptions"] = [told[word] for word in known]
    return schema


def closed(properties: Mapping[str, Any], required: Iterable[str] = (), **more: Any) -> Schema:
    """A mapping of these keys and no others."""
    schema: Schema = {"type": "object", "additionalProperties": False, "properties": dict(properties), **more}
    needed = list(required)
    return {**schema, "required": needed} if needed else schema


def mapping(description: str, values: Any, names: re.Pattern[str] | str, wrong: str, **more: Any) -> Schema:
    """A mapping with names of its own, each spelled as ``names`` says."""
    spelled: Schema = {"pattern": whole(names), "patternErrorMessage": wrong, **more.pop("named", {})}
    return {
        "type": "object",
        "description": description,
        "additionalProperties": values,
        "propertyNames": spelled,
        **more,
    }


def listed(description: str, items: Any, **more: Any) -> Schema:
    return {"type": "array", "description": description, "items": items, **more}


def only_where(key: str, value: str | Sequence[str], then: Schema, otherwise: Schema) -> Schema:
    """What holds where a key has this value, or one of these, and what holds where it has not."""
    tested: Schema = {"const": value} if isinstance(value, str) else {"enum": list(value)}
    conditional: Schema = {"if": {"properties": {key: tested}, "required": [key]}}
    return {**conditional, **({"then": then} if then else {}), **({"else": otherwise} if otherwise else {})}


def without(keys: Iterable[str], wrong: str) -> Schema:
    """None of these keys."""
    return {"properties": dict.fromkeys(keys, False), "errorMessage": wrong}


def one_needed(keys: Iterable[str], wrong: str, *, filled: bool = False) -> Schema:
    """At least one of these keys; ``filled``: with a list or mapping that is not empty."""
    some: Schema = {"minItems": 1, "minProperties": 1, "errorMessage": wrong}
    one = [
        {"required": [key], "errorMessage": wrong, **({"properties": {key: some}} if filled else {})} for key in keys
    ]
    return {"anyOf": one}


def snippet(label: str, description: str, body: Any) -> Schema:
    """What an editor offers to write; ``$1`` is where its cursor goes first."""
    return {"label": label, "description": description, "body": body}


def _told(description: str | None) -> Schema:
    return {} if description is None else {"description": description}
