"""A machine as a Mermaid ``stateDiagram-v2``, as GitHub draws it: always the same text, whatever names stand in it.

Names of policies are hostile text. A state is called by its own name only where that is a plain word without a meaning
of its own; every other character than a letter, a digit or a space is written as its number (``#58;``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from toolkit.authoring.drawing.cells import value_text
from toolkit.authoring.telling.phrases import phrase
from toolkit.policy.language.conditions import Condition, Equals
from toolkit.policy.language.rules import When
from toolkit.policy.language.transitions import MachineDocument, Transition

MARGIN: Final = "    "
BREAK: Final = "<br/>"
# What the grammar or its JavaScript takes for something else, as a whole word or at the beginning of one.
_RESERVED: Final = (
    *("as", "class", "classdef", "click", "constructor", "end", "fork", "hide", "href", "join", "linkstyle", "note"),
    *("prototype", "root", "root_end", "root_start", "scale", "state", "style", "subgraph"),
)
_BEGINNINGS: Final = ("default", "accdescr", "acctitle", "divider", "statediagram")
_WITHIN: Final = "direction"


def machine_mermaid(document: MachineDocument) -> str:
    """The diagram, ending in a line break: states in the vocabulary's order, transitions in the document's."""
    return "\n".join(["stateDiagram-v2", *(MARGIN + line for line in _lines(document))]) + "\n"


def _lines(document: MachineDocument) -> Iterator[str]:
    used = _states(document)
    names = _names(used)
    for state in used:
        if names[state] != state:
            yield f'state "{escaped(state)}" as {names[state]}'
    yield f"[*] --> {names[document.initial]}"
    for one in document.transitions.values():
        label = BREAK.join(_label(one))
        for state in one.from_states:
            yield f"{names[state]} --> {names[one.to]} : {label}"
    for state in used:
        if state in document.terminal:
            yield f"{names[state]} --> [*]"


def _states(document: MachineDocument) -> tuple[str, ...]:
    """The states of the machine; a vocabulary may have terms that it does not go through, which are left out."""
    met = {document.initial, *document.terminal}
    for one in document.transitions.values():
        met |= {*one.from_states, one.to}
    return tuple(state for state in document.states.terms if state in met)


def _names(states: tuple[str, ...]) -> dict[str, str]:
    """What each state is called in the diagram."""
    names: dict[str, str] = {}
    taken = set(states)
    for number, state in enumerate(states, start=1):
        if _is_plain(state):
            names[state] = state
            continue
        alias = f"s{number}"
        while alias in taken:
            alias += "_"
        taken.add(alias)
        names[state] = alias
    return names


def _is_plain(state: str) -> bool:
    word = plain_word().match(state) is not None and state not in _RESERVED
    return word and not state.startswith(_BEGINNINGS) and _WITHIN not in state


def _label(transition: Transition) -> Iterator[str]:
    """The event, what is asked of its inputs, and what is done on the way; a line each."""
    yield escaped(transition.event)
    condition = _when(transition.when)
    if condition:
        yield f"[{escaped(condition)}]"
    if transition.effects:
        yield f"/ {escaped(', '.join(transition.effects))}"


def _when(when: When) -> str:
    parts = [_short(name, condition) for name, condition in when.cells]
    if when.any_of:
        parts.append("one of " + " or ".join(f"({_when(other)})" for other in when.any_of))
    return ", ".join(parts)


def _short(name: str, condition: Condition) -> str:
    if isinstance(condition, Equals):
        return f"{name} {value_text(condition.value)}"
    return f"{name} {phrase(condition).removeprefix('is ')}"


def escaped(text: str) -> str:
    """Text as it may stand in a label: shown as it is, and never obeyed by Mermaid, Markdown or HTML.

    Characters that don't show are spelled as their escapes (``\\x1b``).
    """
    shown = "".join(one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in text)
    coded = "".join(_character(shown, at) for at in range(len(shown)))
    # Words that Mermaid looks for in any line, wherever they stand.
    return obeyed().sub(lambda found: f"{found[0][0]}#{ord(found[0][1])};{found[0][2:]}", coded)


def _character(text: str, at: int) -> str:
    one = text[at]
    if one.isalnum() or one in " ,":
        return one
    inside = 0 < at < len(text) - 1 and text[at - 1].isalnum() and text[at + 1].isalnum()
    return one if one in "-_." and inside else f"#{ord(one)};"


@cache
def obeyed() -> re.Pattern[str]:
    return re.compile(r"direction|style|classdef|end note|https?|www", re.IGNORECASE)


@cache
def plain_word() -> re.Pattern[str]:
    return re.compile(r"[a-z][a-z0-9_]{0,60}\Z")
