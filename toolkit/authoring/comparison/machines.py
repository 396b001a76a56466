"""Two states of a machine: its states and events, and the steps that one of them refuses or takes elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from toolkit.authoring.comparison.changes import EVENT, STATE, TRANSITION, Change, stated
from toolkit.authoring.comparison.declarations import Content, input_changes
from toolkit.authoring.comparison.results import Found
from toolkit.authoring.comparison.tables import decide
from toolkit.authoring.comparison.telling import Topic
from toolkit.policy.language.rules import TableDocument
from toolkit.policy.language.transitions import TO, MachineDocument
from toolkit.policy.machines import Machine
from toolkit.policy.problems import shown
from toolkit.policy.tables import Table
from toolkit.policy.types import Input, ListType, TermType, TextType

EFFECTS = "effects"


def machine_changes(before: Machine, after: Machine, contents: tuple[Content, Content], *, budget: int) -> Found:
    """Everything that is not the same of two machines; ``contents`` are their documents as plain JSON.

    A step that was refused and is taken now, or the reverse, is a change like one that leads elsewhere or has other
    effects; none of them is weaker, whatever order the states are listed in.
    """
    name = after.document.head.id
    found = Found(budget)
    found.changes.extend(_state_changes(name, before.document, after.document))
    found.changes.extend(_event_changes(name, *(content["events"] for content in contents)))
    for event in before.document.events:
        if event in after.document.events:
            tables = [Table(_with_effects(one.document, event)) for one in (before, after)]
            decide(tables[0], tables[1], Topic(name, TRANSITION, event), found, partial=True)
    return found


def _state_changes(name: str, before: MachineDocument, after: MachineDocument) -> Iterator[Change]:
    old, new = before.states, after.states
    if old.vocabulary != new.vocabulary:
        message = f"the states are those of {new.vocabulary} and were those of {old.vocabulary}"
        yield stated(name, STATE, "of", old.vocabulary, new.vocabulary, message)
    for state in dict.fromkeys((*old.terms, *new.terms)):
        if state not in new.members:
            yield stated(name, STATE, state, state, None, f"the state {shown(state)} is gone")
        elif state not in old.members:
            yield stated(name, STATE, state, None, state, f"the state {shown(state)} is new")
    if before.initial != after.initial:
        message = f"it begins as {shown(after.initial)} and began as {shown(before.initial)}"
        yield stated(name, STATE, "initial", before.initial, after.initial, message)
    if set(before.terminal) != set(after.terminal):
        told = [*before.terminal], [*after.terminal]
        yield stated(name, STATE, "terminal", *told, "other states are terminal")


def _event_changes(name: str, before: Content, after: Content) -> Iterator[Change]:
    for event in dict.fromkeys((*before, *after)):
        was, now = before.get(event), after.get(event)
        if was is None or now is None:
            verb = "is new" if was is None else "is gone"
            yield stated(name, EVENT, event, was, now, f"the event {event!r} {verb}")
        else:
            yield from input_changes(name, was, now, f"{event}.")


def _with_effects(machine: MachineDocument, event: str) -> TableDocument:
    """The table of an event that answers with the effects as well; its states have no order of strength."""
    table = machine.events[event]
    to = table.outputs[TO]
    assert isinstance(to.type, TermType)
    outputs: Mapping[str, Input] = {
        TO: replace(to, type=TermType(to.type.terms, to.type.vocabulary)),
        EFFECTS: Input(EFFECTS, ListType(TextType("string")), False, False, to.mark),
    }
    rows = []
    for row in table.rows:
        then: dict[str, Any] = {**row.then, EFFECTS: machine.transitions[row.id].effects}
        rows.append(row._replace(then=MappingProxyType(then)))
    return replace(table, outputs=MappingProxyType(outputs), rows=tuple(rows))
