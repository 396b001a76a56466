"""Whether the lets of a table can have the values that a box asks for: branch and bound over its integers.

A box of a let is only possible where integer inputs give it: a linear program over the rationals (``simplex``) rules
most of them out at once, and branching mends what is left: a fraction where an integer has to be, a value in a hole of
its mask, a ``min``, ``max`` or ``abs`` that equals none of its arguments. A let is null exactly where an input is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from toolkit.policy.deciding.columns import Column
from toolkit.policy.language.arithmetic import Number
from toolkit.policy.proofs.linear import Linear, reduced
from toolkit.policy.proofs.results import Budget
from toolkit.policy.proofs.simplex import Bound, TooManyPivots, solve
from toolkit.policy.proofs.space import Box, Space

MAX_BRANCHES = 400  # of one question; another question of the same table may still be easy
MAX_NULLS = 64  # ways in which the inputs of lets may be null that one question looks at

Values = Mapping[str, int | None]
State = tuple[list[Bound], list[Bound]]


class Unknown(Exception):
    """Internal: one question took more steps than it may; nothing is known."""


class Numbers:
    """The lets of a space and the integer inputs that they read. Answers are remembered by what was asked of those."""

    def __init__(self, space: Space, budget: Budget) -> None:
        self.space = space
        self.budget = budget
        lets = {let.name: let for let in space.lets}
        read = frozenset[str]().union(*(let.term.names for let in space.lets))
        self.inputs = tuple(name for name in space.places if name in read and name not in lets)
        self.lets = tuple(lets)
        self.linear = Linear(self.inputs)
        for name, let in lets.items():
            self.linear.define(name, let.term)
        self.named = (*self.inputs, *self.lets)
        self.places = tuple(space.places[name] for name in self.named)
        self.columns = tuple(cast("Column", space.dimensions[place]) for place in self.places)
        shaped = [reduced(self.linear.forms[name].factors) for name in self.lets]
        self._readers = {
            name: frozenset(let for let in self.lets if name in self.linear.reads[let]) for name in self.inputs
        }
        self.steps = tuple(step for _, step in shaped)
        self.rows = [dict(row.factors) for row in self.linear.rows] + [factors for factors, _ in shaped]
        self._ruled_out: dict[Box, bool] = {}
        self._solved: dict[Box, Values | None] = {}

    def of(self, box: Box) -> Box:
        """What a box says of the numbers."""
        return tuple(box[place] for place in self.places)

    def impossible(self, box: Box) -> bool:
        """Whether the box is seen to be empty without branching."""
        if not self.lets:
            return False
        asked = self.of(box)
        if asked not in self._ruled_out:
            self._ruled_out[asked] = self._is_ruled_out(asked)
        return self._ruled_out[asked]

    def find(self, box: Box) -> Values | None:
        """Values of the integer inputs with which everything lies in the box; null where there are none.

        Raises ``Unknown`` where that took too long, ``Exhausted`` where the budget ends.
        """
        asked = self.of(box)
        if asked not in self._solved:
            self._solved[asked] = self._find(asked)
        return self._solved[asked]

    def _is_ruled_out(self, asked: Box) -> bool:
        try:
            return all(self._relaxed(state) is None for _, state in self._starts(asked))
        except (Unknown, TooManyPivots):
            return False

    def _find(self, asked: Box) -> Values | None:
        branches = 0
        for nulls, start in self._starts(asked):
            waiting = [start]
            while waiting:
                branches += 1
                if branches > MAX_BRANCHES:
                    raise Unknown
                if branches > 1:
                    self.budget.take()
                state = waiting.pop()
                try:
                    values = self._relaxed(state)
                except TooManyPivots:
                    raise Unknown from None
                if values is not None:
                    more = self._branches(asked, nulls, state, values)
                    if more is None:
                        return {name: self._value(place, name, nulls, values) for place, name in enumerate(self.inputs)}
                    waiting.extend(more)
        return None

    def _value(self, place: int, name: str, nulls: frozenset[str], values: Sequence[Number]) -> int | None:
        return None if name in nulls else int(values[place])

    def _relaxed(self, state: State) -> list[Number] | None:
        return solve(self.rows, *state)

    def _starts(self, asked: Box) -> Iterator[tuple[frozenset[str], State]]:
        """Each way in which inputs may be null, with the bounds that are left then."""
        for nulls in self._nulls(asked):
            yield nulls, self._bounds(asked, nulls)

    def _nulls(self, asked: Box) -> Iterator[frozenset[str]]:
        """The sets of inputs that may be null together, as the masks have it."""
        never: set[str] = set()
        always: set[str] = set()
        some_of: list[frozenset[str]] = []
        for name, column, mask in zip(self.named, self.columns, asked, strict=True):
            null = 0 if column.null is None else 1 << column.null
            if not mask & null:
                never |= self.linear.reads[name]
            elif mask == null:
                some_of.append(self.linear.reads[name])
                always |= some_of[-1] if name in self.inputs else set()
        # Of the inputs that the same lets read, one being null does what all of them would do.
        alike = {self._readers[name]: name for name in reversed(self.inputs) if name not in never | always}
        open_ = sorted(alike.values())
        if 1 << len(open_) > MAX_NULLS:
            raise Unknown
        for chosen in range(1 << len(open_)) if not always & never else ():
            nulls = frozenset(always | {name for place, name in enumerate(open_) if chosen >> place & 1})
            if all(reads & nulls for reads in some_of):
                yield nulls

    def _bounds(self, asked: Box, nulls: frozenset[str]) -> State:
        """Bounds of the variables, then of the rows, from the ends of the masks."""
        free = self.linear.variables - len(self.inputs)
        lower: list[Bound] = []
        upper: list[Bound] = []
        for name, column, mask in zip(self.inputs, self.columns, asked, strict=False):
            low, high = (None, None) if name in nulls else _ends(column, mask)
            lower.append(low)
            upper.append(high)
        lower += [None] * free + [row.low for row in self.linear.rows]
        upper += [None] * free + [row.high for row in self.linear.rows]
        for place, name in enumerate(self.lets, start=len(self.inputs)):
            low, high = (None, None)
            if not self.linear.reads[name] & nulls:
                constant, step = self.linear.forms[name].constant, self.steps[place - len(self.inputs)]
                low, high = _ends(self.columns[place], asked[place])
                low, high = -((constant - low) // step), (high - constant) // step
            lower.append(low)
            upper.append(high)
        return lower, upper

    def _branches(
        self, asked: Box, nulls: frozenset[str], state: State, values: Sequence[Number]
    ) -> list[State] | None:
        """The states to look at instead, the likelier last; null where the values are right as they are."""
        count = self.linear.variables
        for place, value in enumerate(values[:count]):
            if value.denominator != 1:
                return [_narrowed(state, place, low=value // 1 + 1), _narrowed(state, place, high=value // 1)]
        for choice in self.linear.choices:
            unmet = all(option.value(values) != values[choice.variable] for option in choice.options)
            if unmet and not choice.reads & nulls:
                rows = range(choice.first, choice.first + len(choice.options))
                # A row that says "not below" says "equal" once its upper bound is its lower one.
                return [_narrowed(state, count + row, high=self.linear.rows[row].low) for row in reversed(rows)]
        return self._holes(asked, nulls, state, values)

    def _holes(self, asked: Box, nulls: frozenset[str], state: State, values: Sequence[Number]) -> list[State] | None:
        for place, name in enumerate(self.named):
            if self.linear.reads[name] & nulls:
                continue
            column, mask = self.columns[place], asked[place]
            atom = column.index(int(self.linear.forms[name].value(values)))
            if not mask >> atom & 1:
                constant, step, at = 0, 1, place
                if place >= len(self.inputs):
                    constant, step = cast("int", self.linear.forms[name].constant), self.steps[place - len(self.inputs)]
                    at = len(state[0]) - len(self.lets) + place - len(self.inputs)
                return list(_beside(state, at, column, mask, atom, constant, step))
        return None


def _ends(column: Column, mask: int) -> tuple[int, int]:
    """The least and the greatest integer of a mask."""
    mask &= (1 << len(column.starts)) - 1
    low, high = column.atoms[(mask & -mask).bit_length() - 1].low, column.atoms[mask.bit_length() - 1].high
    return cast("int", low), cast("int", high)


def _beside(state: State, at: int, column: Column, mask: int, atom: int, constant: int, step: int) -> Iterator[State]:
    """The states on both sides of a hole."""
    mask &= (1 << len(column.starts)) - 1
    above, below = mask >> atom << atom, mask & ((1 << atom) - 1)
    if above:
        yield _narrowed(state, at, low=-((constant - _ends(column, above)[0]) // step))
    if below:
        yield _narrowed(state, at, high=(_ends(column, below)[1] - constant) // step)


def _narrowed(state: State, place: int, *, low: Bound = None, high: Bound = None) -> State:
    lower, upper = list(state[0]), list(state[1])
    if low is not None and (lower[place] is None or low > cast("Number", lower[place])):
        lower[place] = low
    if high is not None and (upper[place] is None or high < cast("Number", upper[place])):
        upper[place] = high
    return lower, upper
