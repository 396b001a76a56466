"""Reading a table: its declarations first, then its rows and invariants, each held against what was declared."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from toolkit.policy.documents.heads import HEAD, Head
from toolkit.policy.language.cells import CellReader
from toolkit.policy.language.conditions import Condition, uses_patterns
from toolkit.policy.language.declarations import Declarations, Scope
from toolkit.policy.language.patterns import PatternBudget
from toolkit.policy.language.produced import ThenReader
from toolkit.policy.language.rules import HITS, UNIQUE, Invariant, Row, TableDocument, When
from toolkit.policy.problems import Flawed, Mark, Problems, did_you_mean, shown
from toolkit.policy.syntax.forms import Form, list_items
from toolkit.policy.syntax.nodes import ListNode, MapNode, Node, ScalarNode
from toolkit.policy.types import Input, ListType, RecordType, Value

MAX_ROWS = 10_000
KEYS = ("inputs", "outputs", "rows")
OPTIONAL_KEYS = ("source", "order_note", "cases", "hit", "each", "let", "require")


def read_table(head: Head, form: Form, declarations: Declarations, budget: PatternBudget) -> TableDocument:
    """A table of the set. Every fault of it is recorded; raises ``Flawed`` where what is left makes no table."""
    problems = declarations.problems
    form.expect(KEYS, (*HEAD, *OPTIONAL_KEYS))
    before = len(problems.found), problems.unread
    hit = form.choice("hit", HITS, UNIQUE)
    scope, each = _read_scope(form, declarations, problems)
    outputs, stronger = _read_outputs(form, declarations, problems)
    if (len(problems.found), problems.unread) > before:
        # Rows held against half a declaration would only repeat its faults.
        raise Flawed
    form.items("cases")
    whens = WhenReader(scope, budget, problems, apart="make the table 'hit: first'" if hit == UNIQUE else "")
    reader = _RowReader(scope, outputs, head.layer, whens, problems)
    rows = reader.rows(form)
    require = reader.invariants(form)
    order_note = form.text_or("order_note", "")
    return TableDocument(
        head, hit, MappingProxyType(scope.inputs), each, tuple(scope.lets.values()), MappingProxyType(outputs),
        MappingProxyType(stronger), rows, require, order_note, frozenset(declarations.references),
    )  # fmt: skip


def _read_scope(form: Form, declarations: Declarations, problems: Problems) -> tuple[Scope, str | None]:
    scope = Scope()
    each = form.text("each") if form.has("each") else None
    for name, node, mark in form.entries("inputs"):
        with problems.unit():
            scope.add(declarations.input(name, node, mark, each=name == each), scope.inputs)
    if each is not None:
        _read_each(each, form, scope, problems)
    for name, node, mark in form.entries("let"):
        with problems.unit():
            scope.lets[name] = declarations.let(name, node, mark, scope)
    return scope, each


def _read_each(each: str, form: Form, scope: Scope, problems: Problems) -> None:
    with problems.unit():
        named = scope.inputs.get(each)
        mark = form.need("each").mark
        if named is None:
            hint = did_you_mean(each, scope.inputs)
            problems.fail("unknown_input", f"'each' names no input: {shown(each)}", mark, hint)
        if not (isinstance(named.type, ListType) and isinstance(named.type.items, RecordType)) or named.optional:
            problems.fail("wrong_type", f"'each' needs a list of records that is never null: {each!r}", mark)
        for name, field in named.type.items.fields.items():
            if name in scope.inputs:
                problems.fail("duplicate_id", f"the field {name!r} has the name of an input", field.mark)
            scope.add(field, scope.fields)


def _read_outputs(
    form: Form, declarations: Declarations, problems: Problems
) -> tuple[dict[str, Input], dict[str, tuple[Value, ...]]]:
    outputs: dict[str, Input] = {}
    stronger: dict[str, tuple[Value, ...]] = {}
    entries = list(form.entries("outputs"))
    if form.has("outputs") and not entries:
        problems.fail("empty", "a table needs outputs", form.need("outputs").mark)
    for name, node, mark in entries:
        with problems.unit():
            outputs[name], declared = declarations.output(name, node, mark)
            if declared is not None:
                stronger[name] = declared
    return outputs, stronger


class WhenReader:
    """Reads the conditions of rows, transitions and invariants against the names in one scope.

    ``apart`` says what to do instead of asking a pattern, where rows are proved apart; empty where patterns may stand.
    """

    def __init__(self, scope: Scope, budget: PatternBudget, problems: Problems, *, apart: str = "") -> None:
        self.scope = scope
        self.problems = problems
        self.cells = CellReader(budget, problems)
        self.apart = apart

    def read(self, node: Node, what: str, *, top: bool = True) -> When:
        """A whole ``when``; ``what`` names the row or transition in messages (``row 'docs'``)."""
        if not isinstance(node, MapNode) or not node.entries:
            message = f"{what}: 'when' must be a mapping of names to conditions"
            self.problems.fail("wrong_type", message, node.mark, "leave 'when' out where it always matches")
        cells = []
        alternatives: tuple[When, ...] = ()
        for name, cell in node.entries.items():
            with self.problems.unit():
                if name == "any_of" and top:
                    parts = list_items(cell, "any_of", self.problems)
                    alternatives = tuple(self.read(part, what, top=False) for part in parts)
                    if not alternatives:
                        self.problems.fail("empty_cell", "any_of needs at least one alternative", cell.mark)
                else:
                    cells.append((name, self.cell(name, cell, node.key_marks[name])))
        return When(tuple(cells), alternatives)

    def cell(self, name: str, node: Node, mark: Mark) -> Condition:
        """The condition on one name."""
        found = self.scope.find(name)
        if found is None:
            hint = did_you_mean(name, self.scope.names())
            self.problems.fail("unknown_input", f"there is no input or let {shown(name)}", mark, hint)
        kind, optional = found
        declared = self.scope.declared(name)
        if declared is not None and declared.informs:
            self.problems.fail("informs", f"{name!r} only informs: nothing may test it", mark)
        if isinstance(kind, ListType) and isinstance(kind.items, RecordType):
            self.problems.fail("wrong_operator", f"{name!r} is the list of 'each': test its fields", mark)
        condition = self.cells.read(node, kind, optional)
        if self.apart and uses_patterns(condition):
            message = f"{name!r}: a glob or pattern has no place here, since nothing proves its rows apart"
            self.problems.fail("pattern_in_unique", message, mark, self.apart)
        return condition


class _RowReader:
    """Reads rows and invariants against one scope."""

    def __init__(
        self, scope: Scope, outputs: Mapping[str, Input], layer: str, whens: WhenReader, problems: Problems
    ) -> None:
        self.scope = scope
        self.outputs = outputs
        self.layer = layer
        self.whens = whens
        self.problems = problems
        self.then = ThenReader(scope, outputs, problems)

    def rows(self, form: Form) -> tuple[Row, ...]:
        nodes = form.items("rows")
        if len(nodes) > MAX_ROWS:
            message = f"a table has at most {MAX_ROWS} rows, not {len(nodes)}"
            self.problems.fail("too_many_rows", message, form.need("rows").mark)
        rows: dict[str, Row] = {}
        for node in nodes:
            with self.problems.unit():
                row = self._row(node)
                if row.id in rows:
                    first = rows[row.id].mark.line
                    message = f"the row {row.id!r} stands twice; first at line {first}"
                    self.problems.fail("duplicate_id", message, row.mark)
                rows[row.id] = row
        if form.has("rows") and not nodes:
            self.problems.fail("empty", "a table needs rows", form.need("rows").mark)
        return tuple(rows.values())

    def _row(self, node: Node) -> Row:
        form = Form(node, "the row", self.problems, required=("id", "then"), optional=("when", "source"))
        name = read_id(form, "row", self.problems)
        when = self.whens.read(form.need("when"), f"row {name!r}") if form.has("when") else When()
        error, then = self.then.read(form.need("then"), name, when)
        return Row(name, when, MappingProxyType(then), error, form.text_or("source", ""), self.layer, form.mark)

    def invariants(self, form: Form) -> tuple[Invariant, ...]:
        read = []
        for node in form.items("require"):
            with self.problems.unit():
                read.append(self._invariant(node))
        return tuple(read)

    def _invariant(self, node: Node) -> Invariant:
        form = Form(node, "the requirement", self.problems, required=("when_output", "inputs"))
        outputs = {name: self._output_values(name, cell, mark) for name, cell, mark in form.entries("when_output")}
        inputs = []
        for name, cell, mark in form.entries("inputs"):
            found = self.scope.find(name)
            if found is not None and isinstance(found[0], ListType):
                self.problems.fail("wrong_operator", f"a requirement can't name the list {name!r}", mark)
            inputs.append((name, self.whens.cell(name, cell, mark)))
        if not outputs or not inputs:
            self.problems.fail("empty", "a requirement names outputs and inputs", node.mark)
        return Invariant(MappingProxyType(outputs), tuple(inputs))

    def _output_values(self, name: str, node: Node, mark: Mark) -> tuple[Value, ...]:
        output = self.outputs.get(name)
        if output is None:
            hint = did_you_mean(name, self.outputs)
            self.problems.fail("unknown_output", f"there is no output {shown(name)}", mark, hint)
        values: list[Value] = []
        for item in node.items if isinstance(node, ListNode) else [node]:
            if not (isinstance(item, ScalarNode) and output.accepts(item.value)):
                self.problems.fail("wrong_value", f"{name!r} is {output.describe()}", item.mark)
            values.append(item.value)
        if not values:
            self.problems.fail("empty_cell", f"{name!r} needs at least one value", node.mark)
        return tuple(values)


def read_id(form: Form, what: str, problems: Problems) -> str:
    """The ``id`` of a row or transition, as ``what`` calls it."""
    name = form.text("id")
    if not is_row_id(name):
        problems.fail("bad_id", f"{shown(name)} is no {what} id", form.need("id").mark, "lower-case-words")
    return name


def is_row_id(text: str) -> bool:
    """Whether a row, a transition or an event may be called so."""
    return row_id_pattern().match(text) is not None


@cache
def row_id_pattern() -> re.Pattern[str]:
    return re.compile(r"[a-z0-9][a-z0-9_.-]{0,80}\Z")
