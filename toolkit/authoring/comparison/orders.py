"""Which of two answers is stronger: by what the table before says, and of terms that are new to it by the one after.

Where the answers are lists, it also counts that something is said at all: a term or truth without an order is as strong
as itself alone, so that a list which no longer says it is weaker. Wording (text, numbers) says nothing of strength.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from toolkit.authoring.comparison.types import same_value
from toolkit.authoring.directions import OTHER, STRONGER, WEAKER, together
from toolkit.policy.language.rules import COLLECT, Produced, TableDocument
from toolkit.policy.proofs.strength import Strength
from toolkit.policy.types import BooleanType, TermType, Value

Outputs = Mapping[str, Value]


class Orders:
    """The orders of the outputs that two tables share."""

    def __init__(self, before: TableDocument, after: TableDocument, outputs: Iterable[str]) -> None:
        self.outputs = tuple(outputs)
        self._strengths = Strength(before), Strength(after)
        documents = (before, after)
        closed = [one for one in self.outputs if _is_closed(one, documents)]
        self._by_value = frozenset(one for one in closed if not any(told.is_ordered(one) for told in self._strengths))
        collect = all(one.hit == COLLECT for one in documents)
        self.ordered = tuple(one for one in closed if collect or one not in self._by_value)

    def compared(self, output: str, was: Produced, now: Produced) -> str | None:
        """The direction from one value of an output to another; null where they are the same."""
        if same_value(was, now):  # type: ignore[arg-type]
            return None
        if output not in self.ordered:
            return OTHER
        return WEAKER if self.is_weaker(output, now, was) else STRONGER if self.is_weaker(output, was, now) else OTHER

    def is_weaker(self, output: str, value: Produced, least: Produced) -> bool:
        """Whether a value of an output is strictly weaker than another."""
        if output in self._by_value:
            return not same_value(value, least)  # type: ignore[arg-type]
        told = (strength.is_weaker(output, value, least) for strength in self._strengths)
        return bool(next((one for one in told if one is not None), False))

    def direction(self, was: Outputs, now: Outputs) -> str | None:
        """The direction from one answer to another; null where they are the same."""
        return together(self.compared(output, was[output], now[output]) for output in self.outputs)


def _is_closed(output: str, documents: Iterable[TableDocument]) -> bool:
    """Whether an output has values on both sides that can be listed."""
    return all(isinstance(one.outputs[output].type, (BooleanType, TermType)) for one in documents)
