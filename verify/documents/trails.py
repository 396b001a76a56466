"""The trail of a review after an approval: entries of a document's own record of changes, and reports that name it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import PurePosixPath
from typing import NamedTuple

from verify.artifacts import Artifact
from verify.criteria import labels_in
from verify.criteria.pieces import plain_words
from verify.documents.approvals import NamingRules, Reading
from verify.documents.dates import dates_in
from verify.documents.revisions import Difference, trail_sections
from verify.documents.sections import Section, sections_of
from verify.documents.tables import cell_text
from verify.fields import find_fields, with_code
from verify.history.naming import names_task
from verify.markdown import NO_PROSE, Block, BlockKind


class Entry(NamedTuple):
    """One entry of a record of changes: its day, its line (1-based), the labels and the plain words that it says."""

    day: date
    line: int
    labels: frozenset[str]
    words: frozenset[str]

    def names(self, difference: Difference, rules: NamingRules) -> bool:
        """Whether the entry names what changed: a label of it, or, where one of the two has none, a word of it."""
        if self.labels and difference.labels:
            return not self.labels.isdisjoint(difference.labels)
        return not _stems(self.words, rules).isdisjoint(_stems(difference.plain, rules))


def entries_in(document: Artifact, reading: Reading) -> tuple[Entry, ...]:
    """The dated entries of its record of changes: rows, items, lines, with their own day or that of what is above."""
    sections = sections_of(document.blocks)
    found: list[Entry] = []
    days: list[tuple[int, date | None]] = []  # of the headings around, by level
    for _, section in trail_sections(sections, reading):
        while days and days[-1][0] >= section.level:
            days.pop()
        day = _day(section.title, reading) or (days[-1][1] if days else None)
        days.append((section.level, day))
        found += _entries(section, day, reading)
    return tuple(found)


def names_document(report: Artifact, document: Artifact) -> bool:
    """Whether a report names a document, by its file's name with or without the extension."""
    return names_task(report.text, PurePosixPath(document.path).stem)


def report_day(report: Artifact, reading: Reading) -> date | None:
    """The day of a report as it says itself: in front matter, else on a line ``Date: …``."""
    rules = reading.rules.reports
    said = (value for key in rules.date_keys for value, _ in report.front_matter.entries(key))
    fields = find_fields(report.blocks, rules.date_labels, reading.separator)
    texts = (*said, *(field.written for field in fields))
    return next((day for text in texts if (day := _day(text, reading))), None)


def _entries(section: Section, day: date | None, reading: Reading) -> Iterator[Entry]:
    items: dict[int, date | None] = {}  # the days of items, by line
    for block in section.blocks:
        if block.kind in NO_PROSE or block.header:
            continue
        inherited = items.get(block.item_line or 0, day)
        text = _text(block)
        own = _day(text, reading) or inherited
        if block.kind is BlockKind.ITEM:
            items[block.line] = own
        if own is not None:
            labels = frozenset(labels_in(text, reading.criteria))
            yield Entry(own, block.line, labels, frozenset(plain_words(text).split()) - _numbers(own))


def _text(block: Block) -> str:
    if block.kind is BlockKind.ROW:
        return " | ".join(map(cell_text, block.cells))
    return with_code(block.text, 0, block.spans)


def _day(text: str, reading: Reading) -> date | None:
    """The last day that a text names."""
    return max(dates_in(text, reading.rules.dates), default=None)


def _numbers(day: date) -> frozenset[str]:
    """The numbers of an entry that are its day's."""
    return frozenset(str(number) for number in (day.year, day.month, day.day)) | {f"{day.month:02}", f"{day.day:02}"}


def _stems(words: Iterable[str], rules: NamingRules) -> frozenset[str]:
    """What counts of words that name something; a number counts whole."""
    said = (word for word in words if word not in rules.idle_words)
    return frozenset(word[: rules.stem] for word in said if len(word) >= rules.shortest_word or word.isdigit())
