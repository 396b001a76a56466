"""An explanation for somebody who has never seen a policy: the answer first, then why, then what was tried."""

from __future__ import annotations

from collections.abc import Iterator

from toolkit.authoring.telling.answered import answered
from toolkit.authoring.telling.different import different
from toolkit.authoring.telling.lines import Line
from toolkit.authoring.telling.phrases import value_text
from toolkit.authoring.telling.questions import Question
from toolkit.authoring.telling.tried import tried


def told(question: Question, *, every: bool = False) -> list[Line]:
    """The explanation of one question. ``every`` row and change is told, or else those that come near."""
    lines: list[Line] = []
    for part in (answered(question), _computed(question), tried(question, every), different(question, every)):
        found = list(part)
        lines += [Line(""), *found] if lines and found else found
    return lines


def _computed(question: Question) -> Iterator[Line]:
    """The lets, each with its formula and what that comes to."""
    lets = question.explanation.lets
    if lets:
        yield Line("Computed", 0, True)
    for name, value in lets.items():
        yield Line(f"{name} = {question.formulas.get(name, '...')} = {value_text(value)}", 2)
