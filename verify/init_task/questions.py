"""Question blocks of an init task: who asked, what was answered, who decided and why."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple
from unicodedata import normalize

from toolkit.reporting.visible import visible
from verify.captured import SHOWN, Problem
from verify.criteria.pieces import Piece, cut, plain_words
from verify.documents.sections import opens_section
from verify.fields import COLONS, with_code
from verify.init_task.rules import QuestionRules
from verify.markdown import NO_LINES, Block, in_ranges

DECIDED_BY: Final = "decided_by"
RATIONALE: Final = "rationale"
EDGES: Final = " \t*_`\"'.,;"


class Question(NamedTuple):
    """One block. ``stage`` is the word after ``/dr-``, ``decided_by`` one of the known roles; empty where unknown."""

    line: int
    stage: str
    round: int
    decided_by: str


class _Answer(NamedTuple):
    """A labelled text of a block: the line of its label, and the text without blanks around it."""

    line: int
    text: str


def read_questions(blocks: Sequence[Block], rules: QuestionRules) -> tuple[tuple[Question, ...], tuple[Problem, ...]]:
    """The question blocks of a document in order, and what is wrong with them. Linear in it.

    A block ends at the next question, or at a heading of its own level or a higher one.
    """
    questions, problems = [], []
    for heading, inner in _question_blocks(blocks, rules):
        answers = _answers(inner, rules)
        match = _headline((rules.command, rules.round)).search(_written(heading))
        if match is None:
            wanted = f"### … — {rules.shown_marker} {rules.command}<stage> ({rules.round} N)"
            shown = visible(heading.text, SHOWN)
            problems.append(Problem(heading.line, "question-heading", f"the heading {shown!r} is not {wanted}"))
        decided_by = _decider(answers, rules)
        problems += _faults(heading.line, answers, decided_by, rules)
        stage, number = (match["stage"], int(match["round"])) if match else ("", 0)
        questions.append(Question(heading.line, stage, number, decided_by))
    return tuple(questions), tuple(problems)


def _question_blocks(blocks: Sequence[Block], rules: QuestionRules) -> Iterator[tuple[Block, list[Block]]]:
    heading: Block | None = None
    inner: list[Block] = []
    for block in blocks:
        if opens_section(block):
            opens = f" {rules.marker} " in f" {plain_words(_written(block))} "
            if heading is not None and (opens or block.level <= heading.level):
                yield heading, inner
                heading, inner = None, []
            if opens:
                heading = block
                continue
        if heading is not None:
            inner.append(block)
    if heading is not None:
        yield heading, inner


def _written(heading: Block) -> str:
    """A heading as it is read, with its inline code."""
    return normalize("NFC", with_code(heading.text, 0, heading.spans))


def _answers(blocks: Sequence[Block], rules: QuestionRules) -> dict[str, _Answer]:
    """The labelled texts of a block: each goes on to the next label. The first of a name counts."""
    found: dict[str, tuple[int, list[str]]] = {}
    texts: list[str] = []
    for piece in cut(blocks):
        text = with_code(piece.text, 0, piece.spans) if piece.kind not in NO_LINES else piece.text
        label = _label(piece, rules)
        if label is not None:
            name, end = label
            texts = []
            found.setdefault(name, (piece.line, texts))
            text = with_code(piece.text[end:], end, piece.spans)
        texts.append(text)
    return {name: _Answer(line, "\n".join(said).strip(" \t\n*")) for name, (line, said) in found.items()}


def _label(piece: Piece, rules: QuestionRules) -> tuple[str, int] | None:
    """The field whose bold label a line begins with, and where its text begins; else null."""
    if piece.kind in NO_LINES:
        return None
    head, colon, _ = piece.text.translate(COLONS).partition(":")
    start = len(head) - len(head.lstrip())
    if not colon or not in_ranges(start, piece.strong):
        return None
    words = f"{plain_words(normalize('NFC', head))} "
    name = next((field for field, begins in rules.labels.items() if words.startswith(f"{begins} ")), None)
    return (name, len(head) + 1) if name is not None else None


def _decider(answers: dict[str, _Answer], rules: QuestionRules) -> str:
    """Who decided: the role itself, perhaps with a remark in brackets or after a dash."""
    said = answers[DECIDED_BY].text if DECIDED_BY in answers else ""
    match = _role().match(said.strip(EDGES).casefold())
    word = match["role"] if match else ""
    return word if word in rules.deciders else ""


def _faults(line: int, answers: dict[str, _Answer], decided_by: str, rules: QuestionRules) -> Iterator[Problem]:
    for name in rules.owed:
        if name not in answers:
            yield Problem(line, "question-field", f"the question has no bold label {rules.shown[name]!r}")
        elif not answers[name].text:
            yield Problem(answers[name].line, "question-field", f"{rules.shown[name]!r} says nothing")
    if DECIDED_BY in answers and answers[DECIDED_BY].text and not decided_by:
        at, text = answers[DECIDED_BY]
        known = " or ".join(rules.deciders)
        shown = rules.shown[DECIDED_BY]
        yield Problem(at, "decided-by", f"{shown!r} is {visible(text, SHOWN)!r}, and has to be {known}")
    if decided_by in rules.explained:
        answer = answers.get(RATIONALE)
        length = len("".join(answer.text.split())) if answer else 0
        if length < rules.rationale_min:
            least = f"at least {rules.rationale_min} characters that are no blanks"
            message = (
                f"the {decided_by} decided, which takes a bold {rules.shown[RATIONALE]!r} of {least}; it has {length}"
            )
            yield Problem(answer.line if answer else line, "rationale", message)


@cache
def _headline(words: tuple[str, str]) -> re.Pattern[str]:
    command, word = words
    return re.compile(
        rf"{re.escape(command)}(?P<stage>[\w-]{{1,40}})\s{{0,4}}\(\s{{0,4}}{re.escape(word)}\s{{1,4}}(?P<round>\d{{1,6}})",
        re.IGNORECASE,
    )


@cache
def _role() -> re.Pattern[str]:
    """A role alone, or with a remark after it."""
    return re.compile(r"(?P<role>[\w-]+)(?=$|[*_`.,;:]*\s*(?:$|[(\[—–·,;:\n]|-\s))")
