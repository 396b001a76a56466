"""JSON on which all readers agree; what some would read in their own way is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.storage.strict_json import MAX_DIGITS, loads

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(VALUES)
def test_what_was_written_is_what_is_read(value: Any) -> None:
    assert loads(json.dumps(value)) == value
    assert loads(json.dumps(value).encode()) == value


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": 1, "a": 2}', "'a' stands twice"),
        ('[{"b": {"a": 1, "a": 1}}]', "'a' stands twice"),
        ("NaN", "NaN is no JSON"),
        ("[-Infinity]", "-Infinity is no JSON"),
        ("1" * (MAX_DIGITS + 1), "digits"),
        ("{", "Expecting"),
        (b"\xff", "decode"),
    ],
)
def test_what_is_read_in_several_ways_is_refused(text: str | bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        loads(text)
