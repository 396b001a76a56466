"""Whether the block of a criterion says how it is verified. A cue that is found is no verification."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cache
from operator import attrgetter
from typing import NamedTuple

from verify.criteria.commands import command_in
from verify.criteria.pieces import Piece, plain_words
from verify.criteria.rules import CriteriaRules, CueRules
from verify.fields import COLONS
from verify.markdown import CODE, NO_LINES, BlockKind, CodeSpan
from verify.words import either

_OFFSET = attrgetter("offset")


class Cue(NamedTuple):
    """What was found (``Verify`` or the command's first word) and on which line (1-based)."""

    what: str
    line: int


def find_cue(pieces: Sequence[Piece], rules: CriteriaRules) -> Cue | None:
    """The first cue in a block: a labelled statement ("Verify: …"), or a command in inline code or a fence.

    In a table's verification column only a command counts. A label with nothing after it is filled by what comes
    right below: the next line, a nested item or a fence.
    """
    for index, piece in enumerate(pieces):
        below = pieces[index + 1] if index + 1 < len(pieces) else None
        cue = _in_code(piece, rules) or _in_statement(piece, below, rules)
        if cue is not None:
            return cue
    return None


def _in_code(piece: Piece, rules: CriteriaRules) -> Cue | None:
    """A command in inline code, or as the first line of a fence or an indented block."""
    if piece.kind in CODE:
        word = command_in(piece.text, rules.commands)
        return Cue(word, piece.line) if word else None
    for span in piece.spans:
        word = command_in(span.text, rules.commands)
        if word:
            return Cue(word, span.line)
    return None


def _in_statement(piece: Piece, below: Piece | None, rules: CriteriaRules) -> Cue | None:
    if piece.kind in CODE:
        return None
    if piece.kind is BlockKind.ROW:
        cells = (cell for column, cell in piece.columned_cells() if column not in rules.cues.columns)
        markers = (_marker(cell.text, cell.spans, rules.cues) for cell in cells)
        found = next((marker for marker, filled in filter(None, markers) if filled), None)
        return Cue(found, piece.line) if found else None
    marked = _marker(piece.text, piece.spans, rules.cues)
    if marked is None:
        return None
    marker, filled = marked
    if filled or (below is not None and _fills(piece, below, rules)):
        return Cue(marker, piece.line)
    return None


def _marker(text: str, spans: Iterable[CodeSpan], rules: CueRules) -> tuple[str, bool] | None:
    """The first marker of a text that has something after it; else the last, if the text ends right after it.

    Inside a sentence a marker counts only with a capital letter; at the beginning of one it may be in any case.
    """
    readable = text.translate(COLONS)
    empty: str | None = None
    end = 0
    matches = list(_pattern(rules.markers).finditer(readable))
    code = tuple(spans)
    for match, following in zip(matches, [*matches[1:], None], strict=False):
        before = readable[end : match.start()].rstrip()
        end = match.end()
        if (before[-1:].isalnum() or before.endswith(",")) and not match["word"][0].isupper():
            continue
        stop = following.start() if following else len(readable)
        if _is_statement(_with_code(readable, code, end, stop), rules):
            return match["word"], True
        empty = match["word"]
    return (empty, False) if empty is not None else None


def _fills(piece: Piece, below: Piece, rules: CriteriaRules) -> bool:
    """Whether what stands right below an empty marker is its text."""
    if below.kind in NO_LINES:
        return says_something(below.text + "".join(f" {span.text}" for span in below.spans), rules.cues)
    if below.kind is BlockKind.HEADING and below.first:
        return False
    if below.kind is BlockKind.ITEM and below.first and piece.kind is BlockKind.ITEM:
        nested = below.block.level > piece.block.level
        if not nested:
            return False
    text = below.text.translate(COLONS)
    return _is_statement(_with_code(text, below.spans, 0, len(text)), rules.cues)


def says_something(text: str, rules: CueRules) -> bool:
    """Whether ``text`` has words, does not begin with a placeholder ("TBD by QA"), and is no empty answer ("no")."""
    words = plain_words(text)
    if not words or words in rules.empty_answers:
        return False
    return not f"{words} ".startswith(rules.placeholders)


def _is_statement(text: str, rules: CueRules) -> bool:
    """Whether ``text`` says something and is not another field of the criterion ("Owner: …")."""
    name, colon, _ = text.partition(":")
    return not (colon and plain_words(name) in rules.other_fields) and says_something(text, rules)


def _with_code(text: str, code: Sequence[CodeSpan], start: int, stop: int) -> str:
    """``text[start:stop]`` with the inline code in its places."""
    parts = []
    first, last = bisect_left(code, start, key=_OFFSET), bisect_left(code, stop, key=_OFFSET)
    for span in code[first:last]:
        parts += [text[start : span.offset], " ", span.text, " "]
        start = span.offset
    return "".join([*parts, text[start:stop]])


@cache
def _pattern(markers: tuple[str, ...]) -> re.Pattern[str]:
    """A marker as whole words, perhaps a remark in brackets, and a colon."""
    return re.compile(rf"(?<![\w-])(?P<word>{either(markers)})[ \t]?(?:\([^()\n]{{0,60}}\)[ \t]?)?:", re.IGNORECASE)
