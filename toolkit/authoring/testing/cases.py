"""The cases of a document: its own and those that overlays bring, each read strictly, with its places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from toolkit.policy.documents.effective import Entry
from toolkit.policy.language.rows import read_id
from toolkit.policy.problems import Flawed, Mark, Problem, Problems
from toolkit.policy.syntax.forms import Form, describe, list_items
from toolkit.policy.syntax.nodes import ListNode, MapNode, Node, ScalarNode, plain

CASES: Final = "cases"
REFUSAL: Final = "error"  # how an ``expect`` names the code with which the document declines or refuses
KEYS: Final = ("id", "given", "expect")
OPTIONAL_KEYS: Final = ("row", "todo")


class Answer(NamedTuple):
    """One answer, expected or decided: outputs and the row that gives them; ``{error: code}`` where there are none.

    An expected answer names some outputs, and no row where any may give them. No row refuses an event.
    """

    outputs: Mapping[str, object]
    row: str | None

    def to_json(self) -> dict[str, object]:
        return {"outputs": dict(self.outputs), "row": self.row}


class Part(NamedTuple):
    """One expected answer with its places."""

    outputs: MapNode
    row: ScalarNode | None


@dataclass(frozen=True, slots=True)
class Case:
    """A case as it was written. ``overlay`` is the id of the one that brings it; null: the document's own.

    ``replaced_by`` is the overlay of a later layer whose case of this id stands for it, the last where there are more.
    """

    document: str
    id: str
    layer: str
    mark: Mark
    given: MapNode = field(repr=False)
    parts: tuple[Part, ...] = field(repr=False)
    todo: str | None
    overlay: str | None
    replaced_by: str | None = None

    @property
    def expected(self) -> tuple[Answer, ...]:
        """The answers that it expects."""
        return tuple(Answer(plain(one.outputs), _text(one.row)) for one in self.parts)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """What stands among the cases and is none: ``id`` is empty where it has none that can be read."""

    document: str
    id: str
    layer: str
    mark: Mark
    problems: tuple[Problem, ...]


def read_cases(entry: Entry, lists: bool, problems: Problems) -> list[Case | Unreadable]:
    """Every case of a document; ``lists`` says whether it answers with a list.

    A case of an overlay stands for the one of the same id of the document itself or of a lower layer. Those that it
    stands for are told just before it, as replaced. All faults are recorded.
    """
    slots: list[Sequence[Case | Unreadable]] = []  # of each id: what was replaced, then what stands for it
    places: dict[str, list[Case]] = {}  # those slots of readable ones, by id
    with problems.within(entry.head.id):
        for layer, overlay, node in _nodes(entry):
            before = len(problems.found)
            with problems.unit():
                case = _Reader(entry.head.id, layer, overlay, lists, problems).case(node)
                at = places.get(case.id)
                if at is None:
                    places[case.id] = [case]
                    slots.append(places[case.id])
                else:
                    at[:] = [*_replaced(at, case, problems), case]
            told = tuple(problems.found[before:])
            if told:
                slots.append([Unreadable(entry.head.id, _id_of(node), layer, node.mark, told)])
    return [one for slot in slots for one in slot]


def _nodes(entry: Entry) -> Iterator[tuple[str, str | None, Node]]:
    """The layer, the overlay and the tree of each case; those of overlays come in the order in which these apply."""
    own = entry.node.entries.get(CASES)
    for node in own.items if isinstance(own, ListNode) else ():
        yield entry.head.layer, None, node
    for brought in entry.cases:
        for node in brought.nodes:
            yield brought.layer, brought.overlay, node


def _replaced(others: Sequence[Case], case: Case, problems: Problems) -> list[Case]:
    """The cases of its id for which a case stands. Raises ``Flawed`` where it may not stand for the last of them."""
    standing = others[-1]
    own = case.overlay is None
    if own or (standing.overlay is not None and standing.layer == case.layer):
        message = f"the case {case.id!r} stands twice; first at {standing.mark}"
        problems.fail("duplicate_id", message, case.mark, "give it an id of its own")
    return [replace(other, replaced_by=case.overlay) for other in others]


def _id_of(node: Node) -> str:
    named = node.entries.get("id") if isinstance(node, MapNode) else None
    return named.value if isinstance(named, ScalarNode) and isinstance(named.value, str) else ""


def _text(node: ScalarNode | None) -> str | None:
    return node.value if node is not None and isinstance(node.value, str) else None


def is_refusal(node: Node) -> bool:
    """Whether an ``expect`` names a code and nothing else."""
    return isinstance(node, MapNode) and tuple(node.entries) == (REFUSAL,)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads one case of a document."""

    document: str
    layer: str
    overlay: str | None
    lists: bool
    problems: Problems

    def case(self, node: Node) -> Case:
        """Raises ``Flawed`` where anything is wrong with it, all of which is recorded."""
        before = self.problems.faults
        form = Form(node, "the case", self.problems, required=KEYS, optional=OPTIONAL_KEYS)
        name, given, parts, todo = "", None, None, None
        with self.problems.unit():
            name = read_id(form, "case", self.problems)
        with self.problems.unit():
            given = self._mapping(form.need("given"), "given")
        with self.problems.unit():
            parts = tuple(self._part(*pair) for pair in self._pairs(form))
        with self.problems.unit():
            todo = self._todo(form)
        if given is None or parts is None or self.problems.faults > before:
            raise Flawed
        return Case(self.document, name, self.layer, form.mark, given, parts, todo, self.overlay)

    def _todo(self, form: Form) -> str | None:
        if not form.has("todo"):
            return None
        text = form.text("todo")
        if not text.strip():
            self.problems.fail("empty", "todo says nothing", form.need("todo").mark, "say what is still missing")
        return text

    def _pairs(self, form: Form) -> list[tuple[Node, Node | None]]:
        """What is expected and the row that gives it: once, or for each answer of a list."""
        expect, row = form.need("expect"), form.get("row")
        if not self.lists or is_refusal(expect):
            return [(expect, row)]
        answers = list_items(expect, "expect", self.problems)
        if row is None:
            return [(answer, None) for answer in answers]
        rows = list_items(row, "row", self.problems)
        if len(rows) != len(answers):
            message = f"'expect' and 'row' are lists of one length: {len(answers)} and {len(rows)} are not the same"
            self.problems.fail("wrong_length", message, row.mark, "name the row of each answer, in their order")
        return list(zip(answers, rows, strict=True))

    def _part(self, expect: Node, row: Node | None) -> Part:
        outputs = self._mapping(expect, "expect")
        if row is not None and not (isinstance(row, ScalarNode) and isinstance(row.value, str)):
            hint = "the answer is no list here" if isinstance(row, ListNode) else None
            self.problems.fail("wrong_type", f"row must be text, not {describe(row)}", row.mark, hint)
        if not outputs.entries and row is None:
            message = "an empty 'expect' without a row tests nothing"
            self.problems.fail("empty", message, outputs.mark, "name an output, or the row that answers")
        return Part(outputs, row)

    def _mapping(self, node: Node, what: str) -> MapNode:
        if not isinstance(node, MapNode):
            hint = "the answer is no list here" if isinstance(node, ListNode) and what == "expect" else None
            message = f"{what} must be a mapping of names to values, not {describe(node)}"
            self.problems.fail("wrong_type", message, node.mark, hint)
        return node
