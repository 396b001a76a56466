"""A table and its decisions: facts are checked once at the edge, cells are closures made once, outputs are shared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NoReturn

from toolkit.policy.conditions import Condition, Holds, uses_patterns
from toolkit.policy.patterns import has_long_line
from toolkit.policy.problems import Mark, PolicyError, Undecided, clipped, did_you_mean, shown
from toolkit.policy.rules import COLLECT, FIRST, Produced, Reference, Row, TableDocument, When
from toolkit.policy.types import Value, freeze

MAX_TOLD = 20  # faults of one set of facts that a message names

Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Decision:
    """What a table answered: its outputs (immutable), the row that said so, and the index of an ``each`` item."""

    outputs: Mapping[str, Value]
    row: str
    item: int | None = None


@dataclass(frozen=True, slots=True)
class CompiledWhen:
    """A row's conditions, each with its closure; ``matches`` asks them all, the patterns last."""

    cells: tuple[tuple[str, Condition, Holds], ...]
    any_of: tuple[CompiledWhen, ...]
    matches: Callable[[Values], bool]


class Table:
    """A compiled table. Made once for a set; ``decide`` may be called from anywhere, any number of times."""

    def __init__(self, document: TableDocument) -> None:
        self.document = document
        self.whens = tuple(_compile(row.when) for row in document.rows)
        self._inputs = tuple(document.inputs.items())
        self._lets = tuple((let.name, tuple(let.term.names), let.term.evaluate, let.optional) for let in document.lets)
        self._matchers = tuple(when.matches for when in self.whens)
        self._lined = tuple(sorted(_lined(document)))
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
        return self._one(self._prepared(self._checked(facts)), None)

    def decide_all(self, /, **facts: object) -> tuple[Decision, ...]:
        """Every decision of a ``collect`` or ``each`` table, in order (of items, then of rows); a single one else."""
        return tuple(one for item, values in self.questions(facts) for one in self.answers(values, item))

    def questions(self, facts: Mapping[str, object]) -> Iterator[tuple[int | None, Values]]:
        """Checked facts with the lets computed, as the cells see them: once, or for each item with its index."""
        values = self._checked(dict(facts))
        each = self.document.each
        if each is None:
            yield None, self._prepared(values)
            return
        for index, item in enumerate(values.pop(each)):
            yield index, self._prepared({**values, **item})

    def answers(self, values: Values, item: int | None) -> tuple[Decision, ...]:
        """The decisions for one of the ``questions``. Raises ``Undecided``, as ``decide`` does."""
        if self.document.hit != COLLECT:
            return (self._one(values, item),)
        return tuple(self._emit(index, values, item) for index in self._matching(values))

    def _one(self, values: Values, item: int | None) -> Decision:
        hits = self._matching(values)
        if len(hits) != 1:
            self._no_single_row(hits)
        return self._emit(hits[0], values, item)

    def _matching(self, values: Values) -> list[int]:
        hits = []
        for index, matches in enumerate(self._matchers):
            if matches(values):
                hits.append(index)
                if self.document.hit == FIRST:
                    break
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
                        named = ", ".join(f"{output} {shown(decision.outputs[output])}" for output in when_output)
                        message = f"row {decision.row!r} answers {named} although {name} forbids it"
                        self._undecided("invariant_broken", message)

    def _no_single_row(self, hits: list[int]) -> NoReturn:
        if not hits:
            self._undecided("no_row", "no row matches these facts")
        named = ", ".join(self.document.rows[index].id for index in hits)
        self._undecided("several_rows", f"several rows match these facts: {named}")

    def _undecided(self, code: str, message: str) -> NoReturn:
        raise _undecided(self.document, self.document.head.mark, code, message)

    def _checked(self, facts: dict[str, Any]) -> dict[str, Any]:
        for name, declared in self._inputs:
            if name not in facts or not declared.accepts(facts[name]):
                self._refuse(facts)
        if len(facts) != len(self._inputs):
            self._refuse(facts)
        return facts

    def _prepared(self, values: dict[str, Any]) -> dict[str, Any]:
        for name in self._lined:
            value = values[name]
            if any(map(has_long_line, value if isinstance(value, (list, tuple)) else (value or "",))):
                message = f"a line of the fact {name!r} is over 64 KiB, so no pattern was tried"
                step = f"dr-policy show {self.document.head.id}"
                raise PolicyError("line_too_long", f"{self.document.head.id}: {message}", next_step=step)
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
                told.append(("fact_invalid", f"the fact {name!r} is {shown(facts[name])}, not {declared.describe()}"))
        unknown = [name for name in facts if name not in self.document.inputs]
        for name in sorted(unknown)[:MAX_TOLD]:
            hint = did_you_mean(name, self.document.inputs)
            told.append(("fact_unknown", f"there is no fact {shown(name)}" + (f" ({hint})" if hint else "")))
        more = max(len(told) - MAX_TOLD, 0) + max(len(unknown) - MAX_TOLD, 0)
        message = "; ".join(clipped(text) for _code, text in told[:MAX_TOLD]) + (f"; and {more} more" if more else "")
        raise PolicyError(
            told[0][0], f"{self.document.head.id}: {message}", next_step=f"dr-policy show {self.document.head.id}"
        )


def _compile(when: When) -> CompiledWhen:
    cells = tuple((name, condition, condition.compile()) for name, condition in when.cells)
    any_of = tuple(map(_compile, when.any_of))
    tests = tuple((name, holds) for name, _, holds in sorted(cells, key=lambda cell: uses_patterns(cell[1])))
    alternatives = tuple(other.matches for other in any_of)

    def matches(values: Values) -> bool:
        for name, holds in tests:
            if not holds(values[name]):
                return False
        return not alternatives or any(alternative(values) for alternative in alternatives)

    return CompiledWhen(cells, any_of, matches)


def _lined(document: TableDocument) -> set[str]:
    """The names whose lines a pattern is asked of, anywhere in the table."""
    whens = [part for row in document.rows for part in (row.when, *row.when.any_of)]
    cells = [cell for when in whens for cell in when.cells] + [cell for one in document.require for cell in one.inputs]
    return {name for name, condition in cells if uses_patterns(condition, ("matches",))}


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
                message = f"{name} would be {shown(value)}, not {document.outputs[name].describe()}"
                raise _undecided(document, row.mark, "output_out_of_range", message)
        return Decision(MappingProxyType(built), row.id, item)

    return emit


def _refusal(document: TableDocument, row: Row, code: str) -> Callable[[Values, int | None], Decision]:
    def refuse(_values: Values, _item: int | None) -> Decision:
        raise _undecided(document, row.mark, code, f"row {row.id!r} declines to decide")

    return refuse


def _undecided(document: TableDocument, mark: Mark, code: str, message: str) -> Undecided:
    """There is no answer: exit 3, and how to see why."""
    step = f"dr-policy explain {document.head.id} --facts ..."
    return Undecided(code, clipped(f"{document.head.id}: {message}"), place=str(mark), next_step=step)


def _has_reference(produced: Produced) -> bool:
    if isinstance(produced, tuple):
        return any(map(_has_reference, produced))
    return isinstance(produced, Reference)


def _produce(produced: Produced, values: Values) -> Value:
    if isinstance(produced, tuple):
        return tuple(_produce(part, values) for part in produced)
    return freeze(values[produced.name]) if isinstance(produced, Reference) else produced
