"""Pins: what a user holds fast, a repository may make stricter and never weaker, by whatever road."""

from __future__ import annotations

import pytest
from policy_support import SEVERITY, data, head, layered, overlay, problems_of, table

from toolkit.policy.sets import PolicySet

FIRST = table(
    """\
    hit: first
    order_note: the narrow ones come first
    inputs:
      size: {type: integer, minimum: 0}
      secret: {type: boolean}
    let: {double: "size * 2"}
    outputs:
      route: {type: term, one_of: [stop, ask, go], stronger: [stop, ask, go]}
    rows:
      - {id: tiny, when: {size: 0}, then: {route: go}}
      - {id: secret, when: {secret: true}, then: {route: ask}}
      - {id: big, when: {double: {gte: 20}}, then: {route: ask}}
      - {id: rest, then: {route: go}}
    """
)
PIN_SECRET = "pin: [secret]\n"


def on_table(body: str, name: str = "repo.theirs") -> str:
    return overlay(body, name, base="t.table")


def codes(*documents: str, user: list[str], theirs: list[str], user_edits: bool = True, **more: list[str]) -> list[str]:
    found = problems_of(*documents, user=user, repository=theirs, user_edits=user_edits, **more)
    return [code for code, _place, _document in found]


def pinned(body: str, pin: str = PIN_SECRET) -> list[str]:
    return codes(FIRST, user=[on_table(pin, "user.mine")], theirs=[on_table(body)])


@pytest.mark.parametrize(
    "body",
    [
        "remove: [secret]\n",
        "replace: {secret: {when: {secret: true}, then: {route: go}}}\n",
        "replace: {secret: {when: {secret: true, size: {lt: 5}}, then: {route: ask}}}\n",
        "replace: {tiny: {when: {size: {lte: 1}}, then: {route: go}}}\n",
        "insert: [{at: start, row: {id: door, when: {size: 77}, then: {route: go}}}]\n",
        "insert: [{at: start, row: {id: door, when: {double: {gte: 500}}, then: {route: go}}}]\n",
        "insert: [{at: start, row: {id: door, when: {size: 77}, then: {error: who-knows}}}]\n",
        "insert: [{at: start, row: {id: door, when: {any_of: [{size: 5}, {secret: false}]}, then: {route: go}}}]\n",
    ],
)
def test_a_pinned_row_is_not_weakened(body: str) -> None:
    assert pinned(body) == ["pin_broken"]
    assert codes(FIRST, user=[], theirs=[on_table(body)]) == []  # without the pin it is the repository's right


@pytest.mark.parametrize(
    "body",
    [
        "replace: {secret: {when: {secret: true}, then: {route: stop}}}\n",
        "insert: [{at: start, row: {id: more, when: {size: {gte: 3}}, then: {route: stop}}}]\n",
        "insert: [{at: start, row: {id: other, when: {secret: false}, then: {route: go}}}]\n",
        "insert: [{at: start, row: {id: none, when: {size: 0}, then: {route: go}}}]\n",
        "replace: {secret: {when: {size: {gte: 0}}, then: {route: ask}}}\n",
        "remove: [big]\n",
        "remove: [tiny]\n",
        "require: [{when_output: {route: stop}, inputs: {secret: true}}]\n",
    ],
)
def test_a_pinned_row_may_become_stricter_and_the_rest_is_free(body: str) -> None:
    assert pinned(body) == []


def test_a_broken_pin_names_the_overlay_that_breaks_it_and_where_the_pin_stands() -> None:
    found = problems_of(FIRST, user=[on_table(PIN_SECRET, "user.mine")], repository=[on_table("remove: [secret]\n")])
    assert found == [("pin_broken", "repository-1.yaml:0", "user.mine")]


def test_pins_hold_where_the_user_s_edits_do_not_count() -> None:
    mine = on_table("remove: [big]\n" + PIN_SECRET, "user.mine")
    for user_edits in (True, False):
        assert codes(FIRST, user=[mine], theirs=[on_table("remove: [secret]\n")], user_edits=user_edits) == [
            "pin_broken"
        ]
        assert codes(FIRST, user=[mine], theirs=[on_table("remove: [tiny]\n")], user_edits=user_edits) == []
    loaded = layered(FIRST, user=[mine], user_edits=False)
    assert loaded.table("t.table").decide(size=10, secret=False).row == "big"


def test_a_row_of_the_user_s_own_is_held_only_where_it_counts() -> None:
    mine = on_table(
        "insert: [{at: start, row: {id: mine, when: {size: 4}, then: {route: stop}}}]\npin: [mine]\n", "user.mine"
    )
    weaker = on_table("insert: [{at: start, row: {id: door, when: {size: 4}, then: {route: go}}}]\n")
    assert codes(FIRST, user=[mine], theirs=[weaker]) == ["pin_broken"]
    assert codes(FIRST, user=[mine], theirs=[weaker], user_edits=False) == []


@pytest.mark.parametrize("user_edits", [True, False])
def test_a_pin_of_nothing_is_an_error_and_never_a_pin_that_holds(user_edits: bool) -> None:
    mine = on_table("pin: [secrte]\n", "user.mine")
    assert codes(FIRST, user=[mine], theirs=[], user_edits=user_edits) == ["unknown_item"]


