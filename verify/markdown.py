"""Markdown read as a list of blocks with line numbers: what the floor asks of a document, and nothing else."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from enum import Enum
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple

from verify.markdown_parser import SKIPPED, missing_end, shared_parser
from verify.markdown_prose import LINE_BREAK, CodeSpan, Prose, Range, read_prose

if TYPE_CHECKING:
    from markdown_it.token import Token

__all__ = [
    "CODE",
    "LINE_BREAK",
    "NO_LINES",
    "NO_PROSE",
    "Block",
    "BlockKind",
    "Cell",
    "CodeSpan",
    "ProseLine",
    "Range",
    "in_ranges",
    "parse_markdown",
    "split_lines",
]


class BlockKind(Enum):
    """What a block is. Code and comments are blocks of their own, so that no reader takes them for prose."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"  # the first paragraph of a list item; later paragraphs of it are PARAGRAPH
    ROW = "row"  # one row of a table, the header row included
    FENCE = "fence"
    CODE = "code"  # indented code
    HTML = "html"  # a raw HTML block, comments included


CODE: Final = frozenset((BlockKind.FENCE, BlockKind.CODE))
"""Code, in a fence or indented."""
NO_LINES: Final = CODE | {BlockKind.ROW}
"""What has no lines of running text."""
NO_PROSE: Final = CODE | {BlockKind.HTML}
"""What holds nothing that a writer says to a reader."""


class Cell(NamedTuple):
    """One cell of a table row. ``strong`` holds the ranges of ``text`` that are bold, as in ``Block``."""

    text: str
    spans: tuple[CodeSpan, ...]
    strong: tuple[Range, ...] = ()


class ProseLine(NamedTuple):
    """One source line of running text: number, visible text, what of it is bold, and the code that begins on it.

    Ranges and offsets count from the beginning of ``text``.
    """

    number: int
    text: str
    strong: tuple[Range, ...] = ()
    spans: tuple[CodeSpan, ...] = ()

    def is_bold(self, offset: int) -> bool:
        """Whether the character at ``offset`` is bold."""
        return in_ranges(offset, self.strong)


class Block(NamedTuple):
    """One block in document order. ``line`` and ``end`` are 1-based and inclusive.

    ``text`` is the visible prose: inline code and inline HTML are left out of it (a code span leaves one space,
    ``<br>`` a ``LINE_BREAK``), emphasis marks are dropped, line breaks are kept as newlines, so that line *n*
    of the text stands on line ``line + n`` of the document (``prose_lines`` says so). Of a fence or indented
    code it is the content, of a row its cells' texts joined by `` | ``. ``strong_lead`` says that the prose
    begins with bold text; ``strong`` holds the ranges (start, end) of ``text`` that are bold. ``level`` is a
    heading's level or an item's nesting depth (1 outermost). ``marker`` is an item's marker (``-``, ``*``,
    ``+``, ``1.``), and of a fence its opening marker (of raw HTML that is left open: the end that is missing);
    ``info`` is what follows that. ``checkbox`` is true, false or null (no box). ``header`` says that a row is
    the table's header. ``closed`` is false for a fence or raw HTML (a comment, ``<pre>``) whose end is missing.
    ``quoted`` says that the block stands inside a block quote. ``item_line`` is the line of the first line of
    the list item around the block, else null; for an item itself that is the item around it.
    """

    kind: BlockKind
    line: int
    end: int
    text: str
    spans: tuple[CodeSpan, ...] = ()
    cells: tuple[Cell, ...] = ()
    level: int = 0
    marker: str = ""
    info: str = ""
    strong_lead: bool = False
    checkbox: bool | None = None
    header: bool = False
    closed: bool = True
    quoted: bool = False
    item_line: int | None = None
    strong: tuple[Range, ...] = ()

    def prose_lines(self) -> Iterator[ProseLine]:
        """The running text by source line; nothing for a row, code or HTML (their text is no prose)."""
        if self.kind not in _PROSE:
            return
        start = 0
        for number, text in enumerate(self.text.split("\n"), self.line):
            end = start + len(text)
            first, last = bisect_right(self.strong, start, key=_END), bisect_left(self.strong, end, key=_START)
            strong = tuple((max(low, start) - start, min(high, end) - start) for low, high in self.strong[first:last])
            first, last = bisect_left(self.spans, number, key=_LINE), bisect_right(self.spans, number, key=_LINE)
            spans = tuple(span._replace(offset=span.offset - start) for span in self.spans[first:last])
            yield ProseLine(number, text, strong, spans)
            start = end + 1


_START, _END = itemgetter(0), itemgetter(1)
_LINE = attrgetter("line")
_PROSE = frozenset((BlockKind.HEADING, BlockKind.PARAGRAPH, BlockKind.ITEM))


def in_ranges(offset: int, ranges: tuple[Range, ...]) -> bool:
    """Whether ``offset`` lies in one of ``ranges``, which are disjoint and ascending."""
    before = bisect_right(ranges, offset, key=_START)
    return before > 0 and offset < ranges[before - 1][1]


