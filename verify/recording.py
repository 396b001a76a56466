"""A verification as the record of its audit log."""

from __future__ import annotations

from collections import Counter

from toolkit import __version__
from verify.audit.record import AuditRecord, CheckLine, LayerLine
from verify.audit.writer import write_log
from verify.verification import Verification, rfc3339

NO_RUNTIME = "none"


def recorded(run: Verification) -> Verification:
    """The run with its log written, if one was asked for. The log's number is then the run's."""
    if not run.request.write:
        return run
    workspace = run.task.workspace
    written = write_log(record_of(run), workspace, run.policies)
    shown = written.path.relative_to(workspace.root).as_posix()
    return run._replace(audit_log=shown, iteration=written.iter)


def record_of(run: Verification) -> AuditRecord:
    """What the log of this run says."""
    judgment = run.judgment
    return AuditRecord(
        task_id=run.task.id,
        stage=run.request.stage,
        runtime=NO_RUNTIME,
        max_iter=run.max_iter,
        started_at=rfc3339(run.started_at),
        finished_at=rfc3339(run.finished_at),
        verdict=judgment.verdict if judgment else None,
        verified=judgment.verified if judgment else False,
        exit=judgment.exit if judgment else 0,
        exit_reason=judgment.exit_reason if judgment else None,
        policy_digest=run.policy_digest,
        tool_version=__version__,
        run_id=run.run_id,
        source_layer_breakdown=breakdown(run),
        roots=run.roots,
        checks=tuple(CheckLine(check.name, check.result.status, check.result.detail) for check in run.checks),
        layers=tuple(LayerLine(layer.layer, layer.status, layer.reason) for layer in run.layers),
        findings=run.findings,
        waived=run.waived,
        waivers=run.waivers,
        compared=run.compared,
        commits=tuple(commit.oid for commit in run.commits),
        commits_from=run.commits_from,
        malformed=run.malformed,
        artifacts=run.task.digests(),
        warnings=run.warnings,
        decided_by=judgment.rows if judgment else {},
        decisions=run.decisions,
    )


def breakdown(run: Verification) -> dict[str, int]:
    """How many findings each layer brought, every layer named; those that are waived or known are among them."""
    counts = Counter(admitted.finding.source_layer for admitted in run.reported)
    return {layer: counts[layer] for layer in run.policies.vocabulary("verify.layers").terms}
