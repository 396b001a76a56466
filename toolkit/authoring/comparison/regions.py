"""Where two rows that both decide the same facts would answer them differently, and in which direction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from toolkit.authoring.comparison.joint import Answer, Joint, minus
from toolkit.authoring.comparison.orders import Orders
from toolkit.authoring.comparison.types import same_value
from toolkit.authoring.directions import OTHER, WEAKER, together
from toolkit.policy.deciding.columns import Cell, Column, bits, names_of
from toolkit.policy.language.conditions import Equals, Not, Present
from toolkit.policy.language.rules import Let, Produced, Reference
from toolkit.policy.proofs.mentions import references_in
from toolkit.policy.proofs.results import Exhausted
from toolkit.policy.proofs.space import Limits, Space, meets
from toolkit.policy.types import BooleanType, IntegerType, TermType, Value

OUT_OF_RANGE = "output_out_of_range"  # as a table says it of an integer that is no legal output
MAX_DIRECTED = 512  # parts in which two answers are held against each other
MAX_DIFFERENCES = 64  # pairs of integers whose difference is a dimension

Directed = tuple[str, Limits]


def differences(joint: Joint) -> tuple[Let, ...]:
    """The differences of integers that one side answers where the other answers others, as lets of the joint table.

    Of more than ``MAX_DIFFERENCES`` none: whether two of them are equal is then seen when facts are tried.
    """
    kinds = names_of(joint.document)
    pairs: dict[frozenset[str], None] = {}
    for output in joint.outputs:
        before, after = (
            {name for answer in side.answers for name in references_in(answer.then.get(output, ()))}
            for side in joint.sides
        )
        for one in sorted(before):
            for other in sorted(after - {one}):
                if all(isinstance(kinds[name][0], IntegerType) for name in (one, other)):
                    pairs[frozenset((one, other))] = None
    if len(pairs) > MAX_DIFFERENCES:
        return ()
    named = [tuple(sorted(pair)) for pair in pairs]
    return tuple(
        Let(difference_of(one, other), minus(one, other), kinds[one][1] or kinds[other][1]) for one, other in named
    )


def difference_of(one: str, other: str) -> str:
    """The name of a difference; no name of a document has a space."""
    return " - ".join(sorted((one, other)))


def compared_cells(joint: Joint, lets: Iterable[Let]) -> Iterator[Cell]:
    """What tells apart the answers of the rows: each name that one takes over, with the constants of the others."""
    kinds = names_of(joint.document)
    for side in joint.sides:
        for answer in side.answers:
            yield from answer.ranges
    for output in joint.outputs:
        said = [answer.then[output] for side in joint.sides for answer in side.answers if output in answer.then]
        names = dict.fromkeys(name for one in said for name in references_in(one))
        constants = dict.fromkeys((type(one), one) for value in said for one in _constants(value)) if names else {}
        for name in names:
            yield name, Present(True)
            yield from ((name, Equals(one)) for _, one in constants if _takes(kinds[name][0], one))
    yield from ((let.name, Equals(0)) for let in lets)


def _takes(kind: object, value: Value) -> bool:
    return not isinstance(value, tuple) and hasattr(kind, "accepts") and bool(kind.accepts(value))


def _constants(produced: Produced) -> Iterator[bool | int | str]:
    if isinstance(produced, tuple):
        for part in produced:
            yield from _constants(part)
    elif isinstance(produced, (bool, int, str)):
        yield produced


class Regions:
    """Holds the answers of two rows against each other in one space."""

    def __init__(self, space: Space, orders: Orders) -> None:
        self.space = space
        self.orders = orders
        self.unordered = tuple(one for one in orders.outputs if one not in orders.ordered)

    def outcomes(self, answer: Answer) -> list[tuple[str | None, list[Limits]]]:
        """What comes of a row: the code with which it is refused, or null for an answer; and where."""
        if answer.error is not None:
            return [(answer.error, [{}])]
        legal = self.space.all_of(answer.ranges)
        illegal = self.space.outside(legal) if answer.ranges else []
        return [(None, legal), *([(OUT_OF_RANGE, illegal)] if illegal else [])]

    def differing(self, before: Answer | None, after: Answer | None) -> list[Directed]:
        """Where two rows that both decide answer differently, never too small; null is a side that has no answer.

        Raises ``Exhausted`` where there are too many parts.
        """
        if before is None or after is None:
            return [(OTHER, {})]
        found: list[Directed] = []
        for code, where in self.outcomes(before):
            for other, there in self.outcomes(after):
                both = meets(where, there)
                if code is None and other is None:
                    for direction, limits in self.directed(before, after):
                        found.extend((direction, one) for one in meets(both, [limits]))
                elif code != other:
                    found.extend((OTHER, limits) for limits in both)
        return found

    def directed(self, before: Answer, after: Answer) -> Iterator[Directed]:
        """Where the outputs of two answers differ, with the direction."""
        states: list[tuple[frozenset[str], Limits]] = [(frozenset(), {})]
        for output in self.orders.ordered:
            classes = self._classes(output, before.then[output], after.then[output])
            if len(states) * len(classes) > MAX_DIRECTED:
                raise Exhausted
            states = [
                (flags | ({told} if told else frozenset()), both)
                for flags, limits in states
                for told, where in classes
                for both in meets([limits], [where])
            ]
        same: list[Limits] = []
        for flags, limits in states:
            direction = together(flags)
            if direction is None:
                same.append(limits)
            else:
                yield direction, limits
        for output in self.unordered if same else ():
            yield from ((OTHER, one) for one in meets(same, self.unlike(before.then[output], after.then[output])))

    def _classes(self, output: str, was: Produced, now: Produced) -> list[tuple[str | None, Limits]]:
        """Where an ordered output has which direction."""
        if isinstance(was, Reference) and isinstance(now, Reference) and was.name == now.name:
            return [(None, {})]
        found: list[tuple[str | None, Limits]] = []
        for value, place, atom in self._values(was):
            grouped: dict[str | None, dict[int, int]] = {}
            for other, there, mask in self._values(now):
                limits = grouped.setdefault(self.orders.compared(output, value, other), {})
                if there is not None:
                    limits[there] = limits.get(there, 0) | mask
            own = {} if place is None else {place: atom}
            found.extend((told, {**limits, **own}) for told, limits in grouped.items())
        return found

    def weaker(self, output: str, value: Produced, least: Produced) -> list[Limits]:
        """Where an ordered output is strictly weaker than another value of it."""
        return [limits for told, limits in self._classes(output, least, value) if told == WEAKER]

    def _values(self, produced: Produced) -> list[tuple[Produced, int | None, int]]:
        """What an output may be, with the dimension and the atom on which it is; no dimension for a constant."""
        if not isinstance(produced, Reference):
            return [(produced, None, 0)]
        place = self.space.places[produced.name]
        column = self.space.dimensions[place]
        assert isinstance(column, Column)
        return [(column.atoms[atom].sample, place, 1 << atom) for atom in bits(column.full)]

    def unlike(self, was: Produced, now: Produced) -> list[Limits]:
        """Where an output without an order is another; never too small."""
        if isinstance(was, Reference) and isinstance(now, Reference):
            return [] if was.name == now.name else self._unlike_names(was.name, now.name)
        if isinstance(was, tuple) and isinstance(now, tuple):
            if len(was) != len(now):
                return [{}]
            return [limits for one, other in zip(was, now, strict=True) for limits in self.unlike(one, other)]
        if isinstance(was, Reference) or isinstance(now, Reference):
            name, constant = (was.name, now) if isinstance(was, Reference) else (now.name, was)  # type: ignore[union-attr]
            return self._unlike_constant(name, constant)
        return [] if same_value(was, now) else [{}]  # type: ignore[arg-type]

    def _unlike_constant(self, name: str, constant: Produced) -> list[Limits]:
        kind, _ = self.space.names[name]
        if isinstance(constant, (bool, int, str)) and kind.accepts(constant):
            return self.space.where(name, Not(Equals(constant)))
        return [{}]

    def _unlike_names(self, one: str, other: str) -> list[Limits]:
        difference = difference_of(one, other)
        if difference in self.space.places:
            return self.space.where(difference, Not(Equals(0)))
        kinds = [self.space.names[name][0] for name in (one, other)]
        if not all(isinstance(kind, (TermType, BooleanType)) for kind in kinds):
            return [{}]
        values: Sequence[tuple[Produced, int | None, int]] = self._values(Reference(other))
        return [
            {place or 0: atom, there or 0: mask}
            for value, place, atom in self._values(Reference(one))
            for candidate, there, mask in values
            if not same_value(value, candidate)  # type: ignore[arg-type]
        ]
