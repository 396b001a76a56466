"""Documents that a task owes: its init task, its expectations, its plan (*Self-verification*)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from verify.captured import Problem
from verify.findings import Finding
from verify.floor.check import CheckEntry, CheckResult, FloorContext
from verify.floor.expectations import expectations_of, structure_of, tells_structure
from verify.floor.telling import lacking, limits_of, nothing, quoting
from verify.init_task.reading import read_init_task
from verify.init_task.rules import InitTaskRules
from verify.init_task.window import Dated, exemption, find_day, is_young
from verify.task import EXPECTATIONS, INIT_TASK, PLAN
from verify.terms import RAN
from verify.words import with_others

WRITE_INIT_TASK = "Write {path}: the operator's brief in their own words, under a front matter with {keys}."
MEND_INIT_TASK = "Mend the front matter of {path}: {problems}. dr-verify init-task --task {task} says all of it."
WRITE_EXPECTATIONS = "Write {path}: each wish of the operator with its id, its criterion, how to verify it, its status."
MEND_EXPECTATIONS = "Mend {path}: {problems}. dr-verify expectations --task {task} --report says all of it."
WRITE_PLAN = "Write {path}: numbered steps, each with the paths that it touches and the criteria that it serves."


def init_task_rules(context: FloorContext) -> InitTaskRules:
    """The rules of this run. Use it through ``context.once``."""
    return InitTaskRules.from_policy(context.policies)


def init_task_presence(entry: CheckEntry, context: FloorContext) -> CheckResult:
    """A finding for an init task that is missing, or whose front matter is malformed.

    Inside the soft window, and where no date is found, it is as grave as the entry says; outside as its parameter
    ``outside_severity`` does.
    """
    task, rules = context.task, context.once(init_task_rules)
    reason = exempt(context)
    if reason is not None:
        return nothing(reason)
    document = task.init_task
    if document is None:
        problems: tuple[Problem, ...] = (Problem(1, "missing", "it does not exist"),)
        further = 0
    else:
        read = read_init_task(document, task.id, rules)
        problems, further = read.front_matter, len(read.problems)
    if not problems:
        more = f"; dr-verify init-task --task {task.id} tells {further} more" if further else ""
        return CheckResult(RAN, f"{task.place_of(INIT_TASK)} is there and its front matter holds{more}")
    dated = find_day((task.description, document), rules.dates)
    young = is_young(dated, context.today, rules)
    outside = cast("str", entry.parameters["outside_severity"])
    severity = entry.severity if young in {None, True} else outside
    age = _age(dated, context, rules)
    message = f"{_said(INIT_TASK, context, problems)} {age}"
    fix = MEND_INIT_TASK if document is not None else WRITE_INIT_TASK
    keys = ", ".join(rules.front_matter.keys)
    finding = _finding(entry, context, INIT_TASK, severity, problems, message, fix + " {age}", keys=keys, age=age)
    return CheckResult(RAN, message, (finding,))


def expectations_presence(entry: CheckEntry, context: FloorContext) -> CheckResult:
    """A finding for expectations that are missing at a level that owes them (parameter ``levels``).

    Expectations that are there and malformed are told by ``expectations_status``, which weighs them more; one fault is
    one finding, so they are told here only where that check does not run.
    """
    due = _due(entry, context, EXPECTATIONS)
    if isinstance(due, CheckResult):
        return due
    read = context.once(expectations_of)
    if read is None:
        message = (
            f"{_said(EXPECTATIONS, context, (Problem(1, 'missing', 'it does not exist'),))} Owed at {_level(context)}."
        )
        finding = _finding(entry, context, EXPECTATIONS, due, (), message, WRITE_EXPECTATIONS)
        return CheckResult(RAN, message, (finding,))
    if context.once(tells_structure):
        return CheckResult(RAN, f"{read.path} is there; expectations_status tells whether it holds")
    problems = context.once(structure_of)
    if not problems:
        return CheckResult(RAN, f"{read.path} is there and holds")
    message = _said(EXPECTATIONS, context, problems)
    finding = _finding(entry, context, EXPECTATIONS, due, problems, message, MEND_EXPECTATIONS)
    return CheckResult(RAN, message, (finding,))


def plan_presence(entry: CheckEntry, context: FloorContext) -> CheckResult:
    """A finding for a plan that is missing at a level that owes one (parameter ``levels``)."""
    due = _due(entry, context, PLAN)
    if isinstance(due, CheckResult):
        return due
    if context.task.plan is not None:
        return CheckResult(RAN, f"{context.task.plan.path} is there")
    message = f"{_said(PLAN, context, (Problem(1, 'missing', 'it does not exist'),))} Owed at {_level(context)}."
    return CheckResult(RAN, message, (_finding(entry, context, PLAN, due, (), message, WRITE_PLAN),))


def exempt(context: FloorContext) -> str | None:
    """Why the task owes none of these documents, else null."""
    task = context.task
    return exemption(task.description, context.once(init_task_rules)) or task.archived_reason


def _due(entry: CheckEntry, context: FloorContext, kind: str) -> str | CheckResult:
    """How grave the absence of a document is at the task's level; or the result where it is not owed."""
    reason = exempt(context)
    if reason is not None:
        return nothing(reason)
    levels = cast("Mapping[str, str]", entry.parameters["levels"])
    if context.task.complexity not in levels:
        shown = kind.replace("_", " ")
        return nothing(f"no document of the kind {shown} is owed at {_level(context)}")
    return levels[context.task.complexity]


def _level(context: FloorContext) -> str:
    return f"{context.task.complexity} ({context.task.complexity_source})"


def _said(kind: str, context: FloorContext, problems: tuple[Problem, ...]) -> str:
    """The first problem of a document in a sentence, and how many more there are."""
    first, more = problems[0], len(problems) - 1
    return f"{context.task.place_of(kind)}: {first.message}{with_others(more)}."


def _age(dated: Dated, context: FloorContext, rules: InitTaskRules) -> str:
    if dated.day is None:
        return f"The age of the task is unknown: {dated.place}."
    days = (context.today - dated.day).days
    inside = "inside" if days < rules.window_days else "outside"
    return f"The task is {max(days, 0)} day(s) old ({dated.place}), {inside} the window of {rules.window_days}."


def _finding(
    entry: CheckEntry,
    context: FloorContext,
    kind: str,
    severity: str,
    problems: tuple[Problem, ...],
    message: str,
    fix: str,
    **more: str,
) -> Finding:
    """The line at fault is quoted, where there is one that is long enough to be recognised; else the check speaks.

    What is missing altogether is said to stand on the first line, and that line is no proof of it.
    """
    task, shortest = context.task, context.once(limits_of).excerpt_min
    path, line = task.place_of(kind), problems[0].line if problems else 1
    document = task.artifacts.get(kind)
    said = "; ".join(f"line {one.line}: {one.message}" for one in problems)
    told = fix.format(path=path, task=task.id, problems=said, **more)
    if document is not None and line > 1 and len(document.line(line).strip()) >= shortest:
        return quoting(entry, context, document, line, told, severity=severity)
    return lacking(entry, context, path, message, told, line=line, severity=severity)
