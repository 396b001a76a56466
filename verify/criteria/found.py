"""Acceptance criteria by label: all definitions of each, and its cue if any of them has one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from verify.criteria.cues import Cue, find_cue
from verify.criteria.definitions import Definition, criteria_in
from verify.criteria.rules import CriteriaRules
from verify.errors import VerificationUndetermined
from verify.markdown import Block


class Criterion(NamedTuple):
    """One acceptance criterion. ``cue`` is the first one found in the blocks of its definitions, or null."""

    label: str
    definitions: tuple[Definition, ...]
    cue: Cue | None

    @property
    def line(self) -> int:
        """Where it is first defined."""
        return self.definitions[0].line


def find_criteria(blocks: Sequence[Block], rules: CriteriaRules) -> tuple[Criterion, ...]:
    """The criteria of a document, in the order of their first definitions. Linear in the document's size.

    Raises ``VerificationUndetermined`` for a document that defines more of them than the policy allows.
    """
    definitions: dict[str, list[Definition]] = {}
    cues: dict[str, Cue] = {}
    left = rules.definitions.most
    for definition in criteria_in(blocks, rules):
        left -= len(definition.labels)
        if left < 0:
            raise _too_many(definition, rules.definitions.most)
        cue = find_cue(definition.pieces, rules)
        for label in definition.labels:
            definitions.setdefault(label, []).append(definition)
            if cue is not None:
                cues.setdefault(label, cue)
    return tuple(Criterion(label, tuple(found), cues.get(label)) for label, found in definitions.items())


def _too_many(definition: Definition, most: int) -> VerificationUndetermined:
    """A few words of ranges make a million criteria; nobody would read the findings about them."""
    return VerificationUndetermined(
        "too_many_criteria",
        f"by line {definition.line} more than {most} acceptance criteria are defined, and they were not judged",
        next_step="define criteria one by one, without ranges, or raise definitions.most in verify.criteria",
    )
