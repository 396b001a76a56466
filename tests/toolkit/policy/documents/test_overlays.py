"""Overlays of data: each pointer names one thing, edits add up in a fixed order, and nothing else is touched."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policy_support import SEVERITY, codes, data, load, only_problem, overlay, refused

from toolkit.policy.documents.identity import document_digest
from toolkit.policy.documents.overlays import satisfies
from toolkit.policy.problems import Mark, Problems
from toolkit.policy.syntax import pointers
from toolkit.policy.syntax.nodes import MAX_DEPTH, MapNode, node_of, plain
from toolkit.policy.syntax.pointers import Editor
from toolkit.policy.types import thaw

BASE = data(
    "{limit: 1, words: [a, b, c], checks: [{id: first, live: true}, {id: '7', live: true}, {name: x}],"
    " 'a/b': {'c~d': 1}}"
)


def payload(*overlays: str) -> Any:
    return thaw(load(BASE, own=overlays).data("t.data"))


@pytest.mark.parametrize(
    ("edit", "path", "expected"),
    [
        ("set: {/limit: 2}", ["limit"], 2),
        ("set: {/new: {a: [1]}}", ["new"], {"a": [1]}),
        ("set: {/words/-: d}", ["words"], ["a", "b", "c", "d"]),
        ("set: {/words/0: z}", ["words"], ["z", "b", "c"]),
        ("set: {/checks/first/live: false}", ["checks", 0], {"id": "first", "live": False}),
        ("set: {/checks/first: {id: first, dead: true}}", ["checks", 0], {"id": "first", "dead": True}),
        ("set: {/checks/first: {id: renamed}}", ["checks", 0], {"id": "renamed"}),
        ("set: {/checks/first/id: renamed, /checks/renamed/live: 1}", ["checks", 0], {"id": "renamed", "live": 1}),
        ("set: {/checks/2/id: third, /checks/third/name: y}", ["checks", 2], {"id": "third", "name": "y"}),
        ("remove: [/checks/first/id]\nset: {/checks/0/live: 1}", ["checks", 0], {"live": 1}),
        ("set: {/checks/7/live: false}", ["checks", 1, "live"], False),
        ("set: {/checks/2/name: y}", ["checks", 2, "name"], "y"),
        ("set: {/checks/-: {id: last}}", ["checks", 3], {"id": "last"}),
        ("set: {/a~1b/c~0d: 2}", ["a/b", "c~d"], 2),
        ("set: {/limit: null}", ["limit"], None),
        ("set: {/words/-: d, /words/3: e}", ["words"], ["a", "b", "c", "e"]),
        ("set: {/checks/-: {id: last}, /checks/last/live: true}", ["checks", 3], {"id": "last", "live": True}),
        ("set: {/checks/first: {id: renamed}, /checks/renamed/live: 1}", ["checks", 0], {"id": "renamed", "live": 1}),
        ("remove: [/words/1]", ["words"], ["a", "c"]),
        ("remove: [/words/0, /words/1]", ["words"], ["c"]),
        ("remove: [/words/2, /words/0]", ["words"], ["b"]),
        ("remove: [/checks/first]", ["checks", 0, "id"], "7"),
        ("remove: [/checks/first/live]", ["checks", 0], {"id": "first"}),
        ("remove: [/a~1b/c~0d]", ["a/b"], {}),
        ("remove: [/words/0]\nset: {/words/0: z}", ["words"], ["z", "c"]),
        ("remove: [/limit]\nset: {/limit: 3}", ["limit"], 3),
    ],
)
def test_an_edit_does_what_its_pointer_says(edit: str, path: list[str | int], expected: object) -> None:
    found: Any = payload(overlay(edit + "\n"))
    for step in path:
        found = found[step]
    assert found == expected


def test_an_edit_leaves_everything_else_as_it_was() -> None:
    before = payload()
    after = payload(overlay("set: {/limit: 2}\n"))
    assert {**before, "limit": 2} == after


@pytest.mark.parametrize(
    ("edit", "hint"),
    [
        ("remove: [/limti]", "did you mean 'limit'?"),
        ("remove: [/words/3]", "it has 3 items"),
        ("remove: [/words/a]", "it has 3 items"),
        ("remove: [/words/-]", "it has 3 items"),
        ("remove: [/words/-1]", "it has 3 items"),
        ("remove: [/words/01]", "it has 3 items"),
        ("remove: [/words/٠]", "it has 3 items"),
        ("remove: ['/words/']", "it has 3 items"),
        ("remove: ['/checks/']", None),
        ("remove: [/checks/frist]", "did you mean 'first'?"),
        ("remove: [/words/0, /words/0]", None),
        ("remove: [/checks/first, /checks/0]", None),
        ("remove: [/limit, /limit]", None),
        ("remove: [/limit/x]", None),
        ("remove: [/limit/x/y]", None),
        ("remove: ['']", "write it as /key/inner"),
        ("remove: [limit]", "write it as /key/inner"),
        ("remove: ['/a~b']", "write it as /key/inner"),
        ("remove: ['/a~2b']", "write it as /key/inner"),
        ("set: {/words/3: d}", "it has 3 items"),
        ("set: {/none/x: 1}", None),
        ("set: {/words/-/x: 1}", "it has 3 items"),
        ("set: {/limit/x: 1}", None),
        (f"remove: ['/{'x' * 1000}']", "write it as /key/inner"),
    ],
)
def test_a_pointer_to_nothing_is_refused_where_it_stands(edit: str, hint: str | None) -> None:
    problem = refused(BASE, own=[overlay(edit + "\n")])[0]
    assert problem.code == "bad_pointer"
    assert (problem.mark.file, problem.document) == ("repository-1.yaml", "repo.overlay")
    assert problem.mark.line == 7
    assert hint is None or problem.hint == hint


def test_an_id_that_two_items_have_names_neither() -> None:
    twice = data("{l: [{id: a, n: 1}, {id: a, n: 2}]}")
    assert codes(twice, own=[overlay("remove: [/l/a]\n")]) == ["bad_pointer"]
    assert thaw(load(twice, own=[overlay("remove: [/l/0]\n")]).data("t.data")) == {"l": [{"id": "a", "n": 2}]}


@pytest.mark.parametrize(
    "edit",
    [
        "set: {/checks/-: {id: first}}",
        "set: {/checks/2: {id: first}}",
        "set: {/checks/7: {id: first}}",
        "set: {/checks/7/id: first}",
        "set: {/checks/2/id: first}",
    ],
)
def test_an_id_is_given_once_in_a_list(edit: str) -> None:
    assert codes(BASE, own=[overlay(edit + "\n")]) == ["duplicate_id"]


@pytest.mark.parametrize("edit", ["set: {/checks/first/id: renamed", "remove: [/checks/first/id]\nset: {/new: 1"])
def test_an_id_that_an_item_no_longer_has_names_nothing(edit: str) -> None:
    assert codes(BASE, own=[overlay(f"{edit}, /checks/first/live: 1}}\n")]) == ["bad_pointer"]


def test_a_payload_may_be_a_list_and_grows_no_deeper_than_a_file_may() -> None:
    listed = data("[[]]")
    assert thaw(load(listed, own=[overlay("set: {/0/-: x}\n")]).data("t.data")) == [["x"]]
    deepest = MAX_DEPTH - 3  # the document, the payload and the list within it are three levels
    nested = "[" * deepest + "]" * deepest
    assert load(listed, own=[overlay(f"set: {{/0/-: {nested}}}\n")])
    assert codes(listed, own=[overlay(f"set: {{/0/-: [{nested}]}}\n")]) == ["too_deep"]


def test_overlays_that_build_on_each_other_never_exceed_the_depth() -> None:
    step = "[" * 40 + "]" * 40
    first = overlay(f"set: {{/0: {step}}}\n", "repo.a")
    second = overlay(f"set: {{/0{'/0' * 38}/-: {step}}}\n", "repo.b")
    assert codes(data("[0]"), own=[first, second]) == ["too_deep"]


def test_overlays_of_one_layer_apply_in_order_of_id_whatever_the_order_of_files() -> None:
    first, second = overlay("set: {/limit: 1}\n", "repo.a"), overlay("set: {/limit: 2}\n", "repo.b")
    assert payload(first, second)["limit"] == payload(second, first)["limit"] == 2


def test_an_overlaid_document_says_so_in_its_version() -> None:
    entry = load(BASE, own=[overlay("set: {/limit: 2}\n", "repo.b"), overlay("set: {/limit: 3}\n", "repo.a")]).entry(
        "t.data"
    )
    assert entry.head.version == "1.0.0+repo.a@1.0.0.repo.b@1.0.0"
    assert entry.overlays == ("repository-2.yaml", "repository-1.yaml")
    assert entry.head.layer == "shipped"


def test_a_problem_of_what_an_overlay_brought_stands_in_the_overlay() -> None:
    shape = {"any": b'{"properties": {"limit": {"type": "integer"}}}'}
    (problem,) = refused(BASE, own=[overlay("set:\n  /limit: many\n")], shapes=shape)
    assert (problem.code, str(problem.mark), problem.document) == ("wrong_shape", "repository-1.yaml:8:11", "t.data")


@pytest.mark.parametrize(
    ("requires", "loads"),
    [
        (">=1.0,<2", True),
        (">=1", True),
        ("==1.0.0", True),
        ("<=1.0", True),
        (">0.9, <1.1", True),
        (">1.0.0", False),
        ("<1", False),
        (">=1,<1", False),
        ("==1.0.1", False),
    ],
)
def test_an_overlay_names_the_versions_that_it_was_written_for(requires: str, loads: bool) -> None:
    found = codes(BASE, own=[overlay("set: {/limit: 2}\n", version=requires)])
    assert found == ([] if loads else ["base_version"])


@pytest.mark.parametrize(
    "requires", ["", "1.0", "~1.0", "^1", ">=", ">=1.x", ">=1.0;<2", ">=1.0.0.0", "=1.0", "!=1", ">=1,"]
)
def test_a_version_requirement_is_comma_joined_comparisons(requires: str) -> None:
    assert codes(BASE, own=[overlay("set: {/limit: 2}\n", version=requires)]) == ["bad_version"]


def test_the_version_that_counts_is_the_document_s_own() -> None:
    assert satisfies("1.2.3+repo.x@9.0.0", (("<", (2, 0, 0)), (">=", (1, 2, 3))))
    both = [overlay("set: {/limit: 2}\n", "repo.a"), overlay("set: {/limit: 3}\n", "repo.b", version="==1.0.0")]
    assert payload(*both)["limit"] == 3


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("", "empty"),
        ("set: {}\n", "empty"),
        ("remove: []\n", "empty"),
        ("set: []\n", "wrong_type"),
        ("remove: {/limit: 1}\n", "wrong_type"),
        ("remove: [1]\n", "wrong_type"),
        ("set: {/limit: 2}\nreplace: {}\n", "wrong_edit"),
        ("set: {/limit: 2}\ninsert: []\n", "wrong_edit"),
        ("set: {/limit: 2}\nlet: {}\n", "unknown_key"),
        ("set: {/limit: 2}\npin: [x]\n", "pin_misplaced"),
        ("set: {/limit: 2}\ncases: []\n", "wrong_edit"),
    ],
)
def test_an_overlay_is_read_strictly(body: str, code: str) -> None:
    assert codes(BASE, own=[overlay(body)]) == [code]


def test_an_overlay_edits_a_data_document_that_is_there() -> None:
    edit = "set: {/limit: 2}\n"
    problem = only_problem(BASE, own=[overlay(edit, base="t.dta")])
    assert (problem.code, problem.hint) == ("unknown_document", "did you mean 't.data'?")
    assert codes(BASE, SEVERITY, own=[overlay(edit, base="t.severity")]) == ["wrong_edit"]
    assert codes(BASE, own=[overlay(edit, base="repo.overlay")]) == ["unknown_document"]


def test_an_overlay_belongs_to_the_repository_s_own_pack_and_to_nobody_s_id() -> None:
    edit = "set: {/limit: 2}\n"
    assert codes(BASE, own=[overlay(edit, "t.overlay")]) == ["foreign_pack"]
    assert codes(BASE, own=[overlay(edit), overlay(edit)]) == ["duplicate_id"]
    assert codes(BASE, own=[overlay(edit, "t.data")]) == ["duplicate_id"]


def test_an_overlay_of_a_document_whose_head_is_wrong_adds_no_problem_of_its_own() -> None:
    broken = BASE.replace("version: 1.0.0", "version: '1'")
    assert codes(broken, own=[overlay("set: {/limit: 2}\n")]) == ["bad_version"]


def test_however_often_a_list_is_edited_its_items_are_asked_for_their_ids_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    original = pointers._id_of
    monkeypatch.setattr(pointers, "_id_of", lambda node: asked.append(node) or original(node))
    base = data("[" + ", ".join(f"{{id: i{number}}}" for number in range(300)) + "]")
    edits = [
        overlay(
            f"remove: [/i{number}]\nset: {{/i{number + 100}: {{id: n{number}}}, /i{number + 200}/x: 1}}\n",
            f"repo.o{number}",
        )
        for number in range(100)
    ]
    edited_items = thaw(load(base, own=edits).data("t.data"))
    assert len(edited_items) == 200
    assert [edited_items[0], edited_items[100]] == [{"id": "n0"}, {"id": "i200", "x": 1}]
    assert len(asked) == 300 + 100


# Against a reader that edits plain JSON.


def edited(value: Any, removals: list[list[str]], settings: list[tuple[list[str], Any]]) -> Any:
    gone = []
    for steps in removals:
        parent, key = located(value, steps)
        if any(parent is other and key == old for other, old in gone):
            raise LookupError
        gone.append((parent, key))
    for parent, key in sorted(gone, key=lambda one: str(one[1]).zfill(9), reverse=True):
        del parent[key]
    for steps, new in settings:
        if steps[-1] == "-" and isinstance(target := value_at(value, steps[:-1]), list):
            target.append(new)
        else:
            parent, key = located(value, steps, may_be_new=True)
            parent[key] = new
    return value


def value_at(value: Any, steps: list[str]) -> Any:
    for step in steps:
        value = value[key_of(value, step)]
    return value


def key_of(parent: Any, step: str) -> Any:
    if isinstance(parent, dict):
        return step
    if not isinstance(parent, list) or not step.isdigit() or str(int(step)) != step:
        raise LookupError
    return int(step)


def located(value: Any, steps: list[str], *, may_be_new: bool = False) -> tuple[Any, Any]:
    parent = value_at(value, steps[:-1])
    key = key_of(parent, steps[-1])
    if not (may_be_new and isinstance(parent, dict)):
        parent[key]
    return parent, key


TREES = st.recursive(
    st.integers(0, 3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "0"]), inner, max_size=3),
    max_leaves=10,
)
STEPS = st.lists(st.sampled_from(["a", "b", "0", "1", "-"]), min_size=1, max_size=3)


@given(TREES, st.lists(STEPS, max_size=2), st.lists(st.tuples(STEPS, TREES), max_size=2))
def test_edits_agree_with_a_reader_of_plain_json(
    value: Any, removals: list[list[str]], settings: list[tuple[list[str], Any]]
) -> None:
    root = node_of({"value": value}, Mark("f", 1, 1))
    assert isinstance(root, MapNode)
    problems = Problems()
    mark = Mark("f", 1, 1)
    with problems.within("x"):
        editor = Editor(root, problems)
        editor.remove_all(tuple(("/" + "/".join(steps), mark) for steps in removals))
        for steps, new in settings:
            editor.set("/" + "/".join(steps), node_of(new, mark), mark)
    try:
        expected = edited(json.loads(json.dumps(value)), removals, json.loads(json.dumps(settings)))
    except (LookupError, TypeError):
        assert problems.found
    else:
        assert not problems.found
        assert plain(root) == {"value": expected}
        assert document_digest(root, {}) == document_digest(node_of({"value": expected}, mark), {})
