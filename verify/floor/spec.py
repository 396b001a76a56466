"""The spec graph in the floor: one check for each of its rules, and one that says why it could not be built."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import cast

from verify.errors import WorkspaceError
from verify.expectations.verdict import accepted
from verify.findings import Finding
from verify.floor.acceptance import prd_criteria
from verify.floor.check import CheckEntry, CheckResult, FloorContext, questions_of
from verify.floor.drift.surfaces import plan_surface, surface_rules
from verify.floor.expectations import expectation_rules, expectations_of, expectations_status, tells_structure
from verify.floor.gates.evidence import evidence_documents, statement_rules
from verify.floor.readings import document_rules, step_bindings
from verify.floor.telling import NO_EXPECTATIONS, NO_PLAN, NO_PRD, lacking, nothing, quoting
from verify.spec_graph.faults import Fault
from verify.spec_graph.gate import Situation, blocks_on_error, mode_of, severity_in_floor
from verify.spec_graph.graph import Checklist, Plan, Sources, SpecGraph, build_graph
from verify.spec_graph.lint import faults_by, missing_for
from verify.spec_graph.proofs import proofs_in
from verify.spec_graph.rules import BINDING_PRESENT, COMPLETE, NEEDS_PLAN, Rule, SpecRules
from verify.task import PRD
from verify.terms import RAN


def spec_rules(context: FloorContext) -> SpecRules:
    """The rules of this run. Use it through ``context.once``, as the three below."""
    return SpecRules.from_policy(context.policies, context.task.criteria)


def spec_graph(context: FloorContext) -> SpecGraph | None:
    """The graph at the stage of the floor; null without a PRD. No rule of the floor asks for evidence."""
    stage = context.once(spec_rules).floor_stages[context.stage]
    return graph_at(stage, context)


def blocking(context: FloorContext) -> bool:
    """Whether the gate would block on an error; not where nobody can say what its mode is."""
    rules = context.once(spec_rules)
    try:
        mode = mode_of(os.environ, rules.mode)
    except WorkspaceError:
        return False
    stage = rules.floor_stages[context.stage]
    return blocks_on_error(Situation(stage, context.task.complexity, mode), context.policies)


def graph_at(stage: str, context: FloorContext, *, with_evidence: bool = False) -> SpecGraph | None:
    """The graph of the task's documents at a stage of the gate; null without a PRD."""
    rules, prd = context.once(spec_rules), context.task.prd
    if prd is None:
        return None
    proving = with_evidence and stage in rules.with_evidence
    documents = context.once(evidence_documents) if proving else ()
    proofs = [proof for document in documents for proof in proofs_in(document, context.once(statement_rules), rules)]
    sources = Sources(
        prd=prd,
        criteria=context.once(prd_criteria),
        plan=_plan(context) if stage in rules.with_plan else None,
        checklist=_checklist(context),
        proofs=tuple(proofs),
        proving=tuple(document.path for document in documents),
    )
    return build_graph(sources, context.once(document_rules).bindings, rules)


def spec_rule(entry: CheckEntry, context: FloorContext) -> CheckResult:
    """The faults of one rule; the parameter ``rule`` names it. How grave they are, the tables say."""
    rules = context.once(spec_rules)
    rule = rules.rules[cast(str, entry.parameters["rule"])]
    if context.task.complexity not in rule.levels:
        return nothing(f"{rule.name} is not due at {context.task.complexity}")
    graph = context.once(spec_graph)
    if graph is None:
        return nothing(NO_PRD)
    missing = missing_for(rule, graph)
    if missing is not None:
        return nothing(NO_PLAN if missing == NEEDS_PLAN else NO_EXPECTATIONS)
    faults = faults_by(rule, graph)
    own, teller = _own(rule, faults, context)
    severity = severity_in_floor(rule.severity, context.once(blocking), context.once(questions_of))
    findings = tuple(_finding(entry, context, severity, fault) for fault in own)
    yielded = f"; {len(faults) - len(own)} told by {teller}" if len(own) < len(faults) else ""
    return CheckResult(RAN, f"{_count(graph)}, at fault: {len(own)}{yielded}", findings)


def spec_graph_configuration(entry: CheckEntry, context: FloorContext) -> CheckResult:
    """A finding where the graph can't be judged as it was asked for; a document that is missing is no such thing."""
    mode = context.once(spec_rules).mode
    try:
        said = mode_of(os.environ, mode)
    except WorkspaceError as fault:
        finding = lacking(entry, context, context.task.place_of(PRD), fault.message, f"{fault.next_step}.")
        return CheckResult(RAN, fault.message, (finding,))
    graph = context.once(spec_graph)
    return CheckResult(RAN, f"the mode is {said}; {_count(graph) if graph else NO_PRD}")


def _plan(context: FloorContext) -> Plan | None:
    plan = context.task.plan
    if plan is None:
        return None
    return Plan(plan, context.once(step_bindings), context.once(plan_surface), context.once(surface_rules))


def _checklist(context: FloorContext) -> Checklist | None:
    document, read = context.task.expectations, context.once(expectations_of)
    if document is None or read is None:
        return None
    rules = context.once(expectation_rules)
    return Checklist(document, read.wishes, frozenset(wish.line for wish in read.wishes if accepted(wish, rules)))


def _own(rule: Rule, faults: Sequence[Fault], context: FloorContext) -> tuple[Sequence[Fault], str]:
    """The faults that no other check of this run tells, and which one tells the others."""
    if rule.name == BINDING_PRESENT:
        from verify.floor.gates.stages import unplanned_criteria

        told = context.once(unplanned_criteria)
        own = [fault for fault in faults if not fault.criteria or not told.issuperset(fault.criteria)]
        return own, "the gate of the plan's steps"
    read = context.once(expectations_of) if rule.name == COMPLETE else None
    if read is not None and context.once(tells_structure):
        return [fault for fault in faults if fault.line not in read.unlinked], expectations_status.__name__
    return faults, ""


def _finding(entry: CheckEntry, context: FloorContext, severity: str, fault: Fault) -> Finding:
    fix = f"{fault.message}. {fault.fix}"
    return quoting(
        entry, context, fault.document, fault.line, fix, text=fault.text, criteria=fault.criteria, severity=severity
    )


def _count(graph: SpecGraph) -> str:
    return f"requirements: {len(graph.requirements)}, criteria: {len(graph.criteria)}"
