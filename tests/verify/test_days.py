"""The one reading of a date: what has a day, and what is none."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.days import day_of


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-11-30", date(2026, 11, 30)),
        ("2026-11-30T23:59:59Z", date(2026, 11, 30)),
        ("2026-11-30t23:59:59z", date(2026, 11, 30)),
        ("2026-11-30 23:59", date(2026, 11, 30)),
        ("2026-11-20T08:00Z", date(2026, 11, 20)),
        ("2026-11-20T19:28:00Z", date(2026, 11, 20)),
        ("2026-11-20 23:30 -02:00", date(2026, 11, 21)),
        ("2026-11-30T23:59:59.123456789Z", date(2026, 11, 30)),
        ("2026-11-30T23:30:00-02:00", date(2026, 12, 1)),
        ("2026-12-01T01:30:00+02:00", date(2026, 11, 30)),
        (" 2026-11-30 ", date(2026, 11, 30)),
        ("2026-11-30T08:00Z / 10:00", date(2026, 11, 30)),
    ],
)
def test_a_day_is_that_in_utc(text: str, day: date) -> None:
    assert day_of(text) == day


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2026-13-01",
        "2026-02-30",
        "2026-1-1",
        "30.11.2026",
        "2026-11",
        "20261130",
        "2026-W48-1",
        "2026-11-30T25:00:00Z",
        "2026-11-30T24:00:00Z",
        "2026-11-30T10",
        "2026-11-30T1000",
        "2026-11-30T10:00:00+0200",
        "2026-11-30T10:00:00+10:75",
        "2026-11-30T10:00 / 12:00",
        "2026-11-30 about noon",
        "2026-11-30T10:00:00.",
        "2026-11-30T10:00:00+99:99",
        "0001-01-01T00:00:00+01:00",
        "2026-11-30; rm",
        "２０２６-11-30",
        "0000-01-01",
    ],
)
def test_what_is_no_date_has_no_day(text: str) -> None:
    assert day_of(text) is None


@given(st.datetimes(min_value=datetime(2, 1, 1)), st.integers(-720, 720))  # noqa: DTZ001 - the offset is drawn beside it
def test_every_rfc_3339_time_has_the_day_that_it_has_in_utc(moment: datetime, minutes: int) -> None:
    aware = moment.replace(microsecond=0, tzinfo=timezone(timedelta(minutes=minutes)))
    try:
        expected = aware.astimezone(UTC).date()
    except OverflowError:
        expected = None
    assert day_of(aware.isoformat()) == expected


@given(st.text(max_size=30) | st.from_regex(r"[0-9T:Z+ .-]{8,30}", fullmatch=True))
def test_any_text_is_a_day_or_none(text: str) -> None:
    day = day_of(text)
    assert day is None or abs(day - date.fromisoformat(text.strip()[:10])) <= timedelta(days=1)
