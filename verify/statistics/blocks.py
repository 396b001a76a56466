"""Where an archive states its outcome: in the front matter, else in a YAML fence or under a heading of the body."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from verify.audit.front_matter import Unreadable, load
from verify.criteria.pieces import plain_words
from verify.documents.sections import Section, sections_of
from verify.fields import COLONS, with_code
from verify.frontmatter import FrontMatter
from verify.markdown import Block as Markdown
from verify.markdown import BlockKind
from verify.parsed import blocks_of

if TYPE_CHECKING:
    from verify.audit.front_matter import Bounds
    from verify.statistics.rules import ArchiveRules

MARKUP = " \t*`"


class OutcomeFault(Exception):
    """An outcome that can't be used, at a line of the archive; ``unreadable`` where not even YAML stands there."""

    def __init__(self, code: str, line: int, reason: str, *, unreadable: bool = False) -> None:
        super().__init__(reason)
        self.code, self.line, self.reason, self.unreadable = code, line, reason, unreadable


class Block(NamedTuple):
    """An outcome as it is stated: its values by key, and where in the archive (1-based, both included)."""

    values: Mapping[str, Any]
    lines: Sequence[str]
    first: int
    last: int

    def line(self, key: str) -> int:
        """The line of the block on which ``key`` stands."""
        inside = range(self.first, self.last + 1)
        return next((number for number in inside if key in self.lines[number - 1]), self.first)


def outcome_in(lines: Sequence[str], front: FrontMatter, rules: ArchiveRules, bounds: Bounds) -> Block | None:
    """The outcome that an archive states, or null. What the front matter says is not asked of the body again.

    Raises ``OutcomeFault`` for front matter or a fence that is no YAML, for a block that is no mapping, and for a body
    that states two different outcomes.
    """
    if front.error is not None:
        raise OutcomeFault("front_matter", front.error_line or 1, front.error, unreadable=True)
    if rules.block in front.values:
        whole = _loaded("\n".join(lines[1 : front.end_line - 1]), front.lines[rules.block], bounds)
        return _block(whole[rules.block], lines, front.lines[rules.block], front.end_line - 1, rules)
    start = front.end_line
    blocks = blocks_of("\n" * start + "\n".join(lines[start:]))
    stated = list(_in_body(blocks, lines, rules, bounds))
    for other in stated[1:]:
        if other.values != stated[0].values:
            reason = f"{rules.block} stands here and on line {stated[0].first}, and differs"
            raise OutcomeFault("contradiction", other.first, reason)
    return stated[0] if stated else None


def _in_body(blocks: Sequence[Markdown], lines: Sequence[str], rules: ArchiveRules, bounds: Bounds) -> Iterator[Block]:
    for section in sections_of(blocks):
        headed = _title(section) in rules.headings
        for block in section.blocks:
            if block.kind is BlockKind.FENCE and _language(block) in rules.languages:
                yield from _of_fence(block, headed, lines, rules, bounds)
        if headed:
            yield from _of_lines(section, lines, rules)


def _title(section: Section) -> str:
    """The heading in plain words, its inline code included."""
    heading = section.heading
    return plain_words(with_code(heading.text, 0, heading.spans)) if heading else ""


def _of_fence(
    block: Markdown, headed: bool, lines: Sequence[str], rules: ArchiveRules, bounds: Bounds
) -> Iterator[Block]:
    """The outcome in a fence: under its key, or the fence as a whole where the heading says what it is."""
    if not headed and rules.block not in block.text:
        return
    values = _loaded(block.text, block.line, bounds)
    if rules.block in values:
        yield _block(values[rules.block], lines, block.line, block.end, rules)
    elif headed and rules.keys & values.keys():
        yield _block(values, lines, block.line, block.end, rules)


def _of_lines(section: Section, lines: Sequence[str], rules: ArchiveRules) -> Iterator[Block]:
    """The outcome as lines ``key: value`` of a section, in a list or not."""
    values: dict[str, Any] = {}
    places: list[int] = []
    for block in section.blocks:
        for line in block.prose_lines():
            name, colon, value = with_code(line.text, 0, line.spans).translate(COLONS).partition(":")
            key, said = name.strip(MARKUP), value.strip(MARKUP)
            if not colon or key not in rules.keys:
                continue
            if key in values:
                raise OutcomeFault("contradiction", line.number, f"{key} stands twice, first on line {places[0]}")
            values[key] = int(said) if said.isascii() and said.isdigit() and len(said) <= 18 else said
            places.append(line.number)
    if places:
        yield Block(values, lines, places[0], places[-1])


def _block(value: object, lines: Sequence[str], first: int, last: int, rules: ArchiveRules) -> Block:
    if not isinstance(value, Mapping) or not rules.keys & value.keys():
        raise OutcomeFault(
            "bad_figure", first, f"{rules.block} is no mapping with any of {', '.join(sorted(rules.keys))}"
        )
    return Block(value, lines, first, last)


def _loaded(text: str, line: int, bounds: Bounds) -> dict[str, Any]:
    try:
        return load(text, bounds)
    except Unreadable as error:
        raise OutcomeFault("not_yaml", line, f"is no YAML that can be read: {error}", unreadable=True) from error


def _language(block: Markdown) -> str:
    return block.info.split()[0].casefold() if block.info.split() else ""
