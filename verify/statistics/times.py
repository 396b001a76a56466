"""The period that was asked for, in days and months."""

from __future__ import annotations

from calendar import monthrange
from datetime import date
from typing import NamedTuple

from verify.days import day_of

MONTH = len("2026-11")
DAY = len("2026-11-30")


class Period(NamedTuple):
    """Days from ``since`` to ``until``, both included; null where it is open."""

    since: date | None = None
    until: date | None = None

    def holds(self, day: date) -> bool:
        return (self.since is None or self.since <= day) and (self.until is None or day <= self.until)

    @property
    def open(self) -> bool:
        return self.since is None and self.until is None


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
    """The day of a date without a time."""
    return day_of(text) if len(text) == DAY else None
