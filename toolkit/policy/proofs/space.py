"""The space in which a table is reasoned about: one dimension for everything that a cell, or an output, depends on.

A *box* is one mask a dimension: the facts that lie in one of the allowed atoms everywhere. A row is a box, or several.
What constants can't tell (a glob, a pattern, the items of a list with too many classes) is a ``Predicate``: a dimension
of its own with the atoms false and true, of which nothing is assumed but that constants have the value that they have,
and that more patterns find no less. Lets are dimensions too; how they hang together with their inputs is told by
``numbers``. So a box may be empty although no mask is, but whatever no box holds is no fact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from toolkit.policy.deciding.columns import Atom, Cell, Column, column, names_of, opaque
from toolkit.policy.language.conditions import AllOf, Condition, Equals, Items, Not
from toolkit.policy.language.rules import Let, Produced, TableDocument, When
from toolkit.policy.proofs.lists import ListColumn, list_column
from toolkit.policy.proofs.mentions import scalars
from toolkit.policy.proofs.predicates import FALSE, TRUE, Known, Predicate, key_of, opaque_parts, some_not
from toolkit.policy.proofs.results import Exhausted
from toolkit.policy.types import ListType, RecordType, Type

MAX_PARTS = 512  # boxes of one row

Box = tuple[int, ...]
Limits = Mapping[int, int]  # the dimensions that are limited, and their masks
Dimension = Column | ListColumn | Predicate


class Space:
    """The dimensions for some cells of one table. ``places`` is the dimension of each name's own atoms."""

    def __init__(self, document: TableDocument, cells: Iterable[Cell]) -> None:
        self.document = document
        self.names = names_of(document)
        self.dimensions: list[Dimension] = []
        self.places: dict[str, int] = {}
        self.predicates: dict[str, dict[str, int]] = {}
        tested: dict[str, list[Condition]] = {}
        for name, condition in cells:
            tested.setdefault(name, []).append(condition)
        self.lets = _tested_lets(document, tested)
        for name, (kind, optional) in self.names.items():
            if name in tested:
                self._add(name, kind, optional, tested[name])
        self.full: Box = tuple(dimension.full for dimension in self.dimensions)
        self._known = [self._known_of(name) for name in self.predicates]

    def _add(self, name: str, kind: Type, optional: bool, conditions: Sequence[Condition]) -> None:
        assert not isinstance(kind, RecordType)
        self.places[name] = len(self.dimensions)
        if isinstance(kind, ListType):
            listed = list_column(name, kind, optional, conditions)
            self.dimensions.append(listed if listed is not None else _unknown(name, optional))
            if listed is not None:
                return
        else:
            self.dimensions.append(column(name, kind, optional, conditions))
        for condition in conditions:
            for part in opaque_parts(condition):
                self._add_predicate(name, part)

    def _add_predicate(self, name: str, condition: Condition) -> None:
        known = self.predicates.setdefault(name, {})
        key = key_of(condition)
        if key not in known:
            known[key] = len(self.dimensions)
            self.dimensions.append(Predicate(name, condition, condition.compile()))

    def limited(self, limits: Limits, box: Box | None = None) -> Box | None:
        """A box (the whole space, unless told) within limits; null where a mask would be empty."""
        masks = list(self.full if box is None else box)
        for place, mask in limits.items():
            masks[place] &= mask
            if not masks[place]:
                return None
        return tuple(masks)

    def parts(self, when: When) -> list[Limits]:
        """A row's boxes: where its cells hold, and one of its alternatives. Raises ``Exhausted`` for too many."""
        common = self.all_of(when.cells)
        if not when.any_of:
            return common
        alternatives = [limits for alternative in when.any_of for limits in self.all_of(alternative.cells)]
        return meets(common, alternatives)

    def all_of(self, cells: Iterable[Cell]) -> list[Limits]:
        """Where every one of the cells holds."""
        found: list[Limits] = [{}]
        for name, condition in cells:
            found = meets(found, self.where(name, condition))
        return found

    def where(self, name: str, condition: Condition, wanted: bool = True) -> list[Limits]:
        """The disjoint parts of the space in which a condition holds; in which it does not, where not ``wanted``."""
        place = self.places[name]
        dimension = self.dimensions[place]
        if isinstance(condition, Not):
            return self.where(name, condition.inner, not wanted)
        if isinstance(dimension, ListColumn) or not opaque(condition):
            assert not isinstance(dimension, Predicate)
            mask = dimension.mask(condition)
            mask = mask if wanted else dimension.full ^ mask
            return [{place: mask}] if mask else []
        if not isinstance(condition, AllOf):
            return self._where_opaque(name, condition, wanted)
        if wanted:
            return self.all_of((name, part) for part in condition.parts)
        found: list[Limits] = []
        before: list[Limits] = [{}]
        for part in condition.parts:
            found.extend(meets(before, self.where(name, part, False)))
            before = meets(before, self.where(name, part))
        return found

    def _where_opaque(self, name: str, condition: Condition, wanted: bool) -> list[Limits]:
        if isinstance(condition, Items) and condition.operator == "every":
            return self._where_opaque(name, some_not(condition), not wanted)
        # Null needs no word: where a name is null, its predicates are false.
        return [{self.predicates[name][key_of(condition)]: TRUE if wanted else FALSE}]

    def outside(self, parts: Iterable[Limits]) -> list[Limits]:
        """The disjoint parts of the space that lie in none of some others. Raises ``Exhausted`` for too many."""
        left: list[Limits] = [{}]
        for limits in parts:
            beyond: list[Limits] = []
            within: dict[int, int] = {}
            for place, mask in limits.items():
                beyond.append({**within, place: self.full[place] & ~mask})
                within[place] = mask
            left = meets(left, beyond)
        return left

    def among(self, name: str, values: Iterable[Produced]) -> int:
        """The atoms of a name on which it is one of some constants; the space was made of these."""
        dimension = self.dimensions[self.places[name]]
        if not isinstance(dimension, Column):
            return 0
        mask = 0
        for value in scalars(values):
            mask |= dimension.mask(Equals(value))
        return mask

    def settled(self, box: Box) -> Box | None:
        """The box without what its predicates and constants rule out; null where nothing is left."""
        if not self.predicates:
            return box
        masks, before = list(box), None
        while before != masks:
            before = list(masks)
            for known in self._known:
                known.settle(masks)
            if not all(masks):
                return None
        return tuple(masks)

    def _known_of(self, name: str) -> Known:
        place = self.places[name]
        predicates = {other: cast("Predicate", self.dimensions[other]) for other in self.predicates[name].values()}
        return Known(place, cast("Column", self.dimensions[place]), predicates)


def _tested_lets(document: TableDocument, tested: dict[str, list[Condition]]) -> tuple[Let, ...]:
    """The lets that matter; what they are computed from becomes a dimension, if only for its being null."""
    found = []
    for let in reversed(document.lets):
        if let.name in tested:
            found.append(let)
            for name in sorted(let.term.names):
                tested.setdefault(name, [])
    return tuple(reversed(found))


def _unknown(name: str, optional: bool) -> Column:
    """The atoms of a list of which only predicates tell: any list, and null."""
    atoms = (Atom("", single=False), Atom(None)) if optional else (Atom("", single=False),)
    return Column(name, atoms, (), {None: 1} if optional else {}, rest=0)


def meets(first: Sequence[Limits], second: Sequence[Limits]) -> list[Limits]:
    """Where one of the first and one of the second hold together. Raises ``Exhausted`` for too many parts."""
    if len(first) * len(second) > MAX_PARTS:
        raise Exhausted
    found: list[Limits] = []
    for left in first:
        for right in second:
            both = dict(left)
            for place, mask in right.items():
                both[place] = both.get(place, -1) & mask
            if all(both.values()):
                found.append(both)
    return found
