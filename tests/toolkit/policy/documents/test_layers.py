"""Layers: overlays of rows, transitions and terms, and which layer each part of the result comes from."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policy_support import SEVERITY, data, head, layered, overlay, problems_of, table

from toolkit.policy.problems import Mark, Problems
from toolkit.policy.sets import PolicySet
from toolkit.policy.syntax.items import ITEMS, ItemEditor
from toolkit.policy.syntax.nodes import ListNode, node_of, plain

ROUTES = table(
    """\
    hit: first
    order_note: the narrow ones come first
    inputs:
      size: {type: integer, minimum: 0}
    outputs:
      route: {type: term, one_of: [stop, ask, go], stronger: [stop, ask, go]}
    rows:
      - {id: huge, when: {size: {gte: 100}}, then: {route: stop}}
      - {id: big, when: {size: {gte: 10}}, then: {route: ask}}
      - {id: small, then: {route: go}}
    """
)
DOOR = head("vocabulary", "t.door", source="ours") + "terms: [{term: shut}, {term: open}, {term: gone}]\n"
MACHINE = head("machine", "t.machine") + (
    "states: {of: t.door, initial: shut, terminal: [gone]}\n"
    "events: {push: {inputs: {force: {type: integer, minimum: 0}}}}\n"
    "transitions:\n"
    "  - {id: opens, from: shut, event: push, when: {force: {gte: 5}}, to: open, effects: [note]}\n"
)


def on_table(body: str, name: str) -> str:
    return overlay(body, name, base="t.table")


def route(policies: PolicySet, size: int) -> tuple[object, str]:
    decision = policies.table("t.table").decide(size=size)
    return decision.outputs["route"], decision.row


def test_rows_are_removed_replaced_and_inserted_by_their_ids() -> None:
    edited = layered(
        ROUTES,
        repository=[
            on_table(
                """\
                remove: [huge]
                replace: {big: {when: {size: {gte: 20}}, then: {route: ask}}}
                insert:
                  - {before: big, row: {id: enormous, when: {size: {gte: 1000}}, then: {route: stop}}}
                  - {after: big, row: {id: odd, when: {size: 7}, then: {route: stop}}}
                  - {at: start, row: {id: none, when: {size: 0}, then: {route: ask}}}
                """,
                "repo.rows",
            )
        ],
    )
    assert [row.id for row in edited.table("t.table").document.rows] == ["none", "enormous", "big", "odd", "small"]
    assert [route(edited, size) for size in (0, 7, 19, 20, 1000)] == [
        ("ask", "none"), ("stop", "odd"), ("go", "small"), ("ask", "big"), ("stop", "enormous"),
    ]  # fmt: skip


def test_every_row_knows_the_layer_that_gave_it_and_the_source_of_its_overlay() -> None:
    edited = layered(
        ROUTES,
        profile=[on_table("insert: [{at: start, row: {id: p, when: {size: 1}, then: {route: go}}}]\n", "profile.x.p")],
        user=[on_table("insert: [{at: start, row: {id: u, when: {size: 2}, then: {route: go}}}]\n", "user.u")],
        repository=[on_table("replace: {big: {when: {size: {gte: 9}}, then: {route: ask}}}\n", "repo.r")],
    )
    rows = {row.id: (row.layer, row.source) for row in edited.table("t.table").document.rows}
    assert rows == {
        "u": ("user", "A document"),
        "p": ("profile", "A document"),
        "huge": ("shipped", ""),
        "big": ("repository", "A document"),
        "small": ("shipped", ""),
    }
    origins = {one.part: (one.layer, str(one.mark), one.overlay) for one in edited.origins("t.table")}
    assert origins[""] == ("shipped", "shipped-1.yaml:1:1", None)
    assert origins["row big"] == ("repository", "repository-1.yaml:7:11", "repo.r")
    assert origins["row small"] == ("shipped", "shipped-1.yaml:16:5", None)
    explained = edited.explain("t.table", {"size": 9})[0]
    assert {row.id: row.layer for row in explained.rows}["big"] == "repository"
    assert edited.entry("t.table").head.version == "1.0.0+profile.x.p@1.0.0.user.u@1.0.0.repo.r@1.0.0"


def test_origins_survive_the_cache() -> None:
    edited = layered(
        ROUTES, DOOR, data("{a: {b: [1]}, c: 2}"),
        user=[overlay("insert: [{at: end, term: {term: ajar}}]\n", "user.u", base="t.door")],
        repository=[
            on_table("replace: {big: {when: {size: {gte: 9}}, then: {route: ask}}}\n", "repo.r"),
            overlay("set: {/a/b/-: {x: 1}, /a/n: 1}\n", "repo.d"),
        ],
    )  # fmt: skip
    warm = PolicySet.from_bundle(json.loads(json.dumps(edited.to_bundle(["t"]))))
    for document in edited.ids:
        assert warm.origins(document) == edited.origins(document)
        assert warm.digest(document) == edited.digest(document)
        assert warm.bound.digest(document) == edited.bound.digest(document)
    assert [(one.part, one.overlay) for one in warm.origins("t.data")] == [
        ("", None),
        ("/a/b/1", "repo.d"),
        ("/a/n", "repo.d"),
    ]
    assert warm.bound.pack_digest("t") == edited.bound.pack_digest("t") != edited.pack_digest("t")
    assert [row.layer for row in warm.table("t.table").document.rows] == ["shipped", "repository", "shipped"]


def test_terms_and_transitions_are_edited_by_their_names() -> None:
    edited = layered(
        DOOR, MACHINE,
        repository=[
            overlay("insert: [{before: open, term: {term: ajar}}]\n", "repo.a", base="t.door"),
            overlay(
                """\
                replace: {opens: {from: shut, event: push, when: {force: {gte: 9}}, to: open, effects: [ring]}}
                insert:
                  - {after: opens, transition: {id: yields, from: shut, event: push, when: {force: {lt: 9}}, to: ajar}}
                """,
                "repo.b", base="t.machine",
            ),
        ],
    )  # fmt: skip
    assert edited.vocabulary("t.door").terms == ("shut", "ajar", "open", "gone")
    step = edited.machine("t.machine").step
    assert (step("shut", "push", force=8).to, step("shut", "push", force=9).effects) == ("ajar", ("ring",))
    assert {one.part: one.layer for one in edited.origins("t.machine")} == {
        "": "shipped", "transition opens": "repository", "transition yields": "repository",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("body", "code", "line"),
    [
        ("remove: [hug]\n", "unknown_item", 7),
        ("replace: {bg: {then: {route: go}}}\n", "unknown_item", 7),
        ("replace: {big: {id: big, then: {route: go}}}\n", "unknown_key", 7),
        ("replace: {big: go}\n", "wrong_type", 7),
        ("insert:\n  - {after: bg, row: {id: x, then: {route: go}}}\n", "unknown_item", 8),
        ("insert:\n  - {at: middle, row: {id: x, then: {route: go}}}\n", "unknown_word", 8),
        ("insert:\n  - {row: {id: x, then: {route: go}}}\n", "bad_insertion", 8),
        ("insert:\n  - {at: end, after: big, row: {id: x, then: {route: go}}}\n", "bad_insertion", 8),
        ("insert:\n  - {at: end, term: {term: x}}\n", "wrong_edit", 8),
        ("insert:\n  - {at: start, row: {id: big, when: {size: 1}, then: {route: go}}}\n", "duplicate_id", 8),
        ("insert:\n  - {at: start, row: {when: {size: 1}, then: {route: go}}}\n", "missing_key", 8),
        ("insert:\n  - {at: start, row: {id: x, when: {sise: 1}, then: {route: go}}}\n", "unknown_input", 8),
        ("insert:\n  - {at: start, row: {id: x, when: {size: 1}, then: {route: gone}}}\n", "wrong_value", 8),
        ("set: {/rows/0: 1}\n", "wrong_edit", 7),
        ("inputs: {}\n", "unknown_key", 7),
        ("hit: collect\n", "unknown_key", 7),
        ("require:\n  - {when_output: {route: go}, inputs: {sice: 1}}\n", "unknown_input", 8),
    ],
)
def test_a_fault_of_an_overlay_names_the_overlay_s_file_and_line(body: str, code: str, line: int) -> None:
    (found,) = problems_of(ROUTES, repository=[on_table(body, "repo.rows")])
    assert found[:2] == (code, f"repository-1.yaml:{line}")


def test_an_overlay_that_leaves_a_gap_or_breaks_a_promise_is_named() -> None:
    assert problems_of(ROUTES, repository=[on_table("remove: [small]\n", "repo.rows")]) == [
        ("gap", "repository-1.yaml:0", "t.table")
    ]
    promise = "require: [{when_output: {route: go}, inputs: {size: {lt: 5}}}]\n"
    ((code, place, _document),) = problems_of(ROUTES, repository=[on_table(promise, "repo.rows")])
    assert (code, place.split(":")[0]) == ("requirement_broken", "repository-1.yaml")


def test_an_overlay_adds_to_what_a_table_requires() -> None:
    promise = "require: [{when_output: {route: stop}, inputs: {size: {gte: 50}}}]\n"
    edited = layered(ROUTES, repository=[on_table(promise, "repo.rows")])
    assert len(edited.table("t.table").document.require) == 1
    assert edited.digest("t.table") != layered(ROUTES).digest("t.table")


def test_an_overlay_edits_its_own_layer_or_one_below() -> None:
    theirs = data("{a: 1}", "repo.data")
    mine = overlay("set: {/a: 2}\n", "user.u", base="repo.data")
    assert [code for code, _, _ in problems_of(user=[mine], repository=[theirs])] == ["later_layer"]
    own = [theirs, overlay("set: {/a: 2}\n", "repo.o", base="repo.data")]
    assert layered(repository=own).data("repo.data")["a"] == 2


@pytest.mark.parametrize(("layer", "pack"), [("profile", "profile"), ("user", "user"), ("repository", "repo")])
def test_a_layer_keeps_to_its_own_pack(layer: str, pack: str) -> None:
    others = {"profile", "user", "repo", "review"} - {pack}
    assert problems_of(**{layer: [data("{}", f"{pack}.mine")]}) == []
    for other in others:
        assert [one[0] for one in problems_of(**{layer: [data("{}", f"{other}.mine")]})] == ["foreign_pack"]
    assert [one[0] for one in problems_of(data("{}", f"{pack}.mine"))] == ["foreign_pack"]


def test_a_repository_s_document_can_t_rest_on_the_user_s() -> None:
    mine = SEVERITY.replace("t.severity", "user.severity")
    theirs = table(
        "inputs: {x: {type: term, of: user.severity}}\noutputs: {y: {type: boolean}}\nhit: first\n"
        "order_note: none\nrows: [{id: all, then: {y: true}}]\n",
        "repo.table",
    )
    assert ("unknown_vocabulary", "repository-1.yaml:7", "repo.table") in problems_of(user=[mine], repository=[theirs])


# Edits by name against a plain list.

NAMES = st.sampled_from("abcdef")
EDITS = st.lists(
    st.one_of(
        st.tuples(st.just("remove"), NAMES),
        st.tuples(st.just("replace"), NAMES),
        st.tuples(st.just("insert"), NAMES, st.sampled_from(["after", "before"]), NAMES),
        st.tuples(st.just("insert"), NAMES, st.just("at"), st.sampled_from(["start", "end"])),
    ),
    max_size=12,
)


@given(st.lists(NAMES, unique=True), EDITS)
def test_edits_by_name_agree_with_a_plain_list(names: list[str], edits: list[tuple[str, ...]]) -> None:
    expected, marks, refused = list(names), dict.fromkeys(names, 0), 0
    mark = Mark("f", 1, 1)
    listed = node_of([{"id": name, "n": 0} for name in names], mark)
    assert isinstance(listed, ListNode)
    problems = Problems()
    editor = ItemEditor(listed, ITEMS["table"], problems)
    for number, (verb, name, *place) in enumerate(edits, start=1):
        with problems.unit():
            if verb == "remove":
                editor.remove(name, mark)
            elif verb == "replace":
                editor.replace(name, node_of({"n": number}, mark), mark)
            else:
                editor.insert(node_of({"id": name, "n": number}, mark), place[0], place[1], mark)
        if verb == "insert":
            if name in expected or (place[0] != "at" and place[1] not in expected):
                refused += 1
                continue
            at = {"start": 0, "end": len(expected)}[place[1]] if place[0] == "at" else expected.index(place[1])
            expected.insert(at + (place[0] == "after"), name)
            marks[name] = number
        elif name not in expected:
            refused += 1
        elif verb == "remove":
            expected.remove(name)
        else:
            marks[name] = number
    assert [plain(node) for node in editor.joined()] == [{"id": name, "n": marks[name]} for name in expected]
    assert len(problems.found) == refused
