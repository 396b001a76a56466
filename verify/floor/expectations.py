"""The verdict over the operator's expectations, as the floor tells it (*Self-verification*)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from verify.captured import Problem
from verify.expectations.reading import Expectations, read_expectations
from verify.expectations.rules import ExpectationRules
from verify.expectations.validation import validate, wiring_of
from verify.expectations.verdict import Blocked, Records, judge
from verify.expectations.wishes import Wish
from verify.findings import Finding
from verify.floor.check import CheckEntry, CheckResult, FloorContext
from verify.floor.entries import floor_plan
from verify.floor.telling import NO_EXPECTATIONS, lacking, nothing
from verify.terms import RAN
from verify.words import with_others

STRUCTURE = "structure: "
MEND = "Mend {path}: {problems}. dr-verify expectations --task {task} --report says all of it."
RESOLVE = (
    "The wish {title!r} is {status}: {reason}. Fulfil it (/dr-do {task} --focus-items {wish}), "
    "or write an override that counts below it."
)
LOOK = "Look whether these overrides still stand: {wishes}."


def expectation_rules(context: FloorContext) -> ExpectationRules:
    """The rules of this run. Use it through ``context.once``, as the two below."""
    return ExpectationRules.from_policy(context.policies)


def expectations_of(context: FloorContext) -> Expectations | None:
    """The task's expectations as they are written; null where there are none."""
    artifact = context.task.expectations
    if artifact is None:
        return None
    task = context.task
    return read_expectations(artifact, context.once(expectation_rules), task.criteria.labels, task.id)


def structure_of(context: FloorContext) -> tuple[Problem, ...]:
    """Everything that is wrong with them as a document; nothing where there are none.

    Raises ``VerificationUndetermined`` where nobody could say whether evidence is wired.
    """
    read = context.once(expectations_of)
    if read is None:
        return ()
    rules = context.once(expectation_rules)
    return validate(read, rules, lambda: wiring_of(context.task.workspace, rules, context.policies))


def tells_structure(context: FloorContext) -> bool:
    """Whether ``expectations_status`` runs: what it tells of the structure, no other check tells again."""
    entries = context.once(floor_plan).at(context.stage)
    return any(entry.uses == expectations_status.__name__ for entry in entries)


def expectations_status(entry: CheckEntry, context: FloorContext) -> CheckResult:
    """A finding for each wish that blocks; one for a file whose structure fails; one that counts the overrides.

    The last one is as grave as the parameter ``overridden_severity`` says. The check runs at every level: whoever
    writes expectations means them.
    """
    read = context.once(expectations_of)
    if read is None:
        return nothing(NO_EXPECTATIONS)
    problems = context.once(structure_of)
    if problems:
        return _broken(entry, context, read, problems)
    rules, task = context.once(expectation_rules), context.task
    kinds = rules.override.recorded_in
    records = Records(task.id, lambda: _texts(context, kinds), task.rules)
    verdict = judge(read, records, rules)
    findings = tuple(_blocking(entry, context, read, one) for one in verdict.blocking)
    if not findings and verdict.overridden:
        findings = (_overridden(entry, context, read, verdict.overridden),)
    counts = f"{len(verdict.blocking)} blocking, {len(verdict.overridden)} under an override"
    old = f"; schema_version {read.version} is deprecated" if read.deprecated else ""
    return CheckResult(RAN, f"{verdict.outcome}: {len(read.wishes)} wish(es), {counts}{old}", findings)


def _texts(context: FloorContext, kinds: Iterable[str]) -> Iterable[str]:
    return (artifact.text for kind in kinds for artifact in context.task.all_of(kind))


def _broken(entry: CheckEntry, context: FloorContext, read: Expectations, problems: tuple[Problem, ...]) -> CheckResult:
    """One finding for the whole file: the first problem, how many more there are, and the others as far as they fit."""
    first, more = problems[0], len(problems) - 1
    message = f"{STRUCTURE}{first.message}{with_others(more)}"
    said = "; ".join(f"line {one.line}: {one.message}" for one in problems)
    fix = MEND.format(path=read.path, problems=said, task=context.task.id)
    finding = lacking(entry, context, read.path, message, fix, line=first.line)
    return CheckResult(RAN, f"{read.path} fails structural validation, problems: {len(problems)}", (finding,))


def _blocking(entry: CheckEntry, context: FloorContext, read: Expectations, blocked: Blocked) -> Finding:
    wish = blocked.wish
    fix = RESOLVE.format(
        title=wish.title, status=wish.status, reason=blocked.reason, task=context.task.id, wish=wish.wish_id
    )
    message = f"{wish.wish_id}: {wish.status}"
    return lacking(entry, context, read.path, message, fix, line=wish.line, criteria=wish.linked)


def _overridden(entry: CheckEntry, context: FloorContext, read: Expectations, wishes: tuple[Wish, ...]) -> Finding:
    severity = cast("str", entry.parameters["overridden_severity"])
    number = len(wishes)
    message = f"{number} of {len(read.wishes)} expectations {'carries' if number == 1 else 'carry'} an override"
    fix = LOOK.format(wishes=", ".join(f"{wish.wish_id} ({wish.status})" for wish in wishes))
    return lacking(entry, context, read.path, message, fix, line=wishes[0].line, severity=severity)
