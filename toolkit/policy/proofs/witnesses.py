"""From a box to facts that anybody can try: one legal value for every input of the table, or none if none was found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from toolkit.policy.deciding.columns import Column, bits
from toolkit.policy.proofs.lists import ListColumn
from toolkit.policy.proofs.numbers import Numbers, Unknown
from toolkit.policy.proofs.predicates import FALSE, TRUE, Predicate
from toolkit.policy.proofs.samples import lists, texts
from toolkit.policy.proofs.space import Box, Space
from toolkit.policy.types import BooleanType, Input, IntegerType, ListType, RecordType, TermType

MAX_DOUBTS = 40  # boxes of one claim that may hold a counterexample that nobody could show

Facts = dict[str, object]
Shows = Callable[[Facts], bool]


class Unshown(Exception):
    """Internal: a value that a box asks for was not found; that there is none is not said."""


class Found(Exception):
    """Internal: the search may end, since these facts show what was looked for."""

    def __init__(self, facts: Facts) -> None:
        super().__init__("found")
        self.facts = facts


class Witnesses:
    """Judges the boxes of one search: empty, a counterexample (``Found``), or a doubt that stays."""

    def __init__(self, space: Space, numbers: Numbers, shows: Shows) -> None:
        self.space = space
        self.numbers = numbers
        self.shows = shows
        self.doubts = 0

    def impossible(self, box: Box) -> bool:
        """Whether the lets can't have such values, as far as that is seen without branching."""
        return self.numbers.impossible(box)

    def settle(self, box: Box) -> None:
        """Raise ``Found`` for a box with a counterexample; keep the doubt where there may be one."""
        try:
            values = self.numbers.find(box)
            if values is None:
                return
            facts = facts_in(self.space, box, values)
            if self.shows(facts):
                raise Found(facts)
        except (Unknown, Unshown):
            pass
        self.doubts += 1
        if self.doubts >= MAX_DOUBTS:
            raise Unshown


def facts_in(space: Space, box: Box, numbers: Mapping[str, int | None]) -> Facts:
    """Facts in a box, with the given integers for what the lets read. Raises ``Unshown``."""
    document = space.document
    lets = {let.name for let in document.lets}
    values: Facts = dict(numbers)
    for name, place in space.places.items():
        if name not in values and name not in lets:
            values[name] = _value(space, name, box, place)
    facts: Facts = {}
    for name, declared in document.inputs.items():
        if name == document.each:
            record = document.item_fields.items()
            facts[name] = [{field: values[field] if field in values else _any(one) for field, one in record}]
        else:
            facts[name] = values[name] if name in values else _any(declared)
    return facts


def _value(space: Space, name: str, box: Box, place: int) -> object:
    dimension = space.dimensions[place]
    mask = box[place]
    if isinstance(dimension, ListColumn):
        try:
            return dimension.sample((mask & -mask).bit_length() - 1)
        except ValueError:
            raise Unshown from None
    column = cast("Column", dimension)
    if name in space.predicates:
        return _tried(space, name, box, column, mask)
    return column.atoms[(mask & -mask).bit_length() - 1].sample


def _tried(space: Space, name: str, box: Box, column: Column, mask: int) -> object:
    """A value on which every predicate says what the box asks for."""
    asked = [(cast("Predicate", space.dimensions[other]), box[other]) for other in space.predicates[name].values()]
    wanted = [one.condition for one, told in asked if told == TRUE]
    unwanted = [one.condition for one, told in asked if told == FALSE]
    others = [one.condition for one, told in asked if told not in (TRUE, FALSE)]
    kind, _ = space.names[name]
    if isinstance(kind, ListType):
        candidates: list[object] = [*lists(kind.items, wanted, unwanted)] if mask & 1 else []
    else:
        named = [sample for place in bits(mask) if isinstance(sample := column.atoms[place].sample, str)]
        candidates = [*texts(named, wanted, [*unwanted, *others])]
    for value in candidates:
        fits = isinstance(kind, ListType) or mask >> column.index(cast("str", value)) & 1
        if fits and all(told & (TRUE if one.holds(value) else FALSE) for one, told in asked):
            return value
    if column.null is not None and mask >> column.null & 1 and not wanted:
        return None
    raise Unshown


def _any(declared: Input) -> object:
    """Some legal value of what nothing depends on."""
    kind = declared.type
    if declared.optional:
        return None
    if isinstance(kind, BooleanType):
        return False
    if isinstance(kind, IntegerType):
        return min(max(kind.minimum, 0), kind.maximum)
    if isinstance(kind, TermType):
        return kind.terms[0]
    if isinstance(kind, (ListType, RecordType)):
        return []
    return "other"
