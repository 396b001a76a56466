"""The day of a date or a time that a document or a log states: the one reading of both."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from functools import cache


def day_of(text: str) -> date | None:
    """The day, in UTC, of a date (``2026-11-30``) or an RFC 3339 time; null for anything else.

    Seconds and offset may be missing (``2026-11-30 08:00``). A time without an offset is taken for UTC, which is what
    logs are written in. After one with an offset the same moment on a local clock may stand, as Datarim stamps it
    (``2026-11-30T08:00Z / 10:00``). Blanks around it are no part of it.
    """
    match = _moment().fullmatch(text.strip())
    if match is None:
        return None
    try:
        if match["time"] is None:
            return date.fromisoformat(match["day"])
        offset = "+00:00" if match["offset"] in (None, "Z", "z") else match["offset"]
        return datetime.fromisoformat(f"{match['day']}T{match['time']}{offset}").astimezone(UTC).date()
    except (ValueError, OverflowError):  # the 31st of June; an offset that leads out of the calendar
        return None


@cache
def _moment() -> re.Pattern[str]:
    """A day, and perhaps a time of day with its offset. Seconds say nothing about the day.

    Which hours there are is said here: versions of Python differ in whether 24:00 is a time.
    """
    day = r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})"
    clock = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]"
    time = rf"(?P<time>{clock})(?::[0-5][0-9](?:\.[0-9]{{1,9}})?)?"
    return re.compile(rf"{day}(?:[Tt ]{time}(?:[ ]?(?P<offset>[Zz]|[+-]{clock})(?: / {clock})?)?)?")
