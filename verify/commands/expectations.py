"""``dr-verify expectations``: whether the checklist holds as a document, and whether its wishes let work go on."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from toolkit.commands.interface import (
    FAILS,
    common_options,
    fails_clearly,
    write_line,
    write_note,
    write_text,
)
from verify.commands.captured import (
    ALL_STATIC,
    ERROR,
    WARN,
    Notice,
    Opened,
    age_level,
    captured_options,
    day_of,
    faults,
    notices,
    opened,
    require_one,
    undetermined,
)
from verify.commands.expectations_report import describe, tell_deprecation, write_document

if TYPE_CHECKING:
    from verify.captured import Problem
    from verify.expectations.reading import Expectations
    from verify.expectations.rules import ExpectationRules
    from verify.expectations.verdict import Verdict
    from verify.expectations.wiring import Wiring
    from verify.init_task.survey import Surveyed


class Look(NamedTuple):
    """A task's checklist as it was found: null where it is missing or can't be used, and what is wrong with it."""

    document: Expectations | None
    problems: tuple[Problem, ...]


@click.command("expectations")
@click.option("--task", "task_id", metavar="ID", help="Look at the checklist of this task as a document.")
@click.option("--verify", "verify_id", metavar="ID", help="Say whether the wishes of this task let work go on.")
@captured_options
@common_options
@fails_clearly
def expectations(
    *,
    task_id: str | None,
    verify_id: str | None,
    every: bool,
    root: Path | None,
    today: datetime | None,
    report: bool,
    cwd: Path,
    as_json: bool,
) -> None:
    """Look at a checklist of expectations. Verdicts go to standard output, errors to standard error.

    Exit status of --task and --verify: 0 it holds, 1 it does not. --all tells of every L3 and L4 task, and exits 0.
    """
    require_one(task=task_id, verify=verify_id, all=every or None)
    at = opened(cwd, root)
    if task_id is not None:
        _task(at, task_id, report, as_json)
    elif verify_id is not None:
        _verify(at, verify_id, report, as_json)
    else:
        _all(at, day_of(today), report, as_json)


def _task(at: Opened, task_id: str, report: bool, as_json: bool) -> None:
    from verify.errors import WorkspaceError
    from verify.task import EXPECTATIONS, INVALID_ID

    try:
        surveyed = at.survey.one(task_id, (EXPECTATIONS,))
    except WorkspaceError as fault:
        if fault.code != INVALID_ID or as_json:
            raise
        write_note(f"ERROR: invalid task_id {fault.place!r}: {fault.next_step}")
        sys.exit(FAILS)  # the contract has no other status for a checklist that can't hold
    look = _look(surveyed, at)
    told = faults(surveyed) or notices(surveyed, EXPECTATIONS, ERROR, look.problems)
    if as_json:
        write_document(told, ok=not told, looked=[surveyed], document=look.document)
    else:
        for notice in told:
            notice.tell()
        if not told:
            write_text(f"OK: {surveyed.task.place_of(EXPECTATIONS)}")
        if report:
            describe(look.document, None)
    tell_deprecation(look.document)
    if told:
        sys.exit(FAILS)


def _verify(at: Opened, task_id: str, report: bool, as_json: bool) -> None:
    from verify.expectations.rules import ExpectationRules
    from verify.expectations.verdict import ABSENT, BLOCKED, BROKEN, Records, judge
    from verify.task import EXPECTATIONS

    surveyed = at.survey.one(task_id, (EXPECTATIONS,))
    look = _look(surveyed, at)
    told = faults(surveyed) or notices(surveyed, EXPECTATIONS, ERROR, look.problems)
    verdict: Verdict | None = None
    if told:
        lines: Sequence[str] = (BROKEN if look.document or surveyed.faults else ABSENT,)
    else:
        assert look.document is not None  # nothing is wrong with it, so it is there
        rules = ExpectationRules.from_policy(at.policies)
        records = Records(task_id, lambda: _recorded(at, rules), surveyed.task.rules)
        verdict = judge(look.document, records, rules)
        lines = verdict.lines(task_id)
    outcome = verdict.outcome if verdict is not None else BLOCKED
    if as_json:
        write_document(
            told, ok=outcome != BLOCKED, looked=[surveyed], document=look.document, outcome=outcome, verdict=verdict
        )
    else:
        for line in lines:
            write_line(line)
        for notice in told if report or look.document is None else ():
            notice.tell()
        if report:
            describe(look.document, verdict)
    tell_deprecation(look.document)
    if outcome == BLOCKED:
        sys.exit(FAILS)


def _all(at: Opened, today: date, report: bool, as_json: bool) -> None:
    from verify.expectations.rules import ExpectationRules
    from verify.expectations.validation import wiring_of
    from verify.task import EXPECTATIONS, INIT_TASK, PRD, TASK_DESCRIPTION

    rules = ExpectationRules.from_policy(at.policies)
    wiring = cache(lambda: wiring_of(at.place, rules, at.policies))
    looked, skipped, told, seen = [], [], [], []
    for surveyed in at.survey.every((PRD, TASK_DESCRIPTION, INIT_TASK, EXPECTATIONS), at.survey.shared):
        reason = surveyed.exempt or _not_owed(surveyed, rules)
        if reason is not None:
            seen.append(surveyed)
            skipped.append(surveyed._replace(exempt=reason))
            continue
        surely, found = _surveyed(surveyed, at, rules, today, wiring)
        seen.append(surely)
        looked.append(surely)
        told += found
        if report and not as_json and not found:
            write_text(f"ok: {surveyed.task.place_of(EXPECTATIONS)}")
    if as_json:
        write_document(told, ok=not told, looked=looked, skipped=skipped)
    else:
        for notice in told:
            notice.tell()
        for one in skipped if report else ():
            write_text(f"skipped: {one.task.id}: {one.exempt}")
    fault = undetermined(seen)
    if fault is not None:
        sys.exit(fault.exit_status)


def _not_owed(surveyed: Surveyed, rules: ExpectationRules) -> str | None:
    """Why no checklist is asked for at a task's level; null where one is, or where the level can't be known."""
    from verify.task import PRD, TASK_DESCRIPTION

    task = surveyed.task
    if PRD in surveyed.faults or TASK_DESCRIPTION in surveyed.faults or task.complexity in rules.owed_at:
        return None
    return f"{task.complexity} ({task.complexity_source})"


def _surveyed(
    surveyed: Surveyed, at: Opened, rules: ExpectationRules, today: date, wiring: Callable[[], Wiring]
) -> tuple[Surveyed, list[Notice]]:
    """What a survey tells of one task; and the task, with a fault more where its evidence could not be judged."""
    from verify.errors import VerificationUndetermined
    from verify.task import EXPECTATIONS

    try:
        look = _look(surveyed, at, wiring) if EXPECTATIONS not in surveyed.faults else None
    except VerificationUndetermined as fault:
        look = None
        surveyed = surveyed._replace(faults={**surveyed.faults, EXPECTATIONS: fault})
    found = faults(surveyed)
    if look is not None:
        tell_deprecation(look.document)
        level, remark = age_level(surveyed, at.survey, today)
        problems = (one._replace(message=one.message + remark) for one in look.problems)
        found += notices(surveyed, EXPECTATIONS, level, problems)
        found += _static(surveyed, look, rules)
    return surveyed, found


def _static(surveyed: Surveyed, look: Look, rules: ExpectationRules) -> list[Notice]:
    """A warning where nothing but looking is to prove the wishes of a task."""
    from verify.expectations.validation import all_static

    document = look.document
    if document is None or not all_static(document, rules):
        return []
    count, kind = len(document.wishes), rules.static_type
    message = f"WARNING: all wishes ({count}) rest on {kind} evidence: nothing that runs proves any"
    return [Notice(surveyed.task.id, document.path, WARN, document.wishes[0].line, ALL_STATIC, message)]


def _look(surveyed: Surveyed, at: Opened, wiring: Callable[[], Wiring] | None = None) -> Look:
    """A checklist and its problems. Raises ``VerificationUndetermined`` where nobody knows whether it is wired."""
    from verify.captured import MISSING
    from verify.criteria import CriteriaRules
    from verify.expectations.reading import read_expectations
    from verify.expectations.rules import ExpectationRules
    from verify.expectations.validation import validate, wiring_of

    task = surveyed.task
    if task.expectations is None:
        return Look(None, (MISSING,))
    rules = ExpectationRules.from_policy(at.policies)
    labels = CriteriaRules.from_policy(at.policies).labels
    document = read_expectations(task.expectations, rules, labels, task.id)
    return Look(document, validate(document, rules, wiring or (lambda: wiring_of(at.place, rules, at.policies))))


def _recorded(at: Opened, rules: ExpectationRules) -> Iterable[str]:
    return (artifact.text for artifact in at.survey.shared if artifact.kind in rules.override.recorded_in)
