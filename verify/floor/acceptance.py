"""Acceptance criteria of the PRD: that there are some, and that each one says how it is verified."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, cast

from verify.criteria import CriteriaRules, Criterion, find_criteria, says_something
from verify.documents.sections import opens_section
from verify.fields import find_fields
from verify.floor.check import CheckEntry, CheckResult, FloorContext
from verify.floor.telling import NO_PRD, lacking, nothing, of_criteria, quoting
from verify.history.naming import names_task
from verify.markdown import Block
from verify.task import PLAN, PRD, TASK_DESCRIPTION, TASKS, Artifact, Task
from verify.terms import RAN

ADD_CUE = "Say how {label} is verified: write `Verify:` and a command with its outcome in its block."
ADD_CRITERIA = "Write the acceptance criteria into {path}, each as `- **AC-1** what holds. Verify: a command`."
ADD_PRD = "Write {path} with its acceptance criteria, or state `**PRD waived:** why` in the task description."


class Waiver(NamedTuple):
    """Why a task has no PRD, and where (``path:line``) that is said."""

    reason: str
    place: str


def prd_criteria(context: FloorContext) -> tuple[Criterion, ...]:
    """The criteria of the task's PRD, none without one. Use it through ``context.once``."""
    prd = context.task.prd
    return find_criteria(prd.blocks, context.task.criteria) if prd else ()


def find_waiver(task: Task, rules: CriteriaRules) -> Waiver | None:
    """A line ``PRD waived: why``; without a reason it waives nothing.

    It stands in the task description, in the plan, or in what ``tasks.md`` says of this task: its row, or below a
    heading that names it.
    """
    for document, blocks in _where_waived(task):
        for field in find_fields(blocks, rules.waivers, task.rules.separator):
            if says_something(field.value, rules.cues):
                return Waiver(field.value, f"{document.path}:{field.line}")
    return None


def prd_waiver(context: FloorContext) -> Waiver | None:
    """Why the task has no PRD; null where nothing says so. Use it through ``context.once``."""
    return find_waiver(context.task, context.task.criteria)


def _where_waived(task: Task) -> Iterator[tuple[Artifact, Iterable[Block]]]:
    for kind in (TASK_DESCRIPTION, PLAN):
        document = task.artifacts.get(kind)
        if document is not None:
            yield document, document.blocks
    for document in task.all_of(TASKS):
        rows = {row.line for row in task.rows_in(TASKS) if row.own and row.path == document.path}
        yield document, [block for block in document.blocks if block.line in rows]
        yield document, list(_below_its_heading(document.blocks, task.id))


def _below_its_heading(blocks: Iterable[Block], task_id: str) -> Iterator[Block]:
    """The blocks below headings that name a task and no other, up to the next heading as high."""
    level = 0
    for block in blocks:
        if opens_section(block):
            if names_task(block.text, task_id):
                level = level or block.level
            elif block.level <= level:
                level = 0
        elif level:
            yield block


def ac_coverage_grep(entry: CheckEntry, context: FloorContext) -> CheckResult:
    """A finding for each acceptance criterion of the PRD whose block holds no verification cue."""
    prd = context.task.prd
    if prd is None:
        return nothing(NO_PRD)
    criteria = context.once(prd_criteria)
    if not criteria:
        return nothing(f"{prd.path} defines no acceptance criterion")
    fixes = ((it, ADD_CUE.format(label=it.label)) for it in criteria if it.cue is None)
    findings = tuple(quoting(entry, context, prd, it.line, fix, criteria=(it.label,)) for it, fix in fixes)
    cued = len(criteria) - len(findings)
    detail = f"{of_criteria(len(criteria))}, {cued} with a verification cue (a cue is not yet a verification)"
    return CheckResult(RAN, detail, findings)


def no_acceptance_criteria(entry: CheckEntry, context: FloorContext) -> CheckResult:
    """A finding when the PRD defines no criterion at all, or is missing and not waived.

    How grave a missing PRD is at the task's level stands in the entry's parameter ``absent_severity``.
    """
    task = context.task
    if task.prd is not None:
        criteria = context.once(prd_criteria)
        if criteria:
            return CheckResult(RAN, f"{of_criteria(len(criteria))} found")
        message = f"No acceptance criterion was found in {task.prd.path}."
        finding = lacking(entry, context, task.prd.path, message, ADD_CRITERIA.format(path=task.prd.path))
        return CheckResult(RAN, message, (finding,))
    waiver = context.once(prd_waiver)
    if waiver is not None:
        return nothing(f"the PRD is waived ({waiver.place}): {waiver.reason}")
    severities = cast("Mapping[str, str]", entry.parameters["absent_severity"])
    if task.complexity not in severities:
        return nothing(f"{NO_PRD}; none is due at {task.complexity}")
    path = task.place_of(PRD)
    message = f"The task has no PRD: {path} does not exist, so it has no acceptance criterion."
    severity = severities[task.complexity]
    finding = lacking(entry, context, path, message, ADD_PRD.format(path=path), severity=severity)
    return CheckResult(RAN, message, (finding,))
