"""What a plan answers to each category of STRIDE, in a table, a list or headings (document shapes)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from verify.criteria import CriteriaRules, Piece
from verify.criteria.pieces import cut, plain_words
from verify.documents.answers import AnswerRules
from verify.documents.phrases import Phrases, Token, skipped, tokens_of
from verify.documents.sections import Section, holds, opens_section, sections_of, within
from verify.documents.tables import Table, cell_text, tables_in
from verify.fields import find_fields, with_code
from verify.markdown import NO_LINES, Block, BlockKind

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet

_SEPARATORS = ":—–-=→)."
_BRACKETS = "([{)]}"


class Category(NamedTuple):
    """One category, its letter, and its names."""

    name: str
    letter: str
    names: Phrases


class StrideRules(NamedTuple):
    """The words of ``verify.gates`` for STRIDE; headings and columns in plain words, ``exempted`` as written."""

    headings: frozenset[str]
    letters_min: int  # of categories in the first column of a table: then it means these, wherever it stands
    columns: frozenset[str]
    exempted: tuple[str, ...]
    categories: tuple[Category, ...]
    joiners: Phrases
    separator: str
    answers: AnswerRules

    @classmethod
    def from_policy(cls, policies: PolicySet, criteria: CriteriaRules, separator: str) -> StrideRules:
        """The rules of the loaded policies (their shape proves the types); ``separator`` parts labelled lines."""
        value = cast("Mapping[str, Any]", policies.data("verify.gates"))
        said = value["stride"]
        categories = (Category(it["category"], it["letter"], Phrases(it["names"])) for it in said["categories"])
        return cls(
            headings=frozenset(map(plain_words, said["headings"])),
            letters_min=said["letters_min"],
            columns=frozenset(map(plain_words, said["columns"])),
            exempted=tuple(said["exempted"]),
            categories=tuple(categories),
            joiners=Phrases(said["joiners"]),
            separator=separator,
            answers=AnswerRules.from_value(value["answers"], criteria),
        )


class Named(NamedTuple):
    """Categories that a text begins with, what follows them, and whether a sign sets that off."""

    names: tuple[str, ...]
    rest: str
    separated: bool


class Stride(NamedTuple):
    """What a document says: the line (1-based) where each category is named, and which of them are answered.

    ``exempted`` is the line that says why there is no security design, or 0.
    """

    named: Mapping[str, int]
    answered: frozenset[str]
    exempted: int
    missing: tuple[str, ...]


def read_stride(blocks: Sequence[Block], rules: StrideRules) -> Stride:
    """The security design of a document. Linear in it."""
    named: dict[str, int] = {}
    answered: set[str] = set()
    sections = sections_of(blocks)
    about = within(sections, rules.headings)
    for category, line, given in (*_of_tables(sections, about, rules), *_of_pieces(blocks, rules)):
        named.setdefault(category, line)
        if given:
            answered.add(category)
    missing = tuple(it.name for it in rules.categories if it.name not in answered)
    return Stride(named, frozenset(answered), _exempted(blocks, about, rules), missing)


def begins_with(text: str, rules: StrideRules, *, letters: bool) -> Named | None:
    """The categories that a text begins with, in words, or by their letters alone where those count."""
    tokens = tokens_of(text)
    place = next((at for at, token in enumerate(tokens) if token.is_word), len(tokens))
    names: list[str] = []
    end = place
    while found := _category_at(tokens, place, text, rules, letters=letters):
        names.append(found[0])
        end = found[1]
        place = end + rules.joiners.at(tokens, end)
        if place == end:
            break
    if not names:
        return None
    rest = text[tokens[end].start :] if end < len(tokens) else ""
    separated = end < len(tokens) and tokens[end].text in _SEPARATORS
    return Named(tuple(dict.fromkeys(names)), rest.lstrip(_SEPARATORS + " \t"), separated or not rest)


def _category_at(
    tokens: Sequence[Token], place: int, text: str, rules: StrideRules, *, letters: bool
) -> tuple[str, int] | None:
    """The category at a place and the place behind it; its letter may stand before or after its name."""
    by_name = max(((it.names.at(tokens, place), it) for it in rules.categories), key=lambda found: found[0])
    if by_name[0]:
        category, end = by_name[1], place + by_name[0]
        after = skipped(tokens, end, _BRACKETS)
        if after > end and after < len(tokens) and tokens[after].text == category.letter.casefold():
            end = skipped(tokens, after + 1, _BRACKETS)
        return category.name, end
    if place >= len(tokens):
        return None
    written = text[tokens[place].start : tokens[place].end]
    for category in rules.categories:
        if written != category.letter:
            continue
        after = skipped(tokens, place + 1, _SEPARATORS + _BRACKETS)
        taken = category.names.at(tokens, after)
        if taken:
            return category.name, skipped(tokens, after + taken, ")]}")
        ends = place + 1 == len(tokens) or tokens[place + 1].text in _SEPARATORS or rules.joiners.at(tokens, place + 1)
        if letters and ends:
            return category.name, place + 1
    return None


def _of_tables(
    sections: Sequence[Section], about: Sequence[Section], rules: StrideRules
) -> Iterator[tuple[str, int, bool]]:
    lines = {section.line for section in about}
    for section in sections:
        for table in tables_in(section.blocks):
            yield from _of_rows(table, rules, letters=section.line in lines)
            yield from _of_columns(table, rules)


def _of_rows(table: Table, rules: StrideRules, *, letters: bool) -> Iterator[tuple[str, int, bool]]:
    """Each category of a row, and whether the row answers it."""
    rows = [(row.line, [cell_text(cell) for cell in row.cells]) for row in table.rows]
    known = {it.letter for it in rules.categories}
    written = known.intersection(texts[0].strip(" *_") for _, texts in rows if texts)
    letters = letters or len(written) >= rules.letters_min
    answer = table.column(rules.columns)
    for line, texts in rows:
        for place, text in enumerate(texts[:2]):
            first = place == 0 or not any(map(str.isalpha, texts[0]))
            named = begins_with(text, rules, letters=letters and first)
            if named is None:
                continue
            given = _answers(texts, place, answer, named, rules)
            yield from ((name, line, given) for name in named.names)
            break


def _answers(texts: Sequence[str], place: int, answer: int | None, named: Named, rules: StrideRules) -> bool:
    """Whether a row answers the categories in its cell ``place``."""
    others = [text for at, text in enumerate(texts) if at != place and not _only_names(text, rules)]
    if any(rules.answers.exempted(text) for text in others):
        return True
    if answer is not None and answer != place:
        return answer < len(texts) and rules.answers.given(texts[answer])
    said = [text for text in others if any(char.isalpha() for char in text)]
    return any(map(rules.answers.given, said)) or (len(texts) == 1 and rules.answers.given(named.rest))


def _only_names(text: str, rules: StrideRules) -> bool:
    named = begins_with(text, rules, letters=True)
    return named is not None and not named.rest.strip(_BRACKETS + _SEPARATORS + " ")


def _of_columns(table: Table, rules: StrideRules) -> Iterator[tuple[str, int, bool]]:
    """The categories that head columns, and whether any row answers them."""
    for place, words in enumerate(table.columns):
        named = begins_with(words, rules, letters=False)
        if named is None or place == 0:
            continue
        cells = (cell_text(row.cells[place]) for row in table.rows if place < len(row.cells))
        given = any(map(rules.answers.given, cells))
        yield from ((name, table.line, given) for name in named.names)


def _of_pieces(blocks: Sequence[Block], rules: StrideRules) -> Iterator[tuple[str, int, bool]]:
    """The categories that items, lines and headings begin with, and whether they or what is below answers them."""
    headings: list[tuple[int, bool]] = []
    current: tuple[Piece, Named] | None = None
    for piece in cut(blocks):
        if piece.first and opens_section(piece.block):
            while headings and headings[-1][0] >= piece.block.level:
                headings.pop()
            headings.append((piece.block.level, holds(plain_words(piece.text), rules.headings)))
        text = _text(piece)
        named = None
        if piece.kind not in NO_LINES:
            named = begins_with(text, rules, letters=any(about for _, about in headings))
        if named is not None and (piece.first or named.separated):
            current = (piece, named)
            yield from ((name, piece.line, rules.answers.given(named.rest)) for name in named.names)
        elif current is not None:
            if _leaves(piece, *current):
                current = None
            elif rules.answers.given(text):
                yield from ((name, current[0].line, True) for name in current[1].names)


def _leaves(piece: Piece, start: Piece, named: Named) -> bool:
    """Whether a piece is no more of what stands under ``start``; a paragraph goes on only where it says nothing yet."""
    if piece.first and opens_section(piece.block):
        return start.kind is not BlockKind.HEADING or piece.block.level <= start.block.level
    if start.kind is not BlockKind.ITEM:
        return start.kind is BlockKind.PARAGRAPH and piece.block is not start.block and bool(named.rest)
    if piece.kind is BlockKind.ITEM:
        return piece.first and piece.block.level <= start.block.level
    return piece.block.item_line is None


def _text(piece: Piece) -> str:
    if piece.kind is BlockKind.ROW:
        return "" if piece.block.header else " ".join(map(cell_text, piece.block.cells))
    return with_code(piece.text, 0, piece.spans)


def _exempted(blocks: Sequence[Block], about: Iterable[Section], rules: StrideRules) -> int:
    """The line that says why there is no security design: a labelled one, or the first below its heading."""
    lines = [
        field.line
        for field in find_fields(blocks, rules.exempted, rules.separator)
        if rules.answers.exempted(field.written)
    ]
    names = frozenset(map(plain_words, rules.exempted))
    for section in about:
        text = next((with_code(it.text, 0, it.spans) for it in section.blocks if it.kind not in NO_LINES), "")
        if section.words in names and rules.answers.exempted(text):
            lines.append(section.line)
    return min(lines, default=0)
