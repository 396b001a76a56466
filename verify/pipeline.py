"""One verification, from a task id to a verdict: artifacts read once, layers run, findings admitted, tables asked."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from verify.admission import admit
from verify.audit.places import next_iteration
from verify.decisions import Questions
from verify.evidence import FindingLimits
from verify.findings import Admitted, Finding
from verify.floor.check import FloorContext, questions_of
from verify.floor.runner import Watcher, findings_of, run_floor
from verify.layers import floor_layer, model_layers
from verify.merging import merge
from verify.persistence import earlier_runs, persistent_findings
from verify.policies import load_verify_policies
from verify.quotes import QuoteChecker
from verify.recording import recorded
from verify.redaction import Redactor
from verify.session import SessionRules, active_session
from verify.task import find_workspace, load_task
from verify.terms import COULD_NOT_RUN, FLOOR
from verify.verdict import Circumstances, judge, severity_counts
from verify.verification import CommitLine, Request, Verification, check_words
from verify.waivers.accepted import Accepted, rules_looked_at

if TYPE_CHECKING:
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
    accepted = Accepted.load(context, request.baseline)
    run = Verification(
        request=request,
        task=task,
        policies=policies,
        policy_files=loaded.repository_files,
        policy_revision=loaded.tree.revision if loaded.tree is not None else None,
        roots=_shown_roots(context),
        run_id=os.urandom(16).hex(),
        started_at=started,
        finished_at=started,
        iteration=next_iteration(workspace, task.id, request.stage),
        max_iter=request.max_iter or policies.data("verify.limits")["max_iter"],
        warnings=tuple(_warnings(context, loaded)),
    )
    questions = context.once(questions_of)
    skip = questions.ask("verify.skip", complexity=task.complexity, archived=task.archived, stage=request.stage)
    if skip.outputs["skip"]:
        return run._replace(skipped=f"{skip.outputs['reason']} ({_standing(task)})", finished_at=datetime.now(UTC))
    return recorded(_judged(_found(run, context, accepted, watcher)))


def _opened(request: Request) -> tuple[FloorContext, LoadedPolicies]:
    """Workspace, policies and task, in that order: what a run of any kind begins with."""
    workspace = find_workspace(request.start)
    loaded = load_verify_policies(workspace.root, request.policy_from)
    check_words(request, loaded.policies)
    task = load_task(workspace, request.task_id, loaded.policies)
    context = FloorContext(
        task,
        request.stage,
        loaded.policies,
        request.framework_root,
        request.run_commands,
        request.commits,
        loaded.tree,
    )
    if request.commits is not None:  # what the user named must be there, whether or not a check of the stage asks
        from verify.floor.changes import task_history

        context.once(task_history)
    return context, loaded


def _found(run: Verification, context: FloorContext, accepted: Accepted, watcher: Watcher) -> Verification:
    """Run the layers, admit what they found, and set apart what is waived or known."""
    policies, questions, admitting = run.policies, context.once(questions_of), Questions(run.policies)
    checks = run_floor(context, watcher)
    floor = floor_layer(checks)
    apart = accepted.apart(_admitted(floor.findings, run, admitting))
    # What is waived or known keeps nobody from looking further.
    counting = floor._replace(findings=tuple(one.finding for one in apart.counting))
    layers = (floor, *model_layers(counting, floor_only=run.request.floor_only, questions=questions))
    claims = tuple(finding for layer in layers for finding in layer.findings)
    if len(claims) > len(floor.findings):
        admitting = Questions(policies)  # all of them are admitted anew
        apart = accepted.apart(_admitted(claims, run, admitting))
    looked_at = rules_looked_at(checks, layers, policies)
    tally = accepted.tally(apart, looked_at)
    redactor = Redactor.from_policy(policies)
    return run._replace(
        layers=layers,
        checks=checks,
        findings=apart.counting,
        waived=apart.waived,
        waivers=tally,
        compared=accepted.compared(apart, looked_at),
        malformed=tuple(redactor.malformed(record) for layer in layers for record in layer.malformed),
        warnings=(*run.warnings, *tally.warnings()),
        commits=_commits(context),
        decisions=(*questions.decided(), *admitting.decided()),
    )


def _admitted(claims: Iterable[Finding], run: Verification, questions: Questions) -> tuple[Admitted, ...]:
    return admitted(claims, run.task, questions, run.started_at)


def admitted(claims: Iterable[Finding], task: Task, questions: Questions, now: datetime) -> tuple[Admitted, ...]:
    """The claims admitted and merged; quotes are looked up in the task's documents as they were read."""
    policies = questions.policies
    limits = FindingLimits.from_policy(policies)
    quotes = QuoteChecker(task.workspace, limits, task.documents(), held=task.texts())
    return merge(admit(claims, policies, task.workspace, now, quotes, questions), policies)


def _commits(context: FloorContext) -> tuple[CommitLine, ...]:
    """The task's commits, where anything in the run asked which they are."""
    from verify.floor.changes import task_history

    history = context.made(task_history)
    return () if history is None else tuple(CommitLine(one.oid, one.subject, one.why) for one in history.commits)


def _judged(run: Verification) -> Verification:
    """Ask the tables."""
    lasting = Questions(run.policies)
    persistent = _persistent(run, lasting)
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
    decisions = (*judgment.decisions, *lasting.decided(), *run.decisions)
    return run._replace(judgment=judgment, persistent=persistent, decisions=decisions, finished_at=datetime.now(UTC))


def _persistent(run: Verification, questions: Questions) -> tuple[str, ...]:
    """Findings that outlived their repairs. Earlier logs are read only where a finding could be one of those."""
    if all(admitted.finding.source_layer == FLOOR for admitted in run.findings):
        return ()
    earlier = earlier_runs(run.task.workspace, run.task.id, run.request.stage, run.policies)
    return persistent_findings(run.findings, earlier, run.task.digests(), run.policies, questions)


def run_floor_alone(request: Request, watcher: Watcher) -> FloorRun:
    """Layer 1 by itself, its findings admitted like any others; no waivers, no verdict and no log.

    What this command says is what the floor found: whoever reads its lines decides what to make of them.
    """
    context, _ = _opened(request)
    policies = context.policies
    claims = findings_of(run_floor(context, watcher))
    findings = admitted(claims, context.task, Questions(policies), datetime.now(UTC))
    gravest = policies.vocabulary("verify.severity").terms[0]
    return FloorRun(
        findings, severity_counts(findings, policies)[gravest], policies.data("verify.limits")["floor_exit_cap"]
    )


def _standing(task: Task) -> str:
    """Where it is said what the task is: its level, and that it is archived where it is."""
    level = f"{task.complexity}: {task.complexity_source}"
    return f"{level}; {task.archived_reason}" if task.archived else level


def _warnings(context: FloorContext, loaded: LoadedPolicies) -> Iterator[str]:
    """What a reader of the verdict has to know besides: whose rules judged it, and whether the work goes on."""
    if loaded.repository_files:
        yield f"policies of this repository are in force: {', '.join(loaded.repository_files)}"
    if loaded.user_files:
        yield f"policies of this user are in force: {', '.join(loaded.user_files)}"
    session = active_session(context.task, SessionRules.from_policy(context.policies))
    if session is not None:
        yield session.warning(context.task.id)


def _shown_roots(context: FloorContext) -> tuple[str, ...]:
    """The declared roots, relative to the workspace where they lie in it."""
    base = context.task.workspace.root
    return tuple(os.path.relpath(root, base) for root in context.roots())
