"""What a verification was asked, and what came of it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from toolkit.policy.types import TermType
from verify.baseline import Compared
from verify.decisions import Decided
from verify.errors import WorkspaceError
from verify.findings import Admitted, Malformed
from verify.floor.runner import RanCheck
from verify.layers import LayerResult
from verify.policies import PACK
from verify.task import Task
from verify.verdict import Judgment
from verify.waivers.applying import NO_WAIVERS, Waived, WaiverTally

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet
    from toolkit.repository.revisions import Revision

BETWEEN = ".."
_SHOWN = 60


class Request(NamedTuple):
    """What was asked for. Words (stage, severity, verdict of the external verifier) are checked against policy.

    Paths are absolute. ``commits`` is a range (``A..B``) that the user calls the task's, ``baseline`` a report,
    ``policy_from`` a revision whose policies and waivers judge instead of the working tree's.
    """

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
    commits: str | None = None
    baseline: Path | None = None
    policy_from: str | None = None


class CommitLine(NamedTuple):
    """One commit of the task: its full object id, its subject, and in words why it counts as the task's."""

    oid: str
    subject: str
    why: str


class Verification(NamedTuple):
    """What came of it. ``judgment`` is null exactly where the task was skipped, and ``skipped`` then says why.

    ``findings`` are those that count, and the discarded ones; waived ones and those known from a baseline stand apart.
    ``commits`` is empty where nothing of the run asked which commits the task has. ``decisions`` are what the
    tables were asked, those of the judgment first.
    """

    request: Request
    task: Task
    policies: PolicySet
    policy_files: tuple[str, ...]
    policy_revision: Revision | None
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
    waived: tuple[Waived, ...] = ()
    waivers: WaiverTally = NO_WAIVERS
    compared: Compared | None = None
    malformed: tuple[Malformed, ...] = ()
    persistent: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    commits: tuple[CommitLine, ...] = ()
    decisions: tuple[Decided, ...] = ()
    audit_log: str | None = None

    @property
    def policy_digest(self) -> str:
        """The digest of the policies that judged."""
        return self.policies.pack_digest(PACK)

    @property
    def reported(self) -> tuple[Admitted, ...]:
        """Everything that the layers reported: what counts, what is discarded, waived or known."""
        known = self.compared.known if self.compared else ()
        return (*self.findings, *(one.admitted for one in self.waived), *known)

    @property
    def commits_from(self) -> str | None:
        """In words, why the commits are the task's; null where there are none."""
        return "; ".join(dict.fromkeys(commit.why for commit in self.commits)) or None


def rfc3339(moment: datetime) -> str:
    """A moment in UTC, to the second."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def check_words(request: Request, policies: PolicySet) -> None:
    """The words that the user chose mean something to the policies. Raises ``WorkspaceError`` (``usage``)."""
    _require_term("--stage", request.stage, policies.vocabulary("verify.stage").terms)
    if request.fail_on is not None:
        _require_term("--fail-on", request.fail_on, policies.vocabulary("verify.severity").terms)
    if request.external_verifier is not None:
        accepted = policies.table("verify.outcome").document.inputs["external_verifier"].type
        assert isinstance(accepted, TermType)
        _require_term("--external-verifier", request.external_verifier, accepted.terms)
    longest = policies.data("verify.limits")["commit_range_max"]
    if request.commits is not None and not _is_range(request.commits, longest):
        message = f"--commits can't be {request.commits[:_SHOWN]!a}"
        raise WorkspaceError("usage", message, next_step="name two commits, such as main..HEAD")


def _require_term(option: str, word: str, known: tuple[str, ...]) -> None:
    if word not in known:
        message = f"{option} can't be {word[:_SHOWN]!r}"
        raise WorkspaceError("usage", message, next_step=f"choose one of: {', '.join(known)}")


def _is_range(text: str, longest: int) -> bool:
    """Whether a text may be a range: what its ends name is Git's to say, but none of it may be taken for an option."""
    first, dots, last = text.partition(BETWEEN)
    plain = text.isprintable() and " " not in text and len(text) <= longest
    ends = not first.startswith("-") and not last.startswith(("-", ".")) and BETWEEN not in last
    return bool(dots) and plain and ends
