"""Two states of a table: what they declare, and where they decide differently."""

from __future__ import annotations

from collections.abc import Callable

from toolkit.authoring.comparison.changes import DECISION, HIT, UNKNOWN, Change, Unproved, stated
from toolkit.authoring.comparison.decisions import Decisions
from toolkit.authoring.comparison.declarations import Content, declared_changes
from toolkit.authoring.comparison.ground import Ground
from toolkit.authoring.comparison.joint import joined
from toolkit.authoring.comparison.lists import Lists
from toolkit.authoring.comparison.orders import Orders
from toolkit.authoring.comparison.results import Found
from toolkit.authoring.comparison.telling import Teller, Topic
from toolkit.authoring.comparison.types import NothingShared
from toolkit.authoring.directions import OTHER
from toolkit.policy.language.rules import COLLECT, TableDocument
from toolkit.policy.proofs.results import Exhausted
from toolkit.policy.tables import Table


def table_changes(before: Table, after: Table, contents: tuple[Content, Content], *, budget: int) -> Found:
    """Everything that is not the same of two tables; ``contents`` are their documents as plain JSON."""
    name = after.document.head.id
    found = Found(budget)
    found.changes.extend(declared_changes(name, *contents))
    reason = _asked_otherwise(before.document, after.document)
    if before.document.hit != after.document.hit or reason is not None:
        found.changes.append(_another_way(name, before.document, after.document, reason))
    if reason is not None:
        found.unproved.append(Unproved(name, "", reason))
        return found
    decide(before, after, Topic(name, DECISION), found)
    return found


def decide(before: Table, after: Table, topic: Topic, found: Found, *, partial: bool = False) -> None:
    """Add what two tables decide differently. ``partial`` are those of which not all facts have a row."""

    def finds(ground: Ground, teller: Teller) -> None:
        if after.document.hit == COLLECT:
            Lists(ground, teller).find()
        else:
            Decisions(ground, teller, partial=partial).find()

    on_one_ground(before, after, topic, found, finds)


def on_one_ground(
    before: Table,
    after: Table,
    topic: Topic,
    found: Found,
    finds: Callable[[Ground, Teller], None],
    said: TableDocument | None = None,
) -> None:
    """Have two tables compared on one ground; ``said`` is what says which values were stronger, if not the first."""
    try:
        joint = joined(before.document, after.document)
        orders = Orders(said or before.document, after.document, joint.outputs)
        ground = Ground(joint, (before, after), orders, found.left)
    except NothingShared as fault:
        reason = f"no facts are legal in both: of {fault.name!r} they have no value in common"
        found.unproved.append(Unproved(topic.document, topic.subject, reason))
        return
    except Exhausted:
        found.unproved.append(Unproved(topic.document, topic.subject, "a row has too many alternatives"))
        return
    finds(ground, Teller(ground, topic, found))
    found.boxes += ground.budget.spent


def _asked_otherwise(before: TableDocument, after: TableDocument) -> str | None:
    """Why no answer of the one can be held against one of the other, or null."""
    if (before.each is None) != (after.each is None):
        each = after if before.each is None else before
        return f"one decides once, and the other for every item of {each.each}"
    if (before.hit == COLLECT) != (after.hit == COLLECT):
        return f"one has a single answer and the other a list: it was {before.hit} and is {after.hit}"
    return None


def _another_way(name: str, before: TableDocument, after: TableDocument, reason: str | None) -> Change:
    """How rows are chosen; where the answers can't be held against each other for it, that is all that is known."""
    was, now = (f"{one.hit}, each of {one.each}" if one.each is not None else one.hit for one in (before, after))
    direction = OTHER if reason is None else UNKNOWN
    return stated(name, HIT, "hit", was, now, f"rows are chosen so: {now}; it was: {was}", direction)
