"""Days that a text names: ``2026-11-20``, ``20.11.2026``, ``20 November 2026``, ``Nov 20, 2026``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from functools import cache
from typing import NamedTuple

from verify.words import either


class DateWords(NamedTuple):
    """The words of days, case-folded: twelve lists of names of months, and what may stand behind the day."""

    months: tuple[tuple[str, ...], ...]
    ordinals: tuple[str, ...]


def dates_in(text: str, words: DateWords) -> Iterator[date]:
    """The days in order; what no calendar holds is no day."""
    for match in _pattern(words).finditer(text.casefold()):
        found = match.groupdict()
        month = found["m1"] or found["m2"] or _number(found["w1"] or found["w2"], words.months)
        year = found["y1"] or found["y2"] or found["y3"] or found["y4"]
        day = found["d1"] or found["d2"] or found["d3"] or found["d4"]
        try:
            yield date(int(year), int(month), int(day))
        except ValueError:
            continue


def _number(word: str, months: Sequence[Sequence[str]]) -> int:
    return next(number for number, names in enumerate(months, 1) if word in names)


@cache
def _pattern(words: DateWords) -> re.Pattern[str]:
    word = either(name for names in words.months for name in names)
    ordinal, gap = f"(?:{either(words.ordinals)})?", r"[.,]?[ \t]{1,3}"
    return re.compile(
        r"(?<![\d.-])(?:"
        r"(?P<y1>\d{4})[-/](?P<m1>\d{2})[-/](?P<d1>\d{2})(?!\d)"
        r"|(?P<d2>\d{1,2})\.(?P<m2>\d{1,2})\.(?P<y2>\d{4})(?!\d)"
        rf"|(?P<d3>\d{{1,2}}){ordinal}{gap}(?P<w1>{word}){gap}(?P<y3>\d{{4}})(?!\d)"
        rf"|(?<!\w)(?P<w2>{word}){gap}(?P<d4>\d{{1,2}}){ordinal}{gap}(?P<y4>\d{{4}})(?!\d)"
        r")",
        re.ASCII if word.isascii() else 0,
    )
