"""The steps of a plan, and which acceptance criteria each of them serves (Datarim formats, document shapes)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from verify.criteria import CriteriaRules
from verify.criteria.labels import find_mentions
from verify.criteria.pieces import Piece, cut, plain_words
from verify.documents.bindings import Bound, before_names, bound_in
from verify.documents.rules import DocumentRules, StepRules
from verify.documents.sections import holds, opens_section
from verify.fields import with_code
from verify.markdown import NO_LINES, Block, BlockKind, in_ranges
from verify.words import either


class Step(NamedTuple):
    """One step: its number as written, its first line of text, its lines (1-based, inclusive) and what is in it.

    ``bound`` are the statements in it that name criteria (``Verifies: V-AC-1``).
    """

    number: str
    title: str
    line: int
    end: int
    pieces: tuple[Piece, ...]
    bound: tuple[Bound, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """The criteria that it names, repetitions kept."""
        return tuple(label for statement in self.bound for label in statement.labels)


class _Start(NamedTuple):
    """A piece (by its place) at which a step begins. ``level`` is a heading's, 0 for an item or a paragraph."""

    place: int
    number: str
    level: int


def find_steps(blocks: Sequence[Block], rules: DocumentRules, criteria: CriteriaRules) -> tuple[Step, ...]:
    """The steps of a plan in order; linear in it.

    A numbered item that is in no other one is a step where the nearest heading says so, or where only the document's
    title is above it; so is a numbered heading right under one that says so, and a heading, a bold line or an item that
    begins with "Step" and a number. What is numbered inside a step belongs to it.
    """
    pieces = cut(blocks)
    starts = list(_starts(pieces, rules.steps))
    return tuple(
        _step(start, pieces[start.place : end], rules, criteria)
        for start, end in zip(starts, _ends(pieces, starts), strict=True)
    )


def step_number(text: str, rules: StepRules) -> str:
    """The number of a text that begins with "Step N", else empty."""
    match = numbered(rules.leads).match(text.strip())
    return match["number"] if match else ""


@cache
def numbered(leads: tuple[str, ...]) -> re.Pattern[str]:
    """ "Step N" with its ``number``, which may have dotted parts or a letter."""
    number = r"[0-9]{1,6}(?:\.[0-9]{1,6}){0,3}[a-z]?"
    return re.compile(rf"(?<!\w)(?:{either(leads)})[ \t]{{1,3}}(?P<number>{number})(?!\w)", re.IGNORECASE)


@cache
def _labelled(leads: tuple[str, ...]) -> re.Pattern[str]:
    """ "Step N" as a label of what comes after it, and not as a word of a sentence."""
    return re.compile(rf"[ \t]*{numbered(leads).pattern}(?:[:.)](?=\s)|[ \t]?[—–-](?=\s))", re.IGNORECASE)


def _step(start: _Start, inside: tuple[Piece, ...], rules: DocumentRules, criteria: CriteriaRules) -> Step:
    # A table that names steps says itself which of them each row means.
    said = [piece for piece in inside if not any(holds(words, rules.steps.columns) for words in piece.columns)]
    bound = bound_in(
        said, rules.bindings.verifies, lambda text: find_mentions(text, criteria.labels), rules.bindings.joiners
    )
    last = max(piece.block.end if piece.kind in NO_LINES else piece.line for piece in inside)
    title = before_names(with_code(inside[0].text, 0, inside[0].spans), rules.bindings.verifies)
    return Step(start.number, title, inside[0].line, last, inside, tuple(bound))


def _starts(pieces: Sequence[Piece], rules: StepRules) -> Iterator[_Start]:
    """The pieces at which a step begins."""
    around = _Around(rules)
    for place, piece in enumerate(pieces):
        if not piece.first or piece.block.quoted:
            continue
        if opens_section(piece.block):
            number, level = around.heading(piece), piece.block.level
        else:
            number, level = around.below(piece), 0
        if number:
            yield _Start(place, number, level)


