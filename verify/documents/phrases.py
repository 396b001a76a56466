"""A text as words, numbers and signs, and lists of phrases that are looked for in it. All of it is linear."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple


class Token(NamedTuple):
    """A word, a number or one sign: case-folded, with its place in the text (the end not included)."""

    text: str
    start: int
    end: int

    @property
    def is_number(self) -> bool:
        return self.text[0].isdecimal()

    @property
    def is_word(self) -> bool:
        return self.text[0].isalpha()


def tokens_of(text: str) -> tuple[Token, ...]:
    """The tokens of a text in order: ``50ms`` is a number and a word, ``p95`` and ``non-zero`` are words."""
    return tuple(Token(match.group().casefold(), match.start(), match.end()) for match in _token().finditer(text))


class Phrases:
    """Phrases of one token or more, to be found at a place of a sequence of tokens."""

    def __init__(self, phrases: Iterable[str]) -> None:
        """The phrases as they are written; case and the spaces between their tokens don't count."""
        self._by_first: dict[str, list[tuple[str, ...]]] = {}
        for phrase in dict.fromkeys(map(_split, phrases)):
            if phrase:
                self._by_first.setdefault(phrase[0], []).append(phrase[1:])
        for found in self._by_first.values():
            found.sort(key=len, reverse=True)

    @property
    def firsts(self) -> Collection[str]:
        """The tokens with which a phrase begins."""
        return self._by_first.keys()

    def at(self, tokens: Sequence[Token], place: int) -> int:
        """How many tokens the longest phrase at ``place`` takes; 0 without one."""
        if place >= len(tokens):
            return 0
        for rest in self._by_first.get(tokens[place].text, ()):
            if not rest or tuple(token.text for token in tokens[place + 1 : place + 1 + len(rest)]) == rest:
                return 1 + len(rest)
        return 0

    def after(self, tokens: Sequence[Token], place: int, most: int) -> int:
        """The place behind at most so many phrases in a row, and the colons between them."""
        for _ in range(most):
            place = skipped(tokens, place, ":")
            place += self.at(tokens, place)
        return skipped(tokens, place, ":")

    def found_in(self, tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
        """Every place where a phrase stands, and the place behind it."""
        for place in range(len(tokens)):
            taken = self.at(tokens, place)
            if taken:
                yield place, place + taken


class Plurals(NamedTuple):
    """Words that stand for several things, told by how they end; ``letters`` is how many they have at least."""

    endings: tuple[str, ...]
    others: tuple[str, ...]
    letters: int

    def at(self, tokens: Sequence[Token], place: int) -> int:
        """1 where such a word stands at ``place``, else 0."""
        if place >= len(tokens) or not tokens[place].is_word:
            return 0
        word = tokens[place].text
        return int(len(word) >= self.letters and word.endswith(self.endings) and not word.endswith(self.others))


def skipped(tokens: Sequence[Token], place: int, signs: str, most: int = 3) -> int:
    """The place behind at most so many of ``signs``."""
    end = place + most
    while place < min(end, len(tokens)) and tokens[place].text in signs:
        place += 1
    return place


def _split(phrase: str) -> tuple[str, ...]:
    return (phrase.casefold(),) if phrase.isalpha() else tuple(token.text for token in tokens_of(phrase))


@cache
def _token() -> re.Pattern[str]:
    return re.compile(r"[^\W\d_]\w*+(?:[-’'][^\W\d_]\w*+)*+|\d++(?:[.,]\d++)*+|[^\w\s]|_")
