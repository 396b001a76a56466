"""What one run of shellcheck answered: its comments by file, or why the run is no answer."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeGuard

if TYPE_CHECKING:
    from toolkit.processes.process import Completed

# The exit statuses of shellcheck, as its manual gives them. A shell that ran it adds 128 to the number of a signal.
CLEAN: Final = 0
COMMENTED: Final = 1
FILE_FAULT: Final = 2
SIGNALLED: Final = 128
REASON_MAX: Final = 200


class Comment(NamedTuple):
    """One comment on one script. ``line`` and ``column`` count from 1; ``level`` is of ``verify.shellcheck-level``."""

    line: int
    column: int
    level: str
    code: int
    message: str


class Failure(NamedTuple):
    """Why a run is no answer. ``divisible`` says that one of its files may be at fault, so fewer may succeed."""

    reason: str
    divisible: bool


Answer = dict[str, tuple[Comment, ...]]


def read_answer(completed: Completed, names: Collection[str], levels: Collection[str]) -> Answer | Failure:
    """The comments on each of ``names``, in their order; or the failure, which never looks like an answer.

    An answer is what a run printed whole, as JSON (``json`` or ``json1``), about these files alone, with an exit
    status that agrees with it.
    """
    failure = _ending(completed)
    if failure is not None:
        return failure
    try:
        document = json.loads(completed.stdout)
    except (ValueError, RecursionError):
        return Failure("printed no valid JSON", divisible=True)
    comments = document.get("comments") if isinstance(document, dict) else document
    if not isinstance(comments, list):
        return Failure("printed JSON without comments", divisible=True)
    if (completed.exit_code == COMMENTED) != bool(comments):
        return Failure(f"{completed.ending} with {len(comments)} comments", divisible=True)
    return _by_name(comments, names, levels)


def to_json(comments: Iterable[Comment]) -> list[list[object]]:
    """``comments`` as JSON, to be kept."""
    return [[each.line, each.column, each.level, each.code, each.message] for each in comments]


def from_json(value: list[list[Any]]) -> tuple[Comment, ...]:
    """The comments that ``to_json`` wrote."""
    return tuple(Comment(*fields) for fields in value)


def _ending(completed: Completed) -> Failure | None:
    code = completed.exit_code
    if completed.timed_out:
        return Failure(f"no answer within {completed.duration_ms} ms", divisible=True)
    if code is None:
        return Failure(completed.ending, divisible=True)
    if code not in (CLEAN, COMMENTED):
        said = " ".join(completed.stderr.decode("utf-8", "replace").split())
        reason = f"{completed.ending}: {said}" if said else completed.ending
        return Failure(reason[:REASON_MAX], divisible=code == FILE_FAULT or code > SIGNALLED)
    if completed.stdout_truncated:
        return Failure(f"printed more than {len(completed.stdout)} bytes", divisible=True)
    return None


def _by_name(comments: list[Any], names: Collection[str], levels: Collection[str]) -> Answer | Failure:
    found: dict[str, list[Comment]] = {name: [] for name in names}
    for item in comments:
        comment = _comment(item, levels)
        name = item.get("file") if comment else None
        if comment is None or name not in found:
            return Failure("printed a comment that can't be understood", divisible=True)
        found[name].append(comment)
    return {name: tuple(sorted(on_file, key=_place)) for name, on_file in found.items()}


def _place(comment: Comment) -> tuple[int, int, int, str]:
    return comment.line, comment.column, comment.code, comment.message


def _comment(item: object, levels: Collection[str]) -> Comment | None:
    if not isinstance(item, Mapping):
        return None
    line, column, code, level, message = (item.get(key) for key in ("line", "column", "code", "level", "message"))
    if not (_is_count(line) and _is_count(column) and _is_count(code)):
        return None
    if not (isinstance(level, str) and level in levels and isinstance(message, str)):
        return None
    return Comment(line, column, level, code, message)


def _is_count(value: object) -> TypeGuard[int]:
    return type(value) is int and value >= 0
