"""The schemas as files: what editors can read, what they offer, and that no key of the reader's is missing there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft7Validator
from schemas_support import (
    MACHINE,
    OVERLAY,
    ROW,
    TABLE,
    VOCABULARY,
    WHOLE,
    codes_of,
    known_here,
    overlay_of,
    schema_refuses,
    validator,
)

from toolkit.authoring.schemas.known import Known
from toolkit.authoring.schemas.published import NAMES, may_replace, published, schema_of
from toolkit.effects import EFFECTS
from toolkit.policy.documents.heads import HEAD, KINDS, ORDERS
from toolkit.policy.language.cells import OPERATORS
from toolkit.policy.language.declarations import TYPES
from toolkit.policy.language.rules import HITS
from toolkit.policy.sets import PolicySet
from toolkit.policy.syntax.forms import Form
from toolkit.policy.syntax.nodes import ScalarNode
from toolkit.shipped import read_shipped
from toolkit.sources.config import PROFILE

# Keywords of later drafts, which editors' YAML servers read badly or not at all.
LATER = {
    "$anchor", "$defs", "$dynamicAnchor", "$dynamicRef", "$id", "$recursiveRef", "dependentRequired",
    "dependentSchemas", "maxContains", "minContains", "prefixItems", "unevaluatedItems", "unevaluatedProperties",
}  # fmt: skip
REFUSES = {"then": {"error": "a"}}
CONDITIONAL = ("if", "then", "else", "allOf", "anyOf", "not")


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Every mapping in a schema."""
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from parts(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from parts(value)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("knows", [False, True], ids=["alone", "in-a-set"])
def test_a_published_schema_is_draft_7_and_stands_alone(name: str, knows: bool, policies: PolicySet) -> None:
    data = published(name, "1.2.3", known_here(policies) if knows else None)
    schema = json.loads(data)

    Draft7Validator.check_schema(schema)
    assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"
    for part in parts(schema):
        assert not LATER & part.keys()
        named = part.get("$ref", "#/definitions/")
        assert named.startswith("#/definitions/")
        assert "$ref" not in part or named.rpartition("/")[2] in schema["definitions"]
    used = {part["$ref"].rpartition("/")[2] for part in parts(schema) if "$ref" in part}
    assert used == schema.get("definitions", {}).keys()


def test_a_published_schema_is_the_same_every_time_sorted_and_indented(policies: PolicySet) -> None:
    known = known_here(policies)
    for name in NAMES:
        data = published(name, "1.2.3", known)
        assert data == published(name, "1.2.3", known)
        assert data.decode() == json.dumps(json.loads(data), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("name", NAMES)
def test_every_key_has_a_description(name: str) -> None:
    schema = schema_of(name)
    definitions = schema.get("definitions", {})

    def lacking(part: Any, way: str) -> Iterator[str]:
        if not isinstance(part, dict):
            return
        for key, value in part.get("properties", {}).items():
            if isinstance(value, dict):
                target = definitions[value["$ref"].rpartition("/")[2]] if "$ref" in value else {}
                if not value.get("description") and not target.get("description"):
                    yield f"{way}.{key}"
        for key, value in part.items():
            if key not in CONDITIONAL:
                named = key in ("properties", "definitions") and isinstance(value, dict)
                for inner in value.values() if named else [value]:
                    yield from lacking(inner, f"{way}.{key}")

    assert not list(lacking(schema, name))


# Nothing is written twice: what the reader knows stands in the schema.


def known_keys(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[set[str], set[str]]]:
    """Required and other keys of each mapping as the reader asks for them, by what it calls the mapping."""
    asked: dict[str, tuple[set[str], set[str]]] = {}
    expect = Form.expect

    def spy(form: Form, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> None:
        kind = form.node.entries.get("kind")
        what = f"the {kind.value}" if form.what == "the document" and isinstance(kind, ScalarNode) else form.what
        if form.what != "the document" or optional != tuple(form.node.entries):  # else it is asked for again
            asked[what] = (set(required), set(optional))
        return expect(form, required, optional)

    monkeypatch.setattr(Form, "expect", spy)
    for document in WHOLE:
        codes_of(document)
    return asked


def test_each_mapping_has_the_keys_that_the_reader_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = known_keys(monkeypatch)
    schema = schema_of("policy")["definitions"]
    transition, lamp = "the transition", schema["machine"]["properties"]
    places = {
        "the vocabulary": schema["vocabulary"],
        "the table": schema["table"],
        "the machine": schema["machine"],
        "the data": schema["data"],
        "the overlay": schema["overlay"],
        "the row": schema["row"],
        transition: schema["transition"],
        "the requirement": schema["invariant"],
        "the insertion": schema["insertion"],
        "'states'": lamp["states"],
        "the event 'press'": lamp["events"]["additionalProperties"],
        "base": schema["overlay"]["properties"]["base"],
    }
    for what, part in places.items():
        required, optional = asked[what]
        assert part["properties"].keys() == required | optional, what
        assert part["additionalProperties"] is False, what
        assert set(part.get("required", ())) - set(HEAD) - {"source"} == required - set(HEAD), what
    declared = [keys for name, keys in asked.items() if name.strip("'") in TABLE["inputs"]]
    assert declared
    assert (
        set().union(*(required | optional for required, optional in declared)) == schema["input"]["properties"].keys()
    )


def test_the_words_of_the_language_stand_in_the_schema() -> None:
    schema = schema_of("policy")

    assert schema["properties"]["kind"]["enum"] == list(KINDS)
    table = schema["definitions"]["table"]["properties"]
    assert table["hit"]["enum"] == list(HITS)
    assert len(table["hit"]["enumDescriptions"]) == len(HITS)
    assert schema["definitions"]["vocabulary"]["properties"]["order"]["enum"] == list(ORDERS)
    assert set(schema["definitions"]["cell"]["properties"]) == set(OPERATORS)
    assert schema["definitions"]["each_input"]["properties"]["type"]["enum"] == [
        one for one in TYPES if one != "record"
    ]
    assert schema["definitions"]["record_item"]["properties"]["type"]["enum"] == [one for one in TYPES if one != "list"]
    assert schema_of("config")["properties"].keys() == {PROFILE}


# What is known of a set is offered.


def test_ids_are_offered_and_new_ones_are_not_refused(policies: PolicySet) -> None:
    known = known_here(policies)
    base = schema_of("overlay", known)["properties"]["base"]["properties"]["id"]
    of = schema_of("table", known)["definitions"]["input"]["properties"]["of"]

    assert base["examples"] == list(policies.ids)
    assert of["examples"] == [one for one in policies.ids if policies.entry(one).head.kind == "vocabulary"]
    assert schema_of("machine", known)["properties"]["states"]["properties"]["of"]["examples"] == of["examples"]
    for document in (TABLE, OVERLAY):
        assert not schema_refuses(document, known)


def test_what_code_alone_can_bring_is_refused_where_it_is_not_there(policies: PolicySet) -> None:
    known = known_here(policies)
    machine = {**MACHINE, "transitions": [{**MACHINE["transitions"][0], "effects": ["record-reason"]}]}
    data = {"policy": "v1", "kind": "data", "id": "t.x", "version": "1.0.0", "title": "x", "source": "x", "value": {}}

    assert not schema_refuses(machine, known)
    assert schema_refuses(MACHINE, known)
    assert schema_refuses({**data, "shape": "any"}, known)
    assert not schema_refuses({**data, "shape": "verify.limits"}, known)
    effects = schema_of("machine", known)["definitions"]["transition"]["properties"]["effects"]["items"]
    assert effects["enum"] == list(EFFECTS)
    assert effects["enumDescriptions"] == list(EFFECTS.values())
    shapes = schema_of("data", known)["properties"]["shape"]["enum"]
    assert shapes == sorted(read_shipped().shapes)


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("table", {"remove": ["rest"]}, {"set": {"/a": 1}}),
        ("table", {"insert": [{"at": "end", "row": ROW}]}, {"insert": [{"at": "end", "term": {"term": "a"}}]}),
        ("table", {"replace": {"rest": REFUSES}}, {"replace": {"rest": {"to": "a"}}}),
        ("table", {"replace": {"rest": REFUSES}}, {"replace": {"rest": {"id": "rest", **REFUSES}}}),
        ("machine", {"replace": {"lit": {"from": "dark", "event": "press", "to": "broken"}}}, {"require": []}),
        ("machine", {"remove": ["lit"]}, {"replace": {"lit": {"then": {"error": "a"}}}}),
        ("vocabulary", {"replace": {"low": {"definition": "none"}}}, {"replace": {"low": {"definition": 1}}}),
        ("vocabulary", {"remove": ["low"]}, {"cases": [{"id": "a", "given": {}, "expect": {}, "row": "a"}]}),
        ("data", {"set": {"/a": 1}}, {"insert": []}),
        ("data", {"remove": ["/a/0"]}, {"remove": ["a"]}),
    ],
)  # fmt: skip
def test_an_overlay_of_a_known_document_takes_the_edits_of_its_kind(
    kind: str, good: dict[str, Any], bad: dict[str, Any]
) -> None:
    known = Known(documents={f"t.base-{one}": one for one in KINDS})

    assert not codes_of(overlay_of(kind, **good)) & {"wrong_edit", "unknown_key", "missing_key", "wrong_type"}
    assert not schema_refuses(overlay_of(kind, **good), known)
    # Beside an edit that is right, what is wrong is still refused.
    assert codes_of(overlay_of(kind, **good | bad))
    assert schema_refuses(overlay_of(kind, **good | bad), known)


def test_the_ids_of_a_repository_are_those_of_its_pack(policies: PolicySet) -> None:
    known = known_here(policies, "repo")

    assert schema_refuses(VOCABULARY, known)
    assert schema_refuses({**VOCABULARY, "id": "repository.words"}, known)
    assert not schema_refuses({**VOCABULARY, "id": "repo.words"}, known)
    assert validator("vocabulary", known).is_valid({**VOCABULARY, "id": "repo.more.words"})


# Which file may be written over.


@pytest.mark.parametrize(
    ("version", "may"),
    [("1.2.3", True), ("1.2.2", True), ("0.9.9", True), ("1.2.4", False), ("1.10.0", False), ("2.0.0", False)],
)
def test_a_schema_of_a_newer_tool_is_left(version: str, may: bool) -> None:
    assert may_replace(published("table", version), "1.2.3") is may


@pytest.mark.parametrize(
    "data",
    [b"", b"{}", b"[]", b"not JSON", b"\xff", b'{"$comment": 1}', b'{"$comment": "mine"}', b"[" * 100_000],
)
def test_what_the_tool_did_not_write_is_left(data: bytes) -> None:
    assert not may_replace(data, "1.2.3")
