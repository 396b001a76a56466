"""Statements that bind labels, such as ``Covers: D-REQ-01, D-REQ-02``: a name, a colon, a list of labels."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from verify.criteria.labels import Mention
from verify.criteria.pieces import Piece, plain_words
from verify.fields import COLONS, with_code
from verify.markdown import CODE, BlockKind, CodeSpan
from verify.words import either

Find = Callable[[str], Iterable[Mention]]
_OPENINGS = "([{"
_CLOSINGS = ")]}"


class Bound(NamedTuple):
    """One statement: its ``name`` as written, the labels that its list holds, and what follows the list.

    ``line`` is where the name stands, ``end`` the last line that was read. ``labels`` keeps repetitions, and is empty
    where what follows the name is no list of labels.
    """

    name: str
    labels: tuple[str, ...]
    line: int
    end: int
    text: str


class _Text(NamedTuple):
    """A stretch of prose of one piece: a line, or a cell of a row with the plain words of its column's header."""

    place: int
    line: int
    prose: str
    spans: tuple[CodeSpan, ...]
    column: str = ""

    def between(self, start: int, stop: int) -> str:
        """What a reader sees from the offset ``start`` of the prose on, up to ``stop``."""
        return with_code(self.prose[start:stop], start, self.spans)


def bound_in(pieces: Sequence[Piece], names: Sequence[str], find: Find, joiners: Collection[str]) -> Iterator[Bound]:
    """The statements of ``pieces`` in order. Linear in them, as far as ``find`` is.

    A name counts as a whole word before a colon, anywhere in prose, in any case and emphasis, or as the header of a
    cell's column; inside code it does not. The list ends at the first word that is neither label nor joiner, so that
    a mention further on binds nothing. A list that has not begun, or ends in a joiner, goes on below: in the next
    line of its paragraph, or in the items right under it.
    """
    pattern, columns = name_pattern(tuple(names)), frozenset(map(plain_words, names))
    for text in _texts(pieces):
        prose = text.prose.translate(COLONS)
        matches = list(pattern.finditer(prose))
        if not matches and text.column in columns:
            labels, rest = leading_labels(text.between(0, len(prose)), find, joiners)
            yield Bound(text.column, labels, text.line, text.line, rest)
        for match, following in zip(matches, [*matches[1:], None], strict=False):
            stop = following.start() if following else len(prose)
            said = text.between(match.end(), stop)
            labels, rest = leading_labels(said, find, joiners)
            end = text.line
            if following is None and _goes_on(rest, labels, joiners):
                more, end, rest = _below(pieces, text.place, find, joiners)
                labels += more
            yield Bound(match["name"], labels, text.line, end, rest)


def before_names(text: str, names: Sequence[str]) -> str:
    """``text`` up to the first statement in it, without what leads over to that."""
    match = name_pattern(tuple(names)).search(text.translate(COLONS))
    return (text[: match.start()].rstrip(_OPENINGS + " \t-–—·") if match else text).strip()


def _texts(pieces: Sequence[Piece]) -> Iterator[_Text]:
    for place, piece in enumerate(pieces):
        if piece.kind is BlockKind.ROW:
            columns = (*piece.columns, *("" for _ in piece.block.cells[len(piece.columns) :]))
            for column, cell in zip(columns, piece.block.cells, strict=False):
                yield _Text(place, piece.line, cell.text, cell.spans, "" if piece.block.header else column)
        elif piece.kind not in CODE:
            yield _Text(place, piece.line, piece.text, piece.spans)


def leading_labels(text: str, find: Find, joiners: Collection[str]) -> tuple[tuple[str, ...], str]:
    """The labels that ``text`` begins with, in the grammar of a list, and what comes after them."""
    labels: list[str] = []
    end = 0
    for mention in find(text):
        gap = text[end : mention.start].strip()
        if not _joins(gap, joiners) if labels else gap.strip(_OPENINGS + " \t*_~`"):
            break
        labels += mention.labels
        end = mention.end
    return tuple(labels), text[end:].lstrip(_CLOSINGS).strip()


def _joins(gap: str, joiners: Collection[str]) -> bool:
    """Whether nothing but joiners (and emphasis or brackets) stands between two labels."""
    bare = gap.strip(_OPENINGS + _CLOSINGS + "*_`")
    for sign in joiners:
        if not sign.isalnum():
            bare = bare.replace(sign, " ")
    return all(word.casefold() in joiners for word in bare.split())


def _goes_on(rest: str, labels: Sequence[str], joiners: Collection[str]) -> bool:
    return not rest if not labels else bool(rest) and _joins(rest, joiners)


def _below(
    pieces: Sequence[Piece], place: int, find: Find, joiners: Collection[str]
) -> tuple[tuple[str, ...], int, str]:
    """The labels of a list that goes on below ``pieces[place]``, the last line of it, and what follows it there."""
    labels: list[str] = []
    start, end, rest = pieces[place], pieces[place].line, ""
    for at in range(place + 1, len(pieces)):
        piece = pieces[at]
        same = piece.block is start.block and not piece.first
        nested = piece.kind is BlockKind.ITEM and piece.first and piece.block.level > _depth(start)
        if not (same or nested) or (same and labels and not _joins(rest, joiners)):
            break
        found, rest = leading_labels(with_code(piece.text, 0, piece.spans), find, joiners)
        if not found:
            break
        labels += found
        end = piece.line
        if same and not rest:
            break
    return tuple(labels), end, rest


def _depth(piece: Piece) -> int:
    """How deep the items around a piece are nested."""
    return piece.block.level if piece.kind is BlockKind.ITEM else 0


@cache
def name_pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    """A name as a whole word, perhaps closing emphasis, and a colon."""
    return re.compile(rf"(?<![\w-])(?P<name>{either(names)})[ \t]?:", re.IGNORECASE)
