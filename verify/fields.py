"""Labelled lines of a document, such as ``**Complexity:** Level 3``: a name, a colon, a value."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from operator import attrgetter
from typing import Final, NamedTuple

from verify.markdown import Block, CodeSpan, ProseLine

COLONS = str.maketrans({"：": ":"})
_OFFSET: Final = attrgetter("offset")


class Field(NamedTuple):
    """``value`` is what stands after the colon on the same line; ``bold`` says that the name is set in bold.

    Inline code is left out of ``value``, as everywhere in prose; ``written`` is the value with it, as a reader sees it.
    """

    name: str
    value: str
    line: int
    bold: bool
    written: str


class Part(NamedTuple):
    """A part of a line between separators: where it begins, its prose, and its prose with the inline code in it."""

    start: int
    text: str
    written: str


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


def parts_of(line: ProseLine, separator: str) -> Iterator[Part]:
    """The parts of a line. A separator inside inline code separates nothing."""
    start = 0
    for text in line.text.split(separator):
        yield Part(start, text, with_code(text, start, line.spans))
        start += len(text) + len(separator)


def with_code(text: str, start: int, spans: tuple[CodeSpan, ...]) -> str:
    """``text``, which begins at offset ``start``, with the code of its ``spans`` in the place of their blanks."""
    first = bisect_left(spans, start, key=_OFFSET)
    last = bisect_left(spans, start + len(text), key=_OFFSET)
    parts, done = [], 0
    for span in spans[first:last]:
        parts += [text[done : span.offset - start], span.text.replace("\n", " ")]
        done = span.offset - start + 1
    return "".join((*parts, text[done:]))


def _fields(line: ProseLine, separator: str) -> Iterator[Field]:
    for part in parts_of(line, separator):
        head, colon, value = part.text.translate(COLONS).partition(":")
        if colon:
            at = part.start + len(head) - len(head.lstrip())
            written = with_code(value, part.start + len(head) + 1, line.spans)
            yield Field(head.strip(), value.strip(), line.number, line.is_bold(at), written.strip())
