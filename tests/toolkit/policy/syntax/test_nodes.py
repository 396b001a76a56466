"""Reading YAML: what has one meaning becomes a tree with places, everything else is refused where it stands."""

from __future__ import annotations

import json
import string

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from toolkit.policy.problems import MAX_PROBLEMS, MAX_TEXT, Flawed, Mark, Problem, Problems
from toolkit.policy.syntax.nodes import MAX_BYTES, MAX_DEPTH, ListNode, MapNode, Node, node_of, plain, read_yaml


def read(text: str | bytes) -> Node:
    """The tree of a text that has no problem."""
    problems = Problems()
    node = read_yaml(text.encode() if isinstance(text, str) else text, "f.yaml", problems)
    assert not problems.found
    return node


def problems_of(text: str | bytes) -> list[Problem]:
    """The problems of a text that has some."""
    problems = Problems()
    with pytest.raises(Flawed):
        read_yaml(text.encode() if isinstance(text, str) else text, "f.yaml", problems)
    assert problems.found
    return problems.found


def one_problem(text: str | bytes) -> tuple[str, str]:
    """Code and place of the only problem."""
    (problem,) = problems_of(text)
    return problem.code, str(problem.mark)


def test_json_values_come_out_as_they_are() -> None:
    text = "a: [1, -2, true, false, null, plain text, \"quoted\", 'single']\nb: {c: {}, d: []}\ne: |\n  two\n  lines\n"
    assert plain(read(text)) == {
        "a": [1, -2, True, False, None, "plain text", "quoted", "single"],
        "b": {"c": {}, "d": []},
        "e": "two\nlines\n",
    }


def test_every_part_knows_its_place() -> None:
    node = read("a: 1\nb:\n  - x\n  - {c: y}\n")
    assert isinstance(node, MapNode)
    assert node.key_marks["b"] == Mark("f.yaml", 2, 1)
    items = node.entries["b"]
    assert isinstance(items, ListNode)
    assert [str(item.mark) for item in items.items] == ["f.yaml:3:5", "f.yaml:4:5"]
    inner = items.items[1]
    assert isinstance(inner, MapNode)
    assert str(inner.entries["c"].mark) == "f.yaml:4:9"


def test_quoted_scalars_are_text_whatever_they_spell() -> None:
    assert plain(read("""["true", 'null', "1", '~', "", 'no', "2024-01-01"]""")) == [
        *("true", "null", "1", "~", "", "no", "2024-01-01"),
    ]


def test_a_duplicate_key_is_refused_with_both_lines() -> None:
    (problem,) = problems_of("a: 1\nb: 2\na: 3\n")
    assert (problem.code, str(problem.mark)) == ("duplicate_key", "f.yaml:3:1")
    assert "first at line 1" in problem.message


def test_a_duplicate_key_is_refused_at_any_depth_and_in_any_spelling() -> None:
    assert one_problem('r: [{x: 1, "x": 2}]') == ("duplicate_key", "f.yaml:1:12")
    assert one_problem("r:\n  x: 1\n  y: 2\n  'x': 3\n") == ("duplicate_key", "f.yaml:4:3")


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("a: &x 1", "anchor", "f.yaml:1:4"),
        ("a: &x [1]", "anchor", "f.yaml:1:4"),
        ("a: &x {b: 1}", "anchor", "f.yaml:1:4"),
        ("a: *x", "alias", "f.yaml:1:4"),
        ("*x : 1", "alias", "f.yaml:1:1"),
        ("a: !!python/name:os.system x", "tag", "f.yaml:1:4"),
        ("a: !!str 1", "tag", "f.yaml:1:4"),
        ("a: ! x", "tag", "f.yaml:1:4"),
        ("a: !custom [1]", "tag", "f.yaml:1:4"),
        ("<<: {b: 1}", "merge_key", "f.yaml:1:1"),
        ("a: {<<: {b: 1}}", "merge_key", "f.yaml:1:5"),
        ("a: no", "ambiguous_scalar", "f.yaml:1:4"),
        ("a:", "ambiguous_scalar", "f.yaml:1:3"),
        ("on: 1", "ambiguous_scalar", "f.yaml:1:1"),
        ("? [a]\n: 1", "key_not_text", "f.yaml:1:3"),
        ("? {a: 1}\n: 1", "key_not_text", "f.yaml:1:3"),
        ("1: a", "key_not_text", "f.yaml:1:1"),
        ("true: a", "key_not_text", "f.yaml:1:1"),
        ("null: a", "key_not_text", "f.yaml:1:1"),
        ("%YAML 1.1\n---\na: 1", "directive", "f.yaml:1:1"),
        ("%TAG ! tag:x,2000:\n---\na: 1", "directive", "f.yaml:1:1"),
        ("a: 1\n---\nb: 2", "second_document", "f.yaml:2:1"),
        ("a: 1\n...\n---\nb: 2", "second_document", "f.yaml:3:1"),
        ("", "empty", "f.yaml:1:1"),
        ("# nothing\n", "empty", "f.yaml:1:1"),
        ("a: [1\n", "yaml_syntax", "f.yaml:2:1"),
        ("a: b: c", "yaml_syntax", "f.yaml:1:5"),
        ("\ta: 1", "yaml_syntax", "f.yaml:1:1"),
        ('a: "\\ud800"', "yaml_syntax", "f.yaml:1:7"),
        ("a: 1\nb: \x00", "bad_character", "f.yaml:2:4"),
        ("a: \x1b[31m", "bad_character", "f.yaml:1:4"),
        ("a: 1 # hidden\u2028b: 2", "bad_character", "f.yaml:1:14"),
        ("a: x\u0085y", "bad_character", "f.yaml:1:5"),
        ("a: x\ufeffy", "bad_character", "f.yaml:1:5"),
    ],
)
def test_what_yaml_offers_beyond_json_is_refused_at_its_place(text: str, code: str, place: str) -> None:
    problems = problems_of(text)
    assert (problems[0].code, str(problems[0].mark)) == (code, place)


