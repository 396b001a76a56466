"""What becomes of a case: it holds where the named outputs are equal and the named row gave them."""

from __future__ import annotations

import pytest
from cases_support import files, given, lamp, only, outcomes, run, size

from toolkit.authoring.testing.telling import details_of, lines_of, summary_of
from toolkit.policy.problems import PolicyError


def test_a_case_names_some_outputs_and_the_row_that_gives_them() -> None:
    found = run(*size(f"- {{id: a, {given(101)}, expect: {{verdict: large}}, row: long}}"))

    assert (only(found).outcome, only(found).held, only(found).decided[0].row) == ("pass", True, "long")
    assert only(found).decided[0].outputs == {"verdict": "large", "limit": 100}


def test_another_row_than_the_named_one_fails_although_the_outputs_agree() -> None:
    found = run(*size(f"- {{id: a, {given(101, 'high')}, expect: {{verdict: large}}, row: long}}"))

    assert only(found).outcome == "fail"
    assert only(found).why == (
        "expected row long, decided by row grave",
        "row long matches as well, but grave comes first",
    )


def test_another_output_than_the_named_one_fails_although_the_row_agrees() -> None:
    found = run(*size(f"- {{id: a, {given(101)}, expect: {{verdict: large, limit: 99}}, row: long}}"))

    assert only(found).outcome == "fail"
    assert only(found).why == ("limit: expected 99, decided 100",)


def test_the_cell_that_kept_the_expected_row_from_matching_is_told() -> None:
    found = run(*size(f"- {{id: a, {given(100)}, expect: {{verdict: large}}, row: long}}"))

    assert list(details_of(only(found))) == [
        'expected: {"verdict": "large"} by row long',
        'decided: {"limit": 0, "verdict": "small"} by row rest',
        "why: expected row long, decided by row rest",
        'why: verdict: expected "large", decided "small"',
        "why: row long does not match: lines is 100, asked: gt 100",
    ]


def test_a_case_without_a_row_holds_whatever_row_answers_and_one_without_outputs_by_its_row() -> None:
    cases = f"""
        - {{id: any-row, {given(101)}, expect: {{verdict: large}}}}
        - {{id: any-output, {given(101)}, expect: {{}}, row: long}}
        - {{id: other-row, {given(1)}, expect: {{}}, row: long}}
    """
    found = run(*size(cases))

    assert outcomes(found) == {"any-row": "pass", "any-output": "pass", "other-row": "fail"}


def test_a_refusal_is_expected_by_its_code_and_its_row() -> None:
    cases = f"""
        - {{id: declined, {given(1, closed=True)}, expect: {{error: is-closed}}, row: shut}}
        - {{id: not-declined, {given(1)}, expect: {{error: is-closed}}, row: shut}}
        - {{id: declined-instead, {given(1, closed=True)}, expect: {{verdict: small}}, row: rest}}
    """
    found = run(*size(cases))

    assert outcomes(found) == {"declined": "pass", "not-declined": "fail", "declined-instead": "fail"}
    assert 'error: expected "is-closed", and there is none' in found.results[1].why


def test_a_case_of_a_list_expects_answers_and_rows_side_by_side() -> None:
    one, two = "{path: a/b.py, lines: 10}", "{path: c.txt, lines: 1}"
    cases = f"""
        - {{id: both, given: {{files: [{one}]}}, expect: [{{signal: code}}, {{signal: long}}], row: [code, long]}}
        - {{id: of-items, given: {{files: [{two}, {one}]}}, expect: [{{item: 1}}, {{item: 1}}]}}
        - {{id: nothing, given: {{files: [{two}]}}, expect: [], row: []}}
        - {{id: one-too-few, given: {{files: [{one}]}}, expect: [{{signal: code}}], row: [code]}}
        - {{id: one-too-many, given: {{files: [{two}]}}, expect: [{{signal: code}}], row: [code]}}
        - {{id: other-order, given: {{files: [{one}]}}, expect: [{{}}, {{}}], row: [long, code]}}
    """
    found = run(*files(cases))

    assert outcomes(found) == {
        "both": "pass", "of-items": "pass", "nothing": "pass", "one-too-few": "fail", "one-too-many": "fail",
        "other-order": "fail",
    }  # fmt: skip
    assert found.results[0].to_json()["row"] == ["code", "long"]
    assert found.results[4].why == (
        "expected 1 answer, decided 0 answers",
        'row code does not match (item 0): path is "c.txt", asked: glob **/*.py',
    )
    assert "decided: an empty list" in list(details_of(found.results[4]))


