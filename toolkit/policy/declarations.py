"""Reading what a table declares: its inputs, its lets and its outputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from toolkit.policy.arithmetic import ExpressionError, Term, parse_expression
from toolkit.policy.documents import Vocabulary
from toolkit.policy.forms import Form, text_of
from toolkit.policy.nodes import ListNode, Node, ScalarNode, plain
from toolkit.policy.problems import Mark, Problems, did_you_mean
from toolkit.policy.scalars import MAX_INTEGER
from toolkit.policy.types import BooleanType, Input, IntegerType, ListType, RecordType, TermType, TextType, Type

TYPES = ("boolean", "integer", "string", "path", "text", "term", "list", "record")
_COMMON = ("type", "optional", "informs")
_KEYS = {"integer": ("minimum", "maximum"), "term": ("of", "one_of"), "list": ("items",), "record": ("fields",)}


@dataclass(frozen=True, slots=True)
class Let:
    """A named value computed from integer inputs; ``optional`` where one of those may be null (then so is it)."""

    name: str
    term: Term
    optional: bool
    mark: Mark


@dataclass(slots=True)
class Scope:
    """The names that the cells of a table may test."""

    inputs: dict[str, Input] = field(default_factory=dict)
    fields: dict[str, Input] = field(default_factory=dict)
    lets: dict[str, Let] = field(default_factory=dict)

    def find(self, name: str) -> tuple[Type, bool] | None:
        """Type and optionality of a name."""
        found = self.inputs.get(name) or self.fields.get(name)
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

    def input(self, name: str, node: Node, mark: Mark, *, extra: tuple[str, ...] = (), each: bool = False) -> Input:
        """One declared input, field or output."""
        form = Form(node, f"{name!r}", self.problems, required=("type",), optional=self._allowed(node, extra))
        kind = self._type(form, record=each)
        return Input(name, kind, form.flag("optional"), form.flag("informs"), mark)

    def _allowed(self, node: Node, extra: tuple[str, ...]) -> tuple[str, ...]:
        kind = plain(node).get("type") if hasattr(node, "entries") else None
        return (*_COMMON, *extra, *_KEYS.get(kind if isinstance(kind, str) else "", ()))

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
            self.problems.fail("unknown_vocabulary", f"there is no vocabulary {name!r}", mark, hint)
        self.references.add(name)
        for term in subset or ():
            if term not in vocabulary.terms:
                hint = did_you_mean(term, vocabulary.terms)
                self.problems.fail("unknown_term", f"{term!r} is no term of {name}", form.need("one_of").mark, hint)
        return TermType(subset or vocabulary.terms, name, vocabulary.strengths)

    def _subset(self, form: Form) -> tuple[str, ...]:
        terms = tuple(form.words("one_of"))
        if not terms or len(set(terms)) != len(terms):
            self.problems.fail("bad_one_of", "one_of lists each term once", form.need("one_of").mark)
        return terms

    def _items(self, form: Form, record: bool) -> Type:
        inner = Form(form.need("items"), "items", self.problems, required=("type",), optional=self._allowed_items(form))
        if record and inner.text("type") == "record":
            fields = {name: self.input(name, node, mark) for name, node, mark in inner.entries("fields")}
            if not fields:
                self.problems.fail("empty", "a record needs fields", inner.mark)
            return RecordType(fields)
        kind = self._type(inner)
        if isinstance(kind, ListType):
            self.problems.fail("nested_list", "a list of lists can't be tested", inner.mark)
        return kind

    def _allowed_items(self, form: Form) -> tuple[str, ...]:
        items = form.need("items")
        value = plain(items)
        kind = value.get("type") if isinstance(value, dict) else None
        return _KEYS.get(kind, ()) if isinstance(kind, str) else ()

    def let(self, name: str, node: Node, mark: Mark, scope: Scope) -> Let:
        """One let over the integer inputs and earlier lets."""
        text = text_of(node, f"the let {name!r}", self.problems)
        known: dict[str, bool] = {}
        for other in scope.names():
            found = scope.find(other)
            if found is not None and isinstance(found[0], IntegerType):
                known[other] = found[1]
        try:
            term = parse_expression(text, known)
        except ExpressionError as fault:
            self.problems.fail("bad_expression", f"{name}: {fault}", node.mark)
        return Let(name, term, any(known[used] for used in term.names), mark)

    def stronger(self, name: str, node: Node, kind: Type) -> tuple[object, ...]:
        """``stronger: [gravest, ...]``: every possible value of the output once, gravest first."""
        if not isinstance(node, ListNode):
            self.problems.fail("wrong_type", "stronger must be a list", node.mark)
        values = tuple(item.value for item in node.items if isinstance(item, ScalarNode))
        possible: tuple[object, ...] = (True, False) if isinstance(kind, BooleanType) else ()
        if isinstance(kind, TermType):
            possible = kind.terms
        for value in values:
            if value is not None and not any(value is other or value == other for other in possible):
                self.problems.fail("wrong_value", f"{value!r} is no value of the output {name!r}", node.mark)
        if set(possible) - set(values) or len(set(values)) != len(values):
            self.problems.fail("bad_stronger", f"stronger lists every value of {name!r} once, gravest first", node.mark)
        return values