def test_a_loader_in_pure_python_refuses_the_same_escapes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(yaml, "CSafeLoader")
    assert plain(read("a: [1, 'x', \"\\u2028\"]")) == {"a": [1, "x", "\u2028"]}
    assert one_problem('a: "\\ud800"') == ("bad_character", "f.yaml:1:4")
    assert one_problem('a: "\\U00110000"')[0] == "yaml_syntax"
    assert one_problem("a: *x")[0] == "alias"


def test_an_alias_bomb_is_refused_at_its_first_anchor_before_anything_grows() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    problems = problems_of("\n".join(lines))
    assert (problems[0].code, str(problems[0].mark)) == ("anchor", "f.yaml:1:5")
    assert {problem.code for problem in problems} == {"anchor", "alias"}


def test_bytes_that_are_not_utf_8_are_named() -> None:
    assert one_problem(b"a: 1\nb: x\xffy") == ("not_utf8", "f.yaml:2:5")
    assert one_problem("a: 1".encode("utf-16"))[0] == "not_utf8"
    assert one_problem(b"\xef\xbb\xbfa: \xff") == ("not_utf8", "f.yaml:1:7")


def test_a_byte_order_mark_and_any_line_end_change_nothing() -> None:
    assert plain(read("\ufeffa: 1\nb: |\n  x\n  y\n")) == plain(read("a: 1\r\nb: |\r\n  x\r\n  y\r\n"))


def test_a_file_of_a_mebibyte_is_read_and_one_byte_more_is_not() -> None:
    text = "a: '" + "x" * (MAX_BYTES - 5) + "'"
    assert len(text) == MAX_BYTES
    read(text)
    assert one_problem(text + "\n") == ("too_large", "f.yaml")


def test_sixty_four_levels_are_read_and_one_more_is_not() -> None:
    assert plain(read("[" * MAX_DEPTH + "]" * MAX_DEPTH)) == json.loads("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    assert one_problem("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1)) == ("too_deep", f"f.yaml:1:{MAX_DEPTH + 1}")
    assert problems_of("- " * 10_000 + "x")[0].code == "too_deep"


def test_every_problem_of_a_file_is_told() -> None:
    problems = problems_of("a: no\nb: &x 1\nc: 0400\nd: ok\na: 2\n")
    assert [(problem.code, problem.mark.line) for problem in problems] == [
        ("ambiguous_scalar", 1),
        ("anchor", 2),
        ("ambiguous_scalar", 3),
        ("duplicate_key", 5),
    ]


def test_a_file_with_a_hundred_thousand_problems_tells_the_first_of_them() -> None:
    problems = problems_of("[" + "no, " * 100_000 + "]")
    assert len(problems) == MAX_PROBLEMS
    assert problems[-1].code == "too_many_problems"


@pytest.mark.parametrize("text", ['"' + "k" * 900_000 + '": {<<: no}', "a: &" + "x" * 900_000 + " 1"])
def test_no_message_repeats_a_megabyte(text: str) -> None:
    for problem in problems_of(text):
        assert len(str(problem)) < 3 * MAX_TEXT


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(string.printable, max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("abcdef", min_size=1, max_size=3), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(JSON_VALUES)
def test_a_json_value_is_read_as_itself_and_comes_back_from_its_tree(value: object) -> None:
    node = read(json.dumps(value))
    assert plain(node) == value
    assert plain(node_of(value, Mark("f.yaml", 1, 1))) == value


YAML_PIECES = st.sampled_from(
    [*"[]{},:-?&*!|>'\"%@`#~ \n\t", "- ", ": ", "? ", "<<", "no", "1", "x", "\\", "---\n", "...\n", "&a ", "*a ", "é"]
)


@given(st.lists(YAML_PIECES, max_size=60).map("".join))
def test_any_text_of_yaml_gives_a_tree_or_problems_with_places(text: str) -> None:
    problems = Problems()
    try:
        plain(read_yaml(text.encode(), "f.yaml", problems))
    except Flawed:
        assert problems.found
    else:
        assert not problems.found
    assert all(problem.mark.file == "f.yaml" and problem.mark.line >= 1 for problem in problems.found)


@given(st.binary(max_size=200))
def test_any_bytes_give_a_tree_or_problems_with_places(data: bytes) -> None:
    problems = Problems()
    try:
        plain(read_yaml(data, "f.yaml", problems))
    except Flawed:
        assert problems.found
    assert all(problem.mark.line >= 1 for problem in problems.found)


@given(st.lists(YAML_PIECES, max_size=40).map("".join))
def test_what_is_read_is_what_another_reader_reads(text: str) -> None:
    problems = Problems()
    try:
        value = plain(read_yaml(text.encode(), "f.yaml", problems))
        expected = yaml.safe_load(text)
    except (Flawed, yaml.YAMLError):  # the other reader is stricter about tabs
        return
    assert value == expected
