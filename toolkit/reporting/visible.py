"""Hostile text made harmless to show: one line, and nothing in it that a reader can't see."""

from __future__ import annotations

from typing import Final
from unicodedata import category

ELLIPSIS: Final = "…"
LONGEST: Final = 4_096  # characters; as long as a path can be, and more than anybody reads of one text


def visible(text: str, limit: int = LONGEST) -> str:
    """``text`` on one line, with every character that doesn't show as itself spelled as its escape (``\\x1b``).

    That covers line breaks, terminal control sequences, bidirectional and zero-width characters, lone surrogates
    and unassigned code points. Spaces of other scripts stay. ``limit`` bounds the result, in characters; what is
    longer ends in an ellipsis.
    """
    cut = text[: limit + 1]
    shown = cut if cut.isprintable() else "".join(map(_spelled, cut))
    return shown if len(shown) <= limit else shown[: limit - 1] + ELLIPSIS


def shows(char: str) -> bool:
    """Whether a character shows as itself on a line: a printable one, or a space of any script."""
    return char.isprintable() or category(char) == "Zs"


def _spelled(char: str) -> str:
    return char if shows(char) else char.encode("unicode_escape").decode("ascii")
