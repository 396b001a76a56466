"""Whether a row matches: its cells as closures, made once, the patterns asked last."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from toolkit.policy.language.conditions import Condition, Holds, uses_patterns
from toolkit.policy.language.rules import When

Values = Mapping[str, Any]  # checked facts, the fields of an item and the lets, as cells see them


class Cell:
    """A condition on one name, and its closure."""

    def __init__(self, name: str, condition: Condition) -> None:
        self.name = name
        self.condition = condition
        self.holds: Holds = condition.compile()

    @cached_property
    def words(self) -> str:
        """The condition in a trace."""
        return self.condition.text()


@dataclass(frozen=True, slots=True)
class CompiledWhen:
    """A row's conditions, each with its closure; ``matches`` asks them all, the patterns last."""

    cells: tuple[Cell, ...]
    any_of: tuple[CompiledWhen, ...]
    matches: Callable[[Values], bool]


def compile_when(when: When) -> CompiledWhen:
    """The closures of a row, or of one of its alternatives."""
    cells = tuple(Cell(name, condition) for name, condition in when.cells)
    any_of = tuple(map(compile_when, when.any_of))
    tests = tuple((cell.name, cell.holds) for cell in sorted(cells, key=lambda cell: uses_patterns(cell.condition)))
    alternatives = tuple(other.matches for other in any_of)

    def matches(values: Values) -> bool:
        for name, holds in tests:
            if not holds(values[name]):
                return False
        return not alternatives or any(alternative(values) for alternative in alternatives)

    return CompiledWhen(cells, any_of, matches)
