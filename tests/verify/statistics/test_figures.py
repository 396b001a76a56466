"""Sums and rates: what is divided by what, and when there is no rate at all."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from verify.statistics.figures import Share, by_month, figures_of
from verify.statistics.records import Outcome, Run
from verify.statistics.rules import StatisticsRules

FAMILY, SAME, VENDOR = "cross_claude_family", "same_model_isolated", "cross_vendor"
MAY = date(2026, 5, 4)


def run(*modes: str, found: tuple[str, ...] = (), tokens: int | None = None, day: date | None = MAY) -> Run:
    return Run("log", day, frozenset(modes), frozenset(found), True if modes else None, tokens)


def outcome(caught: int, missed: int, wrong: int, *, verified: bool = True, day: date | None = MAY) -> Outcome:
    return Outcome("archive", day, caught, missed, wrong, verified)


def test_the_published_measurement_comes_out_as_published(rules: StatisticsRules) -> None:
    archives = [outcome(1, 0, 0)] * 96 + [outcome(0, 0, 1)] * 19 + [outcome(0, 0, 0)] * 31
    figures = figures_of([], archives, rules)
    assert (figures.archives, figures.caught, figures.false_positive) == (146, 96, 19)
    assert figures.false_share.rate(rules.digits) == 0.1652


def test_a_modes_rate_is_the_share_of_its_runs_that_found_something(rules: StatisticsRules) -> None:
    runs = [run(FAMILY, found=(FAMILY,))] * 2 + [run(FAMILY)] * 6 + [run(SAME, found=(SAME,))] * 5 + [run()] * 9
    modes = figures_of(runs, [], rules).modes
    assert {name: share.rate(rules.digits) for name, share in modes.items()} == {
        "cross_claude_family_rate": 0.25,
        "same_model_isolated_rate": 1.0,
    }


def test_too_few_runs_make_no_rate_whatever_they_found(rules: StatisticsRules) -> None:
    four = figures_of([run(FAMILY, found=(FAMILY,))] * 4, [outcome(2, 0, 2)], rules)
    assert four.modes["cross_claude_family_rate"].rate(rules.digits) is None
    assert four.false_share.rate(rules.digits) is None
    five = figures_of([run(FAMILY)] * 5, [outcome(5, 0, 0)], rules)
    assert five.modes["cross_claude_family_rate"].rate(rules.digits) == 0.0
    assert five.false_share.rate(rules.digits) == 0.0


def test_a_legacy_mode_is_there_only_where_it_was_recorded(rules: StatisticsRules) -> None:
    assert "cross_vendor_rate" not in figures_of([run(FAMILY)], [], rules).modes
    assert figures_of([run(VENDOR)], [], rules).modes["cross_vendor_rate"] == Share(0, 1, 5)


def test_runs_that_name_no_mode_are_counted_beside_the_modes(rules: StatisticsRules) -> None:
    silent = run()._replace(reviewed=False)
    figures = figures_of([run(), run()._replace(reviewed=True), silent, run(SAME)], [], rules)
    assert (figures.runs, figures.unnamed) == (4, 2)


def test_an_archive_that_was_never_verified_counts_for_nothing(rules: StatisticsRules) -> None:
    figures = figures_of([], [outcome(0, 0, 0, verified=False), outcome(6, 1, 2)], rules)
    assert (figures.archives, figures.unverified, figures.caught, figures.missed) == (1, 1, 6, 1)


def test_an_unknown_cost_is_no_cost_of_nothing(rules: StatisticsRules) -> None:
    assert figures_of([run(), run()], [], rules).tokens is None
    priced = figures_of([run(), run(tokens=0), run(tokens=7)], [], rules)
    assert (priced.tokens, priced.priced) == (7, 2)


def test_months_are_in_order_and_the_undated_come_last(rules: StatisticsRules) -> None:
    runs = [run(day=None), run(day=date(2026, 5, 31)), run(day=date(2025, 12, 1))]
    archives = [outcome(1, 0, 0, day=date(2026, 5, 1)), outcome(2, 0, 0, day=None)]
    months = by_month(runs, archives, rules)
    assert [(month, figures.runs, figures.caught) for month, figures in months] == [
        ("2025-12", 1, 0),
        ("2026-05", 1, 1),
        (None, 1, 2),
    ]


DAYS = st.none() | st.dates(date(2025, 1, 1), date(2026, 12, 31))
RUNS = st.builds(
    lambda modes, found, tokens, day: run(*modes, found=tuple(set(modes) & set(found)), tokens=tokens, day=day),
    st.sets(st.sampled_from([FAMILY, SAME, VENDOR])),
    st.sets(st.sampled_from([FAMILY, SAME, VENDOR])),
    st.none() | st.integers(0, 10**9),
    DAYS,
)
COUNTS = st.integers(0, 50)
OUTCOMES = st.builds(
    lambda caught, missed, wrong, day: outcome(caught, missed, wrong, day=day), COUNTS, COUNTS, COUNTS, DAYS
)


@given(held=st.lists(RUNS, max_size=12), archives=st.lists(OUTCOMES, max_size=12))
def test_the_months_add_up_to_the_whole(held: list[Run], archives: list[Outcome], rules: StatisticsRules) -> None:
    total = figures_of(held, archives, rules)
    months = [figures for _, figures in by_month(held, archives, rules)]
    for name in ("runs", "unnamed", "priced", "archives", "caught", "missed", "false_positive"):
        assert sum(getattr(month, name) for month in months) == getattr(total, name)
    assert sum(month.tokens or 0 for month in months) == (total.tokens or 0)
    for name, share in total.modes.items():
        assert sum(month.modes[name].whole for month in months if name in month.modes) == share.whole


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_rate_is_never_further_from_the_share_than_its_digits(part: int, more: int) -> None:
    share = Share(part, part + more, 5)
    rate = share.rate(4)
    if part + more < 5:
        assert rate is None
    else:
        assert rate is not None
        assert abs(Fraction(rate) - Fraction(part, part + more)) <= Fraction(51, 10**6)
        assert 0 <= rate <= 1
