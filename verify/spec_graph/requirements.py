"""Requirements of a PRD: where each is declared, whether it was put off, and which a text names."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from verify.criteria import Definition, criteria_in, labels_in, says_something
from verify.criteria.labels import Mention, find_mentions, fold
from verify.criteria.leads import Lead, read_lead
from verify.criteria.pieces import Piece, cut
from verify.documents.bindings import Bound, bound_in
from verify.documents.rules import BindingRules
from verify.documents.tables import cell_text
from verify.markdown import LINE_BREAK, Block, BlockKind, Cell, in_ranges
from verify.spec_graph.rules import RequirementLabels, SpecRules


class Named(NamedTuple):
    """An id or a range as ``written``, and the ids that it means. ``right`` says that it is spelled as it has to be."""

    written: str
    ids: tuple[str, ...]
    right: bool


class Declaration(NamedTuple):
    """A place that declares a requirement. ``line`` is 1-based; ``deferred`` is why it was put off, or null.

    ``firm`` says that the place is there to declare this one: the id is set off from a text of its own. A bare
    heading, a box, a row that relates ids to each other declare only what nothing else does. ``alone`` says that the
    place is about this requirement and no other; ``inside``, that it is a part of a criterion's block.
    """

    named: Named
    line: int
    firm: bool
    alone: bool
    inside: bool
    deferred: str | None

    @property
    def id(self) -> str:
        return self.named.ids[0]


def name_in(written: str, labels: RequirementLabels) -> Named:
    """What a text that is one id, or one range, names."""
    found = [label for mention in find_mentions(written, labels) for label in mention.labels]
    folded = fold(written, labels)
    right = folded.startswith(f"{labels.family}-") and all(map(labels.well_formed, found))
    return Named(written, tuple(dict.fromkeys(map(labels.meant, found))), right)


def find_named(text: str, labels: RequirementLabels) -> Iterator[Mention]:
    """Ids and ranges in a text, each with what is written as its only label: ``name_in`` reads that."""
    for mention in find_mentions(text, labels):
        yield mention._replace(labels=(text[mention.start : mention.end],))


def declarations_in(
    blocks: Sequence[Block], criteria: Sequence[Definition], bindings: BindingRules, rules: SpecRules
) -> tuple[Declaration, ...]:
    """Every place that declares a requirement, in order; ``criteria`` are the document's definitions by line.

    What the list of a statement holds that cites requirements declares none. Linear in the document.
    """
    cited = _cited_lines(cut(blocks), bindings, rules.labels)
    others = _Around(criteria)
    found: list[Declaration] = []
    for definition in criteria_in(blocks, rules.requirements):
        piece = definition.pieces[0]
        if definition.line in cited or read_lead(piece.text, rules.criteria) is not None:
            continue
        found += _declared(definition, others, rules)
    return tuple(found)


def citations_in(pieces: Sequence[Piece], bindings: BindingRules, labels: RequirementLabels) -> Iterator[Bound]:
    """The statements that cite requirements; their labels are for ``name_in``."""
    return bound_in(pieces, bindings.covers, lambda text: find_named(text, labels), bindings.joiners)


def _cited_lines(pieces: Sequence[Piece], bindings: BindingRules, labels: RequirementLabels) -> Collection[int]:
    """The lines on which a list goes on that cites requirements."""
    lines: set[int] = set()
    for statement in citations_in(pieces, bindings, labels):
        lines.update(range(statement.line + 1, statement.end + 1))
    return lines


class _Around:
    """The blocks of criteria around the lines of a document."""

    def __init__(self, criteria: Sequence[Definition]) -> None:
        self._criteria = criteria
        self._lines = [definition.line for definition in criteria]

    def holds(self, block: Block) -> bool:
        """Whether a block is a part of a criterion, and not what only comes after it: below its heading or item."""
        place = bisect_right(self._lines, block.line) - 1
        if place < 0 or block.line > self._criteria[place].end:
            return False
        kind = self._criteria[place].pieces[0].kind
        return kind is BlockKind.HEADING or (kind is BlockKind.ITEM and block.item_line is not None)

    def next_after(self, line: int) -> int | None:
        """The line of the next criterion."""
        place = bisect_right(self._lines, line)
        return self._lines[place] if place < len(self._lines) else None


def _declared(definition: Definition, others: _Around, rules: SpecRules) -> Iterator[Declaration]:
    piece = definition.pieces[0]
    row = piece.kind is BlockKind.ROW
    text = _first_words(piece.block.cells) if row else piece.text
    lead = read_lead(text, rules.requirements)
    if lead is None or lead.labels != definition.labels:
        return  # in a table the first column declares, and no other one
    named = [name_in(mention.labels[0], rules.labels) for mention in find_named(text, rules.labels)]
    count = len(lead.labels)
    relating = row and _relates(piece.block.cells, rules)
    own_text = not lead.bare or (row and not relating)
    inside = others.holds(piece.block)
    firm = count == 1 and own_text and not relating and not inside and (row or _set_off(piece, lead))
    why = _deferred(definition, others.next_after(definition.line), rules)
    for one in _each(named, count):
        yield Declaration(one, definition.line, firm, count == 1 and not relating and not inside, inside, why)


def _each(named: Sequence[Named], count: int) -> Iterator[Named]:
    """Each of the first ``count`` ids by itself."""
    left = count
    for one in named:
        for meant in one.ids[:left]:
            written = one.written if len(one.ids) == 1 else meant
            yield Named(written, (meant,), one.right)
        left -= len(one.ids)
        if left <= 0:
            return


def _set_off(piece: Piece, lead: Lead) -> bool:
    """Whether a heading, or a mark behind the id, or bold type sets it off from its text; a box is to be ticked."""
    if piece.block.checkbox is not None:
        return False
    return piece.kind is BlockKind.HEADING or lead.separated or in_ranges(lead.start, piece.strong)


def _first_words(cells: Sequence[Cell]) -> str:
    """The first line of the first cell that says more than a number."""
    for cell in cells:
        if cell.spans or any(map(str.isalpha, cell.text)):
            return cell.text.split(LINE_BREAK)[0]
    return ""


def _relates(cells: Sequence[Cell], rules: SpecRules) -> bool:
    """Whether a row relates ids to each other: it holds criteria, or has no words beside its ids."""
    texts = [cell_text(cell) for cell in cells]
    if any(labels_in(text, rules.criteria) for text in texts):
        return True
    return not any(map(str.isalpha, "".join(_without_ids(text, rules.labels) for text in texts)))


def _without_ids(text: str, labels: RequirementLabels) -> str:
    parts, done = [], 0
    for mention in find_mentions(text, labels):
        parts.append(text[done : mention.start])
        done = mention.end
    return "".join((*parts, text[done:]))


def _deferred(definition: Definition, criterion: int | None, rules: SpecRules) -> str | None:
    """Why the block says that its requirement is put off, before the line of the next ``criterion``."""
    own = tuple(takewhile(lambda piece: criterion is None or piece.line < criterion, definition.pieces))
    for statement in bound_in(own, rules.deferred, lambda _: (), ()):
        if says_something(statement.text, rules.criteria.cues):
            return statement.text
    return None
