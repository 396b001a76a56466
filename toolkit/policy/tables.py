"""A table and its decisions: facts are checked once at the edge, cells are closures made once, outputs are shared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NoReturn

from toolkit.policy.conditions import Condition
from toolkit.policy.declarations import Let
from toolkit.policy.documents import Head
from toolkit.policy.patterns import LineTooLong
from toolkit.policy.problems import Mark, PolicyError, Undecided, did_you_mean
from toolkit.policy.types import Input, ListType, RecordType, Value, freeze

UNIQUE, FIRST, COLLECT = HITS = ("unique", "first", "collect")

Values = Mapping[str, Any]
Matches = Callable[[Values], bool]


@dataclass(frozen=True, slots=True)
class Reference:
    """An output that takes the value of an input, a field or a let."""

    name: str


Produced = Value | Reference | tuple["Produced", ...]


@dataclass(frozen=True, slots=True)
class When:
    """The cells of a row; every one holds, and one of ``any_of`` where there are alternatives."""

    cells: tuple[tuple[str, Condition], ...] = ()
    any_of: tuple[When, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """One row: ``error`` is set exactly where the row declines to decide."""

    id: str
    when: When
    then: Mapping[str, Produced]
    error: str | None
    source: str
    layer: str
    mark: Mark


@dataclass(frozen=True, slots=True)
class Invariant:
    """Outputs that are reachable only where each named fact holds."""

    when_output: Mapping[str, tuple[Value, ...]]
    inputs: tuple[tuple[str, Condition], ...]


@dataclass(frozen=True, slots=True)
class TableDocument:
    """A table as read and checked; ``Table`` is the same, ready to decide."""

    head: Head
    hit: str
    inputs: Mapping[str, Input]
    each: str | None
    lets: tuple[Let, ...]
    outputs: Mapping[str, Input]
    stronger: Mapping[str, tuple[object, ...]]
    rows: tuple[Row, ...]
    require: tuple[Invariant, ...]
    order_note: str
    references: frozenset[str] = field(default_factory=frozenset)

    @property
    def lists(self) -> bool:
        """Whether one question has a list of answers."""
        return self.hit == COLLECT or self.each is not None

    @property
    def item_fields(self) -> Mapping[str, Input]:
        """The fields of an ``each`` table's records; empty for the rest."""
        kind = self.inputs[self.each].type if self.each else None
        if isinstance(kind, ListType) and isinstance(kind.items, RecordType):
            return kind.items.fields
        return {}


@dataclass(frozen=True, slots=True)
class Decision:
    """What a table answered: its outputs (immutable), the row that said so, and the index of an ``each`` item."""

    outputs: Mapping[str, Value]
    row: str
    item: int | None = None


