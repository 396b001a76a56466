"""The figures: sums and rates over runs and outcomes. A rate is a share, and null where too little was counted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from verify.statistics.records import Outcome, Run
from verify.statistics.rules import StatisticsRules
from verify.statistics.times import month_of


class Share(NamedTuple):
    """``part`` of ``whole``, and how large the whole must be for a rate."""

    part: int
    whole: int
    least: int

    def rate(self, digits: int) -> float | None:
        """Part by whole, rounded; null where the whole is too small to say anything."""
        return round(self.part / self.whole, digits) if self.whole >= self.least else None


class Figures(NamedTuple):
    """What some runs and some outcomes add up to.

    ``modes`` maps the key of a mode's rate to the share of the runs in that mode in which peers found something;
    ``unnamed`` counts the runs that name no mode and in which peers reviewed or may have. ``tokens`` is null where no
    run says what it cost; ``priced`` counts those that do. ``archives`` are those with an outcome of a verification,
    ``unverified`` those that say that there was none.
    """

    runs: int
    unnamed: int
    modes: Mapping[str, Share]
    tokens: int | None
    priced: int
    archives: int
    unverified: int
    caught: int
    missed: int
    false_positive: int
    false_share: Share


def figures_of(runs: Sequence[Run], outcomes: Sequence[Outcome], rules: StatisticsRules) -> Figures:
    """The figures of some runs and outcomes. A legacy mode that none of them names is left out."""
    priced = [run.tokens for run in runs if run.tokens is not None]
    judged = [outcome for outcome in outcomes if outcome.verified]
    caught = sum(outcome.caught for outcome in judged)
    wrong = sum(outcome.false_positive for outcome in judged)
    return Figures(
        runs=len(runs),
        unnamed=sum(not run.modes and run.reviewed is not False for run in runs),
        modes=_modes(runs, rules),
        tokens=sum(priced) if priced else None,
        priced=len(priced),
        archives=len(judged),
        unverified=len(outcomes) - len(judged),
        caught=caught,
        missed=sum(outcome.missed for outcome in judged),
        false_positive=wrong,
        false_share=Share(wrong, caught + wrong, rules.findings_min),
    )


def by_month(
    runs: Iterable[Run], outcomes: Iterable[Outcome], rules: StatisticsRules
) -> tuple[tuple[str | None, Figures], ...]:
    """The figures of each month (``2026-11``) in order; last, under null, of what bears no date."""
    monthly: dict[str | None, tuple[list[Run], list[Outcome]]] = defaultdict(lambda: ([], []))
    for run in runs:
        monthly[month_of(run.day) if run.day else None][0].append(run)
    for outcome in outcomes:
        monthly[month_of(outcome.day) if outcome.day else None][1].append(outcome)
    ordered = sorted(monthly, key=lambda month: (month is None, month or ""))
    return tuple((month, figures_of(*monthly[month], rules)) for month in ordered)


def _modes(runs: Sequence[Run], rules: StatisticsRules) -> dict[str, Share]:
    shares = {}
    for entry in rules.modes:
        whole = sum(entry.mode in run.modes for run in runs)
        if whole or not entry.legacy:
            shares[entry.rate] = Share(sum(entry.mode in run.found for run in runs), whole, rules.runs_min)
    return shares
