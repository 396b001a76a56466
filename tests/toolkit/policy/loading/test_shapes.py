"""Shapes of payloads, and payloads that are JSON Schemas: nothing that a hostile one says is fetched, or costs much."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from policy_support import data, overlay, refused

from toolkit.policy.loading.shaped import validator_of
from toolkit.shipped import shipped_root, shipped_shapes

DRAFT = "https://json-schema.org/draft/2020-12/schema"
PATIENCE = 60  # seconds after which a child is taken to hang


# Nothing is fetched.


@pytest.fixture
def server() -> Iterator[tuple[str, list[str]]]:
    """A server that has a schema for whoever asks, and the paths that were asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"true")

        def log_message(self, *_args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}", asked
        running.shutdown()
        thread.join()


def test_no_address_in_a_schema_is_ever_asked(server: tuple[str, list[str]]) -> None:
    address, asked = server
    for schema in (
        {"$ref": f"{address}/a"},
        {"$dynamicRef": f"{address}/b"},
        {"$id": f"{address}/c", "$ref": "d"},
        {"properties": {"x": {"$ref": f"{address}/e#/$defs/x"}}},
    ):
        with pytest.raises(ValueError, match=r"(?i)retriev"):
            validator_of(schema)
    validator_of({"$schema": f"{address}/f", "type": "string"})
    assert asked == []


