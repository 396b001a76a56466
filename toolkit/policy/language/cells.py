"""Reading a cell: from the YAML of a condition to a ``Condition``, held against the type that it tests."""

from __future__ import annotations

from toolkit.policy.language.conditions import (
    COMPARISONS,
    AllOf,
    Compare,
    Condition,
    Equals,
    Items,
    Not,
    OneOf,
    Pattern,
    Present,
)
from toolkit.policy.language.patterns import PatternBudget, PatternError, pattern_test
from toolkit.policy.problems import Problems, did_you_mean, shown
from toolkit.policy.syntax.forms import describe, list_items, text_of
from toolkit.policy.syntax.nodes import ListNode, MapNode, Node, ScalarNode
from toolkit.policy.syntax.scalars import Scalar
from toolkit.policy.types import IntegerType, ListType, TermType, TextType, Type

PATTERN_TYPES = {"glob": ("path", "string"), "matches": ("string", "text")}
ITEM_OPERATORS = ("some", "every", "count")
_NEVER_NULL = "declare the input 'optional: true'"
OPERATORS = (*COMPARISONS, *PATTERN_TYPES, "ignore_case", *ITEM_OPERATORS, "present", "not")


class CellReader:
    """Reads conditions; every pattern is compiled once, on account of ``budget``."""

    def __init__(self, budget: PatternBudget, problems: Problems) -> None:
        self.budget = budget
        self.problems = problems

    def read(self, node: Node, kind: Type, optional: bool) -> Condition:
        """The condition of one cell on a value of type ``kind``.

        ``optional`` says that the value may still be null here: then null can be tested, and what can't take a null
        (a comparison, a pattern, a list operator) needs ``present: true`` in the same cell.
        """
        if isinstance(node, ScalarNode):
            return Equals(self._constant(node, kind, optional))
        if isinstance(node, ListNode):
            if not node.items:
                message = "a list of alternatives can't be empty: it would match nothing"
                self.problems.fail("empty_cell", message, node.mark)
            return OneOf(tuple(self._alternative(item, kind, optional) for item in node.items))
        return self._operators(node, kind, optional)

    def _operators(self, node: MapNode, kind: Type, optional: bool) -> Condition:
        for key, mark in node.key_marks.items():
            if key not in OPERATORS:
                hint = did_you_mean(key, OPERATORS)
                self.problems.fail("unknown_operator", f"{shown(key)} is no operator", mark, hint)
        if not node.entries:
            self.problems.fail("empty_cell", "a condition needs an operator", node.mark)
        if "ignore_case" in node.entries and not node.entries.keys() & PATTERN_TYPES.keys():
            mark = node.key_marks["ignore_case"]
            self.problems.fail("unknown_operator", "ignore_case belongs to glob or matches", mark)
        parts: list[Condition] = []
        if "present" in node.entries:
            present = self._present(node.entries["present"], optional)
            parts.append(present)
            optional = False  # nothing else stands here, or only what is present gets there
            if not present.wanted and len(node.entries) > 1:
                self.problems.fail("null_guard", "nothing can be tested beside 'present: false'", node.mark)
        for key, value in node.entries.items():
            if key not in ("present", "ignore_case"):
                parts.append(self._operator(key, value, node, kind, optional))
        return parts[0] if len(parts) == 1 else AllOf(tuple(parts))

    def _operator(self, key: str, value: Node, cell: MapNode, kind: Type, optional: bool) -> Condition:
        if key == "not":
            return Not(self.read(value, kind, optional))
        if optional:
            hint = "say 'present: true' in the same cell"
            self.problems.fail("null_guard", f"{key!r} can't be asked of null", cell.key_marks[key], hint)
        if key in COMPARISONS:
            return self._compare(key, value, kind)
        if key in PATTERN_TYPES:
            return self._pattern(key, value, cell, kind)
        if not isinstance(kind, ListType):
            message = f"{key!r} belongs to lists; this is {kind.describe()}"
            self.problems.fail("wrong_operator", message, cell.key_marks[key])
        inner = IntegerType(minimum=0) if key == "count" else kind.items
        return Items(key, self.read(value, inner, False))

    def _present(self, node: Node, optional: bool) -> Present:
        if not (isinstance(node, ScalarNode) and isinstance(node.value, bool)):
            self.problems.fail("wrong_type", f"present must be true or false, not {describe(node)}", node.mark)
        if not optional:
            message = "this can't be null here, so 'present' says nothing"
            self.problems.fail("never_null", message, node.mark, "remove it")
        return Present(node.value)

    def _compare(self, key: str, node: Node, kind: Type) -> Condition:
        if isinstance(kind, IntegerType):
            if not (isinstance(node, ScalarNode) and type(node.value) is int):
                self.problems.fail("wrong_type", f"{key} needs an integer, not {describe(node)}", node.mark)
            return Compare(key, node.value)
        if isinstance(kind, TermType):
            if kind.strengths is None:
                message = f"{kind.vocabulary or 'these terms'} has no order of strength, so {key!r} means nothing"
                self.problems.fail("not_comparable", message, node.mark)
            term = self._constant(node, kind, False) if isinstance(node, ScalarNode) else None
            if not isinstance(term, str):
                self.problems.fail("wrong_type", f"{key} needs a term, not {describe(node)}", node.mark)
            return Compare(key, term, kind)
        self.problems.fail("wrong_operator", f"{key!r} belongs to integers and ordered terms", node.mark)

    def _pattern(self, key: str, node: Node, cell: MapNode, kind: Type) -> Condition:
        if not (isinstance(kind, TextType) and kind.kind in PATTERN_TYPES[key]):
            wanted = " and ".join(PATTERN_TYPES[key])
            message = f"{key!r} belongs to {wanted}; this is {kind.describe()}"
            self.problems.fail("wrong_operator", message, cell.key_marks[key])
        ignore_case = self._ignore_case(cell)
        patterns, compiled = [], []
        for item in list_items(node, key, self.problems):
            pattern = text_of(item, f"an item of {key}", self.problems)
            try:
                compiled.append(self.budget.compile(key, pattern, ignore_case))
            except PatternError as fault:
                self.problems.fail("bad_pattern", f"{shown(pattern)} is no {key} pattern: {fault}", item.mark)
            patterns.append(pattern)
        if not patterns:
            self.problems.fail("empty_cell", f"{key} needs at least one pattern", node.mark)
        return Pattern(key, tuple(patterns), ignore_case, pattern_test(key, compiled, ignore_case))

    def _ignore_case(self, cell: MapNode) -> bool:
        node = cell.entries.get("ignore_case")
        if node is None:
            return False
        if not (isinstance(node, ScalarNode) and isinstance(node.value, bool)):
            self.problems.fail("wrong_type", f"ignore_case must be true or false, not {describe(node)}", node.mark)
        return node.value

    def _alternative(self, node: Node, kind: Type, optional: bool) -> Scalar:
        if not isinstance(node, ScalarNode):
            self.problems.fail("wrong_type", f"an alternative must be a scalar, not {describe(node)}", node.mark)
        return self._constant(node, kind, optional)

    def _constant(self, node: ScalarNode, kind: Type, optional: bool) -> Scalar:
        """A constant that the value could equal; anything else could never match, so it is refused."""
        value = node.value
        if value is None:
            if not optional:
                self.problems.fail("never_null", "this can't be null here", node.mark, _NEVER_NULL)
            return value
        if isinstance(kind, ListType):
            self.problems.fail("wrong_operator", "a list is tested by some, every or count", node.mark)
        if not kind.accepts(value):
            hint = did_you_mean(value, kind.terms) if isinstance(kind, TermType) and isinstance(value, str) else None
            message = f"{shown(value)} can never equal {kind.describe()}"
            self.problems.fail("wrong_value", message, node.mark, hint)
        return value
