"""Canonical bytes and digests."""

from __future__ import annotations

import hashlib
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.errors import ToolkitError
from toolkit.storage.canonical import canonical_bytes, digest

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


def frozen(value: object) -> object:
    """The same value in the immutable form that policies use."""
    if isinstance(value, dict):
        return MappingProxyType({key: frozen(item) for key, item in value.items()})
    if isinstance(value, list):
        return tuple(map(frozen, value))
    return value


def test_keys_are_sorted_by_utf_16_and_nothing_is_spent_on_space() -> None:
    value = {"\ufb33": 1, "\U0001f600": 2, "b": [True, None, "\u20ac\n"], "a": {}}
    assert canonical_bytes(value) == '{"a":{},"b":[true,null,"€\\n"],"\U0001f600":2,"\ufb33":1}'.encode()


@given(JSON)
def test_the_immutable_form_of_a_value_has_the_same_bytes(value: object) -> None:
    assert canonical_bytes(frozen(value)) == canonical_bytes(value)


def test_a_digest_is_sha_256_over_the_domain_line_and_the_bytes() -> None:
    expected = hashlib.sha256(b'demo/v1\n{"a":1}').hexdigest()
    assert digest("demo/v1", {"a": 1}) == f"sha256:{expected}"


def test_equal_values_in_two_domains_have_different_digests() -> None:
    assert digest("one/v1", {}) != digest("two/v1", {})


@pytest.mark.parametrize(
    "value", [2**53, -(2**53), float("nan"), float("inf"), "\ud800", {"\udfff": 1}, {1: 2}, [object()], {"a": b"b"}]
)
def test_what_json_can_not_say_exactly_has_no_canonical_form(value: object) -> None:
    with pytest.raises(ToolkitError) as caught:
        canonical_bytes(value)
    assert caught.value.code == "not_canonical"


def test_a_value_nested_without_end_is_refused_and_does_not_crash() -> None:
    value: list[object] = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(ToolkitError) as caught:
        canonical_bytes(value)
    assert caught.value.code == "not_canonical"
    while value:  # taken apart by hand: freeing it is recursive as well
        value = value.pop()  # type: ignore[assignment]
