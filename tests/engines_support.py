"""One decision table of twelve rows and six inputs, written for this interpreter and for other people's engines.

Every engine is used as its users would at its best: compiled once, facts in the form that it takes fastest, asked
both as one expression and row by row where it can be. What it needs of the facts that is not part of an answer
(leaving nulls out, writing JSON) is done beforehand, and so is not timed.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from policy_support import load, table

from toolkit.policy.tables import Table

Facts = dict[str, Any]
Test = tuple[str, str, Any]  # a name, an operator, a constant; a list is asked with "in"

SEED = 20240229
AREAS = ("docs", "source", "schema", "security", "infra")
INPUTS = {
    "area": {"type": "term", "one_of": [*AREAS]},
    "tests": {"type": "term", "one_of": ["passed", "failed", "skipped"], "optional": True},
    "signed": {"type": "boolean"},
    "branch": {"type": "string"},
    "lines": {"type": "integer", "minimum": 0, "maximum": 1_000_000},
    "approvals": {"type": "integer", "minimum": 0, "maximum": 100},
}
ROWS: tuple[tuple[str, tuple[Test, ...], tuple[str, int, str]], ...] = (
    ("failed", (("tests", "==", "failed"),), ("block", 0, "tests failed")),
    ("unsigned", (("area", "in", ["security", "infra"]), ("signed", "==", False)), ("block", 0, "not signed")),
    ("huge", (("lines", ">", 5000),), ("block", 0, "split it")),
    ("release", (("branch", "==", "release"), ("approvals", "<", 2)), ("review", 2, "a release")),
    ("untested", (("branch", "==", "main"), ("tests", "==", None)), ("block", 0, "never tested")),
    ("prose", (("area", "==", "docs"), ("lines", "<=", 200)), ("merge", 0, "small prose")),
    ("security", (("area", "==", "security"), ("approvals", "<", 3)), ("review", 3, "security")),
    ("schema", (("area", "==", "schema"), ("approvals", "<", 2), ("signed", "==", True)), ("review", 2, "a schema")),
    ("large", (("lines", ">=", 400), ("lines", "<=", 5000), ("approvals", "<", 2)), ("review", 2, "large")),
    ("skipped", (("tests", "!=", "passed"), ("area", "!=", "docs")), ("review", 1, "not tested")),
    ("approved", (("approvals", ">=", 1), ("signed", "==", True)), ("merge", 0, "approved")),
    ("otherwise", (), ("review", 1, "nobody looked")),
)
OUTPUTS = {name: dict(zip(("decision", "reviewers", "reason"), then, strict=True)) for name, _, then in ROWS}
_WORDS = {"<": "lt", "<=": "lte", ">": "gt", ">=": "gte"}


def the_table() -> Table:
    """The table as this interpreter has it."""
    body = {
        "hit": "first",
        "order_note": "blocks first, then who must look",
        "inputs": INPUTS,
        "outputs": {
            "decision": {"type": "term", "one_of": ["merge", "review", "block"]},
            "reviewers": {"type": "integer"},
            "reason": {"type": "string"},
        },
        "rows": [_row(*row) for row in ROWS],
    }
    return load(table("".join(f"{name}: {json.dumps(value)}\n" for name, value in body.items()))).table("t.table")


def _row(name: str, tests: Iterable[Test], _then: object) -> dict[str, Any]:
    when: dict[str, Any] = {}
    for fact, operator, constant in tests:
        if operator in _WORDS:
            when.setdefault(fact, {})[_WORDS[operator]] = constant
        else:
            when[fact] = {"not": constant} if operator == "!=" else constant
    return {"id": name, **({"when": when} if when else {}), "then": OUTPUTS[name]}


def varied_facts(count: int) -> list[Facts]:
    """Facts of every kind, the same in every run."""
    chance = random.Random(SEED)
    branches = ["main", "main", "release", *(f"topic/{number}" for number in range(200))]
    return [
        {
            "area": chance.choice(AREAS),
            "tests": chance.choice(["passed", "passed", "passed", "skipped", "failed", None]),
            "signed": chance.random() < 0.7,
            "branch": chance.choice(branches[:3]) if chance.random() < 0.4 else chance.choice(branches),
            "lines": int(10 ** chance.uniform(0, 4)),
            "approvals": chance.choice([0, 0, 1, 1, 2, 3, 4]),
        }
        for _ in range(count)
    ]


class Engine(NamedTuple):
    """Somebody else's engine: ``ask`` answers one of ``facts``, ``row_of`` reads the row's id from an answer."""

    name: str
    pure: bool
    ask: Callable[[Any], Any]
    facts: Sequence[Any]
    row_of: Callable[[Any], str]


def engines(facts: Sequence[Facts]) -> list[Engine]:
    """Every engine that is installed, in every way of asking it."""
    found: list[Engine] = []
    for make in (_zen, _cel_cpp, _cel_rust, _cedar, _datalogic, _simpleeval, _rule_engine, _json_logic):
        try:
            found += make(facts)
        except ModuleNotFoundError as missing:
            print(f"not installed: {missing.name}")  # noqa: T201 - a run says what it leaves out
    return found


class Syntax(NamedTuple):
    """How a language writes a test, a conjunction, a constant and a choice."""

    both: str
    constant: Callable[[Any], str]
    choice: str

    def row(self, tests: Iterable[Test]) -> str:
        said = [f"{fact} {operator} {self.constant(constant)}" for fact, operator, constant in tests]
        return self.both.join(said) or self.constant(True)

    def whole(self) -> str:
        """The table as one expression, which gives the row's id."""
        *rows, (last, _, _) = ROWS
        text = self.constant(last)
        for name, tests, _ in reversed(rows):
            text = self.choice.format(test=self.row(tests), yes=self.constant(name), no=text)
        return text


