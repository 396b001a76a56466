"""What the ``dr-verify spec`` commands share: their options, the look at a task's graph, and how they print and end."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from toolkit.commands.interface import HOLDS, WRONG_USAGE, common_options, tell_failure, write_line, write_note
from verify.commands.options import PLACE, start_of

if TYPE_CHECKING:
    from toolkit.errors import ToolkitError
    from toolkit.policy.sets import PolicySet
    from verify.floor.check import FloorContext
    from verify.spec_graph.report import SpecReport
    from verify.spec_graph.rules import SpecRules
    from verify.task import Task, Workspace

F = TypeVar("F", bound=Callable[..., Any])
Options = Mapping[str, Any]

STAGES = ("prd", "plan", "do", "qa", "compliance", "verify")
ALL_STAGES = "all"
TEXT, JSON = "text", "json"
EVERYTHING, GIT_DIFF = "all", "git-diff"
_LONGEST_ESCAPE = 10  # characters that one of a line may be spelled with


def format_option(command: F) -> F:
    """``--format``, beside the ``--json`` of every command."""
    return click.option(
        "--format",
        "format_name",
        type=click.Choice((TEXT, JSON)),
        default=TEXT,
        show_default=True,
        help="json: what Datarim's own tool prints; another document than that of --json.",
    )(command)


def root_option(command: F) -> F:
    """``--root``."""
    return click.option(
        "--root",
        type=PLACE,
        help="A directory at or below the one that holds datarim/ (default: the current directory).",
    )(command)


def asks_for_a_task(*, required: bool = True, stages: tuple[str, ...] = STAGES) -> Callable[[F], F]:
    """``--task``, ``--stage``, ``--root`` and ``--format``."""

    def decorate(command: F) -> F:
        staged = click.option("--stage", type=click.Choice(stages), default=STAGES[-1], show_default=True)
        named = click.option("--task", "task_id", required=required, metavar="ID", help="The task's id.")
        return named(staged(root_option(format_option(common_options(command)))))

    return decorate


def lints(command: F) -> F:
    """The options of the commands that tell faults."""
    for option in (
        click.option("--report", is_flag=True, help="Show the line at fault and the fix below each finding."),
        click.option(
            "--scope",
            type=click.Choice((EVERYTHING, GIT_DIFF)),
            default=EVERYTHING,
            show_default=True,
            help="git-diff: only faults in documents that differ from the commit HEAD.",
        ),
        click.option("--dry-run", is_flag=True, help="Build the graph, tell no finding, exit 0."),
        click.option("--advisory", is_flag=True, help="Exit 0 whatever is found."),
        click.option("--ignore", metavar="A,B", help="Rules to leave out; a mandatory one can't be (exit 2)."),
        click.option("--rules", metavar="A,B", help="The only rules to judge by (see dr-verify spec rules)."),
    ):
        command = option(command)
    return command


def report_for(options: Options, *, tells: Callable[[SpecReport], bool] = lambda _: False) -> SpecReport:
    """What there is to say. Ends the program with 2 and the reason where the graph can't be built or judged.

    ``tells`` answers whether a command has something to say although a document that is due is missing.
    """
    from toolkit.errors import ToolkitError

    try:
        report = _looked_up(options)
    except ToolkitError as fault:
        tell_and_exit(fault, options)
    if report.unjudged is not None and not tells(report):
        tell_and_exit(report.unjudged, options)
    return report


def tell_and_exit(fault: ToolkitError, options: Options) -> NoReturn:
    """2 with the reason, on standard error always: whatever keeps a graph from being built is a configuration fault."""
    if options["as_json"]:
        tell_failure(fault, as_json=True)
    tell_failure(fault, as_json=False)
    sys.exit(WRONG_USAGE)


def in_contract(options: Options) -> bool:
    """Whether the shapes of Datarim's own tools were asked for."""
    return bool(options["format_name"] == JSON and not options["as_json"])


def end(report: SpecReport, status: int, options: Options) -> NoReturn:
    """Say what was left out, where no machine reads along, and end."""
    for excluded in () if in_contract(options) else report.excluded:
        write_note(f"left out: {excluded.path}: {excluded.reason}")
    sys.exit(HOLDS if report.skipped or options.get("advisory") else status)


def print_lines(lines: Iterable[str]) -> None:
    """Lines that hold words of documents, safe to print."""
    from toolkit.reporting.visible import visible

    for line in lines:
        write_line(visible(line, _LONGEST_ESCAPE * len(line) + 1))


def print_record(record: Mapping[str, object], *, compact: bool = False) -> None:
    """One JSON value on one line."""
    from toolkit.reporting.json_output import line

    write_line(line(record, compact=compact))


def policies_at(options: Options) -> PolicySet:
    """The policies in force where a command was started; the shipped ones outside of a workspace."""
    from verify.policies import load_verify_policies
    from verify.workspace import workspace_at

    workspace = workspace_at(start_of(options["cwd"], options["root"], "--root"))
    return load_verify_policies(workspace.root if workspace else None).policies


def _looked_up(options: Options) -> SpecReport:
    from verify.floor.acceptance import find_waiver
    from verify.floor.check import FloorContext
    from verify.floor.spec import graph_at, spec_rules
    from verify.policies import load_verify_policies
    from verify.spec_graph.gate import mode_of
    from verify.spec_graph.report import Asked, report_on
    from verify.task import find_workspace
    from verify.terms import STAGE_ALL

    workspace = find_workspace(start_of(options["cwd"], options["root"], "--root"))
    policies = load_verify_policies(workspace.root).policies
    context = FloorContext(_task(workspace, options["task_id"], policies), STAGE_ALL, policies)
    rules = context.once(spec_rules)
    mode = mode_of(os.environ, rules.mode)
    waiver = find_waiver(context.task, context.task.criteria)
    said = f"({waiver.place}): {waiver.reason}" if waiver else None
    stage = STAGES[-1] if options["stage"] == ALL_STAGES else options["stage"]
    asked = Asked(context.task, stage, mode, said, _rules(options, rules), _documents(options, context))
    return report_on(asked, graph_at(stage, context, with_evidence=True), rules, policies)


def _task(workspace: Workspace, task_id: str, policies: PolicySet) -> Task:
    """The task. Of one of which nothing stands in the workspace, it is the PRD that the graph lacks."""
    from verify.errors import WorkspaceError
    from verify.task import NOT_FOUND, load_task

    try:
        return load_task(workspace, task_id, policies)
    except WorkspaceError as fault:
        if fault.code != NOT_FOUND:
            raise
        message = f"required PRD missing for {task_id}: {fault.message}"
        raise WorkspaceError(fault.code, message, place=fault.place, next_step=fault.next_step) from fault


def _rules(options: Options, rules: SpecRules) -> frozenset[str] | None:
    from verify.spec_graph.selection import selected

    named, ignored = options.get("rules"), options.get("ignore")
    return None if named is None and ignored is None else selected(rules, named, ignored)


def _documents(options: Options, context: FloorContext) -> frozenset[str] | None:
    from verify.history.edited import edited
    from verify.history.rules import HistoryRules

    if options.get("scope", EVERYTHING) == EVERYTHING:
        return None
    task = context.task
    return edited(task.own, task.workspace.root, HistoryRules.from_policy(context.policies))
