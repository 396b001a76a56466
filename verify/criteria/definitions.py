"""Which lines of a document define acceptance criteria, and how far each one's block reaches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from verify.criteria.leads import Lead, read_lead
from verify.criteria.pieces import Piece, cut, plain_words
from verify.criteria.rules import CriteriaRules
from verify.markdown import Block, BlockKind, in_ranges


class Definition(NamedTuple):
    """One place that defines ``labels``: its line, the last line of its block (1-based), and what is in the block.

    The block ends where the next definition or heading begins; one that is a heading ends at a heading of the same
    or a higher level.
    """

    labels: tuple[str, ...]
    line: int
    end: int
    pieces: tuple[Piece, ...]


def criteria_in(blocks: Sequence[Block], rules: CriteriaRules) -> tuple[Definition, ...]:
    """The definitions of a document in order; linear in its size.

    A label is defined by a bullet, a box, a numbered item, a bold or plain line of a paragraph, a heading or a table
    row that begins with it (a row: any cell). Code, comments and citations define nothing.
    """
    pieces = cut(blocks)
    starts = list(_starts(pieces, rules))
    ends = _ends(pieces, [index for index, _ in starts])
    last = max((block.end for block in blocks), default=0)
    found = []
    for (index, labels), end in zip(starts, ends, strict=True):
        end_line = pieces[end].line - 1 if end < len(pieces) else last
        found.append(Definition(labels, pieces[index].line, end_line, pieces[index:end]))
    return tuple(found)


def _starts(pieces: Sequence[Piece], rules: CriteriaRules) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Index and labels of each piece that defines some."""
    citing_level: int | None = None
    before: Piece | None = None
    for index, piece in enumerate(pieces):
        if piece.kind is BlockKind.HEADING and piece.first:
            level = piece.block.level
            if citing_level is None or level <= citing_level:
                citing = plain_words(piece.text) in rules.definitions.citing_sections
                citing_level = level if citing else None
        if citing_level is None:
            labels = _labels_of(piece, before, rules)
            if labels:
                yield index, labels
        before = piece


def _labels_of(piece: Piece, before: Piece | None, rules: CriteriaRules) -> tuple[str, ...]:
    """The labels that a piece defines; ``before`` is the piece above it."""
    if piece.kind in {BlockKind.FENCE, BlockKind.CODE}:
        return ()
    if piece.kind is BlockKind.ROW:
        return _labels_of_row(piece, rules)
    lead = read_lead(piece.text, rules)
    if lead is None or not _defines(piece, lead, before, rules):
        return ()
    return lead.labels


def _defines(piece: Piece, lead: Lead, before: Piece | None, rules: CriteriaRules) -> bool:
    if piece.kind is BlockKind.HEADING:
        return piece.first
    bold = in_ranges(lead.start, piece.strong)
    if piece.kind is BlockKind.ITEM and piece.first:
        if len(lead.labels) > 1:
            return lead.separated
        return lead.separated or bold or not lead.bare or piece.goes_on or piece.block.checkbox is not None
    if not piece.first and before is not None and _runs_on(before.text, rules):
        return False
    return lead.separated or (len(lead.labels) == 1 and (bold or (lead.listed and not lead.bare)))


def _labels_of_row(piece: Piece, rules: CriteriaRules) -> tuple[str, ...]:
    """The labels of the first cell that defines any: a label alone, a bold one, one that is set off from its text.

    In the first column the text may follow directly. The header of a matrix (several labels side by side) defines
    nothing, nor does a column of references.
    """
    leads = [
        (lead, place, cell)
        for place, (column, cell) in enumerate(piece.columned_cells())
        if column not in rules.definitions.citing_columns and (lead := read_lead(cell.text, rules)) is not None
    ]
    if piece.block.header and len(leads) != 1:
        return ()
    for lead, place, cell in leads:
        one = len(lead.labels) == 1
        alone = one and (lead.bare or place == 0 or in_ranges(lead.start, cell.strong))
        if alone or (lead.separated and not lead.bare):
            return lead.labels
    return ()


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
