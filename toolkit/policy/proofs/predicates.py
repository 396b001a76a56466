"""Conditions that constants can't tell: each is a dimension of its own, true or false, with the little known of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations

from toolkit.policy.deciding.columns import Atom, Column, bits
from toolkit.policy.language.conditions import AllOf, Condition, Holds, Items, Not, Pattern

MAX_COMPARED = 200  # patterns of one name that are compared with each other
FALSE, TRUE, EITHER = 1, 2, 3


@dataclass(frozen=True)
class Predicate:
    """What one opaque condition says of a name: atom 0 is false (null included), atom 1 is true."""

    name: str
    condition: Condition
    holds: Holds
    atoms: tuple[Atom, Atom] = (Atom(False), Atom(True))
    full: int = EITHER


class Known:
    """What is known of the predicates of one name: their value on each constant, and which hold with which."""

    def __init__(self, place: int, column: Column, predicates: Mapping[int, Predicate]) -> None:
        self.place = place
        self.constants = {
            atom: {other: _value(predicate, one) for other, predicate in predicates.items()}
            for atom, one in enumerate(column.atoms)
            if one.single
        }
        asked = [(other, one.condition) for other, one in predicates.items() if isinstance(one.condition, Pattern)]
        pairs = list(permutations(asked, 2)) if len(asked) <= MAX_COMPARED else []
        self.implied = [(one[0], other[0]) for one, other in pairs if _implies(one[1], other[1])]
        self.excluded = [(one[0], other[0]) for one, other in pairs if _excludes(one[1], other[1])]

    def settle(self, masks: list[int]) -> None:
        """Take out of a box, in place, what can't be; an empty mask where nothing is left."""
        self._settle_constants(masks)
        for first, second in self.excluded:
            if masks[first] == TRUE:
                masks[second] &= FALSE
        for first, second in self.implied:
            if masks[first] == TRUE:
                masks[second] &= TRUE
            if masks[second] == FALSE:
                masks[first] &= FALSE

    def _settle_constants(self, masks: list[int]) -> None:
        allowed: dict[int, int] = {}
        free = False
        for atom in bits(masks[self.place]):
            told = self.constants.get(atom)
            if told is None:
                free = True
            elif all(masks[other] & mask for other, mask in told.items()):
                for other, mask in told.items():
                    allowed[other] = allowed.get(other, 0) | mask
            else:
                masks[self.place] &= ~(1 << atom)
        if not free:
            for other, mask in allowed.items():
                masks[other] &= mask


def opaque_parts(condition: Condition) -> Iterator[Condition]:
    """The conditions within one that need a predicate."""
    if isinstance(condition, AllOf):
        for part in condition.parts:
            yield from opaque_parts(part)
    elif isinstance(condition, Not):
        yield from opaque_parts(condition.inner)
    elif isinstance(condition, Items):
        yield some_not(condition) if condition.operator == "every" else condition
    elif isinstance(condition, Pattern):
        yield condition


def some_not(condition: Items) -> Items:
    """``every: c`` holds exactly where ``some: {not: c}`` does not, so that one predicate serves both."""
    inner = condition.inner
    return Items("some", inner.inner if isinstance(inner, Not) else Not(inner))


def key_of(condition: Condition) -> str:
    """The same for conditions that say the same of every value."""
    if isinstance(condition, Pattern):
        return repr((condition.operator, sorted(set(condition.patterns)), condition.ignore_case))
    return repr(condition)


def _value(predicate: Predicate, atom: Atom) -> int:
    return TRUE if atom.sample is not None and predicate.holds(atom.sample) else FALSE


def _implies(one: Pattern, another: Pattern) -> bool:
    """Whether one is seen to look for nothing that the other does not look for too."""
    alike = one.operator == another.operator and one.ignore_case <= another.ignore_case
    return alike and set(one.patterns) <= set(another.patterns)


def _excludes(one: Pattern, another: Pattern) -> bool:
    """Whether two globs are seen to have no path in common, by how it would have to begin or end."""
    if {one.operator, another.operator} != {"glob"} or one.ignore_case or another.ignore_case:
        return False
    if len(one.patterns) * len(another.patterns) > MAX_COMPARED:
        return False
    return all(_apart(left, right) for left in one.patterns for right in another.patterns)


def _apart(left: str, right: str) -> bool:
    (head, tail), (other_head, other_tail) = _ends(left), _ends(right)
    begins = head.startswith(other_head) or other_head.startswith(head)
    return not (begins and (tail.endswith(other_tail) or other_tail.endswith(tail)))


def _ends(glob: str) -> tuple[str, str]:
    """How every path begins and ends that a glob matches, as far as it says so literally."""
    body = glob.removeprefix("/")
    special = [place for place, character in enumerate(body) if character in "*?[]\\"]
    if not special:
        return body, "" if body.endswith("/") else body
    tail = "" if body.endswith("/") else body[special[-1] + 1 :]
    # Of ``**/x`` only x may be left, but whatever such a path ends in, this ends in too.
    return body[: special[0]], tail
