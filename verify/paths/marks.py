"""Which citations a plan marks as new: by the step they stand in, or by a remark right beside them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from verify.markdown import Block, BlockKind, CodeSpan
from verify.paths.rules import MarkRules


class Scope:
    """Follows a document block by block and knows which blocks stand under something that is to be created.

    That is a step, list item, table row or heading that begins with a word for it, and what is nested in it; and
    the list or table after a paragraph such as "New files:".
    """

    def __init__(self, rules: MarkRules) -> None:
        self._rules = rules
        self._headings: list[tuple[int, bool]] = []
        self._items: dict[int, bool] = {}  # by the line of the item
        self._announced = False

    def enter(self, block: Block) -> bool:
        """Whether all that this block cites is new. Call it once for each block, in document order."""
        creates = _creates(block, self._rules)
        if block.kind is BlockKind.HEADING:
            while self._headings and self._headings[-1][0] >= block.level:
                self._headings.pop()
            self._headings.append((block.level, creates))
            self._announced = False
        elif block.kind is BlockKind.PARAGRAPH and block.item_line is None:
            self._announced = creates and block.text.rstrip().endswith(":")
        elif self._announced:
            creates = True
        nested = block.item_line is not None and self._items.get(block.item_line, False)
        new = creates or nested or any(section for _, section in self._headings)
        if block.kind is BlockKind.ITEM:
            self._items[block.line] = new
        return new


def remarked(block: Block, spans: Sequence[CodeSpan], lines: Sequence[str], rules: MarkRules) -> list[bool]:
    """For each code span of a block, whether a remark beside it calls it new.

    ``lines`` is the document's source. ``(new)`` belongs to the span before it; "new file" to the span that it
    leads up to, and to those that follow in the same enumeration, else to the span before it. Without the source
    a remark anywhere in the block belongs to all of its spans.
    """
    gaps = _gaps(block, spans, lines)
    if gaps is None:
        return [_has_remark(block.text, rules)] * len(spans)
    new = [False] * len(spans)
    leading = False
    for place, gap in enumerate(gaps):
        words = _plain(gap)
        joined = leading and all(word in rules.joiners for word in words.split())
        leading = place < len(spans) and (joined or any(words.endswith(f" {phrase} ") for phrase in rules.phrases))
        if leading:
            new[place] = True
        if place > 0 and not joined and _has_remark(_sentence(gap), rules, leading=leading):
            new[place - 1] = True
    return new


def _creates(block: Block, rules: MarkRules) -> bool:
    if block.kind is BlockKind.ROW:
        return any(_begins(cell.text, rules) or _plain(cell.text).strip() in rules.bracketed for cell in block.cells)
    if block.kind is BlockKind.HEADING:
        title = block.level == 1  # it names the whole task, which may well begin with "Add"
        return not title and (_begins(block.text, rules, as_step=True) or _has_phrase(block.text, rules))
    return _begins(block.text, rules) or (block.text.rstrip().endswith(":") and _has_phrase(block.text, rules))


def _begins(text: str, rules: MarkRules, *, as_step: bool = False) -> bool:
    """Whether prose begins with a word for creating, after "Step 3:" or a number; not after inline code.

    ``as_step``: only where it does say "Step" or a number first.
    """
    if text[:1].isspace():
        return False
    numbered = not as_step
    for word in text.split():
        plain = _plain(word).strip()
        if plain in rules.step_words or plain[:1].isdigit():
            numbered = True
        elif plain:
            return numbered and plain in rules.beginnings
    return False


def _gaps(block: Block, spans: Sequence[CodeSpan], lines: Sequence[str]) -> list[str] | None:
    """The source before, between and after the code spans of a block; null where they can't be told apart."""
    source = "\n".join(lines[block.line - 1 : block.end])
    gaps: list[str] = []
    end = 0
    for span in spans:
        start = _find_span(source, span.text, end)
        if start < 0:
            return None
        gaps.append(source[end:start])
        end = start + len(span.text)
    return [*gaps, source[end:]]


def _find_span(source: str, text: str, start: int) -> int:
    """Where the content of a code span begins in the source, from ``start`` on; negative: nowhere."""
    found = source.find(text, start)
    while found >= 0 and not source[max(found - 2, 0) : found].rstrip(" ").endswith("`"):
        found = source.find(text, found + 1)
    return found


def _has_remark(text: str, rules: MarkRules, *, leading: bool = False) -> bool:
    """A bracketed remark, or one of the phrases (not where it leads up to the next span)."""
    bracketed = (_plain(inner.partition(",")[0]).strip() for inner in _brackets().findall(text))
    return any(inner in rules.bracketed for inner in bracketed) or (not leading and _has_phrase(text, rules))


def _has_phrase(text: str, rules: MarkRules) -> bool:
    plain = _plain(text)
    return any(f" {phrase} " in plain for phrase in rules.phrases)


def _sentence(gap: str) -> str:
    """The gap up to the end of the sentence that the span before it stands in."""
    return gap.partition(". ")[0].partition("\n\n")[0]


def _plain(text: str) -> str:
    """Lower-case words with one space before, between and after them; nothing else."""
    return f" {' '.join(_word().findall(text.lower()))} "


@cache
def _brackets() -> re.Pattern[str]:
    return re.compile(r"[(\[]([^()\[\]]*)[)\]]")


@cache
def _word() -> re.Pattern[str]:
    return re.compile(r"\w+")
