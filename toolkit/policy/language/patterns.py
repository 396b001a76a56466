"""Globs and regular expressions on RE2: linear time on any input, the same meaning on every machine.

The glob dialect is gitignore's, always anchored at the root of the path:

* ``*`` and ``?`` and ``[a-z]`` / ``[!a-z]`` match within one segment, leading dots included;
* ``**/`` at the start and ``/**/`` in the middle match any number of directories, none included;
* ``/**`` at the end and a trailing ``/`` match everything below the directory;
* ``**`` within a segment means ``*``; a leading ``/`` changes nothing; ``\\`` takes the next character literally.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

MAX_PATTERN = 1000  # characters
MAX_LINE_BYTES = 64 * 1024
MAX_MEMORY = 512 * 1024  # of one compiled pattern, its cache while matching included
JOINED_MEMORY = 4 * MAX_MEMORY  # of all patterns of a cell together
QUOTE = "\\Q"
PATTERN_COST = 20  # what a pattern costs besides its program, in instructions
MAX_COST = 1_000_000  # of all patterns of a set together

Test = Callable[[str], bool]
Search = Callable[[bytes], Any]


class PatternError(ValueError):
    """A pattern that is no glob or no RE2 expression."""


class PatternBudget:
    """What the patterns of a set may cost together, so that no set takes minutes to load or gigabytes to hold."""

    def __init__(self) -> None:
        self.left = MAX_COST

    def compile(self, operator: str, pattern: str, ignore_case: bool) -> Compiled:
        """A ``glob``, or what ``matches``, compiled. Raises ``PatternError`` for none, or for one too many."""
        if not pattern:
            raise PatternError("an empty pattern is found everywhere")
        if len(pattern) > MAX_PATTERN:
            raise PatternError(f"a pattern has at most {MAX_PATTERN} characters")
        if self.left <= 0:
            raise PatternError("the patterns of the set are too many, or too large together")
        expression = glob_to_re2(pattern) if operator == "glob" else pattern
        compiled = _compile(expression, ignore_case)
        self.left -= PATTERN_COST + compiled.programsize
        return Compiled(expression, cast("Search", compiled.search))


class Compiled(NamedTuple):
    """An RE2 expression, which was found to be one, and its search."""

    expression: str
    search: Search


def pattern_test(operator: str, patterns: Sequence[Compiled], ignore_case: bool) -> Test:
    """A test whether one of the patterns is found: ``glob`` in a path, ``matches`` in any line of a text."""
    return _PathTest(patterns, ignore_case) if operator == "glob" else _TextTest(patterns, ignore_case)


class _PathTest:
    """Finds one of several patterns in a path. They are joined when first asked: the path is then read once."""

    def __init__(self, patterns: Sequence[Compiled], ignore_case: bool) -> None:
        self._patterns = patterns
        self._ignore_case = ignore_case
        self._search: Search | None = None

    def __call__(self, path: str) -> bool:
        if self._search is None:
            self._search = _joined(self._patterns, self._ignore_case) or _each(self._patterns)
        return self._search(path.encode()) is not None


class _TextTest:
    """Finds one of several patterns in a line of a text: in all lines at once, where that says the same."""

    def __init__(self, patterns: Sequence[Compiled], ignore_case: bool) -> None:
        self._patterns = patterns
        self._ignore_case = ignore_case
        self._at_once: Search | None = None
        self._by_line: Search | None = None

    def __call__(self, text: str) -> bool:
        if self._at_once is None and self._by_line is None:
            self._at_once = _joined(self._patterns, self._ignore_case, at_once=True)
            self._by_line = None if self._at_once is not None else _each(self._patterns)
        lines = text.encode()
        if self._at_once is not None:
            return self._at_once(lines.replace(b"\r\n", b"\n").removesuffix(b"\r")) is not None
        return any(self._by_line(line) is not None for line in _lines(lines) if self._by_line is not None)


def _each(patterns: Sequence[Compiled]) -> Search:
    searches = tuple(one.search for one in patterns)
    return lambda text: next((found for found in (search(text) for search in searches) if found is not None), None)


def _joined(patterns: Sequence[Compiled], ignore_case: bool, *, at_once: bool = False) -> Search | None:
    """One search for all of them, or null where they can't be joined; ``at_once`` in every line of a text.

    Then ``^`` and ``$`` stand for the ends of a line, and nothing matches the end of a line itself, so that a match
    lies in one line and sees the same around it as if the line stood alone.
    """
    expressions = [one.expression for one in patterns]
    if any(QUOTE in one for one in expressions):
        return None  # what is quoted to the end would swallow the next pattern
    if at_once and not all(map(_means_the_same_in_a_text, expressions)):
        return None
    joined = "|".join(f"(?:{one})" for one in expressions)
    try:
        compiled = _compile(f"(?m:{joined})" if at_once else joined, ignore_case, JOINED_MEMORY, within_lines=at_once)
    except PatternError:  # too large together, or with groups of the same name
        return None
    return cast("Search", compiled.search)


def _means_the_same_in_a_text(expression: str) -> bool:
    """Whether it neither asks for the ends of the whole text nor changes what ``^`` and ``$`` mean."""
    plain = expression.replace("\\\\", "")
    for group in ("(?:", "(?i:", "(?i)", "(?P<"):
        plain = plain.replace(group, "")
    return not any(odd in plain for odd in ("\\A", "\\z", "\\C", "(?"))


def has_long_line(text: str) -> bool:
    """Whether a line is over 64 KiB: asking patterns of it is an error, never a miss."""
    if len(text) <= MAX_LINE_BYTES // 4:
        return False
    return max(map(len, text.encode().split(b"\n"))) > MAX_LINE_BYTES


def _lines(text: bytes) -> list[bytes]:
    """The lines without their ends; a line may end in CR LF."""
    return [line.removesuffix(b"\r") for line in text.split(b"\n")]


def _compile(expression: str, ignore_case: bool, memory: int = MAX_MEMORY, *, within_lines: bool = False) -> Any:
    import re2

    options = re2.Options()
    options.case_sensitive = not ignore_case
    options.log_errors = False
    options.max_mem = memory
    options.never_nl = within_lines
    try:
        # An expression in bytes is searched in bytes: a text is encoded once, however many patterns are asked of it.
        return re2.compile(expression.encode(), options)
    except re2.error as fault:
        reason = fault.args[0] if fault.args else b"not RE2 syntax"
        raise PatternError(reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)) from None


def glob_to_re2(glob: str) -> str:
    """The RE2 expression of a glob. Raises ``PatternError``."""
    body = glob.removeprefix("/")
    if not body:
        raise PatternError("a glob can't be empty")
    below = body.endswith("/")
    segments = (body + "**" if below else body).split("/")
    last = len(segments) - 1
    parts = [r"(?s)\A"]
    for index, segment in enumerate(segments):
        if segment == "**":
            # Before a trailing slash at least one directory is meant, elsewhere none will do.
            directories = "(?:[^/]+/)+" if below and index == last - 1 else "(?:[^/]+/)*"
            parts.append(directories if index < last else ".+")
            continue
        if not segment or segment in (".", ".."):
            raise PatternError(f"the segment {segment!r} can match no path")
        parts.append(_segment(segment))
        if index < last:
            parts.append("/")
    return "".join((*parts, r"\z"))


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
    at = start
    members: list[str] = []
    while segment[at : at + 1] != "]" or at == start:
        low, at = _member(segment, at)
        if segment[at : at + 1] == "-" and segment[at + 1 : at + 2] not in ("", "]"):
            high, at = _member(segment, at + 1)
            members.append(_range(low, high))
        else:
            members.append(_literal(low))
    text = "".join(members)
    return (f"[^/{text}]" if negated else f"[{text}]"), at + 1


def _member(segment: str, at: int) -> tuple[str, int]:
    """One character of a bracket expression, and where the next begins."""
    if segment.startswith("[:", at):
        raise PatternError("named classes such as [:alpha:] are not supported")
    if segment[at : at + 1] == "\\":
        at += 1
    if at >= len(segment):
        raise PatternError("a bracket expression lacks its ]")
    return segment[at], at + 1


def _range(low: str, high: str) -> str:
    """A range of characters, without the slash that may lie within: no class leaves its segment."""
    if low > high:
        raise PatternError(f"the range {low}-{high} runs backwards")
    if low < "/" < high:
        return f"{_literal(low)}-\\x{{2e}}\\x{{30}}-{_literal(high)}"
    return f"{_literal(low)}-{_literal(high)}"


def _literal(character: str) -> str:
    if character.isascii() and not (character.isalnum() or character == "_"):
        return f"\\x{{{ord(character):02x}}}"
    return character
