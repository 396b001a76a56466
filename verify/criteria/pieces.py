"""A document cut into pieces no larger than a source line of prose, so that a criterion's block is a slice of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from verify.markdown import Block, BlockKind, Cell, CodeSpan, Range


class Piece(NamedTuple):
    """One line of a paragraph, item or heading; or one table row; or one whole fence, code or HTML block.

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
        elif block.kind in {BlockKind.FENCE, BlockKind.CODE}:
            pieces.append(Piece(block, block.line, block.text, (), (), first=True))
        else:
            more = _goes_on(block, following)
            pieces.extend(
                Piece(block, line.number, line.text, line.strong, line.spans, line.number == block.line, (), more)
                for line in block.prose_lines()
            )
    return tuple(pieces)


def plain_words(text: str) -> str:
    """Case-folded words with single spaces between them; punctuation and emphasis are gone."""
    return " ".join("".join(char if char.isalnum() else " " for char in text.casefold()).split())


def _goes_on(block: Block, following: Block | None) -> bool:
    if block.kind is not BlockKind.ITEM:
        return False
    return "\n" in block.text or (following is not None and following.item_line == block.line)
