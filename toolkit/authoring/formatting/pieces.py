"""A document as it is written: values with their styles, and the comments that belong to each part."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

LITERAL, FOLDED = BLOCK_STYLES = ("|", ">")
SINGLE, DOUBLE = "'", '"'


class Comment(NamedTuple):
    """A comment on a line of its own; ``blank`` says whether an empty line stands before it."""

    text: str
    blank: bool = False


@dataclass(slots=True)
class Leaf:
    """A scalar: its value as text, its style (empty: plain), and how it is written, quotes and all."""

    value: str
    style: str
    raw: str


@dataclass(slots=True)
class Piece:
    """An entry of a mapping or an item of a list.

    ``above`` are the comments before it, ``notes`` those at the ends of its lines; ``blank`` says whether an empty
    line stands right before it, ``begins`` whether it begins a line.
    """

    key: Leaf | None
    value: Leaf | Collection | None = None
    above: list[Comment] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    blank: bool = False
    begins: bool = False


@dataclass(slots=True)
class Collection:
    """A mapping or a list; ``flow`` if written between brackets. ``below`` are the comments after its last piece.

    ``width`` is what it takes on one line, null where it can't stand on one; it is told by ``layout``.
    """

    mapping: bool
    flow: bool
    column: int
    pieces: list[Piece] = field(default_factory=list)
    below: list[Comment] = field(default_factory=list)
    width: int | None = None
    commented: bool = False
