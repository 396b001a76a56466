"""A document cut into pieces no larger than a source line of prose, so that a criterion's block is a slice of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import chain
from operator import attrgetter, itemgetter
from typing import NamedTuple

from verify.markdown import CODE, LINE_BREAK, Block, BlockKind, Cell, CodeSpan, ProseLine, Range


class Piece(NamedTuple):
    """One line of a paragraph, item or heading as a reader sees it; or one table row; or one whole fence or code block.

    (``<br>`` begins a piece too, so that several may stand on one line of the source.)

    ``line`` is 1-based, ``text`` the visible text of it, ``first`` says that its block begins here. ``columns`` are
    the normalised headers of a row's table (see ``plain_words``). ``goes_on`` says of an item that more lines or
    nested blocks follow.
    """

    block: Block
    line: int
    text: str
    strong: tuple[Range, ...]
    spans: tuple[CodeSpan, ...]
    first: bool
    columns: tuple[str, ...] = ()
    goes_on: bool = False

    @property
    def kind(self) -> BlockKind:
        return self.block.kind

    def columned_cells(self) -> Iterator[tuple[str, Cell]]:
        """The cells of a row, each with the header of its column."""
        return zip(self.columns, self.block.cells, strict=False)


def cut(blocks: Iterable[Block]) -> tuple[Piece, ...]:
    """The pieces of a document in order. HTML (comments included) is left out: it says nothing."""
    pieces: list[Piece] = []
    columns: tuple[str, ...] = ()
    visible = [block for block in blocks if block.kind is not BlockKind.HTML]
    for block, following in zip(visible, [*visible[1:], None], strict=False):
        if block.header:
            columns = tuple(plain_words(cell.text) for cell in block.cells)
        if block.kind is BlockKind.ROW:
            pieces.append(Piece(block, block.line, block.text, (), block.spans, first=True, columns=columns))
        elif block.kind in CODE:
            pieces.append(Piece(block, block.line, block.text, (), (), first=True))
        else:
            more = _goes_on(block, following)
            for index, line in enumerate(chain.from_iterable(map(_seen_lines, block.prose_lines()))):
                pieces.append(Piece(block, line.number, line.text, line.strong, line.spans, index == 0, (), more))
    return tuple(pieces)


def plain_words(text: str) -> str:
    """Case-folded words with single spaces between them; punctuation and emphasis are gone."""
    return " ".join("".join(char if char.isalnum() else " " for char in text.casefold()).split())


def _seen_lines(line: ProseLine) -> Iterator[ProseLine]:
    """A source line cut where a reader sees a break."""
    start = 0
    for text in line.text.split(LINE_BREAK):
        end = start + len(text)
        first, last = bisect_right(line.strong, start, key=_END), bisect_left(line.strong, end, key=_START)
        strong = tuple((max(low, start) - start, min(high, end) - start) for low, high in line.strong[first:last])
        first, last = bisect_left(line.spans, start, key=_OFFSET), bisect_left(line.spans, end, key=_OFFSET)
        spans = tuple(span._replace(offset=span.offset - start) for span in line.spans[first:last])
        yield ProseLine(line.number, text, strong, spans)
        start = end + 1


_START, _END = itemgetter(0), itemgetter(1)
_OFFSET = attrgetter("offset")


def _goes_on(block: Block, following: Block | None) -> bool:
    if block.kind is not BlockKind.ITEM:
        return False
    return "\n" in block.text or (following is not None and following.item_line == block.line)
