"""Where null goes: which rows decide when an optional input is null."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from toolkit.authoring.analysis.examined import Examined
from toolkit.authoring.analysis.findings import MAX_TOLD, NULL, Finding, named
from toolkit.authoring.analysis.tried import Facts
from toolkit.policy.deciding.columns import Column, bits
from toolkit.policy.proofs import NOT_PROVED, PROVED, REFUTED
from toolkit.policy.proofs.lists import ListColumn
from toolkit.policy.types import Input


def null_findings(examined: Examined, inputs: Mapping[str, Input], word: str = "row") -> Iterator[Finding]:
    """One finding for each of ``inputs`` (and each field) that may be null and that does not merely inform."""
    for one in (*inputs.values(), *examined.document.item_fields.values()):
        if one.optional and not one.informs:
            yield _null(examined, one, word) if one.name in examined.prepared.space.places else _unasked(examined, one)


def _unasked(examined: Examined, declared: Input) -> Finding:
    """Of what no row asks any decision is an example."""
    found = (one.facts for one in examined.decided.values() if one.facts is not None)
    facts = next((one for one in found if _is_null(examined, declared.name, one)), None)
    message = f"nothing asks whether {declared.name} is null: it makes no difference"
    return examined.finding(NULL, (declared.name,), PROVED, message, declared.mark, facts=facts)


def _null(examined: Examined, declared: Input, word: str) -> Finding:
    name = declared.name
    found: dict[str, Facts] = {}
    whys: list[str] = []
    boxes = 0
    rows = _possible(examined, name)
    for row in rows[:MAX_TOLD]:
        others = examined.others(row)
        regions = ((box, others) for box in _nulls(examined, name, row))
        searched = examined.search(regions, partial(_decides_null, examined, name, row))
        boxes += searched.boxes
        if searched.facts is not None:
            found[examined.document.rows[row].id] = searched.facts
        elif searched.open:
            whys.append(searched.why)
    more = len(rows) - MAX_TOLD
    perhaps = ", and perhaps others" if more > 0 or whys else ""
    subject = (name, *found)
    verb = "decide" if word == "row" else "answer"
    status = PROVED if found else NOT_PROVED if perhaps else REFUTED
    message = {
        PROVED: f"where {name} is null, what {verb}s is {named(found)}{perhaps}",
        REFUTED: f"where {name} is null, no {word} ever {verb}s",
    }.get(status, f"it is not known whether any {word} {verb}s where {name} is null{whys[0] if whys else ''}")
    facts = next(iter(found.values()), None)
    return examined.finding(NULL, subject, status, message, declared.mark, facts=facts, boxes=boxes)


def _possible(examined: Examined, name: str) -> list[int]:
    """The rows whose boxes reach null."""
    prepared = examined.prepared
    place = prepared.space.places[name]
    meeting, _ = prepared.index.met(place, _mask(examined, name))
    return list(dict.fromkeys(prepared.owners[number] for number in bits(meeting) if number < len(prepared.owners)))


def _nulls(examined: Examined, name: str, row: int) -> Iterator[tuple[int, ...]]:
    limits = {examined.prepared.space.places[name]: _mask(examined, name)}
    for box in examined.boxes(row):
        part = examined.prepared.space.limited(limits, box)
        if part is not None:
            yield part


def _mask(examined: Examined, name: str) -> int:
    dimension = examined.prepared.space.dimensions[examined.prepared.space.places[name]]
    assert isinstance(dimension, (Column, ListColumn))
    assert dimension.null is not None
    return 1 << dimension.null


def _decides_null(examined: Examined, name: str, row: int, facts: Facts) -> bool:
    return _is_null(examined, name, facts) and examined.tried.decides(row, facts)


def _is_null(examined: Examined, name: str, facts: Facts) -> bool:
    values = examined.tried.values(facts)
    return values is not None and values[name] is None
