"""Reading a table: its declarations first, then its rows and invariants, each held against what was declared."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from toolkit.policy.cells import read_condition
from toolkit.policy.conditions import Condition, Equals, OneOf, excludes_null, uses_patterns
from toolkit.policy.declarations import Declarations, Scope
from toolkit.policy.documents import HEAD, HEAD_OPTIONAL, Head
from toolkit.policy.forms import Form, list_items
from toolkit.policy.nodes import ListNode, MapNode, Node, ScalarNode, plain
from toolkit.policy.problems import Mark, Problems, did_you_mean
from toolkit.policy.tables import HITS, UNIQUE, Invariant, Produced, Reference, Row, TableDocument, When
from toolkit.policy.types import BooleanType, Input, IntegerType, ListType, RecordType, TermType, Type, Value, freeze

MAX_ROWS = 10_000
KEYS = ("inputs", "outputs", "rows")
OPTIONAL_KEYS = ("hit", "each", "let", "require")


def read_table(head: Head, form: Form, declarations: Declarations, problems: Problems) -> TableDocument:
    """A table of the set. Every fault of it is recorded; raises ``Flawed`` where what is left makes no table."""
    Form(form.node, "the table", problems, required=(*HEAD, *KEYS), optional=(*HEAD_OPTIONAL, *OPTIONAL_KEYS))
    before = len(problems.found)
    hit = form.choice("hit", HITS, UNIQUE)
    scope, each = _read_scope(form, declarations, problems)
    outputs, stronger = _read_outputs(form, declarations, problems)
    if len(problems.found) > before:
        # Rows held against half a declaration would only repeat its faults.
        from toolkit.policy.problems import Flawed

        raise Flawed
    reader = _RowReader(scope, outputs, hit, head.layer, problems)
    rows = reader.rows(form)
    require = reader.invariants(form)
    order_note = form.text_or("order_note", "")
    return TableDocument(
        head, hit, scope.inputs, each, tuple(scope.lets.values()), outputs, stronger, rows, require, order_note,
        frozenset(declarations.references),
    )  # fmt: skip


def _read_scope(form: Form, declarations: Declarations, problems: Problems) -> tuple[Scope, str | None]:
    scope = Scope()
    each = form.text("each") if form.has("each") else None
    for name, node, mark in form.entries("inputs"):
        with problems.unit():
            _name(name, mark, problems)
            scope.inputs[name] = declarations.input(name, node, mark, each=name == each)
    if each is not None:
        _read_each(each, form, scope, problems)
    for name, node, mark in form.entries("let"):
        with problems.unit():
            _name(name, mark, problems)
            if name in scope.names():
                problems.fail("duplicate_id", f"{name!r} is an input already", mark)
            scope.lets[name] = declarations.let(name, node, mark, scope)
    return scope, each


def _read_each(each: str, form: Form, scope: Scope, problems: Problems) -> None:
    with problems.unit():
        named = scope.inputs.get(each)
        mark = form.need("each").mark
        if named is None:
            problems.fail("unknown_input", f"'each' names no input: {each!r}", mark, did_you_mean(each, scope.inputs))
        if not (isinstance(named.type, ListType) and isinstance(named.type.items, RecordType)) or named.optional:
            problems.fail("wrong_type", f"'each' needs a list of records that is never null: {each!r}", mark)
        for name, field in named.type.items.fields.items():
            if name in scope.inputs:
                problems.fail("duplicate_id", f"the field {name!r} has the name of an input", field.mark)
            scope.fields[name] = field


def _read_outputs(
    form: Form, declarations: Declarations, problems: Problems
) -> tuple[dict[str, Input], dict[str, tuple[object, ...]]]:
    outputs: dict[str, Input] = {}
    stronger: dict[str, tuple[object, ...]] = {}
    for name, node, mark in form.entries("outputs"):
        with problems.unit():
            _name(name, mark, problems)
            if name == "error":
                problems.fail("reserved_name", "an output can't be called 'error': a row uses it to decline", mark)
            outputs[name] = declarations.input(name, node, mark, extra=("stronger",))
            declared = node.entries.get("stronger") if isinstance(node, MapNode) else None
            if declared is not None:
                stronger[name] = declarations.stronger(name, declared, outputs[name].type)
    if not outputs and not problems.found:
        problems.fail("empty", "a table needs outputs", form.mark)
    return outputs, stronger


class _RowReader:
    """Reads rows and invariants against one scope."""

    def __init__(
        self, scope: Scope, outputs: Mapping[str, Input], hit: str, layer: str, problems: Problems
    ) -> None:
        self.scope = scope
        self.outputs = outputs
        self.hit = hit
        self.layer = layer
        self.problems = problems

    def rows(self, form: Form) -> tuple[Row, ...]:
        nodes = form.items("rows")
        if len(nodes) > MAX_ROWS:
            self.problems.fail("too_many_rows", f"a table has at most {MAX_ROWS} rows, not {len(nodes)}", form.mark)
        rows: dict[str, Row] = {}
        for node in nodes:
            with self.problems.unit():
                row = self._row(node)
                if row.id in rows:
                    first = rows[row.id].mark.line
                    message = f"the row {row.id!r} stands twice; first at line {first}"
                    self.problems.fail("duplicate_id", message, row.mark)
                rows[row.id] = row
        if not nodes:
            self.problems.fail("empty", "a table needs rows", form.mark)
        return tuple(rows.values())

    def _row(self, node: Node) -> Row:
        form = Form(node, "the row", self.problems, required=("id", "then"), optional=("when", "source"))
        name = form.text("id")
        if not _row_id_pattern().match(name):
            self.problems.fail("bad_id", f"{name[:60]!r} is no row id", form.need("id").mark, "lower-case-words")
        when = self._when(form.need("when"), name) if form.has("when") else When()
        error, then = self._then(form.need("then"), name, when)
        return Row(name, when, then, error, form.text_or("source", ""), self.layer, form.mark)

    def _when(self, node: Node, row: str, *, top: bool = True) -> When:
        if not isinstance(node, MapNode) or not node.entries:
            message = f"row {row!r}: 'when' must be a mapping of names to conditions"
            self.problems.fail("wrong_type", message, node.mark, "leave 'when' out where the row always matches")
        cells = []
        alternatives: tuple[When, ...] = ()
        for name, cell in node.entries.items():
            if name == "any_of" and top and self.scope.find(name) is None:
                parts = list_items(cell, "any_of", self.problems)
                alternatives = tuple(self._when(part, row, top=False) for part in parts)
                if not alternatives:
                    self.problems.fail("empty_cell", "any_of needs at least one alternative", cell.mark)
            else:
                cells.append((name, self._cell(name, cell, node.key_marks[name])))
        return When(tuple(cells), alternatives)

    def _cell(self, name: str, node: Node, mark: Mark) -> Condition:
        found = self.scope.find(name)
        if found is None:
            hint = did_you_mean(name, self.scope.names())
            self.problems.fail("unknown_input", f"there is no input or let {name!r}", mark, hint)
        kind, optional = found
        declared = self.scope.inputs.get(name) or self.scope.fields.get(name)
        if declared is not None and declared.informs:
            self.problems.fail("informs", f"{name!r} only informs: no row may test it", mark)
        if isinstance(kind, ListType) and isinstance(kind.items, RecordType):
            self.problems.fail("wrong_operator", f"{name!r} is the list of 'each': test its fields", mark)
        condition = read_condition(node, kind, optional, self.problems)
        if self.hit == UNIQUE and uses_patterns(condition):
            message = f"{name!r}: a glob or pattern has no place in a unique table, since nothing proves it apart"
            self.problems.fail("pattern_in_unique", message, mark, "make the table 'hit: first'")
        return condition

    def _then(self, node: Node, row: str, when: When) -> tuple[str | None, dict[str, Produced]]:
        if isinstance(node, MapNode) and tuple(node.entries) == ("error",):
            code = Form(node, "then", self.problems, required=("error",)).text("error")
            if not _code_pattern().match(code):
                self.problems.fail("bad_id", f"{code[:60]!r} is no reason code", node.mark, "lower-case-words")
            return code, {}
        form = Form(node, f"'then' of row {row!r}", self.problems, required=tuple(self.outputs))
        then: dict[str, Produced] = {}
        for name, output in self.outputs.items():
            with self.problems.unit():
                then[name] = self._produced(form.need(name), output.type, output, when)
        return None, then

    def _produced(self, node: Node, kind: Type, output: Input, when: When) -> Produced:
        if isinstance(node, MapNode):
            return self._reference(node, kind, when)
        if isinstance(node, ListNode) and isinstance(kind, ListType):
            return tuple(self._produced(item, kind.items, output, when) for item in node.items)
        value = plain(node)
        if value is None and output.optional and kind is output.type:
            return None
        if not kind.accepts(value):
            hint = did_you_mean(value, kind.terms) if isinstance(kind, TermType) and isinstance(value, str) else None
            message = f"the output {output.name!r} can't be {value!r}: it is {output.describe()}"
            self.problems.fail("wrong_value", message, node.mark, hint)
        return freeze(value)

    def _reference(self, node: MapNode, kind: Type, when: When) -> Reference:
        name = Form(node, "the output", self.problems, required=("value",)).text("value")
        found = self.scope.find(name)
        mark = node.entries["value"].mark
        if found is None:
            hint = did_you_mean(name, self.scope.names())
            self.problems.fail("unknown_input", f"there is no input or let {name!r}", mark, hint)
        tests = [condition for tested, condition in when.cells if tested == name]
        if found[1] and not any(map(excludes_null, tests)):
            message = f"{name!r} may be null here"
            self.problems.fail("null_guard", message, mark, f"say '{name}: {{present: true}}' in this row's 'when'")
        if not _fits(_narrowed(found[0], tests), kind):
            message = f"{name!r} is {found[0].describe()}; the output is {kind.describe()}"
            self.problems.fail("wrong_type", message, mark)
        return Reference(name)

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
            inputs.append((name, self._cell(name, cell, mark)))
        if not outputs or not inputs:
            self.problems.fail("empty", "a requirement names outputs and inputs", node.mark)
        return Invariant(outputs, tuple(inputs))

    def _output_values(self, name: str, node: Node, mark: Mark) -> tuple[Value, ...]:
        output = self.outputs.get(name)
        if output is None:
            hint = did_you_mean(name, self.outputs)
            self.problems.fail("unknown_output", f"there is no output {name!r}", mark, hint)
        values = node.items if isinstance(node, ListNode) else [node]
        for item in values:
            if not (isinstance(item, ScalarNode) and output.accepts(item.value)):
                self.problems.fail("wrong_value", f"{name!r} is {output.describe()}", item.mark)
        return tuple(freeze(plain(item)) for item in values)


def _narrowed(kind: Type, tests: list[Condition]) -> Type:
    """A term type narrowed to the constants that the row's own cell allows."""
    if not isinstance(kind, TermType):
        return kind
    terms = kind.terms
    for test in tests:
        if isinstance(test, Equals):
            terms = tuple(term for term in terms if term == test.value)
        elif isinstance(test, OneOf):
            terms = tuple(term for term in terms if term in test.values)
    return TermType(terms, kind.vocabulary, kind.strengths)


def _fits(given: Type, wanted: Type) -> bool:
    """Whether every value of one type is a value of the other."""
    if isinstance(given, TermType) and isinstance(wanted, TermType):
        return set(given.terms) <= set(wanted.terms)
    if isinstance(given, IntegerType) and isinstance(wanted, IntegerType):
        return True  # bounds are held at each decision: a let's own are not known here
    if isinstance(given, ListType) and isinstance(wanted, ListType):
        return _fits(given.items, wanted.items)
    if isinstance(given, BooleanType):
        return isinstance(wanted, BooleanType)
    return given == wanted


def _name(name: str, mark: Mark, problems: Problems) -> None:
    if not _name_pattern().match(name):
        problems.fail("bad_name", f"{name[:60]!r} can't name an input, let or output", mark, "lower_case_words")


@cache
def _name_pattern() -> re.Pattern[str]:
    return re.compile(r"[a-z][a-z0-9_]{0,60}\Z")


@cache
def _row_id_pattern() -> re.Pattern[str]:
    return re.compile(r"[a-z0-9][a-z0-9_.-]{0,80}\Z")


@cache
def _code_pattern() -> re.Pattern[str]:
    return re.compile(r"[a-z][a-z0-9_/-]{0,80}\Z")
