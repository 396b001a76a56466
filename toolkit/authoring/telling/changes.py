"""What would have to be different for another answer: one fact at a time, each change asked of the table.

Of numbers, terms and booleans every class of values is tried that the table tells apart, so what is said of them is
exact. Where there are too many, those come first that a row one fact away asks for and those nearest to the fact, and
that some were left is said. A number that an answer or a let takes over is only said to be the one that was asked. Of
texts and lists values are made up that a row one fact away would take: what is said of these is an example. Of a let
it is said what would follow if it were otherwise; whether some facts give that is not asked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from toolkit.authoring.telling.outcomes import Change, Outcome, together
from toolkit.authoring.telling.phrases import missed, unlike, value_text
from toolkit.authoring.telling.possible import MAX_CLASSES, Class, asking_order, classes, made_up
from toolkit.authoring.telling.questions import Question, matching, with_value
from toolkit.policy.deciding.columns import cells_of
from toolkit.policy.deciding.matching import Cell, CompiledWhen
from toolkit.policy.language.conditions import Condition, Not, uses_patterns
from toolkit.policy.language.rules import FIRST, Let, TableDocument
from toolkit.policy.problems import PolicyError
from toolkit.policy.proofs.mentions import references_in
from toolkit.policy.types import Input, IntegerType, ListType, TextType, Type

MAX_ROWS_ASKED: Final = 100_000  # rows that are asked for the changes of one question


@dataclass(frozen=True, slots=True)
class Changes:
    """What was found.

    ``now`` are the rows that have a say as things are. ``kept`` are rows one fact away that no change was found for;
    ``whole`` says that there was room to try every one.
    """

    now: tuple[int, ...]
    found: tuple[Change, ...]
    kept: tuple[str, ...]
    whole: bool


def changes_of(question: Question) -> Changes:
    """Every change of one fact that was found to lead to another row, in order of the facts, then of the values."""
    sweep = _Sweep(question)
    found = list(sweep.changes())
    near = [row for row in question.explanation.rows if row.near]
    reached = {question.document.rows[number].id for change in found for number in change.outcome.rows}
    kept = tuple(row.id for row in near if row.id not in reached and {cell.name for cell in row.failed} & question.own)
    return Changes(sweep.now.rows, tuple(found), kept, not sweep.cut)


class _Sweep:
    """Asks the table with one value changed.

    ``left`` is how many rows may still be asked, ``kept_back`` how many of them are for the facts that come later;
    ``cut`` says that something was not asked for want of room.
    """

    def __init__(self, question: Question) -> None:
        self.question = question
        self.left = MAX_ROWS_ASKED
        self.kept_back = 0
        self.cut = False
        self.now = self.outcome(question.values)
        self.kinds: dict[str, tuple[Type, bool]] = {}
        document = question.document
        declared: Mapping[str, Input] = {**document.inputs, **document.item_fields}
        conditions: dict[str, list[Condition]] = {}
        for name, condition in cells_of(document):
            conditions.setdefault(name, []).append(condition)
        self.conditions = conditions
        for name, one in declared.items():
            self.kinds[name] = one.type, one.optional
        for let in document.lets:
            self.kinds[let.name] = _bounds(question, let), let.optional
        self.names = [name for name in self.kinds if name in conditions and name in question.own]
        # Within a class of its own values, what a let or an answer makes of such a name may differ.
        self.moving = _read_by_lets(document, conditions) | _taken_over(document)

    def changes(self) -> Iterator[Change]:
        """The changes of every fact and let. Each has a share of the room, and what those before it left over."""
        for place, name in enumerate(self.names):
            later = len(self.names) - place - 1
            self.kept_back = self.left * later // (later + 1)
            yield from self._of(name)

    def _of(self, name: str) -> Iterator[Change]:
        """The changes of one fact, or of one let."""
        kind, optional = self.kinds[name]
        value = self.question.values[name]
        known = classes(kind, optional, self.conditions[name], value)
        yield from together(name, kind, self._asked_classes(name, known, value), self.now)
        if isinstance(kind, (TextType, ListType)):
            told_already = [one.value for one in known]
            examples = (*self._near(name, kind, value), *self._away(name, kind, value))
            yield from (change for change, made in examples if made not in told_already)

    def _asked_classes(self, name: str, known: list[Class], value: Any) -> list[tuple[Class, Outcome]]:
        """The classes with what is said of them, in their order, as far as there is room."""
        order = asking_order(known, value, self._near_cells(name))
        self.cut = self.cut or len(order) > MAX_CLASSES
        single = name in self.moving
        changed = []
        for place in order[:MAX_CLASSES]:
            one = known[place]
            outcome = self.asked(name, one.value)
            if outcome is None:
                break
            told = one._replace(low=one.value, high=one.value) if single else one
            changed.append((place, told, outcome))
        return [(one, outcome) for _, one, outcome in sorted(changed, key=lambda asked: asked[0])]

    def _near_cells(self, name: str) -> Iterator[list[Cell]]:
        """The cells on a name of each row that is one fact away."""
        for row in self.question.explanation.rows:
            if row.near and any(cell.name == name for cell in row.failed):
                yield from _alone(self.question.row(row.id)[1], self.question, name)

    def asked(self, name: str, value: Any) -> Outcome | None:
        """What is said with this value instead; null where there is no more room to ask."""
        if not self._has_room():
            return None
        return self.outcome(with_value(self.question, name, value))

    def _has_room(self) -> bool:
        self.cut = self.cut or self.left <= self.kept_back
        return self.left > self.kept_back

    def outcome(self, values: Mapping[str, Any]) -> Outcome:
        table = self.question.table
        self.left -= len(table.whens)
        rows = matching(table, values)
        try:
            return Outcome(rows, table.answers(values, self.question.item), None)
        except PolicyError as refusal:
            return Outcome(rows, (), refusal.code)

    def _near(self, name: str, kind: Type, value: Any) -> Iterator[tuple[Change, Any]]:
        """Rows that this text or list alone keeps from matching, and a value with which each would have a say."""
        for number, (_row, when) in enumerate(self.question.rows):
            if number in self.now.rows:
                continue
            if self.question.document.hit == FIRST and self.now.rows and number > self.now.rows[0]:
                return
            for cells in _alone(when, self.question, name):
                if not self._has_room():
                    return
                change = self._example(number, name, kind, value, cells)
                if change is not None:
                    yield change
                    break

    def _away(self, name: str, kind: Type, value: Any) -> Iterator[tuple[Change, Any]]:
        """For each row that has a say because of this text or list, a value with which it has none."""
        for number in self.now.rows:
            cells = [cell for cell in self.question.table.whens[number].cells if cell.name == name]
            if value is None or not any(uses_patterns(cell.condition) for cell in cells):
                continue  # of constants, and of null, every class was tried
            for made in made_up(kind, [Not(cell.condition) for cell in cells], self.conditions[name], value):
                outcome = None if all(cell.holds(made) for cell in cells) else self.asked(name, made)
                if outcome is not None and number not in outcome.rows:
                    words = " or ".join(unlike(cell) for cell in cells)
                    yield Change(name, words, outcome, value_text(made)), made
                    break

    def _example(self, number: int, name: str, kind: Type, value: Any, cells: list[Cell]) -> tuple[Change, Any] | None:
        words = " and ".join(missed(cell, value) for cell in cells if not cell.holds(value))
        tests = [cell.condition for cell in cells]
        for made in made_up(kind, tests, self.conditions[name], value):
            if not all(cell.holds(made) for cell in cells):
                continue
            outcome = self.asked(name, made)
            if outcome is None:
                return None
            if number in outcome.rows:
                return Change(name, words, outcome, value_text(made)), made
        return None


def _alone(when: CompiledWhen, question: Question, name: str) -> Iterator[list[Cell]]:
    """The cells on a name of a row, or of one of its alternatives, where these alone keep it from matching."""
    for other in when.any_of or (None,):
        cells = [*when.cells, *(other.cells if other else ())]
        failed = {cell.name for cell in cells if not cell.holds(question.values[cell.name])}
        if failed == {name}:
            yield [cell for cell in cells if cell.name == name]


def _read_by_lets(document: TableDocument, tested: Collection[str]) -> set[str]:
    """The names that some of the tested lets read, themselves or by another let."""
    read: set[str] = set()
    for let in reversed(document.lets):
        if let.name in tested or let.name in read:
            read |= let.term.names
    return read


def _taken_over(document: TableDocument) -> set[str]:
    """The names that answers take over, themselves or by a let."""
    taken = {name for row in document.rows for produced in row.then.values() for name in references_in(produced)}
    return taken | _read_by_lets(document, taken)


def _bounds(question: Question, let: Let) -> IntegerType:
    """The least and the greatest value that a let could have."""
    document = question.document
    declared = {**document.inputs, **document.item_fields}
    intervals: dict[str, tuple[Any, Any]] = {}
    for one, declaration in declared.items():
        if isinstance(declaration.type, IntegerType):
            intervals[one] = declaration.type.minimum, declaration.type.maximum
    for earlier in document.lets:
        intervals[earlier.name] = earlier.term.bounds(intervals)
        if earlier.name == let.name:
            break
    low, high = intervals[let.name]
    return IntegerType(int(low), int(high))
