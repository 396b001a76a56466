"""What an audit log says: the record of a run before it is written, and the same when it is read back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from verify.baseline import Compared
from verify.decisions import Decided
from verify.findings import Admitted, Malformed
from verify.merging import FindingKey
from verify.waivers.applying import NO_WAIVERS, Waived, WaiverTally

SCHEMA: Final = "dr-verify.log/v1"
WAIVED: Final = "waived_findings"
KNOWN: Final = "known_findings"
DECISIONS: Final = "decisions"
LEFT_OUT: Final = "decisions_left_out"


class CheckLine(NamedTuple):
    """What became of one floor check. ``status`` is a term of ``verify.check-status``."""

    check_name: str
    status: str
    detail: str


class LayerLine(NamedTuple):
    """What became of one layer. ``status`` is a term of ``verify.layer-status``."""

    layer: str
    status: str
    reason: str


class RawOutput(NamedTuple):
    """What a reviewer printed, as it came. ``role`` is a term of ``verify.agent-origin``, ``iteration`` the pass."""

    source_layer: str
    role: str
    iteration: int
    text: str


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """One run. ``iter`` is given by the writer; what a caller puts there is ignored.

    ``verdict`` is null for a run that was skipped, ``cost_consumed_tokens`` where nobody knows. Times are RFC 3339 in
    UTC. ``artifacts`` maps workspace-relative POSIX paths to the digests (``sha256:<hex>``) of what was read.
    ``passes`` counts the passes of the loop that this one log holds. ``findings`` are admitted and merged; what a
    waiver covers or the baseline knows is not among them. ``commits`` are full object ids. ``decisions`` are what the
    tables were asked, the most telling first; how many of them are left out, the writer says.
    """

    task_id: str
    stage: str
    runtime: str
    max_iter: int
    started_at: str
    finished_at: str
    verdict: str | None
    verified: bool
    exit: int
    exit_reason: str | None
    policy_digest: str
    tool_version: str
    run_id: str
    iter: int = 0
    passes: int = 1
    cost_consumed_tokens: int | None = None
    source_layer_breakdown: Mapping[str, int] = field(default_factory=dict)
    roots: tuple[str, ...] = ()
    checks: tuple[CheckLine, ...] = ()
    layers: tuple[LayerLine, ...] = ()
    findings: tuple[Admitted, ...] = ()
    waived: tuple[Waived, ...] = ()
    waivers: WaiverTally = NO_WAIVERS
    compared: Compared | None = None
    commits: tuple[str, ...] = ()
    commits_from: str | None = None
    malformed: tuple[Malformed, ...] = ()
    raw_outputs: tuple[RawOutput, ...] = ()
    artifacts: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    decided_by: Mapping[str, str] = field(default_factory=dict)
    decisions: tuple[Decided, ...] = ()
    decisions_left_out: int = 0


class LoggedFinding(NamedTuple):
    """A finding as it stands in a log. ``layers`` are those that reported it; ``record`` is the whole entry."""

    key: FindingKey
    finding_id: str
    source_layer: str
    layers: frozenset[str]
    severity: str
    discarded: bool
    record: Mapping[str, Any]


class AuditLog(NamedTuple):
    """A log that was read back. ``header`` is the whole front matter, keys in their order.

    ``sealed`` says that the log ends in the digest of its content, and that this was right; logs of the reference's
    shape have none. ``waived`` and ``known`` findings did not count; logs of earlier releases have neither.
    """

    path: Path
    task_id: str
    stage: str
    iter: int
    verdict: str | None
    findings: tuple[LoggedFinding, ...]
    artifacts: Mapping[str, str]
    layers_run: frozenset[str]
    header: Mapping[str, Any]
    sealed: bool
    waived: tuple[LoggedFinding, ...] = ()
    known: tuple[LoggedFinding, ...] = ()


class LogSummary(NamedTuple):
    """One log in a listing, from its name and, where it can be read, its header; ``problem`` says why it can't be.

    ``sealed`` is false for a log without a digest, which another tool wrote, and null where nothing could be read.
    """

    path: Path
    task_id: str
    stage: str
    iter: int
    verdict: str | None
    finished_at: str | None
    problem: str | None
    sealed: bool | None = None
