"""Characters that nobody sees, comments included: a reader must see what a machine reads."""

from __future__ import annotations

import re
from functools import cache
from typing import Final
from unicodedata import category, combining, name

from toolkit.policy.problems import Mark, Problems

BIDIRECTIONAL: Final = "bidirectional_control"
INVISIBLE: Final = "invisible_character"
JOINERS: Final = "\u200c\u200d"
VIRAMA: Final = 9  # the class by which Unicode combines it
FLAGS: Final = ("gbeng", "gbsct", "gbwls")  # England, Scotland and Wales: all that Unicode writes with tags
EMOJI: Final = (  # the characters that may be a picture, as a class; those of ASCII are only with a keycap
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u23cf\u23e9-\u23fa\u24c2\u25aa\u25ab"
    "\u25b6\u25c0\u25fb-\u25fe\u2600-\u27bf\u2934\u2935\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001faff]"
)
CURSIVE: Final = (  # scripts that are written with joiners: Arabic, Syriac, N'Ko, those of India and nearby
    "[\u0600-\u07ff\u0840-\u109f\u1780-\u18af\u1a20-\u1aaf\u1b00-\u1bff\ua800-\ua9ff\uaa00-\uaa7f\uabc0-\uabff"
    "\ufb50-\ufdff\ufe70-\ufefc\U00011000-\U00011fff]"
)


def hold_characters(data: bytes, file: str, problems: Problems) -> None:
    """Record each such character of a text. One that is written as an escape can be seen."""
    if data.isascii():
        return
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    line, start, seen = 1, 0, 0
    with problems.within(""):
        for match in _unseen().finditer(text):
            at = match.start()
            if match["emoji"] or _is_needed(text, at):
                continue
            feeds = text.count("\n", seen, at)
            if feeds:
                line, start = line + feeds, text.rfind("\n", seen, at) + 1
            seen = at
            _tell(text[at], Mark(file, line, at - start + 1), problems)


def _is_needed(text: str, at: int) -> bool:
    """Whether the character at a place joins or parts letters of a script that is written so; never two in a row."""
    if text[at] not in JOINERS or at == 0 or not _joins(text[at - 1]):
        return False
    return combining(text[at - 1]) == VIRAMA or _joins(text[at + 1 : at + 2])


def _joins(character: str) -> bool:
    return _cursive().match(character) is not None and category(character)[0] in "LM"


def _tell(character: str, mark: Mark, problems: Problems) -> None:
    told = f"U+{ord(character):04X} ({name(character, 'a character without a name')})"
    hint = 'remove it; where it is meant, write it as an escape in double quotes, e.g. "\\u200b"'
    if _bidirectional().match(character):
        message = f"{told} makes text read in another order than a machine reads it"
        problems.add(BIDIRECTIONAL, message, mark, hint)
    else:
        problems.add(INVISIBLE, f"{told} can't be seen", mark, hint)


@cache
def _cursive() -> re.Pattern[str]:
    return re.compile(CURSIVE)


@cache
def _bidirectional() -> re.Pattern[str]:
    return re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@cache
def _unseen() -> re.Pattern[str]:
    """The characters of Unicode that have no width or no ink: format characters, fillers, selectors, tags.

    An emoji is matched as a whole, so that those which it is made of (UTS 51) are not met alone.
    """
    flags = "|".join("".join(chr(0xE0000 + ord(letter)) for letter in flag) for flag in FLAGS)
    one = f"{EMOJI}[\ufe0e\ufe0f]?[\U0001f3fb-\U0001f3ff]?"
    return re.compile(
        f"(?P<emoji>[0-9#*]\ufe0f\u20e3|\U0001f3f4(?:{flags})\U000e007f|{one}(?:\u200d{one})*)|"
        "[\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
        "\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
        "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    )
