"""``dr-verify floor``: the deterministic floor alone, in the reference's own contract."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from toolkit.commands.interface import common_options, fails_clearly, write_line, write_note
from verify.commands.options import Told, directory_of, start_of, workspace_options


@click.command()
@click.option("--task", "task_id", required=True, metavar="ID", help="The task's id.")
@workspace_options
@common_options
@fails_clearly
def floor(
    *,
    task_id: str,
    stage: str,
    workspace: Path | None,
    framework_root: Path | None,
    commits: str | None,
    policy_from: str | None,
    no_commands: bool,
    cwd: Path,
    as_json: bool,  # noqa: ARG001 - what this command prints is JSON already
) -> None:
    """Run layer 1 alone: one finding a line on standard output (JSON Lines), progress on standard error.

    Every finding is told as it is: waivers and baselines belong to the verification (dr-verify TASK-ID).

    Exit status: the number of high findings, at most 250; 2 for wrong usage, with nothing on standard output.
    """
    from toolkit.reporting.json_output import line
    from verify.pipeline import run_floor_alone
    from verify.verification import Request

    request = Request(
        task_id=task_id,
        stage=stage,
        start=start_of(cwd, workspace),
        framework_root=directory_of(cwd, framework_root, "--framework-root"),
        floor_only=True,
        run_commands=not no_commands,
        write=False,
        commits=commits,
        policy_from=policy_from,
    )
    result = run_floor_alone(request, Told())
    for admitted in result.findings:
        write_line(line(admitted.finding.to_json()))
    write_note(f"[summary] findings={len(result.findings)} high_severity={result.grave}")
    sys.exit(min(result.grave, result.exit_cap))
