"""Reading what a row answers: a reason code to decline with, or a value or reference for every output."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from toolkit.policy.language.conditions import Condition, Equals, OneOf, excludes_null
from toolkit.policy.language.declarations import Scope
from toolkit.policy.language.rules import Produced, Reference, When
from toolkit.policy.problems import Problems, did_you_mean, shown
from toolkit.policy.syntax.forms import Form
from toolkit.policy.syntax.nodes import ListNode, MapNode, Node, plain
from toolkit.policy.types import Input, IntegerType, ListType, TermType, Type, freeze


class ThenReader:
    """Reads the ``then`` of rows against the outputs and the names in scope."""

    def __init__(self, scope: Scope, outputs: Mapping[str, Input], problems: Problems) -> None:
        self.scope = scope
        self.outputs = outputs
        self.problems = problems

    def read(self, node: Node, row: str, when: When) -> tuple[str | None, dict[str, Produced]]:
        """The reason code of a row that declines, or null and the outputs of one that decides."""
        if isinstance(node, MapNode) and tuple(node.entries) == ("error",):
            form = Form(node, "then", self.problems, required=("error",))
            code = form.text("error")
            if not code_pattern().match(code):
                message = f"{shown(code)} is no reason code"
                self.problems.fail("bad_id", message, form.need("error").mark, "lower-case-words")
            return code, {}
        form = Form(node, f"'then' of row {row!r}", self.problems, required=tuple(self.outputs))
        then: dict[str, Produced] = {}
        for name, output in self.outputs.items():
            with self.problems.unit():
                then[name] = self._produced(form.need(name), output.type, output, when)
        return None, then

    def _produced(self, node: Node, kind: Type, output: Input, when: When) -> Produced:
        if isinstance(node, MapNode):
            return self._reference(node, kind, output, when)
        if isinstance(node, ListNode) and isinstance(kind, ListType):
            return tuple(self._produced(item, kind.items, output, when) for item in node.items)
        value = plain(node)
        if value is None and output.optional and kind is output.type:
            return None
        if not kind.accepts(value):
            hint = did_you_mean(value, kind.terms) if isinstance(kind, TermType) and isinstance(value, str) else None
            message = f"the output {output.name!r} can't be {shown(value)}: it is {output.describe()}"
            self.problems.fail("wrong_value", message, node.mark, hint)
        return freeze(value)

    def _reference(self, node: MapNode, kind: Type, output: Input, when: When) -> Reference:
        name = Form(node, f"the output {output.name!r}", self.problems, required=("value",)).text("value")
        found = self.scope.find(name)
        mark = node.entries["value"].mark
        if found is None:
            hint = did_you_mean(name, self.scope.names())
            self.problems.fail("unknown_input", f"there is no input or let {shown(name)}", mark, hint)
        tests = [condition for tested, condition in when.cells if tested == name]
        if found[1] and not any(map(excludes_null, tests)):
            hint = f"say '{name}: {{present: true}}' in this row's 'when'"
            self.problems.fail("null_guard", f"{name!r} may be null here", mark, hint)
        if not _fits(_narrowed(found[0], tests), kind):
            message = f"{name!r} is {found[0].describe()}; the output is {kind.describe()}"
            self.problems.fail("wrong_type", message, mark)
        return Reference(name)


def _narrowed(kind: Type, tests: list[Condition]) -> Type:
    """A term type narrowed to the constants that the row's own cell allows."""
    for test in tests:
        if isinstance(kind, TermType) and isinstance(test, (Equals, OneOf)):
            allowed = test.values if isinstance(test, OneOf) else (test.value,)
            terms = tuple(term for term in allowed if isinstance(term, str))  # the cell's reader held them to the type
            kind = TermType(terms, kind.vocabulary, kind.strengths)
    return kind


def _fits(given: Type, wanted: Type) -> bool:
    """Whether every value of one type is a value of the other. The words of two vocabularies mean two things."""
    if isinstance(given, TermType) and isinstance(wanted, TermType):
        same = given.vocabulary == wanted.vocabulary or None in (given.vocabulary, wanted.vocabulary)
        return same and (given.members is wanted.members or given.members <= wanted.members)
    if isinstance(given, IntegerType) and isinstance(wanted, IntegerType):
        return True  # bounds are held at each decision: a let's own are not known here
    if isinstance(given, ListType) and isinstance(wanted, ListType):
        return _fits(given.items, wanted.items)
    return given == wanted


@cache
def code_pattern() -> re.Pattern[str]:
    return re.compile(r"[a-z][a-z0-9_/-]{0,80}\Z")
