"""Policies as rows and columns of text, for whoever draws them: nothing here knows how wide a terminal is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from toolkit.authoring.drawing.cells import condition_text, then_texts
from toolkit.policy.deciding.columns import cells_of
from toolkit.policy.documents.heads import Head, Vocabulary
from toolkit.policy.language.rules import Row, TableDocument, When
from toolkit.policy.language.transitions import MachineDocument, Transition

NAME, TESTED, ANSWER, NOTE = "name", "tested", "answer", "note"  # what a column holds
OR: Final = "  or"
ABOVE: Final = "as above"
MAX_REPEATED: Final = 40  # characters of a cell that is repeated in each alternative


class Column(NamedTuple):
    """A column: its title, and what it holds."""

    title: str
    holds: str


class Grid(NamedTuple):
    """Texts in rows and columns; a text may have several lines."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]


def table_grid(document: TableDocument) -> Grid:
    """A decision table: a column for each name that a row tests, then the outputs; an empty cell asks for nothing.

    A row with alternatives has a line for each, the later ones under ``or``.
    """
    tested = _tested(document)
    outputs = tuple(document.outputs)
    layers = _layers(document.head, document.rows)
    columns = [Column("row", NAME), *(Column(name, TESTED) for name in tested)]
    columns += [Column(f"=> {name}", ANSWER) for name in outputs]
    columns += [Column("layer", NOTE)] if layers else []
    rows = []
    for row in document.rows:
        ends = (*then_texts(row, outputs), *([row.layer] if layers else []))
        for number, cells in enumerate(_alternatives(row.when)):
            name, end = (OR, ("",) * len(ends)) if number else (row.id, ends)
            rows.append((name, *(cells.get(one, "") for one in tested), *end))
    return Grid(tuple(columns), tuple(rows))


def stacked_grid(document: TableDocument) -> Grid:
    """The same table in three columns, however many names it has: a line for each condition of a row."""
    layers = _layers(document.head, document.rows)
    columns = (Column("row", NAME), Column("when", TESTED), Column("=>", ANSWER))
    outputs = tuple(document.outputs)
    rows = []
    for row in document.rows:
        then = zip(outputs, then_texts(row, outputs), strict=True)
        answers = [text if row.error is not None else f"{name}: {text}" for name, text in then if text]
        whole = (row.id, _stacked(row.when) or "always", "\n".join(answers))
        rows.append((*whole, row.layer) if layers else whole)
    return Grid((*columns, Column("layer", NOTE)) if layers else columns, tuple(rows))


def transposed(grid: Grid) -> Grid:
    """A grid on its side: a column for each row."""
    columns = (Column("", TESTED), *(Column(row[0], NAME) for row in grid.rows))
    rows = [(column.title, *(row[at] for row in grid.rows)) for at, column in enumerate(grid.columns) if at]
    return Grid(columns, tuple(rows))


def machine_grid(document: MachineDocument) -> Grid:
    """A machine: a row for each transition."""
    rows_of = {row.id: row for table in document.events.values() for row in table.rows}
    layers = _layers(document.head, rows_of.values())
    titles = [("transition", NAME), ("from", TESTED), ("event", TESTED), ("when", TESTED), ("=> to", ANSWER)]
    titles += [("on the way", NOTE)] + ([("layer", NOTE)] if layers else [])
    rows = []
    for one in document.transitions.values():
        whole = (one.id, "\n".join(one.from_states), one.event, when_text(one), one.to, "\n".join(one.effects))
        rows.append((*whole, rows_of[one.id].layer) if layers else whole)
    return Grid(tuple(Column(*title) for title in titles), tuple(rows))


def stacked_machine_grid(document: MachineDocument) -> Grid:
    """The same machine in three columns, a line for each thing that is told of a transition."""
    rows_of = {row.id: row for table in document.events.values() for row in table.rows}
    layers = _layers(document.head, rows_of.values())
    columns = (Column("transition", NAME), Column("from, event, when", TESTED), Column("=> to, on the way", ANSWER))
    rows = []
    for one in document.transitions.values():
        before = [f"from: {' or '.join(one.from_states)}", f"event: {one.event}", when_text(one)]
        whole = (one.id, "\n".join(filter(None, before)), "\n".join([f"to: {one.to}", *one.effects]))
        rows.append((*whole, rows_of[one.id].layer) if layers else whole)
    return Grid((*columns, Column("layer", NOTE)) if layers else columns, tuple(rows))


def when_text(transition: Transition) -> str:
    """The conditions of a transition, a line each."""
    return _stacked(transition.when)


def vocabulary_grid(vocabulary: Vocabulary) -> Grid:
    """A vocabulary: a row for each term with its anchors."""
    names = tuple(dict.fromkeys(name for term in vocabulary.terms for name in vocabulary.anchors[term]))
    rows = tuple((term, *(vocabulary.anchors[term].get(name, "") for name in names)) for term in vocabulary.terms)
    return Grid((Column("term", NAME), *(Column(name, NOTE) for name in names)), rows)


def _stacked(when: When) -> str:
    """Conditions a line each, one alternative after the other."""
    alternatives = ("\n".join(f"{name}: {text}" for name, text in one.items()) for one in _alternatives(when))
    return "\nor\n".join(alternatives)


def _tested(document: TableDocument) -> tuple[str, ...]:
    """The names that some row tests, as they are declared."""
    used = {name for name, _ in cells_of(document)}
    declared = (*document.inputs, *document.item_fields, *(let.name for let in document.lets))
    return tuple(name for name in declared if name in used)


def _layers(head: Head, rows: Iterable[Row]) -> bool:
    """Whether some row comes from another layer than the document."""
    return any(row.layer != head.layer for row in rows)


def _alternatives(when: When) -> list[Mapping[str, str]]:
    """The cells of a row by name, once for each alternative; what all of them share is told in full in the first."""
    common = {name: condition_text(condition) for name, condition in when.cells}
    if not when.any_of:
        return [common]
    told: list[Mapping[str, str]] = []
    for number, other in enumerate(when.any_of):
        cells = {name: text if not number or len(text) <= MAX_REPEATED else ABOVE for name, text in common.items()}
        for name, condition in other.cells:
            own = condition_text(condition)
            cells[name] = f"{cells[name]}\nand {own}" if name in cells else own
        told.append(cells)
    return told
