"""A fixed family of large tables: two hundred rows, eight inputs, several shapes, each within its boxes."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from proofs_support import Spec, document, spec

from toolkit.policy.proofs import MAX_BOXES, NOT_PROVED, PROVED, REFUTED, Proof, prove

ROWS, INPUTS = 200, 8
FLAGS = {f"b{place}": {"type": "boolean"} for place in range(INPUTS)}
RANGES = {f"n{place}": {"type": "integer", "minimum": 0, "maximum": 999} for place in range(INPUTS)}
WORDS = {f"t{place}": {"type": "term", "one_of": [f"w{word}" for word in range(6)]} for place in range(INPUTS)}
ANSWER = {"y": {"type": "term", "one_of": ["allow", "deny"]}}
Answers = dict[str, str]


def table_of(hit: str, inputs: Spec, whens: list[Spec | None], **more: Any) -> Spec:
    rows = [
        {"id": f"r{place}", **({} if when is None else {"when": when}), "then": {"y": "deny" if place % 3 else "allow"}}
        for place, when in enumerate(whens)
    ]
    return spec(hit=hit, inputs=inputs, outputs=ANSWER, rows=rows, **more)


def ladder() -> Spec:
    """One number cut into two hundred steps."""
    steps: list[Spec | None] = [{"n0": {"gte": 5 * step, "lt": 5 * step + 5}} for step in range(ROWS)]
    return table_of("unique", RANGES, steps)


def broken_ladder() -> Spec:
    """The same, but a step begins one too late."""
    body = ladder()
    body["rows"][137]["when"]["n0"]["gte"] += 1
    return body


def overlapping_ladder() -> Spec:
    """The same, but a step ends one too late."""
    body = ladder()
    body["rows"][137]["when"]["n0"]["lt"] += 1
    return body


def tree() -> Spec:
    """A decision tree with two hundred leaves: a random box is split at a random input, again and again."""
    chance = random.Random(8)
    leaves: list[dict[str, tuple[int, int]]] = [dict.fromkeys(RANGES, (0, 999))]
    while len(leaves) < ROWS:
        leaf = leaves.pop(chance.randrange(len(leaves)))
        name = chance.choice(sorted(leaf))
        low, high = leaf[name]
        if low == high:
            leaves.append(leaf)
            continue
        cut = chance.randrange(low, high)
        leaves += [{**leaf, name: (low, cut)}, {**leaf, name: (cut + 1, high)}]
    whens = [{name: {"gte": low, "lte": high} for name, (low, high) in leaf.items()} for leaf in leaves]
    return table_of("unique", RANGES, list(whens))


def tree_without_a_leaf() -> Spec:
    body = tree()
    del body["rows"][91]
    return body


def exceptions() -> Spec:
    """First the special cases, each of three words, then the rule."""
    chance = random.Random(3)
    whens: list[Spec | None] = [
        {name: f"w{chance.randrange(6)}" for name in chance.sample(sorted(WORDS), 3)} for _ in range(ROWS - 1)
    ]
    return table_of("first", WORDS, [*whens, None])


def guarded_exceptions() -> Spec:
    """The same, with an invariant that the first row guards."""
    body = exceptions()
    body["rows"] = [{"id": "guard", "when": {"t0": "w5"}, "then": {"y": "deny"}}, *body["rows"][1:]]
    return {**body, "require": [{"when_output": {"y": "allow"}, "inputs": {"t0": {"not": "w5"}}}]}


def open_exceptions() -> Spec:
    """The special cases alone: nothing answers the ordinary one."""
    body = exceptions()
    return {**body, "rows": body["rows"][:-1]}


def product() -> Spec:
    """Every combination of eight switches, but without fifty-six of them that wider rows cover."""
    whens: list[Spec | None] = [
        {f"b{place}": bool(number >> place & 1) for place in range(INPUTS)} for number in range(ROWS - 1)
    ]
    return table_of("first", FLAGS, [*whens, {"b7": True, "b6": True}])


def layers() -> Spec:
    """Thresholds of eight numbers, each row looking at two of them, and a last row for all that is below."""
    chance = random.Random(5)
    whens: list[Spec | None] = [
        {one: {"gte": chance.randrange(100, 1000)}, other: {"lt": chance.randrange(1, 900)}}
        for one, other in (chance.sample(sorted(RANGES), 2) for _ in range(ROWS - INPUTS))
    ]
    whens += [{f"n{place}": {"gte": 500}} for place in range(INPUTS - 1)]
    return table_of("first", RANGES, [*whens, {f"n{place}": {"lt": 500} for place in range(INPUTS - 1)}])


def sums() -> Spec:
    """Steps of a let over all eight numbers, beside a number that cuts them in two."""
    steps = [
        {"all": {**({"gte": 50 * step} if step else {}), **({"lt": 50 * step + 50} if step < 99 else {})}, "n0": half}
        for step in range(100)
        for half in ({"lt": 500}, {"gte": 500})
    ]
    return {**table_of("unique", RANGES, list(steps)), "let": {"all": " + ".join(RANGES)}}


def scattered() -> Spec:
    """Two hundred random boxes of five numbers each in a unique table: they leave most of the space open."""
    chance = random.Random(11)
    whens: list[Spec | None] = []
    for place in range(ROWS):
        cells = {
            name: {"gte": (low := chance.randrange(900)), "lt": low + 80} for name in chance.sample(sorted(RANGES), 4)
        }
        whens.append({**cells, "n7": {"gte": 5 * place, "lt": 5 * place + 5}})
    return table_of("unique", RANGES, whens)


def hard() -> Spec:
    """Random triples of switches, far more than are needed to leave nothing open: the classic hard case."""
    chance = random.Random(2)
    inputs = {f"b{place}": {"type": "boolean"} for place in range(40)}
    whens: list[Spec | None] = [
        {name: chance.random() < 0.5 for name in chance.sample(sorted(inputs), 3)} for _ in range(ROWS)
    ]
    return table_of("first", inputs, whens)


PROVABLE: list[tuple[Callable[[], Spec], dict[str, str]]] = [
    (ladder, {"overlap": PROVED, "gap": PROVED}),
    (broken_ladder, {"overlap": PROVED, "gap": REFUTED}),
    (overlapping_ladder, {"overlap": REFUTED, "gap": PROVED}),
    (tree, {"overlap": PROVED, "gap": PROVED}),
    (tree_without_a_leaf, {"overlap": PROVED, "gap": REFUTED}),
    (exceptions, {"gap": PROVED}),
    (guarded_exceptions, {"gap": PROVED, "require": PROVED}),
    (open_exceptions, {"gap": REFUTED}),
    (product, {"gap": PROVED}),
    (layers, {"gap": PROVED}),
    (sums, {"overlap": PROVED, "gap": PROVED}),
    (scattered, {"overlap": PROVED, "gap": REFUTED}),
]


def boxes(proofs: tuple[Proof, ...]) -> int:
    return sum(proof.boxes for proof in proofs)


@pytest.mark.parametrize(("make", "expected"), PROVABLE, ids=[make.__name__ for make, _ in PROVABLE])
def test_a_large_table_is_decided_within_its_boxes(make: Callable[[], Spec], expected: dict[str, str]) -> None:
    proofs = prove(document(make()))
    assert {proof.kind: proof.status for proof in proofs} == expected
    assert boxes(proofs) <= MAX_BOXES


def test_a_table_that_is_too_hard_is_not_proved_and_names_the_rows_in_doubt() -> None:
    (gap,) = prove(document(hard()), budget=500)
    assert (gap.status, gap.boxes) == (NOT_PROVED, 500)
    assert gap.subject
    assert all(name in gap.message for name in gap.subject)
    assert "500 boxes" in gap.message
    assert prove(document(hard()), budget=500) == (gap,)


def test_nothing_is_split_once_the_boxes_are_used_up() -> None:
    body = guarded_exceptions()
    body["rows"] = body["rows"][:-1]
    proofs = prove(document(body), budget=0)
    assert {proof.kind: proof.status for proof in proofs} == {"gap": NOT_PROVED, "require": PROVED}
    assert boxes(proofs) == 0
