"""A second reading of the policy language, written from its description: naive, slow, and ignorant of the interpreter.

``Maker`` makes random tables as the plain mappings that their YAML says; ``answers`` decides one by the letter.
"""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

LARGEST = 2**53 - 1
VOCABULARIES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "t.severity": ("descending", ("high", "medium", "low")),
    "t.size": ("ascending", ("small", "middling", "big")),
    "t.lens": ("sequence", ("first", "second")),
}
STRINGS = ("", "a", "b", "ab", "true", "1")
PATHS = ("a", "src/a", "src/b/a.md", "docs/a.md", "A")
TEXTS = ("", "a", "b\na", "x\r\ny", "ab")
GLOBS: Mapping[str, Callable[[str], bool]] = {
    "src/**": lambda path: path.startswith("src/"),
    "**/*.md": lambda path: path.endswith(".md"),
    "a": lambda path: path == "a",
}
PATTERNS: Mapping[str, str] = {"^a$": r"a", "b": r".*b.*", "^x": r"x.*"}
LETS: tuple[tuple[str, Callable[..., int]], ...] = (
    ("{0} + {1}", lambda a, b: a + b),
    ("2 * {0} - {1}", lambda a, b: 2 * a - b),
    ("ceil({0} / 2) + {1}", lambda a, b: -(-a // 2) + b),
    ("floor(({0} - {1}) / 3)", lambda a, b: math.floor((a - b) / 3)),
    ("min({0}, {1}, 1)", lambda a, b: min(a, b, 1)),
    ("max(abs({0}), {1})", lambda a, b: max(abs(a), b)),
)
HEAD = {"policy": "v1", "kind": "table", "id": "t.table", "version": "1.0.0", "title": "x", "source": "x"}
OUTPUTS = {"n": {"type": "integer", "minimum": -2, "maximum": 5}, "s": {"type": "string", "optional": True}}
STRANGERS = (1.0, [1.5], {}, b"", 2**53, "stranger", True, 0, None, [None], [[]], "a", ["a"], [True], [0])

Spec = dict[str, Any]
Facts = dict[str, Any]


class Declined(Exception):
    """There is no answer; the text is the reason code."""


@dataclass(frozen=True)
class Made:
    """A table as its mapping, and what each of its lets computes."""

    document: Spec
    lets: Mapping[str, Callable[[Facts], int | None]]

    @property
    def text(self) -> str:
        return json.dumps(self.document)


def vocabulary_text(name: str) -> str:
    order, terms = VOCABULARIES[name]
    head = {"policy": "v1", "kind": "vocabulary", "id": name, "version": "1.0.0", "title": name, "source": "ours"}
    return json.dumps({**head, "order": order, "terms": [{"term": term} for term in terms]})


# Facts.


def belongs(value: object, declared: Spec) -> bool:
    """Whether a value is of a declared type."""
    if value is None:
        return bool(declared.get("optional"))
    match declared["type"]:
        case "boolean":
            return value is True or value is False
        case "integer":
            bounds = declared.get("minimum", -LARGEST), declared.get("maximum", LARGEST)
            return type(value) is int and bounds[0] <= value <= bounds[1]
        case "term":
            return type(value) is str and value in terms_of(declared)
        case "list":
            return type(value) in (list, tuple) and all(belongs(item, declared["items"]) for item in value)  # type: ignore[attr-defined]
        case "record":
            fields = declared["fields"]
            return (
                isinstance(value, dict)
                and set(value) == set(fields)
                and all(belongs(value[name], field) for name, field in fields.items())
            )
    return type(value) is str


def terms_of(declared: Spec) -> tuple[str, ...]:
    return tuple(declared.get("one_of") or VOCABULARIES[declared["of"]][1])


def strength(term: str, declared: Spec) -> int:
    order, terms = VOCABULARIES[declared["of"]]
    return terms.index(term) if order == "ascending" else -terms.index(term)


# Conditions.


def holds(cell: object, declared: Spec, value: Any) -> bool:
    """Whether a condition holds for a value."""
    if isinstance(cell, list):
        return any(same(value, one) for one in cell)
    if not isinstance(cell, dict):
        return same(value, cell)
    return all(operator_holds(name, cell, declared, value) for name in cell if name != "ignore_case")


def same(value: object, constant: object) -> bool:
    return type(value) is type(constant) and value == constant


def operator_holds(name: str, cell: Spec, declared: Spec, value: Any) -> bool:
    operand = cell[name]
    match name:
        case "present":
            return (value is not None) == operand
        case "not":
            return not holds(operand, declared, value)
    if value is None:
        assert cell.get("present") is True, "null reached what it can't be asked of"
        return False
    return READINGS[name](operand, declared, value)


def compared(operand: Any, declared: Spec, value: Any) -> int:
    """Below, at or above nought as the value is weaker, equal or stronger."""
    if declared["type"] == "term":
        return strength(value, declared) - strength(operand, declared)
    return int(value - operand)


def found_in_a_line(patterns: Sequence[str], text: str) -> bool:
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return any(re.fullmatch(PATTERNS[pattern], line) for pattern in patterns for line in lines)


READINGS: Mapping[str, Callable[[Any, Spec, Any], bool]] = {
    "gt": lambda operand, declared, value: compared(operand, declared, value) > 0,
    "gte": lambda operand, declared, value: compared(operand, declared, value) >= 0,
    "lt": lambda operand, declared, value: compared(operand, declared, value) < 0,
    "lte": lambda operand, declared, value: compared(operand, declared, value) <= 0,
    "glob": lambda operand, _, value: any(GLOBS[pattern](value) for pattern in operand),
    "matches": lambda operand, _, value: found_in_a_line(operand, value),
    "some": lambda operand, declared, value: any(holds(operand, declared["items"], item) for item in value),
    "every": lambda operand, declared, value: all(holds(operand, declared["items"], item) for item in value),
    "count": lambda operand, _, value: holds(operand, {"type": "integer"}, len(value)),
}


# Decisions.


def answers(made: Made, facts: Facts) -> list[tuple[dict[str, object], str, int | None]] | None:
    """Every answer with its row and item; null where the facts are refused. Raises ``Declined``."""
    document = made.document
    inputs = document["inputs"]
    if set(facts) != set(inputs) or not all(belongs(facts[name], declared) for name, declared in inputs.items()):
        return None
    each = document.get("each")
    if each is None:
        return [(outputs, row, None) for outputs, row in decided(made, dict(facts), inputs)]
    fields = inputs[each]["items"]["fields"]
    whole: list[tuple[dict[str, object], str, int | None]] = []
    for index, item in enumerate(facts[each]):
        seen = {**{name: value for name, value in facts.items() if name != each}, **item}
        whole += [(outputs, row, index) for outputs, row in decided(made, seen, {**inputs, **fields})]
    return whole


def decided(made: Made, values: Facts, declared: Spec) -> list[tuple[dict[str, object], str]]:
    for name, compute in made.lets.items():
        values[name] = compute(values)
    declared = {**declared, **{name: {"type": "integer", "optional": True} for name in made.lets}}
    document = made.document
    rows = [row for row in document["rows"] if row_matches(row.get("when", {}), declared, values)]
    if document["hit"] == "first":
        rows = rows[:1]
    if document["hit"] != "collect" and len(rows) != 1:
        raise Declined("several_rows" if rows else "no_row")
    return [(answer_of(row, document, declared, values), row["id"]) for row in rows]


def row_matches(when: Spec, declared: Spec, values: Facts) -> bool:
    cells = all(holds(cell, declared[name], values[name]) for name, cell in when.items() if name != "any_of")
    return cells and ("any_of" not in when or any(row_matches(one, declared, values) for one in when["any_of"]))


def answer_of(row: Spec, document: Spec, declared: Spec, values: Facts) -> dict[str, object]:
    if set(row["then"]) == {"error"}:
        raise Declined(row["then"]["error"])
    outputs = {}
    for name, said in row["then"].items():
        outputs[name] = values[said["value"]] if isinstance(said, dict) else said
        if not belongs(outputs[name], document["outputs"][name]):
            raise Declined("output_out_of_range")
    for promise in document.get("require", ()):
        reached = all(
            any(same(outputs[name], value) for value in (said if isinstance(said, list) else [said]))
            for name, said in promise["when_output"].items()
        )
        if reached and not all(holds(cell, declared[name], values[name]) for name, cell in promise["inputs"].items()):
            raise Declined("invariant_broken")
    return outputs


# Random tables, legal ones, and facts for them.


class Maker:
    """Makes tables and facts of every kind from one source of chance."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def maybe(self, one_in: int = 2) -> bool:
        return self.chance.randrange(one_in) == 0

    def some(self, choices: Sequence[Any], least: int, most: int) -> list[Any]:
        return self.chance.sample(list(choices), min(len(choices), self.chance.randint(least, most)))

    # Types.

    def scalar(self) -> Spec:
        kind = self.chance.choice(["boolean", "integer", "small", "string", "path", "text", "term", "subset", "words"])
        vocabulary = self.chance.choice(sorted(VOCABULARIES))
        match kind:
            case "small":
                return {"type": "integer", "minimum": self.chance.randint(-3, 0), "maximum": self.chance.randint(1, 3)}
            case "term":
                return {"type": "term", "of": vocabulary}
            case "subset":
                return {"type": "term", "of": vocabulary, "one_of": self.some(VOCABULARIES[vocabulary][1], 1, 2)}
            case "words":
                return {"type": "term", "one_of": ["a", "b"]}
        return {"type": kind}

    def type(self) -> Spec:
        kind = {"type": "list", "items": self.scalar()} if self.maybe(4) else self.scalar()
        return {**kind, "optional": True} if self.maybe() else kind

    # Values.

    def constant(self, declared: Spec) -> Any:
        """A value of a scalar type, never null."""
        match declared["type"]:
            case "boolean":
                return self.maybe()
            case "integer":
                return self.chance.randint(declared.get("minimum", -4), declared.get("maximum", 4))
            case "term":
                return self.chance.choice(terms_of(declared))
        return self.chance.choice({"string": STRINGS, "path": PATHS, "text": TEXTS}[declared["type"]])

    def value(self, declared: Spec) -> Any:
        """A legal fact."""
        if declared.get("optional") and self.maybe(3):
            return None
        if declared["type"] == "list":
            items = [self.value(declared["items"]) for _ in range(self.chance.randint(0, 3))]
            return tuple(items) if self.maybe() else items
        if declared["type"] == "record":
            return {name: self.value(field) for name, field in declared["fields"].items()}
        return self.constant(declared)

    def facts(self, made: Made) -> Facts:
        """Facts that are legal, most of them."""
        inputs = made.document["inputs"]
        facts = {name: self.value(declared) for name, declared in inputs.items()}
        match self.chance.randrange(8):
            case 0:
                facts[self.chance.choice([*inputs, "unknown"])] = self.chance.choice(STRANGERS)
            case 1:
                del facts[self.chance.choice(sorted(inputs))]
        return facts

    # Conditions.

    def cell(self, declared: Spec, depth: int = 2) -> Any:
        """A legal condition on a type."""
        optional = bool(declared.get("optional"))
        sure = {name: said for name, said in declared.items() if name != "optional"}
        if depth and self.maybe(4):
            return {"not": self.cell(declared, depth - 1)}
        if optional and self.maybe(3):
            guard = self.chance.choice([None, {"present": True}, {"present": False}])
            return guard if not depth or self.maybe() else {"present": True, "not": self.cell(sure, depth - 1)}
        operators = self.operators(sure)
        if operators is not None and (declared["type"] == "list" or self.maybe()):
            more = {"not": self.cell(sure, depth - 1)} if depth and self.maybe(4) else {}
            return {**operators, **more, **({"present": True} if optional else {})}
        if declared["type"] == "list":
            return {"present": True} if optional else {"count": 0}
        alternatives = [None if optional and self.maybe(4) else self.constant(sure) for _ in range(3)]
        return alternatives[0] if self.maybe() else alternatives[: self.chance.randint(1, 3)]

    def operators(self, declared: Spec) -> Spec | None:
        """What a value of this type, never null, can be asked."""
        comparisons = self.some(["gt", "gte", "lt", "lte"], 1, 2)
        match declared["type"]:
            case "integer":
                return {name: self.chance.randint(-4, 4) for name in comparisons}
            case "term" if declared.get("of") is not None and VOCABULARIES[declared["of"]][0] != "sequence":
                return {name: self.constant(declared) for name in comparisons}
            case "path":
                return {"glob": self.some(sorted(GLOBS), 1, 2)}
            case "text":
                return {"matches": self.some(sorted(PATTERNS), 1, 2)}
            case "list":
                number = {"type": "integer", "minimum": 0, "maximum": 3}
                name = self.chance.choice(["some", "every", "count"])
                return {name: self.cell(number if name == "count" else declared["items"], 1)}
        return None

    # Tables.

    def table(self) -> Made:
        """A table that loads: every type and operator, nulls, lets, alternatives, three hit policies, ``each``."""
        hit = self.chance.choice(["unique", "first", "collect"])
        inputs = {name: self.type() for name in self.some("abcd", 1, 3)}
        document: Spec = {**HEAD, "hit": hit, "inputs": inputs}
        scope = dict(inputs)
        if self.maybe(4):
            fields = {name: self.type() for name in self.some("fg", 1, 2)}
            scope |= fields
            records = {"type": "list", "items": {"type": "record", "fields": fields}}
            document |= {"each": "items", "inputs": {**inputs, "items": records}}
        lets = self.lets(document, scope)
        testable = {name: declared for name, declared in scope.items() if hit != "unique" or not patterned(declared)}
        document["outputs"] = OUTPUTS
        document["rows"] = [
            {"id": f"r{number}", **self.when(testable), "then": self.then(scope)}
            for number in range(self.chance.randint(1, 5))
        ]
        plain = {name: declared for name, declared in testable.items() if declared["type"] != "list"}
        if plain and self.maybe(3):
            name = self.chance.choice(sorted(plain))
            document["require"] = [{"when_output": {"n": [0, 1]}, "inputs": {name: self.cell(plain[name])}}]
        return Made(document, lets)

    def lets(self, document: Spec, scope: Spec) -> dict[str, Callable[[Facts], int | None]]:
        lets: dict[str, Callable[[Facts], int | None]] = {}
        numbers = [name for name, declared in scope.items() if declared["type"] == "integer"]
        for name in "lm" if numbers and self.maybe() else "":
            text, compute = self.chance.choice(LETS)
            used = [self.chance.choice(numbers) for _ in range(2)]
            document.setdefault("let", {})[name] = text.format(*used)
            lets[name] = _null_if_any_is(used, compute)
            optional = any(scope[one].get("optional") for one in used)
            scope[name] = {"type": "integer", "optional": True} if optional else {"type": "integer"}
            numbers.append(name)
        return lets

    def when(self, testable: Spec) -> Spec:
        if not testable or self.maybe(6):
            return {}
        when = {name: self.cell(testable[name]) for name in self.some(sorted(testable), 0, 2)}
        if self.maybe(3):
            names = [self.some(sorted(testable), 1, 2) for _ in range(self.chance.randint(1, 2))]
            when["any_of"] = [{name: self.cell(testable[name]) for name in alternative} for alternative in names]
        return {"when": when} if when else {}

    def then(self, scope: Spec) -> Spec:
        if self.maybe(5):
            return {"error": self.chance.choice(["unclassified", "cannot-tell"])}
        sure = [name for name, one in scope.items() if one["type"] == "integer" and not one.get("optional")]
        number = {"value": self.chance.choice(sure)} if sure and self.maybe() else self.chance.randint(0, 3)
        return {"n": number, "s": self.chance.choice([None, *STRINGS])}


def patterned(declared: Spec) -> bool:
    """Whether a cell on this type may hold a glob or pattern, which a ``unique`` table may not."""
    return declared["type"] in ("path", "text") or (declared["type"] == "list" and patterned(declared["items"]))


def _null_if_any_is(used: list[str], compute: Callable[..., int]) -> Callable[[Facts], int | None]:
    return lambda facts: None if any(facts[name] is None for name in used) else compute(*(facts[name] for name in used))
