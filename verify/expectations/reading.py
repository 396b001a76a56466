"""The checklist of expectations: its wishes as values, and everything that is wrong with how it is written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from verify.artifacts import Artifact
from verify.captured import SCHEMA_VERSION, Problem, front_matter_problems
from verify.criteria.rules import LabelRules
from verify.expectations.items import ItemReader
from verify.expectations.lines import heading_elsewhere, section_lines
from verify.expectations.rules import WISH_ID, ExpectationRules
from verify.expectations.wishes import Wish, WishChecker

__all__ = ["Expectations", "Wish", "read_expectations"]


class Expectations(NamedTuple):
    """``version`` is as the front matter gives it, null where it gives none that is known.

    ``problems`` are what is wrong with the file's structure, in the order of its lines. ``unlinked`` are the lines of
    the wishes of which one of these problems says that their link is missing, empty or at a wrong place.
    """

    path: str
    version: str | None
    deprecated: bool
    wishes: tuple[Wish, ...]
    problems: tuple[Problem, ...]
    unlinked: frozenset[int]


def read_expectations(
    artifact: Artifact, rules: ExpectationRules, labels: LabelRules, task_id: str | None = None
) -> Expectations:
    """Read a checklist. Never raises for its content; linear in its size.

    ``task_id`` is the task that the file has to name, by default the one of its file name. What fences, comments and
    block quotes hold is no part of the list. Where the section is missing, that is the one problem of the list, and its
    wishes are those of the whole file that have an id. Whether evidence is wired is another question: see ``wiring``.
    """
    owner = task_id if task_id is not None else _owner(artifact.path)
    problems = list(front_matter_problems(artifact.front_matter, owner, rules.front_matter))
    said = {value for value, _ in artifact.front_matter.entries(SCHEMA_VERSION)}
    version = next(iter(said)) if len(said) == 1 and said <= set(rules.front_matter.versions) else None
    starts, lines = section_lines(artifact, rules)
    reader = ItemReader(rules)
    reader.read(lines)
    problems += _section_problems(artifact, starts, reader, rules)
    checker = WishChecker(rules, labels, int(version) if version else 0)
    wishes = tuple(checker.wish(item) for item in reader.items if starts or WISH_ID in item.parts)
    if starts:
        problems += (*reader.problems, *checker.problems)
    problems.sort(key=lambda problem: problem.line)
    unlinked = frozenset(checker.unlinked if starts else ())
    return Expectations(artifact.path, version, version in rules.deprecated, wishes, tuple(problems), unlinked)


def _owner(path: str) -> str:
    """The task id in the name of a file of expectations."""
    return path.rpartition("/")[2].rpartition("-")[0]


def _section_problems(
    artifact: Artifact, starts: tuple[int, ...], reader: ItemReader, rules: ExpectationRules
) -> Iterator[Problem]:
    if not starts:
        wanted = " or ".join(f"{'#' * rules.level} {heading}" for heading in rules.section)
        other = heading_elsewhere(artifact, rules)
        found = f"; line {other.line} has it at level {other.level}" if other else ""
        yield Problem(other.line if other else 1, "section-missing", f"there is no heading {wanted}{found}")
    elif not reader.items:
        message = "the section holds no item, written as - **1. title**"
        yield Problem(starts[0], "no-wishes", message)
