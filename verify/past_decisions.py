"""What the audit logs say of past decisions: the provider of this verifier for ``dr-policy replay``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from toolkit.authoring.past import Origin, Past, PastDecision, PastProblem, Unreadable, read_decision
from toolkit.errors import StorageError
from verify.audit.places import log_folder, names_in
from verify.audit.reader import read_log
from verify.audit.record import DECISIONS, LEFT_OUT, AuditLog
from verify.workspace import Workspace, workspace_at

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet

SUFFIX: Final = ".md"
MAX_PROBLEMS: Final = 100  # of one log that are told
_STEP: Final = "put the original back from version control or a backup"


def past_decisions(start: Path, named: Path | None, policies: PolicySet) -> Past | None:
    """The decisions of all logs of the workspace around ``start``, or of the log or folder ``named``.

    A folder is one that holds logs, a workspace's root, or its ``datarim``. Null where that is no workspace, folder or
    log. Logs are read strictly; each that can't be read is a problem. Logs of earlier releases and of other tools hold
    no decisions, and are counted as empty. Raises ``ToolkitError`` where a folder can't be listed.
    """
    if named is None:
        workspace = workspace_at(start)
        return None if workspace is None else _of_workspace(workspace, workspace.root, policies)
    place = start / named
    if not place.is_dir():
        is_log = place.suffix == SUFFIX and place.is_file()
        return _of_logs([(place, str(named))], policies) if is_log else None
    held = _in_folder(place, str(named))
    if held:
        return _of_logs(held, policies)
    workspace = workspace_at(place)
    if workspace is None or place.resolve() not in (workspace.root, workspace.datarim, log_folder(workspace).resolve()):
        return None
    return _of_workspace(workspace, start.resolve(), policies)


def _of_workspace(workspace: Workspace, base: Path, policies: PolicySet) -> Past:
    """The logs are named relative to ``base`` where they lie in it."""
    folder = log_folder(workspace)
    shown = folder.relative_to(base) if folder.is_relative_to(base) else folder
    return _of_logs(_in_folder(folder, shown.as_posix()), policies)


def _in_folder(folder: Path, shown: str) -> list[tuple[Path, str]]:
    names = (name.file_name for name in sorted(names_in(folder)))
    return [(folder / name, (Path(shown) / name).as_posix()) for name in names]


def _of_logs(logs: Iterable[tuple[Path, str]], policies: PolicySet) -> Past:
    past: list[PastDecision] = []
    problems: list[PastProblem] = []
    empty: list[str] = []
    records = 0
    for path, shown in logs:
        records += 1
        try:
            found = _of_log(read_log(path, policies), shown)
        except StorageError as fault:
            problems.append(PastProblem(fault.code, fault.message, shown, fault.next_step))
            continue
        past += found.decisions
        problems += found.problems
        empty += found.empty
    return Past(tuple(past), tuple(problems), records, tuple(empty))


def _of_log(log: AuditLog, shown: str) -> Past:
    """What one log holds; of entries that are no decisions it is told, and the others are taken."""
    entries = log.header.get(DECISIONS)
    if entries is None:
        return Past(empty=(shown,))
    if not log.sealed:  # only this tool keeps decisions, and it seals them
        message = f"{log.path.name} holds decisions and has no digest: nobody can tell who wrote them"
        return Past(problems=(PastProblem("log_not_sealed", message, shown, _STEP),))
    if not isinstance(entries, list):
        message = f"{DECISIONS} of {log.path.name} are no list"
        return Past(problems=(PastProblem("log_unreadable", message, shown, _STEP),))
    found: list[PastDecision] = []
    problems = list(_left_out(log, shown))
    origin, at = Origin(shown, record=_text(log.header.get("run_id"))), _text(log.header.get("finished_at"))
    for number, entry in enumerate(entries, start=1):
        if len(problems) > MAX_PROBLEMS:
            problems.append(PastProblem("too_many_problems", f"the rest of {log.path.name} was not read", shown, _STEP))
            break
        try:
            found.append(read_decision(entry, origin, at))
        except Unreadable as fault:
            message = f"the decision {number} of {log.path.name} is none: {fault}"
            problems.append(PastProblem("decision_invalid", message, shown, _STEP))
    return Past(tuple(found), tuple(problems), empty=() if entries else (shown,))


def _left_out(log: AuditLog, shown: str) -> Iterator[PastProblem]:
    count = log.header.get(LEFT_OUT, 0)
    if type(count) is not int or count:
        step = "raise decisions_max in verify.log, so that later logs hold them"
        told = count if type(count) is int else "some"
        message = f"{told} decisions of that run were left out of {log.path.name}"
        yield PastProblem("decisions_left_out", message, shown, step)


def _text(value: Any) -> str | None:
    """A short text of a header, for telling logs apart; anything else is none."""
    return value[:100] if isinstance(value, str) and value else None
