"""The source lines of the sections of wishes, with how far each is indented and what a reader sees on it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple
from unicodedata import normalize

from verify.artifacts import Artifact
from verify.criteria.pieces import plain_words
from verify.documents.sections import opens_section
from verify.expectations.rules import ExpectationRules
from verify.fields import with_code
from verify.markdown import LINE_BREAK, Block, BlockKind

BULLETS: Final = ("- ", "* ", "+ ", "-\t", "*\t", "+\t")
BOXES: Final = ("[ ] ", "[x] ", "[X] ")
BOLD: Final = "**"


class Line(NamedTuple):
    """One line that says something. ``text`` is what is seen of it (NFC), without bullet, box and heading marks.

    ``indent`` is in columns. ``marked`` says that it is a heading or begins in bold, ``heading`` that it is one outside
    of every list. ``code`` says that it belongs to a fence or a table: it is content, and never a field; ``indented``
    that it is indented code to Markdown.
    """

    number: int
    indent: int
    bullet: bool
    text: str
    marked: bool = False
    heading: bool = False
    code: bool = False
    indented: bool = False


def section_lines(artifact: Artifact, rules: ExpectationRules) -> tuple[tuple[int, ...], tuple[Line, ...]]:
    """The lines of the sections' headings, and all lines of these sections in order. Linear in the document.

    Without such a heading: all lines of the document. A section ends at the next heading of its level or a higher one.
    Comments and block quotes hold no line.
    """
    starts: list[int] = []
    lines: list[Line] = []
    inside = False
    for block in artifact.blocks:
        if opens_section(block) and block.level <= rules.level:
            inside = block.level == rules.level and _names(block, rules)
            if inside:
                starts.append(block.line)
        elif inside:
            lines += _lines(block, artifact, rules)
    if not starts:
        lines = [line for block in artifact.blocks for line in _lines(block, artifact, rules)]
    return tuple(starts), tuple(lines)


def heading_elsewhere(artifact: Artifact, rules: ExpectationRules) -> Block | None:
    """A heading that would open the section if it stood at the right level."""
    return next((block for block in artifact.blocks if opens_section(block) and _names(block, rules)), None)


def _names(block: Block, rules: ExpectationRules) -> bool:
    words = f"{plain_words(normalize('NFC', block.text))} "
    return any(words.startswith(f"{name} ") for name in rules.headings)


def _lines(block: Block, artifact: Artifact, rules: ExpectationRules) -> Iterator[Line]:
    if block.quoted or block.kind is BlockKind.HTML:
        return
    if block.kind is BlockKind.FENCE or block.kind is BlockKind.ROW:
        yield from (Line(number, *_start(artifact.line(number), rules), "", code=True) for number in _numbers(block))
    elif block.kind is BlockKind.CODE:
        yield from _of_code(block, artifact, rules)
    else:
        yield from _of_prose(block, artifact, rules)


def _numbers(block: Block) -> range:
    return range(block.line, block.end + 1)


def _of_prose(block: Block, artifact: Artifact, rules: ExpectationRules) -> Iterator[Line]:
    for line in block.prose_lines():
        text = _seen(with_code(line.text, 0, line.spans))
        if text:
            first = line.number == block.line
            marked = first and (block.kind is BlockKind.HEADING or block.strong_lead or text.startswith(BOLD))
            indent, bullet = _start(artifact.line(line.number), rules)
            if bullet and text.startswith(BULLETS):  # too far right for Markdown to see a list in it
                text = text[1:].lstrip()
            yield Line(line.number, indent, bullet, text, marked, opens_section(block))


def _of_code(block: Block, artifact: Artifact, rules: ExpectationRules) -> Iterator[Line]:
    """Indented code as the lines that its writer saw: what stands below a plain heading is code to Markdown alone."""
    for number in _numbers(block):
        source = artifact.line(number)
        indent, bullet = _start(source, rules)
        text = source.strip()
        text = text[1:].lstrip() if bullet else text
        text = text[len(BOXES[0]) :] if text.startswith(BOXES) else text
        bare = text.lstrip("#")
        if _seen(bare):
            yield Line(number, indent, bullet, _seen(bare), marked=bare != text or text.startswith(BOLD), indented=True)


def _start(source: str, rules: ExpectationRules) -> tuple[int, bool]:
    """How many columns stand before the first sign of a line, and whether that is a bullet."""
    rest = source.lstrip(" \t")
    return len(source[: len(source) - len(rest)].expandtabs(rules.tab)), rest.startswith(BULLETS)


def _seen(text: str) -> str:
    return normalize("NFC", text.replace(LINE_BREAK, " ")).strip()
