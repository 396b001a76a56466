"""``dr-verify TASK-ID``: the whole verification, one verdict."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toolkit.commands.interface import HOLDS, common_options, fails_clearly, write_line
from toolkit.reporting.formats import NAMES, renderer
from verify.commands.options import PLACE, Silent, Told, directory_of, start_of, workspace_options

if TYPE_CHECKING:
    from verify.verification import Request

JSON = "json"


@click.command("task")
@click.argument("task_id", metavar="TASK-ID")
@workspace_options
@click.option("--floor-only", is_flag=True, help="Stop after the deterministic floor: no model is asked.")
@click.option("--external-verifier", metavar="PASS|FAIL", help="What a verifier outside said; FAIL blocks.")
@click.option("--max-iter", type=click.IntRange(min=1), help="Passes of the loop at most (default: verify.limits).")
@click.option("--fail-on", metavar="SEVERITY", help="Exit 1 from this severity on (default: the gravest).")
@click.option("--baseline", type=PLACE, help="An earlier report (JSON): only new findings count.")
@click.option("--format", "format_name", type=click.Choice(NAMES), default=NAMES[0], show_default=True)
@click.option("--output", type=PLACE, help="Write the report to this file.")
@click.option("--no-write", is_flag=True, help="Write no audit log.")
@common_options
@fails_clearly
def verify_task(
    *,
    task_id: str,
    stage: str,
    workspace: Path | None,
    framework_root: Path | None,
    commits: str | None,
    policy_from: str | None,
    no_commands: bool,
    floor_only: bool,
    external_verifier: str | None,
    max_iter: int | None,
    fail_on: str | None,
    baseline: Path | None,
    format_name: str,
    output: Path | None,
    no_write: bool,
    cwd: Path,
    as_json: bool,
) -> None:
    """Verify one task and print the verdict with its findings.

    It does not replace the single-agent QA review (/dr-qa). Verify when no /dr-prd, /dr-plan or /dr-do session is at
    work on the task. Findings that .dr/waivers.yaml covers are shown and not counted.

    Runs the commands that this repository's .dr/policies declare, as make would; --no-commands leaves them out.
    """
    from verify.verification import Request

    request = Request(
        task_id=task_id,
        stage=stage,
        start=start_of(cwd, workspace),
        framework_root=directory_of(cwd, framework_root, "--framework-root"),
        floor_only=floor_only,
        external_verifier=external_verifier,
        max_iter=max_iter,
        fail_on=fail_on,
        run_commands=not no_commands,
        write=not no_write,
        commits=commits,
        policy_from=policy_from,
        baseline=(cwd / baseline).absolute() if baseline is not None else None,
    )
    sys.exit(_verified(request, cwd / output if output is not None else None, JSON if as_json else format_name))


def _verified(request: Request, output: Path | None, format_name: str) -> int:
    """Run a verification and give its report to standard output or to a file; the exit status of the run."""
    from verify.pipeline import verify
    from verify.reporting import report_of
    from verify.writing import report_target, write_report

    target = report_target(output, request) if output is not None else None
    run = verify(request, Told() if sys.stderr.isatty() else Silent())
    text = renderer(format_name, colour=target is None and _colour())(report_of(run))
    if target is not None:
        write_report(target, text)
    else:
        write_line(text.rstrip("\n"))
    return run.judgment.exit if run.judgment else HOLDS


def _colour() -> bool:
    """Colour only on a terminal, unless the user's environment says otherwise (NO_COLOR, CLICOLOR)."""
    if os.environ.get("NO_COLOR") or os.environ.get("CLICOLOR") == "0":
        return False
    terminal = sys.stdout is not None and sys.stdout.isatty()
    return terminal or os.environ.get("CLICOLOR_FORCE", "0") != "0"
