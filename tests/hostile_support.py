"""The largest and the worst policy sets that the limits let through, by kind and size; a child measures one."""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable, Sequence

from policy_support import ANY_SHAPE, EFFECTS, data, head, overlay, table

from toolkit.policy.layers import REPOSITORY, SHIPPED, USER, Source
from toolkit.policy.problems import PolicyError
from toolkit.policy.sets import PolicySet

LEVELS = 60
LAST = " - {id: last, then: {b: 0}}\n"


def source(name: str, text: str, layer: str = SHIPPED) -> Source:
    return Source(f"{name}.yaml", text.encode(), layer)


def first(rows: str, inputs: str = "a: {type: integer}", more: str = "") -> Source:
    body = f"hit: first\ninputs: {{{inputs}}}\n{more}outputs: {{b: {{type: integer}}}}\nrows:\n{rows}{LAST}"
    return source("table", table(body))


def rows(size: int, cell: str = "{number}") -> str:
    cells = (cell.replace("{number}", str(number)) for number in range(size))
    return "".join(f" - {{id: r{n}, when: {{a: {one}}}, then: {{b: {n}}}}}\n" for n, one in enumerate(cells))


def vocabulary(size: int, number: int = 0) -> Source:
    body = "order: descending\nterms:\n" + "".join(f" - {{term: w{term}}}\n" for term in range(size))
    return source(f"words{number}", head("vocabulary", f"t.v{number}") + body)


def listed(items: Sequence[str], number: int = 0) -> Source:
    return source(f"data{number}", data("{list: [" + ", ".join(items) + "]}", f"t.data{number}"))


def scalars(size: int) -> list[Source]:
    return [listed(["0"] * size)]


