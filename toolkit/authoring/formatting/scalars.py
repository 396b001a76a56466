"""How a scalar is written: plain where that is safe, else in quotes, and long prose over several lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Final

from toolkit.authoring.formatting.pieces import BLOCK_STYLES, DOUBLE, FOLDED, LITERAL, SINGLE, Leaf
from toolkit.policy.syntax.scalars import AmbiguousScalar, resolve_plain

MAX_SIMPLE_KEY: Final = 1000  # characters; YAML finds no longer one without a question mark before it
MAX_PLAIN: Final = 1000  # characters of quoted text that is looked at to see whether it needs its quotes


def text_of(leaf: Leaf, *, flow: bool, keep_quotes: bool = False) -> str:
    """A scalar on one line. ``flow`` says whether it stands between brackets, where less may stand without quotes."""
    if not leaf.style:
        return quoted(leaf.value) if "\n" in leaf.value else leaf.value
    one_line = leaf.style not in BLOCK_STYLES and "\n" not in leaf.raw
    if one_line and (keep_quotes or is_escaped(leaf)):
        return leaf.raw
    if is_plain(leaf.value, flow=flow):
        return leaf.value
    return leaf.raw if one_line else quoted(leaf.value)


def is_escaped(leaf: Leaf) -> bool:
    """Whether some character is written as an escape: whoever did that had a reason."""
    return leaf.style == DOUBLE and "\\" in leaf.raw


def needs_quotes(leaf: Leaf, *, flow: bool) -> bool:
    """Whether a quoted scalar would be something else without its quotes."""
    return bool(leaf.style) and not is_plain(leaf.value, flow=flow)


def is_plain(value: str, *, flow: bool) -> bool:
    """Whether every reader takes this text for itself when it stands without quotes."""
    if len(value) > MAX_PLAIN or not (_plain_flow() if flow else _plain_block()).match(value):
        return False
    if not value.isprintable():
        return False
    try:
        return resolve_plain(value) == value
    except AmbiguousScalar:
        return False


# Less than YAML allows: what is no word or prose at first sight (a formula, a pattern, a pair) keeps its quotes.
@cache
def _plain_flow() -> re.Pattern[str]:
    return re.compile(r"[\w/.][\w/.';-]*(?: [\w/.][\w/.';-]*)*\Z")


@cache
def _plain_block() -> re.Pattern[str]:
    return re.compile(r"[\w/.][\w/.',;?!-]*(?: [\w/.][\w/.',;?!-]*)*\Z")


def quoted(value: str) -> str:
    """Text in double quotes; in single ones where that saves escapes and can be."""
    if not value.isprintable():
        return _escaped(value)
    if "\\" in value or DOUBLE in value:
        return SINGLE + value.replace(SINGLE, SINGLE * 2) + SINGLE
    return DOUBLE + value + DOUBLE


def _escaped(value: str) -> str:
    import json

    text = json.dumps(value, ensure_ascii=False)  # YAML knows every escape of JSON, and more characters need one
    return "".join(character if character.isprintable() else _code(character) for character in text)


def _code(character: str) -> str:
    point = ord(character)
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"


def block_of(leaf: Leaf, room: int) -> tuple[str, list[str]] | None:
    """A scalar of several lines: its header and its lines, none wider than ``room`` where that can be; null: none.

    A literal stays one, with what stands in it. A folded one keeps the lines that its author chose, and is broken anew
    where they are too wide.
    """
    if leaf.style not in BLOCK_STYLES:
        return None
    body = leaf.value.removesuffix("\n")
    if not body.strip() or body.endswith("\n"):
        return None
    chomp = "" if leaf.value.endswith("\n") else "-"
    lines = _folded_lines(leaf, body) if leaf.style == FOLDED else None
    if lines is not None:
        return f"{FOLDED}{chomp}", lines if "\\" in body else list(_narrowed(lines, room))[:-1]
    first = next(line for line in body.split("\n") if line.strip(" "))
    indent = "2" if first.startswith(" ") or body.startswith(("\n", " ", "\t")) else ""
    return f"{LITERAL}{indent}{chomp}", body.split("\n")


def _folded_lines(leaf: Leaf, body: str) -> list[str] | None:
    """The lines of a folded scalar as they are written; null where they are not simply joined by spaces."""
    written = leaf.raw.rstrip().split("\n")[1:]
    indent = next((len(line) - len(line.lstrip(" ")) for line in written if line.strip()), 0)
    lines = [line[indent:].rstrip(" ") for line in written]
    if any(line.startswith((" ", "\t")) for line in lines) or not lines[0]:
        return None
    joined = [lines[0]]
    for before, line in pairwise(lines):
        joined.append("\n" if not line else line if not before else f" {line}")
    return lines if "".join(joined) == body else None


def _narrowed(lines: list[str], room: int) -> Iterator[str]:
    """Lines of prose: from one that is too wide to the end of its paragraph they are broken anew."""
    wide: list[str] = []
    for line in [*lines, ""]:
        if wide and not line:
            yield from broken_at(" ".join(wide), room)
            wide = []
        if wide or len(line) > room:
            wide.append(line)
        else:
            yield line


def folded(leaf: Leaf, room: int) -> list[str] | None:
    """The lines over which long prose on one line is broken; null where it is no prose or can't be."""
    value = leaf.value
    if leaf.style in (SINGLE, *BLOCK_STYLES) or "\\" in leaf.raw or not value.isprintable() or value.strip() != value:
        return None
    lines = broken_at(value, room)
    return lines if len(lines) > 1 else None


def broken_at(line: str, room: int) -> list[str]:
    """Prose broken at single spaces, so that no line is wider than ``room`` where that can be."""
    if len(line) <= room:
        return [line]
    lines: list[str] = []
    words: list[str] = []
    width = 0
    for word in _single_space().split(line):
        if words and width + 1 + len(word) > room:
            lines.append(" ".join(words))
            words, width = [], 0
        words.append(word)
        width += len(word) + (1 if width else 0)
    return [*lines, " ".join(words)]


@cache
def _single_space() -> re.Pattern[str]:
    return re.compile(r"(?<=[^ \t]) (?=[^ \t])")
