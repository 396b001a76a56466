"""Tables drawn for a terminal: columns as wide as there is room for, what doesn't fit folded within its cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import Final

from toolkit.authoring.drawing.grids import ANSWER, NAME, NOTE, TESTED, Grid, transposed
from toolkit.commands.folding import Screen, columns, folded
from toolkit.reporting.visible import visible

LONGEST_WORD: Final = 24  # columns; a longer one is broken where there is no room
MAX_ON_SIDE: Final = 8  # rows of a table that is drawn on its side
PADDING: Final = 3  # columns that a column takes beside its text, its edge among them
_STYLES: Final = {NAME: "36", TESTED: "", ANSWER: "32", NOTE: "90"}
_TOP, _BELOW, _BOTTOM = ("┌", "┬", "┐"), ("├", "┼", "┤"), ("└", "┴", "┘")


def draw(grid: Grid, stacked: Callable[[], Grid] | None, where: Screen) -> str:
    """A grid as a table, made safe to print.

    Where it is too wide it is drawn on its side, if it has few rows, or else as ``stacked`` has it.
    """
    if stacked is not None and not _fits(grid, where.width):
        side = transposed(grid)
        grid = side if len(grid.rows) <= MAX_ON_SIDE and _fits(side, where.width) else stacked()
    return "\n".join(_drawn(grid, where))


def _fits(grid: Grid, width: int) -> bool:
    """Whether no word has to be broken, unless it is very long."""
    return sum(least + PADDING for least, _ in _needs(grid)) < width


def _needs(grid: Grid) -> list[tuple[int, int]]:
    """How wide each column has to be for its words to stay whole, and how wide it would like to be."""
    needs = []
    for at, column in enumerate(grid.columns):
        lines = [visible(line) for row in grid.rows for line in row[at].split("\n")]
        title = columns(visible(column.title))
        wanted = max(title, max(map(columns, lines), default=0))
        if column.holds == NAME:
            needs.append((wanted, wanted))
            continue
        longest = max((columns(word) for line in lines for word in line.split(" ")), default=0)
        needs.append((max(title, min(longest, LONGEST_WORD)), wanted))
    return needs


def _widths(grid: Grid, width: int) -> list[int]:
    """The width of each column's text; the widest give way first."""
    room = width - 1 - PADDING * len(grid.columns)
    needs = _needs(grid)
    if sum(least for least, _ in needs) > room:  # then words are broken
        needs = [(1, wanted) for _, wanted in needs]

    def cut(most: int) -> list[int]:
        return [min(wanted, max(least, most)) for least, wanted in needs]

    most, too_much = 1, max((wanted for _, wanted in needs), default=0) + 1
    while too_much - most > 1:
        middle = (most + too_much) // 2
        most, too_much = (middle, too_much) if sum(cut(middle)) <= room else (most, middle)
    widths = cut(most)
    for at, (_, wanted) in enumerate(needs):
        more = min(wanted - widths[at], max(room - sum(widths), 0))
        widths[at] += more
    return widths


def _drawn(grid: Grid, where: Screen) -> Iterator[str]:
    widths = _widths(grid, where.width)
    tall = any("\n" in cell for row in grid.rows for cell in row)
    yield _rule(widths, _TOP)
    titles = tuple(column.title for column in grid.columns)
    yield from _row(titles, widths, ["1"] * len(widths), where)
    yield _rule(widths, _BELOW)
    styles = [_STYLES[column.holds] for column in grid.columns]
    for number, row in enumerate(grid.rows):
        if number and tall:
            yield _rule(widths, _BELOW)
        yield from _row(row, widths, styles, where)
    yield _rule(widths, _BOTTOM)


def _rule(widths: Sequence[int], corners: tuple[str, str, str]) -> str:
    left, middle, right = corners
    return left + middle.join("─" * (width + 2) for width in widths) + right


def _row(row: Sequence[str], widths: Sequence[int], styles: Sequence[str], where: Screen) -> Iterator[str]:
    """The lines of one row."""
    cells = [
        [piece for line in cell.split("\n") for piece in folded(line, width, hanging=0)]
        for cell, width in zip(row, widths, strict=True)
    ]
    for pieces in zip_longest(*cells, fillvalue=""):
        shown = [
            where.styled(piece, style) + " " * max(width - columns(piece), 0)
            for piece, width, style in zip(pieces, widths, styles, strict=True)
        ]
        yield f"│ {' │ '.join(shown)} │"
