"""Numbers that name something and measure nothing, such as those of a version, a date or a step."""

from __future__ import annotations

import re
from collections.abc import Iterable

from verify.words import either


def naming_numbers(numbered: Iterable[str], texts: Iterable[str]) -> re.Pattern[str]:
    """Addresses, ids, dates, versions, lines of files, times, and numbers after a word such as "step"."""
    alternatives = (
        r"https?://\S+",
        rf"(?<!\w)(?:{either(texts)})(?!\w)",
        r"(?<![\w-])[A-Z][A-Z0-9]{0,19}(?:-[A-Z0-9]{1,19}){0,5}?-[0-9]{1,9}\w{0,9}",
        r"(?<!\w)[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:T\S{1,30})?",
        r"(?<![\w.])[0-9]{1,2}(?:\.[0-9]{1,2}\.|/[0-9]{1,2}/)[0-9]{2,4}(?![\w.])",
        r"(?<![\w.])v?[0-9]{1,9}(?:\.[0-9]{1,9}){2,9}",
        r"(?<!\w)v[0-9]{1,9}(?:\.[0-9]{1,9})?",
        r"\.\w{1,12}:[0-9]{1,9}(?:[-:][0-9]{1,9})?",
        r"(?<!\w)[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?!\w)",
        r"[#№§][ \t]{0,2}[0-9]{1,9}(?:\.[0-9]{1,9}){0,5}",
        rf"(?<!\w)(?i:{either(numbered)})[ \t]{{1,2}}[#№]?[0-9]{{1,9}}(?:\.[0-9]{{1,9}}){{0,5}}(?!\w)(?![.,][0-9])",
    )
    return re.compile("|".join(alternatives))
