"""The order of the rows of a ``first`` table: where it makes a difference, and which rows make none."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from toolkit.authoring.analysis.examined import Examined, Region, Told
from toolkit.authoring.analysis.findings import ORDER, REDUNDANT, Finding, named
from toolkit.authoring.analysis.tried import Facts
from toolkit.policy.deciding.columns import bits
from toolkit.policy.language.rules import Produced, Row
from toolkit.policy.proofs import NOT_PROVED, PROVED, REFUTED
from toolkit.policy.proofs.mentions import references_in
from toolkit.policy.proofs.space import Limits
from toolkit.policy.proofs.strength import where_not

MAX_PAIRS: Final = 5000  # that are looked at in one table
MAX_HEIRS: Final = 50  # rows below one of which it is asked whether they would answer otherwise in its place
MAX_DIFFERING: Final = 500  # that are told of one table


def order_findings(examined: Examined) -> Iterator[Finding]:
    """Each two rows whose order makes a difference; one finding about the whole table where no two do."""
    looked = differing = unknown = 0
    answers = _Answers(examined)
    for row in range(len(examined.document.rows)):
        if examined.is_spent:
            yield _more(examined, row)
            return
        if examined.decided[row].none:
            continue  # where it stands makes no difference to anything below
        for other in _rows(examined, _below(examined, row) & ~answers.same(row)):
            if differing == MAX_DIFFERING or looked == MAX_PAIRS:
                yield _more(examined, row)
                return
            looked += 1
            finding = _pair(examined, answers, row, other)
            differing += finding.status == REFUTED
            unknown += finding.status == NOT_PROVED
            if finding.status != PROVED:
                yield finding
    if not differing and not unknown:
        yield _means_nothing(examined)


def _below(examined: Examined, row: int) -> int:
    """The boxes of the rows below that meet a row."""
    meeting = 0
    for box in examined.boxes(row):
        meeting |= examined.meeting(box, examined.after(row))[0]
    return meeting


def _rows(examined: Examined, boxes: int) -> list[int]:
    """The rows of some boxes, in order."""
    owners = examined.prepared.owners
    return list(dict.fromkeys(owners[number] for number in bits(boxes)))


def _pair(examined: Examined, answers: _Answers, row: int, other: int) -> Finding:
    one, another = (examined.document.rows[place].id for place in (row, other))

    def shows(facts: Facts) -> bool:
        return (
            examined.tried.matches(other, facts)
            and examined.tried.first(facts) == row
            and examined.tried.answer(row, facts) != examined.tried.answer(other, facts)
        )

    searched = examined.search(answers.apart(row, other, examined.before(row)), shows)
    told = Told(
        f"it makes no difference which of {one!r} and {another!r} stands first",
        f"{one!r} has to stand before {another!r}: both match some facts and answer differently",
        f"it is not known whether {one!r} has to stand before {another!r}",
    )
    return examined.absent(ORDER, (one, another), examined.document.rows[row].mark, searched, told)


def _more(examined: Examined, row: int) -> Finding:
    rows = examined.document.rows
    message = f"of {len(rows) - row} more rows, from {rows[row].id!r} on, it is not told where their order matters"
    return examined.finding(ORDER, (), NOT_PROVED, message, examined.document.head.mark)


def _means_nothing(examined: Examined) -> Finding:
    name = examined.document.head.id
    message = f"the order of the rows of {name} means nothing: rows that match the same facts answer the same"
    if not examined.prepared.space.predicates and _are_apart(examined):  # patterns have no place in a unique table
        message = f"the order of the rows of {name} means nothing: no two match the same facts, so it could be unique"
    return examined.finding(ORDER, (), PROVED, message, examined.document.head.mark)


def _are_apart(examined: Examined) -> bool:
    """Whether it is sure that no two rows match the same facts."""
    tried, prepared = examined.tried, examined.prepared
    looked = 0
    for row in range(len(examined.document.rows)):
        for other in _rows(examined, _below(examined, row)):
            looked += 1

            def shows(facts: Facts, row: int = row, other: int = other) -> bool:
                return tried.matches(row, facts) and tried.matches(other, facts)

            parts = [prepared.index.boxes[number] for number in prepared.parts[other]]
            boxes = (prepared.space.limited(limits, box) for box in examined.boxes(row) for limits in parts)
            searched = examined.search([(box, 0) for box in boxes if box is not None], shows)
            if not searched.none or looked == MAX_PAIRS:
                return False
    return True


def redundant_findings(examined: Examined) -> Iterator[Finding]:
    """Of each row that decides something: whether the rows below would decide all of it the same."""
    answers = _Answers(examined)
    for row, one in enumerate(examined.document.rows):
        facts = examined.decided[row].facts
        if facts is not None:
            yield _redundant(examined, answers, row, one, facts)


def _redundant(examined: Examined, answers: _Answers, row: int, one: Row, facts: Facts) -> Finding:
    def shows(tried: Facts) -> bool:
        hits = list(islice(examined.tried.matching(tried), 2))
        if hits[:1] != [row]:
            return False
        told = [examined.tried.answer(hit, tried) for hit in hits]
        return len(told) < 2 or told[0] != told[1]

    mark = one.mark
    needed = f"without the row {one.id!r} something would be decided otherwise"
    if shows(facts):
        return examined.finding(REDUNDANT, (one.id,), PROVED, needed, mark, facts=facts)
    others = [] if examined.is_spent else _heirs(examined, answers, row)
    searched = examined.search(_without(examined, answers, row, others[:MAX_HEIRS]), shows)
    if searched.none and len(others) > MAX_HEIRS:
        searched = searched._replace(none=False, why=": too many rows below may answer otherwise")
    if searched.none:
        heirs = [examined.document.rows[hit].id for hit in islice(examined.tried.matching(facts), 1, 2)]
        message = f"without the row {one.id!r} everything would be decided the same (for instance by {named(heirs)})"
        told = Told("", message, "")
        return examined.exists(REDUNDANT, (one.id,), mark, searched, told)
    told = Told(needed, "", f"it is not known whether anything would be decided otherwise without the row {one.id!r}")
    return examined.exists(REDUNDANT, (one.id,), mark, searched, told)


def _heirs(examined: Examined, answers: _Answers, row: int) -> list[int]:
    """The rows below that may decide otherwise what a row decides: none below one that matches all of it."""
    heirs = 0
    for box in examined.boxes(row):
        meeting, containing = examined.meeting(box, examined.after(row))
        heirs |= meeting & (((containing & -containing) << 1) - 1) if containing else meeting
    return _rows(examined, heirs & ~answers.same(row))


def _without(examined: Examined, answers: _Answers, row: int, others: list[int]) -> Iterator[Region]:
    """Where a row decides and nothing below would, then where the next one to decide answers differently."""
    for box in examined.boxes(row):
        yield box, examined.before(row) | examined.after(row)
    for other in others:
        between = examined.before(other) & ~examined.prepared.boxes_of((row,))
        yield from answers.apart(row, other, between)


class _Answers:
    """Which rows answer the same whatever the facts, and where two that don't differ."""

    def __init__(self, examined: Examined) -> None:
        self.examined = examined
        self._keys = [_key(row) for row in examined.document.rows]
        self._same: dict[str, int] = {}
        parts = examined.prepared.parts
        for key, part in zip(self._keys, parts, strict=True):
            self._same[key] = self._same.get(key, 0) | (1 << part.stop) - (1 << part.start)

    def same(self, row: int) -> int:
        """The boxes of the rows that answer as this one does."""
        return self._same[self._keys[row]]

    def apart(self, row: int, other: int, outside: int) -> Iterator[Region]:
        """Where two rows match and answer differently, as far as that is seen; ``outside`` some boxes."""
        index, space = self.examined.prepared.index, self.examined.prepared.space
        differing = self._differing(row, other)
        for box in self.examined.boxes(row):
            for number in self.examined.prepared.parts[other]:
                both = space.limited(index.boxes[number], box)
                for limits in differing if both is not None else ():
                    part = space.limited(limits, both)
                    if part is not None:
                        yield part, outside

    def _differing(self, row: int, other: int) -> list[Limits]:
        one, another = (self.examined.document.rows[place] for place in (row, other))
        if one.error is not None or another.error is not None:
            return [{}]
        space = self.examined.prepared.space
        found = [part for name in one.then for part in where_not(_same, space, one.then[name], another.then[name])]
        return [{}] if {} in found else found


def _key(row: Row) -> str:
    return repr((row.error, sorted(row.then.items())))


def _same(value: Produced, least: Produced) -> bool:
    return value == least and type(value) is type(least)


def refers(row: Row) -> bool:
    """Whether a row answers with the value of a name."""
    return any(any(references_in(produced)) for produced in row.then.values())
