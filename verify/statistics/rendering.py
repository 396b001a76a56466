"""Statistics for machines and for people: the same figures under the same names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from verify.statistics.collecting import Statistics
from verify.statistics.figures import Figures, Share
from verify.statistics.rules import StatisticsRules

UNDATED = "undated"


def document_of(statistics: Statistics) -> dict[str, object]:
    """The document of ``--json``, without its schema."""
    period, rules = statistics.period, statistics.rules
    return {
        "since": period.since.isoformat() if period.since else None,
        "until": period.until.isoformat() if period.until else None,
        **_values(statistics.total, rules),
        "archives_silent": statistics.silent,
        "complete": not statistics.uncounted,
        "months": [{"month": month, **_values(figures, rules)} for month, figures in statistics.months],
        "notes": list(notes_of(statistics)),
        "uncounted": [one._asdict() for one in statistics.uncounted],
    }


def lines_of(statistics: Statistics) -> Iterator[str]:
    """The figures for people: in all, then a table of the months, then what has to be said about them."""
    yield from _total(statistics)
    if statistics.months:
        yield ""
        yield from _table(statistics)
    limits = list(_limits(statistics))
    yield from ["", *limits] if limits else []


def notes_of(statistics: Statistics) -> Iterator[str]:
    """In words: which rates there are not, and why, and what limits those that there are."""
    for name, share in _shares(statistics.total):
        if share.rate(statistics.rules.digits) is None:
            yield f"{name}: {_too_few(name, share)}"
    yield from _limits(statistics)


def _limits(statistics: Statistics) -> Iterator[str]:
    total = statistics.total
    if total.unnamed and any(share.whole for share in total.modes.values()):
        yield (
            f"{total.unnamed} run(s) do not say in which mode peers reviewed, if they did, and count for no mode: "
            "the rates of the modes may be too high"
        )
    if statistics.uncounted:
        yield f"{len(statistics.uncounted)} file(s) could not be counted: the figures are not complete"


def _shares(figures: Figures) -> Iterator[tuple[str, Share]]:
    yield from figures.modes.items()
    yield "false_positive_rate", figures.false_share


def _values(figures: Figures, rules: StatisticsRules) -> dict[str, Any]:
    rates = {name: share.rate(rules.digits) for name, share in _shares(figures)}
    shares = {name: {"found": share.part, "runs": share.whole} for name, share in figures.modes.items()}
    modes = {entry.mode: shares[entry.rate] for entry in rules.modes if entry.rate in shares}
    return {
        "runs": figures.runs,
        "runs_without_mode": figures.unnamed,
        "peer_review": modes,
        "cost_consumed_tokens": figures.tokens,
        "cost_known_runs": figures.priced,
        "archives": figures.archives,
        "archives_not_verified": figures.unverified,
        "caught_by_verify": figures.caught,
        "missed_by_verify": figures.missed,
        "false_positive": figures.false_positive,
        **rates,
    }


def _total(statistics: Statistics) -> Iterator[str]:
    total, digits = statistics.total, statistics.rules.digits
    cost = "unknown" if total.tokens is None else f"{total.tokens} (known of {total.priced} run(s))"
    yield f"runs: {total.runs}"
    yield f"cost_consumed_tokens: {cost}"
    for name, share in total.modes.items():
        yield f"{name}: {_rate(name, share, digits, 'runs with a finding')}"
    yield f"archives: {total.archives}, not verified: {total.unverified}, without an outcome: {statistics.silent}"
    yield f"caught_by_verify: {total.caught}"
    yield f"missed_by_verify: {total.missed}"
    yield f"false_positive: {total.false_positive}"
    name = "false_positive_rate"
    yield f"{name}: {_rate(name, total.false_share, digits, 'caught or false')}"


def _rate(name: str, share: Share, digits: int, what: str) -> str:
    rate = share.rate(digits)
    return f"{rate:.{digits}f} ({share.part} of {share.whole} {what})" if rate is not None else _too_few(name, share)


def _too_few(name: str, share: Share) -> str:
    counted = "findings that were judged" if name == "false_positive_rate" else "runs"
    return f"no rate, too few {counted} ({share.whole}, and {share.least} are needed)"


def _table(statistics: Statistics) -> Iterator[str]:
    names = [name for name, _ in _shares(statistics.total)]
    head = ["month", "runs", "tokens", "archives", "caught", "missed", "false", *names]
    rows = [head]
    for month, figures in statistics.months:
        shares = dict(_shares(figures))
        rates = [shares[name].rate(statistics.rules.digits) if name in shares else None for name in names]
        sums = (figures.runs, figures.tokens, figures.archives, figures.caught, figures.missed, figures.false_positive)
        cells = ["-" if value is None else str(value) for value in (*sums, *rates)]
        rows.append([month or UNDATED, *cells])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *rest in rows:
        padded = (cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True))
        yield "  ".join((first.ljust(widths[0]), *padded))
