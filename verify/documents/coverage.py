"""Which steps of a plan serve which acceptance criteria: said in the step, or in a table of both (document shapes)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from typing import NamedTuple

from verify.criteria import CriteriaRules, labels_in, says_something
from verify.criteria.pieces import plain_words
from verify.documents.rules import DocumentRules
from verify.documents.steps import Step, numbered
from verify.documents.tables import Table, cell_text, tables_in
from verify.errors import VerificationUndetermined
from verify.markdown import Block


class StepBinding(NamedTuple):
    """A criterion that a step serves, and where that is said. ``step`` is null where a table only describes it."""

    label: str
    line: int
    step: Step | None


def bindings_of(
    blocks: Sequence[Block], steps: Sequence[Step], rules: DocumentRules, criteria: CriteriaRules
) -> tuple[StepBinding, ...]:
    """Which criteria the steps serve, in both shapes, by line; a pair that is said twice stands twice.

    Raises ``VerificationUndetermined`` where they are more than the policy allows.
    """
    most = rules.bindings.most
    found = list(islice(_bindings(blocks, steps, rules, criteria), most + 1))
    if len(found) > most:
        raise VerificationUndetermined(
            "plan_too_large",
            f"the plan binds more than {most} pairs of a step and a criterion, and was not judged",
            next_step="name what a step verifies without long ranges, or raise bindings.most in verify.documents",
        )
    return tuple(sorted(found, key=lambda binding: binding.line))


def _bindings(
    blocks: Sequence[Block], steps: Sequence[Step], rules: DocumentRules, criteria: CriteriaRules
) -> Iterator[StepBinding]:
    for step in steps:
        for statement in step.bound:
            yield from (StepBinding(label, statement.line, step) for label in statement.labels)
    named = _Named(steps, rules)
    for table in tables_in(blocks):
        yield from _of_table(table, named, criteria)


class _Named:
    """The steps by number and by name, for the rows that refer to them."""

    def __init__(self, steps: Sequence[Step], rules: DocumentRules) -> None:
        self._rules = rules.steps
        self._joiners = rules.bindings.joiners
        self._led = numbered(rules.steps.leads)
        self._any = bool(steps)
        self._numbers: dict[str, Step] = {}
        self._names: dict[str, Step] = {}
        for step in steps:
            self._numbers.setdefault(step.number, step)
            self._names.setdefault(plain_words(step.title), step)
            self._names.setdefault(plain_words(self._led.sub("", step.title, count=1)), step)

    def in_row(self, table: Table, texts: Sequence[str], criteria: CriteriaRules) -> tuple[Step | None, ...]:
        """The steps that a row means: "Step N" in any cell; a number or a name in the column of steps.

        A name that no step of the plan has still describes one; a number that none has means nothing.
        """
        numbers = [match["number"] for text in texts for match in self._led.finditer(text)]
        column = table.column(self._rules.columns)
        said = texts[column] if column is not None and column < len(texts) else ""
        by_name = self._names.get(plain_words(said))
        if by_name is not None and says_something(said, criteria.cues):
            return (by_name,)
        rest = plain_words(self._led.sub(" ", said))
        words = [word for word in rest.split() if word not in self._joiners]
        if words and all(word.isdigit() or word in self._numbers for word in words):
            whole = said.strip("*_ .")  # a dotted number is one
            numbers += (whole,) if whole in self._numbers else (*_listed(said, criteria.labels.range_max), *words)
            rest = ""
        steps = tuple(dict.fromkeys(self._numbers[number] for number in numbers if number in self._numbers))
        described = (bool(numbers) and not self._any) or (not numbers and says_something(rest, criteria.cues))
        return steps or ((None,) if described else ())


def _of_table(table: Table, named: _Named, criteria: CriteriaRules) -> Iterator[StepBinding]:
    """The bindings of a table's rows: each row that holds labels and means a step."""
    for row in table.rows:
        texts = [cell_text(cell) for cell in row.cells]
        labels = tuple(dict.fromkeys(label for text in texts for label in labels_in(text, criteria)))
        if labels:
            for step in named.in_row(table, texts, criteria):
                yield from (StepBinding(label, row.line, step) for label in labels)


def _listed(text: str, longest: int) -> Iterator[str]:
    """The numbers of a list such as ``1, 3-5``."""
    for match in _numbers().finditer(text):
        first, last = match["first"], match["last"]
        if last and 0 < int(last) - int(first) < longest:
            yield from map(str, range(int(first), int(last) + 1))
        else:
            yield from filter(None, (first, last))


@cache
def _numbers() -> re.Pattern[str]:
    return re.compile(r"(?P<first>[0-9]{1,6})(?:[ \t]{0,3}(?:-|–|—|\.\.|…)[ \t]{0,3}(?P<last>[0-9]{1,6}))?")
