"""Documents of one task, written as text and read into a graph."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from toolkit.policy.sets import PolicySet
from verify.artifacts import Artifact
from verify.criteria import CriteriaRules, find_criteria
from verify.documents.coverage import bindings_of
from verify.documents.rules import DocumentRules
from verify.documents.statements import StatementRules
from verify.documents.steps import find_steps
from verify.documents.surface import SurfaceRules, surface_of
from verify.expectations.reading import read_expectations
from verify.expectations.rules import ExpectationRules
from verify.expectations.verdict import accepted
from verify.paths import PathRules
from verify.spec_graph.graph import Checklist, Plan, Sources, SpecGraph, build_graph
from verify.spec_graph.lint import faults_of
from verify.spec_graph.proofs import proofs_in
from verify.spec_graph.rules import SpecRules

PRD, PLAN, WISHES, REPORT = "prd.md", "plan.md", "ABC-0001-expectations.md", "qa.md"


class Reader:
    """Reads texts as the documents of a task; ``found`` tells each fault as (rule, line)."""

    def __init__(self, policies: PolicySet) -> None:
        self.policies = policies
        self.criteria = CriteriaRules.from_policy(policies)
        self.documents = DocumentRules.from_policy(policies)
        self.rules = SpecRules.from_policy(policies, self.criteria)
        self.statements = StatementRules.from_policy(policies, self.documents.bindings, self.criteria)

    def graph(self, prd: str, plan: str | None = None, wishes: str | None = None, report: str = "") -> SpecGraph:
        document = Artifact("prd", PRD, prd, "")
        proofs = proofs_in(Artifact("qa_report", REPORT, report, ""), self.statements, self.rules)
        sources = Sources(
            document,
            find_criteria(document.blocks, self.criteria),
            self._plan(plan) if plan is not None else None,
            self._checklist(wishes) if wishes is not None else None,
            proofs,
        )
        return build_graph(sources, self.documents.bindings, self.rules)

    def found(
        self, prd: str, plan: str | None = None, wishes: str | None = None, *, level: str = "L3"
    ) -> list[tuple[str, int]]:
        return [(fault.rule, fault.line) for fault in faults_of(self.graph(prd, plan, wishes), level)]

    def _plan(self, text: str) -> Plan:
        document, surface = Artifact("plan", PLAN, text, ""), SurfaceRules.from_policy(self.policies)
        steps = find_steps(document.blocks, self.documents, self.criteria)
        bindings = bindings_of(document.blocks, steps, self.documents, self.criteria)
        paths = surface_of(document.blocks, steps, surface, PathRules.from_policy(self.policies))
        return Plan(document, bindings, paths, surface)

    def _checklist(self, text: str) -> Checklist:
        document = Artifact("expectations", WISHES, text, "")
        rules = ExpectationRules.from_policy(self.policies)
        wishes = read_expectations(document, rules, self.criteria.labels).wishes
        return Checklist(document, wishes, frozenset(wish.line for wish in wishes if accepted(wish, rules)))


@pytest.fixture(scope="session")
def reader(policies: PolicySet) -> Reader:
    return Reader(policies)


@pytest.fixture(scope="session")
def wishes() -> Callable[..., str]:
    """A checklist with wishes: id and the criteria that it links, or (linked, status)."""

    def write(**linked: str | tuple[str, str]) -> str:
        items = ["## Expectations\n"]
        for number, (wish, said) in enumerate(linked.items(), 1):
            labels, status = said if isinstance(said, tuple) else (said, "pending")
            items.append(
                f"- **{number}. {wish}**\n  - wish_id: {wish}\n  - Linked AC: {labels}\n"
                f"  - How to verify: look\n  - #### Current status\n    - {status}\n"
            )
        return "\n".join(items)

    return write
