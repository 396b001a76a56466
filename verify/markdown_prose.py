"""Running text of one Markdown block: its visible characters, its code spans, and the line of each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from verify.markdown_parser import BREAKS

if TYPE_CHECKING:
    from markdown_it.token import Token

LINE_BREAK = "\u2028"
"""What ``<br>`` leaves in a text: a break that a reader sees and that is no line of the source."""

Range = tuple[int, int]
"""Offsets into a text: start and end, the end not included."""


class CodeSpan(NamedTuple):
    """Inline code: its content, the line (1-based) on which it begins, and where in the block's or cell's text."""

    text: str
    line: int
    offset: int = 0


class Prose(NamedTuple):
    """``text`` without code and HTML, its code spans, and the ranges of it that are bold (disjoint, ascending)."""

    text: str
    spans: tuple[CodeSpan, ...]
    strong: tuple[Range, ...]


def read_prose(children: Iterable[Token], line: int) -> Prose:
    """The prose of an inline token whose text begins on ``line``.

    A code span leaves one space, ``<br>`` a ``LINE_BREAK``, any other tag nothing.
    """
    reader = _Reader(line)
    for token in children:
        reader.take(token)
    return Prose("".join(reader.parts), tuple(reader.spans), tuple(reader.strong))


class _Reader:
    """Appends piece after piece; every line break of the source becomes exactly one newline of the text."""

    def __init__(self, line: int) -> None:
        self.parts: list[str] = []
        self.spans: list[CodeSpan] = []
        self.strong: list[Range] = []
        self._line = line
        self._length = 0
        self._depth = 0
        self._strong_from = 0

    def take(self, token: Token) -> None:
        match token.type:
            case "text":
                self._add(token.content.replace("\n", " "))
            case "softbreak" | "hardbreak":
                self._break(1)
            case "code_inline":
                self.spans.append(CodeSpan(token.content, self._line, self._length))
                self._add(" ")
                self._break(token.meta.get(BREAKS, 0))
            case "html_inline":
                self._html(token.content)
            case "strong_open":
                self._open_strong()
            case "strong_close":
                self._close_strong()

    def _add(self, text: str) -> None:
        self.parts.append(text)
        self._length += len(text)

    def _break(self, count: int) -> None:
        self._add("\n" * count)
        self._line += count

    def _html(self, markup: str) -> None:
        """A comment or a forced line break separates words; any other tag joins them, as a browser shows it."""
        if markup.startswith("<!--"):
            self._add(" ")
        elif markup[:3].lower() == "<br":
            self._add(LINE_BREAK)
        self._break(markup.count("\n"))

    def _open_strong(self) -> None:
        if self._depth == 0:
            self._strong_from = self._length
        self._depth += 1

    def _close_strong(self) -> None:
        self._depth -= 1
        if self._depth == 0:
            self.strong.append((self._strong_from, self._length))
