"""Which rows and transitions are covered: those that some passing case hit."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from toolkit.policy.language.rules import Row
from toolkit.policy.problems import Mark


class DocumentCoverage(NamedTuple):
    """How many rows of one document are covered, and how many cases it has, whatever became of them."""

    document: str
    rows: int
    covered: int
    cases: int

    def to_json(self) -> dict[str, object]:
        return self._asdict()


class Uncovered(NamedTuple):
    """A row that no passing case hit, the layer that gave it, and its place."""

    document: str
    row: str
    layer: str
    mark: Mark

    def to_json(self) -> dict[str, object]:
        mark = self.mark
        return {
            "column": mark.column,
            "document": self.document,
            "file": mark.file,
            "layer": self.layer,
            "line": mark.line,
            "row": self.row,
        }


class Coverage(NamedTuple):
    """The rows of everything that was asked, and those that no passing case hit, in the order of their documents."""

    documents: tuple[DocumentCoverage, ...]
    uncovered: tuple[Uncovered, ...]

    @property
    def rows(self) -> int:
        """How many rows and transitions there are."""
        return sum(one.rows for one in self.documents)

    @property
    def covered(self) -> int:
        """How many of them some passing case hit."""
        return sum(one.covered for one in self.documents)

    @property
    def without_cases(self) -> tuple[str, ...]:
        """The documents that have no case at all."""
        return tuple(one.document for one in self.documents if not one.cases)

    def to_json(self) -> dict[str, object]:
        return {
            "covered": self.covered,
            "documents": [one.to_json() for one in self.documents],
            "rows": self.rows,
            "uncovered": [one.to_json() for one in self.uncovered],
            "without_cases": list(self.without_cases),
        }


def coverage_of(
    document: str, rows: Mapping[str, Row], hit: Collection[str], cases: int
) -> tuple[DocumentCoverage, tuple[Uncovered, ...]]:
    """The coverage of one document by the rows that its passing cases ``hit``."""
    missed = tuple(Uncovered(document, row.id, row.layer, row.mark) for row in rows.values() if row.id not in hit)
    return DocumentCoverage(document, len(rows), len(rows) - len(missed), cases), missed
