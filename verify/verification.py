"""What a verification was asked, and what came of it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from verify.findings import Admitted, Malformed
from verify.floor.runner import RanCheck
from verify.layers import LayerResult
from verify.policies import PACK
from verify.task import Task
from verify.verdict import Judgment

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet


class Request(NamedTuple):
    """What was asked for. Words (stage, severity, verdict of the external verifier) are checked against policy."""

    task_id: str
    stage: str
    start: Path
    framework_root: Path | None = None
    floor_only: bool = False
    external_verifier: str | None = None
    max_iter: int | None = None
    fail_on: str | None = None
    run_commands: bool = True
    write: bool = True


class Verification(NamedTuple):
    """What came of it. ``judgment`` is null exactly where the task was skipped, and ``skipped`` then says why."""

    request: Request
    task: Task
    policies: PolicySet
    policy_files: tuple[str, ...]
    roots: tuple[str, ...]
    run_id: str
    started_at: datetime
    finished_at: datetime
    iteration: int
    max_iter: int
    judgment: Judgment | None = None
    skipped: str | None = None
    layers: tuple[LayerResult, ...] = ()
    checks: tuple[RanCheck, ...] = ()
    findings: tuple[Admitted, ...] = ()
    malformed: tuple[Malformed, ...] = ()
    persistent: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    audit_log: str | None = None

    @property
    def policy_digest(self) -> str:
        """The digest of the policies that judged."""
        return self.policies.pack_digest(PACK)


def rfc3339(moment: datetime) -> str:
    """A moment in UTC, to the second."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
