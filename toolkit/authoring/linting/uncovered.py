"""Rows that no case shows: whoever edits rules says by a case what they decide."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from toolkit.authoring.testing import run_cases
from toolkit.policy.layers import REPOSITORY, USER
from toolkit.policy.problems import Problems
from toolkit.policy.sets import PolicySet
from toolkit.policy.syntax.items import ITEMS
from toolkit.policy.syntax.nodes import ListNode

CODE = "row_without_case"
KINDS = ("table", "machine")


def rows_without_case(
    policies: PolicySet, layers: Collection[str], up_to: Callable[[str], PolicySet], warnings: Problems
) -> None:
    """Record the rows and transitions of these layers, shipped ones aside, that no case hits which holds."""
    own = {USER, REPOSITORY}.intersection(layers)
    documents = [name for name in policies.ids if own.intersection(_layers(policies, name))]
    if not documents:
        return
    for one in run_cases(policies, up_to, documents).coverage.uncovered:
        if one.layer in own:
            word = ITEMS[policies.entry(one.document).head.kind].word
            with warnings.within(one.document):
                hint = "say what it decides: cases: [{id, given, expect, row}], here or in the overlay"
                warnings.add(CODE, f"no case that holds hits the {word} {one.row}", one.mark, hint)


def _layers(policies: PolicySet, document: str) -> Iterator[str]:
    """The layers that may have given rows to a table or machine that has some."""
    entry = policies.entry(document)
    if entry.head.kind not in KINDS:
        return
    listed = entry.node.entries.get(ITEMS[entry.head.kind].list)
    if isinstance(listed, ListNode):
        yield entry.head.layer
        yield from (edit.layer for edit in entry.edits)
