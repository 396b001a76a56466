"""The wishes of a section as they are written: items, their fields by indentation, and what stands at a wrong one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from verify.captured import Problem
from verify.criteria.pieces import plain_words
from verify.expectations.lines import BOLD, Line
from verify.expectations.rules import CURRENT, EDGES, HISTORY, WISH_ID, ExpectationRules

HEADED = (HISTORY, CURRENT)


class Text(NamedTuple):
    """One statement of a field: its value without blanks around it, all lines of it joined, and the first line."""

    value: str
    line: int


class Entry:
    """One entry of a history or a status; it may go on over further lines."""

    def __init__(self, text: str, line: int) -> None:
        self.line = line
        self.values = [text]

    @property
    def text(self) -> Text:
        return Text(" ".join(self.values), self.line)


class Part:
    """A field that is being read. ``open_to_all`` says that its entries may stand at any indent (a plain heading).

    ``filled`` says that anything stands in it, be it a fence; ``misplaced`` is an entry at a wrong indent.
    """

    def __init__(self, name: str, line: int, *, open_to_all: bool = False) -> None:
        self.name = name
        self.line = line
        self.open_to_all = open_to_all
        self.values: list[str] = []
        self.entries: list[Entry] = []
        self.filled = False
        self.misplaced: Line | None = None

    @property
    def text(self) -> Text:
        return Text(" ".join(filter(None, self.values)).strip(EDGES), self.line)


class Item:
    """A wish as it is written: its fields, those that stand at a wrong indent, and lines that only look like fields."""

    def __init__(self, title: str, line: int) -> None:
        self.title = title
        self.line = line
        self.parts: dict[str, list[Part]] = {}
        self.stray: dict[str, Line] = {}
        self.loose: dict[str, Line] = {}


class ItemReader:
    """Takes the lines of the sections in order; ``items`` and ``problems`` are what they say. Total and linear."""

    def __init__(self, rules: ExpectationRules) -> None:
        self._rules = rules
        self._item: Item | None = None
        self._part: Part | None = None
        self.items: list[Item] = []
        self.problems: list[Problem] = []

    def read(self, lines: Iterable[Line]) -> None:
        for line in lines:
            self._take(line)

    def _take(self, line: Line) -> None:
        if line.code or (line.indented and not self._takes_all()):
            self._passive(line)
            return
        title = _title(line)
        if title is not None and (line.indent == 0 or self._item is None):
            self._begin(title, line)
            return
        name, value, colon = _split(line, self._rules)
        known = self._rules.names.get(name)
        if known is not None and (colon or line.marked):
            self._known(known, value, line)
        elif line.heading or (line.bullet and line.indent == 0 and not self._takes_all()):
            self._item = self._part = None  # a heading or an item of another kind ends the wish
        elif line.bullet and line.indent <= self._rules.field_indent and not self._takes_all():
            self._other(line)
        else:
            self._content(line)

    def _passive(self, line: Line) -> None:
        """A line that is content whatever it looks like; a field in it is only remembered, for a better message."""
        name, _, colon = _split(line, self._rules)
        if self._item is not None and colon and name in self._rules.names:
            self._item.loose.setdefault(self._rules.names[name], line)
        self._fill("")

    def _begin(self, title: str, line: Line) -> None:
        self._item, self._part = Item(title, line.number), None
        self.items.append(self._item)
        if line.indent:
            message = f"the wish stands at {_columns(line.indent)}; it has to stand at the start of the line"
            self.problems.append(Problem(line.number, "item-indent", message))

    def _known(self, name: str, value: str, line: Line) -> None:
        """A line that begins as a field does: one at its place, or at a wrong one, or an entry that only looks so."""
        plain = line.marked and not line.bullet and name in HEADED
        if self._item is None:
            if line.bullet or line.marked:
                self._outside(name, line)
        elif line.indent == self._rules.field_indent or plain:
            self._part = Part(name, line.number, open_to_all=plain)
            self._item.parts.setdefault(name, []).append(self._part)
            if value:
                self._fill(value)
        elif self._part is not None and self._part.name in HEADED and self._rules.is_history(line.text):
            self._content(line)
        elif line.bullet or line.marked:
            self._item.stray.setdefault(name, line)
            if name == WISH_ID:
                self._indent_problem(name, line)
            self._part = None
        else:
            self._item.loose.setdefault(name, line)
            self._content(line)

    def _outside(self, name: str, line: Line) -> None:
        shown = self._rules.fields[name].shown
        message = f"{shown} belongs to no wish: the item above it is not written as - **N. title** at the line start"
        self.problems.append(Problem(line.number, "field-outside", message))

    def _indent_problem(self, name: str, line: Line) -> None:
        wanted, shown = self._rules.field_indent, self._rules.fields[name].shown
        message = f"{shown} stands at {_columns(line.indent)}; a field of a wish stands at {_columns(wanted)}"
        self.problems.append(Problem(line.number, "field-indent", message))

    def _other(self, line: Line) -> None:
        """An item at the indent of a field that is none of the known ones: another field, or an entry too far left."""
        part = self._part
        if part is not None and part.name in HEADED and self._is_entry(part, line):
            part.misplaced = part.misplaced or line
        else:
            self._part = None

    def _content(self, line: Line) -> None:
        part = self._part
        if part is None:
            return
        if part.name not in HEADED:
            if not self._is_late_status(line):
                self._fill(line.text)
            return
        at_place = line.indent == self._rules.entry_indent or part.open_to_all
        if line.bullet and not at_place and self._is_entry(part, line):
            part.misplaced = part.misplaced or line
        elif at_place and (line.bullet or not part.entries):
            part.entries.append(Entry(line.text, line.number))
        elif part.entries:
            part.entries[-1].values.append(line.text)

    def _is_late_status(self, line: Line) -> bool:
        """Whether a line below another field can only be the status that is missing below its own heading.

        It is kept as one at a wrong place: the structure fails, and yet what is meant is known.
        """
        at_place = line.bullet and line.indent == self._rules.entry_indent
        heads = self._item.parts.get(CURRENT, []) if self._item is not None and at_place else []
        late = bool(heads) and not any(head.entries for head in heads) and self._is_entry(heads[-1], line)
        if late:
            heads[-1].misplaced = heads[-1].misplaced or line
        return late

    def _is_entry(self, part: Part, line: Line) -> bool:
        if part.name == HISTORY:
            return self._rules.is_history(line.text)
        return self._rules.term(line.text, self._rules.statuses) is not None

    def _fill(self, text: str) -> None:
        part = self._part
        if part is None:
            return
        part.filled = True
        if part.name in HEADED and text:
            part.entries.append(Entry(text, part.line))
        elif text:
            part.values.append(text)

    def _takes_all(self) -> bool:
        return self._part is not None and self._part.open_to_all


def _title(line: Line) -> str | None:
    """The title of a line that begins a wish, else null."""
    if not line.bullet or not line.marked:
        return None
    match = _numbered().match(line.text)
    return match["title"].replace(BOLD, "").strip() if match else None


def _split(line: Line, rules: ExpectationRules) -> tuple[str, str, bool]:
    """The name that a line begins with (plain words), what stands after the colon, and whether there is one."""
    head = line.text[: rules.longest_name].replace("：", ":")
    name, colon, _ = head.partition(":")
    if not colon:
        return plain_words(line.text) if len(line.text) <= rules.longest_name else "", "", False
    return plain_words(name), line.text[len(name) + 1 :].strip(" \t*`"), True


def _columns(number: int) -> str:
    return "1 space" if number == 1 else f"{number} spaces"


@cache
def _numbered() -> re.Pattern[str]:
    """``N. title`` in its spellings; bold marks that Markdown could not pair may still stand there."""
    return re.compile(r"(?:\*\*)?[ \t]{0,4}[#№]?\d{1,6}[ \t]{0,4}[.):—–-]?(?P<title>.*)", re.DOTALL)
