"""``dr-verify init-task``: whether a task's init task is there, and written as it has to be."""

from __future__ import annotations

import sys
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolkit.commands.interface import FAILS, common_options, fails_clearly, write_json, write_text
from verify.commands.captured import (
    ERROR,
    Notice,
    age_level,
    captured_options,
    day_of,
    faults,
    notices,
    opened,
    require_one,
    undetermined,
)

if TYPE_CHECKING:
    from verify.captured import Problem
    from verify.init_task.reading import InitTask
    from verify.init_task.survey import Survey, Surveyed


@click.command("init-task")
@click.option("--task", "task_id", metavar="ID", help="Look at the init task of this task.")
@captured_options
@common_options
@fails_clearly
def init_task(
    *,
    task_id: str | None,
    every: bool,
    root: Path | None,
    today: datetime | None,
    report: bool,
    cwd: Path,
    as_json: bool,
) -> None:
    """Look at an init task: its front matter, its headings, its questions. Errors go to standard error.

    Exit status of --task: 0 it holds, 1 it does not. --all tells of every task that lacks one, and exits 0.
    """
    require_one(task=task_id, all=every or None)
    survey = opened(cwd, root).survey
    if task_id is not None:
        _one(survey, task_id, report, as_json)
    else:
        _all(survey, day_of(today), report, as_json)


def _one(survey: Survey, task_id: str, report: bool, as_json: bool) -> None:
    from verify.task import INIT_TASK

    surveyed = survey.one(task_id, (INIT_TASK,))
    document, problems = _look(surveyed, survey)
    told = faults(surveyed) or notices(surveyed, INIT_TASK, ERROR, problems)
    if as_json:
        _write(told, [surveyed], [])
    else:
        for notice in told:
            notice.tell()
        if not told:
            write_text(f"OK: {surveyed.task.place_of(INIT_TASK)}")
        if report and document is not None:
            _describe(document)
    if told:
        sys.exit(FAILS)


def _all(survey: Survey, today: date, report: bool, as_json: bool) -> None:
    from verify.task import INIT_TASK, TASK_DESCRIPTION

    looked, skipped, told = [], [], []
    for surveyed in survey.every((TASK_DESCRIPTION, INIT_TASK)):
        if surveyed.exempt is not None:
            skipped.append(surveyed)
            continue
        looked.append(surveyed)
        level, remark = age_level(surveyed, survey, today)
        problems = () if INIT_TASK in surveyed.faults else _look(surveyed, survey)[1]
        found = notices(surveyed, INIT_TASK, level, (one._replace(message=one.message + remark) for one in problems))
        told += [*faults(surveyed), *found]
        if report and not as_json and not found and not surveyed.faults:
            write_text(f"ok: {surveyed.task.place_of(INIT_TASK)}")
    if as_json:
        _write(told, looked, skipped)
    else:
        for notice in told:
            notice.tell()
        for surveyed in skipped if report else ():
            write_text(f"skipped: {surveyed.task.id}: {surveyed.exempt}")
    fault = undetermined(looked)
    if fault is not None:
        sys.exit(fault.exit_status)


def _look(surveyed: Surveyed, survey: Survey) -> tuple[InitTask | None, tuple[Problem, ...]]:
    """A task's init task and all its problems; a missing file is one."""
    from verify.captured import MISSING
    from verify.init_task.reading import read_init_task

    artifact = surveyed.task.init_task
    if artifact is None:
        return None, (MISSING,)
    document = read_init_task(artifact, surveyed.task.id, survey.init_tasks)
    return document, (*document.front_matter, *document.problems)


def _describe(document: InitTask) -> None:
    """What was read, for a person."""
    write_text(f"{len(document.questions)} question(s)")
    for question in document.questions:
        where = f"/dr-{question.stage} round {question.round}" if question.stage else "a stage that is not named"
        write_text(f"  line {question.line}: {where}, decided by {question.decided_by or 'nobody who is known'}")


def _write(told: list[Notice], looked: list[Surveyed], skipped: list[Surveyed]) -> None:
    document = {
        "ok": not told,
        "problems": [notice._asdict() for notice in told],
        "skipped": [{"reason": one.exempt, "task_id": one.task.id} for one in skipped],
        "tasks": [one.task.id for one in looked],
    }
    write_json("dr-verify.init-task/v1", document)
