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
from verify.markdown import Block, BlockKind


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
    """A piece (by its place) at which a step begins. ``level`` is a heading's, 0 for an item."""

    place: int
    number: str
    level: int


def find_steps(blocks: Sequence[Block], rules: DocumentRules, criteria: CriteriaRules) -> tuple[Step, ...]:
    """The steps of a plan in order; linear in it.

    A numbered item of the outermost level is one where the nearest heading says so, or where only the document's
    title is above it; so is a heading, or an item, that begins with "Step" and a number. What is numbered inside a
    step that is a heading belongs to that step.
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
    either = "|".join(map(re.escape, leads))
    number = r"[0-9]{1,6}(?:\.[0-9]{1,6}){0,3}[a-z]?"
    return re.compile(rf"(?<!\w)(?:{either})[ \t]{{1,3}}(?P<number>{number})(?!\w)", re.IGNORECASE)


def _step(start: _Start, inside: tuple[Piece, ...], rules: DocumentRules, criteria: CriteriaRules) -> Step:
    # A table that names steps says itself which of them each row means.
    said = [piece for piece in inside if not any(holds(words, rules.steps.columns) for words in piece.columns)]
    bound = bound_in(
        said, rules.bindings.verifies, lambda text: find_mentions(text, criteria.labels), rules.bindings.joiners
    )
    last = max(piece.block.end if piece.kind in _WHOLE else piece.line for piece in inside)
    title = before_names(with_code(inside[0].text, 0, inside[0].spans), rules.bindings.verifies)
    return Step(start.number, title, inside[0].line, last, inside, tuple(bound))


_WHOLE = frozenset((BlockKind.FENCE, BlockKind.CODE, BlockKind.ROW))


def _starts(pieces: Sequence[Piece], rules: StepRules) -> Iterator[_Start]:
    """The pieces at which a step begins."""
    other, counted = False, True  # whether the nearest heading is of something else; whether numbered items are steps
    titled = False
    inside: int | None = None  # the level of the step that is a heading around this piece
    for place, piece in enumerate(pieces):
        if not piece.first or piece.block.quoted:
            continue
        if opens_section(piece.block):
            level, words = piece.block.level, plain_words(piece.text)
            number = step_number(piece.text, rules)
            if inside is not None and level <= inside:
                inside = None
            if number and inside is None:
                inside = level
                yield _Start(place, number, level)
            other = holds(words, rules.other_sections)
            counted = not other and (holds(words, rules.headings) or (level == 1 and not titled))
            titled = True
        elif piece.kind is BlockKind.ITEM and inside is None and not other and piece.block.level == 1:
            number = step_number(piece.text, rules) or (_number(piece.block.marker) if counted else "")
            if number:
                yield _Start(place, number, 0)


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


def _number(marker: str) -> str:
    """The number of an item's marker (``3.``), empty for a bullet."""
    return marker[:-1] if marker[:-1].isdigit() else ""
