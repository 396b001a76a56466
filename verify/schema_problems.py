"""What a record breaks, in words: an error of a JSON Schema as ``path: what is wrong``, short whatever was sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from toolkit.reporting.visible import visible

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

WHOLE: Final = "record"
SHOWN: Final = 60  # characters of a value that a message repeats
HUGE: Final = 2**1024  # an integer beyond it breaks every bound that a schema can state, and is as good as any other


def broken_rules(validator: Validator, record: Mapping[str, object]) -> frozenset[str]:
    """Every rule of a schema that a decoded record breaks, each as ``path: what is wrong``."""
    try:
        errors = list(validator.iter_errors(_checkable(record)))
    except (RecursionError, ValueError):
        return frozenset({f"{WHOLE}: is nested too deeply"})
    return frozenset(line for error in errors for line in described(error))


def described(error: ValidationError) -> Iterator[str]:
    """Each problem that ``error`` stands for; a missing or unknown key is named as if it were there."""
    from jsonschema_rs import ValidationErrorKind as Kind

    path = tuple(map(str, error.instance_path))
    match error.kind:
        case Kind.Required(property=key):
            yield f"{_joined(*path, key)}: is missing"
        case Kind.AdditionalProperties(unexpected=keys):
            yield from (f"{_joined(*path, key)}: is no key of the contract" for key in keys)
        case _:
            yield f"{_joined(*path)}: {_fault(error)}"


def _fault(error: ValidationError) -> str:
    from jsonschema_rs import ValidationErrorKind as Kind

    instance: Any = error.instance
    match error.kind:
        case Kind.Not(schema=rule) if rule == {}:  # the schema ``false`` would not say where
            return "must be left out here"
        case Kind.Enum(options=options):
            return f"must be one of {', '.join(map(str, options))}, written so, not {_shown(instance)}"
        case Kind.Type(types=types):
            return f"must be of the type {' or '.join(types)}, not {_shown(instance)}"
        case Kind.MaxLength(limit=limit):
            return f"has {len(instance)} characters, and {limit} are allowed"
    return f"breaks the rule {error.kind.name} with {_shown(instance)}"


def _checkable(value: object) -> Any:
    """The same JSON value as the library takes it: a lone surrogate is a question mark, and integers have an end."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        return {_checkable(key): _checkable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_checkable(item) for item in value]
    return min(max(value, -HUGE), HUGE) if type(value) is int else value


def _joined(*path: str) -> str:
    return visible(".".join(path), 2 * SHOWN) or WHOLE


def _shown(value: object) -> str:
    return visible(repr(value), SHOWN)
