"""Rows of the index documents (``tasks.md``, ``backlog.md``): which belong to a task, and their fields."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache
from typing import Final, NamedTuple

from verify.artifacts import Artifact, ArtifactRules
from verify.fields import parts_of, with_code
from verify.markdown import Block, BlockKind
from verify.workspace import is_task_id

MARKUP: Final = " \t*_`"
AFTER_ID: Final = frozenset(":—–-")  # what may follow the id in its field: a title, as in "ABCD-0001: title"


class IndexRow(NamedTuple):
    """One row: the document's kind and path, the line (1-based), its text verbatim, its fields without markup.

    ``statuses`` are the fields that stand where a status stands, ``levels`` those where a level does; that is null
    where any field after the first may be the level. ``own`` says that the row speaks for the task: it stands in
    nothing that belongs to another one, and its first field is the id. A row that is not its own can contradict
    others, and never decides.
    """

    kind: str
    path: str
    line: int
    text: str
    fields: tuple[str, ...]
    statuses: tuple[str, ...] = ()
    levels: tuple[str, ...] | None = None
    own: bool = True


class _Columns(NamedTuple):
    """Which columns of a table hold what; ``named`` says that its header names any of them."""

    id: int = 0
    statuses: tuple[int, ...] = ()
    levels: tuple[int, ...] = ()
    named: bool = False


def find_rows(index: Artifact, task_id: str, rules: ArtifactRules) -> tuple[IndexRow, ...]:
    """The rows whose own id is ``task_id``, as a whole token: a list item, a line of several fields, a table's row.

    The id stands in the first field, or in a table in the column of ids. A row that mentions it elsewhere is not the
    task's, nor is one inside code or a comment.
    """
    if task_id not in index.text:
        return ()
    reader = _Reader(index, task_id, rules)
    return tuple(row for block in index.blocks for row in reader.rows(block))


class _Reader:
    """Reads block after block; knows the columns of the table and the sections of other tasks that are open."""

    def __init__(self, index: Artifact, task_id: str, rules: ArtifactRules) -> None:
        self._index = index
        self._id = task_id
        self._rules = rules
        self._columns = _Columns()
        self._foreign: int | None = None  # the level of the heading that opened another task's section

    def rows(self, block: Block) -> Iterator[IndexRow]:
        """The task's rows in the next block."""
        nested = block.quoted or block.item_line is not None
        if block.kind is BlockKind.HEADING and not nested:
            self._enter(block)
        own = not nested and self._foreign is None
        if block.kind is BlockKind.ROW:
            yield from self._of_table(block, own)
        else:
            yield from self._of_lines(block, own)

    def _enter(self, heading: Block) -> None:
        if self._foreign is None or heading.level <= self._foreign:
            first = _first_token(heading.text)
            other = first != self._id and is_task_id(first, self._rules.task_id, self._rules.task_id_max)
            self._foreign = heading.level if other else None

    def _of_table(self, block: Block, own: bool) -> Iterator[IndexRow]:
        cells = tuple(with_code(cell.text, 0, cell.spans).strip(MARKUP) for cell in block.cells)
        if block.header:
            self._columns = _columns(cells, self._rules)
        columns = self._columns
        if columns.id < len(cells) and _first_token(cells[columns.id]) == self._id:
            statuses = _picked(cells, columns.statuses)
            levels = _picked(cells, columns.levels) if columns.named else None
            yield self._row(block.line, cells, statuses, levels, own and _is_id(cells[columns.id], self._id))

    def _of_lines(self, block: Block, own: bool) -> Iterator[IndexRow]:
        lines = [
            (line.number, tuple(part.written.strip(MARKUP) for part in parts_of(line, self._rules.separator)))
            for line in block.prose_lines()
        ]
        item = block.kind is BlockKind.ITEM
        sentence = not item and any(len(fields) == 1 for _, fields in lines)  # its line may begin with any id
        for number, fields in lines:
            begins = item and number == block.line
            if (len(fields) > 1 or begins) and _first_token(fields[0]) == self._id:
                own_line = begins or not (item or sentence)
                yield self._row(number, fields, fields[1:2], None, own and own_line and _is_id(fields[0], self._id))

    def _row(
        self, line: int, fields: tuple[str, ...], statuses: tuple[str, ...], levels: tuple[str, ...] | None, own: bool
    ) -> IndexRow:
        index = self._index
        said = tuple(filter(None, statuses))
        return IndexRow(index.kind, index.path, line, index.line(line), fields, said, levels, own)


def _columns(header: tuple[str, ...], rules: ArtifactRules) -> _Columns:
    names = [" ".join(cell.casefold().split()) for cell in header]
    identity = next((names.index(name) for name in rules.columns.ids if name in names), None)
    statuses, levels = _positions(names, rules.columns.statuses), _positions(names, rules.columns.levels)
    return _Columns(identity or 0, statuses, levels, identity is not None or bool(statuses or levels))


def _positions(names: list[str], wanted: Collection[str]) -> tuple[int, ...]:
    return tuple(position for position, name in enumerate(names) if name in wanted)


def _picked(cells: tuple[str, ...], positions: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(cells[position] for position in positions if position < len(cells) and cells[position])


def _first_token(text: str) -> str:
    found = _token().search(text)
    return found.group() if found else ""


def _is_id(field: str, task_id: str) -> bool:
    """Whether a field is the id, perhaps as a link, and perhaps with a title after a colon or a dash."""
    found = _identity().match(field)
    if found is None or found["id"] != task_id:
        return False
    rest = field[found.end() :].lstrip()
    return not rest or rest[0] in AFTER_ID


@cache
def _token() -> re.Pattern[str]:
    return re.compile(r"[\w-]+")


@cache
def _identity() -> re.Pattern[str]:
    """An id as it is, in brackets, or as a link."""
    return re.compile(r"\[*(?P<id>[\w-]+)\]*(?:(?<=\])\([^()]*\))?")
