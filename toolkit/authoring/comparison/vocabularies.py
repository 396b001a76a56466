"""Two states of a vocabulary: its terms, their order, and the words that stand beside them."""

from __future__ import annotations

from collections.abc import Iterator

from toolkit.authoring.comparison.changes import ANCHOR, ORDER, TERM, UNKNOWN, Change, stated
from toolkit.authoring.directions import OTHER
from toolkit.policy.documents.heads import Vocabulary
from toolkit.policy.problems import shown


def vocabulary_changes(before: Vocabulary, after: Vocabulary) -> Iterator[Change]:
    """What is not the same. Which tables decide otherwise for it is told of these."""
    name = after.head.id
    if before.order != after.order:
        message = f"the terms of {name} are in {after.order} order and were in {before.order} order"
        yield stated(name, ORDER, "order", before.order, after.order, message, UNKNOWN)
    for term in before.terms:
        if term not in after.anchors:
            yield stated(name, TERM, term, dict(before.anchors[term]), None, f"the term {shown(term)} is gone")
    for term in after.terms:
        if term not in before.anchors:
            yield stated(name, TERM, term, None, dict(after.anchors[term]), f"the term {shown(term)} is new")
    kept = [[term for term in one.terms if term in other.anchors] for one, other in ((before, after), (after, before))]
    if kept[0] != kept[1]:
        # Code ranks by it what no table decides, such as the line of --fail-on.
        direction = OTHER if after.type.strengths is None and before.type.strengths is None else UNKNOWN
        order = list(before.terms), list(after.terms)
        yield stated(name, ORDER, "terms", *order, "the terms stand in another order", direction)
    for term in kept[0]:
        yield from _anchors(name, term, before, after)


def _anchors(name: str, term: str, before: Vocabulary, after: Vocabulary) -> Iterator[Change]:
    old, new = before.anchors[term], after.anchors[term]
    for anchor in dict.fromkeys((*old, *new)):
        was, now = old.get(anchor), new.get(anchor)
        if was != now:
            verb = "is new" if was is None else "is gone" if now is None else "is worded otherwise"
            yield stated(name, ANCHOR, f"{term}/{anchor}", was, now, f"the {anchor} of {shown(term)} {verb}")
