"""Reading a machine: its states and events first, then its transitions, which become one table for each event."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import NamedTuple

from toolkit.policy.documents.heads import HEAD, Head
from toolkit.policy.language.conditions import Equals, OneOf
from toolkit.policy.language.declarations import Declarations, Scope
from toolkit.policy.language.patterns import PatternBudget
from toolkit.policy.language.rows import MAX_ROWS, WhenReader, is_row_id, read_id
from toolkit.policy.language.rules import UNIQUE, Row, TableDocument, When
from toolkit.policy.problems import Flawed, Problems, did_you_mean, shown
from toolkit.policy.syntax.forms import Form, list_items, text_of
from toolkit.policy.syntax.nodes import ListNode, MapNode, Node, ScalarNode
from toolkit.policy.types import Input, TermType

STATE, EVENT, TO = "state", "event", "to"  # what a step is asked with, and what an event's table answers
KEYS = ("states", "events", "transitions")
OPTIONAL_KEYS = ("source", "cases")
_INSTEAD_OF_PATTERNS = "ask it in a table, and hand the event what that answers"


@dataclass(frozen=True, slots=True)
class Transition:
    """One transition as its document says it, which is also what a step along it answers.

    ``when`` holds its own conditions; the row of the same id in the event's table asks for the state as well.
    ``effects`` are what code does as the machine goes there, in this order.
    """

    id: str
    event: str
    from_states: tuple[str, ...]
    when: When
    to: str
    effects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MachineDocument:
    """A whole machine, immutable and none of it compiled; everything keeps the order of the document.

    Each of ``events`` is a unique table over the state and the event's inputs that answers ``to``. It is partial:
    facts that match no row are refused. ``references`` are the ids of the vocabularies that the machine names.
    """

    head: Head
    states: TermType
    initial: str
    terminal: tuple[str, ...]
    events: Mapping[str, TableDocument]
    transitions: Mapping[str, Transition]
    references: frozenset[str]


def read_machine(
    head: Head, form: Form, declarations: Declarations, budget: PatternBudget, effects: Collection[str]
) -> MachineDocument:
    """A machine of the set; ``effects`` are the names of what code can do on the way.

    Every fault of it is recorded; raises ``Flawed`` where what is left makes no machine.
    """
    problems = declarations.problems
    form.expect(KEYS, (*HEAD, *OPTIONAL_KEYS))
    before = len(problems.found), problems.unread
    states = None
    with problems.unit():
        states = _read_states(form, declarations)
    scopes = _read_events(form, declarations)
    if states is None or (len(problems.found), problems.unread) > before:
        # Transitions held against half a declaration would only repeat its faults.
        raise Flawed
    form.items("cases")
    reader = _TransitionReader(head, states, scopes, effects, budget, problems)
    transitions = reader.transitions(form)
    references = frozenset(declarations.references)
    tables = {event: _table(head, states, scope, reader.rows[event], references) for event, scope in scopes.items()}
    return MachineDocument(
        head, states.type, states.initial, states.terminal, MappingProxyType(tables), MappingProxyType(transitions),
        references,
    )  # fmt: skip


class _Names(NamedTuple):
    """What a key may name: states, events or effects."""

    word: str
    known: Collection[str]
    problems: Problems

    def one(self, node: Node, what: str) -> str:
        """One name; an unknown one is recorded, and what stands beside it is still read."""
        name = text_of(node, what, self.problems)
        if name not in self.known:
            hint = did_you_mean(name, self.known)
            self.problems.add(f"unknown_{self.word}", f"there is no {self.word} {shown(name)}", node.mark, hint)
        return name

    def several(self, node: Node, what: str) -> tuple[str, ...]:
        """A list that names each once."""
        names = tuple(self.one(item, f"an item of {what}") for item in list_items(node, what, self.problems))
        if len(set(names)) != len(names):
            self.problems.add("duplicate_id", f"{what} names each {self.word} once", node.mark)
        return names


class _States(NamedTuple):
    """The states of a machine; ``input`` is the state as a fact of every event's table."""

    input: Input
    type: TermType
    initial: str
    terminal: tuple[str, ...]


def _read_states(form: Form, declarations: Declarations) -> _States:
    problems = declarations.problems
    states = Form(form.need("states"), "'states'", problems, required=("of", "initial", "terminal"))
    of = states.need("of")
    term = MapNode({"type": ScalarNode("term", of.mark), "of": of}, dict.fromkeys(("type", "of"), of.mark), of.mark)
    declared = declarations.input(STATE, term, of.mark)
    assert isinstance(declared.type, TermType)
    names = _Names("state", dict.fromkeys(declared.type.terms), problems)
    initial = names.one(states.need("initial"), "initial")
    terminal = names.several(states.need("terminal"), "terminal")
    if initial in terminal:
        message = f"the machine would begin at its end: {initial!r} is terminal"
        problems.add("bad_initial", message, states.need("initial").mark)
    return _States(declared, declared.type, initial, terminal)


