"""Findings that were told before, read back from JSON Lines to be graded."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from toolkit.errors import StorageError
from toolkit.reporting.visible import visible
from toolkit.storage.files import read_bounded
from toolkit.storage.strict_json import loads
from verify.errors import WorkspaceError
from verify.spec_graph.grade import Tally
from verify.spec_graph.rules import ERROR, INFO, WARNING

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet

STANDARD_INPUT: Final = "-"
FINDINGS_FAULT: Final = "invalid_findings"
_SHOWN: Final = 60


def read_told(name: str, start: Path, policies: PolicySet) -> bytes:
    """What stands in a file (a path from ``start`` on), or in standard input for ``-``.

    Raises ``StorageError`` as ``read_bounded`` does.
    """
    limit = cast("int", policies.data("verify.limits")["log_max_bytes"])
    if name != STANDARD_INPUT:
        return read_bounded(start / name, limit)
    if sys.stdin is None:
        message = "standard input is closed, and nothing that was read is not nothing that was found"
        raise StorageError(
            "not_readable", message, place="standard input", next_step="give a file, or pipe findings in"
        )
    data = sys.stdin.buffer.read(limit + 1)
    if len(data) > limit:
        message = f"standard input is longer than {limit} bytes"
        raise StorageError("too_large", message, place="standard input", next_step="give fewer findings")
    return data


def tally_of(data: bytes, place: str) -> Tally:
    """The findings of a text counted: one JSON object a line with its ``severity``, blank lines apart.

    ``place`` is what a message calls the text. Raises ``WorkspaceError`` (``invalid_findings``) for a line that is no
    finding of the graph: what can't be counted must not raise the grade.
    """
    numbered = enumerate(data.splitlines(), 1)
    severities = [_severity(line, f"{place}:{number}") for number, line in numbered if line.strip()]
    return Tally(severities.count(ERROR), severities.count(WARNING), len(severities))


def _severity(line: bytes, place: str) -> str:
    try:
        record = loads(line)
    except (ValueError, RecursionError) as fault:
        raise _refused(f"this line is no JSON: {visible(str(fault), _SHOWN)}", place) from None
    said = record.get("severity") if isinstance(record, Mapping) else None
    if said not in (ERROR, WARNING, INFO):
        shown = visible(repr(said), _SHOWN)
        raise _refused(f"the severity is {shown}, and has to be {ERROR}, {WARNING} or {INFO}", place)
    return str(said)


def _refused(message: str, place: str) -> WorkspaceError:
    step = "give what `dr-verify spec lint --format json` printed"
    return WorkspaceError(FINDINGS_FAULT, message, place=place, next_step=step)
