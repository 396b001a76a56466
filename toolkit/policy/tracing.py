"""Explanations as JSON text, put together from parts that are made once for a table.

Whoever explains many decisions asks a ``Tracer``. What it writes is what ``explain`` says, to the letter; to build all
those small mappings and have them written would take several times as long.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from toolkit.policy.deciding.matching import Cell, Values
from toolkit.policy.explaining import FAILED, MATCHED, NOT_TRIED, beginning, failing
from toolkit.policy.language.rules import FIRST, Row
from toolkit.policy.problems import Undecided
from toolkit.policy.tables import Table

Encode = Callable[[object], str]


class Tracer:
    """Explains the decisions of one table, each as a line of JSON with sorted keys, in ASCII.

    Where the cell of the facts tells all that failed, its text is remembered, but for the facts' values.
    """

    def __init__(self, table: Table) -> None:
        table.get_ready()
        ready = table.narrowing
        self._table = table
        self._whole = ready.whole if ready is not None and ready.sure == ready.every else None
        self._encode: Encode = json.JSONEncoder(sort_keys=True).encode
        source = table.document.head.source
        self._rows = [_RowText.of(row, source, self._encode) for row in table.document.rows]
        self._openings: dict[Cell, str] = {}
        self._forms: dict[int, tuple[str, str]] = {}

    def traces(self, facts: Mapping[str, object]) -> tuple[str, ...]:
        """The explanations of these facts, each as ``Explanation.to_json`` has it. Raises as ``explain`` does."""
        return tuple(self._trace(values, item) for item, values in self._table.questions(facts))

    def _trace(self, values: Values, item: int | None) -> str:
        refusal = "null"
        try:
            self._table.answers(values, item)
        except Undecided as fault:
            refusal = self._encode(fault.to_json())
        near, rows = self._told(values)
        lets = {let.name: values[let.name] for let in self._table.document.lets}
        return (
            f'{{"item": {"null" if item is None else item}, "lets": {self._encode(lets) if lets else "{}"},'
            f' "near_misses": [{near}], "refusal": {refusal}, "rows": [{rows}]}}'
        )

    def _told(self, values: Values) -> tuple[str, str]:
        """The ids of the near misses, and the rows."""
        shown = _Shown(values, self._encode)
        cell = None if self._whole is None else self._whole.cell(values)
        if cell is None:
            return self._tried(values, shown)
        if cell not in self._forms:
            near, rows = self._tried(values, _Holes())
            self._forms[cell] = near, _form(rows)
        near, form = self._forms[cell]
        return near, form % shown

    def _tried(self, values: Values, shown: Mapping[str, str]) -> tuple[str, str]:
        rows: list[str] = []
        near_misses: list[str] = []
        won = False
        for row, when in zip(self._rows, self._table.whens, strict=True):
            if won and self._table.document.hit == FIRST:
                rows.append(row.not_tried)
                continue
            cells, near = failing(when, values)
            if not cells:
                won = True
                rows.append(row.matched)
                continue
            if near:
                near_misses.append(row.id)
            failed = [self._opening(cell) + shown[cell.name] for cell in cells]
            rows.append('{"failed": [' + "}, ".join(failed) + row.failed)
        return ", ".join(near_misses), ", ".join(rows)

    def _opening(self, cell: Cell) -> str:
        """The text of a failed cell up to its value."""
        opening = self._openings.get(cell)
        if opening is None:
            words, name = self._encode(cell.words), self._encode(cell.name)
            opening = self._openings[cell] = f'{{"condition": {words}, "name": {name}, "value": '
        return opening


class _RowText(NamedTuple):
    """What is said of a row, whatever the facts: its id, itself where it did not fail, and its end where it did."""

    id: str
    matched: str
    not_tried: str
    failed: str

    @classmethod
    def of(cls, row: Row, source: str, encode: Encode) -> _RowText:
        layer, name, said = encode(row.layer), encode(row.id), encode(row.source or source)
        ends = {
            outcome: f'], "layer": {layer}, "outcome": {encode(outcome)}, "row": {name}, "source": {said}}}'
            for outcome in (MATCHED, NOT_TRIED, FAILED)
        }
        return cls(name, '{"failed": [' + ends[MATCHED], '{"failed": [' + ends[NOT_TRIED], "}" + ends[FAILED])


class _Shown(dict[str, str]):
    """The facts as they are shown, each written once."""

    def __init__(self, values: Values, encode: Encode) -> None:
        super().__init__()
        self._values = values
        self._encode = encode

    def __missing__(self, name: str) -> str:
        value: Any = self._values[name]
        # The encoder takes its time over a lone integer.
        shown = self[name] = repr(value) if type(value) is int else self._encode(beginning(value))
        return shown


class _Holes(dict[str, str]):
    """Where the facts will stand. NUL is no character of JSON."""

    def __missing__(self, name: str) -> str:
        return f"\0{name}\0"


def _form(text: str) -> str:
    """A text with holes as a format, which takes a mapping from names."""
    parts = text.split("\0")
    return "".join(f"%({part})s" if at % 2 else part.replace("%", "%%") for at, part in enumerate(parts))
