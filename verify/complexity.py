"""A task's complexity level: looked up in its documents in a fixed order (Datarim formats), never in prose or code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from verify.artifacts import Artifact, ArtifactRules, ComplexityRules
from verify.fields import Field, find_fields
from verify.frontmatter import look_alikes
from verify.index import IndexRow
from verify.markdown import Block, BlockKind, in_ranges

if TYPE_CHECKING:
    from verify.criteria import CriteriaRules

DEFAULT: Final = "default"
# Around a level: emphasis that a front matter or a link has left, and the end of a sentence.
_EMPHASIS: Final = "*_`"
_STOPS: Final = ".;!"
_UNSURE: Final = "?"
_SHOWN: Final = 40


class Complexity(NamedTuple):
    """``level`` is a term of ``verify.complexity``; ``source`` is ``path:line``, or says that it is the default."""

    level: str
    source: str


class _Statement(NamedTuple):
    """What a source says about the level, and where. ``level`` is null, with the reason, where that is no level."""

    level: str | None
    place: str
    text: str
    why: str = "which is no level"


def find_complexity(
    artifacts: Mapping[str, Artifact],
    rows: Callable[[str], tuple[IndexRow, ...]],
    rules: ArtifactRules,
    criteria: CriteriaRules,
) -> Complexity:
    """The level that the first source that says anything gives; a lower source is not even read then.

    ``artifacts`` are the task's by kind, ``rows`` gives the task's rows in a shared document of a kind. A source
    that says something else than one level (no level, several, or a front matter that can't be read) gives the
    default: nothing that is in doubt may make the task smaller than it is.
    """
    asked = rules.complexity
    shared = {place.kind for place in rules.shared}
    for kind in asked.order:
        if kind in shared:
            statements = tuple(_of_rows(rows(kind), asked))
        else:
            statements = tuple(_of_document(artifacts.get(kind), rules, criteria))
        if statements:
            return _agreed(statements, asked.default)
    return Complexity(asked.default, DEFAULT)


def _agreed(statements: Sequence[_Statement], default: str) -> Complexity:
    """What all statements of one source say, else the default and why."""
    first = statements[0]
    for other in statements:
        said = repr(other.text[:_SHOWN])
        if other.level is None:
            return Complexity(default, f"{DEFAULT}: {other.place} says {said}, {other.why}")
        if other.level != first.level:
            before = f"{first.place} says {first.text[:_SHOWN]!r}"
            return Complexity(default, f"{DEFAULT}: {other.place} says {said}, but {before}")
    return Complexity(first.level or default, first.place)


def _of_document(artifact: Artifact | None, rules: ArtifactRules, criteria: CriteriaRules) -> Iterator[_Statement]:
    """What the front matter and the fields of the head say."""
    if artifact is None:
        return
    asked, front = rules.complexity, artifact.front_matter
    if front.error is not None and front.end_line:
        yield _Statement(None, f"{artifact.path}:{front.error_line}", front.error, "so its front matter can't be read")
    for value, line in front.entries(asked.key):
        yield _Statement(_level(value, asked, asked.as_key), f"{artifact.path}:{line}", value)
    for field in _head_fields(artifact, rules, criteria):
        yield _Statement(_level(field.written, asked), f"{artifact.path}:{field.line}", field.written)


def _head_fields(artifact: Artifact, rules: ArtifactRules, criteria: CriteriaRules) -> Iterator[Field]:
    """The fields of the document's head that say something of the document, and not of a part of it."""
    end = artifact.front_matter.end_line
    skipped = ((1, end + 1), *look_alikes(artifact.lines, end))
    head = tuple(_head(block for block in artifact.blocks if not in_ranges(block.line, skipped)))
    found = [
        field
        for block in head
        if block.item_line is None
        for field in find_fields((block,), rules.complexity.labels, rules.separator)
        if field.written and (block.kind is not BlockKind.ITEM or field.line == block.line)
    ]
    if found:
        from verify.criteria import criteria_in

        defined = tuple((criterion.line, criterion.end + 1) for criterion in criteria_in(head, criteria))
        yield from (field for field in found if not in_ranges(field.line, defined))


def _head(blocks: Iterable[Block]) -> Iterator[Block]:
    """The title, what stands below it, and the first section."""
    headings = 0
    titled = False
    for block in blocks:
        if block.kind is BlockKind.HEADING:
            if block.level == 1 and not titled and not headings:
                titled = True
            else:
                headings += 1
            if headings > 1:
                return
        yield block


def _of_rows(rows: tuple[IndexRow, ...], asked: ComplexityRules) -> Iterator[_Statement]:
    """What the rows say; where only such say anything as don't speak for the task, that is nothing to go by."""
    own = False
    last: _Statement | None = None
    for row in rows:
        for text in _said(row, asked) if row.levels is None else row.levels:
            last = _Statement(_level(text, asked), f"{row.path}:{row.line}", text)
            own = own or row.own
            yield last
    if last is not None and not own:
        yield last._replace(level=None, why="but the row stands below another task or names more than this one")


def _said(row: IndexRow, asked: ComplexityRules) -> Iterator[str]:
    """The first field after the id that begins with a level, and all later ones that are one (a title may begin so)."""
    found = False
    for text in row.fields[1:]:
        if _level(text, asked) is not None or (not found and _begins(text, asked)):
            found = True
            yield text


def _begins(text: str, asked: ComplexityRules) -> bool:
    value = _plain(text).lstrip(f"{_EMPHASIS}~")
    rests = (value.removeprefix(spelling) for spelling in asked.written if value.startswith(spelling))
    return any(not rest[:1].isalnum() for rest in rests)


def _level(text: str, asked: ComplexityRules, more: Mapping[str, str] | None = None) -> str | None:
    """The level that ``text`` is: one spelling, perhaps with a remark in parentheses, and nothing else.

    ``more`` are further spellings. A remark that names another level, or that asks, leaves the level in doubt.
    """
    head, opened, remark = _plain(text).rstrip(_STOPS + _EMPHASIS).partition("(")
    spelling = head.strip(" " + _EMPHASIS).rstrip(_STOPS).rstrip(_EMPHASIS)
    level = asked.written.get(spelling) or (more or {}).get(spelling)
    if not opened:
        return level
    words = f" {' '.join(_word().findall(remark))} "
    named = {other for written, other in asked.written.items() if f" {written} " in words}
    whole = remark.endswith(")") and not set(remark[:-1]) & set("()" + _UNSURE)
    return level if whole and named <= {level} else None


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


@cache
def _word() -> re.Pattern[str]:
    return re.compile(r"\w+")
