"""Days out of recorded times, and the period that was asked for."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.statistics.times import Period, day_of, first_day, last_day, month_of


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-11-30", date(2026, 11, 30)),
        ("2026-11-30T23:59:59Z", date(2026, 11, 30)),
        ("2026-11-30t23:59:59z", date(2026, 11, 30)),
        ("2026-11-30 23:59", date(2026, 11, 30)),
        ("2026-11-30T23:59:59.123456789Z", date(2026, 11, 30)),
        ("2026-11-30T23:30:00-02:00", date(2026, 12, 1)),
        ("2026-12-01T01:30:00+02:00", date(2026, 11, 30)),
        (" 2026-11-30 ", date(2026, 11, 30)),
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


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2026-02", date(2026, 2, 1), date(2026, 2, 28)),
        ("2024-02", date(2024, 2, 1), date(2024, 2, 29)),
        ("2026-12", date(2026, 12, 1), date(2026, 12, 31)),
        ("2026-12-24", date(2026, 12, 24), date(2026, 12, 24)),
        ("2026-13", None, None),
        ("2026", None, None),
        ("2026-12-24T00:00:00Z", None, None),
        ("", None, None),
    ],
)
def test_a_month_is_all_of_its_days(text: str, first: date | None, last: date | None) -> None:
    assert (first_day(text), last_day(text)) == (first, last)


def test_both_ends_of_a_period_belong_to_it() -> None:
    period = Period(date(2026, 5, 1), date(2026, 5, 31))
    days = [date(2026, 4, 30), date(2026, 5, 1), date(2026, 5, 31), date(2026, 6, 1)]
    assert [period.holds(day) for day in days] == [False, True, True, False]
    assert all(Period().holds(day) for day in days)


def test_months_are_written_with_four_digits_of_the_year() -> None:
    assert month_of(date(987, 6, 5)) == "0987-06"
