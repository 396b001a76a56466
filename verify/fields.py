"""Labelled lines of a document, such as ``**Complexity:** Level 3``: a name, a colon, a value."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from verify.markdown import Block, ProseLine

COLONS = str.maketrans({"：": ":"})


class Field(NamedTuple):
    """``value`` is what stands after the colon on the same line; ``bold`` says that the name is set in bold."""

    name: str
    value: str
    line: int
    bold: bool


def find_fields(blocks: Iterable[Block], names: Collection[str], separator: str) -> Iterator[Field]:
    """The fields whose name is one of ``names`` (any case), in document order.

    A field begins at the start of a line of a paragraph, heading or list item (inside a block quote too), or after
    ``separator``, and ends at the next one. A name further inside a sentence is no field, nor is one in a table,
    in code or in a comment.
    """
    wanted = {name.casefold() for name in names}
    for block in blocks:
        for line in block.prose_lines():
            yield from (field for field in _fields(line, separator) if field.name.casefold() in wanted)


def _fields(line: ProseLine, separator: str) -> Iterator[Field]:
    start = 0
    for piece in line.text.split(separator):
        head, colon, value = piece.translate(COLONS).partition(":")
        if colon:
            at = start + len(head) - len(head.lstrip())
            yield Field(head.strip(), value.strip(), line.number, line.is_bold(at))
        start += len(piece) + len(separator)
