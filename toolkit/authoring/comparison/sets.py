"""Two whole sets: which documents differ, by their digests, and each of these with its own way of being compared."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from toolkit.authoring.comparison import changes as told
from toolkit.authoring.comparison.changes import KINDS, UNKNOWN, Change, Comparison, Unproved, stated
from toolkit.authoring.comparison.declarations import Content
from toolkit.authoring.comparison.machines import machine_changes
from toolkit.authoring.comparison.payloads import payload_changes
from toolkit.authoring.comparison.results import Found
from toolkit.authoring.comparison.tables import table_changes
from toolkit.authoring.comparison.vocabularies import vocabulary_changes
from toolkit.policy.proofs import MAX_BOXES
from toolkit.policy.sets import PolicySet
from toolkit.policy.syntax.nodes import plain

MAX_COMPARED_BOXES: Final = 100_000  # split for all tables of two sets together
TABLE, MACHINE, VOCABULARY = "table", "machine", "vocabulary"


def compare(
    before: PolicySet,
    after: PolicySet,
    *,
    documents: Collection[str] | None = None,
    budget: int = MAX_COMPARED_BOXES,
) -> Comparison:
    """What ``after`` decides and says otherwise than ``before``, of all documents or of some.

    Only documents whose digests differ are read, and tables and machines that name a vocabulary which has other terms
    or another order. At most ``MAX_BOXES`` boxes are split for one document and ``budget`` for all. Both sets are taken
    to be proved: of a table with gaps or overlaps only what a witness shows is told. Raises ``PolicyError``
    (``unknown_document``) for an id that neither set has.
    """
    sides = Sides(before, after)
    for name in sorted(set(documents or ()) - sides.known):
        after.entry(name)  # raises, with the nearest id that there is
    wanted = sides.known if documents is None else sides.known & set(documents)
    changed = sides.differing()
    found = Found(budget)
    if documents is None and before.profile != after.profile:
        message = f"the profile is {after.profile} and was {before.profile}"
        found.changes.append(stated("", told.PROFILE, "profile", before.profile, after.profile, message))
    for name in sorted(sides.touched(changed, wanted)):
        sides.compare(name, found)
    return Comparison(
        tuple(sorted(found.changes, key=_place)),
        tuple(found.unproved),
        tuple(name for name in changed if name in wanted),
        found.boxes,
    )


def _place(change: Change) -> tuple[str, int]:
    return change.document, KINDS.index(change.kind)


class Sides:
    """Two sets, asked together. ``known`` are the ids of either."""

    def __init__(self, before: PolicySet, after: PolicySet) -> None:
        self.before = before
        self.after = after
        self._ids = frozenset(before.ids), frozenset(after.ids)
        self.known = self._ids[0] | self._ids[1]

    def differing(self) -> tuple[str, ...]:
        """The documents that are not the same in both, sorted."""
        if self.before is self.after:
            return ()
        both = self._ids[0] & self._ids[1]
        same = {name for name in both if self.before.digest(name) == self.after.digest(name)}
        return tuple(sorted(self.known - same))

    def touched(
        self, changed: Collection[str], wanted: Collection[str], kinds: Collection[str] | None = None
    ) -> set[str]:
        """Those of the wanted documents that are to be compared: changed ones, and what names a changed vocabulary.

        With ``kinds``, only those that are of one of these on both sides.
        """
        found = {name for name in changed if name in wanted}
        moved = {name for name in changed if self._kinds(name) == (VOCABULARY, VOCABULARY) and self._moved(name)}
        if moved:
            found.update(name for name in set(wanted) - found if self._references(name) & moved)
        if kinds is not None:
            found = {name for name in found if len(set(self._kinds(name))) == 1 and self._kinds(name)[0] in kinds}
        return found

    def compare(self, name: str, found: Found) -> None:
        """Add what differs of one document."""
        kinds = self._kinds(name)
        if None in kinds or kinds[0] != kinds[1]:
            found.changes.append(_replaced(name, *kinds))
            if None not in kinds:
                reason = f"it was a {kinds[0]} and is a {kinds[1]}, so that nothing can be held against another"
                found.unproved.append(Unproved(name, "", reason))
        elif kinds[0] == TABLE:
            tables = self.before.table(name), self.after.table(name)
            found.add(table_changes(*tables, self._contents(name), budget=min(found.left, MAX_BOXES)))
        elif kinds[0] == MACHINE:
            machines = self.before.machine(name), self.after.machine(name)
            found.add(machine_changes(*machines, self._contents(name), budget=min(found.left, MAX_BOXES)))
        elif kinds[0] == VOCABULARY:
            found.changes.extend(vocabulary_changes(self.before.vocabulary(name), self.after.vocabulary(name)))
        else:
            found.changes.extend(payload_changes(name, self.before, self.after))

    def _kinds(self, name: str) -> tuple[str | None, str | None]:
        sides = zip(self._ids, (self.before, self.after), strict=True)
        one, other = (side.entry(name).head.kind if name in ids else None for ids, side in sides)
        return one, other

    def _contents(self, name: str) -> tuple[Content, Content]:
        return plain(self.before.entry(name).node), plain(self.after.entry(name).node)

    def _moved(self, name: str) -> bool:
        """Whether a vocabulary has other terms, or its terms another strength."""
        return self.before.vocabulary(name).type != self.after.vocabulary(name).type

    def _references(self, name: str) -> frozenset[str]:
        kinds = self._kinds(name)
        if kinds == (TABLE, TABLE):
            return self.before.table(name).document.references | self.after.table(name).document.references
        if kinds == (MACHINE, MACHINE):
            return self.before.machine(name).document.references | self.after.machine(name).document.references
        return frozenset()


def _replaced(name: str, before: str | None, after: str | None) -> Change:
    """A document that only one side has, or that is of another kind there."""
    if before is None:
        return stated(name, told.DOCUMENT, name, None, after, f"the {after} {name} is new")
    if after is None:
        return stated(name, told.DOCUMENT, name, before, None, f"the {before} {name} is gone")
    return stated(name, told.DOCUMENT, name, before, after, f"{name} is a {after} and was a {before}", UNKNOWN)