def test_the_profile_is_the_repository_s_choice_and_held_like_its_overlays() -> None:
    profile = [on_table("replace: {secret: {when: {secret: true}, then: {route: go}}}\n", "profile.lax.rows")]
    assert codes(FIRST, user=[on_table(PIN_SECRET, "user.mine")], theirs=[], profile=profile) == ["pin_broken"]
    assert codes(FIRST, user=[on_table("pin: [big]\n", "user.mine")], theirs=[], profile=profile) == []


ORDERED = table(
    "hit: unique\ninputs: {grave: {type: term, of: t.severity}}\n"
    "outputs: {found: {type: term, of: t.severity}}\n"
    "rows:\n"
    "  - {id: worst, when: {grave: {gte: medium}}, then: {found: medium}}\n"
    "  - {id: rest, when: {grave: {lt: medium}}, then: {found: low}}\n"
)


def test_a_vocabulary_that_is_reordered_weakens_nothing_that_is_pinned() -> None:
    mine = on_table("pin: [worst]\n", "user.mine")
    turned = overlay(
        "remove: [high]\ninsert: [{at: end, term: {term: high, definition: broken}}]\n",
        "repo.turned",
        base="t.severity",
    )
    assert codes(SEVERITY, ORDERED, user=[mine], theirs=[turned]) == ["pin_broken"]
    more = overlay("insert: [{at: start, term: {term: fatal, definition: x}}]\n", "repo.more", base="t.severity")
    assert codes(SEVERITY, ORDERED, user=[mine], theirs=[more]) == []


COLLECT = table(
    "hit: collect\neach: files\n"
    "inputs: {files: {type: list, items: {type: record, fields: {path: {type: path}}}}}\n"
    "outputs: {signal: {type: term, one_of: [auth, pay]}}\n"
    "rows:\n"
    '  - {id: auth, when: {path: {glob: ["**/auth/**"]}}, then: {signal: auth}}\n'
    '  - {id: pay, when: {path: {glob: ["pay/**"]}}, then: {signal: pay}}\n'
)


def test_a_pinned_row_that_collects_goes_on_collecting() -> None:
    mine = on_table("pin: [auth]\n", "user.mine")
    narrower = 'replace: {auth: {when: {path: {glob: ["auth/**"]}}, then: {signal: auth}}}\n'
    assert codes(COLLECT, user=[mine], theirs=[on_table("remove: [auth]\n")]) == ["pin_broken"]
    assert codes(COLLECT, user=[mine], theirs=[on_table(narrower)]) == ["pin_broken"]
    assert codes(COLLECT, user=[mine], theirs=[on_table("remove: [pay]\n")]) == []
    added = 'insert: [{at: end, row: {id: sso, when: {path: {glob: ["sso/**"]}}, then: {signal: auth}}}]\n'
    assert codes(COLLECT, user=[mine], theirs=[on_table(added)]) == []


DOOR = head("vocabulary", "t.door") + "terms: [{term: shut}, {term: open}, {term: gone}]\n"
MACHINE = head("machine", "t.machine") + (
    "states: {of: t.door, initial: shut, terminal: [gone]}\n"
    "events: {push: {inputs: {force: {type: integer, minimum: 0}}}}\n"
    "transitions:\n"
    "  - {id: opens, from: shut, event: push, when: {force: {gte: 5}}, to: open, effects: [note]}\n"
    "  - {id: breaks, from: open, event: push, to: gone}\n"
)


@pytest.mark.parametrize(
    ("body", "broken"),
    [
        ("remove: [opens]\n", True),
        ("replace: {opens: {from: shut, event: push, when: {force: {gte: 5}}, to: gone, effects: [note]}}\n", True),
        ("replace: {opens: {from: shut, event: push, when: {force: {gte: 5}}, to: open}}\n", True),
        ("replace: {opens: {from: shut, event: push, when: {force: {gte: 9}}, to: open, effects: [note]}}\n", True),
        ("remove: [breaks]\n", False),
        (
            "insert: [{at: end, transition: {id: soft, from: shut, event: push, when: {force: {lt: 5}}, to: gone}}]\n",
            False,
        ),
    ],
)
def test_a_pinned_transition_stays_as_it_is(body: str, broken: bool) -> None:
    mine = overlay("pin: [opens]\n", "user.mine", base="t.machine")
    theirs = overlay(body, "repo.theirs", base="t.machine")
    assert codes(DOOR, MACHINE, user=[mine], theirs=[theirs]) == (["pin_broken"] if broken else [])


def test_only_rows_and_transitions_are_pinned_and_only_by_the_user() -> None:
    assert codes(data("{a: 1}"), user=[overlay("pin: [a]\n", "user.mine")], theirs=[]) == ["wrong_edit"]
    assert codes(SEVERITY, user=[overlay("pin: [high]\n", "user.mine", base="t.severity")], theirs=[]) == ["wrong_edit"]
    assert codes(FIRST, user=[], theirs=[on_table(PIN_SECRET)]) == ["pin_misplaced"]


def test_an_overlay_that_only_pins_edits_nothing() -> None:
    plain = layered(FIRST)
    held: PolicySet = layered(FIRST, user=[on_table(PIN_SECRET, "user.mine")])
    assert held.digest("t.table") == plain.digest("t.table")
    assert held.entry("t.table").head.version == "1.0.0"
    assert held.bound is held
