"""The first part of an explanation: the answer and its reason, or why there is none and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from toolkit.authoring.telling.lines import Line, answer, joined, place
from toolkit.authoring.telling.phrases import reasons
from toolkit.authoring.telling.questions import Question, matching
from toolkit.policy.language.rules import COLLECT, FIRST
from toolkit.policy.language.transitions import STATE
from toolkit.policy.problems import PolicyError, Undecided
from toolkit.policy.tables import Decision

MAX_SOURCE: Final = 240  # characters of a source


def answered(question: Question) -> Iterator[Line]:
    explanation = question.explanation
    subject = question.id if question.item is None else f"{question.id}, item {question.item},"
    if explanation.refusal is not None:
        yield from _refused(question, subject, explanation.refusal)
    elif question.step is not None:
        yield from _stepped(question, subject, explanation.decisions[0])
    elif question.document.hit == COLLECT:
        yield from _collected(question, subject, explanation.decisions)
    else:
        decision = explanation.decisions[0]
        yield Line(f"{subject} answers {answer(decision)}: {_decided(question, decision.row)}.", 0, True)
        yield from _whence(question, decision.row)


def _decided(question: Question, name: str, verb: str = "decided") -> str:
    because = _because(question, name)
    if because:
        return f"row {name} {verb}, because {because}"
    if question.document.hit == FIRST and len(question.document.rows) > 1:
        return f"row {name} {verb}; it asks for nothing, and no row before it matches"
    return f"row {name} {verb}; it asks for nothing, so it always matches"


def _because(question: Question, name: str) -> str:
    _, when = question.row(name)
    found = reasons(when, question.values)
    if question.step is not None:  # the state is told in the same sentence
        own = {cell.name for cell in when.cells} - {STATE}
        found = [one for cell, one in zip(when.cells, found, strict=False) if cell.name in own]
    return joined(found)


def _whence(question: Question, name: str, indent: int = 2, *, common: bool = True) -> Iterator[Line]:
    """Where a row comes from, and why it is there."""
    row, _ = question.row(name)
    word = "transition" if question.step is not None else "row"
    yield Line(f"{word} {row.id}: {place(row)}", indent)
    source = row.source or (question.document.head.source if common else "")
    if source:
        yield _source(source, indent)


def _source(text: str, indent: int) -> Line:
    """The beginning of a source: ``dr-policy show`` tells it whole."""
    return Line(f"source: {text if len(text) <= MAX_SOURCE else text[:MAX_SOURCE].rpartition(' ')[0] + ' …'}", indent)


def _collected(question: Question, subject: str, decisions: Sequence[Decision]) -> Iterator[Line]:
    if not decisions:
        yield Line(f"{subject} answers with an empty list: no row matches.", 0, True)
        return
    count = "1 result" if len(decisions) == 1 else f"{len(decisions)} results"
    yield Line(f"{subject} answers with {count}, one for each row that matches.", 0, True)
    for number, decision in enumerate(decisions, start=1):
        yield Line(f"{number}. {answer(decision)}: {_decided(question, decision.row, 'matches')}.", 2)
        yield from _whence(question, decision.row, 5, common=False)
    if question.document.head.source:
        yield _source(question.document.head.source, 2)


def _stepped(question: Question, subject: str, decision: Decision) -> Iterator[Line]:
    assert question.step is not None
    machine, before = question.step.machine, question.step.state
    transition = machine.document.transitions[decision.row]
    moves = f"goes from {before} to {transition.to}" if transition.to != before else f"stays in {before}"
    because = _because(question, decision.row)
    why = f", because {because}" if because else ", which asks for nothing else"
    event = question.step.event
    yield Line(f"{subject} {moves} on the event {event}: transition {transition.id} was taken{why}.", 0, True)
    yield from _whence(question, decision.row)
    if transition.effects:
        yield Line(f"on the way, in this order: {', '.join(transition.effects)}", 2)
    legal = machine.enabled(transition.to)
    led = f"the events that are legal: {', '.join(legal)}" if legal else "the machine has come to its end"
    yield Line(f"then, in {transition.to}, {led}", 2)


def _refused(question: Question, subject: str, refusal: PolicyError) -> Iterator[Line]:
    if question.step is not None and not isinstance(refusal, Undecided):
        yield from _no_step(question, subject, refusal)
        return
    rows = [question.document.rows[number] for number in matching(question.table, question.values)]
    declining = next((row for row in rows if row.error == refusal.code), None)
    if declining is not None:
        told = _decided(question, declining.id, "says so")
        yield Line(f"{subject} declines to decide ({refusal.code}): {told}.", 0, True)
        yield from _whence(question, declining.id)
    else:
        said = refusal.message.removeprefix(f"{question.id}: ")
        yield Line(f"{subject} has no answer ({refusal.code}): {said}.", 0, True)
    yield Line("This is neither yes nor no: exit status 3.", 2)
    yield Line("What needs the answer has to stop, or ask a person; ask again when the facts are different.", 2)


def _no_step(question: Question, subject: str, refusal: PolicyError) -> Iterator[Line]:
    assert question.step is not None
    machine, state, event = question.step.machine, question.step.state, question.step.event
    legal = machine.enabled(state)
    if not legal:
        why = f"{state} is where the machine ends, and nothing leads on from it"
    elif event in legal:
        why = "no transition takes it with these facts"
    else:
        why = f"no transition of this event leaves {state}"
    yield Line(f"{subject} refuses the event {event} in the state {state}: {why} ({refusal.code}).", 0, True)
    yield Line(f"This is a definite answer: the machine stays in {state}, exit status 2.", 2)
    if legal:
        yield Line(f"legal in {state}: {', '.join(legal)}", 2)
    leaves = machine.document.transitions.values()
    states = dict.fromkeys(one for transition in leaves if transition.event == event for one in transition.from_states)
    if state not in states:
        yield Line(f"the event {event} is legal in: {', '.join(states) or 'no state'}", 2)
