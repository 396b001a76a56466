"""The init task: its front matter, its sections, and its questions, with everything that is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple
from unicodedata import normalize

from verify.artifacts import Artifact
from verify.captured import Problem, front_matter_problems
from verify.criteria.pieces import plain_words
from verify.documents.sections import opens_section
from verify.init_task.questions import Question, read_questions
from verify.init_task.rules import HeadingRules, InitTaskRules
from verify.markdown import Block


class InitTask(NamedTuple):
    """``front_matter`` are the problems of the front matter, ``problems`` all others; both in the order of lines."""

    path: str
    questions: tuple[Question, ...]
    front_matter: tuple[Problem, ...]
    problems: tuple[Problem, ...]


def read_init_task(artifact: Artifact, task_id: str, rules: InitTaskRules) -> InitTask:
    """Read the init task of ``task_id``. Never raises for its content; linear in its size."""
    front = tuple(front_matter_problems(artifact.front_matter, task_id, rules.front_matter))
    questions, faults = read_questions(artifact.blocks, rules.questions)
    problems = sorted([*_heading_problems(artifact.blocks, rules.headings), *faults], key=lambda problem: problem.line)
    return InitTask(artifact.path, questions, front, tuple(problems))


def _heading_problems(blocks: Sequence[Block], rules: HeadingRules) -> Iterator[Problem]:
    headings = [block for block in blocks if opens_section(block) and block.level == rules.level]
    words = [f"{plain_words(normalize('NFC', block.text))} " for block in headings]
    for names, shown in zip(rules.owed, rules.shown, strict=True):
        if not any(said.startswith(f"{name} ") for said in words for name in names):
            yield Problem(1, "heading-missing", f"there is no heading {'#' * rules.level} {shown}")
