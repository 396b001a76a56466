"""Which paths a document cites: those of its inline code, with the line and whether they are marked as new."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from verify.markdown import NO_PROSE, Block, CodeSpan
from verify.paths.marks import Scope, remarked
from verify.paths.rules import PathRules
from verify.paths.spans import read_span
from verify.paths.words import Doubt, Word


class Citation(NamedTuple):
    """A cited path. ``text`` is the path alone, as written; ``line`` is where its code span begins, from 1.

    ``marked_new`` says that the document means to create it. ``doubt`` says what it means when nothing stands
    there; ``readings`` are other ways to read the same words, any of which may be the path.
    """

    text: str
    line: int
    marked_new: bool
    doubt: Doubt = Doubt.NONE
    readings: tuple[str, ...] = ()


class Citations(NamedTuple):
    """All citations in document order, repeated ones included; ``unsure`` counts words that could not be read."""

    paths: tuple[Citation, ...]
    unsure: int


def find_citations(blocks: Iterable[Block], rules: PathRules, lines: Sequence[str] = ()) -> Citations:
    """The paths that the inline code of a document cites; code blocks, fences and comments cite nothing.

    ``lines`` is the document's source, which tells what a remark such as ``(new)`` stands beside. Linear in the
    document, and total: whatever the text, there is an answer.
    """
    paths: list[Citation] = []
    unsure = 0
    scope = Scope(rules.marks)
    read: dict[str, tuple[Word, ...]] = {}
    for block in blocks:
        creates = scope.enter(block)
        spans = _spans(block)
        if not spans:
            continue
        for span, new in zip(spans, remarked(block, spans, lines, rules.marks), strict=True):
            if span.text not in read:
                read[span.text] = read_span(span.text, rules)
            for word in read[span.text]:
                if word.doubt is Doubt.UNREAD:
                    unsure += 1
                else:
                    marked = creates or new or word.new
                    paths.append(Citation(word.text, span.line, marked, word.doubt, word.readings))
    return Citations(tuple(paths), unsure)


def _spans(block: Block) -> Sequence[CodeSpan]:
    if block.kind in NO_PROSE:
        return ()
    return block.spans or tuple(span for cell in block.cells for span in cell.spans)
