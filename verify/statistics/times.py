"""Recorded times: the day of one in UTC, and the period that was asked for."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import UTC, date, datetime
from functools import cache
from typing import NamedTuple

MONTH = len("2026-11")


class Period(NamedTuple):
    """Days from ``since`` to ``until``, both included; null where it is open."""

    since: date | None = None
    until: date | None = None

    def holds(self, day: date) -> bool:
        return (self.since is None or self.since <= day) and (self.until is None or day <= self.until)

    @property
    def open(self) -> bool:
        return self.since is None and self.until is None


def day_of(text: str) -> date | None:
    """The day, in UTC, of a date (``2026-11-30``) or an RFC 3339 time; null for anything else.

    A time without an offset is taken for UTC, which is what logs are written in.
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


def first_day(text: str) -> date | None:
    """The first day of a month (``2026-11``), or the day that is given; null for anything else."""
    return _day(f"{text}-01" if len(text) == MONTH else text)


def last_day(text: str) -> date | None:
    """The last day of a month (``2026-11``), or the day that is given; null for anything else."""
    first = first_day(text)
    return first.replace(day=monthrange(first.year, first.month)[1]) if first and len(text) == MONTH else first


def month_of(day: date) -> str:
    return day.isoformat()[:MONTH]


def _day(text: str) -> date | None:
    match = _moment().fullmatch(text)
    return day_of(text) if match is not None and match["time"] is None else None


@cache
def _moment() -> re.Pattern[str]:
    """A day, and perhaps a time of day with its offset. Fractions of a second say nothing about the day."""
    day = r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})"
    time = r"(?P<time>[0-9]{2}:[0-9]{2}(?::[0-9]{2})?)(?:\.[0-9]{1,9})?"
    return re.compile(rf"{day}(?:[Tt ]{time}[ ]?(?P<offset>[Zz]|[+-][0-9]{{2}}:[0-9]{{2}})?)?")
