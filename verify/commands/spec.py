"""``dr-verify spec``: the spec graph of a task linted, traced, graded, and the gate over it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from toolkit.commands.interface import (
    FAILS,
    HOLDS,
    WRONG_USAGE,
    common_options,
    fails_clearly,
    tell_failure,
    write_json,
    write_line,
    write_note,
)
from verify.commands.options import start_of

if TYPE_CHECKING:
    from toolkit.errors import ToolkitError
    from verify.spec_graph.report import SpecReport

F = TypeVar("F", bound=Callable[..., Any])

STAGES = ("prd", "plan", "do", "qa", "compliance", "verify")
TEXT, JSON = "text", "json"
_LONGEST_ESCAPE = 10  # characters that one of a line may be spelled with
Options = Mapping[str, Any]


def _asked(command: F) -> F:
    """``--task``, ``--stage``, ``--root`` and ``--format``, as each of them takes them."""
    for option in (
        click.option("--format", "format_name", type=click.Choice((TEXT, JSON)), default=TEXT, show_default=True),
        click.option(
            "--root",
            type=click.Path(path_type=Path, exists=True, file_okay=False),
            help="A directory at or below the one that holds datarim/ (default: the current directory).",
        ),
        click.option("--stage", type=click.Choice(STAGES), default=STAGES[-1], show_default=True),
        click.option("--task", "task_id", required=True, metavar="ID", help="The task's id."),
    ):
        command = option(command)
    return common_options(command)


@click.group()
def spec() -> None:
    """Look at the graph of wishes, criteria, requirements and steps of a task.

    Exit status: 0 it holds or only advises, 1 it does not, 2 the graph can't be built (the reason is told).
    """


@spec.command()
@_asked
@fails_clearly
def lint(**options: Any) -> None:
    """One line a finding: its severity, its rule, the place. Exit 1 if there is any."""
    from verify.spec_graph.output import findings_of, head_of, lint_lines

    report = _report(options, lists_faults=True)
    if _as_json(options):
        write_json("dr-verify.spec-lint/v1", {**head_of(report), "findings": findings_of(report)})
    else:
        _print(lint_lines(report))
    _end(report, FAILS if report.faults else HOLDS)


@spec.command()
@_asked
@fails_clearly
def trace(**options: Any) -> None:
    """Which requirements are covered, dangling, orphaned or put off, and which criteria lead nowhere."""
    from verify.spec_graph.output import head_of, trace_lines

    report = _report(options)
    if _as_json(options):
        write_json("dr-verify.spec-trace/v1", {**head_of(report), "trace": report.trace.to_json()})
    else:
        _print(trace_lines(report))
    _end(report, HOLDS)


@spec.command()
@_asked
@fails_clearly
def grade(**options: Any) -> None:
    """One letter: A for nothing found, down to F."""
    from verify.spec_graph.output import counts_of, grade_lines, head_of

    report = _report(options)
    if _as_json(options):
        write_json("dr-verify.spec-grade/v1", {**head_of(report), **counts_of(report), "grade": report.grade})
    else:
        _print(grade_lines(report))
    _end(report, HOLDS)


@spec.command()
@_asked
@fails_clearly
def check(**options: Any) -> None:
    """lint, trace and grade in one. Exit 1 if lint finds anything."""
    from verify.spec_graph.output import counts_of, findings_of, grade_lines, head_of, lint_lines, trace_lines

    report = _report(options, lists_faults=True)
    if _as_json(options):
        found = {"findings": findings_of(report), "trace": report.trace.to_json(), "grade": report.grade}
        write_json("dr-verify.spec-check/v1", {**head_of(report), **counts_of(report), **found})
    else:
        _print([*lint_lines(report), *trace_lines(report), *grade_lines(report)])
    _end(report, FAILS if report.faults else HOLDS)


@spec.command()
@_asked
@fails_clearly
def gate(**options: Any) -> None:
    """Decide whether a stage may be left: it blocks in hard mode (DATARIM_SPEC_GRAPH_MODE) alone, on an error."""
    from verify.spec_graph.output import findings_of, grade_lines, head_of, lint_lines

    report = _report(options)
    if _as_json(options):
        document = {
            **head_of(report),
            "mode": report.situation.mode,
            "decision": report.decision,
            "evaluated_artifacts": list(report.evaluated),
            "excluded_artifacts": [excluded._asdict() for excluded in report.excluded],
            "findings": findings_of(report),
            "trace": report.trace.to_json(),
            "grade": report.grade,
        }
        write_json("dr-verify.spec-gate/v1", document)
    else:
        situation = report.situation
        decided = f"decision: {report.decision} ({situation.stage}, {situation.complexity}, mode {situation.mode})"
        _print([*lint_lines(report), *grade_lines(report), decided])
    _end(report, report.exit)


def _report(options: Options, *, lists_faults: bool = False) -> SpecReport:
    """What there is to say. Ends the program with 2 and the reason where the graph can't be built or judged.

    A command that ``lists_faults`` says what was found in the documents that are there, where anything was.
    """
    from toolkit.errors import ToolkitError

    try:
        report = _looked_up(options)
    except ToolkitError as fault:
        _tell_and_exit(fault, options)
    if report.unjudged is not None and not (lists_faults and report.faults):
        _tell_and_exit(report.unjudged, options)
    return report


def _looked_up(options: Options) -> SpecReport:
    from verify.floor.acceptance import criteria_rules, find_waiver
    from verify.floor.check import FloorContext
    from verify.floor.spec import graph_at, spec_rules
    from verify.policies import load_verify_policies
    from verify.spec_graph.gate import mode_of
    from verify.spec_graph.report import Asked, report_on
    from verify.task import find_workspace, load_task
    from verify.terms import STAGE_ALL

    workspace = find_workspace(start_of(options["cwd"], options["root"]))
    policies = load_verify_policies(workspace.root).policies
    context = FloorContext(load_task(workspace, options["task_id"], policies), STAGE_ALL, policies)
    rules = context.once(spec_rules)
    mode = mode_of(os.environ, rules.mode)
    waiver = find_waiver(context.task, context.once(criteria_rules))
    said = f"({waiver.place}): {waiver.reason}" if waiver else None
    graph = graph_at(options["stage"], context, with_evidence=True)
    return report_on(Asked(context.task, options["stage"], mode, said), graph, rules, policies)


def _tell_and_exit(fault: ToolkitError, options: Options) -> NoReturn:
    """2 with the reason, on standard error always: whatever keeps a graph from being built is a configuration fault."""
    if _as_json(options):
        tell_failure(fault, as_json=True)
    tell_failure(fault, as_json=False)
    sys.exit(WRONG_USAGE)


def _as_json(options: Options) -> bool:
    return bool(options["as_json"]) or options["format_name"] == JSON


def _end(report: SpecReport, status: int) -> None:
    for excluded in report.excluded:
        write_note(f"left out: {excluded.path}: {excluded.reason}")
    sys.exit(HOLDS if report.skipped else status)


def _print(lines: Iterable[str]) -> None:
    from toolkit.reporting.visible import visible

    for line in lines:
        write_line(visible(line, _LONGEST_ESCAPE * len(line) + 1))
