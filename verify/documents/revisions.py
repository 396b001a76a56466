"""What of a document changed between two states of it: its parts, and where each one differs first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import zip_longest
from typing import NamedTuple

from verify.artifacts import Artifact
from verify.criteria import criteria_in
from verify.criteria.pieces import plain_words
from verify.documents.approvals import Reading, approval_lines
from verify.documents.sections import Section, holds, sections_of

Word = tuple[str, int]
"""A word of a document and its line (1-based)."""


class Part(NamedTuple):
    """A criterion with its text, or a section without its criteria. ``words`` are all of it, code included.

    ``title`` is the section's, in plain words; ``labels`` are the criterion's.
    """

    title: str
    labels: tuple[str, ...]
    words: tuple[Word, ...]

    @property
    def said(self) -> tuple[str, ...]:
        """The words alone, by which two states compare."""
        return tuple(word for word, _ in self.words)


class Difference(NamedTuple):
    """A part that is not the same in two states; null where one of them does not have it.

    ``before_line`` and ``after_line`` are where they differ first, null where nothing stands there.
    """

    key: str
    before: Part | None
    after: Part | None
    before_line: int | None
    after_line: int | None

    @property
    def labels(self) -> frozenset[str]:
        return frozenset(label for part in (self.before, self.after) if part for label in part.labels)

    @property
    def plain(self) -> frozenset[str]:
        """The plain words by which it may be named: all of a criterion's; a section's title, and what changed in it."""
        before, after = (Counter(part.said if part else ()) for part in (self.before, self.after))
        words = before | after if self.labels else (before - after) + (after - before)
        titles = (part.title for part in (self.before, self.after) if part)
        return frozenset(plain_words(" ".join((*words, *titles))).split())


def parts_of(document: Artifact, reading: Reading) -> Mapping[str, Part]:
    """The content of a document by parts, in order. Linear in it.

    No content are front matter, the lines that approve it, its record of changes, and whether a box is ticked; nor is
    what a formatter sets: white space (so neither line endings nor wrapping make a difference), how a table is ruled
    and padded, and the sign of a list.
    """
    owners = _owners(document, reading)
    found: dict[str, tuple[str, tuple[str, ...], list[Word]]] = {}
    for number, (owner, line) in enumerate(zip(owners, document.lines, strict=True), 1):
        if owner is not None:
            key, title, labels = owner
            words = found.setdefault(key, (title, labels, []))[2]
            words += ((word, number) for word in _words(line))
    return {key: Part(title, labels, tuple(words)) for key, (title, labels, words) in found.items() if words}


def differences(before: Mapping[str, Part], after: Mapping[str, Part]) -> Iterator[Difference]:
    """The parts that differ: those that are there now, in their order, then those that are gone."""
    for key in (*after, *(key for key in before if key not in after)):
        then, now = before.get(key), after.get(key)
        if (then.said if then else None) != (now.said if now else None):
            yield _difference(key, then, now)


def trail_sections(sections: Iterable[Section], reading: Reading) -> Iterator[tuple[int, Section]]:
    """The sections of a document's record of changes, each with its place."""
    known: dict[str, bool] = {}
    for place, section in enumerate(sections):
        for words in (section.words, *section.parents):
            if words not in known:
                known[words] = holds(words, reading.rules.trails)
            if known[words]:
                yield place, section
                break


_SHOWN = 100  # characters of a heading by which sections are told apart
_Owner = tuple[str, str, tuple[str, ...]]


def _owners(document: Artifact, reading: Reading) -> list[_Owner | None]:
    """Which part each line belongs to: its key, title and labels; null for what is no content."""
    count = len(document.lines)
    front = document.front_matter
    start = front.end_line if front.values else 0
    owners: list[_Owner | None] = [None] * count
    blocks = document.blocks
    sections = sections_of(blocks)
    seen: Counter[str] = Counter()
    trails = frozenset(place for place, _ in trail_sections(sections, reading))
    for place, section in enumerate(sections):
        first = section.line if place else start + 1
        last = sections[place + 1].line - 1 if place + 1 < len(sections) else count
        if place in trails:
            continue
        name = " / ".join(words[:_SHOWN] for words in (*section.parents, section.words))
        seen[name] += 1
        owners[first - 1 : last] = [(f"{name} #{seen[name]}", section.words, ())] * max(0, last - first + 1)
    for definition in criteria_in(blocks, reading.criteria):
        owner = (", ".join(definition.labels), "", definition.labels)
        for at in range(definition.line - 1, min(definition.end, count)):
            owners[at] = owner if owners[at] is not None else None
    for field in approval_lines(document, reading):
        owners[field.line - 1] = None
    return owners


def _difference(key: str, before: Part | None, after: Part | None) -> Difference:
    olds: Sequence[Word] = before.words if before else ()
    news: Sequence[Word] = after.words if after else ()
    pairs = zip_longest(olds, news, fillvalue=None)
    old, new = next((old, new) for old, new in pairs if (old and old[0]) != (new and new[0]))
    return Difference(key, before, after, _line(old, olds), _line(new, news))


def _line(word: Word | None, words: Sequence[Word]) -> int | None:
    """The line of a word; where the words have ended, the last one's."""
    if word is not None:
        return word[1]
    return words[-1][1] if words else None


_RULING = frozenset("|:- \t")  # the signs of the line below the header of a table


def _words(line: str) -> Sequence[str]:
    """The words of a line, without what a formatter sets."""
    start = line.lstrip(" \t>").rstrip()
    if "|" in start and "-" in start and _RULING.issuperset(start):
        return ()
    if start.startswith("|"):
        return line.replace("|", " | ").split()
    return _bullet().sub(r"\1-", _box().sub(r"\1", line)).split()


@cache
def _bullet() -> re.Pattern[str]:
    """A star at the beginning of an item."""
    return re.compile(r"^([ \t>]*)\*(?=[ \t])")


@cache
def _box() -> re.Pattern[str]:
    """A task's box at the beginning of an item; ticking it records progress, and changes nothing that was agreed."""
    return re.compile(r"^([ \t>]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)\[[ xX]\](?=[ \t])")
