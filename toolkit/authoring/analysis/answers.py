"""Values that an output may have and that no row ever answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import NamedTuple

from toolkit.authoring.analysis.examined import Examined
from toolkit.authoring.analysis.findings import MAX_TOLD, UNANSWERED, Finding, named
from toolkit.authoring.analysis.tried import Facts
from toolkit.policy.deciding.columns import Column
from toolkit.policy.language.conditions import Equals
from toolkit.policy.language.rules import Produced, Reference
from toolkit.policy.proofs import NOT_PROVED, PROVED, REFUTED
from toolkit.policy.syntax.scalars import Scalar
from toolkit.policy.types import BooleanType, Input, ListType, TermType


def unanswered_findings(examined: Examined) -> Iterator[Finding]:
    """One finding for each output whose values can be listed: terms, booleans, lists of these; null where legal."""
    for output in examined.document.outputs.values():
        values = _values(output)
        if values:
            yield _unanswered(examined, output, values)


def _values(output: Input) -> tuple[Scalar, ...]:
    kind = output.type.items if isinstance(output.type, ListType) else output.type
    null = (None,) if output.optional else ()
    if isinstance(kind, BooleanType):
        return (True, False, *null)
    return (*kind.terms, *null) if isinstance(kind, TermType) else ()


def _unanswered(examined: Examined, output: Input, values: tuple[Scalar, ...]) -> Finding:
    said = _Said.of(examined, output.name)
    never: list[str] = []
    unknown: list[str] = []
    boxes = 0
    for value in values:
        answered, spent = said.answers(examined, value)
        boxes += spent
        if answered is not True:
            (never if answered is False else unknown).append(Equals(value).text())
    if never:
        message = f"{output.name} is never {named(never)}"
    elif unknown:
        message = f"it is not known whether {output.name} is ever {named(unknown)}"
    else:
        message = f"every value of {output.name} is answered"
    status = REFUTED if never else NOT_PROVED if unknown else PROVED
    subject = (output.name, *(never or unknown))
    return examined.finding(UNANSWERED, subject, status, message, output.mark, boxes=boxes)


class _Said(NamedTuple):
    """What the rows that decide something answer: their constants, those that may be, and names that are taken over."""

    sure: frozenset[Scalar]
    perhaps: frozenset[Scalar]
    taken: tuple[tuple[int, str], ...]

    @classmethod
    def of(cls, examined: Examined, output: str) -> _Said:
        sure: set[Scalar] = set()
        perhaps: set[Scalar] = set()
        taken: list[tuple[int, str]] = []
        for row, one in enumerate(examined.document.rows):
            decided = examined.decided[row]
            shown = decided.facts is not None and isinstance(examined.tried.answer(row, decided.facts), Mapping)
            if one.error is None and not decided.none:
                for part in _parts(one.then[output]):
                    if isinstance(part, Reference):
                        taken.append((row, part.name))
                    elif part is None or isinstance(part, (bool, int, str)):
                        (sure if shown else perhaps).add(part)
        return cls(frozenset(sure), frozenset(perhaps), tuple(taken))

    def answers(self, examined: Examined, value: Scalar) -> tuple[bool | None, int]:
        """Whether a value is answered (null: not known), and how many boxes were split."""
        if value in self.sure:
            return True, 0
        known: bool | None = None if value in self.perhaps else False
        boxes = 0
        for number, (row, name) in enumerate(self.taken):
            if number == MAX_TOLD:
                return None, boxes
            space = examined.prepared.space
            column = space.dimensions[space.places[name]]
            mask = column.mask(Equals(value)) if isinstance(column, Column) else 0
            limited = (space.limited({space.places[name]: mask}, box) for box in examined.boxes(row) if mask)
            regions = [(box, examined.others(row)) for box in limited if box is not None]
            searched = examined.search(regions, partial(_takes_over, examined, row, name, value))
            boxes += searched.boxes
            if searched.found:
                return True, boxes
            known = None if searched.open else known
        return known, boxes


def _parts(produced: Produced) -> tuple[Produced, ...]:
    return produced if isinstance(produced, tuple) else (produced,)


def _takes_over(examined: Examined, row: int, name: str, value: Scalar, facts: Facts) -> bool:
    values = examined.tried.values(facts)
    return values is not None and values[name] == value and examined.tried.decides(row, facts)
