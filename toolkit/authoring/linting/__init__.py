"""Linting: what loads and yet deceives, or is not shown by any case.

Hidden characters and letters that look like others (``characters``, ``homoglyphs``), prompts that do not fit their
templates and roles (``prompts``), and rows of one's own without a case (``uncovered``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from toolkit.authoring.linting.characters import hold_characters
from toolkit.authoring.linting.homoglyphs import hold_letters
from toolkit.authoring.linting.names import names_of
from toolkit.authoring.linting.prompts import hold_prompts
from toolkit.authoring.linting.uncovered import rows_without_case
from toolkit.policy.layers import Source
from toolkit.policy.problems import Problem, Problems
from toolkit.policy.sets import PolicySet

__all__ = ["Linted", "lint"]


class Linted(NamedTuple):
    """What was found: ``problems`` are faults, ``warnings`` only say what is missing or not needed."""

    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...]


def lint(policies: PolicySet, sources: Sequence[Source], up_to: Callable[[str], PolicySet]) -> Linted:
    """Lint a set that loads, and the files of it that are somebody's own.

    ``sources`` are these files, as they were read. ``up_to`` makes the set of the layers up to one; it is asked only
    for a case that does not hold.
    """
    problems, warnings = Problems(), Problems()
    for source in sources:
        hold_characters(source.data, source.file, problems)
    hold_letters(sources, names_of(policies), problems)
    hold_prompts(policies, problems, warnings)
    rows_without_case(policies, {source.layer for source in sources}, up_to, warnings)
    return Linted(_sorted(problems), _sorted(warnings))


def _sorted(problems: Problems) -> tuple[Problem, ...]:
    return tuple(sorted(dict.fromkeys(problems.found), key=lambda problem: problem.mark))