class Table:
    """A compiled table. Made once for a set; ``decide`` may be called from anywhere, any number of times."""

    def __init__(self, document: TableDocument) -> None:
        self.document = document
        self._inputs = tuple(document.inputs.items())
        self._lets = tuple((let.name, tuple(let.term.names), let.term.evaluate, let.optional) for let in document.lets)
        self._matchers = tuple(compile_when(row.when) for row in document.rows)
        self._emitters = tuple(_emitter(document, row) for row in document.rows)
        self._require = tuple(
            (invariant.when_output, tuple((name, condition.compile()) for name, condition in invariant.inputs))
            for invariant in document.require
        )

    def decide(self, /, **facts: object) -> Decision:
        """The one decision for these facts.

        Raises ``PolicyError`` (exit 2) for a missing, unknown or ill-typed fact, ``Undecided`` (exit 3) where the
        table declines, no row or several rows match, or an invariant would be broken.
        """
        if self.document.lists:
            raise PolicyError("many_answers", f"{self.document.head.id} answers with a list: use decide_all")
        return self._one(self._prepare(self._checked(facts)), None)

    def decide_all(self, /, **facts: object) -> tuple[Decision, ...]:
        """Every decision of a ``collect`` or ``each`` table, in order (of items, then of rows); a single one else."""
        values = self._checked(facts)
        each = self.document.each
        if each is None:
            return self._answers(self._prepare(values), None)
        items: Sequence[Mapping[str, object]] = values.pop(each)
        answers: list[Decision] = []
        for index, item in enumerate(items):
            answers.extend(self._answers(self._prepare({**values, **item}), index))
        return tuple(answers)

    def values_of(self, facts: Mapping[str, object], item: int | None = None) -> dict[str, Any]:
        """Checked facts with the lets computed: what the cells see (for one item of an ``each`` table)."""
        values = self._checked(dict(facts))
        if self.document.each is not None:
            items = values.pop(self.document.each)
            values.update(items[item or 0])
        return self._prepare(values)

    def _answers(self, values: Values, item: int | None) -> tuple[Decision, ...]:
        if self.document.hit != COLLECT:
            return (self._one(values, item),)
        return tuple(self._emit(index, values, item) for index in self._matching(values))

    def _one(self, values: Values, item: int | None) -> Decision:
        hits = self._matching(values)
        if len(hits) != 1:
            self._no_single_row(hits)
        return self._emit(hits[0], values, item)

    def _matching(self, values: Values) -> list[int]:
        first_only = self.document.hit == FIRST
        hits = []
        try:
            for index, matches in enumerate(self._matchers):
                if matches(values):
                    hits.append(index)
                    if first_only:
                        break
        except LineTooLong:
            message = f"{self.document.head.id}: a line of a fact is longer than 64 KiB, so no pattern was tried"
            raise PolicyError("line_too_long", message) from None
        return hits

    def _emit(self, index: int, values: Values, item: int | None) -> Decision:
        decision = self._emitters[index](values, item)
        if self._require:
            self._hold_invariants(decision, values)
        return decision

    def _hold_invariants(self, decision: Decision, values: Values) -> None:
        for when_output, tests in self._require:
            if all(decision.outputs[name] in allowed for name, allowed in when_output.items()):
                for name, holds in tests:
                    if not holds(values[name]):
                        message = f"row {decision.row!r} answers {dict(decision.outputs)} although {name} forbids it"
                        self._undecided("invariant_broken", message)

    def _no_single_row(self, hits: list[int]) -> NoReturn:
        if not hits:
            self._undecided("no_row", "no row matches these facts")
        named = ", ".join(self.document.rows[index].id for index in hits)
        self._undecided("several_rows", f"several rows match these facts: {named}")

    def _undecided(self, code: str, message: str) -> NoReturn:
        raise Undecided(
            code,
            f"{self.document.head.id}: {message}",
            place=str(self.document.head.mark),
            next_step=f"dr-policy explain {self.document.head.id} --facts ...",
        )

    def _checked(self, facts: dict[str, Any]) -> dict[str, Any]:
        for name, declared in self._inputs:
            if name not in facts or not declared.accepts(facts[name]):
                self._refuse(facts)
        if len(facts) != len(self._inputs):
            self._refuse(facts)
        return facts

    def _prepare(self, values: dict[str, Any]) -> dict[str, Any]:
        for name, used, evaluate, optional in self._lets:
            absent = optional and any(values[other] is None for other in used)
            values[name] = None if absent else evaluate(values)
        return values

    def _refuse(self, facts: Mapping[str, object]) -> NoReturn:
        """Name every fact that is missing, unknown or of the wrong type."""
        told: list[tuple[str, str]] = []
        for name, declared in self._inputs:
            if name not in facts:
                told.append(("fact_missing", f"the fact {name!r} is missing ({declared.describe()})"))
            elif not declared.accepts(facts[name]):
                told.append(("fact_invalid", f"the fact {name!r} is {_shown(facts[name])}, not {declared.describe()}"))
        for name in sorted(set(facts) - set(self.document.inputs)):
            hint = did_you_mean(name, self.document.inputs)
            told.append(("fact_unknown", f"there is no fact {name[:100]!r}" + (f" ({hint})" if hint else "")))
        message = "; ".join(text for _code, text in told)
        raise PolicyError(
            told[0][0], f"{self.document.head.id}: {message}", next_step=f"dr-policy show {self.document.head.id}"
        )


def compile_when(when: When) -> Matches:
    """One closure for the whole of a row's conditions."""
    tests = tuple((name, condition.compile()) for name, condition in when.cells)
    alternatives = tuple(compile_when(other) for other in when.any_of)

    def matches(values: Values) -> bool:
        for name, holds in tests:
            if not holds(values[name]):
                return False
        return not alternatives or any(alternative(values) for alternative in alternatives)

    return matches


def _emitter(document: TableDocument, row: Row) -> Callable[[Values, int | None], Decision]:
    if row.error is not None:
        return _refusal(document, row, row.error)
    if not any(map(_has_reference, row.then.values())):
        outputs: Mapping[str, Value] = MappingProxyType(dict(row.then))  # type: ignore[arg-type]
        shared = Decision(outputs, row.id)
        return lambda _values, item: shared if item is None else Decision(outputs, row.id, item)

    def emit(values: Values, item: int | None) -> Decision:
        built = {name: _produce(produced, values) for name, produced in row.then.items()}
        for name, value in built.items():
            if not document.outputs[name].accepts(value):
                message = f"{document.head.id}: {name} would be {value}, not {document.outputs[name].describe()}"
                raise Undecided("output_out_of_range", message, place=str(row.mark))
        return Decision(MappingProxyType(built), row.id, item)

    return emit


def _refusal(document: TableDocument, row: Row, code: str) -> Callable[[Values, int | None], Decision]:
    def refuse(_values: Values, _item: int | None) -> Decision:
        raise Undecided(
            code,
            f"{document.head.id} declines to decide: row {row.id!r}",
            place=str(row.mark),
            next_step=f"dr-policy explain {document.head.id} --facts ...",
        )

    return refuse


def _has_reference(produced: Produced) -> bool:
    if isinstance(produced, tuple):
        return any(map(_has_reference, produced))
    return isinstance(produced, Reference)


def _produce(produced: Produced, values: Values) -> Value:
    if isinstance(produced, tuple):
        return tuple(_produce(part, values) for part in produced)
    return freeze(values[produced.name]) if isinstance(produced, Reference) else produced


def _shown(value: object) -> str:
    """A fact in a message: short, whatever it is."""
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
