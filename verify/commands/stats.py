"""``dr-verify stats``: figures over the logs and archives of a workspace."""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from toolkit.commands.interface import (
    UNDETERMINED,
    common_options,
    fails_clearly,
    write_json,
    write_note,
    write_text,
)
from verify.commands.options import PLACE, directory_of, start_of

if TYPE_CHECKING:
    from verify.statistics.times import Period


@click.command("stats")
@click.option("--workspace", "--root", "workspace", type=PLACE, help="A directory at or below that of datarim/.")
@click.option("--verify-dir", type=PLACE, help="Where the logs stand (default: datarim/qa of the workspace).")
@click.option(
    "--archive-dir",
    "--archive-root",
    "archive_dir",
    type=PLACE,
    help="Where the archives stand (default: documentation/archive of the workspace).",
)
@click.option("--since", metavar="MONTH|DATE", help="From this month or day on, by recorded time.")
@click.option("--until", metavar="MONTH|DATE", help="Up to the end of this month or day.")
@common_options
@fails_clearly
def stats(
    *,
    workspace: Path | None,
    verify_dir: Path | None,
    archive_dir: Path | None,
    since: str | None,
    until: str | None,
    cwd: Path,
    as_json: bool,
) -> None:
    """What verification caught, missed and reported wrongly, what peers found, and what it cost, by month.

    Counts audit logs and the outcome blocks of archives by the times that they record. A rate is null, and said in
    words, where too little was counted (verify.statistics).

    Exit status: 0; 2 for wrong usage, or a date or figure that is none; 3 where a file could not be counted.
    """
    from verify.statistics.collecting import Wanted, collect
    from verify.statistics.rendering import document_of, lines_of

    start = start_of(cwd, workspace)
    logs = directory_of(cwd, verify_dir, "--verify-dir")
    archives = directory_of(cwd, archive_dir, "--archive-dir")
    statistics = collect(Wanted(start, logs, archives, _period(since, until)))
    if as_json:
        write_json("dr-verify.stats/v1", document_of(statistics))
    else:
        write_text("\n".join(lines_of(statistics)))
    for one in statistics.uncounted:
        write_note(f"not counted: {one.reason} [{one.code}]")
    if statistics.uncounted:
        sys.exit(UNDETERMINED)


def _period(since: str | None, until: str | None) -> Period:
    from verify.statistics.times import Period, first_day, last_day

    first = _day("--since", since, first_day(since) if since is not None else None)
    last = _day("--until", until, last_day(until) if until is not None else None)
    if first and last and first > last:
        _refuse(f"--since {first} is after --until {last}")
    return Period(first, last)


def _day(option: str, given: str | None, day: date | None) -> date | None:
    if given is not None and day is None:
        _refuse(f"{option} takes a month or a date, such as 2026-11 or 2026-11-30")
    return day


def _refuse(message: str) -> NoReturn:
    from verify.errors import WorkspaceError

    raise WorkspaceError("usage", message, next_step="dr-verify stats --help")
