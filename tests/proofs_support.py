"""Small random tables for the proofs, and the same claims checked by asking the table everything."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any

from hypothesis import strategies as st
from policy_support import ANY_SHAPE, head

from toolkit.policy.language.rules import TableDocument
from toolkit.policy.layers import SHIPPED, Source
from toolkit.policy.problems import PolicyError
from toolkit.policy.proofs import Proof, prove
from toolkit.policy.sets import PolicySet
from toolkit.policy.tables import Decision, Table

Spec = dict[str, Any]
Facts = dict[str, Any]

RANK = head("vocabulary", "t.rank") + (
    "order: descending\nanchors: []\nterms:\n  - {term: high}\n  - {term: middle}\n  - {term: low}\n"
)
NUMBERS = {"n": (0, 4), "m": (-2, 2)}
SCALARS: Mapping[str, Spec] = {
    "n": {"type": "integer", "minimum": 0, "maximum": 4},
    "m": {"type": "integer", "minimum": -2, "maximum": 2},
    "b": {"type": "boolean"},
    "t": {"type": "term", "of": "t.rank"},
    "l": {"type": "list", "items": {"type": "term", "one_of": ["p", "q"]}},
}
VALUES: Mapping[str, tuple[Any, ...]] = {
    "n": tuple(range(5)),
    "m": tuple(range(-2, 3)),
    "b": (False, True),
    "t": ("high", "middle", "low"),
    "l": tuple([*items] for length in range(5) for items in product("pq", repeat=length)),
}
LETS = (
    "n + m", "n - m", "2 * n - m", "2 * n - 2 * m", "ceil(n / 2) + m", "floor((n - m) / 3)", "min(n, m, 1)",
    "max(abs(m), n)", "abs(n - 2)", "floor(max(n / 2, m))", "min(200, ceil(n / 2))", "3 * n - 6 * m",
)  # fmt: skip


def document(body: Spec | str, *vocabularies: str) -> TableDocument:
    """A table by itself, read and not proved."""
    text = body if isinstance(body, str) else json.dumps(body)
    texts = [*(vocabularies or (RANK,)), text]
    sources = [Source(f"{place}.yaml", one.encode(), SHIPPED) for place, one in enumerate(texts)]
    return PolicySet.load(sources, ANY_SHAPE, prove=False).table("t.table").document


def spec(**body: Any) -> Spec:
    """The mapping of a table ``t.table``."""
    return {"policy": "v1", "kind": "table", "id": "t.table", "version": "1.0.0", "title": "x", "source": "x", **body}


def by_kind(proofs: Iterable[Proof], kind: str) -> list[Proof]:
    return [proof for proof in proofs if proof.kind == kind]


def proofs_of(body: Spec, **more: Any) -> tuple[Proof, ...]:
    return prove(document(body), **more)


def outcome(table: Table, facts: Facts) -> tuple[Decision, ...] | str:
    """The decisions, or the code of the refusal."""
    try:
        return table.decide_all(**facts)
    except PolicyError as refusal:
        return refusal.code


def everything(body: Spec) -> Iterator[Facts]:
    """All facts of a table over ``SCALARS``; of lists, all that are short."""
    domains = [
        (*VALUES[name], *((None,) if declared.get("optional") else ())) for name, declared in body["inputs"].items()
    ]
    for values in product(*domains):
        yield dict(zip(body["inputs"], values, strict=True))


def _numbers(low: int, high: int) -> st.SearchStrategy[Any]:
    inside = st.integers(low, high)
    compared = st.dictionaries(st.sampled_from(["gt", "gte", "lt", "lte"]), inside, min_size=1, max_size=2)
    return st.one_of(inside, st.lists(inside, min_size=1, max_size=2), compared)


TERMS = st.sampled_from(["high", "middle", "low"])
BASE: Mapping[str, st.SearchStrategy[Any]] = {
    "n": _numbers(0, 4),
    "m": _numbers(-2, 2),
    "b": st.booleans(),
    "t": st.one_of(TERMS, st.builds(lambda one, term: {one: term}, st.sampled_from(["gt", "gte", "lt", "lte"]), TERMS)),
    "l": st.one_of(
        st.sampled_from(
            [{"some": "p"}, {"some": "q"}, {"every": "p"}, {"every": {"not": "q"}}, {"every": "p", "some": "p"}]
        ),
        st.integers(0, 2).map(lambda one: {"count": one}),
        st.builds(lambda one, count: {"count": {one: count}}, st.sampled_from(["gt", "lte"]), st.integers(0, 2)),
    ),
}
LET_CELLS = _numbers(-4, 6)


def guarded(cell: Any, optional: bool) -> Any:
    """A cell that says ``present`` where that is needed."""
    return {"present": True, **cell} if optional and isinstance(cell, dict) and "not" not in cell else cell


@st.composite
def cells(draw: st.DrawFn, name: str, optional: bool) -> Any:
    """One cell; null, where it is legal, and its negation among them."""
    cell = guarded(draw(BASE.get(name, LET_CELLS)), optional)
    if optional and draw(st.integers(0, 3)) == 0:
        cell = draw(st.sampled_from([None, {"present": False}, {"present": True}]))
    return {"not": cell} if draw(st.integers(0, 3)) == 0 else cell


@st.composite
def whens(draw: st.DrawFn, names: Mapping[str, bool], *, any_of: bool = True) -> Spec:
    """A ``when`` over some of the names, with alternatives now and then."""
    chosen = draw(st.lists(st.sampled_from(sorted(names)), min_size=1, max_size=2, unique=True))
    when = {name: draw(cells(name, names[name])) for name in chosen}
    if any_of and draw(st.integers(0, 3)) == 0:
        when["any_of"] = draw(st.lists(whens(names, any_of=False), min_size=1, max_size=3))
    return when


def reads_null(let: str, optional: Mapping[str, bool]) -> bool:
    """Whether a let reads a name that may be null."""
    return any(optional[name] for name in re.findall("[a-z]+", let) if name in optional)


@st.composite
def specs(draw: st.DrawFn, hit: str | None = None) -> Spec:
    """A small table over some of ``SCALARS``, whose facts can all be asked."""
    inputs = {
        name: {**SCALARS[name], **({"optional": True} if draw(st.integers(0, 3)) == 0 else {})}
        for name in draw(st.lists(st.sampled_from(sorted(SCALARS)), min_size=1, max_size=3, unique=True))
    }
    optional = {name: bool(declared.get("optional")) for name, declared in inputs.items()}
    lets: dict[str, str] = {}
    if {"n", "m"} <= inputs.keys():
        for name in draw(st.sampled_from([(), ("v",), ("v", "w")])):
            lets[name] = draw(st.sampled_from([*LETS, *(("v + n", "v - m") if lets else ())]))
            optional[name] = reads_null(lets[name], optional)
    hit = draw(st.sampled_from(["unique", "first", "collect"])) if hit is None else hit
    rows = [draw(rows_of(optional, f"row-{place}")) for place in range(draw(st.integers(1, 5)))]
    if draw(st.booleans()) and hit != "unique":
        rows[-1].pop("when", None)
        rows[-1]["then"] = {"y": draw(Y), "z": 0}
    body = spec(hit=hit, inputs=inputs, outputs=OUTPUTS, rows=rows, require=draw(requires(optional)))
    return {**body, "let": lets} if lets else body


OUTPUTS = {
    "y": {"type": "term", "one_of": ["a", "b", "c"], "stronger": ["a", "b", "c"]},
    "z": {"type": "integer", "minimum": -1, "maximum": 5},
}
Y = st.sampled_from(["a", "b", "c"])


@st.composite
def rows_of(draw: st.DrawFn, names: Mapping[str, bool], identity: str) -> Spec:
    """A row; its integer output may be a name, and it may decline."""
    when = draw(whens(names))
    if draw(st.integers(0, 7)) == 0:
        return {"id": identity, "when": when, "then": {"error": draw(st.sampled_from(["unknown", "unsure"]))}}
    usable = [name for name, optional in names.items() if name in ("n", "m", "v", "w") and not optional]
    z = draw(
        st.one_of(st.integers(0, 2), *([st.sampled_from(usable).map(lambda one: {"value": one})] if usable else []))
    )
    return {"id": identity, "when": when, "then": {"y": draw(Y), "z": z}}


@st.composite
def requires(draw: st.DrawFn, names: Mapping[str, bool]) -> list[Spec]:
    """Invariants, most of which a random table breaks."""
    usable = {name: optional for name, optional in names.items() if name != "l"}
    found = []
    for _ in range(draw(st.integers(0, 2)) if usable else 0):
        name = draw(st.sampled_from(sorted(usable)))
        output = draw(st.one_of(Y.map(lambda one: {"y": one}), st.integers(0, 3).map(lambda one: {"z": one})))
        found.append({"when_output": output, "inputs": {name: draw(cells(name, usable[name]))}})
    return found


@st.composite
def edits(draw: st.DrawFn, body: Spec) -> Spec:
    """The table with some rows removed, replaced, inserted or made to answer otherwise."""
    edited = copy.deepcopy(body)
    rows: list[Spec] = edited["rows"]
    lets = body.get("let", {})
    optional = {name: bool(declared.get("optional")) for name, declared in body["inputs"].items()}
    for name, let in lets.items():
        optional[name] = reads_null(let, optional)
    for _ in range(draw(st.integers(1, 2))):
        place = draw(st.integers(0, len(rows) - 1))
        what = draw(st.sampled_from(["remove", "answer", "when", "insert", "drop"]))
        fresh = draw(rows_of(optional, f"new-{len(rows)}"))
        if what == "remove" and len(rows) > 1:
            del rows[place]
        elif what == "answer" and "error" not in rows[place]["then"]:
            rows[place]["then"]["y"] = draw(Y)
        elif what == "when" and "when" in rows[place]:
            rows[place]["when"] = fresh["when"]
            rows[place]["then"] = {"y": draw(Y), "z": 0}
        elif what == "drop" and "error" not in rows[place]["then"] and "value" not in str(rows[place]["then"]["z"]):
            rows[place].pop("when", None)
        else:
            rows.insert(place, fresh)
    ids: dict[str, int] = {}
    for row in rows:
        ids[row["id"]] = ids.get(row["id"], 0) + 1
        if ids[row["id"]] > 1:
            row["id"] += f"-{ids[row['id']]}"
    return edited


def table_of(rows: list[Spec], vocabulary: str = RANK, **more: Any) -> TableDocument:
    """A table of one term and one path that answers with a term and a text."""
    body = {
        "hit": "first",
        "inputs": {"t": {"type": "term", "of": "t.rank"}, "p": {"type": "path"}},
        "outputs": {"answer": {"type": "term", "of": "t.rank"}, "why": {"type": "string"}},
        **more,
    }
    return document(spec(**body, rows=rows), vocabulary)


def row(identity: str, answer: Any, why: Any = "", **when: Any) -> Spec:
    """One of its rows."""
    return {"id": identity, **({"when": when} if when else {}), "then": {"answer": answer, "why": why}}


REST = row("rest", "low")
