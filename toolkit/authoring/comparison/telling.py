"""Telling a difference once facts have shown it, and saying of which nobody could show anything."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from functools import partial
from typing import Final, NamedTuple, cast

from toolkit.authoring.comparison.changes import Change, Unproved
from toolkit.authoring.comparison.ground import Ground, Rows
from toolkit.authoring.comparison.harm import may_weaken
from toolkit.authoring.comparison.joint import Joint
from toolkit.authoring.comparison.observing import Pair, Seen
from toolkit.authoring.comparison.results import Found as Everything
from toolkit.authoring.comparison.trying import variants
from toolkit.policy.deciding.columns import cells_in
from toolkit.policy.problems import PolicyError
from toolkit.policy.proofs.boxes import Index
from toolkit.policy.proofs.claims import Claim
from toolkit.policy.proofs.mentions import references_in
from toolkit.policy.proofs.numbers import Unknown
from toolkit.policy.proofs.space import Box
from toolkit.policy.proofs.witnesses import Facts, Found, Unshown, facts_in

MAX_DOUBTFUL: Final = 50  # pairs of rows of one table that are told one by one

Boxes = Iterable[tuple[Box, int, Index | None]]
Accepts = Callable[[Seen], bool]
Sightings = Callable[[Facts], Iterable[Seen]]


class Topic(NamedTuple):
    """What is compared: the document, the kind of a change of it, and its subject where that is no matter of rows."""

    document: str
    kind: str
    subject: str = ""


class Teller:
    """Looks for facts that show a difference of two tables, and keeps what was found."""

    def __init__(self, ground: Ground, topic: Topic, found: Everything) -> None:
        self.ground = ground
        self.topic = topic
        self.found = found
        self._told: set[tuple[str, Pair]] = set()
        self._doubts = 0

    def tell(
        self, rows: Rows | None, boxes: Boxes, sightings: Sightings, accepts: Accepts, kind: str | None = None
    ) -> bool:
        """Look for facts that show a difference; add the change, or that nobody could show whether there is one.

        ``boxes`` are searched outside of some others (those of the rows, or of an index of their own). Says whether
        facts were found.
        """
        kind = kind or self.topic.kind
        claim = Claim(self.ground.prepared, kind, (), lambda facts: self._shows(facts, accepts, sightings))
        for box, covered, index in boxes:
            claim.attempt(partial(self._glance, claim, box))
            if not claim.open:
                break
            claim.uncovered(box, covered, index=index)
        if claim.witness is not None:
            seen = next(filter(accepts, sightings(claim.witness)))
            if (kind, seen.pair) not in self._told:
                self._told.add((kind, seen.pair))
                self.found.changes.append(self._change(rows, seen, claim.witness, kind))
        elif claim.exhausted or claim.judge.doubts:
            self.give_up(rows, kind)
        return claim.witness is not None

    def _glance(self, claim: Claim, box: Box) -> None:
        """Try the facts at hand before anything is split. Raises ``Found``; nothing is said where they show nothing."""
        settled = self.ground.space.settled(box)
        try:
            values = None if settled is None else self.ground.prepared.numbers.find(settled)
            facts = None if values is None or settled is None else facts_in(self.ground.space, settled, values)
        except (Unknown, Unshown):
            return
        if facts is not None and claim.judge.shows(facts):
            raise Found(facts)

    def _shows(self, facts: Facts, accepts: Accepts, sightings: Sightings) -> bool:
        """Whether the facts show the difference, or others near them do: then they become those."""
        for tried in variants(self.ground.space, facts):
            try:
                shown = any(map(accepts, sightings(tried)))
            except PolicyError:
                continue  # not legal for one of the tables
            if shown:
                facts.update(tried)
                return True
        return False

    def _change(self, rows: Rows | None, seen: Seen, facts: Facts, kind: str) -> Change:
        joint = self.ground.joint
        asked = frozenset[str]() if rows is None else tested(joint, rows)
        witness = _asked_first(joint.witness(facts), asked)
        subject = self.topic.subject or spelt(seen.row_before, seen.row_after)
        return Change(
            self.topic.document, kind, subject, seen.row_before, seen.row_after, seen.before, seen.after,
            seen.direction, witness, seen.words(self.ground.orders.ordered), may_weaken(self.ground, rows, seen, kind),
        )  # fmt: skip

    def give_up(self, rows: Rows | None = None, kind: str | None = None) -> None:
        """Say of two rows, or of the table, that nobody could show whether they decide otherwise."""
        told = spelt(*self.ids(rows)) if rows is not None else kind if kind != self.topic.kind else None
        subject = ": ".join(filter(None, (self.topic.subject, told)))
        self._doubts += 1
        if self._doubts <= MAX_DOUBTFUL:
            self.found.unproved.append(Unproved(self.topic.document, subject, self._reason(rows)))
        elif self._doubts == MAX_DOUBTFUL + 1:
            reason = f"the same of more than {MAX_DOUBTFUL} pairs of rows"
            self.found.unproved.append(Unproved(self.topic.document, self.topic.subject, reason))

    def _reason(self, rows: Rows | None) -> str:
        budget = self.ground.budget
        if budget.spent >= budget.boxes:
            return f"{budget.boxes} boxes were split without an answer"
        if budget.masks <= 0:
            return "it has too many rows, names and patterns together"
        if rows is None:
            return "too many rows meet each other, or equal answers hide what changed places"
        return "what differs hangs on patterns, lists, texts or equal answers of which no example was found"

    def ids(self, rows: Rows) -> tuple[str | None, str | None]:
        """The ids of two rows."""
        before, after = (
            None if row is None else names[row] for row, names in zip(rows, self.ground.names, strict=True)
        )
        return before, after


def _asked_first(facts: Mapping[str, object], asked: Container[str]) -> Facts:
    """The same facts, those that are asked for first; likewise the fields of records."""
    ordered: Facts = {}
    for name, value in sorted(facts.items(), key=lambda fact: fact[0] not in asked):
        records = isinstance(value, list) and all(isinstance(one, dict) for one in value)
        ordered[name] = [_asked_first(one, asked) for one in cast("list[Facts]", value)] if records else value
    return ordered


def spelt(before: str | None, after: str | None) -> str:
    """Two rows in a subject."""
    return before if before == after and before is not None else f"{before or '(none)'} -> {after or '(none)'}"


def tested(joint: Joint, rows: Rows) -> frozenset[str]:
    """The inputs that some rows test, themselves or by a let, or that they take over."""
    names: set[str] = set()
    for side, row in zip(joint.sides, rows, strict=True):
        if row is not None:
            names.update(name for name, _ in cells_in(side.whens[row]))
            names.update(name for one in side.answers[row].then.values() for name in references_in(one))
    for let in reversed(joint.document.lets):
        if let.name in names:
            names |= let.term.names
    if names & joint.document.item_fields.keys():
        names |= {side.document.each or "" for side in joint.sides}
    return frozenset(names)


def exactly(pair: Pair) -> Accepts:
    """Accepts these rows in this direction."""
    return lambda seen: seen.pair == pair
