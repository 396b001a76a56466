"""Which lines of a document define acceptance criteria, and how far each one's block reaches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from verify.criteria.leads import Lead, begins_with_reference, read_lead
from verify.criteria.pieces import Piece, cut, plain_words
from verify.criteria.rules import CriteriaRules
from verify.markdown import CODE, LINE_BREAK, Block, BlockKind, Cell, in_ranges


class Definition(NamedTuple):
    """One place that defines ``labels``: its line, the last line of its block (1-based), and what is in the block.

    The block ends where the next definition or heading begins, and before whatever else begins with another label;
    one that is a heading ends at a heading of the same or a higher level.
    """

    labels: tuple[str, ...]
    line: int
    end: int
    pieces: tuple[Piece, ...]


class _Start(NamedTuple):
    """A piece (by its place) that begins with labels: they end the block before, and perhaps are defined here."""

    place: int
    labels: tuple[str, ...]
    defines: bool


def criteria_in(blocks: Sequence[Block], rules: CriteriaRules) -> tuple[Definition, ...]:
    """The definitions of a document in order; linear in its size.

    A label is defined by a bullet, a box, a numbered item, a bold or plain line of a paragraph, a heading or a table
    row that begins with it (a row: any cell). Code, comments, raw HTML and citations define nothing.
    """
    pieces = cut(blocks)
    starts = list(_starts(pieces, rules))
    ends = _ends(pieces, [start.place for start in starts])
    last = max((block.end for block in blocks), default=0)
    found = []
    for start, end in zip(starts, ends, strict=True):
        if start.defines:
            line = pieces[start.place].line
            end_line = pieces[end].line - 1 if end < len(pieces) else last
            found.append(Definition(start.labels, line, max(line, end_line), pieces[start.place : end]))
    return tuple(found)


def _starts(pieces: Sequence[Piece], rules: CriteriaRules) -> Iterator[_Start]:
    """Each piece that begins with labels, but for those that only repeat what the definition above them defines."""
    citing_level: int | None = None
    before: Piece | None = None
    current: frozenset[str] = frozenset()
    for index, piece in enumerate(pieces):
        if piece.kind is BlockKind.HEADING and piece.first:
            level = piece.block.level
            if citing_level is None or level <= citing_level:
                citing_level = level if _cites(piece.text, rules) else None
        labels, defines = _labels_of(piece, before, rules)
        defines = defines and citing_level is None
        if defines or not current.issuperset(labels):
            current = frozenset(labels)
            yield _Start(index, labels, defines)
        before = piece


def _cites(heading: str, rules: CriteriaRules) -> bool:
    """Whether a heading, without its outline number and remarks, is that of a section that only cites."""
    words = plain_words(_heading_ends().split(heading, maxsplit=1)[0]).split()
    while words and words[0].isdigit():
        del words[0]
    return " ".join(words) in rules.definitions.citing_sections


def _labels_of(piece: Piece, before: Piece | None, rules: CriteriaRules) -> tuple[tuple[str, ...], bool]:
    """The labels that a piece begins with, and whether it defines them; ``before`` is the piece above it."""
    if piece.kind in CODE:
        return (), False
    if piece.kind is BlockKind.ROW:
        return _labels_of_row(piece, rules)
    lead = read_lead(piece.text, rules)
    if lead is None:
        return (), False
    inside = piece.kind is not BlockKind.HEADING and not (piece.kind is BlockKind.ITEM and piece.first)
    if inside and not piece.first and before is not None and _runs_on(before.text, rules):
        return (), False
    return lead.labels, not lead.cites and _defines(piece, lead)


def _defines(piece: Piece, lead: Lead) -> bool:
    if piece.kind is BlockKind.HEADING:
        return piece.first
    bold = in_ranges(lead.start, piece.strong)
    if piece.kind is BlockKind.ITEM and piece.first:
        alone = len(lead.labels) == 1
        return lead.separated or not lead.bare or (bold and alone) or piece.goes_on or piece.block.checkbox is not None
    return lead.separated or bold or (lead.listed and not lead.bare)


class _CellLeads(NamedTuple):
    """The labels of one cell, and whether the cell defines them."""

    labels: tuple[str, ...]
    defines: bool


def _labels_of_row(piece: Piece, rules: CriteriaRules) -> tuple[tuple[str, ...], bool]:
    """The labels of the first cell that defines any; else every label that a cell begins with.

    The header of a table defines nothing, nor does a column of references.
    """
    cells = list(_leads_of_cells(piece, rules))
    if not piece.block.header:
        for labels, defines in cells:
            if defines:
                return labels, True
    return tuple(label for labels, _ in cells for label in labels), False


def _leads_of_cells(piece: Piece, rules: CriteriaRules) -> Iterator[_CellLeads]:
    """The cells that begin with labels (each line of a cell is looked at).

    Several labels with no text are a reference, unless nothing but a number or a sign stands before them in the row.
    """
    cells = list(piece.columned_cells())
    leading = True
    for place, (column, cell) in enumerate(cells):
        if column not in rules.definitions.citing_columns:
            leads = [lead for text in cell.text.split(LINE_BREAK) if (lead := read_lead(text, rules)) is not None]
            labels = tuple(dict.fromkeys(label for lead in leads for label in lead.labels))
            bare = all(lead.bare for lead in leads)
            refers = any(lead.cites for lead in leads) or (bare and _refers(cells[place + 1 : place + 2], rules))
            if labels:
                yield _CellLeads(labels, not refers and (leading or len(labels) == 1 or not bare))
        leading = leading and not (cell.spans or any(char.isalpha() for char in cell.text))


def _refers(following: Sequence[tuple[str, Cell]], rules: CriteriaRules) -> bool:
    """Whether the text of a row, in the cell after its label, only says where the label is defined."""
    return any(
        column not in rules.cues.columns and begins_with_reference(cell.text, rules) for column, cell in following
    )


def _runs_on(line: str, rules: CriteriaRules) -> bool:
    """Whether a line of prose breaks off inside a sentence that the next line goes on with."""
    end = line.rstrip()
    if end.endswith((",", "(", "[")):
        return True
    last = _last_word().search(end[-40:])
    return last is not None and last.group().casefold() in rules.definitions.running_words


def _ends(pieces: Sequence[Piece], starts: Sequence[int]) -> list[int]:
    """For each start, the index of the first piece that is no more of its block."""
    ends: list[int] = []
    beginning = set(starts)
    next_start = len(pieces)
    next_heading = [len(pieces)] * (_LEVELS + 1)  # by level: the nearest heading of that or a higher level
    for index in range(len(pieces) - 1, -1, -1):
        piece = pieces[index]
        heading = piece.kind is BlockKind.HEADING and piece.first
        if index in beginning:
            level = piece.block.level if heading else _LEVELS
            ends.append(min(next_start, next_heading[level]))
            next_start = index
        if heading:
            for level in range(piece.block.level, _LEVELS + 1):
                next_heading[level] = index
    ends.reverse()
    return ends


_LEVELS = 6  # of headings, in Markdown


@cache
def _last_word() -> re.Pattern[str]:
    return re.compile(r"\w+\.?$")


@cache
def _heading_ends() -> re.Pattern[str]:
    """Where a remark or a second name begins in a heading."""
    return re.compile(r"[(:/&,]|[ \t][—–-][ \t]")
