"""Where a document gives evidence for a criterion: statements, rows of a table, what stands under a label."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from verify.criteria import CriteriaRules, Definition, Piece, criteria_in, labels_in
from verify.criteria.labels import find_mentions
from verify.criteria.pieces import cut, plain_words
from verify.documents.bindings import bound_in, leading_labels, name_pattern
from verify.documents.rules import BindingRules
from verify.documents.sections import holds, opens_section
from verify.documents.tables import Table, cell_text, tables_in
from verify.fields import COLONS, with_code
from verify.markdown import CODE, Block, BlockKind, CodeSpan
from verify.words import either

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet


class StatementRules(NamedTuple):
    """The words of ``verify.evidence`` for where evidence is given, in plain words; ``links`` as written."""

    headings: frozenset[str]
    columns: frozenset[str]
    links: tuple[str, ...]
    bindings: BindingRules
    criteria: CriteriaRules

    @classmethod
    def from_policy(cls, policies: PolicySet, bindings: BindingRules, criteria: CriteriaRules) -> StatementRules:
        """The rules of the loaded policies (their shape proves the types)."""
        value = cast("Mapping[str, Any]", policies.data("verify.evidence"))
        headings, columns = (frozenset(map(plain_words, value[key])) for key in ("headings", "columns"))
        return cls(headings, columns, tuple(value["links"]), bindings, criteria)

    def labels_first(self, text: str) -> tuple[tuple[str, ...], str]:
        """The labels that a text begins with, and what comes after them."""
        return leading_labels(text, lambda it: find_mentions(it, self.criteria.labels), self.bindings.joiners)


class Clip(NamedTuple):
    """A stretch of prose with the code in it, each at its offset."""

    prose: str
    spans: tuple[CodeSpan, ...]

    @property
    def text(self) -> str:
        """What a reader sees."""
        return with_code(self.prose, 0, self.spans)


class Statement(NamedTuple):
    """Evidence given for ``labels`` (none: for what nobody knows), from ``line`` on (1-based).

    ``said`` is what follows the labels on that line, ``fences`` are the code blocks under it; ``quoted`` says that a
    quotation stands there. ``implied`` says that nothing calls it evidence: a code block under a label.
    """

    labels: tuple[str, ...]
    line: int
    said: str
    clips: tuple[Clip, ...]
    fences: tuple[str, ...] = ()
    quoted: bool = False
    implied: bool = False

    @property
    def text(self) -> str:
        """Everything that a reader sees of it."""
        return "\n".join((*(clip.text for clip in self.clips), *self.fences)).strip()


class _Start(NamedTuple):
    """Where a statement begins: the piece (by its place), and the stretch of that which belongs to it."""

    place: int
    labels: tuple[str, ...]
    said: str
    start: int
    stop: int


def statements_in(blocks: Sequence[Block], rules: StatementRules) -> tuple[Statement, ...]:
    """The evidence of a document, by line. Linear in it, but for sorting."""
    pieces = [piece for piece in cut(blocks) if piece.kind is not BlockKind.ROW]
    definitions = criteria_in(blocks, rules.criteria)
    owners = _Owners(definitions)
    starts = list(_starts(pieces, owners, rules))
    found = [
        _statement(start, pieces, following.place if following else len(pieces))
        for start, following in zip(starts, [*starts[1:], None], strict=False)
    ]
    for table in tables_in(blocks):
        found += _of_table(table, rules)
    found += _under_labels(definitions)
    return tuple(sorted(found, key=lambda statement: statement.line))


class _Owners:
    """The criteria in whose blocks the lines of a document stand."""

    def __init__(self, definitions: Sequence[Definition]) -> None:
        self._definitions = definitions
        self._lines = [definition.line for definition in definitions]

    def of(self, line: int) -> tuple[str, ...]:
        place = bisect_right(self._lines, line) - 1
        if place < 0 or line > self._definitions[place].end:
            return ()
        return self._definitions[place].labels


def _starts(pieces: Sequence[Piece], owners: _Owners, rules: StatementRules) -> Iterator[_Start]:
    """Statements that are called evidence; and below a heading of evidence, whatever begins with a label."""
    names, joiners = rules.bindings.evidence, rules.bindings.joiners
    bounds = bound_in(pieces, names, lambda text: find_mentions(text, rules.criteria.labels), joiners)
    headings: list[tuple[int, bool]] = []
    for place, piece in enumerate(pieces):
        if piece.kind in CODE:
            continue
        if piece.first and opens_section(piece.block):
            while headings and headings[-1][0] >= piece.block.level:
                headings.pop()
            headings.append((piece.block.level, holds(plain_words(piece.text), rules.headings)))
        matches = list(name_pattern(names).finditer(piece.text.translate(COLONS)))
        if not matches:
            yield from _led(place, piece, any(about for _, about in headings), rules)
        for match, following in zip(matches, [*matches[1:], None], strict=False):
            bound = next(bounds)
            labels = bound.labels or owners.of(piece.line)
            stop = following.start() if following else len(piece.text)
            said = bound.text.lstrip(_LEADING)
            yield _Start(place, tuple(dict.fromkeys(labels)), said, match.end(), stop)


def _led(place: int, piece: Piece, evident: bool, rules: StatementRules) -> Iterator[_Start]:
    """A piece that names its labels first: below a heading of evidence, or as in "Evidence for V-AC-1: …"."""
    text = with_code(piece.text, 0, piece.spans)
    lead = _links(rules.bindings.evidence, rules.links).match(text)
    if lead is not None:
        labels, rest = rules.labels_first(text[lead.end() :])
        colon = rest.translate(COLONS).lstrip(")] \t")
        if labels and colon.startswith(":"):
            yield _Start(place, labels, colon[1:].strip(), 0, len(piece.text))
    elif evident:
        labels, rest = rules.labels_first(text)
        if labels:
            yield _Start(place, tuple(dict.fromkeys(labels)), rest.lstrip(_LEADING), 0, len(piece.text))


def _statement(start: _Start, pieces: Sequence[Piece], stop: int) -> Statement:
    """A statement with what stands under it, up to the next one."""
    first = pieces[start.place]
    clips, fences, quoted = [_clip(first.text, first.spans, start.start, start.stop)], [], False
    for place in range(start.place + 1, stop):
        piece = pieces[place]
        if not _belongs(piece, first, says=bool(start.said)):
            break
        quoted = quoted or piece.block.quoted
        if piece.kind in CODE:
            fences.append(piece.text)
        else:
            clips.append(Clip(piece.text, piece.spans))
    return Statement(start.labels, first.line, start.said, tuple(clips), tuple(fences), quoted)


def _belongs(piece: Piece, first: Piece, *, says: bool) -> bool:
    """Whether a piece stands under the statement that ``first`` begins."""
    if piece.first and opens_section(piece.block):
        return first.kind is BlockKind.HEADING and first.first and piece.block.level > first.block.level
    if piece.block is first.block or piece.kind in CODE or piece.block.quoted or first.kind is BlockKind.HEADING:
        return True
    if piece.kind is BlockKind.ITEM:
        return piece.block.level > _depth(first) and (first.kind is BlockKind.ITEM or not says)
    return first.kind is BlockKind.ITEM and piece.block.item_line is not None


def _of_table(table: Table, rules: StatementRules) -> Iterator[Statement]:
    """The rows that hold a label and have a cell of evidence, in its column or called so in the cell."""
    column = table.column(rules.columns)
    for row in table.rows:
        texts = [cell_text(cell) for cell in row.cells]
        for place, cell in enumerate(row.cells):
            match = name_pattern(rules.bindings.evidence).search(cell.text.translate(COLONS))
            if place != column and match is None:
                continue
            clip = _clip(cell.text, cell.spans, match.end() if match else 0, len(cell.text))
            own, rest = rules.labels_first(clip.text)
            others = [
                label for at, text in enumerate(texts) if at != place for label in labels_in(text, rules.criteria)
            ]
            labels = tuple(dict.fromkeys((own if match else ()) or others or own))
            if labels:
                yield Statement(labels, row.line, rest if own else clip.text.strip(), (clip,))


def _under_labels(definitions: Iterable[Definition]) -> Iterator[Statement]:
    """The code blocks in the blocks of criteria."""
    for definition in definitions:
        fences = tuple(piece.text for piece in definition.pieces if piece.kind in CODE)
        if fences:
            yield Statement(definition.labels, definition.line, "", (), fences, implied=True)


def _clip(text: str, spans: Sequence[CodeSpan], start: int, stop: int) -> Clip:
    """The stretch of a text from ``start`` to ``stop``; its code is found without looking at all of it."""
    first, last = (bisect_left(spans, offset, key=_OFFSET) for offset in (start, stop))
    return Clip(text[start:stop], tuple(span._replace(offset=span.offset - start) for span in spans[first:last]))


def _depth(piece: Piece) -> int:
    return piece.block.level if piece.kind is BlockKind.ITEM else 0


_OFFSET = attrgetter("offset")
_LEADING = ":：—–- \t"  # between a label and what is said of it


@cache
def _links(names: tuple[str, ...], links: tuple[str, ...]) -> re.Pattern[str]:
    """A name at the beginning of a text, and what leads from it to a label."""
    return re.compile(rf"[\W_]*+(?:{either(names)})[ \t]{{1,3}}(?:(?:{either(links)})[ \t]{{0,3}})?", re.IGNORECASE)
