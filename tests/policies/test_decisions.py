"""Decisions that stand fixed, one a line: facts, and the outputs that a table must give for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolkit.policy.sets import PolicySet

VECTORS = Path(__file__).parent.parent / "vectors" / "decisions.jsonl"
LINES = VECTORS.read_text("utf-8").splitlines()


def test_no_vector_is_lost() -> None:
    assert len(LINES) == 218


@pytest.mark.parametrize("line", LINES, ids=[f"line-{number}" for number in range(1, len(LINES) + 1)])
def test_a_table_decides_as_the_vector_says(policies: PolicySet, line: str) -> None:
    vector = json.loads(line)
    outputs = policies.table(vector["table"]).decide(**vector["facts"]).outputs
    expected: dict[str, Any] = vector["expect"]
    assert {name: (type(outputs[name]), outputs[name]) for name in expected} == {
        name: (type(value), value) for name, value in expected.items()
    }
