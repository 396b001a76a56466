"""The grade of a graph: one letter for what its rules found."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple, cast

from verify.spec_graph.faults import Fault
from verify.spec_graph.rules import ERROR, WARNING, SpecRules

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet

TABLE = "verify.spec-grade"


class Tally(NamedTuple):
    """How many faults there are, by how grave they are; informations count in ``all`` alone."""

    errors: int
    warnings: int
    all: int


def tally(faults: Iterable[Fault], rules: SpecRules) -> Tally:
    """The faults counted."""
    severities = [rules.rules[fault.rule].severity for fault in faults]
    return Tally(severities.count(ERROR), severities.count(WARNING), len(severities))


def grade_of(counted: Tally, policies: PolicySet) -> str:
    """The letter, A (nothing) to F."""
    decision = policies.table(TABLE).decide(errors=counted.errors, warnings=counted.warnings)
    return cast(str, decision.outputs["grade"])
