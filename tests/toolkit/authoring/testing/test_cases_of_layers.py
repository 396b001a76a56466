"""Cases and layers: what a later layer changed is told as changed, and an edit brings cases of its own."""

from __future__ import annotations

import pytest
from cases_support import Layers, files, given, lamp, only, outcomes, run, size, with_cases
from policy_support import codes, data, head, layered, load, overlay, problems_of

from toolkit.authoring.testing.telling import details_of
from toolkit.policy.sets import PolicySet

LONG = f"- {{id: long, {given(101)}, expect: {{verdict: large, limit: 100}}, row: long}}\n"
REST = f"- {{id: rest, {given(1)}, expect: {{verdict: small}}, row: rest}}\n"
RAISED = "replace: {long: {when: {lines: {gt: 600}}, then: {verdict: large, limit: 600}}}\n"


def edit(body: str, identity: str = "repo.edit", base: str = "t.size") -> str:
    return overlay(body, identity, base)


def test_a_case_that_a_later_layer_makes_false_is_changed_and_no_failure() -> None:
    layers = Layers(size(LONG + REST), repository=[edit(RAISED)])
    found = layers.run()

    assert outcomes(found) == {"long": "changed", "rest": "pass"}
    changed = found.results[0]
    assert (changed.changed_by, changed.decided[0].row, changed.layer) == (("repo.edit",), "rest", "shipped")
    assert found.shortcomings(False) == ()
    assert [one.row for one in found.coverage.uncovered] == ["shut", "grave", "long"]
    assert list(details_of(changed)) == [
        'expected: {"limit": 100, "verdict": "large"} by row long',
        'decided now: {"limit": 0, "verdict": "small"} by row rest',
    ]


def test_a_case_that_failed_before_the_edit_fails_after_it() -> None:
    wrong = LONG.replace("limit: 100", "limit: 99")
    layers = Layers(size(wrong), repository=[edit(RAISED)])

    assert outcomes(layers.run()) == {"long": "fail"}
    assert only(layers.run()).changed_by == ()


def test_a_case_of_a_row_that_a_later_layer_removed_is_changed() -> None:
    layers = Layers(size(LONG + REST), repository=[edit("remove: [long]\n")])
    found = layers.run()

    assert outcomes(found) == {"long": "changed", "rest": "pass"}
    assert found.problems == ()
    assert found.results[0].decided[0].row == "rest"


def test_a_case_of_a_row_that_its_own_layer_removed_is_an_error() -> None:
    own = edit("remove: [long]\n" + with_cases(LONG))
    found = Layers(size(REST), repository=[own]).run()

    assert outcomes(found) == {"rest": "pass", "long": "error"}
    assert [(one.code, one.mark.file) for one in found.problems] == [("unknown_row", "repository-1.yaml")]


def test_a_row_that_no_layer_ever_had_is_an_error_whatever_was_edited() -> None:
    typo = LONG.replace("row: long", "row: lnog")
    found = Layers(size(typo), repository=[edit(RAISED)]).run()

    assert [one.code for one in found.problems] == ["unknown_row"]
    assert found.problems[0].hint == "did you mean 'long'?"


def test_a_case_of_a_term_that_a_later_layer_removed_is_changed() -> None:
    grave = f"- {{id: mild, {given(1, 'low')}, expect: {{verdict: small}}, row: rest}}\n"
    layers = Layers(size(grave), repository=[edit("remove: [low]\n", base="t.gravity")])
    found = layers.run()

    assert outcomes(found) == {"mild": "changed"}
    assert (found.problems, only(found).decided) == ((), ())
    assert only(found).why == ("the fact 'gravity' is 'low', not a term of t.gravity (high)",)
    assert list(details_of(only(found)))[-1] == f"why: {only(found).why[0]}"


