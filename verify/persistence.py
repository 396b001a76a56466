"""Findings that outlive their repairs: reported by run after run although their artifact was changed in between."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from toolkit.errors import StorageError
from verify.audit.places import log_folder
from verify.audit.reader import log_names, read_log
from verify.audit.record import AuditLog
from verify.decisions import Questions
from verify.findings import Admitted, Finding
from verify.merging import finding_key
from verify.references import split_reference
from verify.terms import FLOOR

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet
    from verify.task import Workspace


def earlier_runs(workspace: Workspace, task_id: str, stage: str, policies: PolicySet) -> tuple[AuditLog, ...]:
    """The logs of the runs that come before the present one, the latest first, as many as persistence asks for.

    A run counts when a layer other than the floor ran in it. Before a log that can't be read, nothing is known to be
    in a row, so looking back ends there.
    """
    wanted = _runs_looked_at(policies) - 1
    folder = log_folder(workspace)
    runs: list[AuditLog] = []
    for name in reversed(log_names(workspace, task_id, stage)):
        if len(runs) >= wanted:
            break
        try:
            log = read_log(folder / name.file_name, policies)
        except StorageError:
            break
        if counts_as_run(log):
            runs.append(log)
    return tuple(runs)


def persistent_findings(
    findings: Iterable[Admitted],
    earlier: Sequence[AuditLog],
    artifacts: Mapping[str, str],
    policies: PolicySet,
    questions: Questions | None = None,
) -> tuple[str, ...]:
    """The ids of the findings of this run that ``verify.persistence`` calls persistent, in their order.

    ``earlier`` are logs of the same task and stage, in any order. ``artifacts`` maps paths to their digests now, as
    the logs do for then. A run more is counted for each log, going back, that has the finding's key and in which the
    artifact's digest is known and differs from that of the run after it. ``questions`` remember what
    the table was asked.
    """
    questions, wanted = questions or Questions(policies), _runs_looked_at(policies)
    runs = sorted(filter(counts_as_run, earlier), key=lambda log: log.iter, reverse=True)
    runs = runs[: wanted - 1]
    lasting = []
    for admitted in findings:
        finding = admitted.finding
        if admitted.discarded:
            continue
        count = _runs_in_a_row(finding, runs, artifacts)
        facts = {"layer": finding.source_layer, "severity": finding.severity}
        decision = questions.ask("verify.persistence", **facts, runs=count, wanted=wanted)
        if decision.outputs["persistent"] is True:
            lasting.append(finding.finding_id)
    return tuple(lasting)


def counts_as_run(log: AuditLog) -> bool:
    """Whether anything but the floor looked at the work in that run."""
    return bool(log.layers_run - {FLOOR})


def _runs_in_a_row(finding: Finding, runs: Sequence[AuditLog], artifacts: Mapping[str, str]) -> int:
    key, path = finding_key(finding), posixpath.normpath(split_reference(finding.artifact_ref).path)
    count, later = 1, artifacts.get(path)
    for log in runs:
        earlier = log.artifacts.get(path)
        reported = any(
            logged.key == key and not logged.discarded and logged.layers - {FLOOR} for logged in log.findings
        )
        if not reported or earlier is None or later is None or earlier == later:
            break
        count, later = count + 1, earlier
    return count


def _runs_looked_at(policies: PolicySet) -> int:
    return cast("Mapping[str, int]", policies.data("verify.limits"))["persistent_runs"]
