"""What a case may say of a table or machine: facts of the declared types, outputs that it has, rows that it has."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final, NamedTuple

from toolkit.authoring.testing.cases import REFUSAL, Case, Part, is_refusal
from toolkit.policy.problems import Problems, did_you_mean, shown
from toolkit.policy.syntax.nodes import ListNode, MapNode, Node, ScalarNode, plain
from toolkit.policy.types import Input, IntegerType, ListType, RecordType, Type

ITEM: Final = "item"  # the index of the item that an answer of an ``each`` table is about


def hold_facts(declared: Mapping[str, Input], given: MapNode, problems: Problems) -> None:
    """Record every fact that is missing, unknown or of the wrong type."""
    for name, one in declared.items():
        node = given.entries.get(name)
        if node is None:
            problems.add("fact_missing", f"the fact {name!r} is missing ({one.describe()})", given.mark)
        else:
            _hold_value("fact", name, node, one, problems)
    for name, mark in given.key_marks.items():
        if name not in declared:
            problems.add("fact_unknown", f"there is no fact {shown(name)}", mark, did_you_mean(name, declared))


class Expectable(NamedTuple):
    """What can be expected of a document: its outputs, the codes of its refusals, its rows, and what it calls these."""

    outputs: Mapping[str, Input]
    codes: Collection[str]
    rows: Collection[str]
    word: str


def hold_expected(case: Case, known: Expectable, problems: Problems) -> None:
    """Record what is expected and can't be: an output, value, code or row that the document does not have.

    The row of a case that is still to do may be missing.
    """
    for part in case.parts:
        if is_refusal(part.outputs) and REFUSAL not in known.outputs:
            _hold_code(part, known.codes, problems)
        else:
            _hold_outputs(part, known.outputs, problems)
        if part.row is not None and case.todo is None and part.row.value not in known.rows:
            message = f"{case.document} has no {known.word} {shown(part.row.value)}"
            hint = did_you_mean(str(part.row.value), known.rows)
            problems.add(f"unknown_{known.word}", message, part.row.mark, hint)


def _hold_code(part: Part, codes: Collection[str], problems: Problems) -> None:
    node = part.outputs.entries[REFUSAL]
    code = node.value if isinstance(node, ScalarNode) else None
    if not isinstance(code, str) or code not in codes:
        hint = did_you_mean(code, codes) if isinstance(code, str) else None
        problems.add("unknown_code", f"nothing here is refused with {shown(plain(node))}", node.mark, hint)


def _hold_outputs(part: Part, outputs: Mapping[str, Input], problems: Problems) -> None:
    for name, node in part.outputs.entries.items():
        if name not in outputs:
            message, hint = f"there is no output {shown(name)}", did_you_mean(name, outputs)
            problems.add("unknown_output", message, part.outputs.key_marks[name], hint)
        else:
            _hold_value("output", name, node, outputs[name], problems)


def _hold_value(what: str, name: str, node: Node, declared: Input, problems: Problems) -> None:
    """Record the innermost part of a value that is not of its type."""
    value = plain(node)
    if declared.accepts(value):
        return
    code = "fact_invalid" if what == "fact" else "wrong_value"
    for wrong, kind in _blamed(node, declared.type):
        within = f" in the {what} {name!r}" if wrong is not node else ""
        subject = f"the {what} {name!r}" if wrong is node else "a value"
        optional = ", or null" if wrong is node and declared.optional else ""
        message = f"{subject}{within} is {shown(plain(wrong))}, not {kind}{optional}"
        problems.add(code, message, wrong.mark, None)


def _blamed(node: Node, kind: Type) -> Iterator[tuple[Node, str]]:
    """The first part of a value for which it is refused, and what should stand there."""
    if isinstance(kind, ListType) and isinstance(node, ListNode):
        wrong = next(item for item in node.items if not kind.items.accepts(plain(item)))
        yield from _blamed(wrong, kind.items)
        return
    if isinstance(kind, RecordType) and isinstance(node, MapNode) and node.entries.keys() == kind.fields.keys():
        for name, field in kind.fields.items():
            if not field.accepts(plain(node.entries[name])):
                yield from _blamed(node.entries[name], field.type)
        return
    yield node, kind.describe()


def item_output(like: Input) -> Input:
    """The index of an item, as an output of an ``each`` table."""
    return Input(ITEM, IntegerType(minimum=0), optional=False, informs=False, mark=like.mark)
