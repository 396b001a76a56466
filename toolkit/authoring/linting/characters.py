"""Characters that nobody sees, comments included: a reader must see what a machine reads."""

from __future__ import annotations

import re
from functools import cache
from typing import Final
from unicodedata import category, name

from toolkit.policy.problems import Mark, Problems

BIDIRECTIONAL: Final = "bidirectional_control"
INVISIBLE: Final = "invisible_character"
JOINERS: Final = (
    "\u200d\ufe0e\ufe0f"  # a zero-width joiner and the choices of a picture's form, which emoji are made of
)
SYMBOLS: Final = ("So", "Sk", "Sm", "Mn", "Me", "Cf")  # what a joiner may follow; Sk are the tones of skin


def hold_characters(data: bytes, file: str, problems: Problems) -> None:
    """Record each such character of a text. One that is written as an escape can be seen."""
    if data.isascii():
        return
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    line, start, seen = 1, 0, 0
    with problems.within(""):
        for match in _unseen().finditer(text):
            at = match.start()
            if text[at] in JOINERS and at > 0 and category(text[at - 1]) in SYMBOLS:
                continue
            feeds = text.count("\n", seen, at)
            if feeds:
                line, start = line + feeds, text.rfind("\n", seen, at) + 1
            seen = at
            _tell(text[at], Mark(file, line, at - start + 1), problems)


def _tell(character: str, mark: Mark, problems: Problems) -> None:
    told = f"U+{ord(character):04X} ({name(character, 'a character without a name')})"
    hint = 'remove it; where it is meant, write it as an escape in double quotes, e.g. "\\u200b"'
    if _bidirectional().match(character):
        message = f"{told} makes text read in another order than a machine reads it"
        problems.add(BIDIRECTIONAL, message, mark, hint)
    else:
        problems.add(INVISIBLE, f"{told} can't be seen", mark, hint)


@cache
def _bidirectional() -> re.Pattern[str]:
    return re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@cache
def _unseen() -> re.Pattern[str]:
    """The characters of Unicode that have no width or no ink: format characters, fillers, selectors, tags."""
    return re.compile(
        "[\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
        "\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
        "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    )
