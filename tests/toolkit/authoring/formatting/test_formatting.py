"""One form for every policy: what formatting changes, and what it never does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from textwrap import dedent
from typing import Any

import pytest
from formatting_support import written
from hypothesis import assume, given, settings

from toolkit.authoring.formatting import format_policy, keeping
from toolkit.authoring.formatting.keeping import _comments_in
from toolkit.authoring.formatting.reading import read_pieces
from toolkit.policy.problems import Flawed, PolicyError, Problems
from toolkit.policy.syntax.nodes import MAX_BYTES, plain, read_yaml
from toolkit.shipped import read_shipped


def formatted(text: str) -> str:
    return format_policy(dedent(text).encode(), "policy.yaml").decode()


def value_of(text: str) -> Any:
    return plain(read_yaml(text.encode(), "policy.yaml", Problems()))


def comments_of(text: str) -> list[str]:
    return sorted(_comments_in(read_pieces(text)))


def shipped() -> Iterator[tuple[str, bytes]]:
    files = read_shipped()
    yield from files.documents.items()
    for overlays in files.profiles.values():
        yield from overlays.items()


@pytest.mark.parametrize(("name", "data"), list(shipped()), ids=lambda one: one if isinstance(one, str) else "")
def test_every_shipped_policy_is_in_the_form(name: str, data: bytes) -> None:
    assert format_policy(data, name) == data


# What always holds.


@settings(max_examples=120)
@given(written())
def test_the_form_says_the_same_with_the_same_comments_and_formatting_it_again_changes_nothing(
    document: tuple[dict[str, Any], str, list[str]],
) -> None:
    value, text, comments = document
    problems = Problems()
    try:
        read = plain(read_yaml(text.encode(), "policy.yaml", problems))
    except Flawed:
        assume(False)
    assume(read == value)
    made = format_policy(text.encode(), "policy.yaml").decode()
    assert value_of(made) == value
    assert comments_of(made) == sorted(comments)
    assert format_policy(made.encode(), "policy.yaml").decode() == made
    assert made.endswith("\n")
    assert not made.endswith("\n\n")
    assert "\r" not in made
    assert not made.startswith("\ufeff")


def test_order_stays_where_it_may_mean_something() -> None:
    text = """\
        policy: v1
        kind: overlay
        set: {/b: 1, /a: 2}
        replace: {z: {then: 1, when: {y: 1, x: 2}}, a: {then: 2}}
        """
    made = formatted(text)
    assert list(value_of(made)) == ["policy", "kind", "replace", "set"]
    assert list(value_of(made)["set"]) == ["/b", "/a"]
    assert list(value_of(made)["replace"]) == ["z", "a"]
    assert list(value_of(made)["replace"]["z"]) == ["when", "then"]
    assert list(value_of(made)["replace"]["z"]["when"]) == ["y", "x"]


@pytest.mark.parametrize("lost", ["a comment", "a value", "an order"])
def test_a_fault_of_the_layout_leaves_the_file_as_it_is(lost: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = {
        "a comment": "kind: data\nvalue: {b: 1, a: 2}\n",
        "a value": "kind: data  # why\nvalue: {b: 1, a: true}\n",
        "an order": "kind: data  # why\nvalue: {a: 2, b: 1}\n",
    }[lost]
    monkeypatch.setattr(keeping, "laid_out", lambda *_: made)
    with pytest.raises(PolicyError) as caught:
        formatted("kind: data # why\nvalue: {b: 1, a: 2}\n")
    assert (caught.value.code, caught.value.place) == ("format_unsafe", "policy.yaml")
    assert "left as it is" in caught.value.message


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a: ~\n", "ambiguous_scalar"),
        ("a: &x 1\n", "anchor"),
        ("a: 1\na: 2\n", "duplicate_key"),
        ("a: [1\n", "yaml_syntax"),
        ("- 1\n", "wrong_type"),
        ("", "empty"),
        ("a: 1\n---\nb: 1\n", "second_document"),
    ],
)
def test_what_is_no_policy_is_told_with_its_place(text: str, code: str) -> None:
    with pytest.raises(PolicyError) as caught:
        formatted(text)
    (problem,) = caught.value.problems
    assert problem.code == code
    assert problem.mark.file == "policy.yaml"
    assert problem.mark.line


def test_a_file_that_would_be_too_large_afterwards_is_refused() -> None:
    text = "a:\n" + "- {b: 1}\n" * (MAX_BYTES // 9 - 10)
    with pytest.raises(PolicyError) as caught:
        formatted(text)
    assert caught.value.code == "format_too_large"


def test_a_file_of_one_line_and_the_largest_size_is_formatted() -> None:
    text = json.dumps({"policy": "v1", "value": [f"word {number}" for number in range(60_000)]})
    assert len(text) > 700_000
    made = format_policy(text.encode(), "policy.yaml").decode()
    assert max(map(len, made.splitlines())) <= 120
    assert value_of(made) == json.loads(text)


# The form.


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a:   1\n", "a: 1\n"),
        ("\ufeffa: 1\r\nb: 2", "a: 1\nb: 2\n"),
        ("---\na: 1   \n...\n", "a: 1\n"),
        ("a:\n    b:\n    - 1\n    -   2\n", "a:\n  b:\n    - 1\n    - 2\n"),
        ("a: { b: 1,c: [ 1,2 ] }\n", "a: {b: 1, c: [1, 2]}\n"),
        ("\n\na: 1\n\n\n\nb: 2\n\n", "a: 1\n\nb: 2\n"),
        ('a: "plain words"\nb: "no"\nc: "1.0"\n', 'a: plain words\nb: "no"\nc: "1.0"\n'),
        ("a: 'it: is'\nb: ['*.md', 'x']\nc: ['x', 'y']\n", "a: 'it: is'\nb: ['*.md', 'x']\nc: [x, y]\n"),
        ('a: "\\u0430"\nb: "2 * x"\n', 'a: "\\u0430"\nb: "2 * x"\n'),
        ("a: [b: 1]\n", "a: [{b: 1}]\n"),
        ("? a\n: 1\n", "a: 1\n"),
        ("a: |\n      x\n       y\n\nb: >-\n     one\n     two\n", "a: |\n  x\n   y\n\nb: >-\n  one\n  two\n"),
        ("a: |2\n    x\n   y\n", "a: |2\n    x\n   y\n"),
        ('{"kind": "data", "policy": "v1"}', "policy: v1\nkind: data\n"),
        ("a: one\n  two\nb: 'x\n  y'\n", "a: one two\nb: x y\n"),
        ("a: {}\nb: [ ]\n", "a: {}\nb: []\n"),
        ("{}", "{}\n"),
    ],
)
def test_spelling(before: str, after: str) -> None:
    assert formatted(before) == after
    assert formatted(after) == after


def test_keys_of_the_head_and_of_rows_come_in_their_order_with_their_comments() -> None:
    before = """\
        # yaml-language-server: $schema=x
        kind: table  # of rows
        # The first word.
        policy: v1
        rows:
          # Why this row.
          - then: {a: 1}  # the answer
            # When it holds.
            when: {b: 2}
            id: first
          # The end.
        hit: first
        # Last words.
        """
    after = """\
        # yaml-language-server: $schema=x
        # The first word.
        policy: v1
        kind: table  # of rows
        hit: first
        rows:
          # Why this row.
          - id: first
            # When it holds.
            when: {b: 2}
            then: {a: 1}  # the answer
          # The end.
        # Last words.
        """
    assert formatted(before) == dedent(after)


def test_a_comment_at_the_top_that_may_be_about_the_first_key_keeps_the_keys_where_they_are() -> None:
    text = "# About the kind, or about all of it?\nkind: data\npolicy: v1\n"
    assert formatted(text) == text
    assert formatted("# About all of it.\n\nkind: data\npolicy: v1\n") == (
        "# About all of it.\n\npolicy: v1\nkind: data\n"
    )


def test_a_row_stays_in_brackets_where_it_fits_and_becomes_a_block_where_it_does_not() -> None:
    fits = "rows:\n  - {id: a, when: {b: 1}, then: {c: 2}}\n"
    assert formatted(fits) == fits
    wide = f"rows:\n  - {{id: a, when: {{b: {'x' * 60}}}, then: {{c: {'y' * 60}}}}}\n"
    assert formatted(wide) == f"rows:\n  - id: a\n    when: {{b: {'x' * 60}}}\n    then: {{c: {'y' * 60}}}\n"


def test_a_long_list_is_filled_and_keeps_its_groups() -> None:
    text = f"a: [\n  # few\n  b, c,\n  {'d' * 50},\n  {'e' * 60}, f,  # the last\n]\n"
    assert formatted(text) == text
    wide = "a: [" + ", ".join(f"word{number}" for number in range(40)) + "]\n"
    lines = formatted(wide).splitlines()
    assert (lines[0], lines[-1]) == ("a: [", "]")
    assert all(len(line) <= 120 for line in lines)
    assert len(lines) == 5


def test_a_long_flat_mapping_is_filled_below_its_key() -> None:
    wide = "given: {" + ", ".join(f"fact_{number}: {number}" for number in range(12)) + "}\n"
    first, *rest = formatted(wide).splitlines()
    assert first == "given:"
    assert rest[0].startswith("  {fact_0: 0, ")
    assert rest[1].startswith("   fact_")
    assert all(len(line) <= 120 for line in rest)


def test_long_prose_is_folded_and_what_is_no_prose_is_not() -> None:
    prose, pattern = "many words " * 20 + "end", "(a|b) " * 30 + "c"
    first, *rest = formatted(f"title: {prose}\n").splitlines()
    assert first == "title: >-"
    assert all(len(line) <= 120 for line in rest)
    for text in (f"a: '{pattern}'\n", f"a: >-\n  \\b{pattern}\n"):
        assert formatted(text) == text


def test_a_key_that_is_longer_than_yaml_finds_by_itself_keeps_its_question_mark() -> None:
    key = "k" * 1500
    made = formatted(f"? {key}\n: 1\n")
    assert value_of(made) == {key: 1}
    assert formatted(made) == made
