"""``verify.documents`` as code uses it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from verify.words import folded, folded_in_order

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet


class StepRules(NamedTuple):
    """What makes something a step of a plan. Every word is case-folded."""

    headings: frozenset[str]
    other_sections: frozenset[str]
    leads: tuple[str, ...]
    columns: frozenset[str]


class BindingRules(NamedTuple):
    """Names of statements that bind labels, as they are written; ``joiners`` are case-folded.

    ``most`` is how many pairs of a step and a criterion a plan may bind.
    """

    most: int
    verifies: tuple[str, ...]
    covers: tuple[str, ...]
    evidence: tuple[str, ...]
    joiners: frozenset[str]


class DocumentRules(NamedTuple):
    """Everything that ``verify.documents`` says."""

    steps: StepRules
    bindings: BindingRules

    @classmethod
    def from_policy(cls, policies: PolicySet) -> DocumentRules:
        """The rules of the loaded policies (their shape proves the types)."""
        value = cast("Mapping[str, Any]", policies.data("verify.documents"))
        steps, bindings = value["steps"], value["bindings"]
        return cls(
            StepRules(
                headings=folded(steps["headings"]),
                other_sections=folded(steps["other_sections"]),
                leads=folded_in_order(steps["leads"]),
                columns=folded(steps["columns"]),
            ),
            BindingRules(
                most=bindings["most"],
                verifies=tuple(bindings["verifies"]),
                covers=tuple(bindings["covers"]),
                evidence=tuple(bindings["evidence"]),
                joiners=folded(bindings["joiners"]),
            ),
        )
