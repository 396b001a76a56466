"""What a table says with one value changed, and how the values for which it says the same are told together."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import NamedTuple

from toolkit.authoring.telling.phrases import named
from toolkit.authoring.telling.possible import Class
from toolkit.policy.tables import Decision
from toolkit.policy.types import IntegerType, Type


class Outcome(NamedTuple):
    """What the table says: the rows that have a say, their answers, or the code with which there is none."""

    rows: tuple[int, ...]
    decisions: tuple[Decision, ...]
    code: str | None

    @property
    def said(self) -> Hashable:
        """The same for outcomes that are told alike."""
        return self.rows, self.code, tuple((one.row, *one.outputs.items()) for one in self.decisions)


class Change(NamedTuple):
    """With ``name`` being as ``words`` say, the outcome is another; ``example`` where that was asked of one value."""

    name: str
    words: str
    outcome: Outcome
    example: str | None = None


def together(name: str, kind: Type, changed: list[tuple[Class, Outcome]], now: Outcome) -> Iterator[Change]:
    """Neighbouring numbers, and terms or texts wherever they stand, that have the same outcome are told together."""
    if isinstance(kind, IntegerType):
        numbers = [(one, outcome) for one, outcome in changed if one.value is not None]
        for parts in _runs(numbers):
            if parts[0][1].rows != now.rows:
                yield Change(name, _between(kind, parts[0][0].low, parts[-1][0].high), parts[0][1])
        changed = [pair for pair in changed if pair[0].value is None]
    by_outcome: dict[object, list[tuple[Class, Outcome]]] = {}
    for one, outcome in changed:
        if outcome.rows != now.rows:
            by_outcome.setdefault(outcome.said, []).append((one, outcome))
    for alike in by_outcome.values():
        words = [one.words for one, _ in alike]
        yield Change(name, words[0] if len(words) == 1 else f"one of {named(words, str)}", alike[0][1])


def _runs(numbers: list[tuple[Class, Outcome]]) -> Iterator[list[tuple[Class, Outcome]]]:
    """Those that are told alike and have no number between them that was not asked."""
    run: list[tuple[Class, Outcome]] = []
    for one, outcome in numbers:
        if run and (run[-1][0].high + 1 != one.low or run[-1][1].said != outcome.said):
            yield run
            run = []
        run.append((one, outcome))
    if run:
        yield run


def _between(kind: IntegerType, low: int, high: int) -> str:
    if low == high:
        return str(low)
    if low == kind.minimum:
        return "any number" if high == kind.maximum else f"at most {high}"
    return f"at least {low}" if high == kind.maximum else f"from {low} to {high}"
