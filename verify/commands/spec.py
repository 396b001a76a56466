"""``dr-verify spec``: the spec graph of a task linted, traced, graded, and the gate over it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolkit.commands.interface import (
    FAILS,
    HOLDS,
    common_options,
    fails_clearly,
    write_json,
    write_note,
)
from verify.commands.spec_looks import (
    ALL_STAGES,
    STAGES,
    Options,
    asks_for_a_task,
    end,
    format_option,
    in_contract,
    lints,
    policies_at,
    print_lines,
    print_record,
    report_for,
    root_option,
    tell_and_exit,
)

if TYPE_CHECKING:
    from verify.spec_graph.report import SpecReport

RULES = "rules"
LINTED_STAGES = (*STAGES, ALL_STAGES)


@click.group()
def spec() -> None:
    """Look at the graph of wishes, criteria, requirements and steps of a task.

    Exit status: 0 it holds or only advises, 1 it does not, 2 the graph can't be built (the reason is told).
    """


@spec.command()
@lints
@asks_for_a_task(stages=LINTED_STAGES)
@fails_clearly
def lint(**options: Any) -> None:
    """One line a finding: its severity, its rule, the place. Exit 1 if there is any."""
    from verify.spec_graph.contract import finding_records
    from verify.spec_graph.output import findings_of, head_of, lint_lines

    report = _linted(options)
    if options["as_json"]:
        write_json("dr-verify.spec-lint/v1", {**head_of(report), "findings": findings_of(report)})
    elif in_contract(options):
        for record in finding_records(report):
            print_record(record)
    else:
        print_lines(lint_lines(report, detailed=options["report"]))
    end(report, FAILS if report.faults else HOLDS, options)


@spec.command()
@click.option("--strict", is_flag=True, help="Exit 1 if anything is uncovered or dangling.")
@asks_for_a_task(stages=LINTED_STAGES)
@fails_clearly
def trace(**options: Any) -> None:
    """Which requirements are covered, uncovered, dangling or put off."""
    from verify.spec_graph.contract import trace_record
    from verify.spec_graph.output import head_of, trace_lines

    report = report_for(options, tells=lambda _: True)
    if options["as_json"]:
        write_json("dr-verify.spec-trace/v1", {**head_of(report), "trace": report.trace.to_json()})
    elif in_contract(options):
        print_record(trace_record(report))
    else:
        print_lines(trace_lines(report))
    open_ends = report.trace.uncovered or report.trace.dangling
    end(report, FAILS if options["strict"] and open_ends else HOLDS, options)


@spec.command()
@click.option(
    "--findings",
    metavar="FILE",
    help="Grade the findings that spec lint --format json printed into a file (-: standard input) instead of a task.",
)
@asks_for_a_task(required=False, stages=LINTED_STAGES)
@fails_clearly
def grade(**options: Any) -> None:
    """One letter: A for nothing found, down to F. Of a task, or of findings that were told before."""
    from verify.spec_graph.contract import task_grade_record
    from verify.spec_graph.output import counts_of, grade_lines, head_of

    if options["findings"] is not None and options["task_id"] is not None:
        raise click.UsageError("give --task or --findings, and not both")
    if options["findings"] is not None:
        _grade_told(options)
        return
    if options["task_id"] is None:
        raise click.UsageError("give --task or --findings")
    report = report_for(options)
    if options["as_json"]:
        write_json("dr-verify.spec-grade/v1", {**head_of(report), **counts_of(report), "grade": report.grade})
    elif in_contract(options):
        print_record(task_grade_record(report))
    else:
        print_lines(grade_lines(report))
    end(report, HOLDS, options)


@spec.command()
@click.argument("what", type=click.Choice([RULES]), required=False, metavar="[rules]")
@lints
@asks_for_a_task(required=False, stages=LINTED_STAGES)
@fails_clearly
def check(**options: Any) -> None:
    """lint, trace and grade in one. Exit 1 if lint finds anything. With "rules": list the rules instead."""
    from verify.spec_graph.contract import check_record
    from verify.spec_graph.output import counts_of, findings_of, grade_lines, head_of, lint_lines, trace_lines

    if options["what"] == RULES:
        _list_rules(options)
        return
    if options["task_id"] is None:
        raise click.UsageError("give --task, or ask for the rules")
    report = _linted(options)
    if options["as_json"]:
        found = {"findings": findings_of(report), "trace": report.trace.to_json(), "grade": report.grade}
        write_json("dr-verify.spec-check/v1", {**head_of(report), **counts_of(report), **found})
    elif in_contract(options):
        print_record(check_record(report))
    else:
        detailed = lint_lines(report, detailed=options["report"])
        print_lines([*detailed, *trace_lines(report), *grade_lines(report)])
    end(report, FAILS if report.faults else HOLDS, options)


@spec.command()
@asks_for_a_task()
@fails_clearly
def gate(**options: Any) -> None:
    """Decide whether a stage may be left: it blocks in hard mode (DATARIM_SPEC_GRAPH_MODE) alone, on an error."""
    from verify.spec_graph.contract import gate_record
    from verify.spec_graph.output import gate_document, grade_lines, lint_lines

    report = report_for(options)
    if options["as_json"]:
        write_json("dr-verify.spec-gate/v1", gate_document(report))
    elif in_contract(options):
        print_record(gate_record(report), compact=True)
    else:
        situation = report.situation
        decided = f"decision: {report.decision} ({situation.stage}, {situation.complexity}, mode {situation.mode})"
        print_lines([*lint_lines(report), *grade_lines(report), decided])
    end(report, report.exit, options)


@spec.command(RULES)
@root_option
@format_option
@common_options
@fails_clearly
def list_rules(**options: Any) -> None:
    """List the rules of the graph: how grave each is, whether it may be ignored, at which levels it is due."""
    _list_rules(options)


def _linted(options: Options) -> SpecReport:
    """The report of a command that tells faults; it tells those of the documents that are there, if there are any."""
    report = report_for(options, tells=lambda report: bool(report.faults))
    if options["dry_run"]:
        counted = f"{len(report.faults)} finding(s) not told"
        write_note(f"dry run: the graph of {report.task_id} was built ({report.situation.complexity}), {counted}")
        sys.exit(HOLDS)
    return report


def _list_rules(options: Options) -> None:
    from verify.criteria import CriteriaRules
    from verify.spec_graph.contract import rule_records
    from verify.spec_graph.output import rule_lines
    from verify.spec_graph.rules import SpecRules

    policies = policies_at(options)
    rules = SpecRules.from_policy(policies, CriteriaRules.from_policy(policies))
    if options["as_json"]:
        write_json("dr-verify.spec-rules/v1", {"rules": rule_records(rules)})
    elif in_contract(options):
        print_record({"rules": rule_records(rules)})
    else:
        print_lines(rule_lines(rules))


def _grade_told(options: Options) -> None:
    from toolkit.errors import ToolkitError
    from verify.spec_graph.contract import grade_record
    from verify.spec_graph.grade import grade_of
    from verify.spec_graph.told import read_told, tally_of

    name = options["findings"]
    try:
        policies = policies_at(options)
        counted = tally_of(read_told(name, options["cwd"], policies), Path(name).name)
    except ToolkitError as fault:
        tell_and_exit(fault, options)
    record = grade_record(grade_of(counted, policies), counted, f"file:{Path(name).name}")
    if options["as_json"]:
        write_json("dr-verify.spec-grade-told/v1", record)
    elif in_contract(options):
        print_record(record)
    else:
        print_lines([f"grade: {record['grade']} (errors: {counted.errors}, warnings: {counted.warnings})"])
