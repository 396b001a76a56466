"""Reading what a table declares: its inputs, its lets and its outputs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from toolkit.policy.documents.heads import Vocabulary
from toolkit.policy.language.arithmetic import INPUT_BITS, ExpressionError, parse_expression
from toolkit.policy.language.rules import Let
from toolkit.policy.problems import Mark, Problems, did_you_mean, shown
from toolkit.policy.syntax.forms import Form, text_of
from toolkit.policy.syntax.nodes import ListNode, MapNode, Node, ScalarNode
from toolkit.policy.syntax.scalars import MAX_INTEGER
from toolkit.policy.types import BooleanType, Input, IntegerType, ListType, RecordType, TermType, TextType, Type, Value

TYPES = ("boolean", "integer", "string", "path", "text", "term", "list", "record")
RESERVED = ("any_of", "error", "item")  # a row's alternatives, a row's refusal, the index of an ``each`` result
KEYS_OF_TYPE = {"integer": ("minimum", "maximum"), "term": ("of", "one_of"), "list": ("items",), "record": ("fields",)}


@dataclass(slots=True)
class Scope:
    """The names that the cells of a table may test. ``numbers`` are those that a let may read, with their bits."""

    inputs: dict[str, Input] = field(default_factory=dict)
    fields: dict[str, Input] = field(default_factory=dict)
    lets: dict[str, Let] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)

    def add(self, declared: Input, among: dict[str, Input]) -> None:
        among[declared.name] = declared
        if isinstance(declared.type, IntegerType) and not declared.informs:
            self.numbers[declared.name] = INPUT_BITS

    def declared(self, name: str) -> Input | None:
        return self.inputs.get(name) or self.fields.get(name)

    def find(self, name: str) -> tuple[Type, bool] | None:
        """Type and optionality of a name."""
        found = self.declared(name)
        if found is not None:
            return found.type, found.optional
        let = self.lets.get(name)
        return None if let is None else (IntegerType(), let.optional)

    def names(self) -> tuple[str, ...]:
        return (*self.inputs, *self.fields, *self.lets)


class Declarations:
    """Reads types against the vocabularies of the set; remembers which of them are referenced."""

    def __init__(self, vocabularies: Mapping[str, Vocabulary], problems: Problems) -> None:
        self.vocabularies = vocabularies
        self.problems = problems
        self.references: set[str] = set()

    def input(self, name: str, node: Node, mark: Mark, *, each: bool = False) -> Input:
        """One declared input or field; the input that ``each`` names may be a list of records."""
        self._check_name(name, mark)
        form = Form(node, f"{name!r}", self.problems, required=("type",), optional=_keys(node, "optional", "informs"))
        return Input(name, self._type(form, record=each), form.flag("optional"), form.flag("informs"), mark)

    def output(self, name: str, node: Node, mark: Mark) -> tuple[Input, tuple[Value, ...] | None]:
        """One declared output, and its values from the gravest on where it says ``stronger``."""
        self._check_name(name, mark)
        form = Form(node, f"{name!r}", self.problems, required=("type",), optional=_keys(node, "optional", "stronger"))
        output = Input(name, self._type(form), form.flag("optional"), False, mark)
        return output, self._stronger(output, form.need("stronger")) if form.has("stronger") else None

    def _check_name(self, name: str, mark: Mark) -> None:
        if name in RESERVED:
            self.problems.fail("reserved_name", f"{name!r} has a meaning of its own in a table", mark, "rename it")
        if not name_pattern().match(name):
            message = f"{shown(name)} can't name an input, let or output"
            self.problems.fail("bad_name", message, mark, "lower_case_words")

    def _type(self, form: Form, *, record: bool = False) -> Type:
        kind = form.choice("type", TYPES)
        if kind == "boolean":
            return BooleanType()
        if kind == "integer":
            return self._integer(form)
        if kind == "term":
            return self._term(form)
        if kind == "list":
            return ListType(self._items(form, record))
        if kind == "record":
            message = "a record is only the item of the list that 'each' names"
            self.problems.fail("record_misplaced", message, form.need("type").mark)
        return TextType(kind)

    def _integer(self, form: Form) -> IntegerType:
        low, high = form.integer_or_none("minimum"), form.integer_or_none("maximum")
        low, high = -MAX_INTEGER if low is None else low, MAX_INTEGER if high is None else high
        if low > high:
            self.problems.fail("empty_range", f"no integer lies between {low} and {high}", form.mark)
        return IntegerType(low, high)

    def _term(self, form: Form) -> TermType:
        subset = self._subset(form) if form.has("one_of") else None
        if not form.has("of"):
            if subset is None:
                self.problems.fail("missing_key", "a term needs 'of' (a vocabulary) or 'one_of'", form.mark)
            return TermType(subset)
        name, mark = form.text("of"), form.need("of").mark
        vocabulary = self.vocabularies.get(name)
        if vocabulary is None:
            hint = did_you_mean(name, self.vocabularies)
            self.problems.fail("unknown_vocabulary", f"there is no vocabulary {shown(name)}", mark, hint)
        self.references.add(name)
        if subset is None:
            return vocabulary.type
        for term, node in zip(subset, form.items("one_of"), strict=True):
            if term not in vocabulary.type.members:
                hint = did_you_mean(term, vocabulary.terms)
                self.problems.fail("unknown_term", f"{shown(term)} is no term of {name}", node.mark, hint)
        return TermType(subset, name, vocabulary.type.strengths)

    def _subset(self, form: Form) -> tuple[str, ...]:
        terms = tuple(form.words("one_of"))
        if not terms or len(set(terms)) != len(terms):
            self.problems.fail("bad_one_of", "one_of lists each term once", form.need("one_of").mark)
        return terms

    def _items(self, form: Form, record: bool) -> Type:
        node = form.need("items")
        inner = Form(node, "items", self.problems, required=("type",), optional=_keys(node))
        if record and inner.text("type") == "record":
            fields: dict[str, Input] = {}
            for name, field_node, mark in inner.entries("fields"):
                with self.problems.unit():
                    fields[name] = self.input(name, field_node, mark)
            if not fields:
                self.problems.fail("empty", "a record needs fields", inner.mark)
            return RecordType(fields)
        kind = self._type(inner)
        if isinstance(kind, ListType):
            self.problems.fail("nested_list", "a list of lists can't be tested", inner.mark)
        return kind

    def let(self, name: str, node: Node, mark: Mark, scope: Scope) -> Let:
        """One let over the integer inputs and earlier lets."""
        self._check_name(name, mark)
        if scope.find(name) is not None:
            self.problems.fail("duplicate_id", f"{name!r} is an input already", mark)
        text = text_of(node, f"the let {name!r}", self.problems)
        try:
            term = parse_expression(text, scope.numbers)
        except ExpressionError as fault:
            told = [one.name for one in (*scope.inputs.values(), *scope.fields.values()) if one.informs]
            hint = next((f"{one!r} only informs, so a let can't read it" for one in told if one in text), None)
            self.problems.fail("bad_expression", f"{name}: {fault}", node.mark, hint)
        scope.numbers[name] = term.bits
        found = (scope.find(used) for used in term.names)
        return Let(name, term, any(one is not None and one[1] for one in found))

    def _stronger(self, output: Input, node: Node) -> tuple[Value, ...]:
        """``stronger: [gravest, ...]``: every possible value of the output once, gravest first."""
        kind = output.type
        if not isinstance(kind, (BooleanType, TermType)):
            message = f"stronger belongs to booleans and terms; this is {kind.describe()}"
            self.problems.fail("wrong_type", message, node.mark)
        if not isinstance(node, ListNode):
            self.problems.fail("wrong_type", "stronger must be a list", node.mark)
        values: list[Value] = []
        for item in node.items:
            if not (isinstance(item, ScalarNode) and output.accepts(item.value)):
                message = f"stronger lists values of {output.name!r}: {output.describe()}"
                self.problems.fail("wrong_value", message, item.mark)
            values.append(item.value)
        possible = (2 if isinstance(kind, BooleanType) else len(kind.terms)) + output.optional
        if len(set(values)) != len(values) or len(values) != possible:
            message = f"stronger lists every value of {output.name!r} once, gravest first"
            self.problems.fail("bad_stronger", message, node.mark)
        return tuple(values)


def _keys(node: Node, *more: str) -> tuple[str, ...]:
    """The keys that may stand beside ``type``, as far as the type is known."""
    kind = node.entries.get("type") if isinstance(node, MapNode) else None
    name = kind.value if isinstance(kind, ScalarNode) else None
    return (*more, *KEYS_OF_TYPE.get(name, ())) if isinstance(name, str) else more


@cache
def name_pattern() -> re.Pattern[str]:
    return re.compile(r"[a-z][a-z0-9_]{0,60}\Z")
