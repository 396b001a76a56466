"""Whether an answer is the same as another, or stronger: by value, and wherever two rows would answer differently."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from toolkit.policy.deciding.columns import Cell, Column, bits
from toolkit.policy.language.conditions import Equals
from toolkit.policy.language.rules import Produced, Reference, Row, TableDocument
from toolkit.policy.proofs.mentions import references_in, scalars
from toolkit.policy.proofs.space import Limits, Space
from toolkit.policy.types import TermType

MAX_COMBINATIONS = 256  # of the atoms of two references that are compared


class Strength:
    """The strength of outputs by what a table says: ``stronger``, else the order of its vocabulary; else equality."""

    def __init__(self, document: TableDocument) -> None:
        self.document = document

    def at_least(self, output: str, value: Produced, least: Produced) -> bool:
        """Whether a value of an output is the same as another or stronger."""
        if value == least and type(value) is type(least):
            return True
        ranks = self._ranks(output)
        given, wanted = _rank(ranks, value), _rank(ranks, least)
        return given is not None and wanted is not None and given >= wanted

    def all_at_least(self, values: Mapping[str, Produced], least: Mapping[str, Produced]) -> bool:
        """The same of every output."""
        return all(self.at_least(output, values[output], least[output]) for output in least)

    def _ranks(self, output: str) -> Mapping[Produced, int]:
        gravest_first = self.document.stronger.get(output)
        if gravest_first is not None:
            return {value: -place for place, value in enumerate(scalars(gravest_first))}
        kind = self.document.outputs[output].type
        ranks: dict[Produced, int] = {}
        if isinstance(kind, TermType):
            ranks.update((kind.strengths or {}).items())
        return ranks

    def is_ordered(self, output: str) -> bool:
        """Whether anything says which values of an output are stronger."""
        return bool(self._ranks(output))

    def is_weaker(self, output: str, value: Produced, least: Produced) -> bool | None:
        """Whether a value of an output is weaker than another; null where nothing says so."""
        ranks = self._ranks(output)
        given, wanted = _rank(ranks, value), _rank(ranks, least)
        return None if given is None or wanted is None else given < wanted

    def weaker(self, space: Space, before: Row, after: Row) -> list[Limits]:
        """Where a row's answer would be neither the same as another row's nor stronger; never too small."""
        if before.error is not None or after.error is not None:
            return [] if before.error == after.error else [{}]
        found: list[Limits] = []
        for output in before.then:
            kept = partial(self.at_least, output)
            found.extend(where_not(kept, space, before.then[output], after.then[output]))
        return found


def where_not(
    kept: Callable[[Produced, Produced], bool], space: Space, least: Produced, value: Produced
) -> Iterator[Limits]:
    """Where one of two answers, ``value``, is not ``kept(value, least)`` with the other; never too small.

    An answer that is the same is kept.
    """
    if least == value and type(least) is type(value):
        return
    if not any(isinstance(one, Reference) for one in (least, value)):
        # Lists that refer to something are taken to differ; whether they do is seen when a witness is tried.
        if any(references_in(least)) or any(references_in(value)) or not kept(value, least):
            yield {}
        return
    wanted, given = _choices(space, least), _choices(space, value)
    if wanted is None or given is None or len(wanted) * len(given) > MAX_COMBINATIONS:
        yield {}
        return
    for limits, one in wanted:
        for others, other in given:
            # Values that are not alone in their atom may differ, even where both atoms are the same.
            if one is _ANY or other is _ANY or not kept(other, one):
                both = {**limits}
                for place, mask in others.items():
                    both[place] = both.get(place, -1) & mask
                if all(both.values()):
                    yield both


_ANY = Reference("")


def compared_cells(before: TableDocument, after: TableDocument) -> Iterator[Cell]:
    """Every constant that one of the tables answers, as a cell of every name that an answer may refer to."""
    rows = (*before.rows, *after.rows)
    for output in before.outputs:
        produced = [row.then[output] for row in rows if row.error is None]
        names = dict.fromkeys(name for one in produced for name in references_in(one))
        for name in names:
            yield from ((name, Equals(value)) for value in dict.fromkeys(scalars(produced)))


def _rank(ranks: Mapping[Produced, int], value: Produced) -> int | None:
    return ranks.get(value) if value is None or isinstance(value, (bool, str)) else None


def _choices(space: Space, produced: Produced) -> list[tuple[Limits, Produced]] | None:
    """What an output may be, and where; null where that can't be told."""
    if not isinstance(produced, Reference):
        return None if any(references_in(produced)) else [({}, produced)]
    place = space.places[produced.name]
    dimension = space.dimensions[place]
    if not isinstance(dimension, Column):
        return None
    atoms = ((atom, dimension.atoms[atom]) for atom in bits(dimension.full))
    return [({place: 1 << number}, atom.sample if atom.single else _ANY) for number, atom in atoms]
