"""The graph held against its rules: each rule by name, and whether it can be judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain

from verify.spec_graph import criterion_rules, deliverables, requirement_rules
from verify.spec_graph.faults import Fault
from verify.spec_graph.graph import SpecGraph
from verify.spec_graph.rules import (
    AXIS_SEPARATION,
    BINDING_PRESENT,
    COMPLETE,
    COVERS_PRESENT,
    DANGLING,
    DELIVERABLE_COVERAGE,
    ID_FORMAT,
    ID_UNIQUE,
    NEEDS_EXPECTATIONS,
    NEEDS_PLAN,
    NO_DUPLICATE,
    ORPHAN,
    RESOLVES,
    Rule,
)

Judge = Callable[[SpecGraph], Iterator[Fault]]


def faults_of(graph: SpecGraph, complexity: str) -> tuple[Fault, ...]:
    """The faults of every rule that is due at a level and that the graph's documents allow to judge, rule by rule.

    Raises ``VerificationUndetermined`` for a surface of a plan that can't be judged.
    """
    due = (
        rule for rule in graph.rules.rules.values() if complexity in rule.levels and missing_for(rule, graph) is None
    )
    return tuple(chain.from_iterable(faults_by(rule, graph) for rule in due))


def faults_by(rule: Rule, graph: SpecGraph) -> tuple[Fault, ...]:
    """The faults of one rule in order of line, whether it is due or not."""
    return tuple(sorted(JUDGES[rule.name](graph), key=lambda fault: fault.line))


def missing_for(rule: Rule, graph: SpecGraph) -> str | None:
    """What a rule needs and the graph lacks, as the policy calls it; null where the rule can be judged."""
    if NEEDS_PLAN in rule.needs and graph.sources.plan is None:
        return NEEDS_PLAN
    if NEEDS_EXPECTATIONS in rule.needs and graph.sources.checklist is None:
        return NEEDS_EXPECTATIONS
    return None


JUDGES: Mapping[str, Judge] = {
    ID_FORMAT: requirement_rules.id_format,
    ID_UNIQUE: requirement_rules.id_unique,
    RESOLVES: requirement_rules.covers_resolve,
    DANGLING: requirement_rules.dangling,
    ORPHAN: requirement_rules.orphan,
    COVERS_PRESENT: criterion_rules.covers_present,
    BINDING_PRESENT: criterion_rules.binding_present,
    NO_DUPLICATE: criterion_rules.no_duplicate,
    AXIS_SEPARATION: criterion_rules.axis_separation,
    COMPLETE: criterion_rules.complete,
    DELIVERABLE_COVERAGE: deliverables.deliverable_coverage,
}
