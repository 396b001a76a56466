"""What a table mentions of each name: the cells of rows and requirements, and what its outputs take from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toolkit.policy.deciding.columns import Cell, cells_in
from toolkit.policy.language.conditions import AllOf, Compare, Equals, Present
from toolkit.policy.language.rules import Produced, Reference, Row, TableDocument
from toolkit.policy.syntax.scalars import Scalar
from toolkit.policy.types import IntegerType, ListType


def referenced_cells(document: TableDocument) -> Iterator[Cell]:
    """The names that outputs take their values from, each with the values that a requirement asks of it."""
    for row in document.rows:
        yield from range_cells(document, row)
        for output, produced in row.then.items():
            for name in references_in(produced):
                yield name, Present(True)
                for invariant in document.require:
                    yield from ((name, Equals(value)) for value in scalars(invariant.when_output.get(output, ())))


def range_cells(document: TableDocument, row: Row) -> Iterator[Cell]:
    """Where the integers that a row answers are legal outputs; elsewhere it is no answer."""
    for output, produced in row.then.items():
        kind = document.outputs[output].type
        kind = kind.items if isinstance(kind, ListType) else kind
        if isinstance(kind, IntegerType):
            for name in references_in(produced):
                yield name, AllOf((Compare("gte", kind.minimum), Compare("lte", kind.maximum)))


def references_in(produced: Produced) -> Iterator[str]:
    """The names that an output refers to."""
    if isinstance(produced, Reference):
        yield produced.name
    elif isinstance(produced, tuple):
        for part in produced:
            yield from references_in(part)


def scalars(values: Iterable[Produced]) -> Iterator[Scalar]:
    """The scalars among some values."""
    return (value for value in values if value is None or isinstance(value, (bool, int, str)))


def row_cells(document: TableDocument) -> Iterator[Cell]:
    """The cells of rows and requirements."""
    for row in document.rows:
        yield from cells_in(row.when)
    for invariant in document.require:
        yield from invariant.inputs
