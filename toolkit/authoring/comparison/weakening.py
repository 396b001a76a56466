"""Two sets of policies: of which tables decisions became weaker from one to the other, and of which that is unknown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from toolkit.authoring.comparison.changes import DECISION, Change, Unproved
from toolkit.authoring.comparison.decisions import Decisions
from toolkit.authoring.comparison.ground import Ground
from toolkit.authoring.comparison.lists import Lists
from toolkit.authoring.comparison.results import Found
from toolkit.authoring.comparison.sets import MAX_COMPARED_BOXES, Sides
from toolkit.authoring.comparison.tables import on_one_ground
from toolkit.authoring.comparison.telling import Teller, Topic
from toolkit.authoring.directions import MIXED, WEAKER
from toolkit.policy.language.rules import COLLECT, TableDocument
from toolkit.policy.proofs import MAX_BOXES
from toolkit.policy.proofs.pairs import Incomparable, read_as, why_not
from toolkit.policy.sets import PolicySet
from toolkit.policy.tables import Table
from toolkit.policy.types import Input, ListType, RecordType, TermType


class Weakened(NamedTuple):
    """A row of a table that is decided weaker; or, not ``sure``, a table of which nobody could show that none is.

    ``message`` says how, or why not. ``documents`` are those of the table and the vocabularies that it names which are
    not the same. ``facts`` are the witness, where there is one: what is tested by the rows that decide it comes first.
    """

    document: str
    row: str
    sure: bool
    message: str
    documents: frozenset[str]
    facts: Mapping[str, object]


def weaker_decisions(before: PolicySet, after: PolicySet, *, budget: int = MAX_COMPARED_BOXES) -> Iterator[Weakened]:
    """Every row of a table of ``before`` that ``after`` decides weaker, and every table of which that is not known.

    Asked is of each table that is not the same in both sets, or whose vocabularies are not. A table that is gone
    decides nothing, which is not weaker; nor is a machine, whose transitions are legal or are not. Terms that are new
    to a vocabulary are facts too: the table before decides of them as it reads with these terms.
    """
    sides = Sides(before, after)
    changed = sides.differing()
    for name in sorted(sides.touched(changed, sides.known, kinds=("table",))):
        old, new = before.table(name), after.table(name)
        found = weakened(old.document, new.document, budget=min(budget, MAX_BOXES))
        budget = max(budget - found.boxes, 0)
        documents = frozenset(changed).intersection((name, *old.document.references))
        first: dict[str | None, Change] = {}
        for change in found.changes:
            first.setdefault(change.row_before, change)
        for row, change in first.items():
            yield Weakened(name, row or "", True, change.message, documents, change.witness or {})
        for one in found.unproved[:1]:
            yield Weakened(name, "", False, one.reason, documents, {})


def weakened(before: TableDocument, after: TableDocument, *, budget: int = MAX_BOXES) -> Found:
    """What one table decides weaker than another that is asked and answers the same, vocabularies and lets aside.

    Weaker is an ordered output: one for which ``before`` says ``stronger``, or has an ordered vocabulary (how strong a
    term is that only ``after`` knows, that one says). A refusal is neither weaker nor stronger than an answer.
    """
    topic = Topic(after.head.id, DECISION)
    found = Found(budget)
    reason = _difference(before, after)
    if reason is None:
        try:
            # Requirements are proved where a set is loaded; here they would only be in the way.
            tables = Table(read_as(before, after)), Table(replace(after, require=()))
        except Incomparable as fault:
            reason = why_not(fault)
    if reason is not None:
        found.unproved.append(Unproved(topic.document, "", reason))
    else:
        on_one_ground(*tables, topic, found, _weaker_ones, said=before)
    return found


def _weaker_ones(ground: Ground, teller: Teller) -> None:
    collects = ground.joint.after.document.hit == COLLECT
    finder = Lists if collects else Decisions
    finder(ground, teller, directions=(WEAKER, MIXED)).find()


def _difference(before: TableDocument, after: TableDocument) -> str | None:
    """Why two tables can't be compared so, or null: facts and answers would have another meaning."""
    if (before.hit, before.each) != (after.hit, after.each):
        return "it is asked in another way"
    if not _alike(before.inputs, after.inputs) or not _alike(before.outputs, after.outputs):
        return "it has other inputs or outputs"
    if [let.name for let in before.lets] != [let.name for let in after.lets]:
        return "it computes other lets"
    return None


def _alike(before: Mapping[str, Input], after: Mapping[str, Input]) -> bool:
    return before.keys() == after.keys() and all(_kind(before[name]) == _kind(after[name]) for name in before)


def _kind(declared: Input) -> object:
    """The type of a name, of a term only where its vocabulary stands: what that holds is another document's."""
    kind: object = declared.type
    if isinstance(kind, RecordType):
        kind = {name: _kind(field) for name, field in kind.fields.items()}
    elif isinstance(kind, ListType):
        kind = ("list", _kind(replace(declared, type=kind.items, optional=False)))
    elif isinstance(kind, TermType):
        kind = kind.vocabulary or kind.terms
    return kind, declared.optional
