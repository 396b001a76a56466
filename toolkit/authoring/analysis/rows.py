"""Each row by itself: whether it matches anything, whether it ever decides, and whether it declines."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from toolkit.authoring.analysis.examined import Examined, Searched, Told
from toolkit.authoring.analysis.findings import DECLINES, IMPOSSIBLE, MAX_NAMED, SHADOWED, Finding, named
from toolkit.authoring.analysis.tried import Facts
from toolkit.policy.deciding.columns import bits
from toolkit.policy.language.rules import COLLECT, UNIQUE
from toolkit.policy.proofs import NOT_PROVED, REFUTED
from toolkit.policy.proofs.space import meets

MAX_LOOKED: Final = 50  # earlier rows that are asked what they take of what another row matches


def look_at(examined: Examined, row: int, decided: Searched | None = None) -> None:
    """Look for facts that a row decides (unless told), and if there are none for facts that it matches."""
    tried, others = examined.tried, examined.others(row)
    regions = [(box, others) for box in examined.boxes(row)]
    if decided is None:
        decided = examined.search(regions, partial(tried.decides, row))
    examined.decided[row] = examined.matched[row] = decided
    if not decided.found:
        matched = examined.search([(box, 0) for box, _ in regions], partial(tried.matches, row))
        examined.matched[row] = matched


def row_findings(examined: Examined) -> Iterator[Finding]:
    """Of each row whether it is impossible, with its alternatives; whether it is shadowed; whether it declines."""
    for row, one in enumerate(examined.document.rows):
        look_at(examined, row)
        matched = examined.matched[row]
        told = Told(
            f"the row {one.id!r} matches some facts",
            f"the row {one.id!r} can match no facts at all",
            f"it is not known whether the row {one.id!r} can match any facts",
        )
        apart = matched is not examined.decided[row]  # else one search tells both, on the account of the second
        counted = matched if apart or examined.document.hit == UNIQUE else matched._replace(boxes=0)
        yield examined.exists(IMPOSSIBLE, (one.id,), one.mark, counted, told)
        yield from alternative_findings(examined, row)
        if not matched.none:
            if examined.document.hit != UNIQUE:
                yield _shadowed(examined, row)
            if one.error is not None:
                yield _declines(examined, row)


def alternative_findings(examined: Examined, row: int, word: str = "row") -> Iterator[Finding]:
    """Of each of several alternatives whether it can hold, unless none can and the row is told to be impossible."""
    one, space = examined.document.rows[row], examined.prepared.space
    alternatives = one.when.any_of if len(one.when.any_of) > 1 and not examined.matched[row].none else ()
    for number, alternative in enumerate(alternatives):
        parts = meets(space.all_of(one.when.cells), space.all_of(alternative.cells))
        boxes = (space.limited(limits) for limits in parts)
        shows = partial(examined.tried.alternative_matches, row, number)
        searched = examined.search([(box, 0) for box in boxes if box is not None], shows)
        name = f"the alternative {number + 1} of the {word} {one.id!r}"
        told = Told(
            f"{name} holds for some facts", f"{name} can never hold", f"it is not known whether {name} can hold"
        )
        yield examined.exists(IMPOSSIBLE, (one.id, str(number + 1)), one.mark, searched, told)


def _shadowed(examined: Examined, row: int) -> Finding:
    one, decided, matched = examined.document.rows[row], examined.decided[row], examined.matched[row]
    if not decided.none:
        doubt = f"it is not known whether the row {one.id!r} decides any facts"
        told = Told(f"the row {one.id!r} decides some facts", "", doubt)
        return examined.exists(SHADOWED, (one.id,), one.mark, decided, told)
    if not matched.found:  # whether there is anything to take is not known
        message = f"the row {one.id!r} decides nothing, and it is not known whether it can match any facts"
        return examined.finding(SHADOWED, (one.id,), NOT_PROVED, message, one.mark, boxes=decided.boxes)
    takers, whole = _takers(examined, row)
    ids = [examined.document.rows[taker].id for taker in takers]
    if examined.document.hit == COLLECT:
        message = f"the row {one.id!r} never answers: wherever it matches, the whole list is declined"
    else:
        more = "" if whole else ", among others"
        message = f"the row {one.id!r} never decides: earlier rows take all that it matches ({named(ids)}{more})"
    return examined.finding(
        SHADOWED, (one.id, *ids), REFUTED, message, one.mark, facts=matched.facts, boxes=decided.boxes
    )


def _takers(examined: Examined, row: int) -> tuple[list[int], bool]:
    """Earlier rows that decide what a row matches, that of the witness first; and whether these are all of them."""
    tried, prepared = examined.tried, examined.prepared
    facts = examined.matched[row].facts
    assert facts is not None
    if examined.document.hit == COLLECT:
        refusing = [hit for hit in tried.matching(facts) if isinstance(tried.answer(hit, facts), str)]
        return refusing[:MAX_NAMED], False
    first = tried.first(facts)
    assert first is not None
    found, whole, looked = [first], True, 0
    boxes = list(examined.boxes(row))
    meeting = 0
    for box in boxes:
        meeting |= prepared.index.meeting(box, examined.before(row))[0]
    for other in dict.fromkeys(prepared.owners[number] for number in bits(meeting)):
        if other == first or examined.decided[other].none:
            continue
        looked += 1
        if len(found) == MAX_NAMED or looked > MAX_LOOKED:
            return found, False
        searched = examined.search(_shared(examined, boxes, other), partial(_takes, examined, other, row))
        if searched.found:
            found.append(other)
        whole = whole and not searched.open
    return found, whole


def _shared(examined: Examined, boxes: list[tuple[int, ...]], other: int) -> Iterator[tuple[tuple[int, ...], int]]:
    index = examined.prepared.index
    for number in examined.prepared.parts[other]:
        for box in boxes:
            both = examined.prepared.space.limited(index.boxes[number], box)
            if both is not None:
                yield both, examined.before(other)


def _takes(examined: Examined, other: int, row: int, facts: Facts) -> bool:
    return examined.tried.first(facts) == other and examined.tried.matches(row, facts)


def _declines(examined: Examined, row: int) -> Finding:
    """That a row refuses to decide is no fault; it is good to know for which facts."""
    one, decided = examined.document.rows[row], examined.decided[row]
    told = Told(
        f"the row {one.id!r}, which declines ({one.error}), never decides",
        f"the row {one.id!r} declines to decide ({one.error})",
        f"it is not known whether the row {one.id!r} ever declines ({one.error})",
    )
    return examined.absent(DECLINES, (one.id,), one.mark, decided._replace(boxes=0), told)