def _read_events(form: Form, declarations: Declarations) -> dict[str, Scope]:
    """What each event may be asked with, the state apart."""
    problems = declarations.problems
    scopes: dict[str, Scope] = {}
    with problems.unit():
        mark = form.need("events").mark
        entries = list(form.entries("events"))
        if not entries:
            problems.fail("empty", "a machine needs events", mark)
        for event, node, place in entries:
            with problems.unit():
                if not is_row_id(event):
                    problems.fail("bad_id", f"{shown(event)} can't name an event", place, "lower-case-words")
                inner = Form(node, f"the event {event!r}", problems, optional=("inputs",))
                scopes[event] = _read_inputs(inner, declarations)
    return scopes


def _read_inputs(form: Form, declarations: Declarations) -> Scope:
    scope = Scope()
    for name, node, mark in form.entries("inputs"):
        with declarations.problems.unit():
            if name in (STATE, EVENT):
                message = f"{name!r} has a meaning of its own in a machine"
                declarations.problems.fail("reserved_name", message, mark, "rename it")
            scope.add(declarations.input(name, node, mark), scope.inputs)
    return scope


def _table(head: Head, states: _States, scope: Scope, rows: Iterable[Row], references: frozenset[str]) -> TableDocument:
    """The table of one event."""
    return TableDocument(
        head=head,
        hit=UNIQUE,
        inputs=MappingProxyType({STATE: states.input, **scope.inputs}),
        each=None,
        lets=(),
        outputs=MappingProxyType({TO: replace(states.input, name=TO)}),
        stronger=MappingProxyType({}),
        rows=tuple(rows),
        require=(),
        order_note="",
        references=references,
    )


class _TransitionReader:
    """Reads transitions against the states, the events and what code can do; ``rows`` are those of each event."""

    def __init__(
        self,
        head: Head,
        states: _States,
        scopes: Mapping[str, Scope],
        effects: Collection[str],
        budget: PatternBudget,
        problems: Problems,
    ) -> None:
        self.layer = head.layer
        self.terminal = frozenset(states.terminal)
        self.states = _Names("state", dict.fromkeys(states.type.terms), problems)
        self.events = _Names("event", scopes, problems)
        self.effects = _Names("effect", effects, problems)
        self.problems = problems
        self.whens = {
            event: WhenReader(scope, budget, problems, apart=_INSTEAD_OF_PATTERNS) for event, scope in scopes.items()
        }
        self.rows: dict[str, list[Row]] = {event: [] for event in scopes}

    def transitions(self, form: Form) -> dict[str, Transition]:
        """Every transition by its id; each stands once in the machine, whatever its event."""
        mark = form.need("transitions").mark
        nodes = form.items("transitions")
        if len(nodes) > MAX_ROWS:
            message = f"a machine has at most {MAX_ROWS} transitions, not {len(nodes)}"
            self.problems.fail("too_many_transitions", message, mark)
        if not nodes:
            self.problems.fail("empty", "a machine needs transitions", mark)
        read: dict[str, Transition] = {}
        lines: dict[str, int] = {}
        for node in nodes:
            with self.problems.unit():
                transition, row = self._transition(node)
                first = lines.setdefault(row.id, row.mark.line)
                if row.id in read:
                    message = f"the transition {row.id!r} stands twice; first at line {first}"
                    self.problems.fail("duplicate_id", message, row.mark)
                read[row.id] = transition
                self.rows[transition.event].append(row)
        return read

    def _transition(self, node: Node) -> tuple[Transition, Row]:
        """A transition, and its row in the table of its event. Raises ``Flawed`` where anything is wrong with it."""
        form = Form(
            node, "the transition", self.problems,
            required=("id", "from", "event", "to"), optional=("when", "effects", "source"),
        )  # fmt: skip
        before = len(self.problems.found), self.problems.unread
        name = read_id(form, "transition", self.problems)
        from_states = self._from(form.need("from"), name)
        to = self.states.one(form.need("to"), "to")
        effects = self.effects.several(form.need("effects"), "effects") if form.has("effects") else ()
        event = self.events.one(form.need("event"), "event")
        when = self._when(form.need("when"), event, name) if form.has("when") else When()
        source = form.text_or("source", "")
        if (len(self.problems.found), self.problems.unread) > before:
            raise Flawed
        asked = (STATE, Equals(from_states[0]) if len(from_states) == 1 else OneOf(from_states))
        row = Row(
            id=name,
            when=When((asked, *when.cells), when.any_of),
            then=MappingProxyType({TO: to}),
            error=None,
            source=source,
            layer=self.layer,
            mark=form.mark,
        )
        return Transition(name, event, from_states, when, to, effects), row

    def _from(self, node: Node, transition: str) -> tuple[str, ...]:
        listed = isinstance(node, ListNode)
        names = self.states.several(node, "from") if listed else (self.states.one(node, "from"),)
        if not names:
            self.problems.add("empty", f"the transition {transition!r} comes from no state", node.mark)
        for name in names:
            if name in self.terminal:
                message = f"the transition {transition!r} leaves {name!r}, which is terminal"
                self.problems.add("leaves_terminal", message, node.mark, "nothing follows a terminal state")
        return names

    def _when(self, node: Node, event: str, transition: str) -> When:
        if event not in self.whens:
            raise Flawed  # told already, and so are the names that it would have
        if isinstance(node, MapNode) and STATE in node.entries:
            mark = node.key_marks[STATE]
            self.problems.fail("reserved_name", "the state is no input of an event", mark, "say it under 'from'")
        return self.whens[event].read(node, f"transition {transition!r}")
