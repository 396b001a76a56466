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
    from toolkit.sources import LoadedPolicies
    from verify.task import Task


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
    context, loaded = _opened(request)
    task, policies, workspace = context.task, context.policies, context.task.workspace
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
    skip = policies.table("verify.skip").decide(complexity=task.complexity, archived=task.archived, stage=request.stage)
    if skip.outputs["skip"]:
        return run._replace(skipped=f"{skip.outputs['reason']} ({_standing(task)})", finished_at=datetime.now(UTC))
    return recorded(_judged(_found(run, context, watcher)))


def _opened(request: Request) -> tuple[FloorContext, LoadedPolicies]:
    """Workspace, policies and task, in that order: what a run of any kind begins with."""
    workspace = find_workspace(request.start)
    loaded = load_verify_policies(workspace.root)
    _check_words(request, loaded.policies)
    task = load_task(workspace, request.task_id, loaded.policies)
    context = FloorContext(task, request.stage, loaded.policies, request.framework_root, request.run_commands)
    return context, loaded


def _found(run: Verification, context: FloorContext, watcher: Watcher) -> Verification:
    """Run the layers and admit what they found."""
    policies, workspace = run.policies, run.task.workspace
    checks = run_floor(context, watcher)
    floor = floor_layer(checks)
    layers = (floor, *model_layers(floor, floor_only=run.request.floor_only, policies=policies))
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
    context, _ = _opened(request)
    policies, workspace = context.policies, context.task.workspace
    claims = findings_of(run_floor(context, watcher))
    findings = merge(admit(claims, policies, workspace, datetime.now(UTC)), policies)
    gravest = policies.vocabulary("verify.severity").terms[0]
    return FloorRun(
        findings, severity_counts(findings, policies)[gravest], policies.data("verify.limits")["floor_exit_cap"]
    )


def _standing(task: Task) -> str:
    """Where it is said what the task is: its level, and that it is archived where it is."""
    level = f"{task.complexity}: {task.complexity_source}"
    return f"{level}; {task.archived_reason}" if task.archived else level


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