def test_what_another_layer_s_vocabulary_means_to_a_table_counts_as_an_edit_of_it() -> None:
    row = "- {id: worse, given: {lines: 11, gravity: high, closed: false}, expect: {limit: 10}, row: grave}\n"
    layers = Layers(
        size(row), repository=[edit("remove: [high]\ninsert: [{at: end, term: {term: high}}]\n", base="t.gravity")]
    )

    assert outcomes(layers.run()) == {"worse": "pass"}
    assert layers.asked == []


def test_the_layers_below_are_made_once_and_only_where_a_case_needs_them() -> None:
    other = LONG.replace("id: long", "id: other")
    edited = Layers([*size(LONG + other + REST), *files("[]")], repository=[edit(RAISED)])
    untouched = Layers(size(LONG), repository=[edit("remove: [code]\n", base="t.files")][:0])
    failing = Layers([*size(LONG.replace("limit: 100", "limit: 99")), *files("[]")], repository=[
        edit("remove: [code]\n", base="t.files"),
    ])  # fmt: skip

    assert outcomes(edited.run()) == {"long": "changed", "other": "changed", "rest": "pass"}
    assert edited.asked == ["shipped"]
    for layers, outcome in ((untouched, "pass"), (failing, "fail")):
        assert only(layers.run()).outcome == outcome
        assert layers.asked == []


def test_each_layer_s_case_is_held_against_the_layers_up_to_its_own() -> None:
    user = edit(RAISED + with_cases(f"- {{id: mine, {given(601)}, expect: {{limit: 600}}, row: long}}\n"), "user.edit")
    team = edit("remove: [long]\n")
    layers = Layers(size(LONG), user=[user], repository=[team])
    found = layers.run()

    assert outcomes(found) == {"long": "changed", "mine": "changed"}
    assert [one.changed_by for one in found.results] == [("user.edit", "repo.edit"), ("repo.edit",)]
    assert layers.asked == ["shipped", "user"]


def test_a_layer_that_does_not_load_alone_excuses_no_failure() -> None:
    words = head("vocabulary", "repo.words") + "terms: [{term: a}]\n"
    mine = head("table", "user.own") + (
        "inputs: {w: {type: term, of: repo.words}}\noutputs: {y: {type: boolean}}\n"
        "rows: [{id: r, then: {y: true}}]\ncases: [{id: a, given: {w: a}, expect: {y: false}, row: r}]\n"
    )
    layers = Layers(size(REST), user=[mine], repository=[
        words, edit("insert: [{at: end, term: {term: b}}]\n", base="repo.words"),
    ])  # fmt: skip

    assert outcomes(layers.run()) == {"a": "fail", "rest": "pass"}
    assert layers.asked == ["user"]


def test_a_case_still_to_do_stays_so_whatever_is_edited() -> None:
    todo = LONG.replace("row: long", "row: long, todo: later")
    gone = f"- {{id: mild, {given(1, 'low')}, expect: {{verdict: small}}, row: rest, todo: later}}\n"
    found = Layers(size(todo + gone), repository=[
        edit("remove: [long]\n"), edit("remove: [low]\n", "repo.words", "t.gravity"),
    ]).run()  # fmt: skip

    assert outcomes(found) == {"long": "todo", "mild": "todo"}
    assert (found.problems, [one.held for one in found.results]) == ((), [False, False])
    assert {one.changed_by for one in found.results} == {()}


def test_an_overlay_s_cases_are_asked_of_the_document_in_force() -> None:
    mine = f"- {{id: six-hundred, {given(600)}, expect: {{verdict: small}}, row: rest}}\n"
    more = f"- {{id: more, {given(601)}, expect: {{limit: 600}}, row: long}}\n"
    found = Layers(size(REST), repository=[edit(RAISED + with_cases(mine + more))]).run("t.size")

    assert outcomes(found) == {"rest": "pass", "six-hundred": "pass", "more": "pass"}
    assert [(one.layer, str(one.mark)) for one in found.results[1:]] == [
        ("repository", "repository-1.yaml:9:5"), ("repository", "repository-1.yaml:10:5"),
    ]  # fmt: skip
    assert found.coverage.covered == 2


