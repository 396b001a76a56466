"""Schemas for editors, and what they and the interpreter's own reader say of a document."""

from __future__ import annotations

import json
from typing import Any

from jsonschema import Draft7Validator
from policy_support import ANY_SHAPE, SEVERITY

from toolkit.authoring.schemas.known import Known, known_of
from toolkit.authoring.schemas.published import schema_of
from toolkit.effects import EFFECTS
from toolkit.policy.layers import REPOSITORY, SHIPPED, USER, Source
from toolkit.policy.problems import PolicyError, Problems
from toolkit.policy.sets import PolicySet
from toolkit.policy.syntax.nodes import plain, read_yaml
from toolkit.shipped import read_shipped

STATES = """\
policy: v1
kind: vocabulary
id: t.state
version: 1.0.0
title: States
source: ours
terms: [{term: dark}, {term: bright}, {term: broken}]
"""


def known_here(policies: PolicySet, pack: str | None = None) -> Known:
    """What is known where the shipped policies are in force."""
    shipped = read_shipped()
    return known_of(
        policies,
        shapes=shipped.shapes,
        templates=shipped.templates,
        effects=EFFECTS,
        profiles=shipped.profiles,
        pack=pack,
    )


def validator(name: str, known: Known | None = None) -> Draft7Validator:
    return Draft7Validator(schema_of(name, known))


def tree(data: bytes | str) -> Any:
    """The JSON value of a document."""
    return plain(read_yaml(data.encode() if isinstance(data, str) else data, "a.yaml", Problems()))


def codes_of(document: Any) -> set[str]:
    """The codes for which the reader refuses a document, beside vocabularies that it may name; none where it loads."""
    text = document if isinstance(document, str) else json.dumps(document)
    identity = "" if isinstance(document, str) else str(document.get("id"))
    layer = {"repo": REPOSITORY, "user": USER}.get(identity.partition(".")[0], SHIPPED)
    files = (SEVERITY, STATES, *BASES, text)
    layers = (SHIPPED,) * (len(files) - 1) + (layer,)
    sources = [Source(f"{n}.yaml", one.encode(), of) for n, (one, of) in enumerate(zip(files, layers, strict=True))]
    try:
        PolicySet.load(sources, ANY_SHAPE, effects=("note", "ring"))
    except PolicyError as fault:
        return {problem.code for problem in fault.problems}
    return set()


def schema_refuses(document: Any, known: Known | None = None) -> bool:
    """Whether the schema of its kind refuses a document; the schema of any document says the same."""
    kind = document["kind"]
    of_kind = not validator(kind, known).is_valid(document)
    of_any = not validator("policy", known).is_valid(document)
    assert of_kind == of_any
    return of_kind


def _head(kind: str, identity: str, **more: Any) -> dict[str, Any]:
    source = {"source": "ours"} if kind != "overlay" else {}
    head = {"policy": "v1", "kind": kind, "id": identity, "version": "1.0.0", "title": "A document"}
    return {**head, **source, **more}


VOCABULARY = _head(
    "vocabulary",
    "t.words",
    order="ascending",
    anchors=["definition"],
    terms=[{"term": "low", "definition": "little"}, {"term": "high", "definition": "much"}],
)
TABLE = _head(
    "table",
    "t.rows",
    hit="first",
    order_note="because",
    inputs={
        "n": {"type": "integer", "minimum": 0, "maximum": 9},
        "of": {"type": "term", "of": "t.severity", "optional": True},
        "path": {"type": "path"},
        "items": {"type": "list", "items": {"type": "string"}},
        "told": {"type": "string", "informs": True},
    },
    let={"left": "9 - n"},
    outputs={
        "tier": {"type": "term", "one_of": ["a", "b"], "stronger": ["a", "b"]},
        "left": {"type": "integer"},
        "all": {"type": "list", "items": {"type": "boolean"}},
    },
    require=[{"when_output": {"tier": ["a"]}, "inputs": {"n": {"gte": 1}}}],
    rows=[
        {
            "id": "first",
            "when": {
                "n": {"gte": 1, "lte": 5},
                "of": {"present": True, "gte": "medium"},
                "path": {"glob": ["a/**"], "ignore_case": True},
                "items": {"count": {"lt": 3}, "some": {"matches": ["x"]}},
                "any_of": [{"left": 4}, {"left": {"not": [4, 5]}}],
            },
            "then": {"tier": "a", "left": {"value": "left"}, "all": [True]},
            "source": "ours",
        },
        {"id": "declines", "when": {"n": 7}, "then": {"error": "no-seven"}},
        {"id": "rest", "then": {"tier": "b", "left": 0, "all": []}},
    ],
    cases=[
        {
            "id": "a-case",
            "given": {"n": 0, "of": None, "path": "b", "items": [], "told": ""},
            "expect": {"tier": "b"},
            "row": "rest",
        },
    ],
)
UNIQUE = _head(
    "table",
    "t.unique",
    inputs={"yes": {"type": "boolean"}, "path": {"type": "path"}},
    outputs={"y": {"type": "boolean"}},
    rows=[
        {"id": "yes", "when": {"yes": True}, "then": {"y": True}},
        {"id": "no", "when": {"yes": False}, "then": {"y": False}},
    ],
)
EACH = _head(
    "table",
    "t.each",
    hit="collect",
    each="files",
    inputs={"files": {"type": "list", "items": {"type": "record", "fields": {"path": {"type": "path"}}}}},
    outputs={"y": {"type": "boolean"}},
    rows=[{"id": "a", "when": {"path": {"glob": ["a"]}}, "then": {"y": True}}],
    cases=[{"id": "none", "given": {"files": []}, "expect": []}],
)
MACHINE = _head(
    "machine",
    "t.lamp",
    states={"of": "t.state", "initial": "dark", "terminal": ["broken"]},
    events={"press": {"inputs": {"force": {"type": "integer", "minimum": 0}}}, "drop": {}},
    transitions=[
        {
            "id": "lit",
            "from": "dark",
            "event": "press",
            "when": {"force": {"lt": 9}},
            "to": "bright",
            "effects": ["note"],
        },
        {"id": "dropped", "from": ["dark", "bright"], "event": "drop", "to": "broken"},
    ],
    cases=[{"id": "a", "given": {"state": "dark", "event": "drop"}, "expect": {"to": "broken"}, "row": "dropped"}],
)
DATA = _head("data", "t.payload", shape="any", value={"a": [1, None, "x"]})
BASES = tuple(json.dumps({**one, "id": f"t.base-{one['kind']}"}) for one in (VOCABULARY, TABLE, MACHINE, DATA))


def overlay_of(kind: str, identity: str = "repo.edit", **edits: Any) -> dict[str, Any]:
    """An overlay of the base of a kind."""
    return _head("overlay", identity, base={"id": f"t.base-{kind}", "version": ">=1.0, <2"}, **edits)


ROW = {"id": "new", "when": {"n": 8}, "then": {"error": "no-eight"}}
OVERLAY = overlay_of(
    "table",
    remove=["declines"],
    replace={"first": {"when": {"n": 2}, "then": {"tier": "a", "left": 1, "all": []}}},
    insert=[{"after": "first", "row": ROW}, {"at": "start", "row": {**ROW, "id": "newer"}}],
    require=[{"when_output": {"tier": "a"}, "inputs": {"n": [2, 3]}}],
    cases=[{"id": "mine", "given": {"n": 2}, "expect": {"tier": "a"}, "todo": "more facts"}],
)
WHOLE = (VOCABULARY, TABLE, UNIQUE, EACH, MACHINE, DATA, OVERLAY)
