"""A document as sections: each heading with what stands right below it, and the headings around it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from verify.criteria.pieces import plain_words
from verify.markdown import NO_PROSE, Block, BlockKind


class Section(NamedTuple):
    """A heading and its own blocks, without those of the sections below it. Lines are 1-based and inclusive.

    ``words`` and ``parents`` are in plain words (case-folded, single spaces), the outermost parent first. What stands
    before the first heading is a section without one, of level 0; a heading inside a quote or a list opens none.
    """

    heading: Block | None
    title: str
    words: str
    level: int
    line: int
    end: int
    blocks: tuple[Block, ...]
    parents: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The visible prose of its own blocks, one a line; code and raw HTML left out."""
        return "\n".join(block.text for block in self.blocks if block.kind not in NO_PROSE)


def sections_of(blocks: Iterable[Block]) -> tuple[Section, ...]:
    """The sections of a document in order. Linear in it."""
    found: list[Section] = []
    enclosing: list[tuple[int, str]] = []
    heading: Block | None = None
    own: list[Block] = []

    def close() -> None:
        if heading is not None or own:
            found.append(_section(heading, own, enclosing))

    for block in blocks:
        if not opens_section(block):
            own.append(block)
            continue
        close()
        level = block.level
        if heading is not None:
            enclosing.append((heading.level, plain_words(heading.text)))
        while enclosing and enclosing[-1][0] >= level:
            enclosing.pop()
        heading, own = block, []
    close()
    return tuple(found)


def opens_section(block: Block) -> bool:
    """Whether a block is a heading of the document itself."""
    return block.kind is BlockKind.HEADING and not block.quoted and block.item_line is None


def within(sections: Sequence[Section], names: Collection[str], but: Collection[str] = ()) -> tuple[Section, ...]:
    """The sections whose own heading, or one around it, holds one of ``names``; not those that hold one of ``but``."""
    return tuple(
        section
        for section in sections
        if any(holds(words, names) for words in (section.words, *section.parents)) and not holds(section.words, but)
    )


def holds(words: str, names: Collection[str]) -> bool:
    """Whether ``words`` (plain words) holds one of ``names`` (plain words too) as whole words."""
    if not names or not words:
        return False
    split = words.split()
    singles = names if isinstance(names, frozenset) else frozenset(names)
    if not singles.isdisjoint(split):
        return True
    padded = f" {words} "
    return any(" " in name and f" {name} " in padded for name in names)


def _section(heading: Block | None, own: list[Block], enclosing: Sequence[tuple[int, str]]) -> Section:
    parents = tuple(words for _, words in enclosing)
    last = max((block.end for block in own), default=heading.end if heading else 0)
    if heading is None:
        return Section(None, "", "", 0, own[0].line, last, tuple(own))
    title = heading.text.strip()
    return Section(heading, title, plain_words(title), heading.level, heading.line, last, tuple(own), parents)
