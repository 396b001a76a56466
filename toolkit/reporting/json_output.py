"""JSON: the report's document, byte for byte the same for the same document."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from toolkit.reporting.report import Report
from toolkit.reporting.visible import shows

_FIRST_ASTRAL: Final = 0x10000
_LAST_OF_PLANE: Final = 0xFFFF


def render(report: Report) -> str:
    """``report.document`` as one JSON document: sorted keys, valid UTF-8, a newline at the end."""
    return dumps(report.document)


def dumps(document: Mapping[str, object]) -> str:
    """One JSON value in sorted keys, indented, readable, and safe to print.

    Characters that don't show (a C1 control sequence, a bidirectional override) stand as JSON escapes, which any
    reader turns back into the same text. A lone surrogate, which JSON forbids strict readers to accept, becomes the
    six visible characters of its escape. NaN and infinities raise ``ValueError``.
    """
    text = json.dumps(document, ensure_ascii=False, sort_keys=True, indent=2, allow_nan=False, default=_plain)
    return "".join(_safe(line) + "\n" for line in text.split("\n"))


def line(record: Mapping[str, object], *, compact: bool = False) -> str:
    """One JSON value on one line, keys in their order (JSON Lines); safe to print as ``dumps`` is.

    A compact one has no blanks between its signs.
    """
    separators = (",", ":") if compact else None
    return _safe(json.dumps(record, ensure_ascii=False, allow_nan=False, default=_plain, separators=separators))


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is no JSON value")


def _safe(line: str) -> str:
    return line if line.isprintable() else "".join(char if shows(char) else _escape(char) for char in line)


def _escape(char: str) -> str:
    """``char``, inside a JSON string, as escapes: a pair for what lies beyond the first plane."""
    code = ord(char)
    if code <= _LAST_OF_PLANE:
        return f"\\\\u{code:04x}" if 0xD800 <= code <= 0xDFFF else f"\\u{code:04x}"
    offset = code - _FIRST_ASTRAL
    return f"\\u{0xD800 + (offset >> 10):04x}\\u{0xDC00 + (offset & 0x3FF):04x}"
