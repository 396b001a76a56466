"""Random small tables and edits of them, and what two of them decide differently, by asking both everything."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from itertools import product
from typing import Any

from policy_support import load

from toolkit.policy.problems import PolicyError
from toolkit.policy.sets import PolicySet
from toolkit.policy.tables import Decision, Table

HEAD = {"policy": "v1", "version": "1.0.0", "title": "x", "source": "x"}
Spec = dict[str, Any]
Facts = dict[str, Any]
Pair = tuple[str | None, str | None, str]

RANKS = ("high", "middle", "low")
VALUES: dict[str, tuple[Any, ...]] = {
    "n": tuple(range(-1, 6)),
    "m": tuple(range(-3, 4)),
    "b": (False, True),
    "t": (*RANKS, "none"),
    "u": ("x", "y", "w"),
    "s": ("p", "q", "other", "stranger", "stranger-2"),
    "r": ("p", "q", "other", "stranger", "stranger-2"),
    "l": tuple([*items] for length in range(4) for items in product("pq", repeat=length)),
}
TYPES: dict[str, Spec] = {
    "n": {"type": "integer", "minimum": 0, "maximum": 4},
    "m": {"type": "integer", "minimum": -2, "maximum": 2},
    "b": {"type": "boolean"},
    "t": {"type": "term", "of": "t.rank"},
    "u": {"type": "term", "one_of": ["x", "y"]},
    "s": {"type": "string"},
    "r": {"type": "string"},
    "l": {"type": "list", "items": {"type": "term", "one_of": ["p", "q"]}},
}
LETS = ("n + m", "n - m", "2 * n - m", "ceil(n / 2) + m", "floor((n - m) / 3)", "min(n, m, 1)", "max(abs(m), n)")
OUTPUTS: Spec = {
    "y": {"type": "term", "one_of": ["a", "b", "c"], "stronger": ["a", "b", "c"]},
    "z": {"type": "integer", "minimum": -1, "maximum": 5},
    "k": {"type": "boolean", "stronger": [True, False]},
    "g": {"type": "term", "of": "t.rank"},
    "w": {"type": "string"},
    "f": {"type": "term", "one_of": ["x", "y", "z"]},
}
STRENGTH: dict[str, tuple[Any, ...]] = {"y": ("a", "b", "c"), "k": (True, False), "g": RANKS}  # gravest first
BY_VALUE = ("f",)  # without an order: in a list, nothing else is as strong


def vocabulary(terms: tuple[str, ...] = RANKS) -> str:
    """The vocabulary ``t.rank``, gravest first."""
    listed = [{"term": term} for term in terms]
    own = {"kind": "vocabulary", "id": "t.rank", "order": "descending", "anchors": [], "terms": listed}
    return json.dumps({**HEAD, **own})


def loaded(body: Spec, terms: tuple[str, ...] = RANKS) -> PolicySet:
    """A set of the one table and its vocabulary; of the table nothing is proved."""
    return load(vocabulary(terms), json.dumps(body))


class Maker:
    """Makes tables and edits of them from one source of chance."""

    def __init__(self, chance: random.Random, *, texts: bool = False) -> None:
        self.chance = chance
        self.texts = texts

    def maybe(self, one_in: int = 2) -> bool:
        return self.chance.randrange(one_in) == 0

    def body(self, hit: str) -> Spec:
        """A table; a ``unique`` one is a tree of conditions and their contraries."""
        usable = [name for name in TYPES if self.texts or name not in ("s", "r")]
        names = self.chance.sample(usable, self.chance.randint(1, 3))
        inputs = {name: {**TYPES[name], **({"optional": True} if self.maybe(4) else {})} for name in names}
        body: Spec = {**HEAD, "kind": "table", "id": "t.table", "hit": hit}
        body["outputs"] = {
            name: OUTPUTS[name] for name in ("y", *self.chance.sample("zkgwf", self.chance.randint(0, 2)))
        }
        if {"n", "m"} <= inputs.keys() and self.maybe():
            body["let"] = {"v": self.chance.choice(LETS)}
        if self.maybe(5):
            inside = [name for name in inputs if self.maybe()] or names[:1]
            fields = {name: inputs.pop(name) for name in inside}
            inputs["items"] = {"type": "list", "items": {"type": "record", "fields": fields}}
            body["each"] = "items"
        body["inputs"] = inputs
        if hit == "unique":
            whens = self.partition(body, {}, 3)
        else:
            whens = [self.when(body) for _ in range(self.chance.randint(1, 5))]
            if hit == "first":
                whens.append({})
        body["rows"] = [self.row(body, when, f"row-{place}") for place, when in enumerate(whens)]
        if hit == "collect" and self.maybe(3):
            body["rows"].append(self.row(body, {}, "row-any"))
        return body

    def partition(self, body: Spec, when: Spec, depth: int) -> list[Spec]:
        free = sorted(scope(body).keys() - when.keys())
        if depth == 0 or not free or self.maybe(5):
            return [when]
        name = self.chance.choice(free)
        cell = self.cell(body, name)
        return [
            *self.partition(body, {**when, name: cell}, depth - 1),
            *self.partition(body, {**when, name: {"not": cell}}, depth - 1),
        ]

    def when(self, body: Spec, *, any_of: bool = True) -> Spec:
        names = sorted(scope(body))
        chosen = self.chance.sample(names, self.chance.randint(1, min(2, len(names))))
        when = {name: self.cell(body, name) for name in chosen}
        if any_of and self.maybe(6):
            when["any_of"] = [self.when(body, any_of=False) for _ in range(self.chance.randint(1, 2))]
        return when

    def cell(self, body: Spec, name: str) -> Any:
        optional = scope(body)[name]
        if optional and self.maybe(4):
            return self.chance.choice([None, {"present": True}, {"present": False}])
        cell = self._cell(name)
        if optional and isinstance(cell, dict):
            cell = {"present": True, **cell}
        return {"not": cell} if self.maybe(5) else cell

    def _cell(self, name: str) -> Any:
        chance = self.chance
        if name in ("n", "m", "v"):
            low, high = {"n": (0, 4), "m": (-2, 2), "v": (-3, 5)}[name]
            number = chance.randint(low, high)
            return number if self.maybe(3) else {chance.choice(["gt", "gte", "lt", "lte"]): number}
        if name == "b":
            return self.maybe()
        if name == "t":
            term = chance.choice(RANKS)
            return term if self.maybe() else {chance.choice(["gt", "gte", "lt", "lte"]): term}
        if name == "l":
            return chance.choice([{"some": "p"}, {"some": "q"}, {"every": "p"}, {"count": 0}, {"count": {"gt": 1}}])
        return chance.choice(["x", "y"] if name == "u" else ["p", "q", ["p", "q"]])

    def row(self, body: Spec, when: Spec, identity: str) -> Spec:
        row = {"id": identity, **({"when": when} if when else {}), "then": {}}
        if self.maybe(9):
            row["then"] = {"error": self.chance.choice(["unsure", "unknown"])}
            return row
        row["then"] = {output: self.said(body, output) for output in body["outputs"]}
        return row

    def said(self, body: Spec, output: str) -> Any:
        """A constant, or what the row takes over."""
        taken = {"z": "nmv", "k": "b", "g": "t", "w": "sr"}.get(output, "")
        usable = [name for name, optional in scope(body).items() if name in taken and not optional]
        if usable and self.maybe():
            return {"value": self.chance.choice(usable)}
        choices = {"y": ["a", "b", "c"], "z": [0, 1, 2], "k": [True, False], "g": RANKS, "w": ["p", "q", "why"]}
        return self.chance.choice({**choices, "f": ["x", "y", "z"]}[output])

    # Edits.

    def edit(self, body: Spec) -> Spec:
        """The table with one to three things about it changed."""
        edited = copy.deepcopy(body)
        for _ in range(self.chance.choice([1, 1, 1, 2, 3])):
            self._edit(edited)
        return edited

    def _edit(self, body: Spec) -> None:
        rows: list[Spec] = body["rows"]
        free = len(rows) - (body["hit"] == "first")  # the last row of a first table stays
        everywhere = [self._answer, self._error, self._rename, self._range, self._let, self._input]
        of_rows = [self._repartition] if body["hit"] == "unique" else [self._swap, self._insert]
        if free > 1 and body["hit"] != "unique":
            of_rows += [self._when, self._remove]
        self.chance.choice([*everywhere, *of_rows])(body, self.chance.randrange(max(free, 1)))

    def _answer(self, body: Spec, place: int) -> None:
        row = body["rows"][place]
        if "error" not in row["then"]:
            output = self.chance.choice(sorted(body["outputs"]))
            row["then"][output] = self.said(body, output)

    def _error(self, body: Spec, place: int) -> None:
        row = body["rows"][place]
        body["rows"][place] = self.row(body, row.get("when", {}), row["id"])

    def _rename(self, body: Spec, place: int) -> None:
        body["rows"][place]["id"] = fresh(body["rows"])

    def _let(self, body: Spec, _place: int) -> None:
        if "let" in body:
            body["let"]["v"] = self.chance.choice(LETS)

    def _when(self, body: Spec, place: int) -> None:
        row = body["rows"][place]
        body["rows"][place] = {"id": row["id"], "when": self.when(body), "then": row["then"]}

    def _swap(self, body: Spec, place: int) -> None:
        rows = body["rows"]
        other = self.chance.randrange(max(len(rows) - (body["hit"] == "first"), 1))
        rows[place], rows[other] = rows[other], rows[place]

    def _remove(self, body: Spec, place: int) -> None:
        del body["rows"][place]

    def _insert(self, body: Spec, place: int) -> None:
        body["rows"].insert(place, self.row(body, self.when(body), fresh(body["rows"])))

    def _repartition(self, body: Spec, place: int) -> None:
        """One row of a partition becomes two, or answers otherwise."""
        rows: list[Spec] = body["rows"]
        when = rows[place].get("when", {})
        parts = self.partition(body, when, 1)
        made = [
            self.row(body, part, rows[place]["id"] if not number else fresh(rows)) for number, part in enumerate(parts)
        ]
        if self.maybe():
            made[0]["then"] = rows[place]["then"]
        rows[place : place + 1] = made

    def _range(self, body: Spec, _place: int) -> None:
        declared = all_inputs(body)
        for name in ("n", "m"):
            if name in declared and matches(name, declared[name]):
                bound = self.chance.choice(["minimum", "maximum"])
                own = declared[name]
                own[bound] = own[bound] + self.chance.choice([-1, 1])
                own["minimum"] = min(own["minimum"], own["maximum"])

    def _input(self, body: Spec, _place: int) -> None:
        """One more input, which no row tests."""
        free = [name for name in TYPES if name not in all_inputs(body) and (self.texts or name not in "sr")]
        inputs = body["inputs"]
        if free:
            inputs[self.chance.choice(free)] = {"type": "boolean"}


def fresh(rows: list[Spec]) -> str:
    taken = {row["id"] for row in rows}
    return next(name for number in range(99) if (name := f"new-{number}") not in taken)


def all_inputs(body: Spec) -> dict[str, Spec]:
    """The inputs and fields."""
    found = {name: declared for name, declared in body["inputs"].items() if name != body.get("each")}
    return {**found, **(fields(body) or {})}


def fields(body: Spec) -> dict[str, Spec] | None:
    return body["inputs"][body["each"]]["items"]["fields"] if "each" in body else None


def scope(body: Spec) -> dict[str, bool]:
    """The names that a cell may test, and whether they may be null."""
    found = {
        name: bool(one.get("optional"))
        for name, one in all_inputs(body).items()
        if name in TYPES and matches(name, one)
    }
    if "let" in body:
        found["v"] = found.get("n", True) or found.get("m", True)
    return found


def matches(name: str, declared: Spec) -> bool:
    return declared["type"] == TYPES[name]["type"]


# By asking.


def domain(name: str, declared: Spec) -> tuple[Any, ...]:
    values = VALUES[name] if matches(name, declared) else (False, True)
    return (*values, None) if declared.get("optional") else values


def everything(*bodies: Spec) -> Iterator[Facts]:
    """Facts of all that some tables declare; of records, one item with the fields of all."""
    declared: dict[str, Spec] = {}
    for body in bodies:
        declared |= all_inputs(body)
    for values in product(*(domain(name, one) for name, one in declared.items())):
        yield dict(zip(declared, values, strict=True))


def ask(table: Table, body: Spec, facts: Facts) -> tuple[Decision, ...] | PolicyError | None:
    """All that a table decides of the facts that it declares, or the refusal; null where they are not legal."""
    asked = {name: facts[name] for name in body["inputs"] if name != body.get("each")}
    inner = fields(body)
    if inner is not None:
        asked[body["each"]] = [{name: facts[name] for name in inner}]
    try:
        return table.decide_all(asked)
    except PolicyError as refusal:
        return refusal if refusal.exit_status == 3 else None


def row_of(table: Table, answer: tuple[Decision, ...] | PolicyError) -> str:
    if isinstance(answer, PolicyError):
        return next(row.id for row in table.document.rows if str(row.mark) == answer.place)
    return answer[0].row


def strictly(one: Any, other: Any) -> bool:
    return type(one) is type(other) and one == other


def shared(one: Spec, other: Spec) -> list[str]:
    return [name for name in one["outputs"] if name in other["outputs"]]


def direction(outputs: list[str], was: Any, now: Any) -> str | None:
    """The direction from one answer to another; null where they are the same."""
    found = set()
    for name in outputs:
        if not strictly(was[name], now[name]):
            order = STRENGTH.get(name, ())
            known = was[name] in order and now[name] in order
            found.add(
                ("stronger" if order.index(now[name]) < order.index(was[name]) else "weaker") if known else "other"
            )
    if {"weaker", "stronger"} <= found:
        return "mixed"
    return next((one for one in ("weaker", "stronger", "other") if one in found), None)


def differing(tables: tuple[Table, Table], bodies: tuple[Spec, Spec]) -> set[Pair]:
    """The rows that decide the same facts differently, with the directions: for tables with one answer."""
    found: set[Pair] = set()
    outputs = shared(*bodies)
    for facts in everything(*bodies):
        old, new = (ask(table, body, facts) for table, body in zip(tables, bodies, strict=True))
        if old is None or new is None:
            continue
        rows = row_of(tables[0], old), row_of(tables[1], new)
        if isinstance(old, PolicyError) or isinstance(new, PolicyError):
            if getattr(old, "code", None) != getattr(new, "code", None):
                found.add((*rows, "other"))
        elif (told := direction(outputs, old[0].outputs, new[0].outputs)) is not None:
            found.add((*rows, told))
    return found


# Tables that collect.

Told = tuple[str | None, str | None, str, str]  # the rows, the direction and the kind


def untold(tables: tuple[Table, Table], bodies: tuple[Spec, Spec], told: set[Told]) -> Iterator[str]:
    """What lists differ in and nobody told: an answer lost or new, one that nothing is as strong as, another order."""
    outputs = shared(*bodies)
    decisions = {one[:3] for one in told if one[3] == "decision"}
    for facts in everything(*bodies):
        old, new = (ask(table, body, facts) for table, body in zip(tables, bodies, strict=True))
        if old is None or new is None:
            continue
        if isinstance(old, PolicyError) or isinstance(new, PolicyError):
            yield from untold_refusal(tables, (old, new), decisions)
        else:
            sequence = any(one[3] == "sequence" for one in told)
            yield from (f"{facts}: {what}" for what in untold_answers(outputs, (old, new), decisions, sequence))


def untold_refusal(tables: tuple[Table, Table], given: tuple[Any, Any], decisions: set[Pair]) -> Iterator[str]:
    codes = [getattr(one, "code", None) for one in given]
    both = zip(tables, given, strict=True)
    rows = [row_of(table, one) if isinstance(one, PolicyError) else None for table, one in both]
    if codes[0] != codes[1] and (rows[0], rows[1], "other") not in decisions:
        yield f"refusals {rows}"


def untold_answers(
    outputs: list[str], given: tuple[tuple[Decision, ...], tuple[Decision, ...]], decisions: set[Pair], sequence: bool
) -> Iterator[str]:
    old, new = given
    was, now = ([{name: one.outputs[name] for name in outputs} for one in side] for side in (old, new))
    lost = {one.row for one, said in zip(old, was, strict=True) if count(was, said) > count(now, said)}
    new_ = {one.row for one, said in zip(new, now, strict=True) if count(now, said) > count(was, said)}
    if lost and not any(row in lost for row, _, _ in decisions):
        yield f"lost {lost}"
    if new_ and not any(row in new_ for _, row, _ in decisions):
        yield f"new {new_}"
    if not lost and not new_ and not all(map(equal, was, now)) and not sequence:
        yield "another order"
    weak = set(weakest(old, now, outputs, "weaker"))
    if weak and not any(row in weak and way in ("weaker", "mixed") for row, _, way in decisions):
        yield f"weaker {weak}"
    strong = set(weakest(new, was, outputs, "weaker"))
    if strong and not any(row in strong and way in ("stronger", "mixed") for _, row, way in decisions):
        yield f"stronger {strong}"


def equal(one: Any, other: Any) -> bool:
    return all(strictly(one[name], other[name]) for name in one)


def count(listed: list[Any], said: Any) -> int:
    return sum(equal(one, said) for one in listed)


def weakest(given: tuple[Decision, ...], others: list[Any], outputs: list[str], way: str) -> Iterator[str]:
    """The rows with an output that none of the others has as strongly, or at all where it has no order."""
    for one in given:
        for name in outputs:
            if name in BY_VALUE and not any(strictly(one.outputs[name], other[name]) for other in others):
                yield one.row
            if name in STRENGTH and all(direction([name], one.outputs, other) == way for other in others):
                yield one.row


def shows(tables: tuple[Table, Table], bodies: tuple[Spec, Spec], change: Any) -> bool:
    """Whether the witness of a change of a list shows it."""
    outputs = shared(*bodies)
    old, new = (
        table.decide_all({name: narrowed(body, name, change.witness[name]) for name in body["inputs"]})
        for table, body in zip(tables, bodies, strict=True)
    )
    was, now = ([{name: one.outputs[name] for name in outputs} for one in side] for side in (old, new))
    if change.kind == "sequence":  # of answers that stand in a list more than once, which one moved is a matter of rows
        return len(was) != len(now) or not all(map(equal, was, now))
    lost = any(
        one.row == change.row_before and count(was, said) > count(now, said) for one, said in zip(old, was, strict=True)
    )
    gain = any(
        one.row == change.row_after and count(now, said) > count(was, said) for one, said in zip(new, now, strict=True)
    )
    weak = change.row_before in set(weakest(old, now, outputs, "weaker"))
    strong = change.row_after in set(weakest(new, was, outputs, "weaker"))
    expected = "mixed" if weak and strong else "weaker" if weak else "stronger" if strong else "other"
    return (lost or gain) and change.direction == expected


def narrowed(body: Spec, name: str, value: Any) -> Any:
    """What a table is asked of a witness."""
    inner = fields(body)
    return (
        [{one: item[one] for one in inner} for item in value] if inner is not None and name == body["each"] else value
    )
