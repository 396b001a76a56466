"""What became of a run of cases: one result a case, the rows that are covered, and what keeps it from being a pass.

Outcomes: ``pass`` (the named outputs are equal, and the named row gave them), ``fail``, ``todo`` (asked, but never a
failure), ``changed`` (it holds in the layers up to its own, and a later layer edits what it asks), ``error`` (it could
not be read or asked).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from toolkit.authoring.testing.cases import Answer
from toolkit.authoring.testing.coverage import Coverage, Uncovered
from toolkit.policy.problems import Mark, Problem

PASS, FAIL, TODO, CHANGED, ERROR = OUTCOMES = ("pass", "fail", "todo", "changed", "error")
NO_CASES: Final = "no_cases"
UNCOVERED: Final = "row_uncovered"


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one case. ``decided`` is what is decided now, empty where it could not be asked.

    ``lists`` says whether the document answers with a list. ``why`` says in short sentences why it does not hold.
    ``held`` whether it does, which is of interest where it is still to do. ``changed_by`` are the overlays of later
    layers that edit what it asks. ``replaced_by`` is the one whose case of this id stands for it. ``problems`` say why
    there was an error.
    """

    document: str
    id: str
    layer: str
    mark: Mark
    outcome: str
    lists: bool
    expected: tuple[Answer, ...] = ()
    decided: tuple[Answer, ...] = ()
    why: tuple[str, ...] = ()
    todo: str | None = None
    held: bool = False
    changed_by: tuple[str, ...] = ()
    replaced_by: str | None = None
    problems: tuple[Problem, ...] = ()

    def to_json(self) -> dict[str, object]:
        decided, expected = self._said(self.decided), self._said(self.expected)
        rows = [one.row for one in self.decided]
        return {
            "changed_by": list(self.changed_by),
            "column": self.mark.column,
            "decided": decided,
            "document": self.document,
            "expected": expected,
            "file": self.mark.file,
            "held": self.held,
            "id": self.id,
            "layer": self.layer,
            "line": self.mark.line,
            "outcome": self.outcome,
            "replaced_by": self.replaced_by,
            "row": rows if self.lists else next(iter(rows), None),
            "todo": self.todo,
            "why": list(self.why),
        }

    def _said(self, answers: Sequence[Answer]) -> object:
        """A list where the document answers with one, else the one answer or null."""
        said = [one.to_json() for one in answers]
        return said if self.lists else next(iter(said), None)


@dataclass(frozen=True)
class CaseRun:
    """A whole run: every result, in the order of documents and cases, and the rows that are covered.

    ``problems`` are those of cases that could not be read or asked. ``named`` are the documents that were asked for by
    name, with their places; none where the whole set was.
    """

    results: tuple[Result, ...]
    coverage: Coverage
    problems: tuple[Problem, ...]
    named: tuple[tuple[str, Mark], ...] = ()

    def of(self, outcome: str) -> tuple[Result, ...]:
        """The results of one outcome."""
        return tuple(one for one in self.results if one.outcome == outcome)

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many cases had each outcome."""
        return {outcome: len(self.of(outcome)) for outcome in OUTCOMES}

    def shortcomings(self, require_all: bool) -> tuple[Problem, ...]:
        """What keeps the run from being a pass, its cases apart: nothing was asked, or rows are not covered."""
        missing = tuple(self._no_cases())
        if require_all:
            missing += tuple(_uncovered(one) for one in self.coverage.uncovered)
        return missing

    def _no_cases(self) -> Iterator[Problem]:
        asked: dict[str, int] = {}
        still_to_do: dict[str, int] = {}
        for one in (one for one in self.results if one.replaced_by is None):
            counts = still_to_do if one.outcome == TODO else asked
            counts[one.document] = counts.get(one.document, 0) + 1
        hint = "say what it decides: cases: [{id, given, expect, row}]"
        for document, mark in self.named:
            if document not in asked:
                message = f"{document} has no case{_but(still_to_do.get(document, 0))}"
                yield Problem(NO_CASES, message, mark, document, hint)
        if not self.named and not asked:
            message = f"there is no case here{_but(sum(still_to_do.values()))}, so nothing was shown"
            yield Problem(NO_CASES, message, Mark("", 0, 0), "", "give tables and machines cases")


def _but(still_to_do: int) -> str:
    return f" but {still_to_do} still to do" if still_to_do else ""


def _uncovered(one: Uncovered) -> Problem:
    message = f"no passing case hits the row {one.row}"
    return Problem(UNCOVERED, message, one.mark, one.document, "add a case whose answer this row gives")
