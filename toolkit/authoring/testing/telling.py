"""A run of cases in lines for people: what fails first, then what an edit changed, what is to do, and a summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from toolkit.authoring.testing.asking import spelt
from toolkit.authoring.testing.cases import Answer
from toolkit.authoring.testing.results import CHANGED, ERROR, FAIL, OUTCOMES, TODO, CaseRun, Result
from toolkit.policy.problems import Problem

MAX_ANSWERS: Final = 5  # of a list that are told
MAX_NAMED: Final = 10  # documents that a line names
HOLDS_BY_NOW: Final = "holds by now: drop todo"


def lines_of(run: CaseRun, shortcomings: Sequence[Problem]) -> Iterator[str]:
    """The run in lines: what failed, changed or is to do, what is missing otherwise, and the summary.

    Cases that could not be read or asked are only counted: their problems are told as those of a broken set are.
    """
    for outcome in (FAIL, CHANGED, TODO):
        for one in run.of(outcome):
            by = f"  (by {', '.join(one.changed_by)})" if one.changed_by else ""
            yield f"{outcome}  {one.document}: {one.id}  {one.mark}{by}"
            yield from (f"  {line}" for line in details_of(one))
    for problem in shortcomings:
        yield str(problem) if problem.mark.file else f"{problem.code}: {problem.message} ({problem.hint})"
    yield from _without_cases(run)
    yield summary_of(run)


def details_of(result: Result) -> Iterator[str]:
    """What there is to say of one case that did not pass."""
    if result.outcome == ERROR:
        yield from map(str, result.problems)
        return
    if result.outcome == TODO:
        yield from (f"todo: {line}" for line in (result.todo or "").splitlines())
        if result.held:
            yield HOLDS_BY_NOW
            return
    yield from _answers("expected", result.expected, result.lists)
    label = "decided now" if result.outcome == CHANGED else "decided"
    if result.decided or result.lists:
        yield from _answers(label, result.decided, result.lists)
    if result.outcome != CHANGED or not result.decided or result.replaced_by:  # what was meant needs no reason
        yield from (f"why: {line}" for line in result.why)
    if result.replaced_by:
        yield f"the case of this name in {result.replaced_by} stands for it"


def _answers(label: str, answers: Sequence[Answer], lists: bool) -> Iterator[str]:
    if lists and not answers:
        yield f"{label}: an empty list"
    for one in answers[:MAX_ANSWERS]:
        yield f"{label}: {spelt(one.outputs)}" + (f" by row {one.row}" if one.row is not None else "")
    if len(answers) > MAX_ANSWERS:
        yield f"{label}: and {len(answers) - MAX_ANSWERS} more"


def _without_cases(run: CaseRun) -> Iterator[str]:
    without = run.coverage.without_cases
    if without:
        named = ", ".join(without[:MAX_NAMED]) + (", ..." if len(without) > MAX_NAMED else "")
        yield f"{len(without)} of {len(run.coverage.documents)} tables and machines have no case: {named}"


def summary_of(run: CaseRun) -> str:
    """One line: how many cases had each outcome, and how many rows are covered."""
    total = len(run.results)
    counts = [f"{run.counts[outcome]} {outcome}" for outcome in OUTCOMES if run.counts[outcome]]
    cases = f"{total} case{'' if total == 1 else 's'}"
    coverage = f"{run.coverage.covered} of {run.coverage.rows} rows covered"
    return f"{cases}: {', '.join(counts)}; {coverage}" if counts else f"{cases}; {coverage}"