def split_lines(text: str) -> tuple[str, ...]:
    """The lines of ``text`` without their endings, as CommonMark counts them: at CRLF, CR or LF and nowhere else."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if lines[-1] == "":
        lines.pop()
    return tuple(lines)


def parse_markdown(text: str) -> tuple[Block, ...]:
    """The blocks of a document in order. Total: any text is some document. Time and memory are linear in its size.

    The rules are CommonMark's, with tables and task boxes (see ``markdown_parser`` for what is off). Inside a table
    cell or a heading of one line the line is exact because there is only one; elsewhere breaks are counted.
    """
    walk = _Walk()
    for token in shared_parser().parse(text if text.endswith("\n") else text + "\n", {}):
        walk.take(token)
    return tuple(walk.blocks)


class _Item(NamedTuple):
    """A list item that is open around the next token."""

    line: int
    marker: str
    checkbox: bool | None


class _Walk:
    """Collects blocks from a token stream; knows the containers that are open around the next token."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._items: list[_Item] = []
        self._fresh = False  # nothing of the innermost item has been seen yet
        self._quotes = 0
        self._heading: Token | None = None
        self._head = False
        self._row: Token | None = None
        self._cells: list[Cell] = []
        self._handlers: dict[str, Callable[[Token], None]] = {
            "blockquote_open": self._open_quote,
            "blockquote_close": self._close_quote,
            "list_item_open": self._open_item,
            "list_item_close": self._close_item,
            "heading_open": self._open_heading,
            "thead_open": self._open_head,
            "thead_close": self._close_head,
            "tr_open": self._open_row,
            "tr_close": self._close_row,
            "inline": self._inline,
            "fence": self._fence,
            "code_block": self._code,
            "html_block": self._html,
        }

    def take(self, token: Token) -> None:
        """Note one token; a block is emitted at its inline token or at the end of its row."""
        handler = self._handlers.get(token.type)
        if handler is not None:
            handler(token)

    def _open_quote(self, _token: Token) -> None:
        self._quotes += 1

    def _close_quote(self, _token: Token) -> None:
        self._quotes -= 1

    def _open_item(self, token: Token) -> None:
        self._items.append(_Item(_range(token)[0], token.info + token.markup, token.meta.get("checked")))
        self._fresh = True

    def _close_item(self, _token: Token) -> None:
        self._items.pop()
        self._fresh = False

    def _open_heading(self, token: Token) -> None:
        self._heading = token

    def _open_head(self, _token: Token) -> None:
        self._head = True

    def _close_head(self, _token: Token) -> None:
        self._head = False

    def _open_row(self, token: Token) -> None:
        self._row = token
        self._cells = []

    def _close_row(self, token: Token) -> None:
        line, end = _range(self._row or token)
        cells = tuple(self._cells)
        spans = tuple(span for cell in cells for span in cell.spans)
        text = " | ".join(cell.text for cell in cells)
        self._emit(Block(BlockKind.ROW, line, end, text, spans, cells, header=self._head))
        self._row = None

    def _inline(self, token: Token) -> None:
        line, end = _range(token)
        line += token.meta.get(SKIPPED, 0)
        prose = read_prose(token.children or (), line)
        if self._row is not None:
            self._cells.append(Cell(prose.text, prose.spans, prose.strong))
        elif self._heading is not None:
            block = _prose_block(BlockKind.HEADING, prose, line, _range(self._heading)[1])
            self._emit(block._replace(level=int(self._heading.tag[1:])))
            self._heading = None
        elif self._fresh:
            item = self._items[-1]
            block = _prose_block(BlockKind.ITEM, prose, line, end)
            self._emit(block._replace(level=len(self._items), marker=item.marker, checkbox=item.checkbox))
        else:
            self._emit(_prose_block(BlockKind.PARAGRAPH, prose, line, end))

    def _fence(self, token: Token) -> None:
        line, end = _range(token)
        marker_lines = end - line + 1 - token.content.count("\n")
        fence = Block(BlockKind.FENCE, line, end, token.content, marker=token.markup, info=token.info.strip())
        self._emit(fence if marker_lines > 1 else fence._replace(closed=False))

    def _code(self, token: Token) -> None:
        self._emit(Block(BlockKind.CODE, *_range(token), token.content))

    def _html(self, token: Token) -> None:
        end = missing_end(token.content)
        self._emit(Block(BlockKind.HTML, *_range(token), token.content, marker=end or "", closed=end is None))

    def _emit(self, block: Block) -> None:
        around = self._items[:-1] if block.kind is BlockKind.ITEM else self._items
        if around or self._quotes:
            block = block._replace(quoted=self._quotes > 0, item_line=around[-1].line if around else None)
        self.blocks.append(block)
        self._fresh = False


def _range(token: Token) -> Range:
    """First and last line of a token, 1-based and inclusive (the library counts from 0, the end not included)."""
    start, end = token.map or (0, 0)
    return start + 1, end


def _prose_block(kind: BlockKind, prose: Prose, line: int, end: int) -> Block:
    lead = bool(prose.strong) and not prose.text[: prose.strong[0][0]].strip()
    return Block(kind, line, end, prose.text, prose.spans, strong_lead=lead, strong=prose.strong)
