"""Days that a text names: ``2026-11-20``, ``20.11.2026``, ``20 November 2026``, ``Nov 20, 2026``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from functools import cache


def dates_in(text: str, months: Sequence[Sequence[str]]) -> Iterator[date]:
    """The days in order. ``months`` are twelve lists of names, case-folded; what no calendar holds is no day."""
    for match in _pattern(tuple(map(tuple, months))).finditer(text.casefold()):
        found = match.groupdict()
        month = found["m1"] or found["m2"] or _number(found["w1"] or found["w2"], months)
        year = found["y1"] or found["y2"] or found["y3"] or found["y4"]
        day = found["d1"] or found["d2"] or found["d3"] or found["d4"]
        try:
            yield date(int(year), int(month), int(day))
        except ValueError:
            continue


def _number(word: str, months: Sequence[Sequence[str]]) -> int:
    return next(number for number, names in enumerate(months, 1) if word in names)


@cache
def _pattern(months: tuple[tuple[str, ...], ...]) -> re.Pattern[str]:
    names = sorted((name for row in months for name in row), key=len, reverse=True)
    word = "|".join(map(re.escape, names))
    gap = r"[.,]?[ \t]{1,3}"
    return re.compile(
        r"(?<![\d.-])(?:"
        r"(?P<y1>\d{4})[-/](?P<m1>\d{2})[-/](?P<d1>\d{2})(?!\d)"
        r"|(?P<d2>\d{1,2})\.(?P<m2>\d{1,2})\.(?P<y2>\d{4})(?!\d)"
        rf"|(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?{gap}(?P<w1>{word}){gap}(?P<y3>\d{{4}})(?!\d)"
        rf"|(?<!\w)(?P<w2>{word}){gap}(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?{gap}(?P<y4>\d{{4}})(?!\d)"
        r")",
        re.ASCII if word.isascii() else 0,
    )