C_LIKE = Syntax(" && ", json.dumps, "({test}) ? {yes} : ({no})")
WORDED = Syntax(" and ", json.dumps, "({test}) ? {yes} : ({no})")
PYTHON = Syntax(" and ", repr, "{yes} if {test} else ({no})")


def _itself(answer: Any) -> str:
    return str(answer)


def _first(rows: Sequence[tuple[str, Callable[[Any], Any]]]) -> Callable[[Any], str | None]:
    """Ask row by row."""

    def ask(facts: Any) -> str | None:
        for name, holds in rows:
            if holds(facts):
                return name
        return None

    return ask


def _zen(facts: Sequence[Facts]) -> list[Engine]:
    zen = import_module("zen")
    compiled = zen.compile_expression(WORDED.whole())
    decision = zen.ZenEngine().create_decision(json.dumps(_zen_graph()))
    texts = [json.dumps(one) for one in facts]
    return [
        Engine("zen-engine, compiled expression", False, compiled.evaluate, facts, _itself),
        Engine("zen-engine, compiled expression, from JSON", False, compiled.evaluate, texts, _itself),
        Engine("zen-engine, decision table", False, decision.evaluate, facts, _zen_row),
        Engine("zen-engine, decision table, from JSON", False, decision.evaluate, texts, _zen_row),
    ]


def _zen_row(answer: Any) -> str:
    row = str(answer["result"]["row"])
    assert {name: answer["result"][name] for name in OUTPUTS[row]} == OUTPUTS[row]
    return row


def _zen_graph() -> dict[str, Any]:
    names = ("row", *OUTPUTS["failed"])
    rules = []
    for name, tests, then in ROWS:
        cells: dict[str, list[str]] = {}
        for fact, operator, constant in tests:
            cells.setdefault(fact, []).append(_zen_cell(operator, constant))
        outputs = zip(names, (name, *then), strict=True)
        rules.append(
            {"_id": name}
            | {f"in-{fact}": " and ".join(cells.get(fact, [])) for fact in INPUTS}
            | {f"out-{output}": json.dumps(value) for output, value in outputs}
        )
    content = {
        "hitPolicy": "first",
        "inputs": [{"id": f"in-{fact}", "name": fact, "type": "expression", "field": fact} for fact in INPUTS],
        "outputs": [{"id": f"out-{name}", "name": name, "type": "expression", "field": name} for name in names],
        "rules": rules,
    }
    nodes = [("in", "inputNode", {}), ("table", "decisionTableNode", content), ("out", "outputNode", {})]
    return {
        "nodes": [
            {"id": name, "name": name, "type": kind, "position": {"x": 0, "y": 0}, "content": content}
            for name, kind, content in nodes
        ],
        "edges": [
            {"id": "one", "type": "edge", "sourceId": "in", "targetId": "table"},
            {"id": "two", "type": "edge", "sourceId": "table", "targetId": "out"},
        ],
    }


def _zen_cell(operator: str, constant: object) -> str:
    said = json.dumps(constant)
    return said if operator in ("==", "in") else f"{operator} {said}" if operator != "!=" else f"$ != {said}"


def _cel_cpp(facts: Sequence[Facts]) -> list[Engine]:
    cel = import_module("cel_expr_python.cel")
    types = {"term": cel.Type.DYN, "string": cel.Type.STRING, "boolean": cel.Type.BOOL, "integer": cel.Type.INT}
    env = cel.NewEnv(variables={name: types[str(declared["type"])] for name, declared in INPUTS.items()})
    whole = env.compile(C_LIKE.whole())
    programs = [(name, env.compile(C_LIKE.row(tests)).eval) for name, tests, _ in ROWS]

    def by_rows(one: Facts) -> str | None:
        activation = env.Activation(one)
        for name, evaluate in programs:
            if evaluate(activation).value():
                return name
        return None

    return [
        Engine("cel-expr-python (C++)", False, lambda one: whole.eval(data=one), facts, lambda one: str(one.value())),
        Engine("cel-expr-python (C++), row by row", False, by_rows, facts, _itself),
    ]


