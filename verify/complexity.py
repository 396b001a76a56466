"""A task's complexity level: looked up in its documents in a fixed order (Datarim formats), never in prose or code."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from verify.artifacts import Artifact, ArtifactRules, ComplexityRules
from verify.fields import Field, find_fields
from verify.index import IndexRow

DEFAULT: Final = "default"
# After a level: what may follow it directly. A hyphen or slash makes a range of it ("L2-L3"), which is no level.
_ENDS: Final = frozenset(",;:.!()[]|·")
_SHOWN: Final = 40


class Complexity(NamedTuple):
    """``level`` is a term of ``verify.complexity``; ``source`` is ``path:line``, or says that it is the default."""

    level: str
    source: str


class _Statement(NamedTuple):
    """What a source says about the level, and where. ``level`` is null where it says something that is no level."""

    level: str | None
    place: str
    text: str


def find_complexity(
    artifacts: Mapping[str, Artifact], rows: Callable[[str], tuple[IndexRow, ...]], rules: ArtifactRules
) -> Complexity:
    """The level that the first source that says anything gives; a lower source is not even read then.

    ``artifacts`` are the task's by kind, ``rows`` gives the task's rows in a shared document of a kind. A source
    that says something else than a level (or whose front matter can't be read) gives the default: a lower one must
    not make the task smaller than its PRD may say.
    """
    asked = rules.complexity
    shared = {place.kind for place in rules.shared}
    for kind in asked.order:
        statements = _of_rows(rows(kind), asked) if kind in shared else _of_document(artifacts.get(kind), rules)
        statement = next(statements, None)
        if statement is None:
            continue
        if statement.level is not None:
            return Complexity(statement.level, statement.place)
        said = statement.text[:_SHOWN]
        return Complexity(asked.default, f"{DEFAULT}: {statement.place} says {said!r}, which is no level")
    return Complexity(asked.default, DEFAULT)


def _of_document(artifact: Artifact | None, rules: ArtifactRules) -> Iterator[_Statement]:
    """Front matter first, then fields of the text; the broken front matter last."""
    if artifact is None:
        return
    asked, front = rules.complexity, artifact.front_matter
    value = front.values.get(asked.key, "").strip()
    if value:
        level = _level(value, {**asked.written, **asked.as_key})
        yield _Statement(level, f"{artifact.path}:{front.lines[asked.key]}", value)
    for field in find_fields(artifact.blocks, asked.labels, rules.separator):
        statement = _of_field(field, artifact.path, asked.written)
        if statement is not None and field.line > front.end_line:
            yield statement
    if front.error is not None and front.end_line:
        yield _Statement(None, f"{artifact.path}:{front.error_line}", front.error)


def _of_field(field: Field, path: str, written: Mapping[str, str]) -> _Statement | None:
    """A bold field may go on after the level; a plain one is only a field when nothing but the level follows."""
    level = _level(field.value, written)
    place = f"{path}:{field.line}"
    if field.bold:
        return _Statement(level, place, field.value) if field.value else None
    whole = field.value.rstrip(".").casefold() in written
    return _Statement(level, place, field.value) if whole else None


def _of_rows(rows: tuple[IndexRow, ...], asked: ComplexityRules) -> Iterator[_Statement]:
    for row in rows:
        for field in row.fields:
            level = asked.written.get(field.casefold())
            if level is not None:
                yield _Statement(level, f"{row.path}:{row.line}", field)


def _level(text: str, written: Mapping[str, str]) -> str | None:
    """The level that ``text`` begins with, as a whole word."""
    value = " ".join(text.casefold().split())
    for spelling in sorted(written, key=len, reverse=True):
        rest = value.removeprefix(spelling)
        if len(rest) < len(value) and (not rest or rest[0].isspace() or rest[0] in _ENDS):
            return None if rest[:1] == "." and rest[1:2].isdigit() else written[spelling]
    return None