class _Around:
    """What stands around a piece: its headings, and the step that it may belong to."""

    def __init__(self, rules: StepRules) -> None:
        self._rules = rules
        self._titled = False
        self._other = False  # whether the nearest heading is of something else
        self._counted = True  # whether numbered items are steps
        self._sections: list[tuple[int, bool]] = []  # the level of each heading around, and whether it announces steps
        self._heading: int | None = None  # the level of the heading that is a step
        self._paragraph = False  # whether a paragraph is one
        self._item: int | None = None  # the level of the item that is one

    def heading(self, piece: Piece) -> str:
        """Enter a heading; the number of the step that begins with it, empty where none does."""
        level, words = piece.block.level, plain_words(piece.text)
        if self._heading is not None and level <= self._heading:
            self._heading = None
        while self._sections and self._sections[-1][0] >= level:
            self._sections.pop()
        self._other = holds(words, self._rules.other_sections)
        announces = not self._other and holds(words, self._rules.headings)
        number = step_number(piece.text, self._rules)
        if not number and not self._other and not announces and self._sections and self._sections[-1][1]:
            number = _leading_number(piece.text)
        self._counted = announces or (not self._other and level == 1 and not self._titled)
        self._sections.append((level, announces and level > 1))  # below a title it is the outline that is numbered
        self._titled, self._paragraph, self._item = True, False, None
        if not number or self._heading is not None:
            return ""
        self._heading = level
        return number

    def below(self, piece: Piece) -> str:
        """The number of the step that begins with a piece that is no heading, empty where none does."""
        if self._heading is not None or self._other:
            return ""
        if piece.kind is BlockKind.ITEM:
            return self._of_item(piece)
        if piece.kind is BlockKind.PARAGRAPH and piece.block.item_line is None:
            self._item = None
            apart = in_ranges(0, piece.strong) or (self._counted and _labelled(self._rules.leads).match(piece.text))
            number = step_number(piece.text, self._rules) if apart else ""
            self._paragraph = self._paragraph or bool(number)
            return number
        return ""

    def _of_item(self, piece: Piece) -> str:
        level = piece.block.level
        if self._item is not None and level <= self._item:
            self._item = None
        if self._item is not None:
            return ""
        number = step_number(piece.text, self._rules)
        if not number and self._counted and not self._paragraph:
            number = _number(piece)
        if number:
            self._item = level
        return number


def _ends(pieces: Sequence[Piece], starts: Sequence[_Start]) -> Iterator[int]:
    """Where each step ends (exclusive): at the next one, or at a heading that closes it."""
    for start, following in zip(starts, [*starts[1:], None], strict=False):  # no start: nothing to end
        place, stop = start.place + 1, following.place if following else len(pieces)
        while place < stop and not _closes(pieces[place], start.level):
            place += 1
        yield place


def _closes(piece: Piece, level: int) -> bool:
    """Whether a piece is a heading that ends an item, or a step that is a heading of ``level``."""
    return piece.first and opens_section(piece.block) and (level == 0 or piece.block.level <= level)


def _number(piece: Piece) -> str:
    """The number of an item: its marker's (``3.``), or one that its writer put behind a box or in bold type."""
    marker = piece.block.marker[:-1]
    if marker.isdigit():
        return marker
    apart = piece.block.checkbox is not None or in_ranges(0, piece.strong)
    return _leading_number(piece.text) if apart else ""


def _leading_number(text: str) -> str:
    """The number that a text begins with where a sign sets it off, or that has several parts; else empty."""
    match = _outlined().match(text.strip())
    return (match["number"] or match["parts"]) if match else ""


@cache
def _outlined() -> re.Pattern[str]:
    parts = r"[0-9]{1,6}(?:\.[0-9]{1,6}){1,3}"
    return re.compile(rf"(?:(?P<number>[0-9]{{1,6}}|{parts})(?:[.)](?=\s)|[ \t][—–-](?=\s))|(?P<parts>{parts})(?=\s))")
