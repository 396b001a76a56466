"""Analysis of a set: its tables and machines, on one account of boxes."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from toolkit.authoring.analysis.findings import Finding
from toolkit.authoring.analysis.machines import analyze_machine
from toolkit.authoring.analysis.tables import analyze_table
from toolkit.policy.proofs import MAX_BOXES
from toolkit.policy.sets import PolicySet

MAX_RUN_BOXES: Final = 200_000  # split for all tables of a run together


def analyze(
    policies: PolicySet, documents: Collection[str] | None = None, *, budget: int = MAX_RUN_BOXES
) -> tuple[Finding, ...]:
    """The findings of these ``documents`` (of all, unless told), in order of ids.

    At most ``budget`` boxes are split, and of them ``MAX_BOXES`` for a table. The set need not be proved: gaps and
    overlaps are found as loading finds them. Vocabularies and payloads have no findings. Raises ``PolicyError``
    (``unknown_document``).
    """
    found: list[Finding] = []
    for name in policies.ids if documents is None else sorted(set(documents)):
        kind = policies.entry(name).head.kind
        part: tuple[Finding, ...] = ()
        if kind == "table":
            part = analyze_table(policies.table(name).document, budget=min(budget, MAX_BOXES))
        elif kind == "machine":
            part = analyze_machine(policies.machine(name).document, budget=budget)
        budget = max(budget - sum(one.boxes for one in part), 0)
        found += part
    return tuple(found)
