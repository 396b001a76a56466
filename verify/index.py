"""Rows of the index documents (``tasks.md``, ``backlog.md``): which belong to a task, and their fields."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from verify.artifacts import Artifact
from verify.markdown import Block, BlockKind

MARKUP = " \t*_`~[]"


class IndexRow(NamedTuple):
    """One row: the document's kind and path, the line (1-based), its text verbatim, its fields without markup."""

    kind: str
    path: str
    line: int
    text: str
    fields: tuple[str, ...]


def find_rows(index: Artifact, task_id: str, separator: str) -> tuple[IndexRow, ...]:
    """The rows whose own id is ``task_id``, as a whole token: a list item, a line of several fields, a table's row.

    A row that only mentions the id is not the task's, nor is one inside code or a comment.
    """
    if task_id not in index.text:
        return ()
    rows: list[IndexRow] = []
    for block in index.blocks:
        for line, fields in _rows(block, index, separator):
            row = len(fields) > 1 or (block.kind is BlockKind.ITEM and line == block.line)
            if row and _is_of(fields, task_id, table=block.kind is BlockKind.ROW):
                rows.append(IndexRow(index.kind, index.path, line, index.line(line), fields))
    return tuple(rows)


def _rows(block: Block, index: Artifact, separator: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    if block.kind is BlockKind.ROW:
        cells = (cell.text.strip() or " ".join(span.text for span in cell.spans) for cell in block.cells)
        yield block.line, tuple(cell.strip(MARKUP) for cell in cells)
        return
    for prose in block.prose_lines():
        raw = _marker().sub("", index.line(prose.number), count=1)
        yield prose.number, tuple(field.strip(MARKUP) for field in raw.split(separator))


def _is_of(fields: tuple[str, ...], task_id: str, *, table: bool) -> bool:
    if table:
        return task_id in fields
    first = _token().search(fields[0])
    return first is not None and first.group() == task_id


@cache
def _marker() -> re.Pattern[str]:
    """Block quote and list markers, a task box."""
    return re.compile(r"^[\s>]*(?:[-*+]\s+|[0-9]{1,9}[.)]\s+)?(?:\[[ xX]\]\s+)?")


@cache
def _token() -> re.Pattern[str]:
    return re.compile(r"[\w-]+")
