"""Globs and regular expressions on RE2: linear time on any input, the same meaning on every machine.

The glob dialect is gitignore's, always anchored at the root of the path:

* ``*`` and ``?`` and ``[a-z]`` / ``[!a-z]`` match within one segment, leading dots included;
* ``**/`` at the start and ``/**/`` in the middle match any number of directories, none included;
* ``/**`` at the end and a trailing ``/`` match everything below the directory;
* ``**`` within a segment means ``*``; a leading ``/`` changes nothing; ``\\`` takes the next character literally.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

MAX_PATTERN = 1000
MAX_LINE_BYTES = 64 * 1024

Test = Callable[[str], bool]


class PatternError(ValueError):
    """A pattern that is no glob or no RE2 expression."""


class LineTooLong(ValueError):
    """A line over 64 KiB: an error, never a miss."""


def glob_test(pattern: str, ignore_case: bool) -> Test:
    """A test whether a path matches the glob."""
    return _compile(glob_to_re2(pattern), ignore_case)


def line_test(pattern: str, ignore_case: bool) -> Test:
    """A test whether the RE2 pattern is found in any line of a text."""
    search = _compile(pattern, ignore_case)

    def found(text: str) -> bool:
        lines = text.split("\n")
        for line in lines:
            if len(line) > MAX_LINE_BYTES // 4 and len(line.encode()) > MAX_LINE_BYTES:
                raise LineTooLong
        return any(map(search, lines))

    return found


@lru_cache(maxsize=4096)
def _compile(pattern: str, ignore_case: bool) -> Callable[[str], bool]:
    import re2

    if len(pattern) > 8 * MAX_PATTERN:
        raise PatternError(f"a pattern has at most {MAX_PATTERN} characters")
    options = re2.Options()
    options.case_sensitive = not ignore_case
    options.log_errors = False
    options.max_mem = 8 << 20
    try:
        compiled = re2.compile(pattern, options)
    except (re2.error, UnicodeEncodeError) as fault:
        reason = fault.args[0] if fault.args else "not RE2 syntax"
        raise PatternError(reason.decode() if isinstance(reason, bytes) else str(reason)) from None
    return lambda text: compiled.search(text) is not None


def glob_to_re2(glob: str) -> str:
    """The RE2 expression of a glob. Raises ``PatternError``."""
    if len(glob) > MAX_PATTERN:
        raise PatternError(f"a glob has at most {MAX_PATTERN} characters")
    body = glob.removeprefix("/")
    if not body:
        raise PatternError("a glob can't be empty")
    if body.endswith("/"):
        body += "**"
    segments = body.split("/")
    last = len(segments) - 1
    parts = [r"(?s)\A"]
    for index, segment in enumerate(segments):
        if segment == "**":
            parts.append(_stars(index, last))
            continue
        if not segment or segment in (".", ".."):
            raise PatternError(f"the segment {segment!r} can match no path")
        parts.append(_segment(segment))
        if index < last:
            parts.append("/")
    return "".join((*parts, r"\z"))


def _stars(index: int, last: int) -> str:
    if index < last:
        return "(?:[^/]+/)*"
    return ".+"


def _segment(segment: str) -> str:
    parts: list[str] = []
    at = 0
    while at < len(segment):
        character = segment[at]
        at += 1
        if character == "*":
            while at < len(segment) and segment[at] == "*":
                at += 1
            parts.append("[^/]*")
        elif character == "?":
            parts.append("[^/]")
        elif character == "[":
            text, at = _class(segment, at)
            parts.append(text)
        elif character == "\\":
            if at == len(segment):
                raise PatternError("a glob can't end in a backslash")
            parts.append(_literal(segment[at]))
            at += 1
        else:
            parts.append(_literal(character))
    return "".join(parts)


def _class(segment: str, at: int) -> tuple[str, int]:
    """A bracket expression from just after its ``[``: its RE2 text and where it ends."""
    negated = segment[at : at + 1] in ("!", "^")
    start = at + 1 if negated else at
    end = segment.find("]", start + 1)
    if end < 0:
        raise PatternError("a bracket expression lacks its ]")
    members = segment[start:end]
    escaped = "".join("-" if c == "-" and 0 < i < len(members) - 1 else _literal(c) for i, c in enumerate(members))
    return (f"[^/{escaped}]" if negated else f"[{escaped}]"), end + 1


def _literal(character: str) -> str:
    if character.isascii() and not (character.isalnum() or character == "_"):
        return f"\\x{{{ord(character):02x}}}"
    return character
