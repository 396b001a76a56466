"""Whether a plan says how to go back: a section about it, or a labelled line (document shapes)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from verify.criteria import CriteriaRules
from verify.criteria.pieces import plain_words
from verify.documents.answers import AnswerRules
from verify.documents.sections import sections_of, within
from verify.documents.tables import cell_text
from verify.fields import find_fields, with_code
from verify.markdown import CODE, Block, BlockKind

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet


class RollbackRules(NamedTuple):
    """The words of ``verify.gates`` for going back: headings in plain words, ``lines`` as written."""

    headings: frozenset[str]
    lines: tuple[str, ...]
    separator: str
    answers: AnswerRules

    @classmethod
    def from_policy(cls, policies: PolicySet, criteria: CriteriaRules, separator: str) -> RollbackRules:
        """The rules of the loaded policies (their shape proves the types); ``separator`` parts labelled lines."""
        value = cast("Mapping[str, Any]", policies.data("verify.gates"))
        said = value["rollback"]
        headings = frozenset(map(plain_words, said["headings"]))
        return cls(headings, tuple(said["lines"]), separator, AnswerRules.from_value(value["answers"], criteria))


class Rollback(NamedTuple):
    """Where a document speaks of going back (1-based), and whether it says how."""

    line: int
    said: bool


def find_rollback(blocks: Sequence[Block], rules: RollbackRules) -> Rollback | None:
    """The first place that says how to go back; else the first that only names it; null without any. Linear."""
    places = sorted((*_in_sections(blocks, rules), *_in_lines(blocks, rules), *_in_rows(blocks, rules)))
    return next((place for place in places if place.said), places[0] if places else None)


def _in_sections(blocks: Sequence[Block], rules: RollbackRules) -> Iterable[Rollback]:
    """Headings that name it and the headings below them, each with its own text."""
    for section in within(sections_of(blocks), rules.headings):
        yield Rollback(section.line, any(rules.answers.given(_text(block)) for block in section.blocks))


def _in_lines(blocks: Sequence[Block], rules: RollbackRules) -> Iterable[Rollback]:
    """Lines such as ``Rollback: …``; one that ends in the colon is filled by what stands right below it."""
    for block, below in zip(blocks, [*blocks[1:], None], strict=False):
        fields = list(find_fields((block,), rules.lines, rules.separator))
        lines = {line.number: with_code(line.text, 0, line.spans) for line in block.prose_lines()} if fields else {}
        taken = {field.line for field in fields}
        for field in fields:
            said = field.written
            following = field.line + 1
            if not said and following in lines:
                said = "" if following in taken else lines[following]
            elif not said and below is not None and below.kind is not BlockKind.HEADING:
                said = _text(below)
            yield Rollback(field.line, rules.answers.given(said))


def _in_rows(blocks: Sequence[Block], rules: RollbackRules) -> Iterable[Rollback]:
    """Rows of a table that begin with the name."""
    names = frozenset(map(plain_words, rules.lines))
    for block in blocks:
        if block.kind is BlockKind.ROW and not block.header:
            name, *cells = [cell_text(cell) for cell in block.cells] or [""]
            if plain_words(name) in names:
                yield Rollback(block.line, any(map(rules.answers.given, cells)))


def _text(block: Block) -> str:
    """What a reader sees in a block, code included; nothing of a comment or a table's header."""
    if block.kind is BlockKind.HTML or block.header:
        return ""
    if block.kind is BlockKind.ROW:
        return " ".join(map(cell_text, block.cells))
    if block.kind in CODE:
        return block.text
    return with_code(block.text, 0, block.spans)
