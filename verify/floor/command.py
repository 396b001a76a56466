"""The check ``command``: a command that a team declares itself; an unexpected exit status is a finding."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from toolkit.errors import ProcessError
from toolkit.reporting.visible import shows
from verify.evidence import FindingLimits, clip
from verify.findings import Evidence, Finding
from verify.floor.check import CheckEntry, CheckResult, FloorContext
from verify.floor.telling import finding, limits_of
from verify.task import TASK_DESCRIPTION
from verify.terms import COULD_NOT_RUN, RAN, TEST_OUTPUT

if TYPE_CHECKING:
    from toolkit.processes.process import Completed

LIMITS: Final = "verify.limits"
TASK_VARIABLE: Final = "DR_TASK_ID"
STAGE_VARIABLE: Final = "DR_STAGE"


class CommandRules(NamedTuple):
    """What is run and what it must answer; from the parameters of the check's entry and from ``verify.limits``."""

    argv: tuple[str, ...]
    expected_exit: tuple[int, ...]
    timeout_ms: int
    output_limit: int
    artifact: str | None

    @classmethod
    def from_policy(cls, parameters: Mapping[str, object], limits: Mapping[str, object]) -> CommandRules:
        """The rules of one entry (the policies' shapes prove the types)."""
        return cls(
            argv=tuple(cast("Sequence[str]", parameters["argv"])),
            expected_exit=tuple(cast("Sequence[int]", parameters.get("expected_exit", (0,)))),
            timeout_ms=cast(int, parameters.get("timeout_ms", limits["command_timeout_ms"])),
            output_limit=cast(int, limits["command_output_limit"]),
            artifact=cast("str | None", parameters.get("artifact")),
        )


def command(entry: CheckEntry, context: FloorContext) -> CheckResult:
    """Run the command in the workspace's root; no finding when it ends as expected."""
    if not context.run_commands:
        return CheckResult(COULD_NOT_RUN, "switched off by --no-commands")
    rules = CommandRules.from_policy(entry.parameters, cast("Mapping[str, object]", context.policies.data(LIMITS)))
    try:
        completed = _run(rules, context)
    except ProcessError as error:
        return CheckResult(COULD_NOT_RUN, error.message)
    if completed.timed_out:
        return CheckResult(COULD_NOT_RUN, f"no end within {rules.timeout_ms} ms")
    if completed.exit_code is None:
        return CheckResult(COULD_NOT_RUN, completed.ending)
    detail = f"{completed.ending} after {completed.duration_ms} ms"
    if completed.exit_code in rules.expected_exit:
        return CheckResult(RAN, detail)
    return CheckResult(RAN, detail, (_finding(entry, context, rules, completed),))


def _run(rules: CommandRules, context: FloorContext) -> Completed:
    """The command's end; its two streams as one, in the order of writing, of which the end is kept."""
    from toolkit.processes.process import Keep, run, scrubbed

    root = context.task.workspace.root
    own = {TASK_VARIABLE: context.task.id, STAGE_VARIABLE: context.stage}
    return run(
        [_program(rules.argv[0], root), *rules.argv[1:]],
        cwd=root,
        env=scrubbed(os.environ) | own,
        timeout_ms=rules.timeout_ms,
        output_limit=rules.output_limit,
        keep=Keep.LAST,
        merge=True,
    )


def _program(name: str, root: Path) -> str:
    """A relative path below the workspace as an absolute one; other names as they are.

    A link is not resolved: the python of a virtual environment is one, and has to be called by its own name.
    """
    if "/" not in name or Path(name).is_absolute():
        return name
    path = Path(os.path.normpath(root / name))
    if not path.is_relative_to(root):
        raise ProcessError(
            "program_outside_workspace",
            f"{name!r} leads out of the workspace",
            place=name,
            next_step="name a program of the workspace, an absolute path, or a name on PATH",
        )
    return str(path)


def _finding(entry: CheckEntry, context: FloorContext, rules: CommandRules, completed: Completed) -> Finding:
    name = f"{entry.uses}:{entry.id}"
    expected = " or ".join(map(str, rules.expected_exit))
    said = last_words(completed.stdout.decode("utf-8", "replace"), context.once(limits_of))
    artifact = rules.artifact or next((own.path for own in context.task.own), context.task.place_of(TASK_DESCRIPTION))
    fix = f"`{shlex.join(rules.argv)}` must exit {expected}; it exits {completed.exit_code}"
    evidence = Evidence(TEST_OUTPUT, name, said or f"{completed.ending}, no output")
    return finding(entry, context, f"{artifact}:1", evidence, fix, check_name=name)


def last_words(output: str, limits: FindingLimits) -> str:
    """The last lines of ``output`` that are not blank, as many whole ones as an excerpt holds (one at least, cut).

    Terminal sequences and control characters are left out: they would hide or move what a reader sees.
    """
    lines = [line.rstrip() for line in _without_controls(output).splitlines() if line.strip()]
    text = ""
    for line in reversed(lines):
        longer = f"{line}\n{text}" if text else line
        if text and len(longer) > limits.excerpt_max:
            break
        text = longer
    return clip(text, limits.excerpt_max, limits.excerpt_suffix)


def _without_controls(text: str) -> str:
    """``text`` without escape sequences, and of the control characters with tabs and line ends alone."""
    plain = re.sub(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]", "", text)
    kept = {character for character in set(plain) if shows(character) or character in "\t\n\r"}
    return "".join(character for character in plain if character in kept)
