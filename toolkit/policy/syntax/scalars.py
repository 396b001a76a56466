"""Which plain YAML scalars are JSON values, which are text, and which are refused because readers disagree.

YAML 1.1, YAML 1.2 and their common readers take different plain scalars for nulls, booleans, numbers and dates
(``no``, ``0400``, ``12:30``, ``2024-01-01``). A policy must mean the same to everybody, so only JSON's own
spellings have a type, and everything that any reader might type otherwise must be quoted.
"""

from __future__ import annotations

import re
from functools import cache

Scalar = bool | int | str | None

MAX_INTEGER = 2**53 - 1  # what every JSON reader holds exactly (RFC 8785)

_JSON_WORDS: dict[str, Scalar] = {"true": True, "false": False, "null": None}
_WORDS = frozenset({"null", "true", "false", "yes", "no", "on", "off"})  # in any mixture of cases
_LONGEST_WORD = 5
_SPECIAL_NUMBERS = frozenset({".inf", "+.inf", "-.inf", ".nan"})


class AmbiguousScalar(ValueError):
    """A plain scalar that some YAML reader takes for something else than text; ``kind`` says for what."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


@cache
def _integer() -> re.Pattern[str]:
    return re.compile(r"-?(?:0|[1-9][0-9]*)\Z")


@cache
def _number_like() -> re.Pattern[str]:
    return re.compile(
        r"[-+]?(?:0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+"
        r"|[0-9][0-9_,]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9_]+)?"
        r"|\.[0-9_]+(?:[eE][-+]?[0-9]+)?"
        r"|[0-9][0-9_]*(?::[0-9]{1,2})+(?:\.[0-9_]*)?)\Z"
    )


@cache
def _date_like() -> re.Pattern[str]:
    return re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt \t].*)?\Z", re.DOTALL)


def resolve_plain(text: str) -> Scalar:
    """The value of a plain (unquoted) scalar: JSON's literals, decimal integers within ±(2^53 - 1), else the text.

    Raises ``AmbiguousScalar`` where a YAML reader may see something other than text.
    """
    first = text[:1]
    if first.isalpha():
        return text if len(text) > _LONGEST_WORD else _resolve_word(text)
    if text in ("", "~"):
        raise AmbiguousScalar("a null")
    if text in ("=", "<<"):
        raise AmbiguousScalar("YAML 1.1's default value or merge key")
    return _resolve_numeric(text) if first in "+-.0123456789" else text


def _resolve_word(text: str) -> Scalar:
    if text in _JSON_WORDS:
        return _JSON_WORDS[text]
    if text.lower() in _WORDS or text in ("Y", "N"):
        raise AmbiguousScalar("a null or a boolean")
    return text


def _resolve_numeric(text: str) -> Scalar:
    if _integer().match(text) and text != "-0":
        # Anything longer than 17 characters is out of range; int() of a huge text would be slow.
        value = int(text) if len(text) <= 17 else MAX_INTEGER + 1
        if abs(value) > MAX_INTEGER:
            raise AmbiguousScalar("an integer beyond ±(2^53 - 1)")
        return value
    if text.lower() in _SPECIAL_NUMBERS:
        raise AmbiguousScalar("a special number")
    if _number_like().match(text):
        raise AmbiguousScalar("a number")
    if _date_like().match(text):
        raise AmbiguousScalar("a date or a time")
    return text


def is_unicode(text: str) -> bool:
    """Whether a text can be written as UTF-8: one with a lone surrogate can't."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
