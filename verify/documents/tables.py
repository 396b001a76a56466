"""The tables of a document, each with the headers of its columns."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from verify.criteria.pieces import plain_words
from verify.documents.sections import holds
from verify.fields import with_code
from verify.markdown import LINE_BREAK, Block, BlockKind, Cell


class Table(NamedTuple):
    """``columns`` are the header's cells in plain words, ``rows`` the rows below it; ``line`` is the header's."""

    line: int
    columns: tuple[str, ...]
    rows: tuple[Block, ...]

    def column(self, names: Collection[str]) -> int | None:
        """The first column whose header holds one of ``names`` as whole words; null without one."""
        return next((place for place, words in enumerate(self.columns) if holds(words, names)), None)


def tables_in(blocks: Iterable[Block]) -> tuple[Table, ...]:
    """The tables in order; linear in the blocks."""
    found: list[Table] = []
    header: Block | None = None
    rows: list[Block] = []

    def close() -> None:
        if header is not None:
            columns = tuple(plain_words(cell_text(cell)) for cell in header.cells)
            found.append(Table(header.line, columns, tuple(rows)))

    for block in blocks:
        if block.kind is not BlockKind.ROW:
            continue
        if block.header:
            close()
            header, rows = block, []
        else:
            rows.append(block)
    close()
    return tuple(found)


def cell_text(cell: Cell) -> str:
    """What a reader sees in a cell, inline code included, on one line."""
    return with_code(cell.text, 0, cell.spans).replace(LINE_BREAK, " ").strip()
