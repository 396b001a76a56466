"""One verification, from a task id to a verdict: artifacts read once, layers run, findings admitted, tables asked."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from toolkit.policy.types import TermType
from verify.admission import admit
from verify.audit.places import next_iteration
from verify.errors import WorkspaceError
from verify.findings import Admitted
from verify.floor.check import FloorContext
from verify.floor.runner import Watcher, findings_of, run_floor
from verify.layers import floor_layer, model_layers
from verify.merging import merge
from verify.persistence import earlier_runs, persistent_findings
from verify.policies import load_verify_policies
from verify.recording import recorded
from verify.redaction import Redactor
from verify.task import find_workspace, load_task
from verify.terms import COULD_NOT_RUN, FLOOR
from verify.verdict import Circumstances, judge, severity_counts
from verify.verification import Request, Verification

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet


class FloorRun(NamedTuple):
    """The floor alone: admitted findings, how many are of the gravest severity, and the cap of the exit status."""

    findings: tuple[Admitted, ...]
    grave: int
    exit_cap: int


def verify(request: Request, watcher: Watcher) -> Verification:
    """Verify one task. Raises ``ToolkitError`` for bad input (exit 2) and for what can't be determined (exit 3).

    Nothing is written but the audit log, and that only at the very end.
    """
    started = datetime.now(UTC)
    workspace = find_workspace(request.start)
    loaded = load_verify_policies(workspace.root)
    policies = loaded.policies
    _check_words(request, policies)
    task = load_task(workspace, request.task_id, policies)
    context = FloorContext(task, request.stage, policies, request.framework_root, request.run_commands)
    run = Verification(
        request=request,
        task=task,
        policies=policies,
        policy_files=loaded.repository_files,
        roots=_shown_roots(context),
        run_id=os.urandom(16).hex(),
        started_at=started,
        finished_at=started,
        iteration=next_iteration(workspace, task.id, request.stage),
        max_iter=request.max_iter or policies.data("verify.limits")["max_iter"],
        warnings=tuple(_warnings(loaded.repository_files)),
    )
    skip = policies.table("verify.skip").decide(
        complexity=task.complexity, archived=task.archived, stage=request.stage
    )
    if skip.outputs["skip"]:
        return run._replace(skipped=str(skip.outputs["reason"]), finished_at=datetime.now(UTC))
    return recorded(_judged(_found(run, context, watcher)))


def _found(run: Verification, context: FloorContext, watcher: Watcher) -> Verification:
    """Run the layers and admit what they found."""
    policies, workspace = run.policies, run.task.workspace
    checks = run_floor(context, watcher)
    floor = floor_layer(checks)
    gravest = policies.vocabulary("verify.severity").terms[0]
    grave = sum(finding.severity == gravest for finding in floor.findings)
    models = model_layers(floor_only=run.request.floor_only, gravest_on_floor=grave, gravest=gravest)
    layers = (floor, *models)
    claims = [finding for layer in layers for finding in layer.findings]
    findings = merge(admit(claims, policies, workspace, run.started_at), policies)
    redactor = Redactor.from_policy(policies)
    malformed = tuple(redactor.malformed(record) for layer in layers for record in layer.malformed)
    return run._replace(layers=layers, checks=checks, findings=findings, malformed=malformed)


def _judged(run: Verification) -> Verification:
    """Ask the tables."""
    persistent = _persistent(run)
    circumstances = Circumstances(
        could_not_run=sum(check.result.status == COULD_NOT_RUN for check in run.checks),
        floor_only=not any(layer.requested for layer in run.layers[1:]),
        external_verifier=run.request.external_verifier,
        persistent=bool(persistent),
        max_iter=run.max_iter,
    )
    severities = run.policies.vocabulary("verify.severity")
    fail_on = run.request.fail_on or severities.terms[0]
    judgment = judge(run.findings, run.layers, circumstances, fail_on, run.policies)
    return run._replace(judgment=judgment, persistent=persistent, finished_at=datetime.now(UTC))


def _persistent(run: Verification) -> tuple[str, ...]:
    """Findings that outlived their repairs. Earlier logs are read only where a finding could be one of those."""
    if all(admitted.finding.source_layer == FLOOR for admitted in run.findings):
        return ()
    earlier = earlier_runs(run.task.workspace, run.task.id, run.request.stage, run.policies)
    return persistent_findings(run.findings, earlier, run.task.digests(), run.policies)


def run_floor_alone(request: Request, watcher: Watcher) -> FloorRun:
    """Layer 1 by itself, its findings admitted like any others; no verdict and no log."""
    workspace = find_workspace(request.start)
    policies = load_verify_policies(workspace.root).policies
    _check_words(request, policies)
    task = load_task(workspace, request.task_id, policies)
    context = FloorContext(task, request.stage, policies, request.framework_root, request.run_commands)
    claims = findings_of(run_floor(context, watcher))
    findings = merge(admit(claims, policies, workspace, datetime.now(UTC)), policies)
    gravest = policies.vocabulary("verify.severity").terms[0]
    return FloorRun(
        findings, severity_counts(findings, policies)[gravest], policies.data("verify.limits")["floor_exit_cap"]
    )


def _warnings(policy_files: tuple[str, ...]) -> Iterator[str]:
    """What a reader of the verdict has to know besides: rules of the repository's own judged it."""
    if policy_files:
        yield f"policies of this repository are in force: {', '.join(policy_files)}"


def _check_words(request: Request, policies: PolicySet) -> None:
    """The words that the user chose are terms of the policies' vocabularies."""
    _check_word("--stage", request.stage, policies.vocabulary("verify.stage").terms)
    if request.fail_on is not None:
        _check_word("--fail-on", request.fail_on, policies.vocabulary("verify.severity").terms)
    if request.external_verifier is not None:
        accepted = policies.table("verify.outcome").document.inputs["external_verifier"].type
        assert isinstance(accepted, TermType)
        _check_word("--external-verifier", request.external_verifier, accepted.terms)


def _check_word(option: str, word: str, known: tuple[str, ...]) -> None:
    if word not in known:
        message = f"{option} can't be {word[:60]!r}"
        raise WorkspaceError("usage", message, next_step=f"choose one of: {', '.join(known)}")


def _shown_roots(context: FloorContext) -> tuple[str, ...]:
    """The declared roots, relative to the workspace where they lie in it."""
    base = context.task.workspace.root
    return tuple(os.path.relpath(root, base) for root in context.roots())
