"""The spec graph in the floor: one check for each of its rules, and one that says why it could not be built."""

from __future__ import annotations

import os
from typing import cast

from verify.errors import WorkspaceError
from verify.evidence import FindingLimits, clip_fix, message_evidence, quote_line
from verify.expectations.verdict import accepted
from verify.findings import Finding
from verify.floor.acceptance import NO_PRD, criteria_rules, prd_criteria
from verify.floor.check import CheckEntry, CheckResult, FloorContext
from verify.floor.drift.surfaces import plan_surface, surface_rules
from verify.floor.expectations import NO_EXPECTATIONS, expectation_rules, expectations_of
from verify.floor.paths import NO_PLAN
from verify.floor.readings import document_rules, step_bindings
from verify.spec_graph.faults import Fault
from verify.spec_graph.gate import Situation, blocks_on_error, mode_of, severity_in_floor
from verify.spec_graph.graph import Checklist, Plan, Proof, Sources, SpecGraph, build_graph
from verify.spec_graph.lint import faults_by, missing_for
from verify.spec_graph.proofs import proofs_in
from verify.spec_graph.rules import BINDING_PRESENT, NEEDS_PLAN, Rule, SpecRules
from verify.task import PRD
from verify.terms import FLOOR, NOTHING_TO_RUN, RAN


def spec_rules(context: FloorContext) -> SpecRules:
    """The rules of this run. Use it through ``context.once``, as the three below."""
    return SpecRules.from_policy(context.policies, context.once(criteria_rules))


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
    documents = [document for kind in rules.evidence_in for document in context.task.all_of(kind)] if proving else []
    bindings = context.once(document_rules).bindings
    proofs: list[Proof] = []
    for document in documents:
        proofs += proofs_in(document, bindings, rules)
    sources = Sources(
        prd=prd,
        criteria=context.once(prd_criteria),
        plan=_plan(context) if stage in rules.with_plan else None,
        checklist=_checklist(context),
        proofs=tuple(proofs),
        proving=tuple(document.path for document in documents),
    )
    return build_graph(sources, bindings, rules)


def spec_rule(entry: CheckEntry, context: FloorContext) -> CheckResult:
    """The faults of one rule; the parameter ``rule`` names it. How grave they are, the tables say."""
    rules = context.once(spec_rules)
    rule = rules.rules[cast(str, entry.parameters["rule"])]
    if context.task.complexity not in rule.levels:
        return CheckResult(NOTHING_TO_RUN, f"{rule.name} is not due at {context.task.complexity}")
    graph = context.once(spec_graph)
    if graph is None:
        return CheckResult(NOTHING_TO_RUN, NO_PRD)
    lacking = missing_for(rule, graph)
    if lacking is not None:
        return CheckResult(NOTHING_TO_RUN, NO_PLAN if lacking == NEEDS_PLAN else NO_EXPECTATIONS)
    faults = faults_by(rule, graph)
    told = _told_elsewhere(rule, context)
    own = [fault for fault in faults if not fault.criteria or not told.issuperset(fault.criteria)]
    severity = severity_in_floor(rule.severity, context.once(blocking), context.policies)
    limits = FindingLimits.from_policy(context.policies)
    findings = tuple(_finding(entry, severity, fault, limits) for fault in own)
    yielded = f"; {len(faults) - len(own)} told by the gate of the plan's steps" if len(own) < len(faults) else ""
    return CheckResult(RAN, f"{_count(graph)}, at fault: {len(own)}{yielded}", findings)


def spec_graph_configuration(entry: CheckEntry, context: FloorContext) -> CheckResult:
    """A finding where the graph can't be judged as it was asked for; a document that is missing is no such thing."""
    mode = context.once(spec_rules).mode
    try:
        said = mode_of(os.environ, mode)
    except WorkspaceError as fault:
        limits = FindingLimits.from_policy(context.policies)
        finding = Finding(
            source_layer=FLOOR,
            artifact_ref=f"{context.task.place_of(PRD)}:1",
            severity=entry.severity,
            category=entry.category,
            evidence=message_evidence(entry.id, fault.message, limits),
            suggested_fix=clip_fix(f"{fault.next_step}.", limits),
            check_name=entry.id,
        )
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


def _told_elsewhere(rule: Rule, context: FloorContext) -> frozenset[str]:
    """The criteria of which the gate of the plan's steps tells the same fault."""
    if rule.name != BINDING_PRESENT:
        return frozenset()
    from verify.floor.gates.stages import unplanned_criteria

    return context.once(unplanned_criteria)


def _finding(entry: CheckEntry, severity: str, fault: Fault, limits: FindingLimits) -> Finding:
    return Finding(
        source_layer=FLOOR,
        artifact_ref=fault.place,
        severity=severity,
        category=entry.category,
        evidence=quote_line(fault.document.path, fault.line, fault.text, limits),
        ac_criteria=fault.criteria,
        suggested_fix=clip_fix(f"{fault.message}. {fault.fix}", limits),
        check_name=entry.id,
    )


def _count(graph: SpecGraph) -> str:
    return f"requirements: {len(graph.requirements)}, criteria: {len(graph.criteria)}"
