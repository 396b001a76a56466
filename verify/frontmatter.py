"""YAML front matter at the very start of a document: its top-level keys and values, as text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn

if TYPE_CHECKING:
    from yaml.events import Event

DELIMITER: Final = "---"
FIRST_LINE: Final = 2  # of the YAML text, in the document


class FrontMatter(NamedTuple):
    """What stands between the first line ``---`` and the next one.

    ``values`` maps keys to scalars as they are written (``yes`` is the text yes, an empty value is empty text); a
    list or mapping is kept as its YAML text. ``lines`` says on which line (1-based) each key stands. ``error`` is
    why the block can't be used, with its line (also ``error_line``); there are no values then. ``end_line`` is the
    line of the closing ``---``, 0 without front matter.
    """

    values: Mapping[str, str]
    error: str | None
    end_line: int
    lines: Mapping[str, int]
    error_line: int | None = None

    def entries(self, key: str) -> tuple[tuple[str, int], ...]:
        """The values that say something (and their lines) of every key that is ``key`` in any case."""
        wanted = key.casefold()
        named = ((value.strip(), self.lines[name]) for name, value in self.values.items() if name.casefold() == wanted)
        return tuple((value, line) for value, line in named if value)


class _Invalid(Exception):
    """A fault at a line of the document."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line
        self.reason = reason


def read_front_matter(lines: tuple[str, ...]) -> FrontMatter:
    """The front matter of a document given as its lines (see ``split_lines``). Total, and linear in its size.

    Aliases, anchors, tags, duplicate keys and a second document are errors: no honest front matter needs them, and
    readers disagree about what they mean.
    """
    if not lines or lines[0].removeprefix("\ufeff").rstrip() != DELIMITER:
        return FrontMatter(MappingProxyType({}), None, 0, MappingProxyType({}))
    close = next((number for number, line in enumerate(lines[1:], FIRST_LINE) if line.rstrip() == DELIMITER), None)
    if close is None:
        return _failed(_Invalid(1, "the front matter is opened here and never closed"), 0)
    text = "\n".join(lines[1 : close - 1])
    values: dict[str, str] = {}
    places: dict[str, int] = {}
    try:
        for key, value, line in _entries(text):
            if key in values:
                raise _Invalid(line, f"duplicate key {key[:60]!r}, first given on line {places[key]}")
            values[key], places[key] = value, line
    except _Invalid as fault:
        return _failed(fault, close)
    return FrontMatter(MappingProxyType(values), None, close, MappingProxyType(places))


def look_alikes(lines: tuple[str, ...], end_line: int) -> tuple[tuple[int, int], ...]:
    """The lines of each block from line ``end_line`` on that looks like front matter and is none.

    First line (1-based) and the one after the last, ascending and disjoint. Such a block is
    what stands between two lines ``---``, when that is nothing but keys, lists and blank lines. Linear.
    """
    rules = [number for number, line in enumerate(lines, 1) if number >= end_line and line.rstrip() == DELIMITER]
    found: list[tuple[int, int]] = []
    for start, end in pairwise(rules):
        taken = bool(found) and found[-1][1] > start
        inner = [line for line in lines[start : end - 1] if line.strip()]
        if inner and not taken and all(map(_entry().match, inner)):
            found.append((start, end + 1))
    return tuple(found)


@cache
def _entry() -> re.Pattern[str]:
    """A line of YAML as front matter holds it: a key, something indented, a list item, a comment."""
    return re.compile(r"[\w-]+[ \t]*:|[ \t]|- |#")


def _failed(fault: _Invalid, end_line: int) -> FrontMatter:
    reason = f"line {fault.line}: {fault.reason}"
    return FrontMatter(MappingProxyType({}), reason, end_line, MappingProxyType({}), fault.line)


def _entries(text: str) -> Iterator[tuple[str, str, int]]:
    """Key, value and line of each entry of the top-level mapping whose key is a scalar. Raises ``_Invalid``."""
    from yaml.events import MappingEndEvent, MappingStartEvent, ScalarEvent

    events = _plain_events(text)
    first = next(events, None)
    if first is None:
        return
    if not isinstance(first, MappingStartEvent):
        raise _Invalid(_line(first), "the front matter is not a mapping of keys to values")
    for event in events:
        if isinstance(event, MappingEndEvent):
            break
        key = event.value if isinstance(event, ScalarEvent) else None
        _skip(event, events)
        start = next(events)
        end = _skip(start, events)
        if key is not None:
            value = start.value if isinstance(start, ScalarEvent) else _source(text, start, end)
            yield key, value, _line(event)
    second = next(events, None)
    if second is not None:
        raise _Invalid(_line(second), "a second YAML document inside the front matter")


def _skip(event: Event, events: Iterator[Event]) -> Event:
    """Read on to the end of the node that ``event`` begins; its last event."""
    from yaml.events import CollectionEndEvent, CollectionStartEvent

    depth = 0
    while True:
        depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
        if depth == 0:
            return event
        event = next(events)


def _plain_events(text: str) -> Iterator[Event]:
    """The events of nodes, without those of the stream and its documents. Raises ``_Invalid`` for anything unusual."""
    import yaml
    from yaml.events import AliasEvent, NodeEvent

    try:
        for event in _parsed(text):
            if isinstance(event, AliasEvent):
                raise _Invalid(_line(event), "an alias (*) has no place in front matter; quote the value")
            if isinstance(event, NodeEvent) and event.anchor is not None:
                raise _Invalid(_line(event), "an anchor (&) has no place in front matter; quote the value")
            if getattr(event, "tag", None) is not None:
                raise _Invalid(_line(event), "a tag (!) has no place in front matter; quote the value")
            yield event
    except yaml.YAMLError as error:
        _refuse(error, text)
    except UnicodeEncodeError as error:
        raise _Invalid(_line_at(text, error.start), "a character that no UTF-8 text can hold") from None


def _parsed(text: str) -> Iterable[Event]:
    """The events that say something about the content."""
    import yaml
    from yaml.events import DocumentEndEvent, DocumentStartEvent, StreamEndEvent, StreamStartEvent

    frame = (StreamStartEvent, DocumentStartEvent, DocumentEndEvent, StreamEndEvent)
    return (event for event in yaml.parse(text, Loader=yaml.CBaseLoader) if not isinstance(event, frame))


def _refuse(error: Exception, text: str) -> NoReturn:
    """The parser's complaint with its line in the document."""
    from yaml import MarkedYAMLError
    from yaml.reader import ReaderError

    if isinstance(error, MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        raise _Invalid((mark.line if mark else 0) + FIRST_LINE, error.problem or "invalid YAML") from None
    if isinstance(error, ReaderError):
        raise _Invalid(_line_at(text, error.position), f"invalid YAML: {error.reason}") from None
    raise _Invalid(FIRST_LINE, "invalid YAML") from None


def _source(text: str, start: Event, end: Event) -> str:
    assert start.start_mark is not None  # the parser marks every event
    assert end.end_mark is not None
    return text[start.start_mark.index : end.end_mark.index].strip()


def _line(event: Event) -> int:
    assert event.start_mark is not None
    return event.start_mark.line + FIRST_LINE


def _line_at(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + FIRST_LINE
