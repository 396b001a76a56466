"""Facts for any table, legal and not, and the work that loading and deciding are: counted, never timed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Any
from unittest.mock import patch

from policy_oracle import STRANGERS

from toolkit.policy.language import conditions
from toolkit.policy.proofs.results import Budget
from toolkit.policy.syntax.nodes import ListNode, MapNode, ScalarNode
from toolkit.policy.types import BooleanType, Input, IntegerType, ListType, RecordType, TermType, Type


class FactMaker:
    """Facts for any table, by what it declares: legal, at a boundary, of a wrong type, missing, unknown."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance

    def facts(self, inputs: Mapping[str, Input], *, legal: bool) -> dict[str, object]:
        facts = {name: self.value(declared) for name, declared in inputs.items()}
        if not legal:
            name = self.chance.choice([*inputs, "unknown", "\ud800", "x" * 500])
            if self.chance.random() < 0.7:
                facts[name] = self.chance.choice([*STRANGERS, "\ud800", 10**400, float("nan"), object(), ["\ud800"]])
            else:
                facts.pop(name, None)
        return facts

    def value(self, declared: Input) -> object:
        if declared.optional and self.chance.random() < 0.3:
            return None
        return self.of(declared.type)

    def of(self, kind: Type) -> object:
        choose = self.chance.choice
        if isinstance(kind, BooleanType):
            return choose([True, False])
        if isinstance(kind, IntegerType):
            near = min(max(self.chance.randint(-5, 5), kind.minimum), kind.maximum)
            return choose([near, near, near, kind.minimum, kind.maximum])
        if isinstance(kind, TermType):
            return choose(kind.terms)
        if isinstance(kind, ListType):
            count = choose([0, 1, 2, 3]) if self.chance.random() < 0.98 else 300
            return [self.of(kind.items) for _ in range(count)]
        if isinstance(kind, RecordType):
            return {name: self.value(field) for name, field in kind.fields.items()}
        texts = ["", "a", "b", "src/a", "docs/a.md", "x\ny\r\n", "\u202e", "\x00", "a" * 500, "a" * 70_000, "/", ".."]
        return choose(texts)


# Counting.


@dataclass
class Counts:
    """What was done since it was last cleared: nodes made, boxes split, elementary tests of a value made."""

    nodes: int = 0
    boxes: int = 0
    tests: int = 0

    def clear(self) -> None:
        self.nodes = self.boxes = self.tests = 0


_LEAVES = (conditions.Equals, conditions.OneOf, conditions.Compare, conditions.Pattern, conditions.Present)


@contextmanager
def counting() -> Iterator[Counts]:
    """Count the work of everything that is loaded and decided inside. Tables must be made inside to be counted."""
    counts = Counts()
    patches: list[Any] = [
        patch.object(kind, "__init__", _counted_init(kind, counts)) for kind in (ScalarNode, ListNode, MapNode)
    ]
    patches += [patch.object(kind, "compile", _counted_compile(kind, counts)) for kind in _LEAVES]
    patches.append(patch.object(Budget, "take", _counted_take(counts)))
    for one in patches:
        one.start()
    try:
        yield counts
    finally:
        for one in patches:
            one.stop()


def _counted_init(kind: type, counts: Counts) -> Callable[..., None]:
    made: Callable[..., None] = kind.__init__  # type: ignore[misc]

    @wraps(made)
    def init(self: object, *parts: object) -> None:
        counts.nodes += 1
        made(self, *parts)

    return init


def _counted_compile(kind: Any, counts: Counts) -> Callable[..., Callable[[object], bool]]:
    compiled = kind.compile

    def compile_counted(self: object) -> Callable[[object], bool]:
        holds = compiled(self)

        def counted(value: object) -> bool:
            counts.tests += 1
            return bool(holds(value))

        return counted

    return compile_counted


def _counted_take(counts: Counts) -> Callable[..., None]:
    take = Budget.take

    def counted(self: Budget) -> None:
        take(self)
        counts.boxes += 1
        assert self.spent <= self.boxes

    return counted


def leaves_of(condition: conditions.Condition) -> int:
    """How many elementary tests a condition consists of."""
    if isinstance(condition, conditions.AllOf):
        return sum(map(leaves_of, condition.parts))
    if isinstance(condition, (conditions.Not, conditions.Items)):
        return leaves_of(condition.inner)
    return 1


def most_items(each: str | None, facts: Mapping[str, object]) -> int:
    """How often one cell may be asked of these facts: for every item of ``each``, and every item of its own list."""
    items = facts.get(each) if each is not None else None
    return max(len(items) if isinstance(items, (list, tuple)) else 1, 1) * max(map(_longest, facts.values()), default=1)


def _longest(value: object) -> int:
    if isinstance(value, dict):
        return max(map(_longest, value.values()), default=1)
    return max(len(value), *map(_longest, value), 1) if isinstance(value, (list, tuple)) else 1