def test_a_case_of_a_machine_expects_a_step_its_effects_or_a_refusal() -> None:
    cases = """
        - {id: lit, given: {state: dark, event: press, force: 1}, expect: {to: bright, effects: [note]}, row: lit}
        - {id: no-effects, given: {state: dark, event: press, force: 1}, expect: {to: bright}, row: lit}
        - {id: refused, given: {state: dark, event: wait}, expect: {error: no_transition}}
        - {id: over, given: {state: broken, event: wait}, expect: {error: terminal_state}}
        - {id: order, given: {state: bright, event: wait}, expect: {effects: [ring, note]}, row: cooled}
        - {id: too-hard, given: {state: dark, event: press, force: 9}, expect: {to: bright}, row: lit}
        - {id: other-event, given: {state: bright, event: wait}, expect: {to: dark}, row: lit}
        - {id: taken, given: {state: bright, event: wait}, expect: {error: no_transition}}
    """
    found = run(*lamp(cases))

    assert outcomes(found) == {
        "lit": "pass", "no-effects": "pass", "refused": "pass", "over": "pass", "order": "fail", "too-hard": "fail",
        "other-event": "fail", "taken": "fail",
    }  # fmt: skip
    by_id = {one.id: one for one in found.results}
    assert by_id["order"].why == ('effects: expected ["ring", "note"], decided ["note", "ring"]',)
    assert by_id["too-hard"].why[-1] == "transition lit does not match: force is 9, asked: lt 9"
    assert by_id["other-event"].why[-1] == "the transition lit is one of the event press, not of wait"
    assert by_id["refused"].to_json()["row"] is None
    assert (found.coverage.rows, found.coverage.covered) == (3, 1)


def test_what_is_still_to_do_is_asked_and_never_fails() -> None:
    cases = f"""
        - {{id: open, {given(1)}, expect: {{verdict: large}}, row: still-to-come, todo: needs a row}}
        - {{id: done, {given(1)}, expect: {{verdict: small}}, row: rest, todo: was open}}
        - {{id: kept, {given(1)}, expect: {{verdict: small}}}}
    """
    found = run(*size(cases))

    assert outcomes(found) == {"open": "todo", "done": "todo", "kept": "pass"}
    assert [one.held for one in found.results] == [False, True, True]
    assert list(details_of(found.results[1])) == ["todo: was open", "holds by now: drop todo"]
    assert found.shortcomings(False) == ()


def test_a_run_without_cases_is_no_pass_and_one_with_nothing_but_todo_neither() -> None:
    nothing, todo = run(*size()), run(*size(f"- {{id: a, {given(1)}, expect: {{verdict: small}}, todo: later}}"))

    assert [one.message for one in nothing.shortcomings(False)] == ["there is no case here, so nothing was shown"]
    assert [one.message for one in todo.shortcomings(False)] == [
        "there is no case here but 1 still to do, so nothing was shown"
    ]
    assert [one.code for one in run().shortcomings(False)] == ["no_cases"]


def test_every_document_that_is_named_needs_a_case() -> None:
    both = [*size(f"- {{id: a, {given(1)}, expect: {{verdict: small}}}}"), *lamp("[]")]

    assert run(*both).shortcomings(False) == ()
    (problem,) = run(*both, ids=("t.size", "t.lamp")).shortcomings(False)
    assert (problem.code, problem.document, problem.mark.line) == ("no_cases", "t.lamp", 1)


def test_only_tables_and_machines_are_asked() -> None:
    for name, code in (("t.gravity", "wrong_kind"), ("t.sise", "unknown_document")):
        with pytest.raises(PolicyError) as refused:
            run(*size(), ids=(name,))
        assert refused.value.code == code
    assert refused.value.next_step == "did you mean 't.size'?"


def test_the_rows_that_no_passing_case_hit_are_told_with_their_places() -> None:
    cases = f"""
        - {{id: a, {given(1)}, expect: {{verdict: small}}}}
        - {{id: fails, {given(101)}, expect: {{verdict: small}}, row: rest}}
        - {{id: later, {given(11, "high")}, expect: {{verdict: large}}, row: grave, todo: later}}
    """
    found = run(*size(cases))

    assert [one.row for one in found.coverage.uncovered] == ["shut", "grave", "long"]
    missing = found.shortcomings(True)
    assert [one.code for one in missing] == ["row_uncovered"] * 3
    assert (missing[0].mark.line, missing[0].mark.column) == (17, 5)
    assert summary_of(found) == "3 cases: 1 pass, 1 fail, 1 todo; 1 of 4 rows covered"


def test_what_fails_is_told_first_and_documents_without_a_case_are_named() -> None:
    cases = f"""
        - {{id: later, {given(1)}, expect: {{verdict: large}}, todo: think}}
        - {{id: fails, {given(1)}, expect: {{verdict: large}}}}
    """
    found = run(*size(cases), *lamp("[]"))
    lines = list(lines_of(found, found.shortcomings(False)))

    assert [line for line in lines if not line.startswith("  ")] == [
        "fail  t.size: fails  shipped-2.yaml:23:5",
        "todo  t.size: later  shipped-2.yaml:22:5",
        "1 of 2 tables and machines have no case: t.lamp",
        "2 cases: 1 fail, 1 todo; 0 of 7 rows covered",
    ]


def test_facts_of_any_length_are_told_by_their_beginning() -> None:
    text = "a" * 300_000
    case = f'- {{id: a, given: {{files: [{{path: "{text}", lines: 1}}]}}, expect: [{{signal: code}}], row: [code]}}'
    found = run(*files(case))

    assert only(found).outcome == "fail"
    assert max(map(len, only(found).why)) < 1000
