"""The head that every document has, vocabularies, data, and what one load says of a whole set."""

from __future__ import annotations

import json
import random
import string
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from policy_support import (
    ANY_SHAPE,
    SEVERITY,
    codes,
    data,
    head,
    load,
    one_input,
    only_problem,
    refused,
    table,
)

from toolkit.policy.layers import SHIPPED, Source
from toolkit.policy.problems import MAX_TEXT, PolicyError
from toolkit.policy.sets import PolicySet
from toolkit.policy.syntax import forms
from toolkit.shipped import shipped_policy_files, shipped_shapes

DATA = data("{a: 1}")


def test_a_document_says_what_it_is() -> None:
    found = load(SEVERITY).entry("t.severity").head
    assert (found.kind, found.id, found.version, found.title, found.source, found.pack) == (
        *("vocabulary", "t.severity", "1.0.0", "How grave", "ours", "t"),
    )
    assert (found.layer, str(found.mark)) == (SHIPPED, "shipped-1.yaml:1:1")


@pytest.mark.parametrize("key", ["policy", "kind", "id", "version", "title", "source"])
def test_no_part_of_the_head_may_be_missing(key: str) -> None:
    without = "".join(line for line in DATA.splitlines(keepends=True) if not line.startswith(f"{key}:"))
    problem = only_problem(without)
    assert problem.code == "missing_key"
    assert key in problem.message


@pytest.mark.parametrize(
    ("line", "code", "hint"),
    [
        ("policy: v2", "unknown_language", None),
        ("kind: tabel", "unknown_word", "did you mean 'table'?"),
        ("id: Upper.case", "bad_id", "<pack>.<name>, lower case"),
        ("id: nodot", "bad_id", "<pack>.<name>, lower case"),
        ("id: ../../etc/passwd", "bad_id", "<pack>.<name>, lower case"),
        ('version: "1.0"', "bad_version", "write 1.0.0"),
        ("version: 1.0.0-rc", "bad_version", "write 1.0.0"),
        ("version: 01.0.0", "bad_version", "write 1.0.0"),
        ('title: ""', "empty", None),
        ("title: 7", "wrong_type", None),
        ("source: [a]", "wrong_type", None),
        ("titel: x", "unknown_key", "did you mean 'title'?"),
        ("cases: []", "unknown_key", None),
    ],
)
def test_a_head_is_read_strictly(line: str, code: str, hint: str | None) -> None:
    key = line.split(":", maxsplit=1)[0]
    lines = [line if old.startswith(f"{key}:") else old for old in DATA.splitlines()]
    problem = only_problem("\n".join(lines if line in lines else [*lines, line]) + "\n")
    assert problem.code == code
    assert problem.mark.line >= 1
    if hint is not None:
        assert problem.hint == hint


def test_a_list_or_a_scalar_is_no_document() -> None:
    assert codes("- 1\n") == ["wrong_type"]
    assert codes("text\n") == ["wrong_type"]


def test_an_id_is_taken_once_in_a_set() -> None:
    problem = only_problem(DATA, DATA)
    assert (problem.code, problem.mark.file) == ("duplicate_id", "shipped-2.yaml")
    assert "shipped-1.yaml" in problem.message


def test_a_repository_may_bring_documents_of_its_own_pack_alone() -> None:
    assert "repo.words" in load(DATA, own=[data("{}", "repo.words")]).ids
    problem = only_problem(DATA, own=[data("{}", "t.other")])
    assert (problem.code, problem.hint) == ("foreign_pack", "call it repo.other")


def test_a_repository_can_t_redefine_what_is_shipped() -> None:
    problem = only_problem(DATA, own=[DATA])
    assert (problem.code, problem.mark.file) == ("duplicate_id", "repository-1.yaml")
    assert "shipped-1.yaml" in problem.message


def test_all_problems_of_all_documents_are_told_at_once_in_order_of_place() -> None:
    broken_table = table("inputs: {x: {type: boolean}}\noutputs: {y: {type: bolean}}\nrows: []\nhint: first\n")
    broken_words = head("vocabulary", "t.words") + "terms: [{term: a}, {term: a}, {trem: b}]\norder: up\n"
    found = refused("a: [", broken_table, broken_words, data("{}", shape="nobody"))
    assert [(problem.mark.file[-6], problem.code) for problem in found] == [
        ("1", "yaml_syntax"),
        ("2", "unknown_word"),
        ("2", "unknown_key"),
        ("3", "unknown_word"),
        ("4", "unknown_shape"),
    ]
    assert [problem.document for problem in found] == ["", "t.table", "t.table", "t.words", "t.data"]


def test_a_head_that_is_wrong_hides_nothing_below_it() -> None:
    text = one_input("{type: integer}", "{gtt: 1}").replace("version: 1.0.0", 'version: "1"')
    assert codes(text) == ["bad_version", "unknown_operator"]


