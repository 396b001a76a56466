"""Whether linear forms can all lie within their bounds: the general simplex, exact, over the rationals.

After Dutertre and de Moura, *A Fast Linear-Arithmetic Solver for DPLL(T)*: variables and rows have bounds, rows are
basic to begin with, and the smallest variable outside its bounds is exchanged for the smallest that can mend it
(Bland's rule, which ends). Everything starts as near to zero as it may, so that the numbers found are small.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from toolkit.policy.language.arithmetic import Number

MAX_PIVOTS = 500

Bound = Number | None
Tableau = dict[int, dict[int, Number]]


class TooManyPivots(Exception):
    """Internal: no answer was found in the number of steps that one question may take."""


def solve(rows: Sequence[Mapping[int, Number]], lower: Sequence[Bound], upper: Sequence[Bound]) -> list[Number] | None:
    """Values for which every variable, and every row after them, lies within its bounds; null where there are none.

    ``rows`` are sums of variables times factors; a bound of null is none. Raises ``TooManyPivots``.
    """
    for low, high in zip(lower, upper, strict=True):
        if low is not None and high is not None and low > high:
            return None
    count = len(lower) - len(rows)
    tableau = {count + place: dict(row) for place, row in enumerate(rows)}
    values = [_nearest_to_zero(lower[place], upper[place]) for place in range(count)]
    values += [sum(factor * values[place] for place, factor in row.items()) for row in rows]
    for _ in range(MAX_PIVOTS):
        outside = _first_outside(tableau, values, lower, upper)
        if outside is None:
            return values
        basic, target = outside
        entering = _mending(tableau[basic], values, lower, upper, rising=target > values[basic])
        if entering is None:
            return None
        _exchange(tableau, values, basic, entering, target)
    raise TooManyPivots


def _nearest_to_zero(low: Bound, high: Bound) -> Number:
    if low is not None and low > 0:
        return low
    return high if high is not None and high < 0 else 0


def _first_outside(
    tableau: Tableau, values: Sequence[Number], lower: Sequence[Bound], upper: Sequence[Bound]
) -> tuple[int, Number] | None:
    """The smallest basic variable that is outside its bounds, and the bound that it has to reach."""
    for basic in sorted(tableau):
        low, high = lower[basic], upper[basic]
        if low is not None and values[basic] < low:
            return basic, low
        if high is not None and values[basic] > high:
            return basic, high
    return None


def _mending(
    row: Mapping[int, Number],
    values: Sequence[Number],
    lower: Sequence[Bound],
    upper: Sequence[Bound],
    *,
    rising: bool,
) -> int | None:
    """The smallest variable of a row that has room to move the row's value as wished."""
    for place in sorted(row):
        limit = upper[place] if (row[place] > 0) is rising else lower[place]
        if limit is None or values[place] != limit:
            return place
    return None


def _exchange(tableau: Tableau, values: list[Number], basic: int, entering: int, target: Number) -> None:
    """Bring ``basic`` to its target by moving ``entering``, which takes its place in the tableau."""
    row = tableau.pop(basic)
    factor = row.pop(entering)
    step = _divided(target - values[basic], factor)
    values[basic] = target
    values[entering] += step
    for other, terms in tableau.items():
        if entering in terms:
            values[other] += terms[entering] * step
    solved = {place: _divided(-value, factor) for place, value in row.items()}
    solved[basic] = _divided(1, factor)
    for terms in tableau.values():
        by = terms.pop(entering, None)
        if by is not None:
            for place, value in solved.items():
                total = terms.get(place, 0) + by * value
                if total:
                    terms[place] = total
                else:
                    terms.pop(place, None)
    tableau[entering] = solved


def _divided(number: Number, by: Number) -> Number:
    quotient = Fraction(number) / by
    return quotient.numerator if quotient.denominator == 1 else quotient
