"""What is claimed of a machine: its events as tables, and its states as a graph of the steps that can be taken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Final, NamedTuple

from toolkit.authoring.analysis.examined import Examined, Searched
from toolkit.authoring.analysis.findings import DEAD, IGNORED, IMPOSSIBLE, STUCK, UNREACHABLE, Finding, accounted, named
from toolkit.authoring.analysis.nulls import null_findings
from toolkit.authoring.analysis.rows import alternative_findings, look_at
from toolkit.authoring.analysis.tables import overlap_findings
from toolkit.authoring.analysis.unused import unused_findings
from toolkit.policy.language.rules import TableDocument
from toolkit.policy.language.transitions import EVENT, STATE, MachineDocument, Transition
from toolkit.policy.problems import Mark
from toolkit.policy.proofs import MAX_BOXES, NOT_PROVED, PROVED, REFUTED
from toolkit.policy.proofs.results import Budget, Exhausted

MAX_MACHINE_BOXES: Final = 200_000  # split for all events of a machine together; each takes ``MAX_BOXES`` at most
_NOTHING: Final = "no facts meet its conditions"
_NOT_ALONE: Final = "wherever its conditions hold, another transition is enabled too"


class Step(NamedTuple):
    """A transition from one of its states, and whether any facts take it."""

    transition: Transition
    state: str
    taken: Searched


def analyze_machine(document: MachineDocument, *, budget: int = MAX_MACHINE_BOXES) -> tuple[Finding, ...]:
    """What is found of a machine: first of each event by itself, then of its states, transitions and events."""
    found: list[Finding] = []
    steps: list[Step] = []
    spent = 0
    for event, table in document.events.items():
        counted = Budget(min(max(budget - spent, 0), MAX_BOXES))
        part, taken = _event(event, table, document, counted)
        spent += counted.spent
        found += part
        steps += taken
    graph = _Graph(document, steps)
    return accounted((*found, *graph.states(), *graph.transitions(), *graph.events()), spent)


def _event(
    event: str, table: TableDocument, document: MachineDocument, budget: Budget
) -> tuple[list[Finding], list[Step]]:
    """What is found of an event by itself, and the steps that its transitions can take."""
    rows = [document.transitions[row.id] for row in table.rows]
    if not rows:
        return [], []  # that nothing answers it is told of the event; that its inputs are not read goes without saying
    inputs = {name: one for name, one in table.inputs.items() if name != STATE}
    unused = list(unused_findings(table, inputs, event))
    try:
        examined = Examined(table, budget, event={EVENT: event})
    except Exhausted:
        message = f"a transition of the event {event!r} has too many alternatives for anything to be found out"
        unknown = Searched(None, False, message, 0)
        found = Finding(document.head.id, IMPOSSIBLE, (event,), NOT_PROVED, None, message, document.head.mark)
        return [found, *unused], [Step(one, state, unknown) for one in rows for state in one.from_states]
    faults = list(overlap_findings(examined))
    steps = [step for row, one in enumerate(rows) for step in _steps(examined, row, one)]
    for row in range(len(rows)):
        faults += alternative_findings(examined, row, "transition")
    return [*faults, *unused, *null_findings(examined, inputs, "transition")], steps


def _steps(examined: Examined, row: int, transition: Transition) -> Iterator[Step]:
    """A transition from each of its states. The facts that take it, if only in one of them, are kept as the row's."""
    space, others = examined.prepared.space, examined.others(row)
    place = space.places[STATE]
    steps = []
    for state in transition.from_states:
        limited = (space.limited({place: space.among(STATE, (state,))}, box) for box in examined.boxes(row))
        regions = [(box, others) for box in limited if box is not None]
        steps.append(Step(transition, state, examined.search(regions, partial(examined.tried.decides, row))))
    taken = [step.taken for step in steps]
    look_at(examined, row, max(taken, key=lambda one: (one.found, one.open)))
    if examined.matched[row].none:
        taken = [one._replace(why=_NOTHING) for one in taken]
    return iter([step._replace(taken=one) for step, one in zip(steps, taken, strict=True)])


