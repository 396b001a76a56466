"""JSON from elsewhere, read so that all readers agree on it: no key twice, no NaN, no endless number."""

from __future__ import annotations

import json
from typing import Any, Final, NoReturn

MAX_DIGITS: Final = 30  # of an integer; a longer one is out of every range, and slow to read
_SHOWN: Final = 60


def loads(text: str | bytes) -> Any:
    """The value of a JSON text.

    Raises ``json.JSONDecodeError`` where it is none, another ``ValueError`` for a key that stands twice (one reader
    would take the first, another the last), for ``NaN`` and ``Infinity``, for an integer of more than ``MAX_DIGITS``
    digits and for bytes that are no UTF-8; ``RecursionError`` for one that is nested too deeply.
    """
    return json.loads(text, object_pairs_hook=_once, parse_int=_integer, parse_constant=_no_constant)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for key, item in pairs:
        if key in value:
            raise ValueError(f"the key {key[:_SHOWN]!r} stands twice")
        value[key] = item
    return value


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"an integer of {len(digits)} digits is beyond ±(2^53 - 1)")
    return int(digits)


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")
