"""Text for a terminal: how wide it is, whether it shows colour, and lines folded at their indent.

What is printed is hostile text: whatever a terminal would obey is spelled out before a line is measured.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple
from unicodedata import category, east_asian_width

from toolkit.reporting.visible import visible

WIDTH: Final = 100  # columns where there is no terminal
NARROWEST: Final = 40
WIDEST: Final = 1_000
_BOLD: Final = "1"


class Screen(NamedTuple):
    """Where something is drawn."""

    width: int
    colour: bool

    def title(self, text: str) -> Iterator[str]:
        """A line that stands out, folded and made safe to print."""
        yield from map(self.strong, folded(text, self.width))

    def strong(self, text: str) -> str:
        """Text that is safe to print, so that it stands out."""
        return self.styled(text, _BOLD)

    def styled(self, text: str, style: str) -> str:
        """Text that is safe to print, in a style of the terminal (an SGR code; none where it is empty)."""
        return f"\x1b[{style}m{text}\x1b[0m" if self.colour and text and style else text


def screen() -> Screen:
    """Standard output: COLUMNS or the terminal's width, and colour as NO_COLOR, CLICOLOR and CLICOLOR_FORCE say."""
    terminal = sys.stdout is not None and sys.stdout.isatty()
    return Screen(_width(terminal), _colour(terminal))


def _width(terminal: bool) -> int:
    told = os.environ.get("COLUMNS", "")
    if told.isascii() and told.isdigit() and int(told[:9]) > 0:
        return min(max(int(told[:9]), NARROWEST), WIDEST)
    if not terminal:
        return WIDTH
    try:
        columns = os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError):
        return WIDTH
    return min(max(columns, NARROWEST), WIDEST) if columns else WIDTH


def _colour(terminal: bool) -> bool:
    if os.environ.get("NO_COLOR") or os.environ.get("CLICOLOR") == "0":
        return False
    return terminal or os.environ.get("CLICOLOR_FORCE", "0") != "0"


def columns(text: str) -> int:
    """How many columns of a terminal a visible text takes: wide characters take two, combining ones none."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(character: str) -> int:
    if category(character) in ("Mn", "Me"):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1


def folded(text: str, width: int, indent: int = 0, *, first: str = "", hanging: int = 2) -> list[str]:
    """A text in lines of at most ``width`` columns, made safe to print; ``first`` stands before the first of them.

    Later lines stand ``hanging`` columns further in. A word that is too long for a line is broken.
    """
    later = " " * (indent + hanging)
    lines = [" " * indent + first]
    used, begun = columns(lines[0]), False
    for word in visible(text).split(" "):
        if begun and used + 1 + columns(word) > width:
            lines.append(later)
            used, begun = len(later), False
        for number, piece in enumerate(_pieces(word, max(width - used - begun, 2))):
            if number:
                lines.append(later)
                used, begun = len(later), False
            lines[-1] += f" {piece}" if begun else piece
            used, begun = used + begun + columns(piece), True
    return [line.rstrip() for line in lines]


def _pieces(word: str, room: int) -> Iterator[str]:
    """A word in pieces of at most ``room`` columns."""
    if columns(word) <= room:
        yield word
        return
    piece, used = "", 0
    for character in word:
        if piece and used + _columns(character) > room:
            yield piece
            piece, used = "", 0
        piece, used = piece + character, used + _columns(character)
    yield piece


def labelled(pairs: Sequence[tuple[str, str]], where: Screen, indent: int = 2) -> Iterator[str]:
    """Labels with their texts beside them, the texts folded under their own beginning."""
    shown = [(visible(label), text) for label, text in pairs]
    wide = min(max((columns(label) for label, _ in shown), default=0), where.width // 3)
    for label, text in shown:
        padded = label + " " * max(wide - columns(label), 0) + "  "
        yield from folded(text, where.width, indent, first=padded, hanging=wide + 2)
