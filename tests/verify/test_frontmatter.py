"""Front matter: values as text, faults with their line, nothing hostile ever an exception."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from verify.frontmatter import FrontMatter, read_front_matter
from verify.markdown import split_lines


def read(text: str) -> FrontMatter:
    return read_front_matter(split_lines(text))


def test_scalars_stay_the_text_that_was_written() -> None:
    front = read(
        "---\nid: ABC-1\nstarted: 2026-11-25\nlegacy: yes\nversion: 010\nnone:\nquoted: 'a: b' # c\n---\n# Title\n"
    )
    assert front.values == {
        "id": "ABC-1",
        "started": "2026-11-25",
        "legacy": "yes",
        "version": "010",
        "none": "",
        "quoted": "a: b",
    }
    assert (front.error, front.end_line) == (None, 8)
    assert front.lines["started"] == 3


def test_lists_and_mappings_are_kept_as_their_text() -> None:
    front = read("---\nrelated: [A-1, 'ж']\nnested:\n  a: [1, {b: c}]\nlast: x\n? [odd]\n: y\n---\n")
    assert front.values == {"related": "[A-1, 'ж']", "nested": "a: [1, {b: c}]", "last": "x"}
    assert front.lines == {"related": 2, "nested": 3, "last": 5}


@pytest.mark.parametrize("text", ["", "# Title\n", "text\n---\na: b\n---\n", " ---\na: b\n---\n", "----\na: b\n----\n"])
def test_only_the_very_start_of_a_document_holds_front_matter(text: str) -> None:
    assert read(text) == FrontMatter({}, None, 0, {})


@pytest.mark.parametrize("text", ["---\r\nid: A\r\n---\r\n", "\ufeff---\nid: A\n---\n", "---  \nid: A\n---\t\n"])
def test_line_endings_byte_order_mark_and_trailing_space_change_nothing(text: str) -> None:
    front = read(text)
    assert (front.values, front.end_line) == ({"id": "A"}, 3)


@pytest.mark.parametrize("text", ["---\n---\n", "---\n\n---\n", "---\n# comment\n---\n"])
def test_empty_front_matter_has_no_values_and_no_error(text: str) -> None:
    front = read(text)
    assert (front.values, front.error) == ({}, None)
    assert front.end_line > 0


@pytest.mark.parametrize(
    ("body", "line", "reason"),
    [
        ("a: 1\nb: 2\na: 3", 4, "duplicate key 'a', first given on line 2"),
        ("a: 1\nb: *x", 3, "an alias"),
        ("a: &x 1\nb: 2", 2, "an anchor"),
        ("a: 1\nb: &x [1]", 3, "an anchor"),
        ("a: !!python/object:os.system x", 2, "a tag"),
        ("- a\n- b", 2, "not a mapping"),
        ("only text", 2, "not a mapping"),
        ("a: 1\nb: c: d", 3, "mapping values are not allowed"),
        ("a: [1", 3, "did not find expected"),
        ("a: 1\n\tb: 2", 3, "tab"),
        ("a: 1\nb: \x07", 3, "control characters are not allowed"),
        ("a: 1\n...\nb: 2", 4, "did not find expected"),
        ("a: 1\n...\n--- x", 4, "a second YAML document"),
        ("a: \ud800", 2, "no UTF-8 text"),
        pytest.param("a: " + "[" * 100_000, 2, "nesting", id="deep"),
        pytest.param("a: &a [x, x]\n" + "b: &b [*a, *a]\n" * 40, 2, "an anchor", id="bomb"),
    ],
)
def test_a_fault_is_told_with_its_line_and_leaves_no_values(body: str, line: int, reason: str) -> None:
    front = read(f"---\n{body}\n---\n# Title\n")
    assert front.error is not None
    assert front.error.startswith(f"line {line}: ")
    assert reason in front.error
    assert (front.error_line, front.values, front.lines) == (line, {}, {})


def test_front_matter_that_is_never_closed_is_a_fault_and_covers_nothing() -> None:
    front = read("---\nid: A\n\n# Title\n")
    assert front.error == "line 1: the front matter is opened here and never closed"
    assert (front.end_line, front.values) == (0, {})


def test_many_keys_are_read() -> None:
    front = read("---\n" + "".join(f"key{number}: {number}\n" for number in range(20_000)) + "---\n")
    assert front.values["key19999"] == "19999"
    assert front.lines["key19999"] == 20_001


@given(st.text(max_size=100))
@example("a: b\n? c\n")
@example("? a")
@example("&a : b")
@example("{a: b, a: c}")
@example("'")
@example("%YAML 1.2\n--- \na: b")
@example("a: |\n")
@example("\U0001f600: \U0001f600")
def test_nothing_between_the_lines_raises(body: str) -> None:
    front = read(f"---\n{body}\n---\n")
    lines = len(split_lines(f"---\n{body}\n---\n"))
    assert 0 < front.end_line <= lines
    assert all(1 < line < front.end_line for line in front.lines.values())
    assert front.error_line is None or 1 <= front.error_line <= front.end_line
    assert (front.error is None) or not front.values
