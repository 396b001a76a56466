"""Acceptance criteria by label: all definitions of each, and its cue if any of them has one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from verify.criteria.cues import Cue, find_cue
from verify.criteria.definitions import Definition, criteria_in
from verify.criteria.rules import CriteriaRules
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
    """The criteria of a document, in the order of their first definitions. Linear in the document's size."""
    definitions: dict[str, list[Definition]] = {}
    cues: dict[str, Cue] = {}
    for definition in criteria_in(blocks, rules):
        cue = find_cue(definition.pieces, rules)
        for label in definition.labels:
            definitions.setdefault(label, []).append(definition)
            if cue is not None:
                cues.setdefault(label, cue)
    return tuple(Criterion(label, tuple(found), cues.get(label)) for label, found in definitions.items())