def test_a_row_that_an_overlay_inserts_needs_a_case() -> None:
    inserted = "insert: [{before: rest, row: {id: some, when: {lines: {gt: 50}}, then: {verdict: small, limit: 50}}}]\n"
    case = f"- {{id: some, {given(51)}, expect: {{limit: 50}}, row: some}}\n"
    bare = Layers(size(REST), repository=[edit(inserted)]).run()
    cased = Layers(size(REST), repository=[edit(inserted + with_cases(case))]).run()

    missing = bare.coverage.uncovered[-1]
    assert (missing.row, missing.layer, missing.mark.file) == ("some", "repository", "repository-1.yaml")
    assert [one.row for one in cased.coverage.uncovered] == ["shut", "grave", "long"]


def test_a_machine_s_edit_brings_cases_too() -> None:
    inputs = "{state: bright, event: press, force: 1}"
    edited = edit(
        "insert: [{at: end, transition: {id: again, from: bright, event: press, when: {force: {lt: 9}}, to: dark}}]\n"
        f"cases: [{{id: again, given: {inputs}, expect: {{to: dark, effects: []}}, row: again}}]\n",
        base="t.lamp",
    )
    refused = "- {id: a, given: {state: bright, event: press, force: 1}, expect: {error: no_transition}}"
    found = Layers(lamp(refused), repository=[edited]).run()

    assert outcomes(found) == {"a": "changed", "again": "pass"}


def test_an_overlay_s_case_stands_for_the_one_of_that_id_below_it() -> None:
    mine = LONG.replace("expect: {verdict: large, limit: 100}, row: long", "expect: {verdict: small}, row: rest")
    found = Layers(size(LONG + REST), repository=[edit(RAISED + with_cases(mine))]).run()

    assert [(one.id, one.outcome, one.layer) for one in found.results] == [
        ("long", "changed", "shipped"), ("long", "pass", "repository"), ("rest", "pass", "shipped"),
    ]  # fmt: skip


def test_a_replaced_case_that_the_edit_makes_false_is_told_and_covers_nothing() -> None:
    mine = f"- {{id: long, {given(9999)}, expect: {{verdict: large}}, row: long}}\n"
    found = Layers(size(LONG + REST), repository=[edit(RAISED + with_cases(mine))]).run()
    replaced, standing, _rest = found.results

    assert (replaced.outcome, replaced.layer, str(replaced.mark)) == ("changed", "shipped", "shipped-2.yaml:22:5")
    assert (replaced.changed_by, replaced.replaced_by) == (("repo.edit",), "repo.edit")
    assert (standing.outcome, standing.layer, standing.replaced_by) == ("pass", "repository", None)
    assert list(details_of(replaced)) == [
        'expected: {"limit": 100, "verdict": "large"} by row long',
        'decided now: {"limit": 0, "verdict": "small"} by row rest',
        "why: expected row long, decided by row rest",
        'why: verdict: expected "large", decided "small"',
        "why: limit: expected 100, decided 0",
        "why: row long does not match: lines is 101, asked: gt 600",
        "the case of this name in repo.edit stands for it",
    ]
    assert (found.counts["changed"], found.problems, found.shortcomings(False)) == (1, (), ())
    assert [one.row for one in found.coverage.uncovered] == ["shut", "grave"]


