"""Reading a cell: from the YAML of a condition to a ``Condition``, held against the type that it tests."""

from __future__ import annotations

from toolkit.policy.conditions import (
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
from toolkit.policy.forms import describe, list_items, text_of
from toolkit.policy.nodes import ListNode, MapNode, Node, ScalarNode
from toolkit.policy.patterns import PatternError, glob_test, line_test
from toolkit.policy.problems import Problems, did_you_mean
from toolkit.policy.scalars import Scalar
from toolkit.policy.types import IntegerType, ListType, TermType, TextType, Type

_PATTERN_TYPES = {"glob": ("path", "string"), "matches": ("string", "text")}
_ITEM_OPERATORS = ("some", "every", "count")
_OPERATORS = (*COMPARISONS, *_PATTERN_TYPES, "ignore_case", *_ITEM_OPERATORS, "present", "not")


def read_condition(node: Node, kind: Type, optional: bool, problems: Problems) -> Condition:
    """The condition of one cell on a value of type ``kind``.

    ``optional`` says that the value may still be null here: then null can be tested, and what can't take a null
    (a comparison, a pattern, a list operator) needs ``present: true`` in the same cell.
    """
    if isinstance(node, ScalarNode):
        return Equals(_constant(node, kind, optional, problems))
    if isinstance(node, ListNode):
        if not node.items:
            problems.fail("empty_cell", "a list of alternatives can't be empty: it would match nothing", node.mark)
        return OneOf(tuple(_constant_item(item, kind, optional, problems) for item in node.items))
    return _operators(node, kind, optional, problems)


def _operators(node: MapNode, kind: Type, optional: bool, problems: Problems) -> Condition:
    for key, mark in node.key_marks.items():
        if key not in _OPERATORS:
            problems.fail("unknown_operator", f"{key!r} is no operator", mark, did_you_mean(key, _OPERATORS))
    if not node.entries:
        problems.fail("empty_cell", "a condition needs an operator", node.mark)
    parts: list[Condition] = []
    if "present" in node.entries:
        present = _present(node.entries["present"], optional, problems)
        parts.append(present)
        optional = optional and not present.wanted
        if not present.wanted and len(node.entries) > 1:
            problems.fail("null_guard", "nothing can be tested beside 'present: false'", node.mark)
    for key, value in node.entries.items():
        if key not in ("present", "ignore_case"):
            parts.append(_operator(key, value, node, kind, optional, problems))
    if "ignore_case" in node.entries and "glob" not in node.entries and "matches" not in node.entries:
        problems.fail("unknown_operator", "ignore_case belongs to glob or matches", node.key_marks["ignore_case"])
    return parts[0] if len(parts) == 1 else AllOf(tuple(parts))


def _operator(key: str, value: Node, cell: MapNode, kind: Type, optional: bool, problems: Problems) -> Condition:
    if key == "not":
        return Not(read_condition(value, kind, optional, problems))
    if optional:
        message = f"{key!r} can't be asked of null"
        problems.fail("null_guard", message, cell.key_marks[key], "say 'present: true' in the same cell")
    if key in COMPARISONS:
        return _compare(key, value, kind, problems)
    if key in _PATTERN_TYPES:
        return _pattern(key, value, cell, kind, problems)
    if not isinstance(kind, ListType):
        problems.fail("wrong_operator", f"{key!r} belongs to lists; this is {kind.describe()}", cell.key_marks[key])
    inner = IntegerType(minimum=0) if key == "count" else kind.items
    return Items(key, read_condition(value, inner, False, problems))


def _present(node: Node, optional: bool, problems: Problems) -> Present:
    if not (isinstance(node, ScalarNode) and isinstance(node.value, bool)):
        problems.fail("wrong_type", f"present must be true or false, not {describe(node)}", node.mark)
    if not optional:
        problems.fail("never_null", "this can't be null here, so 'present' says nothing", node.mark, "remove it")
    return Present(node.value)


def _compare(key: str, node: Node, kind: Type, problems: Problems) -> Condition:
    if isinstance(kind, IntegerType):
        if not (isinstance(node, ScalarNode) and type(node.value) is int):
            problems.fail("wrong_type", f"{key} needs an integer, not {describe(node)}", node.mark)
        return Compare(key, node.value)
    if isinstance(kind, TermType):
        if kind.strengths is None:
            of = kind.vocabulary or "these terms"
            problems.fail("not_comparable", f"{of} has no order of strength, so {key!r} means nothing", node.mark)
        term = _constant(node, kind, False, problems) if isinstance(node, ScalarNode) else None
        if not isinstance(term, str):
            problems.fail("wrong_type", f"{key} needs a term, not {describe(node)}", node.mark)
        return Compare(key, term, kind)
    problems.fail("wrong_operator", f"{key!r} belongs to integers and ordered terms", node.mark)


def _pattern(key: str, node: Node, cell: MapNode, kind: Type, problems: Problems) -> Condition:
    if not (isinstance(kind, TextType) and kind.kind in _PATTERN_TYPES[key]):
        wanted = " and ".join(_PATTERN_TYPES[key])
        problems.fail("wrong_operator", f"{key!r} belongs to {wanted}; this is {kind.describe()}", cell.key_marks[key])
    ignore_case = _ignore_case(cell, problems)
    patterns = []
    for item in list_items(node, key, problems):
        pattern = text_of(item, f"an item of {key}", problems)
        try:
            (glob_test if key == "glob" else line_test)(pattern, ignore_case)
        except PatternError as fault:
            problems.fail("bad_pattern", f"{pattern[:80]!r} is no {key} pattern: {fault}", item.mark)
        patterns.append(pattern)
    if not patterns:
        problems.fail("empty_cell", f"{key} needs at least one pattern", node.mark)
    return Pattern(key, tuple(patterns), ignore_case)


def _ignore_case(cell: MapNode, problems: Problems) -> bool:
    node = cell.entries.get("ignore_case")
    if node is None:
        return False
    if not (isinstance(node, ScalarNode) and isinstance(node.value, bool)):
        problems.fail("wrong_type", f"ignore_case must be true or false, not {describe(node)}", node.mark)
    return node.value


def _constant_item(node: Node, kind: Type, optional: bool, problems: Problems) -> Scalar:
    if not isinstance(node, ScalarNode):
        problems.fail("wrong_type", f"an alternative must be a scalar, not {describe(node)}", node.mark)
    return _constant(node, kind, optional, problems)


def _constant(node: ScalarNode, kind: Type, optional: bool, problems: Problems) -> Scalar:
    """A constant that the value could equal; anything else could never match, so it is refused."""
    value = node.value
    if value is None:
        if not optional:
            problems.fail("never_null", "this can't be null here", node.mark, "declare the input 'optional: true'")
        return value
    if isinstance(kind, ListType):
        problems.fail("wrong_operator", "a list is tested by some, every or count", node.mark)
    if not kind.accepts(value):
        hint = did_you_mean(value, kind.terms) if isinstance(kind, TermType) and isinstance(value, str) else None
        problems.fail("wrong_value", f"{value!r} can never equal {kind.describe()}", node.mark, hint)
    return value
