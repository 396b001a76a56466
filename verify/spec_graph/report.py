"""Everything that a look at a task's spec graph gives, as the commands print it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from verify.errors import WorkspaceError
from verify.evidence import FindingLimits
from verify.spec_graph.faults import Fault
from verify.spec_graph.gate import CONFIGURATION, MISSING, NOT_OWED, PRESENT, SKIP, WAIVED, Situation, decide
from verify.spec_graph.grade import Tally, grade_of, tally
from verify.spec_graph.graph import SpecGraph
from verify.spec_graph.lint import faults_of
from verify.spec_graph.rules import NEEDS_PLAN, SpecRules
from verify.spec_graph.trace import EMPTY, Trace, trace_of
from verify.task import EXPECTATIONS, PLAN, PRD, Task

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet

CONFIGURATION_FAULT: Final = "spec_graph_configuration"


class Excluded(NamedTuple):
    """A document that was left out, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class SpecReport:
    """``decision`` and ``exit`` are the gate's; ``excluded`` says what was left out, and so why a task is skipped.

    ``unjudged`` is why the gate can decide nothing although nothing worse was found: a document that is due is missing.
    """

    task_id: str
    situation: Situation
    decision: str
    exit: int
    evaluated: tuple[str, ...]
    excluded: tuple[Excluded, ...]
    faults: tuple[Fault, ...]
    counted: Tally
    trace: Trace
    grade: str
    unjudged: WorkspaceError | None
    rules: SpecRules
    limits: FindingLimits

    def severity_of(self, fault: Fault) -> str:
        """How grave the rule is that a fault breaks."""
        return self.rules.rules[fault.rule].severity

    @property
    def skipped(self) -> bool:
        return self.decision == SKIP


class Asked(NamedTuple):
    """What is looked at: a task at a stage of the graph, in a mode; ``waiver`` is why it has no PRD, with its place.

    Only faults of ``rules`` and in ``documents`` (paths) count, where they are not null.
    """

    task: Task
    stage: str
    mode: str
    waiver: str | None
    rules: frozenset[str] | None = None
    documents: frozenset[str] | None = None

    def counts(self, fault: Fault) -> bool:
        """Whether a fault is asked for."""
        named = self.rules is None or fault.rule in self.rules
        return named and (self.documents is None or fault.document.path in self.documents)


def report_on(asked: Asked, graph: SpecGraph | None, rules: SpecRules, policies: PolicySet) -> SpecReport:
    """Judge a graph (null: the task has no PRD).

    Raises ``WorkspaceError`` (``spec_graph_configuration``) where the PRD is missing and due;
    ``VerificationUndetermined`` where the plan's surface can't be judged.
    """
    situation = _situation(asked, graph, rules)
    seen = graph if decide(situation, Tally(0, 0, 0), policies).decision != SKIP else None
    faults = tuple(filter(asked.counts, faults_of(seen, situation.complexity))) if seen else ()
    counted = tally(faults, rules)
    decided = decide(situation, counted, policies)
    unjudged = _configuration(asked, situation) if decided.decision == CONFIGURATION else None
    if unjudged is not None and seen is None:
        raise unjudged
    return SpecReport(
        task_id=asked.task.id,
        situation=situation,
        decision=decided.decision,
        exit=decided.exit,
        evaluated=_evaluated(seen),
        excluded=tuple(_excluded(asked, situation, seen)),
        faults=faults,
        counted=counted,
        trace=trace_of(seen) if seen else EMPTY,
        grade=grade_of(counted, policies),
        unjudged=unjudged,
        rules=rules,
        limits=FindingLimits.from_policy(policies),
    )


def _situation(asked: Asked, graph: SpecGraph | None, rules: SpecRules) -> Situation:
    level = asked.task.complexity
    prd = PRESENT if graph is not None else WAIVED if asked.waiver is not None else MISSING
    due = any(NEEDS_PLAN in rule.needs and level in rule.levels for rule in rules.rules.values())
    plan = NOT_OWED
    if asked.stage in rules.with_plan and due:
        plan = PRESENT if asked.task.plan is not None else MISSING
    return Situation(asked.stage, level, asked.mode, prd, plan)


def _configuration(asked: Asked, situation: Situation) -> WorkspaceError:
    kind = PRD if situation.prd == MISSING else PLAN
    path = asked.task.place_of(kind)
    step = f"write {path}"
    if kind == PRD:
        step += ", or state `**PRD waived:** why` in the task description"
    lacking = f"required artifact missing for stage {situation.stage}"
    if kind == PRD:
        lacking = f"required PRD missing for {asked.task.id}"
    message = f"{lacking}: {path} does not exist, and is due at {situation.complexity}"
    return WorkspaceError(CONFIGURATION_FAULT, message, place=path, next_step=step)


def _evaluated(graph: SpecGraph | None) -> tuple[str, ...]:
    if graph is None:
        return ()
    sources = graph.sources
    found = [sources.prd.path]
    found += [sources.plan.document.path] if sources.plan else []
    found += [sources.checklist.document.path] if sources.checklist else []
    return (*found, *sources.proving)


def _excluded(asked: Asked, situation: Situation, graph: SpecGraph | None) -> list[Excluded]:
    task, absent = asked.task, "it does not exist"
    if graph is None:
        if situation.prd == WAIVED:
            return [Excluded(task.place_of(PRD), f"documented PRD-waiver {asked.waiver}")]
        why = absent if situation.prd == MISSING else "its graph is not looked at"
        return [Excluded(task.place_of(PRD), f"{why}; the task is {situation.complexity}")]
    found = []
    if graph.sources.plan is None:
        why = absent if task.plan is None else f"it is no part of the stage {situation.stage}"
        found.append(Excluded(task.place_of(PLAN), why))
    if graph.sources.checklist is None:
        found.append(Excluded(task.place_of(EXPECTATIONS), absent))
    return found
