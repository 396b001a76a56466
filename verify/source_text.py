"""The text of a file in which quotations are looked up: white space made equal, every place traced back to its line."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from verify.references import Reference

Answer = tuple[bool | None, str | None]
"""Whether an excerpt was found (null: it can't be told), and what is to be said about it."""


class Source(NamedTuple):
    """A file's text, its runs of white space made single spaces; ``starts`` and ``numbers`` map offsets to lines.

    ``plain`` is false for bytes that are no UTF-8 text: there a miss means nothing.
    """

    text: str
    lines: tuple[str, ...]
    starts: tuple[int, ...]
    numbers: tuple[int, ...]
    plain: bool

    @classmethod
    def of(cls, data: bytes) -> Source:
        """Bytes that are not UTF-8 are read with replacement: what a reviewer saw of them was replaced as well."""
        return cls.of_text(data.decode("utf-8-sig", "replace"), plain=is_plain(data))

    @classmethod
    def of_text(cls, whole: str, *, plain: bool) -> Source:
        lines = tuple(whole.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
        words, starts, numbers, offset = [], [], [], 0
        for number, line in enumerate(lines, 1):
            words_of_line = flat(line)
            if words_of_line:
                words.append(words_of_line)
                starts.append(offset)
                numbers.append(number)
                offset += len(words_of_line) + 1
        return cls(" ".join(words), lines, tuple(starts), tuple(numbers), plain)

    def line_of(self, offset: int) -> int:
        return self.numbers[bisect_right(self.starts, offset) - 1]

    def offset_of(self, line: int) -> int:
        """Where the first line that is not blank, from ``line`` on, begins in ``text``."""
        at = bisect_right(self.numbers, line - 1)
        return self.starts[at] if at < len(self.starts) else len(self.text)


def search(source: Source, reference: Reference, needles: Iterable[str]) -> Answer:
    """An excerpt anywhere in the file; preferably, and without remark, where it is cited."""
    for needle in needles:
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
