"""What a record breaks, in words: an error of a JSON Schema as ``path: what is wrong``, short whatever was sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from toolkit.reporting.visible import visible

if TYPE_CHECKING:
    from jsonschema import ValidationError

WHOLE: Final = "record"
SHOWN: Final = 60  # characters of a value that a message repeats


def described(error: ValidationError) -> Iterator[str]:
    """Each problem that ``error`` stands for; a missing or unknown key is named as if it were there."""
    path = tuple(map(str, error.absolute_path))
    instance, rule = cast("Any", error.instance), cast("Any", error.validator_value)
    if error.validator == "required":
        yield from (f"{_joined(*path, key)}: is missing" for key in rule if key not in instance)
    elif error.validator == "additionalProperties":
        known = cast("Mapping[str, Any]", error.schema)["properties"]
        yield from (f"{_joined(*path, key)}: is no key of the contract" for key in instance if key not in known)
    else:
        yield f"{_joined(*path)}: {_fault(error)}"


def _fault(error: ValidationError) -> str:
    instance, rule = cast("Any", error.instance), cast("Any", error.validator_value)
    if error.validator == "not" and rule == {}:  # nothing may stand here; the schema ``false`` would not say where
        return "must be left out here"
    if error.validator == "enum":
        return f"must be one of {', '.join(rule)}, written so, not {_shown(instance)}"
    if error.validator == "type":
        return f"must be of the type {rule}, not {_shown(instance)}"
    if error.validator == "maxLength":
        return f"has {len(instance)} characters, and {rule} are allowed"
    return f"breaks the rule {error.validator} with {_shown(instance)}"


def _joined(*path: str) -> str:
    return visible(".".join(path), 2 * SHOWN) or WHOLE


def _shown(value: object) -> str:
    return visible(repr(value), SHOWN)
