"""Everything that is wrong with a task's expectations as a document: how they are written, and evidence nobody runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from verify.errors import VerificationUndetermined
from verify.expectations.reading import Expectations
from verify.expectations.rules import ExpectationRules

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet
    from verify.captured import Problem
    from verify.expectations.wiring import Wiring
    from verify.workspace import Workspace


def wiring_of(workspace: Workspace, rules: ExpectationRules, policies: PolicySet) -> Wiring:
    """What answers whether evidence is wired, for any number of checklists of one workspace."""
    from verify.expectations.wiring import Wiring

    return Wiring(workspace, rules.wiring, cast("int", policies.data("verify.paths")["most_links"]))


def validate(expectations: Expectations, rules: ExpectationRules, wiring: Callable[[], Wiring]) -> tuple[Problem, ...]:
    """The structural problems of a checklist in the order of its lines, evidence that is wired nowhere among them.

    ``wiring`` is asked only where evidence is said to be reproducible. Raises ``VerificationUndetermined`` where that
    could not be determined and nothing else is wrong.
    """
    if all(wish.verification_mode != rules.wiring.mode for wish in expectations.wishes):
        return expectations.problems
    try:
        found = wiring().unwired(expectations)
    except VerificationUndetermined:
        if not expectations.problems:
            raise
        return expectations.problems
    return tuple(sorted((*expectations.problems, *found), key=lambda problem: problem.line))


def all_static(expectations: Expectations, rules: ExpectationRules) -> bool:
    """Whether the wishes are several and nothing but looking is to prove them."""
    wishes = expectations.wishes
    return len(wishes) >= rules.static_min and all(wish.evidence_type == rules.static_type for wish in wishes)
