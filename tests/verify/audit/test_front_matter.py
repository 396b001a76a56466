"""Front matter: nothing breaks it on the way out, nothing slips through on the way in."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from verify.audit.front_matter import Bounds, Unreadable, dump, load
from verify.redaction import well_formed

BOUNDS = Bounds(depth_max=20, nodes_max=200)
ODD = (
    *("---", "...", "\n---\n# x", "no", "~", "2024-01-01", "1e3", "0x1", "null", "- a", "a: b", "# c", "&a", "*a"),
    *("!!str x", "<<", "\x85", "\u2028", "\u202e", "\ufeff", "\0", "\x1b[31m", "\U0001f600", "\U000e0041", "a\r\nb"),
    *("'", '"', "\\"),
)
TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=12) | st.sampled_from(ODD)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(TEXT, JSON, max_size=5))
def test_what_is_written_is_what_is_read(header: dict[str, object]) -> None:
    text = dump(header)
    assert load(text + "\n# body\n", BOUNDS) == header
    assert yaml.safe_load(text.removeprefix("---\n").removesuffix("---\n")) == header


@given(st.dictionaries(TEXT, JSON, max_size=5))
def test_every_line_shows_and_only_the_fences_are_fences(header: dict[str, object]) -> None:
    lines = dump(header).split("\n")
    assert [number for number, line in enumerate(lines) if line.startswith("---")] == [0, len(lines) - 2]
    assert all(line.isprintable() for line in lines)


def test_letters_of_any_script_stay_readable() -> None:
    assert "excerpt: План готов\n" in dump({"excerpt": "План готов"})


def test_a_lone_surrogate_is_spelled_out() -> None:
    assert load(dump({"a": "x\ud800y"}), BOUNDS) == {"a": well_formed("x\ud800y")} == {"a": "x\\ud800y"}


def test_keys_keep_their_order_and_repeated_values_are_written_twice() -> None:
    shared = ["x"]
    text = dump({"z": shared, "a": shared})
    assert text == "---\nz:\n- x\na:\n- x\n---\n"


def test_times_are_text_and_only_json_has_types() -> None:
    text = "---\nat: 2026-05-04T12:30:15Z\non: no\nn: 010\nx: 0x1f\ni: -3\nf: 1.5\nnone:\nt: true\n---\n"
    assert load(text, BOUNDS) == {
        "at": "2026-05-04T12:30:15Z",
        "on": "no",
        "n": "010",
        "x": "0x1f",
        "i": -3,
        "f": 1.5,
        "none": None,
        "t": True,
    }


def test_a_document_without_fences_is_front_matter_as_a_whole() -> None:
    assert load("task_id: A\niter: 1\n", BOUNDS) == {"task_id": "A", "iter": 1}


def test_windows_line_endings_are_line_endings() -> None:
    assert load("---\r\na: 1\r\n---\r\nbody\r\n", BOUNDS) == {"a": 1}


BOMB = "a: &a [x, x]\n" + "".join(f"b{i}: &b{i} [*a, *a]\n" for i in range(9))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"---\n{BOMB}---\n", "anchors"),
        ("---\na: &a 1\n---\n", "anchors"),
        ("---\na: !!python/object/apply:os.system [id]\n---\n", "tags"),
        ("---\na: !!binary aGk=\n---\n", "tags"),
        ("---\na: 1\na: 2\n---\n", "twice"),
        ("---\nx: {b: 1, b: 2}\n---\n", "twice"),
        ("---\na: 1\n", "does not end"),
        ("---\n- a\n---\n", "no mapping"),
        ("---\n1: a\n---\n", "no mapping"),
        ("---\n[]: a\n---\n", "unhashable"),
        ("---\na: [\n---\n", "parsing"),
        ("---\na: \x07\n---\n", "control characters"),
        ("---\na: " + "[" * 30 + "]" * 30 + "\n---\n", "deeper or larger"),
        ("---\na: [" + "x," * 300 + "]\n---\n", "deeper or larger"),
        ("a: 1\n--- \nb: 2\n", "several documents"),
        ("---\na: " + "9" * 5000 + "\n---\n", "4300"),
        ("", "no mapping"),
    ],
)
def test_what_is_no_plain_front_matter_is_refused(text: str, why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        load(text, BOUNDS)