def _cel_rust(facts: Sequence[Facts]) -> list[Engine]:
    cel = import_module("cel")
    whole = cel.compile(C_LIKE.whole()).execute
    rows = [(name, cel.compile(C_LIKE.row(tests)).execute) for name, tests, _ in ROWS]
    return [
        Engine("common-expression-language (Rust)", False, whole, facts, _itself),
        Engine("common-expression-language (Rust), row by row", False, _first(rows), facts, _itself),
    ]


def _cedar(facts: Sequence[Facts]) -> list[Engine]:
    cedar = import_module("cedarpy")
    policies = cedar.PolicySet.from_str("\n".join(map(_cedar_policy, ROWS)))
    nobody = cedar.Entities.from_json_str("[]")
    request = {"principal": 'User::"u"', "action": 'Action::"a"', "resource": 'Change::"c"'}
    contexts = [
        {**request, "context": json.dumps({name: value for name, value in one.items() if value is not None})}
        for one in facts
    ]
    order = [name for name, _, _ in ROWS]

    def row_of(answer: Any) -> str:
        reached = set(answer.diagnostics.id_annotations_by_reason.values())
        return next(name for name in order if name in reached)

    return [Engine("cedarpy (Rust)", False, lambda one: cedar.is_authorized(one, policies, nobody), contexts, row_of)]


def _cedar_policy(row: tuple[str, tuple[Test, ...], object]) -> str:
    tests = " && ".join(_cedar_test(*test) for test in row[1]) or "true"
    return f'@id("{row[0]}") permit(principal, action, resource) when {{ {tests} }};'


def _cedar_test(fact: str, operator: str, constant: object) -> str:
    said = json.dumps(constant)
    if operator == "in":
        return f"{said}.contains(context.{fact})"
    if constant is None:
        return f"!(context has {fact})"
    if INPUTS[fact].get("optional"):
        there = f"context has {fact} && context.{fact} == {said}"
        return f"({there})" if operator == "==" else f"!({there})"
    return f"context.{fact} {operator} {said}"


def _datalogic(facts: Sequence[Facts]) -> list[Engine]:
    engine = import_module("datalogic_py").Engine()
    rule, session = engine.compile(_logic()), engine.session()
    texts = [json.dumps(one) for one in facts]

    def ask(one: Facts) -> Any:
        return session.evaluate(rule, one)

    def ask_text(one: str) -> Any:
        return session.evaluate_str(rule, one)

    return [
        Engine("datalogic-py (Rust)", False, ask, facts, _itself),
        Engine("datalogic-py (Rust), from JSON", False, ask_text, texts, json.loads),
    ]


def _logic() -> dict[str, Any]:
    """The table as JsonLogic."""
    branches: list[Any] = []
    for name, tests, _ in ROWS[:-1]:
        said = [
            {operator.replace("==", "===").replace("!=", "!=="): [{"var": fact}, constant]}
            for fact, operator, constant in tests
        ]
        branches += [{"and": said} if len(said) > 1 else said[0], name]
    return {"if": [*branches, ROWS[-1][0]]}


def _simpleeval(facts: Sequence[Facts]) -> list[Engine]:
    simpleeval = import_module("simpleeval")
    evaluator = simpleeval.EvalWithCompoundTypes()
    whole = evaluator.parse(PYTHON.whole())
    rows = [(name, evaluator.parse(PYTHON.row(tests))) for name, tests, _ in ROWS]

    def ask(one: Facts) -> Any:
        evaluator.names = one
        return evaluator.eval("", previously_parsed=whole)

    def by_rows(one: Facts) -> str | None:
        evaluator.names = one
        for name, parsed in rows:
            if evaluator.eval("", previously_parsed=parsed):
                return name
        return None

    return [
        Engine("simpleeval", True, ask, facts, _itself),
        Engine("simpleeval, row by row", True, by_rows, facts, _itself),
    ]


def _rule_engine(facts: Sequence[Facts]) -> list[Engine]:
    rule_engine = import_module("rule_engine")
    whole = rule_engine.Rule(WORDED.whole())
    rows = [(name, rule_engine.Rule(WORDED.row(tests)).matches) for name, tests, _ in ROWS]
    return [
        Engine("rule-engine", True, whole.evaluate, facts, _itself),
        Engine("rule-engine, row by row", True, _first(rows), facts, _itself),
    ]


def _json_logic(facts: Sequence[Facts]) -> list[Engine]:
    apply, logic = import_module("json_logic").jsonLogic, _logic()
    return [Engine("panzi-json-logic", True, lambda one: apply(logic, one), facts, _itself)]
