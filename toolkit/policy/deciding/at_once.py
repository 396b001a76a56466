"""Deciding at once: for tables whose facts name one cell, and whose answer is known by the cell.

The innermost step is written out for each number of facts, since a loop would cost as much again: the facts are read,
each is held to its exact type, their places add up to the number of a cell, and the cell holds the decision. The types
come first, for a value of another type that equals a legal one (``1`` and ``True``) would find the other's place. What
is not legal leads beyond the cells.
Whatever is out of the ordinary is decided plainly, which refuses what is to be refused by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from operator import itemgetter
from typing import Any

from toolkit.policy.deciding.answering import Decision
from toolkit.policy.deciding.placing import Axis

Facts = dict[str, Any]
AtOnce = Callable[[Facts], Decision]
Read = Callable[[Facts], Any]
Cells = list[Decision | None]
Find = Callable[[int], Decision]
Pairs = Sequence[tuple[type, dict[Any, int]]]


def decide_at_once(axes: Sequence[Axis], judge: Callable[[int], Decision | None]) -> AtOnce | None:
    """A function from facts to their decision; ``judge`` gives the decision of a cell, or null where that takes more.

    The function raises ``LookupError`` where a fact is missing, unknown or not legal and where the cell does not tell.
    Null where there are more facts than this is written for.
    """
    if not 0 < len(axes) <= len(_AT_ONCE):
        return None
    cells: Cells = [None] * prod(len(one.samples) for one in axes)

    def find(cell: int) -> Decision:
        decision = cells[cell] = judge(cell)
        if decision is None:
            raise LookupError
        return decision

    read = itemgetter(*(one.name for one in axes))
    return _AT_ONCE[len(axes) - 1](read, cells, find, [(one.kind, one.places) for one in axes])


def _of_one(read: Read, cells: Cells, find: Find, axes: Pairs) -> AtOnce:
    ((ka, pa),) = axes

    def at_once(facts: Facts) -> Decision:
        a = read(facts)
        if len(facts) == 1 and (type(a) is ka or a is None):
            cell = pa[a]
            return cells[cell] or find(cell)
        raise LookupError

    return at_once


def _of_two(read: Read, cells: Cells, find: Find, axes: Pairs) -> AtOnce:
    (ka, pa), (kb, pb) = axes

    def at_once(facts: Facts) -> Decision:
        a, b = read(facts)
        if len(facts) == 2 and (type(a) is ka or a is None) and (type(b) is kb or b is None):
            cell = pa[a] + pb[b]
            return cells[cell] or find(cell)
        raise LookupError

    return at_once


def _of_three(read: Read, cells: Cells, find: Find, axes: Pairs) -> AtOnce:
    (ka, pa), (kb, pb), (kc, pc) = axes

    def at_once(facts: Facts) -> Decision:
        a, b, c = read(facts)
        if (
            len(facts) == 3
            and (type(a) is ka or a is None) and (type(b) is kb or b is None) and (type(c) is kc or c is None)
        ):  # fmt: skip
            cell = pa[a] + pb[b] + pc[c]
            return cells[cell] or find(cell)
        raise LookupError

    return at_once


def _of_four(read: Read, cells: Cells, find: Find, axes: Pairs) -> AtOnce:
    (ka, pa), (kb, pb), (kc, pc), (kd, pd) = axes

    def at_once(facts: Facts) -> Decision:
        a, b, c, d = read(facts)
        if (
            len(facts) == 4 and (type(a) is ka or a is None) and (type(b) is kb or b is None)
            and (type(c) is kc or c is None) and (type(d) is kd or d is None)
        ):  # fmt: skip
            cell = pa[a] + pb[b] + pc[c] + pd[d]
            return cells[cell] or find(cell)
        raise LookupError

    return at_once


def _of_five(read: Read, cells: Cells, find: Find, axes: Pairs) -> AtOnce:
    (ka, pa), (kb, pb), (kc, pc), (kd, pd), (ke, pe) = axes

    def at_once(facts: Facts) -> Decision:
        a, b, c, d, e = read(facts)
        if (
            len(facts) == 5
            and (type(a) is ka or a is None) and (type(b) is kb or b is None) and (type(c) is kc or c is None)
            and (type(d) is kd or d is None) and (type(e) is ke or e is None)
        ):  # fmt: skip
            cell = pa[a] + pb[b] + pc[c] + pd[d] + pe[e]
            return cells[cell] or find(cell)
        raise LookupError

    return at_once


def _of_six(read: Read, cells: Cells, find: Find, axes: Pairs) -> AtOnce:
    (ka, pa), (kb, pb), (kc, pc), (kd, pd), (ke, pe), (kf, pf) = axes

    def at_once(facts: Facts) -> Decision:
        a, b, c, d, e, f = read(facts)
        if (
            len(facts) == 6
            and (type(a) is ka or a is None) and (type(b) is kb or b is None) and (type(c) is kc or c is None)
            and (type(d) is kd or d is None) and (type(e) is ke or e is None) and (type(f) is kf or f is None)
        ):  # fmt: skip
            cell = pa[a] + pb[b] + pc[c] + pd[d] + pe[e] + pf[f]
            return cells[cell] or find(cell)
        raise LookupError

    return at_once


_AT_ONCE = (_of_one, _of_two, _of_three, _of_four, _of_five, _of_six)