class _Graph:
    """The states of a machine and the steps between them: those that some facts take, and those that may be taken."""

    def __init__(self, document: MachineDocument, steps: Iterable[Step]) -> None:
        self.document = document
        self.steps = [step for step in steps if not step.taken.none]
        self.never: dict[str, str] = {}
        self.of: dict[str, list[Step]] = {name: [] for name in document.transitions}
        for step in steps:
            if step.taken.none:
                self.never[step.transition.id] = step.taken.why or _NOT_ALONE
            else:
                self.of[step.transition.id].append(step)
        sure = [step for step in self.steps if step.taken.found]
        self.reached = _closure({document.initial: None}, ((step.state, step.transition.to, step) for step in sure))
        every = ((step.state, step.transition.to, step) for step in self.steps)
        self.perhaps = _closure({document.initial: None}, every)
        ends = dict.fromkeys(document.terminal)
        self.ending = _closure(ends, ((step.transition.to, step.state, step) for step in sure))
        back = ((step.transition.to, step.state, step) for step in self.steps)
        self.perhaps_ending = _closure(ends, back)

    def states(self) -> Iterator[Finding]:
        """Whether each state is reached, and whether a terminal one is reached from it."""
        for state in self.document.states.terms:
            if state != self.document.initial:
                yield self._reached(state)
        for state in self.document.states.terms:
            if state not in self.document.terminal and state in self.perhaps:
                yield self._ends(state)

    def _reached(self, state: str) -> Finding:
        if state in self.reached:
            path = self._path(state)
            message = f"the state {state!r} is reached by {' -> '.join(step.transition.id for step in path)}"
            return self._finding(UNREACHABLE, state, PROVED, message, path[-1] if path else None)
        if state in self.perhaps:
            message = f"it is not known whether the state {state!r} is ever reached"
            return self._finding(UNREACHABLE, state, NOT_PROVED, message)
        message = f"nothing leads from {self.document.initial!r} to the state {state!r}"
        return self._finding(UNREACHABLE, state, REFUTED, message)

    def _path(self, state: str) -> list[Step]:
        path: list[Step] = []
        step = self.reached[state]
        while step is not None:
            path.append(step)
            step = self.reached[step.state]
        return path[::-1]

    def _ends(self, state: str) -> Finding:
        leaving = [step for step in self.steps if step.state == state]
        if self.document.terminal:
            sure, perhaps, end = state in self.ending, state in self.perhaps_ending, "a terminal state is reached"
        else:
            sure, perhaps, end = any(step.taken.found for step in leaving), bool(leaving), "something leads on"
        if sure:
            return self._finding(STUCK, state, PROVED, f"{end} from the state {state!r}", self.ending.get(state))
        if perhaps or state not in self.reached:
            return self._finding(STUCK, state, NOT_PROVED, f"it is not known whether {end} from the state {state!r}")
        no_end = end.replace("a terminal state", "no terminal state").replace("something", "nothing")
        return self._finding(STUCK, state, REFUTED, f"{no_end} from the state {state!r}")

    def transitions(self) -> Iterator[Finding]:
        """Whether each transition is ever taken."""
        for name in self.document.transitions:
            yield self._taken(name)

    def _taken(self, name: str) -> Finding:
        steps = self.of[name]
        taken = next((step for step in steps if step.taken.found and step.state in self.reached), None)
        if taken is not None:
            return self._finding(DEAD, name, PROVED, f"the transition {name!r} is taken by some facts", taken)
        if any(step.state in self.perhaps for step in steps):
            message = f"it is not known whether the transition {name!r} is ever taken"
            return self._finding(DEAD, name, NOT_PROVED, message)
        reason = f"nothing leads to {named(step.state for step in steps)}" if steps else self.never[name]
        return self._finding(DEAD, name, REFUTED, f"the transition {name!r} is never taken: {reason}")

    def events(self) -> Iterator[Finding]:
        """Whether each event is ever answered."""
        statuses: dict[str, set[str]] = {event: set() for event in self.document.events}
        for finding in self.transitions():
            statuses[self.document.transitions[finding.subject[0]].event].add(finding.status)
        for event, known in statuses.items():
            if PROVED in known:
                yield self._finding(IGNORED, event, PROVED, f"some transition answers the event {event!r}")
            elif NOT_PROVED in known:
                message = f"it is not known whether any transition ever answers the event {event!r}"
                yield self._finding(IGNORED, event, NOT_PROVED, message)
            else:
                yield self._finding(IGNORED, event, REFUTED, f"no transition ever answers the event {event!r}")

    def _finding(self, kind: str, subject: str, status: str, message: str, step: Step | None = None) -> Finding:
        witness = None
        if step is not None and step.taken.facts is not None:
            witness = {EVENT: step.transition.event, **step.taken.facts}
        return Finding(self.document.head.id, kind, (subject,), status, witness, message, self._mark(kind, subject))

    def _mark(self, kind: str, subject: str) -> Mark:
        if kind != DEAD:
            return self.document.head.mark
        event = self.document.transitions[subject].event
        return next(row.mark for row in self.document.events[event].rows if row.id == subject)


def _closure(begin: Mapping[str, Step | None], edges: Iterable[tuple[str, str, Step]]) -> dict[str, Step | None]:
    """Every state to which edges lead, with the step by which it was first reached: by as few steps as can be."""
    leaving: dict[str, list[tuple[str, Step]]] = {}
    for state, following, step in edges:
        leaving.setdefault(state, []).append((following, step))
    found = dict(begin)
    waiting = list(begin)
    for state in waiting:
        for following, step in leaving.get(state, ()):
            if following not in found:
                found[following] = step
                waiting.append(following)
    return found
