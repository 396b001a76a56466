"""The text of a file in which quotations are looked up: white space made equal, every place traced back to its line."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from verify.references import Reference

Answer = tuple[bool | None, str | None]
"""Whether an excerpt was found (null: it can't be told), and what is to be said about it."""


class Source:
    """A file's lines, and its text with runs of white space made single spaces (only made where it is asked for).

    ``plain`` is false for bytes that are no UTF-8 text: there a miss means nothing.
    """

    def __init__(self, whole: str, *, plain: bool) -> None:
        self.lines = tuple(whole.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
        self.plain = plain

    @classmethod
    def of(cls, data: bytes) -> Source:
        """Bytes that are not UTF-8 are read with replacement: what a reviewer saw of them was replaced as well."""
        return cls(data.decode("utf-8-sig", "replace"), plain=is_plain(data))

    @property
    def text(self) -> str:
        return self._index.text

    def line_of(self, offset: int) -> int:
        """The line, from 1, of an offset into ``text``."""
        return self._index.numbers[bisect_right(self._index.starts, offset) - 1]

    def offset_of(self, line: int) -> int:
        """Where the first line that is not blank, from ``line`` on, begins in ``text``."""
        at = bisect_right(self._index.numbers, line - 1)
        return self._index.starts[at] if at < len(self._index.starts) else len(self.text)

    @cached_property
    def _index(self) -> _Index:
        words, starts, numbers, offset = [], [], [], 0
        for number, line in enumerate(self.lines, 1):
            words_of_line = flat(line)
            if words_of_line:
                words.append(words_of_line)
                starts.append(offset)
                numbers.append(number)
                offset += len(words_of_line) + 1
        return _Index(" ".join(words), tuple(starts), tuple(numbers))


class _Index(NamedTuple):
    """The flat text; ``starts`` are the offsets in it at which the lines ``numbers`` (from 1) begin."""

    text: str
    starts: tuple[int, ...]
    numbers: tuple[int, ...]


def search(source: Source, reference: Reference, needles: Iterable[str]) -> Answer:
    """An excerpt anywhere in the file; preferably, and without remark, where it is cited."""
    for needle in needles:
        if reference.has_line and needle in flat("\n".join(source.lines[reference.start - 1 : reference.end])):
            return True, None
        first = source.text.find(needle)
        if first < 0:
            continue
        cited = source.text.find(needle, source.offset_of(reference.start)) if reference.has_line else first
        if not reference.has_line or (cited >= 0 and source.line_of(cited) <= reference.end):
            return True, None
        return True, f"the quote stands on line {source.line_of(first)}, not where it is cited"
    if not source.plain:
        return None, f"{reference.path} is not UTF-8 text, so a quote that is not found there proves nothing"
    return False, f"the quote was not found in {reference.path}: it may be invented"


def on_cited_lines(source: Source, reference: Reference, excerpt: str) -> Answer:
    """A short excerpt of the floor, verbatim, on the lines that it cites."""
    lines = source.lines[reference.start - 1 : reference.end] if reference.has_line else ()
    if excerpt in "\n".join(lines):
        return True, None
    return False, f"the quote does not stand on the cited line of {reference.path}"


def flat(text: str) -> str:
    """``text`` with its runs of white space made single spaces."""
    return " ".join(text.split())


def is_plain(data: bytes) -> bool:
    try:
        return "\0" not in data.decode()
    except UnicodeDecodeError:
        return False