def test_the_error_names_the_first_problem_and_how_many_there_are() -> None:
    with pytest.raises(PolicyError) as caught:
        load(data("{}", shape="nobody"), data("{}", "t.other", shape="anny"))
    assert caught.value.code == "unknown_shape"
    assert caught.value.message.endswith("(and 1 more)")
    assert caught.value.place == "shipped-1.yaml:7:8"
    assert caught.value.exit_status == 2


def test_a_set_has_at_most_a_thousand_files() -> None:
    documents = [data("{}", f"t.d{number}") for number in range(1000)]
    assert len(load(*documents).ids) == 1000
    assert codes(*documents, data("{}", "t.one-more")) == ["too_many_documents"]


def test_a_set_has_at_most_sixteen_mebibytes() -> None:
    large = [data(f"'{'x' * 1_000_000}'", f"t.d{number}") for number in range(17)]
    assert codes(*large) == ["set_too_large"]


def test_a_document_with_thousands_of_problems_is_cut_short_and_the_next_is_still_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hints: list[str] = []
    monkeypatch.setattr(forms, "did_you_mean", lambda word, _known: hints.append(word))
    rows = "".join(f"  - {{id: r{n}, whn: 1, then: {{y: true}}}}\n" for n in range(5000))
    broken = table("inputs: {x: {type: boolean}}\noutputs: {y: {type: boolean}}\nrows:\n" + rows)
    found = refused(broken, data("{}", shape="nobody"))
    assert len(found) == 101
    assert len(hints) == 100
    assert [problem.code for problem in found[-2:]] == ["too_many_problems", "unknown_shape"]


# Vocabularies.


def vocabulary(body: str) -> str:
    return head("vocabulary", "t.words") + dedent(body)


def test_a_vocabulary_keeps_the_order_of_its_terms_and_every_anchor() -> None:
    words = load(SEVERITY).vocabulary("t.severity")
    assert words.terms == ("high", "medium", "low")
    assert [words.rank(term) for term in words.terms] == [0, 1, 2]
    assert words.anchor("medium", "definition") == "in doubt"


def test_a_stranger_to_a_vocabulary_is_named_with_the_nearest_term() -> None:
    words = load(SEVERITY).vocabulary("t.severity")
    with pytest.raises(PolicyError, match="unknown_term"):
        words.rank("hihg")
    with pytest.raises(PolicyError) as caught:
        words.anchor("high", "defintion")
    assert (caught.value.code, caught.value.next_step) == ("unknown_anchor", "did you mean 'definition'?")


def test_nobody_can_change_a_vocabulary() -> None:
    words = load(SEVERITY).vocabulary("t.severity")
    with pytest.raises(TypeError):
        words.anchors["high"] = {}  # type: ignore[index]
    with pytest.raises(TypeError):
        words.anchors["high"]["definition"] = ""  # type: ignore[index]


@pytest.mark.parametrize(
    ("order", "strengths"),
    [("descending", {"a": 2, "b": 1, "c": 0}), ("ascending", {"a": 0, "b": 1, "c": 2}), ("sequence", None)],
)
def test_the_order_says_which_term_is_stronger(order: str, strengths: dict[str, int] | None) -> None:
    text = vocabulary(f"order: {order}\nterms: [{{term: a}}, {{term: b}}, {{term: c}}]\n")
    assert load(text).vocabulary("t.words").type.strengths == strengths


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("terms: []\n", "empty"),
        ("terms: [{term: a}, {term: a}]\n", "duplicate_id"),
        ("terms: [{term: a, note: x}]\n", "unknown_key"),
        ("anchors: [note]\nterms: [{term: a}]\n", "missing_key"),
        ("anchors: [note]\nterms: [{term: a, note: 1}]\n", "wrong_type"),
        ("anchors: [note, note]\nterms: [{term: a, note: x}]\n", "duplicate_id"),
        ("anchors: [term]\nterms: [{term: a}]\n", "duplicate_id"),
        ("terms: [a]\n", "wrong_type"),
        ("terms: {a: b}\n", "wrong_type"),
        ("terms: [{term: 1}]\n", "wrong_type"),
        ("order: upward\nterms: [{term: a}]\n", "unknown_word"),
    ],
)
def test_a_vocabulary_is_read_strictly(body: str, code: str) -> None:
    assert code in codes(vocabulary(body))


def test_a_broken_vocabulary_is_told_once_and_not_again_by_every_table_that_names_it() -> None:
    user = one_input("{type: term, of: t.words}", "a")
    assert codes(vocabulary("terms: []\n"), user) == ["empty"]


# Data.


def test_a_payload_is_handed_over_as_immutable_json() -> None:
    payload = load(data("{a: [1, {b: null}], c: 'x'}")).data("t.data")
    assert payload["a"][0] == 1
    assert payload["a"][1]["b"] is None
    assert isinstance(payload["a"], tuple)
    with pytest.raises(TypeError):
        payload["c"] = "y"
    with pytest.raises(TypeError):
        payload["a"][1]["b"] = 1


SHAPE = {
    "any": b"""{
  "type": "object", "additionalProperties": false, "required": ["limit"],
  "properties": {"limit": {"type": "integer", "minimum": 1}, "words": {"type": "array", "items": {"type": "string"}}}
}"""
}


