"""A machine and its steps: one table for each event decides, and whatever no transition allows is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from toolkit.policy.explaining import Explanation, explain
from toolkit.policy.language.transitions import EVENT, STATE, MachineDocument, Transition
from toolkit.policy.problems import PolicyError, Undecided, clipped, did_you_mean, shown
from toolkit.policy.tables import Table

NO_TRANSITION, TERMINAL_STATE = "no_transition", "terminal_state"
_NO_ROW = "no_row"  # as a table says that nothing matches


class Refused(PolicyError):
    """An event that is not legal now. That is a definite answer (exit 2): the machine stays where it is.

    ``enabled`` are the events that some transition answers in this state, though with other inputs perhaps.
    """

    def __init__(
        self, code: str, message: str, *, state: str, event: str, enabled: tuple[str, ...], place: str
    ) -> None:
        legal = f"legal in the state {state!r}: {', '.join(enabled)}" if enabled else f"nothing leads on from {state!r}"
        super().__init__(code, clipped(message), place=place, next_step=clipped(legal))
        self.state = state
        self.event = event
        self.enabled = enabled


class Machine:
    """A machine of a set. It holds no state: a step is asked with the state that the machine is in.

    The table of an event is compiled when the event is first asked for.
    """

    def __init__(self, document: MachineDocument) -> None:
        self.document = document
        self._tables: dict[str, Table] = {}
        self._enabled = _enabled(document)

    def step(self, state: str, event: str, /, **inputs: object) -> Transition:
        """The transition that this event takes from this state.

        Raises ``Refused`` (``terminal_state``, ``no_transition``; exit 2) where there is none, ``Undecided``
        (``several_rows``; exit 3) where there are several, and ``PolicyError`` (exit 2) for a state or event that the
        machine does not have (``unknown_state``, ``unknown_event``) and for an input that is missing, unknown or
        ill-typed, as a table does.
        """
        facts = self._facts(state, event, inputs)
        if event not in self._enabled[state]:
            raise self._refused(state, event)
        try:
            decision = self.table(event).decide(**facts)
        except Undecided as fault:
            if fault.code != _NO_ROW:
                raise
            raise self._refused(state, event) from None
        return self.document.transitions[decision.row]

    def enabled(self, state: str) -> tuple[str, ...]:
        """The events that some transition answers in this state, in order; none where it is terminal.

        Raises ``PolicyError`` (``unknown_state``).
        """
        self._expect_state(state)
        return self._enabled[state]

    def explain(self, state: str, event: str, inputs: Mapping[str, object]) -> Explanation:
        """Why this step is what it is: the event's transitions, and what kept each of them from being taken.

        A refusal is part of the answer; a bad input raises ``PolicyError``, as stepping does.
        """
        facts = self._facts(state, event, inputs)
        (one,) = explain(self.table(event), facts)
        refused = one.refusal is not None and one.refusal.code == _NO_ROW
        return replace(one, refusal=self._refused(state, event)) if refused else one

    def table(self, event: str) -> Table:
        """The table of an event. Raises ``PolicyError`` (``unknown_event``)."""
        self._expect_event(event)
        if event not in self._tables:
            self._tables[event] = Table(self.document.events[event])
        return self._tables[event]

    def _facts(self, state: str, event: str, inputs: Mapping[str, object]) -> dict[str, object]:
        """The facts of the event's table."""
        self._expect_state(state)
        self._expect_event(event)
        if STATE in inputs:
            message = f"{self.document.head.id}: {STATE!r} is no input of the event {event!r}"
            raise self._error("fact_unknown", message)
        return {STATE: state, **inputs}

    def _expect_state(self, state: str) -> None:
        if not self.document.states.accepts(state):
            raise self._unknown(STATE, state, self.document.states.terms)

    def _expect_event(self, event: str) -> None:
        if type(event) is not str or event not in self.document.events:
            raise self._unknown(EVENT, event, tuple(self.document.events))

    def _unknown(self, word: str, name: object, known: tuple[str, ...]) -> PolicyError:
        hint = did_you_mean(name, known) if isinstance(name, str) else None
        return self._error(f"unknown_{word}", f"{self.document.head.id} has no {word} {shown(name)}", hint)

    def _error(self, code: str, message: str, hint: str | None = None) -> PolicyError:
        head = self.document.head
        return PolicyError(code, message, place=str(head.mark), next_step=hint or f"dr-policy show {head.id}")

    def _refused(self, state: str, event: str) -> Refused:
        enabled = self._enabled[state]
        code = NO_TRANSITION
        if state in self.document.terminal:
            code, message = TERMINAL_STATE, f"the state {state!r} is terminal, so the event {event!r} leads nowhere"
        elif event in enabled:
            message = f"no transition of the event {event!r} from the state {state!r} takes these inputs"
        else:
            message = f"the event {event!r} has no transition from the state {state!r}"
        head = self.document.head
        message = f"{head.id}: {message}"
        return Refused(code, message, state=state, event=event, enabled=enabled, place=str(head.mark))


def _enabled(document: MachineDocument) -> dict[str, tuple[str, ...]]:
    """The events of each state, in the order in which the machine declares them."""
    leaving: dict[str, set[str]] = {state: set() for state in document.states.terms}
    for transition in document.transitions.values():
        for state in transition.from_states:
            leaving[state].add(transition.event)
    rank = {event: place for place, event in enumerate(document.events)}
    return {state: tuple(sorted(events, key=rank.__getitem__)) for state, events in leaving.items()}
