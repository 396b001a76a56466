"""``dr-policy test``: whether policies decide what their cases say, and which rows no case shows."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from toolkit.commands.interface import (
    FAILS,
    HOLDS,
    WRONG_USAGE,
    common_options,
    fails_clearly,
    policy_from_option,
    write_json,
    write_line,
    write_note,
    write_text,
)
from toolkit.errors import ToolkitError
from toolkit.policy.problems import PolicyError, Problem
from toolkit.sources import load_policies

if TYPE_CHECKING:
    from toolkit.authoring.testing import CaseRun, Result
    from toolkit.reporting.suites import Suite, SuiteCase

TEXT, JUNIT = FORMATS = ("text", "junit")
SUITES: Final = "dr-policy test"


@click.command("test")
@click.argument("documents", metavar="[ID]...", nargs=-1)
@click.option("--require-all", is_flag=True, help="Fail where some row or transition has no case that holds.")
@click.option("--format", "form", type=click.Choice(FORMATS), default=TEXT, help="How to tell it; text unless told.")
@policy_from_option
@common_options
@fails_clearly
def ask_cases(
    *, documents: tuple[str, ...], require_all: bool, form: str, policy_from: str | None, cwd: Path, as_json: bool
) -> None:
    """Ask tables and machines what their cases say that they decide: those of each ID, or all that are in force here.

    Documents and overlays carry cases. One holds where the outputs that it names are equal and the row that it names
    gave them. One that holds no more because a later layer edits what it asks is told as changed (also where that
    layer brings a case of its name), and one with a 'todo' as todo: neither fails the run.

    Exit 1 if a case fails, or there is none to ask; 2 if one can't be read.
    """
    from toolkit.authoring.testing import run_cases

    if as_json and form != TEXT:
        message = "--json and --format say two different things: give one of them"
        raise PolicyError("usage", message, next_step="dr-policy test --help")
    try:
        loaded = load_policies(cwd.resolve(), policy_from=policy_from, whole=True)
        run = run_cases(loaded.policies, loaded.up_to, documents)
    except ToolkitError as fault:
        if form == JUNIT:  # whoever reads the suites must not take an empty file for none that failed
            _tell_junit_fault(fault)
        raise
    missing = run.shortcomings(require_all)
    if as_json:
        _tell_json(run, missing)
    elif form == JUNIT:
        _tell_junit(run, missing)
    else:
        _tell(run, missing)
    sys.exit(_status(run, missing))


def _status(run: CaseRun, missing: Sequence[Problem]) -> int:
    from toolkit.authoring.testing import FAIL

    if run.problems:
        return WRONG_USAGE
    return FAILS if run.counts[FAIL] or missing else HOLDS


def _tell(run: CaseRun, missing: Sequence[Problem]) -> None:
    from toolkit.authoring.testing.telling import lines_of

    for problem in run.problems:
        write_note(str(problem))
    write_text("\n".join(lines_of(run, missing)))


def _tell_json(run: CaseRun, missing: Sequence[Problem]) -> None:
    document: dict[str, object] = {
        "cases": [one.to_json() for one in run.results],
        "counts": run.counts,
        "coverage": run.coverage.to_json(),
        "ok": _status(run, missing) == HOLDS,
        "problems": [problem.to_json() for problem in (*run.problems, *missing)],
    }
    if run.problems:
        document["error"] = PolicyError.of(run.problems).to_json()
    write_json("dr-policy.test/v1", document)


def _tell_junit(run: CaseRun, missing: Sequence[Problem]) -> None:
    from toolkit.reporting.suites import write_suites

    write_line(write_suites(SUITES, list(_suites(run, missing))).rstrip("\n"))


def _tell_junit_fault(fault: ToolkitError) -> None:
    """One suite with what is wrong, where nothing could be asked."""
    from toolkit.reporting.suites import Suite, SuiteCase, write_suites
    from toolkit.reporting.visible import visible

    cases = [
        SuiteCase(
            problem.document or SUITES,
            f"{problem.code} at {problem.mark}",
            problem.message,
            output=[visible(str(problem))],
        )
        for problem in getattr(fault, "problems", ())
    ]
    if not cases:
        output = [visible(line) for line in (str(fault), f"next: {fault.next_step}" if fault.next_step else "") if line]
        cases = [SuiteCase(SUITES, fault.code, fault.message, output=output)]
    write_line(write_suites(SUITES, [Suite(SUITES, cases)]).rstrip("\n"))


def _suites(run: CaseRun, missing: Sequence[Problem]) -> Iterator[Suite]:
    """A suite for each document that has a case or lacks something, and one for what belongs to none."""
    from toolkit.reporting.suites import Suite

    suites: dict[str, list[SuiteCase]] = {}
    for one in run.results:
        suites.setdefault(one.document, []).append(_suite_case(one))
    for case in _other_cases(run, missing):
        suites.setdefault(case.group, []).append(case)
    return (Suite(name, cases) for name, cases in suites.items())


def _other_cases(run: CaseRun, missing: Sequence[Problem]) -> Iterator[SuiteCase]:
    """What fails the run and is no case: a test case for each document and reason, so that a build server shows it."""
    from toolkit.reporting.suites import SuiteCase
    from toolkit.reporting.visible import visible

    of_cases = {problem for one in run.results for problem in one.problems}
    for problem in run.problems:
        if problem not in of_cases:  # the one that says that there are more than are told
            yield SuiteCase(problem.document, problem.code, error=problem.message, output=[visible(str(problem))])
    lacking: dict[tuple[str, str], SuiteCase] = {}
    for problem in missing:
        key = problem.document or SUITES, problem.code
        case = lacking.setdefault(key, SuiteCase(*key))
        case.fail(problem.message, problem.code, [visible(str(problem))])
    yield from lacking.values()


def _suite_case(one: Result) -> SuiteCase:
    from toolkit.authoring.testing import CHANGED, ERROR, FAIL, PASS, TODO
    from toolkit.authoring.testing.telling import HOLDS_BY_NOW, details_of
    from toolkit.reporting.suites import SuiteCase
    from toolkit.reporting.visible import visible

    name = one.id or str(one.mark)
    case = SuiteCase(one.document, f"{name} ({one.layer})" if one.replaced_by else name)
    if one.outcome == PASS:
        return case
    lines = [visible(line) for line in (f"at {one.mark}", *details_of(one))]
    if one.outcome == FAIL:
        case.fail("; ".join(one.why), FAIL, lines)
        return case
    case.output = lines
    if one.outcome == ERROR:
        case.error = "; ".join(problem.message for problem in one.problems)
    elif one.outcome == CHANGED:
        by = f", and replaced by a case of {one.replaced_by}" if one.replaced_by else ""
        case.skip = f"changed by {', '.join(one.changed_by)}{by}"
    elif one.outcome == TODO:
        case.skip = f"todo: {one.todo}" + (f" ({HOLDS_BY_NOW})" if one.held else "")
    return case
