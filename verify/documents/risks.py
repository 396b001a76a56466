"""The risks that a document names together with their mitigations: rows of a table, or items below a heading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from verify.criteria import CriteriaRules, Piece, says_something
from verify.criteria.pieces import cut, plain_words
from verify.documents.answers import AnswerRules
from verify.documents.sections import Section, holds, sections_of, within
from verify.documents.tables import Table, cell_text, tables_in
from verify.fields import COLONS, with_code
from verify.markdown import NO_LINES, NO_PROSE, Block, BlockKind
from verify.words import either

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet


class RiskRules(NamedTuple):
    """The words of ``verify.gates`` for risks, in plain words; ``marks``, ``arrows`` and ``leads`` as written.

    ``short_heading`` is in words.
    """

    headings: frozenset[str]
    columns: frozenset[str]
    mitigation_columns: frozenset[str]
    other_columns: frozenset[str]
    marks: tuple[str, ...]
    arrows: tuple[str, ...]
    leads: tuple[str, ...]
    short_heading: int
    answers: AnswerRules

    @classmethod
    def from_policy(cls, policies: PolicySet, criteria: CriteriaRules) -> RiskRules:
        """The rules of the loaded policies (their shape proves the types)."""
        value = cast("Mapping[str, Any]", policies.data("verify.gates"))
        risks = value["risks"]
        return cls(
            headings=frozenset(map(plain_words, risks["headings"])),
            columns=frozenset(map(plain_words, risks["columns"])),
            mitigation_columns=frozenset(map(plain_words, risks["mitigation_columns"])),
            other_columns=frozenset(map(plain_words, risks["other_columns"])),
            marks=tuple(risks["marks"]),
            arrows=tuple(risks["arrows"]),
            leads=tuple(risks["leads"]),
            short_heading=risks["short_heading"],
            answers=AnswerRules.from_value(value["answers"], criteria),
        )


class Risk(NamedTuple):
    """A risk and where it stands (1-based). ``mitigated`` says that a mitigation stands with it."""

    text: str
    line: int
    mitigated: bool


def find_risks(blocks: Sequence[Block], rules: RiskRules) -> tuple[Risk, ...]:
    """The risks of a document by line, each wording once. Linear in the document.

    In a table, a row is one whose cells of risk and mitigation both say something. Elsewhere only what stands below a
    heading of risks counts: a list item or paragraph in which, or right below which, a mitigation is named.
    """
    found = [risk for table in tables_in(blocks) for risk in _of_table(table, rules)]
    for section in within(sections_of(blocks), rules.headings):
        found += _of_section(section, rules)
    once: dict[str, Risk] = {}
    for risk in sorted(found, key=lambda risk: (not risk.mitigated, risk.line)):
        once.setdefault(plain_words(risk.text), risk)
    return tuple(sorted(once.values(), key=lambda risk: risk.line))


def _of_table(table: Table, rules: RiskRules) -> Iterator[Risk]:
    answer = _column(table, rules.mitigation_columns, set(), rules)
    named = _column(table, rules.columns, {answer}, rules)
    if answer is None or named is None:
        return
    for row in table.rows:
        texts = [cell_text(cell) for cell in row.cells]
        if max(answer, named) < len(texts) and says_something(texts[named], rules.answers.criteria.cues):
            yield Risk(texts[named], row.line, rules.answers.given(texts[answer]))


def _column(table: Table, names: frozenset[str], taken: set[int | None], rules: RiskRules) -> int | None:
    """The column of one of ``names``: the one that says nothing else, then the first that holds one of them."""
    free = [(place, words) for place, words in enumerate(table.columns) if place not in taken]
    exact = (place for place, words in free if words in names)
    other = (place for place, words in free if holds(words, names) and not holds(words, rules.other_columns))
    return next(exact, next(other, None))


def _of_section(section: Section, rules: RiskRules) -> Iterator[Risk]:
    pieces = [piece for piece in cut(section.blocks) if piece.kind not in NO_PROSE | NO_LINES]
    around = _Around("" if _only_names(section.words, rules) else section.title)
    for place, piece in enumerate(pieces):
        text = with_code(piece.text, 0, piece.spans)
        around.enter(piece)
        before, mark, after = _parted(text, piece, rules)
        if not mark:
            around.note(text)
            continue
        if not rules.answers.given(after):
            after = _below(pieces, place)
        own = _without_lead(before, rules)
        name = own if says_something(own, rules.answers.criteria.cues) else around.name(rules)
        around.note(own)
        if name:
            yield Risk(name, piece.line, rules.answers.given(after))


class _Around:
    """What stands above a piece and may be the risk that its mitigation belongs to."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._items: list[tuple[int, str]] = []  # the level and the text of the items around
        self._paragraph = ""

    def enter(self, piece: Piece) -> None:
        """Note where a piece stands."""
        if piece.kind is BlockKind.ITEM:
            if piece.first:
                while self._items and self._items[-1][0] >= piece.block.level:
                    self._items.pop()
                self._items.append((piece.block.level, ""))
        elif piece.block.item_line is None:
            self._items.clear()

    def note(self, text: str) -> None:
        """Keep the first text of an item, or the last one of a paragraph."""
        if not text.strip():
            return
        if not self._items:
            self._paragraph = text
        elif not self._items[-1][1]:
            self._items[-1] = (self._items[-1][0], text)

    def name(self, rules: RiskRules) -> str:
        """The nearest text above, empty without one."""
        texts = [text for _, text in reversed(self._items)] if self._items else [self._paragraph]
        named = (_without_lead(text, rules) for text in (*texts, self._title))
        return next((text for text in named if says_something(text, rules.answers.criteria.cues)), "")


def _parted(text: str, piece: Piece, rules: RiskRules) -> tuple[str, str, str]:
    """What stands before the mark of a mitigation, the mark, and what stands after it; no mark: all before."""
    marked = _marks(rules.marks).search(text.translate(COLONS))
    if marked is None and piece.kind is BlockKind.ITEM:
        marked = _arrows(rules.arrows).search(text)
    if marked is None:
        return text, "", ""
    return text[: marked.start()], marked.group(), text[marked.end() :]


def _below(pieces: Sequence[Piece], place: int) -> str:
    """The text right below a mark that nothing follows on its line: the next line of it, or an item in it."""
    if place + 1 == len(pieces):
        return ""
    piece, below = pieces[place], pieces[place + 1]
    nested = below.kind is BlockKind.ITEM and below.first and below.block.level > piece.block.level
    return with_code(below.text, 0, below.spans) if nested or below.block is piece.block else ""


def _without_lead(text: str, rules: RiskRules) -> str:
    """A risk without the word that only introduces it, and without what leads over to its mitigation."""
    lead = _leads(rules.leads).match(text.translate(COLONS))
    return text[lead.end() if lead else 0 :].strip(" \t-–—·|;,.(")


def _only_names(words: str, rules: RiskRules) -> bool:
    """Whether a heading says nothing but that risks follow."""
    return holds(words, rules.headings) and len(words.split()) <= rules.short_heading


@cache
def _marks(marks: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{either(marks)})(?:[ \t]?:|[ \t]{{1,3}}[—–-](?=[ \t]))", re.IGNORECASE)


@cache
def _arrows(arrows: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<=\S)[ \t]*+(?:{either(arrows)})(?=[ \t]*+\S)")


@cache
def _leads(leads: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"[\W_]*+(?:{either(leads)})[ \t]?\w{{0,4}}[ \t]?:", re.IGNORECASE)
