"""What several checks read from the task's documents, each made once a run; use them through ``context.once``."""

from __future__ import annotations

from verify.documents.coverage import StepBinding, bindings_of
from verify.documents.rules import DocumentRules
from verify.documents.steps import Step, find_steps
from verify.floor.check import FloorContext


def document_rules(context: FloorContext) -> DocumentRules:
    """The rules of this run."""
    return DocumentRules.from_policy(context.policies)


def plan_steps(context: FloorContext) -> tuple[Step, ...]:
    """The steps of the plan; none without a plan."""
    plan = context.task.plan
    return find_steps(plan.blocks, context.once(document_rules), context.task.criteria) if plan else ()


def step_bindings(context: FloorContext) -> tuple[StepBinding, ...]:
    """Which criteria the plan's steps serve; none without a plan."""
    plan = context.task.plan
    if plan is None:
        return ()
    return bindings_of(plan.blocks, context.once(plan_steps), context.once(document_rules), context.task.criteria)
