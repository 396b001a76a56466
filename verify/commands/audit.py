"""``dr-verify audit``: the logs of earlier verifications, listed, shown, checked."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from toolkit.commands.interface import FAILS, common_options, fails_clearly, write_json, write_line
from verify.commands.options import start_of, workspace_option

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet
    from verify.task import Workspace

F = TypeVar("F", bound=Callable[..., Any])


def _where(command: F) -> F:
    """``--workspace`` and the optional TASK-ID, as all three take them."""
    return click.argument("task_id", required=False, metavar="[TASK-ID]")(workspace_option(command))


@click.group()
def audit() -> None:
    """Look at the audit logs under datarim/qa/."""


@audit.command("list")
@_where
@common_options
@fails_clearly
def list_command(task_id: str | None, workspace: Path | None, cwd: Path, as_json: bool) -> None:
    """Every log, or those of one task: stage, number, verdict, time."""
    from verify.audit.reader import list_logs

    place, policies = _opened(cwd, workspace, task_id)
    logs = list_logs(place, policies, task_id)
    if as_json:
        rows = [
            {
                "finished_at": log.finished_at,
                "iter": log.iter,
                "path": log.path.relative_to(place.root).as_posix(),
                "problem": log.problem,
                "stage": log.stage,
                "task_id": log.task_id,
                "verdict": log.verdict,
            }
            for log in logs
        ]
        write_json("dr-verify.audit/v1", {"logs": rows})
        return
    for log in logs:
        state = log.verdict or ("unreadable" if log.problem else "no verdict")
        when = log.finished_at or "-"
        write_line(f"{log.task_id:20} {log.stage:8} {log.iter:4}  {state:12} {when:20} {log.path.name}")
    if not logs:
        write_line("no logs")


@audit.command("show")
@click.argument("log", metavar="FILE|NAME")
@workspace_option
@common_options
@fails_clearly
def show_command(log: str, workspace: Path | None, cwd: Path, as_json: bool) -> None:
    """One log: the header of FILE, or of the log of that NAME under datarim/qa/."""
    from toolkit.reporting.visible import visible
    from verify.audit.places import log_folder
    from verify.audit.reader import read_log

    place, policies = _opened(cwd, workspace)
    named = log_folder(place) / log
    read = read_log(named if "/" not in log and named.exists() else cwd / log, policies)
    if as_json:
        write_json("dr-verify.audit-log/v1", {"log": dict(read.header), "path": str(read.path), "sealed": read.sealed})
        return
    seal = "its digest holds" if read.sealed else "it carries no digest"
    write_line(f"{read.verdict or 'no verdict'}  {read.task_id} ({read.stage}) run {read.iter}: {seal}")
    for key, value in read.header.items():
        if isinstance(value, (str, int)) or value is None:
            write_line(f"  {key}: {visible(str(value))}")
    for finding in read.findings:
        where = visible(str(finding.record.get("artifact_ref")))
        what = visible(str(finding.record.get("check_name") or finding.record.get("category")))
        write_line(f"  {finding.severity:7} {where}  {what}" + ("  (discarded)" if finding.discarded else ""))


@audit.command("check")
@_where
@common_options
@fails_clearly
def check_command(task_id: str | None, workspace: Path | None, cwd: Path, as_json: bool) -> None:
    """Read every log again: complete, sealed, unwritable, numbered without a gap? Exit 1 if one is not."""
    from verify.audit.checking import check_logs
    from verify.audit.reader import list_logs

    place, policies = _opened(cwd, workspace, task_id)
    problems = check_logs(place, policies, task_id)
    logs = list_logs(place, policies, task_id)
    unsealed = sum(log.sealed is False for log in logs)
    if as_json:
        rows = [
            {"code": one.code, "message": one.message, "path": one.path.relative_to(place.root).as_posix()}
            for one in problems
        ]
        tally = {"logs": len(logs), "ok": not problems, "problems": rows, "without_digest": unsealed}
        write_json("dr-verify.audit-check/v1", tally)
    else:
        for one in problems:
            write_line(f"{one.path.relative_to(place.root).as_posix()}: {one.message} [{one.code}]")
        foreign = f", {unsealed} without a digest (not written by this tool)" if unsealed else ""
        write_line(f"{len(logs)} log(s), {len(problems)} problem(s){foreign}")
    if problems:
        sys.exit(FAILS)


def _opened(cwd: Path, workspace: Path | None, task_id: str | None = None) -> tuple[Workspace, PolicySet]:
    """The workspace and its policies. What is no task id is refused: it has no logs that could be amiss."""
    from verify.artifacts import ArtifactRules
    from verify.policies import load_verify_policies
    from verify.task import find_workspace, require_task_id

    place = find_workspace(start_of(cwd, workspace))
    policies = load_verify_policies(place.root).policies
    if task_id is not None:
        require_task_id(task_id, ArtifactRules.from_policy(policies))
    return place, policies
