"""What the reader refuses for its form, an editor's schema refuses too."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from policy_support import SEVERITY, layered
from schemas_support import (
    DATA,
    EACH,
    MACHINE,
    OVERLAY,
    ROW,
    TABLE,
    UNIQUE,
    VOCABULARY,
    WHOLE,
    codes_of,
    overlay_of,
    schema_refuses,
)

from toolkit.authoring.testing.cases import read_cases
from toolkit.policy.problems import Problem, Problems
from toolkit.policy.syntax.nodes import MapNode, node_of

GONE = object()

# What is changed in which document, at which place, to what (``GONE``: taken away), and the code of the reader.
MUTATIONS: tuple[tuple[dict[str, Any], str, Any, str], ...] = (
    # The head.
    (TABLE, "policy", "v2", "unknown_language"),
    (TABLE, "policy", 1, "wrong_type"),
    (TABLE, "id", "table", "bad_id"),
    (TABLE, "id", "T.rows", "bad_id"),
    (TABLE, "id", "t..rows", "bad_id"),
    (TABLE, "id", "t." + "x" * 62, "bad_id"),
    (TABLE, "id", ".".join(["t", *"abcdefg"]), "bad_id"),
    (TABLE, "version", "1.0", "bad_version"),
    (TABLE, "version", "1.0.0-rc", "bad_version"),
    (TABLE, "version", "01.0.0", "bad_version"),
    (TABLE, "title", "", "empty"),
    (TABLE, "title", GONE, "missing_key"),
    (TABLE, "source", GONE, "missing_key"),
    (TABLE, "source", "", "empty"),
    (TABLE, "more", 1, "unknown_key"),
    (OVERLAY, "source", "", "empty"),
    # A vocabulary.
    (VOCABULARY, "order", "upwards", "unknown_word"),
    (VOCABULARY, "anchors", "definition", "wrong_type"),
    (VOCABULARY, "anchors", ["definition", "definition"], "duplicate_id"),
    (VOCABULARY, "anchors", ["term"], "duplicate_id"),
    (VOCABULARY, "terms", [], "empty"),
    (VOCABULARY, "terms", GONE, "missing_key"),
    (VOCABULARY, "terms.0.term", GONE, "missing_key"),
    (VOCABULARY, "terms.0.term", 1, "wrong_type"),
    (VOCABULARY, "terms.0.definition", None, "wrong_type"),
    (VOCABULARY, "terms.0", "low", "wrong_type"),
    (VOCABULARY, "cases", [], "unknown_key"),
    # What a table declares.
    (TABLE, "hit", "frist", "unknown_word"),
    (TABLE, "hit", True, "wrong_type"),
    (TABLE, "inputs", GONE, "missing_key"),
    (TABLE, "inputs", [], "wrong_type"),
    (TABLE, "inputs.n.type", "number", "unknown_word"),
    (TABLE, "inputs.n.type", GONE, "missing_key"),
    (TABLE, "inputs.n.minimum", 0.5, "ambiguous_scalar"),
    (TABLE, "inputs.n.minimum", "0", "wrong_type"),
    (TABLE, "inputs.n.maximum", 2**53, "ambiguous_scalar"),
    (TABLE, "inputs.n.of", "t.severity", "unknown_key"),
    (TABLE, "inputs.path.minimum", 0, "unknown_key"),
    (TABLE, "inputs.of.of", GONE, "missing_key"),
    (TABLE, "inputs.of.optional", "yes", "wrong_type"),
    (TABLE, "inputs.told.informs", 1, "wrong_type"),
    (TABLE, "inputs.told.stronger", ["a"], "unknown_key"),
    (TABLE, "inputs.items.items", GONE, "missing_key"),
    (TABLE, "inputs.items.items", "string", "wrong_type"),
    (TABLE, "inputs.items.items.type", "list", "missing_key"),
    (TABLE, "inputs.items.items.optional", True, "unknown_key"),
    (TABLE, "inputs.items.items", {"type": "record", "fields": {"a": {"type": "path"}}}, "record_misplaced"),
    (TABLE, "inputs.path", {"type": "record", "fields": {"a": {"type": "path"}}}, "record_misplaced"),
    (TABLE, "inputs.Path", {"type": "path"}, "bad_name"),
    (TABLE, "inputs.a-b", {"type": "path"}, "bad_name"),
    (TABLE, "inputs.error", {"type": "path"}, "reserved_name"),
    (TABLE, "inputs.item", {"type": "path"}, "reserved_name"),
    (TABLE, "let.any_of", "n", "reserved_name"),
    (TABLE, "let.more", 1, "wrong_type"),
    (TABLE, "let.more", "n" * 1001, "bad_expression"),
    (TABLE, "outputs", {}, "empty"),
    (TABLE, "outputs.tier.informs", True, "unknown_key"),
    (TABLE, "outputs.tier.one_of", [], "bad_one_of"),
    (TABLE, "outputs.tier.one_of", ["a", "a"], "bad_one_of"),
    (TABLE, "outputs.tier.stronger", ["a", "b", "b"], "bad_stronger"),
    (TABLE, "outputs.tier.stronger", "a", "wrong_type"),
    (TABLE, "outputs.tier.stronger", ["a", 1], "wrong_value"),
    (TABLE, "outputs.left.stronger", [1, 0], "wrong_type"),
    (UNIQUE, "outputs.y.stronger", ["true", "false"], "wrong_value"),
    (TABLE, "each", 1, "wrong_type"),
    (EACH, "inputs.files.items.fields", GONE, "empty"),
    (EACH, "inputs.files.items.fields", {}, "empty"),
    (EACH, "inputs.files.items.fields.path.type", "record", "record_misplaced"),
    # Its rows.
    (TABLE, "rows", [], "empty"),
    (TABLE, "rows", {}, "wrong_type"),
    (TABLE, "rows.0.id", GONE, "missing_key"),
    (TABLE, "rows.0.id", "First row", "bad_id"),
    (TABLE, "rows.0.then", GONE, "missing_key"),
    (TABLE, "rows.0.them", {}, "unknown_key"),
    (TABLE, "rows.0.source", 1, "wrong_type"),
    (TABLE, "rows.0.when", {}, "wrong_type"),
    (TABLE, "rows.0.when", [], "wrong_type"),
    (TABLE, "rows.0.when.n", [], "empty_cell"),
    (TABLE, "rows.0.when.n", {}, "empty_cell"),
    (TABLE, "rows.0.when.n", 1.5, "ambiguous_scalar"),
    (TABLE, "rows.0.when.n", [1, [2]], "wrong_type"),
    (TABLE, "rows.0.when.n.ge", 1, "unknown_operator"),
    (TABLE, "rows.0.when.n.gte", 1.5, "ambiguous_scalar"),
    (TABLE, "rows.0.when.n.gte", None, "wrong_type"),
    (TABLE, "rows.0.when.n.gte", [1], "wrong_type"),
    (TABLE, "rows.0.when.n.ignore_case", True, "unknown_operator"),
    (TABLE, "rows.0.when.of.present", "true", "wrong_type"),
    (TABLE, "rows.0.when.of.present", False, "null_guard"),
    (TABLE, "rows.0.when.path.glob", "a/**", "wrong_type"),
    (TABLE, "rows.0.when.path.glob", [], "empty_cell"),
    (TABLE, "rows.0.when.path.glob", [1], "wrong_type"),
    (TABLE, "rows.0.when.path.glob", [""], "bad_pattern"),
    (TABLE, "rows.0.when.path.glob", ["x" * 1001], "bad_pattern"),
    (TABLE, "rows.0.when.path.ignore_case", "no", "wrong_type"),
    (TABLE, "rows.0.when.items.count", -1, "wrong_value"),
    (TABLE, "rows.0.when.items.count", "3", "wrong_value"),
    (TABLE, "rows.0.when.items.count", None, "never_null"),
    (TABLE, "rows.0.when.items.count.lt", "3", "wrong_type"),
    (TABLE, "rows.0.when.items.count.glob", ["3"], "wrong_operator"),
    (TABLE, "rows.0.when.items.some.some", "x", "wrong_operator"),
    (TABLE, "rows.0.when.items.some.present", True, "never_null"),
    (TABLE, "rows.0.when.items.every", None, "never_null"),
    (TABLE, "rows.0.when.any_of", [], "empty_cell"),
    (TABLE, "rows.0.when.any_of", {"n": 1}, "wrong_type"),
    (TABLE, "rows.0.when.any_of.0", {}, "wrong_type"),
    (TABLE, "rows.0.when.any_of.0.any_of", [{"n": 1}], "unknown_input"),
    (TABLE, "rows.0.when.Left", 1, "unknown_input"),
    (TABLE, "rows.0.then", {}, "missing_key"),
    (TABLE, "rows.0.then.left", 0.5, "ambiguous_scalar"),
    (TABLE, "rows.0.then.left", {"value": "left", "more": 1}, "unknown_key"),
    (TABLE, "rows.0.then.left", {}, "missing_key"),
    (TABLE, "rows.0.then.all", [[True]], "wrong_value"),
    (TABLE, "rows.0.then.all", [None], "wrong_value"),
    (TABLE, "rows.1.then.error", "No Seven", "bad_id"),
    (TABLE, "rows.1.then.error", 7, "wrong_type"),
    (TABLE, "rows.1.then.tier", "a", "missing_key"),
    (TABLE, "require.0.inputs", {}, "empty"),
    (TABLE, "require.0.when_output", GONE, "missing_key"),
    (TABLE, "require.0.when_output.tier", [], "empty_cell"),
    (TABLE, "require.0.when_output.tier", {"not": "a"}, "wrong_value"),
    (TABLE, "require.0.inputs.items", {"some": "x"}, "wrong_operator"),
    (UNIQUE, "rows.0.when.path", {"glob": ["a"]}, "pattern_in_unique"),
    (UNIQUE, "rows.0.when.path", {"not": {"glob": ["a"]}}, "pattern_in_unique"),
    (TABLE, "cases", {}, "wrong_type"),
    # A machine.
    (MACHINE, "states", GONE, "missing_key"),
    (MACHINE, "states.of", GONE, "missing_key"),
    (MACHINE, "states.final", ["broken"], "unknown_key"),
    (MACHINE, "states.terminal", "broken", "wrong_type"),
    (MACHINE, "states.terminal", ["broken", "broken"], "duplicate_id"),
    (MACHINE, "events", {}, "empty"),
    (MACHINE, "events.Press", {}, "bad_id"),
    (MACHINE, "events.drop", None, "wrong_type"),
    (MACHINE, "events.drop.when", {}, "unknown_key"),
    (MACHINE, "events.press.inputs.state", {"type": "string"}, "reserved_name"),
    (MACHINE, "events.press.inputs.event", {"type": "string"}, "reserved_name"),
    (MACHINE, "events.press.inputs.force.type", "record", "unknown_key"),
    (MACHINE, "transitions", [], "empty"),
    (MACHINE, "transitions.0.to", GONE, "missing_key"),
    (MACHINE, "transitions.0.then", {}, "unknown_key"),
    (MACHINE, "transitions.0.from", [], "empty"),
    (MACHINE, "transitions.1.from", ["dark", "dark"], "duplicate_id"),
    (MACHINE, "transitions.0.effects", "note", "wrong_type"),
    (MACHINE, "transitions.0.effects", ["note", "note"], "duplicate_id"),
    (MACHINE, "transitions.0.when.state", "dark", "reserved_name"),
    (MACHINE, "transitions.0.when.event", "press", "unknown_input"),
    (MACHINE, "transitions.0.when.force", {"glob": ["x"]}, "wrong_operator"),
    (MACHINE, "hit", "unique", "unknown_key"),
    # Data.
    (DATA, "shape", GONE, "missing_key"),
    (DATA, "value", GONE, "missing_key"),
    (DATA, "value.a", [1.5], "ambiguous_scalar"),
    (DATA, "value.a", 2**60, "ambiguous_scalar"),
    (DATA, "templates", "x", "wrong_type"),
    (DATA, "cases", [], "unknown_key"),
    # Overlays.
    (OVERLAY, "base", "t.base-table", "wrong_type"),
    (OVERLAY, "base", GONE, "missing_key"),
    (OVERLAY, "base.kind", "table", "unknown_key"),
    (OVERLAY, "base.version", "^1.0", "bad_version"),
    (OVERLAY, "base.version", ">=1.0,", "bad_version"),
    (OVERLAY, "base.version", 1, "wrong_type"),
    (OVERLAY, "inputs", {}, "unknown_key"),
    (OVERLAY, "hit", "first", "unknown_key"),
    (OVERLAY, "remove", "declines", "wrong_type"),
    (OVERLAY, "remove", [1], "wrong_type"),
    (OVERLAY, "replace.first", "x", "wrong_type"),
    (OVERLAY, "insert", {}, "wrong_type"),
    (OVERLAY, "insert.0.after", GONE, "bad_insertion"),
    (OVERLAY, "insert.0.before", "first", "bad_insertion"),
    (OVERLAY, "insert.0.row", GONE, "bad_insertion"),
    (OVERLAY, "insert.0.term", {"term": "x"}, "bad_insertion"),
    (OVERLAY, "insert.0.rows", [], "unknown_key"),
    (OVERLAY, "insert.1.at", "middle", "unknown_word"),
    (OVERLAY, "insert.0.row.id", GONE, "missing_key"),
    (OVERLAY, "insert.0.row.then", GONE, "missing_key"),
    (OVERLAY, "require.0.inputs", GONE, "missing_key"),
    (OVERLAY, "pin", ["first"], "pin_misplaced"),
    (overlay_of("data", set={"/a": 1}), "set", {}, "empty"),
    (overlay_of("data", set={"/a": 1}), "set", [], "wrong_type"),
    (overlay_of("data", set={"/a": 1}), "set.a", 1, "bad_pointer"),
    (overlay_of("data", set={"/a": 1}), "set./~2", 1, "bad_pointer"),
    (overlay_of("data", set={"/a": 1}), "set./a", 1.5, "ambiguous_scalar"),
    (overlay_of("table", remove=["declines"]), "remove", GONE, "empty"),
    (overlay_of("table", remove=["declines"]), "cases", {}, "wrong_type"),
)


def places(way: str) -> Iterator[int | str]:
    """The steps of a way; ``set./a`` has two."""
    head, found, rest = way.partition(".")
    yield int(head) if head.isdigit() else head
    if found:
        yield from places(rest)


def changed(document: dict[str, Any], way: str, value: Any) -> dict[str, Any]:
    made = copy.deepcopy(document)
    *steps, last = places(way)
    part: Any = made
    for step in steps:
        if not isinstance(part[step], (dict, list)):
            part[step] = {}
        part = part[step]
    if value is GONE:
        del part[last]
    else:
        part[last] = value
    return made


@pytest.mark.parametrize("document", WHOLE, ids=lambda one: one["id"])
def test_the_whole_documents_are_accepted_by_the_reader_and_the_schema(document: dict[str, Any]) -> None:
    assert codes_of(document) <= {"requirement_broken"}
    assert not schema_refuses(document)


@pytest.mark.parametrize(
    ("document", "way", "value", "code"),
    MUTATIONS,
    ids=[f"{one['kind']}-{way}-{n}" for n, (one, way, _v, _c) in enumerate(MUTATIONS)],
)
def test_what_the_reader_refuses_for_its_form_the_schema_refuses_too(
    document: dict[str, Any], way: str, value: Any, code: str
) -> None:
    made = changed(document, way, value)

    assert code in codes_of(made)
    assert schema_refuses(made)


CASES: tuple[tuple[str, Any], ...] = (
    ("id", GONE),
    ("id", "A case"),
    ("given", GONE),
    ("given", []),
    ("expect", GONE),
    ("expect", "b"),
    ("expect", [{"tier": "b"}]),
    ("row", 1),
    ("row", ["rest"]),
    ("todo", ""),
    ("todo", " "),
    ("more", 1),
)


@pytest.mark.parametrize(("way", "value"), CASES)
def test_a_case_that_can_not_be_asked_is_refused(way: str, value: Any) -> None:
    made = changed(TABLE, f"cases.0.{way}", value)

    assert schema_refuses(made)
    assert problems_of_cases(made)


def problems_of_cases(document: dict[str, Any]) -> list[Problem]:
    """What the reader of cases says of those of a table."""
    entry = layered(SEVERITY, json.dumps({**TABLE, "require": []})).entry("t.rows")
    node = node_of(document, entry.head.mark)
    assert isinstance(node, MapNode)
    problems = Problems()
    read_cases(entry._replace(node=node), False, problems)
    return problems.found


def test_an_answer_that_says_nothing_needs_a_row() -> None:
    assert not schema_refuses(changed(TABLE, "cases.0.expect", {}))
    nothing = changed(TABLE, "cases.0.expect", {})
    assert schema_refuses(changed(nothing, "cases.0.row", GONE))


def test_where_there_are_several_answers_a_case_expects_a_list_or_a_refusal() -> None:
    assert not schema_refuses(changed(EACH, "cases.0.expect", [{"y": True}]))
    assert not schema_refuses(changed(EACH, "cases.0.expect", {"error": "no_row"}))
    assert schema_refuses(changed(EACH, "cases.0.expect", {"y": True}))


def test_only_the_user_pins() -> None:
    pinning = overlay_of("table", "user.edit", pin=["rest"])

    assert not codes_of(pinning)
    assert not schema_refuses(pinning)
    assert schema_refuses({**pinning, "id": "repo.edit"})


@pytest.mark.parametrize("part", [{"row": ROW}, {"transition": MACHINE["transitions"][0]}, {"term": {"term": "x"}}])
def test_any_part_can_be_inserted_where_the_base_is_not_known(part: dict[str, Any]) -> None:
    assert not schema_refuses(overlay_of("table", insert=[{"at": "end", **part}]))
