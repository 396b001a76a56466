"""Sentences of a document, with the inline code of each."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from operator import attrgetter
from typing import NamedTuple

from verify.criteria.pieces import plain_words
from verify.fields import COLONS
from verify.markdown import CODE, LINE_BREAK, Block, BlockKind, CodeSpan


class Sentence(NamedTuple):
    """One sentence, or a row of a table. ``text`` has one blank for each of its code ``spans``, which say where.

    ``line`` is where it begins (1-based). ``fence`` is the code block right below it that it leads up to, else null.
    """

    text: str
    line: int
    spans: tuple[CodeSpan, ...]
    fence: Block | None = None

    def line_of(self, offsets: Iterable[int]) -> Iterator[int]:
        """The lines of some characters of the text, whose offsets ascend."""
        line, done = self.line, 0
        for offset in offsets:
            line, done = line + self.text.count("\n", done, offset), offset
            yield line


def sentences_of(blocks: Iterable[Block], labels: Collection[str], label_max: int) -> Iterator[Sentence]:
    """The sentences in order; linear in the document.

    One that begins with one of ``labels`` and a colon (``Output: …``), which stands within ``label_max`` characters,
    goes on with the sentence before it.
    """
    shown = [block for block in blocks if block.kind is not BlockKind.HTML and not block.header]
    for block, following in zip(shown, [*shown[1:], None], strict=False):
        if block.kind in CODE:
            continue
        text, spans = _row(block) if block.kind is BlockKind.ROW else (block.text, block.spans)
        below = following if following is not None and following.kind in CODE and text.rstrip().endswith(":") else None
        line = block.line
        for start, end in _ranges(text, labels, label_max, whole=block.kind is BlockKind.ROW):
            own = spans[bisect_left(spans, start, key=_OFFSET) : bisect_left(spans, end, key=_OFFSET)]
            placed = tuple(span._replace(offset=span.offset - start) for span in own)
            yield Sentence(text[start:end], line, placed, below if end == len(text) else None)
            line += text.count("\n", start, end)


_OFFSET = attrgetter("offset")


def _row(block: Block) -> tuple[str, tuple[CodeSpan, ...]]:
    """A row's text and its spans with offsets in it."""
    spans: list[CodeSpan] = []
    start = 0
    for cell in block.cells:
        spans += (span._replace(offset=start + span.offset) for span in cell.spans)
        start += len(cell.text) + len(" | ")
    return block.text, tuple(spans)


def _ranges(text: str, labels: Collection[str], label_max: int, *, whole: bool) -> Iterator[tuple[int, int]]:
    """Where the sentences begin and end."""
    start = 0
    for match in () if whole else _end().finditer(text):
        head, colon, _ = text[match.end() : match.end() + label_max].translate(COLONS).partition(":")
        if not (colon and plain_words(head) in labels):
            yield start, match.end()
            start = match.end()
    if start < len(text):
        yield start, len(text)


@cache
def _end() -> re.Pattern[str]:
    """Where a sentence ends: at its sign and the space after it, or at a forced break."""
    return re.compile(rf"[.!?;][)\"'»”]?\s|{LINE_BREAK}")