@pytest.mark.parametrize("below", [
    LONG,  # holds still
    LONG.replace("limit: 100", "limit: 99"),  # never held
    LONG.replace("row: long", "row: lnog"),  # could never be asked
    LONG.replace(given(101), given(1)).replace("row: long", "row: long, todo: later"),
])  # fmt: skip
def test_a_replaced_case_is_told_nowhere_unless_the_edit_made_it_false(below: str) -> None:
    raised = RAISED.replace("gt: 600", "gt: 50").replace("limit: 600", "limit: 100")
    mine = f"- {{id: long, {given(51)}, expect: {{limit: 100}}, row: long}}\n"
    found = Layers(size(below + REST), repository=[edit(raised + with_cases(mine))]).run()

    assert [(one.id, one.layer, one.outcome) for one in found.results] == [
        ("long", "repository", "pass"), ("rest", "shipped", "pass"),
    ]  # fmt: skip
    assert found.problems == ()


def test_every_case_that_was_replaced_on_the_way_is_asked() -> None:
    user = edit(RAISED + with_cases(f"- {{id: long, {given(601)}, expect: {{limit: 600}}, row: long}}\n"), "user.edit")
    team = edit("remove: [long]\n" + with_cases(f"- {{id: long, {given(601)}, expect: {{limit: 0}}, row: rest}}\n"))
    layers = Layers(size(LONG), user=[user], repository=[team])

    assert [(one.layer, one.outcome, one.changed_by, one.replaced_by) for one in layers.run().results] == [
        ("shipped", "changed", ("user.edit", "repo.edit"), "repo.edit"),
        ("user", "changed", ("repo.edit",), "repo.edit"),
        ("repository", "pass", (), None),
    ]
    assert layers.asked == ["shipped", "user"]


def test_a_replaced_case_of_a_row_that_is_gone_is_changed_and_no_error() -> None:
    mine = f"- {{id: long, {given(101)}, expect: {{limit: 0}}, row: rest}}\n"
    found = Layers(size(LONG), repository=[edit("remove: [long]\n" + with_cases(mine))]).run()

    assert [(one.layer, one.outcome) for one in found.results] == [("shipped", "changed"), ("repository", "pass")]
    assert found.problems == ()


def test_a_replaced_case_whose_layer_does_not_load_alone_is_told_all_the_same() -> None:
    words = head("vocabulary", "repo.words") + "terms: [{term: a}]\n"
    own = head("table", "user.own") + (
        "inputs: {w: {type: term, of: repo.words}}\noutputs: {y: {type: boolean}}\nrows: [{id: r, then: {y: true}}]\n"
    )
    mine = edit(with_cases(LONG), "user.edit")
    team = edit(RAISED + with_cases(f"- {{id: long, {given(601)}, expect: {{limit: 600}}, row: long}}\n"))
    found = Layers(size(REST), user=[own, mine], repository=[words, team]).run("t.size")
    unknown = "the layers up to user do not load alone, so whether it held there is not known"

    assert [(one.layer, one.outcome) for one in found.results] == [
        ("shipped", "pass"), ("user", "changed"), ("repository", "pass"),
    ]  # fmt: skip
    assert found.results[1].why[-1] == unknown
    assert f"why: {unknown}" in details_of(found.results[1])


def test_what_was_replaced_is_no_case_to_ask_where_the_later_one_is_still_to_do() -> None:
    mine = f"- {{id: long, {given(601)}, expect: {{limit: 600}}, row: long, todo: later}}\n"
    found = Layers(size(LONG), repository=[edit(RAISED + with_cases(mine))]).run("t.size")

    assert [one.outcome for one in found.results] == ["changed", "todo"]
    assert [one.code for one in found.shortcomings(False)] == ["no_cases"]


def test_a_later_layer_s_case_stands_for_an_earlier_overlay_s_and_none_for_its_own_layer_s() -> None:
    def of(identity: str, limit: int) -> str:
        return edit(with_cases(f"- {{id: one, {given(1)}, expect: {{limit: {limit}}}}}\n"), identity)

    later = Layers(size(REST), user=[of("user.a", 7)], repository=[of("repo.a", 0)]).run()
    same = Layers(size(REST), repository=[of("repo.a", 0), of("repo.b", 0)]).run()

    assert outcomes(later) == {"rest": "pass", "one": "pass"}
    assert [(one.code, one.mark.file) for one in same.problems] == [("duplicate_id", "repository-2.yaml")]


