"""The period that was asked for."""

from __future__ import annotations

from datetime import date

import pytest

from verify.statistics.times import Period, first_day, last_day, month_of


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
        (" 2026-12-24", None, None),
        ("20261224", None, None),
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