@pytest.mark.parametrize(
    ("value", "place", "hint"),
    [
        ("\n  limit: 0", "shipped-1.yaml:9:10", None),
        ("\n  limit: 'x'", "shipped-1.yaml:9:10", None),
        ("\n  limit: 1\n  wrods: []", "shipped-1.yaml:10:3", "did you mean 'words'?"),
        ("\n  limit: 1\n  words: [a, 2]", "shipped-1.yaml:10:14", None),
        ("{}", "shipped-1.yaml:8:8", None),
        ("[]", "shipped-1.yaml:8:8", None),
    ],
)
def test_a_payload_is_held_against_its_shape_where_it_differs(value: str, place: str, hint: str | None) -> None:
    (problem,) = refused(data(value), shapes=SHAPE)
    assert (problem.code, str(problem.mark), problem.hint) == ("wrong_shape", place, hint)


def test_a_payload_that_differs_everywhere_is_not_repeated_everywhere() -> None:
    found = refused(data("{limit: 1, words: [" + "1, " * 50_000 + "]}"), shapes=SHAPE)
    assert 1 < len(found) <= 20
    assert all(len(problem.message) <= MAX_TEXT + 10 for problem in found)


def test_data_needs_a_shape_that_is_known_and_a_value() -> None:
    assert only_problem(data("{}", shape="anyy")).hint == "did you mean 'any'?"
    assert codes(head("data", "t.data")) == ["missing_key", "missing_key"]


# Whatever the bytes are.


def refusal_of(documents: list[bytes], shapes: Mapping[str, bytes] = ANY_SHAPE) -> PolicyError | None:
    """Load; anything but a set or a ``PolicyError`` whose every problem has a place is a failure."""
    refusal = None
    try:
        PolicySet.load([Source(f"{n}.yaml", one, SHIPPED) for n, one in enumerate(documents)], shapes)
    except PolicyError as fault:
        refusal = fault
    if refusal is not None:
        assert refusal.problems
        assert all(problem.mark.file and problem.code for problem in refusal.problems)
        assert all(len(str(problem)) < 3 * MAX_TEXT for problem in refusal.problems)
    return refusal


@given(st.lists(st.binary(max_size=100), max_size=3))
def test_any_bytes_are_a_set_or_a_refusal(documents: list[bytes]) -> None:
    refusal_of(documents)


HEAD_KEYS = ("policy", "kind", "id", "version", "title", "source", "inputs", "outputs", "rows", "let", "hit", "each")
ROW_KEYS = ("when", "then", "require", "when_output", "type", "items", "fields", "of", "one_of", "minimum", "terms")
OTHER_KEYS = ("anchors", "value", "shape", "base", "set", "remove", "x", "y", "not", "any_of", "present", "gte", "some")
KINDS = (
    "v1",
    "table",
    "vocabulary",
    "data",
    "overlay",
    "t.x",
    "1.0.0",
    "first",
    "unique",
    "collect",
    "boolean",
    "list",
)
OTHER_WORDS = ("integer", "string", "term", "record", "text", "path", "x", "y", "any", "x + 1", "/a/-", "")
KEYS = st.sampled_from((*HEAD_KEYS, *ROW_KEYS, *OTHER_KEYS))
WORDS = st.sampled_from((*KINDS, *OTHER_WORDS))
TREES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=30,
)


@given(st.dictionaries(KEYS, TREES, max_size=10), st.sampled_from(["table", "vocabulary", "data", "overlay"]))
@settings(max_examples=300)
def test_any_tree_of_policy_words_is_a_set_or_a_refusal(body: dict[str, object], kind: str) -> None:
    whole = {"policy": "v1", "id": "t.x", "version": "1.0.0", "title": "x", "source": "x", **body, "kind": kind}
    refusal_of([json.dumps(whole).encode()])


SHIPPED_FILES = shipped_policy_files()


@pytest.mark.parametrize("path", SHIPPED_FILES, ids=lambda path: path.stem)
def test_a_shipped_document_that_is_damaged_is_a_set_or_a_refusal(path: Path) -> None:
    others = [other.read_bytes() for other in SHIPPED_FILES if other != path and other.parent == path.parent]
    vocabularies = [text for text in others if b"kind: vocabulary" in text]
    original = path.read_bytes()
    chance = random.Random(path.stem)
    for _ in range(15):
        refusal_of([*vocabularies, mutated(original, chance)], shipped_shapes())


def mutated(data: bytes, chance: random.Random) -> bytes:
    """A few bytes or lines of a document removed, doubled, swapped or replaced."""
    lines = data.split(b"\n")
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(lines))
        match chance.randrange(5):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, lines[chance.randrange(len(lines))])
            case 2:
                lines[at] = lines[at].replace(b": ", b": -", 1)
            case 3:
                cut = chance.randrange(len(lines[at]) + 1)
                lines[at] = lines[at][:cut] + chance.choice(string.printable).encode() + lines[at][cut + 1 :]
            case _:
                lines[at] = b"  " + lines[at]
        lines = lines or [b""]
    return b"\n".join(lines)
