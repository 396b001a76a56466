"""One statistic, from a place and a period to figures: logs and archives read, placed in time, counted."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from toolkit.reporting.visible import visible
from verify.audit.front_matter import Bounds
from verify.audit.places import log_folder
from verify.errors import WorkspaceError
from verify.policies import load_verify_policies
from verify.statistics.figures import Figures, by_month, figures_of
from verify.statistics.outcomes import Outcomes, read_outcomes
from verify.statistics.records import BadFigures, Outcome, Run, Uncounted
from verify.statistics.rules import StatisticsRules
from verify.statistics.runs import Runs, read_runs
from verify.statistics.times import Period
from verify.workspace import find_workspace, workspace_at

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet
    from verify.task import Workspace

Dated = TypeVar("Dated", Run, Outcome)


class Wanted(NamedTuple):
    """What was asked for: where to start, folders that stand in for the workspace's own, and the period."""

    start: Path
    verify_dir: Path | None = None
    archive_dir: Path | None = None
    period: Period = Period()


class Statistics(NamedTuple):
    """The figures in all and by month. ``silent`` archives say nothing about verification."""

    period: Period
    rules: StatisticsRules
    total: Figures
    months: tuple[tuple[str | None, Figures], ...]
    uncounted: tuple[Uncounted, ...]
    silent: int


def collect(wanted: Wanted) -> Statistics:
    """The statistics of a workspace, or of the folders that were named.

    Raises ``BadFigures`` for every date and figure that is none; what ``find_workspace`` raises where the workspace is
    needed; ``StorageError`` where a folder can't be listed.
    """
    workspace = _workspace(wanted)
    root = workspace.root if workspace else wanted.start
    policies = load_verify_policies(root).policies
    rules = StatisticsRules.from_policy(policies)
    runs = _runs(wanted, workspace, policies, rules)
    outcomes = _outcomes(wanted, workspace, policies, rules)
    problems = (*runs.problems, *outcomes.problems)
    if problems:
        raise BadFigures(problems)
    counted_runs, undated_runs = _placed(runs.counted, wanted.period)
    counted_outcomes, undated_outcomes = _placed(outcomes.counted, wanted.period)
    return Statistics(
        period=wanted.period,
        rules=rules,
        total=figures_of(counted_runs, counted_outcomes, rules),
        months=by_month(counted_runs, counted_outcomes, rules),
        uncounted=(*runs.uncounted, *undated_runs, *outcomes.uncounted, *undated_outcomes),
        silent=outcomes.silent,
    )


def _workspace(wanted: Wanted) -> Workspace | None:
    """The workspace; null where there is none and a folder was named that can be counted without one."""
    named = wanted.verify_dir is not None or wanted.archive_dir is not None
    return workspace_at(wanted.start) if named and wanted.start.is_dir() else find_workspace(wanted.start)


def _runs(wanted: Wanted, workspace: Workspace | None, policies: PolicySet, rules: StatisticsRules) -> Runs:
    folder = wanted.verify_dir or (log_folder(workspace) if workspace else None)
    return read_runs(folder, _shown(folder, workspace), policies, rules) if folder else Runs((), (), ())


def _outcomes(wanted: Wanted, workspace: Workspace | None, policies: PolicySet, rules: StatisticsRules) -> Outcomes:
    place = rules.archives.folder
    folder = wanted.archive_dir or (workspace.root / place if workspace else None)
    if folder is None or not os.path.lexists(folder):
        return Outcomes((), (), (), 0)
    if workspace and wanted.archive_dir is None and not _inside(folder, workspace):
        message = f"{visible(place)} is a link that leaves the workspace, and is not followed"
        raise WorkspaceError(
            "path_outside_workspace", message, place=visible(place), next_step="name the folder with --archive-dir"
        )
    return read_outcomes(folder, _shown(folder, workspace), rules.archives, Bounds.from_policy(policies))


def _inside(folder: Path, workspace: Workspace) -> bool:
    return Path(os.path.realpath(folder)).is_relative_to(workspace.root)


def _placed(records: Iterable[Dated], period: Period) -> tuple[list[Dated], list[Uncounted]]:
    """The records of a period, and those of which nobody can tell whether they belong to it."""
    held: list[Dated] = []
    undated: list[Uncounted] = []
    for record in records:
        if period.open or (record.day is not None and period.holds(record.day)):
            held.append(record)
        elif record.day is None:
            undated.append(Uncounted(record.path, "undated", f"{record.path} bears no date, and a period is asked for"))
    return held, undated


def _shown(folder: Path, workspace: Workspace | None) -> str:
    """The folder as messages name it: relative to the workspace where it lies in it."""
    if workspace and folder.is_relative_to(workspace.root):
        return visible(folder.relative_to(workspace.root).as_posix())
    return visible(str(folder))