def test_no_file_that_a_schema_names_is_ever_read(tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text("true", encoding="utf-8")
    for reference in (other.as_uri(), str(other)):
        with pytest.raises(ValueError, match=r"(?i)retriev|not present"):
            validator_of({"$ref": reference})


def test_the_draft_itself_is_at_hand() -> None:
    assert not validator_of({"$ref": DRAFT}).is_valid({"type": "strnig"})


# Shapes.


def test_every_shipped_shape_can_be_used() -> None:
    for shape in shipped_shapes().values():
        validator_of(shape.decode())


@pytest.mark.parametrize(
    "shape",
    [
        b"",
        b"{",
        b"[]",
        b"3",
        b'{"type": "objekt"}',
        b'{"pattern": "(?!a)"}',
        b'{"$ref": "#/no"}',
        b'"\\ud800"',
        b"\xff",
    ],
)
def test_a_shape_that_is_none_is_a_problem_of_the_document_that_names_it(shape: bytes) -> None:
    (problem,) = refused(data("{}"), shapes={"any": shape})
    assert (problem.code, str(problem.mark)) == ("bad_shape", "shipped-1.yaml:7:8")
    assert "\n" not in problem.message


def test_what_a_list_must_contain_is_told_in_words_wherever_its_rule_stands() -> None:
    word = {"contains": {"properties": {"a": {"const": 1}}}}
    rule = {"contains": {"properties": {"kind": {"const": "plan"}, "words": word}}}
    for shape in (rule, {"$defs": {"r": rule}, "$ref": "#/$defs/r"}, {"allOf": [True, rule]}):
        (problem,) = refused(data("[]"), shapes={"any": json.dumps(shape).encode()})
        assert problem.message == "the payload: an item with kind: plan and words that hold a: 1 must stand here"
    (problem,) = refused(data("[other]"), shapes={"any": b'{"contains": {"const": "main"}}'})
    assert problem.message == "the payload: the item 'main' must stand here"


def test_a_rule_that_stands_elsewhere_names_the_nearest_key_too() -> None:
    rule = {"properties": {"words": True}, "additionalProperties": False}
    shape = {"$defs": {"r": rule}, "items": {"$ref": "#/$defs/r"}}
    (problem,) = refused(data("[{wrods: 1}]"), shapes={"any": json.dumps(shape).encode()})
    assert (str(problem.mark), problem.hint) == ("shipped-1.yaml:8:10", "did you mean 'words'?")


def test_faults_are_told_in_the_order_of_their_paths() -> None:
    shape = {"additionalProperties": {"type": "string"}}
    found = refused(data("{b: 1, a: 2, c: x}"), shapes={"any": json.dumps(shape).encode()})
    assert sorted(problem.message for problem in found) == [
        'a: 2 is not of type "string"',
        'b: 1 is not of type "string"',
    ]


@pytest.mark.parametrize("value", [2**53 - 1, -(2**53) + 1])
def test_the_greatest_integers_are_held_against_their_bounds_exactly(value: int) -> None:
    for bounds, number in (({"minimum": value, "maximum": value}, 0), ({"exclusiveMinimum": value}, 1)):
        assert len(refused(data(str(value)), shapes={"any": json.dumps(bounds).encode()})) == number


# Payloads that are schemas.

SCHEMA = {"$schema": DRAFT, "type": "object"}
DOUBLING = {"$defs": {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(60)} | {"d60": True}}


def nested(levels: int, leaf: Any, key: str) -> Any:
    for _ in range(levels):
        leaf = {key: leaf}
    return leaf


def unevaluated(levels: int) -> Any:
    schema: Any = {"properties": {"x": True}}
    for _ in range(levels):
        schema = {"unevaluatedProperties": False, "allOf": [schema]}
    return schema


def loaded_in_a_child(*sets: tuple[str, tuple[str, ...]]) -> list[list[tuple[str, str]]]:
    """Code and place of each problem of each set: a document and its overlays. A child that crashes or hangs fails."""
    program = (
        "import json, sys; from policy_support import refused; from toolkit.shipped import shipped_shapes\n"
        "for shipped, own in json.load(sys.stdin):\n"
        "    print(shipped[-100:], file=sys.stderr, flush=True)\n"
        "    found = refused(shipped, own=own, shapes=shipped_shapes())\n"
        "    print(json.dumps([(one.code, str(one.mark)) for one in found]))"
    )
    tests = Path(__file__).resolve().parents[3]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {[str(tests), str(tests.parent)]!r}\n{program}"],
        input=json.dumps(sets),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return [[(code, place) for code, place in json.loads(line)] for line in done.stdout.splitlines()]


def schema_document(schema: object) -> str:
    return data(json.dumps(schema), shape="json-schema")


HOSTILE: tuple[dict[str, Any], ...] = (
    {"$ref": "#"},
    {"properties": {"a": {"$ref": "#/properties/b"}, "b": {"$ref": "#/properties/a"}}},
    {"$dynamicAnchor": "node", "items": {"$dynamicRef": "#node"}},
    {"$recursiveRef": "#"},
    {"$ref": "http://127.0.0.1:1/schema"},
    {"$ref": "file:///etc/passwd"},
    {"$id": "https://example.invalid/", "$anchor": "x"},
    DOUBLING | {"$ref": "#/$defs/d0"},
    unevaluated(25),
    {"$vocabulary": {"https://example.invalid/": True}},
    {"pattern": "(?=a)b"},
    {"pattern": r"(a)\1"},
    {"pattern": "("},
    {"pattern": "^(?:(?:a{1,1000}){1,1000}){1,1000}b$"},
    {"properties": {"x": {"typ": "string"}}},
    {"properties": {"x": {"type": "strnig"}}},
    {"properties": {"x": 3}},
    {"minLength": -1},
    {"required": "x"},
    nested(70, True, "not"),
)


def test_a_hostile_schema_is_refused_at_a_place() -> None:
    documents = [schema_document(SCHEMA | {"not": hostile}) for hostile in HOSTILE]
    for hostile, found in zip(HOSTILE, loaded_in_a_child(*((one, ()) for one in documents)), strict=True):
        assert found, hostile
        assert {code for code, _ in found} <= {"wrong_shape", "too_deep"}, hostile
        assert all(place.startswith("shipped-1.yaml:8:") for _, place in found), hostile


def test_a_schema_may_be_nested_as_deeply_as_a_document() -> None:
    assert refused(schema_document(SCHEMA | nested(55, True, "not")), shapes=shipped_shapes()) == ()


def test_a_repository_can_t_bring_a_reference_into_a_shipped_schema() -> None:
    finding = (shipped_root() / "policies/verify/finding.yaml").read_text(encoding="utf-8")
    edits = (
        '/properties/severity: {$ref: "#"}',
        '/properties/check_name: {type: string, pattern: "(?=a)"}',
        "/properties/check_name: {type: string, maxLength: 80}",
    )
    owns = [(overlay(f"set:\n  {edit}\n", base="verify.finding"),) for edit in edits]
    reference, pattern, harmless = loaded_in_a_child(*((finding, own) for own in owns))
    for found in (reference, pattern):
        ((code, place),) = found
        assert code == "wrong_shape"
        assert place.startswith("repository-1.yaml:8:")
    assert harmless == []


def test_a_keyword_that_is_misspelt_is_told_with_the_nearest_one() -> None:
    shapes = shipped_shapes()
    (problem,) = refused(schema_document(SCHEMA | {"properties": {"x": {"patern": "a"}}}), shapes=shapes)
    assert problem.hint == "did you mean 'pattern'?"


def test_a_pattern_takes_time_in_proportion_to_the_text() -> None:
    program = (
        "from toolkit.policy.loading.shaped import validator_of\n"
        "assert not validator_of({'pattern': '^(a|a)*(a+)+$'}).is_valid('a' * 1_000_000 + '!')"
    )
    root = Path(__file__).resolve().parents[4]
    subprocess.run([sys.executable, "-c", program], cwd=root, timeout=PATIENCE, check=True)


def test_a_pattern_means_what_the_standard_says() -> None:
    assert not validator_of({"pattern": "^a$"}).is_valid("a\n")
    assert not validator_of({"pattern": r"^\d$"}).is_valid("٣")


SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "ab", "object", "integer"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
COUNTS = st.integers(0, 3)
TYPES = st.sampled_from(["array", "boolean", "integer", "null", "number", "object", "string"])
NAMES = st.lists(st.sampled_from("abc"), unique=True, max_size=2)


def keywords(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    some = st.lists(inner, min_size=1, max_size=3)
    named = st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    known: dict[str, st.SearchStrategy[Any]] = {
        "type": TYPES | st.lists(TYPES, unique=True, min_size=1, max_size=3),
        "const": VALUES,
        "enum": st.lists(VALUES, min_size=1, max_size=3),
        "minimum": st.integers(-3, 3),
        "exclusiveMaximum": st.integers(-3, 3),
        "multipleOf": st.integers(1, 3),
        "required": NAMES,
        "dependentRequired": st.dictionaries(st.sampled_from("abc"), NAMES, max_size=2),
        "uniqueItems": st.booleans(),
        **dict.fromkeys(("minLength", "maxItems", "minProperties", "maxProperties", "minContains"), COUNTS),
        **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), some),
        **dict.fromkeys(("properties", "dependentSchemas"), named),
        **dict.fromkeys(("not", "if", "then", "else", "items", "contains", "propertyNames"), inner),
        "additionalProperties": inner,
    }
    return st.lists(st.sampled_from(sorted(known)), unique=True, max_size=3).flatmap(
        lambda chosen: st.fixed_dictionaries({key: known[key] for key in chosen})
    )


SCHEMAS = st.recursive(st.booleans(), keywords, max_leaves=8)


@given(SCHEMAS, VALUES)
def test_it_agrees_with_another_implementation(schema: Any, value: Any) -> None:
    validator = validator_of(json.dumps(schema))
    assert validator.is_valid(value) == Draft202012Validator(schema).is_valid(value)
    assert validator.is_valid(value) == (not list(validator.iter_errors(value)))


WORDS = st.sampled_from(
    ["$ref", "$id", "$defs", "$anchor", "$dynamicRef", "unevaluatedItems", "type", "not", "items", "allOf", "pattern"]
)
ANYTHING = st.recursive(
    SCALARS | st.sampled_from(["#", "#/x", "#/items", "http://a/b", "(", "a{9999}"]) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=15,
)


@given(st.dictionaries(WORDS, ANYTHING, max_size=4), ANYTHING)
def test_anything_is_a_schema_or_a_value_error(schema: dict[str, Any], value: Any) -> None:
    with suppress(ValueError):
        list(validator_of(schema).iter_errors(value))
