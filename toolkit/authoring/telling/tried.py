"""The second part of an explanation: the rows that did not decide, and the first condition that failed each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from toolkit.authoring.telling.lines import Line, joined, place
from toolkit.authoring.telling.phrases import missed, phrase, value_text
from toolkit.authoring.telling.questions import Question
from toolkit.policy.deciding.matching import Cell
from toolkit.policy.explaining import FAILED, NOT_TRIED, TriedRow, failing
from toolkit.policy.language.rules import COLLECT, FIRST, UNIQUE
from toolkit.policy.language.transitions import STATE

MAX_ROWS: Final = 12  # that failed, and that are told one by one
SAYS: Final = {
    FIRST: "the first row that matches decides",
    UNIQUE: "exactly one row matches",
    COLLECT: "every row that matches adds to the answer",
}


def tried(question: Question, every: bool) -> Iterator[Line]:
    rows = question.explanation.rows
    failed = [row for row in rows if row.outcome == FAILED and _worth_telling(question, row)]
    elsewhere = sum(row.outcome == FAILED for row in rows) - len(failed)
    after = [row for row in rows if row.outcome == NOT_TRIED]
    chosen = failed if every or len(failed) <= MAX_ROWS else [row for row in failed if row.near][:MAX_ROWS]
    if failed or after:
        yield Line(_tried_title(question, len(failed)), 0, True)
    for row in chosen:
        yield Line(_failed(question, row), 2)
    if len(chosen) < len(failed):
        left = len(failed) - len(chosen)
        which = "more that fail" if chosen else "rows fail, each for more than one fact"
        yield Line(f"{left} {which}; --all shows every row", 2)
    if elsewhere and failed:
        states = "transition leaves" if elsewhere == 1 else "transitions leave"
        yield Line(f"{elsewhere} {states} other states", 2)
    yield from _not_tried(question, after, every)


def _worth_telling(question: Question, row: TriedRow) -> bool:
    """Not the transitions that leave other states."""
    return question.step is None or all(cell.name != STATE for cell in row.failed)


def _tried_title(question: Question, count: int) -> str:
    if question.step is not None:
        return f"The other transitions of this event from {question.step.state}"
    hit = question.document.hit
    if hit == FIRST:
        which = "Tried before it" if count else "The other rows"
    else:
        which = "Rows that do not match" if hit == COLLECT else "The other rows"
    return f"{which} ({SAYS[hit]})"


def _failed(question: Question, tried: TriedRow) -> str:
    row, when = question.row(tried.id)
    cells, _ = failing(when, question.values)
    if question.step is not None:
        cells = [cell for cell in cells if cell.name != STATE]
    first, *more = cells
    also = f" (and {len(more)} more)" if more else ""
    own = "" if row.mark.file == question.document.head.mark.file else f"  [{place(row)}]"
    return f"{row.id}: no, {_failing(first, question)}{also}{own}"


def _failing(cell: Cell, question: Question) -> str:
    value = question.values[cell.name]
    return f"{cell.name} is {value_text(value)}, asked: {missed(cell, value)}"


def _not_tried(question: Question, after: Sequence[TriedRow], every: bool) -> Iterator[Line]:
    if not after:
        return
    if not every:
        count = "1 row after it was" if len(after) == 1 else f"{len(after)} rows after it were"
        yield Line(f"{count} not tried", 2)
        return
    for tried in after:
        row, _ = question.row(tried.id)
        asks = [f"{name} {phrase(condition)}" for name, condition in row.when.cells]
        asks += ["one of several alternatives holds"] if row.when.any_of else []
        yield Line(f"{row.id}: not tried; matches {f'where {joined(asks)}' if asks else 'always'}", 2)
