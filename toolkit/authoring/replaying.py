"""Past decisions asked again of other policies: which would be the same, which would change, which can't be asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from toolkit.authoring.deciders import Answer, Deciders, equal, spelt
from toolkit.authoring.directions import MIXED, OTHER, STRONGER, WEAKER
from toolkit.authoring.past import Origin, PastDecision
from toolkit.policy.problems import PolicyError, clipped
from toolkit.policy.sets import PolicySet

SAME: Final = "same"
CHANGED: Final = "changed"
UNDECIDABLE: Final = "undecidable"

DIRECTIONS: Final = (WEAKER, MIXED, OTHER, STRONGER)  # in the order in which changes are told


class Reason(NamedTuple):
    """Why a question can't be asked any more, or has no answer: a stable code, and words."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Replayed:
    """One question, however often it was recorded. ``past`` is its first record, ``origins`` are all of them.

    ``now`` is null exactly where the outcome is ``undecidable``, and ``reason`` then says why. ``direction`` is that of
    a change, null for the rest.
    """

    past: PastDecision
    origins: tuple[Origin, ...]
    times: int
    outcome: str
    now: Answer | None = None
    direction: str | None = None
    reason: Reason | None = None

    @property
    def row_differs(self) -> bool:
        """Whether another row, or one of another name, gives the answer."""
        return self.now is not None and _listed(self.now.row) != _listed(self.past.row)


class Tally(NamedTuple):
    """How many decisions of one document, or of all, came out how. Each counts as often as it was made."""

    asked: int
    same: int
    changed: int
    undecidable: int
    directions: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Replay:
    """Every question that was asked again, by document; those of one in the order of their first record."""

    questions: tuple[Replayed, ...] = field(default=())

    def of(self, outcome: str) -> tuple[Replayed, ...]:
        """The questions with this outcome."""
        return tuple(one for one in self.questions if one.outcome == outcome)

    @property
    def total(self) -> Tally:
        return _tally(self.questions)

    def by_document(self) -> Mapping[str, tuple[Replayed, ...]]:
        """The questions to each document, in order of its id."""
        found: dict[str, list[Replayed]] = {}
        for one in self.questions:
            found.setdefault(one.past.document, []).append(one)
        return {document: tuple(questions) for document, questions in found.items()}

    def tallies(self) -> Mapping[str, Tally]:
        """The tally of each document, in order of its id."""
        return {document: _tally(questions) for document, questions in self.by_document().items()}


def replay(policies: PolicySet, past: Iterable[PastDecision]) -> Replay:
    """Ask every past decision of ``policies``; the same question with the same answer is asked once.

    A decision is the same where its outputs are, whichever row gives them. It is undecidable where its table is gone or
    asks for other facts, where a fact is illegal now, and where the answer is a refusal. Which of two answers is
    stronger the table says (``stronger``, else the order of an output's vocabulary); outputs without an order say
    nothing. Of a list that loses an answer without getting one as strong, it is weaker. Each table is compiled once.
    """
    recorded: dict[str, list[PastDecision]] = {}
    for decision in past:
        recorded.setdefault(_key(decision), []).append(decision)
    deciders = Deciders(policies)
    found = [_replayed(deciders, alike) for alike in recorded.values()]
    return Replay(tuple(sorted(found, key=lambda one: one.past.document)))


def _tally(questions: Iterable[Replayed]) -> Tally:
    outcomes: Counter[str] = Counter()
    directions: Counter[str] = Counter()
    for one in questions:
        outcomes[one.outcome] += one.times
        if one.direction is not None:
            directions[one.direction] += one.times
    told = {direction: directions[direction] for direction in DIRECTIONS}
    return Tally(outcomes.total(), outcomes[SAME], outcomes[CHANGED], outcomes[UNDECIDABLE], told)


def _replayed(deciders: Deciders, alike: Sequence[PastDecision]) -> Replayed:
    past = alike[0]
    origins = tuple(dict.fromkeys(one.origin for one in alike))
    times = sum(one.times for one in alike)
    try:
        decider = deciders.of(past.document)
        now = decider.answer(past.facts)
    except PolicyError as fault:
        return Replayed(past, origins, times, UNDECIDABLE, reason=Reason(fault.code, clipped(fault.message)))
    if equal(past.outputs, now.outputs):
        return Replayed(past, origins, times, SAME, now)
    return Replayed(past, origins, times, CHANGED, now, decider.direction(past.outputs, now.outputs))


def _key(past: PastDecision) -> str:
    return spelt((past.document, past.facts, past.outputs, past.row))


def _listed(row: object) -> object:
    return list(row) if isinstance(row, (list, tuple)) else row
