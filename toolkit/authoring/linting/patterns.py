"""Globs and patterns: what of them is literal text, so that the words of it can be looked at."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

GLOBS: Final = ("glob", "globs")
PATTERNS: Final = (*GLOBS, "matches", "pattern", "patterns")  # the keys whose text is one
NEGATED: Final = "^!"


def literals_of(text: str, key: str) -> str:
    """A glob or a pattern, by its key, with a space for each escape and each class.

    The letters of a class are no word, but a class of one letter, in either case, is that letter. In a glob an escape
    is its letter too.
    """
    return _token().sub(lambda token: _literal(token[0], key in GLOBS), text)


def _literal(token: str, is_glob: bool) -> str:
    if token.startswith("\\"):
        return token[1:] if is_glob else " "
    if not token.endswith("]"):
        return token  # literal, as nothing closes it
    members = set(token[1:-1].lower())
    if token[1:2] in NEGATED or "\\" in members or "[" in members:
        return " "
    letters = members - {"-"}
    return letters.pop() if len(letters) == 1 else " "


@cache
def _token() -> re.Pattern[str]:
    """An escape or a class; a class that nothing closes on its line is taken up to there, so that it is read once."""
    escape = r"\\(?:[pPx]\{[^{}\n]{0,40}\}|[pP][A-Z]|x[0-9A-Fa-f]{2}|.)"
    return re.compile(escape + r"|\[[\^!]?\]?(?:\[:\^?[a-z]{1,10}:\]|\\.|[^\]\\\n])*\]?")
