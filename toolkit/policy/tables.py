"""A table and its decisions: facts are checked once at the edge, rows are narrowed down, outputs are shared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from toolkit.policy.deciding.answering import Decision, emitter, shared_decision, undecided
from toolkit.policy.deciding.columns import cells_of
from toolkit.policy.deciding.matching import Values, compile_when
from toolkit.policy.language.conditions import uses_patterns
from toolkit.policy.language.patterns import has_long_line
from toolkit.policy.language.rules import COLLECT, FIRST, TableDocument
from toolkit.policy.problems import PolicyError, clipped, did_you_mean, shown

if TYPE_CHECKING:
    from toolkit.policy.deciding.narrowing import Narrowing

__all__ = ["Decision", "Table"]

MAX_TOLD = 20  # faults of one set of facts that a message names
PLAIN_QUESTIONS = 24  # that are answered row by row: getting ready for many costs more than they do


class Table:
    """A compiled table. Made once for a set; ``decide`` may be called from anywhere, any number of times.

    ``proved`` says that loading proved the table's invariants, so that no decision need be held against them.
    """

    def __init__(self, document: TableDocument, *, proved: bool = False) -> None:
        self.document = document
        self.whens = tuple(compile_when(row.when) for row in document.rows)
        self._inputs = tuple(document.inputs.items())
        self._lets = tuple((let.name, tuple(let.term.names), let.term.evaluate, let.optional) for let in document.lets)
        self._matchers = tuple(when.matches for when in self.whens)
        self._lined = tuple(sorted(_lined(document)))
        self._shared = tuple(shared_decision(row) for row in document.rows)
        self._emitters = tuple(
            emitter(document, row, shared) for row, shared in zip(document.rows, self._shared, strict=True)
        )
        self._require = tuple(
            (invariant.when_output, tuple((name, condition.compile()) for name, condition in invariant.inputs))
            for invariant in (() if proved else document.require)
        )
        self._plain_left = PLAIN_QUESTIONS
        self.narrowing: Narrowing | None = None  # made when the table gets ready
        self._at_once: Callable[[dict[str, Any]], Decision] = _not_ready

    def decide(self, facts: Mapping[str, object] | None = None, /, **named: object) -> Decision:
        """The one decision for these facts, given as one mapping or by name.

        Raises ``PolicyError`` (exit 2) for a missing, unknown or ill-typed fact, ``Undecided`` (exit 3) where the
        table declines, no row or several rows match, or an invariant would be broken.
        """
        if named or type(facts) is not dict:
            facts = self._given(facts, named)
        try:
            return self._at_once(facts)
        except LookupError:
            pass  # whatever is out of the ordinary is decided, or refused by its name, row by row
        return self._row_by_row(facts)

    def decide_all(self, facts: Mapping[str, object] | None = None, /, **named: object) -> tuple[Decision, ...]:
        """Every decision of a ``collect`` or ``each`` table, in order (of items, then of rows); a single one else."""
        given = self._given(facts, named)
        if not self.document.lists:
            return (self.decide(given),)
        return tuple(one for item, values in self.questions(given) for one in self.answers(values, item))

    def get_ready(self) -> None:
        """Prepare for many questions. A table that is asked often does so by itself."""
        if self.narrowing is not None:
            return
        from toolkit.policy.deciding.at_once import decide_at_once
        from toolkit.policy.deciding.narrowing import narrowing

        ready = self.narrowing = narrowing(self.document, self.whens, self._lined)
        if not self.document.lists and not self._require:
            whole = ready.whole
            fast = decide_at_once(whole.axes, lambda cell: self._settled(whole.rows[cell])) if whole else None
            self._at_once = fast or self._by_narrowing

    def _by_narrowing(self, facts: dict[str, Any]) -> Decision:
        """The decision that the places of these facts settle. Raises ``LookupError`` where they don't."""
        ready = self.narrowing
        assert ready is not None
        rows = ready.of_facts(facts) if len(facts) == len(self._inputs) else 0
        decision = self._settled(rows & ready.of_lets(self._computed(dict(facts))) if rows and ready.lets else rows)
        if decision is None or any(_is_too_long(facts[name]) for name in self._lined):
            raise LookupError
        return decision

    def _settled(self, rows: int) -> Decision | None:
        """The decision that follows from these rows being left; null where one of them has still to be asked."""
        assert self.narrowing is not None
        first = rows & -rows
        alone = first == rows or self.document.hit == FIRST
        return self._shared[first.bit_length() - 1] if alone and first & self.narrowing.sure else None

    def questions(self, facts: Mapping[str, object]) -> Iterator[tuple[int | None, Values]]:
        """Checked facts with the lets computed, as the cells see them: once, or for each item with its index."""
        values = self._checked(dict(facts))
        self._count_question()
        each = self.document.each
        if each is None:
            yield None, self._prepared(values)
            return
        # All of them first: what is wrong with one is told whatever is decided of another.
        yield from enumerate([self._prepared({**values, **item}) for item in values.pop(each)])

    def answers(self, values: Values, item: int | None) -> tuple[Decision, ...]:
        """The decisions for one of the ``questions``. Raises ``Undecided``, as ``decide`` does."""
        if self.document.hit != COLLECT:
            return (self._one(values, item),)
        return tuple(self._emit(index, values, item) for index in self._matching(values))

    def _row_by_row(self, facts: dict[str, Any]) -> Decision:
        if self.document.lists:
            raise self._bad_fact("many_answers", "the answer is a list: use decide_all")
        ((_, values),) = self.questions(facts)
        return self._one(values, None)

    def _count_question(self) -> None:
        if self.narrowing is None:
            self._plain_left -= 1
            if self._plain_left < 0:
                self.get_ready()

    def _one(self, values: Values, item: int | None) -> Decision:
        hits = self._matching(values)
        if len(hits) != 1:
            self._no_single_row(hits)
        return self._emit(hits[0], values, item)

    def _matching(self, values: Values) -> list[int]:
        ready = self.narrowing
        rows = range(len(self._matchers)) if ready is None else ready.candidates(values)
        sure = 0 if ready is None else ready.sure
        hits = []
        for index in rows:
            if sure >> index & 1 or self._matchers[index](values):
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
        raise undecided(self.document, self.document.head.mark, code, message)

    def _given(self, facts: object, named: dict[str, Any]) -> dict[str, Any]:
        """The facts as a plain dictionary."""
        if facts is None:
            return named
        if not isinstance(facts, Mapping) or named:
            raise self._bad_fact("facts_invalid", "facts are given as one mapping, or else by name")
        return dict(facts)

    def _checked(self, facts: dict[str, Any]) -> dict[str, Any]:
        for name, declared in self._inputs:
            if name not in facts or not declared.accepts(facts[name]):
                self._refuse(facts)
        if len(facts) != len(self._inputs):
            self._refuse(facts)
        return facts

    def _prepared(self, values: dict[str, Any]) -> dict[str, Any]:
        for name in self._lined:
            if _is_too_long(values[name]):
                message = f"a line of the fact {name!r} is over 64 KiB, so no pattern was tried"
                raise self._bad_fact("line_too_long", message)
        return self._computed(values)

    def _computed(self, values: dict[str, Any]) -> dict[str, Any]:
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
        for name in sorted(unknown, key=str)[:MAX_TOLD]:
            hint = did_you_mean(name, self.document.inputs) if isinstance(name, str) else None
            told.append(("fact_unknown", f"there is no fact {shown(name)}" + (f" ({hint})" if hint else "")))
        more = max(len(told) - MAX_TOLD, 0) + max(len(unknown) - MAX_TOLD, 0)
        message = "; ".join(clipped(text) for _code, text in told[:MAX_TOLD]) + (f"; and {more} more" if more else "")
        raise self._bad_fact(told[0][0], message)

    def _bad_fact(self, code: str, message: str) -> PolicyError:
        """A question that the table can't be asked; the place is that of the table, whose declarations say why."""
        head = self.document.head
        step = f"dr-policy show {head.id}"
        return PolicyError(code, f"{head.id}: {message}", place=str(head.mark), next_step=step)


def _not_ready(_facts: object) -> NoReturn:
    """What a table decides at once before it has got ready: nothing."""
    raise LookupError


def _is_too_long(value: Any) -> bool:
    """Whether a fact holds a line that no pattern is asked of."""
    return any(map(has_long_line, value if isinstance(value, (list, tuple)) else (value or "",)))


def _lined(document: TableDocument) -> set[str]:
    """The names whose lines a pattern is asked of, anywhere in the table."""
    cells = [*cells_of(document), *(cell for one in document.require for cell in one.inputs)]
    return {name for name, condition in cells if uses_patterns(condition, ("matches",))}