def mappings(size: int) -> list[Source]:
    chain = "{a: " * LEVELS + "0" + "}" * LEVELS
    return [listed([chain] * (size // 2 // LEVELS // 10), number) for number in range(10)]


def edited_mappings(size: int) -> list[Source]:
    """Mappings again, edited by every layer, with a pin beside them: trees are copied for each choice of layers."""
    layers = {"profile": "profile", USER: "user", REPOSITORY: "repo"}
    made = [*mappings(size - 200), first(rows(2))]
    for number in range(10):
        for layer, pack in layers.items():
            text = overlay("set: {/new: 1}\n", f"{pack}.o{number}", f"t.data{number}")
            made.append(source(f"{layer}{number}", text, layer))
    return [*made, source("pin", overlay("pin: [r0]\n", "user.pin", "t.table"), USER)]


def empty_mappings(size: int) -> list[Source]:
    return [listed(["{}"] * (size // 3), number) for number in range(3)]


def keys(size: int) -> list[Source]:
    return [listed(["{" + ", ".join(f"k{key}: 0" for key in range(size // 20)) + "}"], number) for number in range(10)]


def wide_table(size: int) -> list[Source]:
    """A table of eight inputs, in every row a list of two constants for each."""
    names = [f"i{number}" for number in range(8)]
    cells = (", ".join(f"{name}: [{row}, {row + 7}]" for name in names) for row in range(size))
    listed_rows = "".join(f" - {{id: r{row}, when: {{{one}}}, then: {{b: 1}}}}\n" for row, one in enumerate(cells))
    return [first(listed_rows, ", ".join(f"{name}: {{type: integer}}" for name in names))]


def faulty(size: int) -> list[Source]:
    wrong = "".join(f"{'x' * 70}{number}: 0\n" for number in range(120))
    return [source(f"t{n}", table(f"inputs: {{}}\noutputs: {{}}\nrows: []\n{wrong}", f"t.t{n}")) for n in range(size)]


def misspelt(size: int) -> list[Source]:
    inputs = ", ".join(f"a{name}: {{type: term, of: t.w{name}}}" for name in range(50))
    body = f"hit: collect\ninputs: {{{inputs}}}\noutputs: {{b: {{type: integer}}}}\nrows: [{{id: a, then: {{b: 1}}}}]\n"
    return [*(vocabulary(3, number) for number in range(size)),
            *(source(f"t{number}", table(body, f"t.t{number}")) for number in range(size))]  # fmt: skip


def editing(size: int) -> list[Source]:
    """As many overlays as rows, each of which edits one."""
    edits = (overlay(f"remove: [r{number}]\n", f"repo.o{number}", "t.table") for number in range(size))
    return [first(rows(size)), *(source(f"o{number}", text, REPOSITORY) for number, text in enumerate(edits))]


def setting(size: int) -> list[Source]:
    base = source("data", data("{" + ", ".join(f"k{key}: 0" for key in range(size)) + "}"))
    edits = (overlay(f"set: {{/k{key}: 1}}\n", f"repo.o{key}") for key in range(size))
    return [base, *(source(f"o{number}", text, REPOSITORY) for number, text in enumerate(edits))]


def computed(size: int) -> list[Source]:
    lets = ", ".join(["l0: a", *(f"l{n}: l{n - 1} + a" for n in range(1, size))])
    return [first(rows(3), more=f"let: {{{lets}}}\n")]


def apart(size: int) -> list[Source]:
    """A unique table, whose rows are proved apart and together complete."""
    between = [f"{{id: r{n}, when: {{a: {{gte: {n}, lt: {n + 1}}}}}, then: {{b: {n}}}}}" for n in range(size)]
    beyond = {"low": "lt: 0", "high": f"gte: {size}"}
    ends = [f"{{id: {name}, when: {{a: {{{cell}}}}}, then: {{b: 0}}}}" for name, cell in beyond.items()]
    listed_rows = "".join(f" - {row}\n" for row in (*between, *ends))
    body = f"inputs: {{a: {{type: integer}}}}\noutputs: {{b: {{type: integer}}}}\nrows:\n{listed_rows}"
    return [source("table", table(body))]


def machine(size: int) -> list[Source]:
    steps = "".join(f" - {{id: t{n}, from: w{n}, event: go, to: w{n + 1}}}\n" for n in range(size - 1))
    states = f"states: {{of: t.v0, initial: w0, terminal: [w{size - 1}]}}\nevents: {{go: {{}}}}\n"
    return [vocabulary(size), source("machine", head("machine", "t.machine") + f"{states}transitions:\n{steps}")]


GROWING: dict[str, Callable[[int], list[Source]]] = {
    "scalars": scalars, "keys": keys, "wide_table": wide_table, "faulty": faulty, "misspelt": misspelt,
    "editing": editing, "setting": setting, "computed": computed, "apart": apart, "machine": machine,
    "rows": lambda size: [first(rows(size))],
    "overlapping": lambda size: [first(rows(size, "{gte: {number}}"))],
    "wrong_rows": lambda size: [first(rows(size, "{gte: x}"))],
    "deep_cells": lambda size: [first(rows(size, "{not: " * 50 + "{number}" + "}" * 50))],
    "terms": lambda size: [vocabulary(size), first(rows(2), "a: {type: integer}, c: {type: term, of: t.v0}")],
    "inputs": lambda size: [
        first(rows(2), ", ".join(f"{name}: {{type: integer}}" for name in ("a", *(f"a{n}" for n in range(size)))))
    ],
    "doubled_keys": lambda size: [source("data", data("{" + "a: 0, " * size + "}"))],
}  # fmt: skip
LARGE = {
    "scalars": scalars, "mappings": mappings, "edited_mappings": edited_mappings, "empty_mappings": empty_mappings,
    "keys": keys,
}  # fmt: skip


def outcome(sources: Sequence[Source]) -> PolicySet | PolicyError:
    try:
        return PolicySet.load(sources, ANY_SHAPE, effects=EFFECTS)
    except PolicyError as fault:
        return fault


def measure(name: str, size: int) -> None:
    """Print how many bytes of memory a set took at most, kept as JSON too, and what came of it."""
    sources = LARGE[name](size)
    outcome(scalars(10))  # everything is imported
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    made = outcome(sources)
    if isinstance(made, PolicySet):
        json.dumps(made.to_bundle(made.packs))
    code = made.code if isinstance(made, PolicyError) else "loaded"
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(code, grown * 1024)  # noqa: T201


if __name__ == "__main__":
    measure(sys.argv[1], int(sys.argv[2]))