def test_an_overlay_of_cases_alone_edits_nothing() -> None:
    bare, cased = (layered(*size(REST), repository=own) for own in ([], [edit(with_cases(LONG))]))

    assert cased.digest("t.size") == bare.digest("t.size")
    assert cased.entry("t.size").head.version == bare.entry("t.size").head.version == "1.0.0"
    assert outcomes(Layers(size(REST), user=[edit(with_cases(LONG), "user.edit")]).run()) == {
        "rest": "pass", "long": "pass",
    }  # fmt: skip


def test_cases_of_an_overlay_are_never_part_of_a_digest() -> None:
    bare, cased = (layered(*size(REST), repository=[edit(body)]) for body in (RAISED, RAISED + with_cases(LONG)))

    assert cased.digest("t.size") == bare.digest("t.size")
    assert cased.pack_digest("t") == bare.pack_digest("t")


def test_a_stored_set_keeps_the_cases_of_overlays_and_their_places() -> None:
    loaded = layered(*size(REST), repository=[edit(RAISED + with_cases(LONG))])
    stored = PolicySet.from_bundle(loaded.to_bundle(["t"]))

    (before,), (after,) = (one.entry("t.size").cases for one in (loaded, stored))
    assert (before.overlay, before.layer) == (after.overlay, after.layer) == ("repo.edit", "repository")
    assert [node.mark for node in before.nodes] == [node.mark for node in after.nodes]
    assert stored.to_bundle(["t"]) == loaded.to_bundle(["t"])


@pytest.mark.parametrize("cases", ["cases: 1\n", "cases: {a: 1}\n", "cases: null\n"])
def test_cases_of_an_overlay_that_are_no_list_do_not_load(cases: str) -> None:
    assert codes(*size(), own=[edit(RAISED + cases)]) == ["wrong_type"]


def test_only_an_overlay_of_a_table_or_machine_has_cases() -> None:
    words = edit("remove: [low]\n" + with_cases(REST), base="t.gravity")
    payload = edit("set: {/a: 2}\n" + with_cases(REST), base="t.data")

    assert problems_of(*size(), repository=[words]) == [("wrong_edit", "repository-1.yaml:8", "repo.edit")]
    assert problems_of(data("{a: 1}"), repository=[payload]) == [("wrong_edit", "repository-1.yaml:8", "repo.edit")]
    assert codes(*size(), own=[edit("cases: []\n")]) == ["empty"]


def test_an_overlay_is_no_document_to_ask() -> None:
    from toolkit.policy.problems import PolicyError

    with pytest.raises(PolicyError) as caught:
        Layers(size(REST), repository=[edit(RAISED)]).run("repo.edit")
    assert (caught.value.code, caught.value.next_step) == ("wrong_kind", "dr-policy test t.size")


def test_thousands_of_cases_and_hundreds_of_documents_are_asked_once_each() -> None:
    rows = [("long" if number % 200 > 100 else "rest", number % 200) for number in range(3000)]
    cases = [
        f"- {{id: c{place}, {given(lines)}, expect: {{}}, row: {row}}}\n" for place, (row, lines) in enumerate(rows)
    ]
    many = "".join(cases)
    found = run(*size(many))
    assert (found.counts["pass"], len(found.results)) == (3000, 3000)

    from cases_support import SIZE
    from policy_support import table

    documents = [size()[0], *(table(SIZE, f"t.size-{number}") + with_cases(REST) for number in range(300))]
    assert run(*documents).counts["pass"] == 300


def test_a_set_that_was_not_proved_is_asked_all_the_same() -> None:
    from toolkit.authoring.testing import run_cases

    policies = load(*size(LONG))
    assert outcomes(run_cases(policies, lambda _layer: policies)) == {"long": "pass"}
