"""Whether a criterion says what is measured: a number, an exact value, or how a command ends (document shapes)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from verify.criteria import CriteriaRules, Piece
from verify.criteria.commands import command_in
from verify.criteria.labels import find_mentions
from verify.documents.measures import COMMAND, MASKED, NAMED, VALUE, MeasureRules, found
from verify.documents.sections import holds
from verify.fields import COLONS
from verify.markdown import CODE, LINE_BREAK, BlockKind, CodeSpan
from verify.words import either

_MARKS = str.maketrans(dict.fromkeys((VALUE, NAMED, COMMAND, MASKED), " "))


class Measure(NamedTuple):
    """What was found, as it is written, and on which line (1-based)."""

    what: str
    line: int


class Reader(NamedTuple):
    """The rules that a text is read by."""

    rules: MeasureRules
    criteria: CriteriaRules


def find_measure(pieces: Sequence[Piece], reader: Reader) -> Measure | None:
    """The first measure in the block of a criterion; null: it says nothing that can be measured. Linear in it.

    A number alone is none, nor is one that names something (a label, a date, a version, a step, a line of a file).
    How tests end is a measure only where the block holds a command.
    """
    commanded, ending = False, None
    for piece in pieces:
        for text, spans, column in _texts(piece, reader.rules.other_fields):
            marked = mark(text, spans, reader)
            what = _expected_in(marked, column, reader) or measure_in(marked, spans, reader)
            if what:
                return Measure(what, piece.line)
            commanded = commanded or COMMAND in marked
            said = found(reader.rules.test_endings, marked)
            ending = ending or (Measure(said, piece.line) if said else None)
        if piece.kind in CODE:
            what = measure_of_fence(piece.text, reader)
            if what:
                return Measure(what, piece.line)
            commanded = commanded or command_in(piece.text, reader.criteria.commands) is not None
    return ending if commanded else None


def measure_in(marked: str, spans: Iterable[CodeSpan], reader: Reader) -> str:
    """The measure in one text (see ``mark``) and its code, empty without one."""
    if what := reader.rules.measured(marked):
        return what
    for span in spans:
        command = command_in(span.text, reader.criteria.commands) is not None
        look = reader.rules.tested if command else reader.rules.written
        if what := look(mask(span.text, reader)):
            return what
    return command_ending(marked, reader)


def command_ending(marked: str, reader: Reader) -> str:
    """The words that say how a command ends, in a sentence that holds the command; empty without such a sentence."""
    if COMMAND not in marked:
        return ""
    for sentence in _sentences(reader.criteria.cues.markers).split(marked):
        if COMMAND in sentence and (ending := found(reader.rules.endings, sentence)):
            return ending
    return ""


def measure_of_fence(text: str, reader: Reader) -> str:
    """The measure in a fence: in a test of the shell, in a remark or an output below a command. Empty without one."""
    prompted = False
    for line in text.split("\n"):
        stripped = line.strip()
        if not stripped:
            continue
        command, _, remark = _remark().split(stripped, maxsplit=1) if _remark().search(stripped) else (stripped, "", "")
        is_command = command_in(command, reader.criteria.commands) is not None
        look = reader.rules.tested if is_command else reader.rules.measured
        if what := look(mask(command, reader)) or reader.rules.measured(mask(remark, reader)):
            return what
        if prompted and not is_command and not stripped.startswith(reader.criteria.commands.comments):
            return stripped
        prompted = is_command and stripped.partition(" ")[0] in reader.criteria.commands.prompts
    return ""


def mark(text: str, spans: Iterable[CodeSpan], reader: Reader) -> str:
    """``text`` as the patterns read it: a sign in the place of each piece of code, without other fields, masked.

    A line break that a reader sees (``<br>``) becomes one of the text.
    """
    signs = list(text.translate(_MARKS).replace(LINE_BREAK, "\n"))
    for span in spans:
        if span.offset < len(signs):
            signs[span.offset] = _sign(span.text, reader)
    return mask(_other_fields(reader.rules.other_fields, reader.criteria.cues.markers).sub("", "".join(signs)), reader)


def mask(text: str, reader: Reader) -> str:
    """``text`` with every label and every number that names something replaced by a sign."""
    parts, end = [], 0
    for mention in find_mentions(text, reader.criteria.labels):
        parts += [text[end : mention.start], MASKED]
        end = mention.end
    return reader.rules.masked("".join((*parts, text[end:])).translate(COLONS))


def _texts(piece: Piece, fields: frozenset[str]) -> Iterable[tuple[str, tuple[CodeSpan, ...], str]]:
    """The prose of a piece with its code: one text, or the cells of a row, each with its column, but for ``fields``."""
    if piece.kind in CODE:
        return ()
    if piece.kind is not BlockKind.ROW:
        return ((piece.text, piece.spans, ""),)
    if piece.block.header:
        return ()
    return ((cell.text, cell.spans, column) for column, cell in piece.columned_cells() if column not in fields)


def _expected_in(marked: str, column: str, reader: Reader) -> str:
    """The exact value with which a cell begins, where its column holds expected ones."""
    return reader.rules.expected(marked) if holds(column, reader.rules.columns) else ""


def _sign(code: str, reader: Reader) -> str:
    if command_in(code, reader.criteria.commands) is not None:
        return COMMAND
    return NAMED if "/" in code or "(" in code or _file_name().search(code) else VALUE


@cache
def _file_name() -> re.Pattern[str]:
    return re.compile(r"\w\.[A-Za-z]\w{0,11}(?::[0-9]|$)")


@cache
def _remark() -> re.Pattern[str]:
    """Where a remark begins on a line of code, or an arrow leads to what the line yields."""
    return re.compile(r"(?:(?:^|(?<=\s))(#|//)(?=\s))")


@cache
def _sentences(markers: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"[.;!?](?=\s|$)|(?<!\w)(?:{either(markers)})[ \t]?:", re.IGNORECASE)


@cache
def _other_fields(fields: frozenset[str], markers: tuple[str, ...]) -> re.Pattern[str]:
    """A field that measures something else, to the end of its sentence or to what is verified."""
    names, stop = either(fields), either(markers)
    return re.compile(
        rf"(?:(?<=^)|(?<=[.;·|(,\n])|(?<=[.;·|(,]\s))[ \t]{{0,3}}(?:{names})[ \t]?[:：]"
        rf"(?:(?!(?:{stop})[ \t]?[:：])[^.;·|\n]|\.(?=\S)){{0,300}}",
        re.IGNORECASE,
    )
