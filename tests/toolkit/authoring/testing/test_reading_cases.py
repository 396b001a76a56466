"""Cases are read strictly: whatever is wrong with one has a code and a place, and all of it is told at once."""

from __future__ import annotations

import pytest
from cases_support import SIZE, files, given, lamp, outcomes, run, size, told
from policy_support import codes

GIVEN = given(1)


def placed(case: str) -> tuple[str, int]:
    """The only case of a list without its one ``@``, and the column at which that stands."""
    at = case.index("@")
    return f"- {case[:at]}{case[at + 1 :]}", at + 5


@pytest.mark.parametrize(
    ("case", "code"),
    [
        (f"@{{{GIVEN}, expect: {{verdict: small}}}}", "missing_key"),
        (f"{{id: @No Id, {GIVEN}, expect: {{verdict: small}}}}", "bad_id"),
        (f'{{id: @"a\\x1b[31m", {GIVEN}, expect: {{verdict: small}}}}', "bad_id"),
        (f"{{id: a, {GIVEN}, expect: {{verdict: small}}, @rows: rest}}", "unknown_key"),
        (f"@{{id: a, {GIVEN}}}", "missing_key"),
        ("@{id: a, expect: {verdict: small}}", "missing_key"),
        ("{id: a, given: @[], expect: {verdict: small}}", "wrong_type"),
        (f"{{id: a, {GIVEN}, expect: @[{{verdict: small}}]}}", "wrong_type"),
        (f"{{id: a, {GIVEN}, expect: @{{}}}}", "empty"),
        (f"{{id: a, {GIVEN}, expect: {{verdict: small}}, row: @[rest]}}", "wrong_type"),
        (f"{{id: a, {GIVEN}, expect: {{verdict: small}}, row: @null}}", "wrong_type"),
        (f'{{id: a, {GIVEN}, expect: {{verdict: small}}, todo: @" "}}', "empty"),
        (f"{{id: a, {GIVEN}, expect: {{verdict: small}}, todo: @true}}", "wrong_type"),
        (f"{{id: a, {GIVEN}, expect: {{@verdct: small}}}}", "unknown_output"),
        (f"{{id: a, {GIVEN}, expect: {{verdict: @tiny}}}}", "wrong_value"),
        (f"{{id: a, {GIVEN}, expect: {{limit: @true}}}}", "wrong_value"),
        (f"{{id: a, {GIVEN}, expect: {{error: @is-close}}}}", "unknown_code"),
        (f"{{id: a, {GIVEN}, expect: {{verdict: small}}, row: @rset}}", "unknown_row"),
        ("{id: a, given: @{lines: 1, closed: true}, expect: {verdict: small}}", "fact_missing"),
        ("{id: a, given: {lines: @'1', gravity: low, closed: true}, expect: {limit: 0}}", "fact_invalid"),
        ("{id: a, given: {lines: @-1, gravity: low, closed: true}, expect: {limit: 0}}", "fact_invalid"),
        ("{id: a, given: {lines: 1, gravity: @dire, closed: true}, expect: {limit: 0}}", "fact_invalid"),
        ("{id: a, given: {lines: 1, gravity: low, closed: true, @open: 1}, expect: {limit: 0}}", "fact_unknown"),
        ("@a", "wrong_type"),
    ],
)
def test_a_case_is_read_strictly(case: str, code: str) -> None:
    text, column = placed(case)
    found = run(*size(f"{text}\n- {{id: other, {GIVEN}, expect: {{verdict: small}}}}"))

    assert told(found) == [(code, 22, column)]
    assert [one.outcome for one in found.results] == ["error", "pass"]
    assert found.problems[0].document == "t.size"


def test_the_nearest_right_thing_is_told() -> None:
    cases = f"- {{id: a, {GIVEN}, expect: {{verdct: small}}, row: rset}}"
    hints = [one.hint for one in run(*size(cases)).problems]

    assert hints == ["did you mean 'verdict'?", "did you mean 'rest'?"]


def test_an_id_stands_once() -> None:
    case = f"- {{id: a, {GIVEN}, expect: {{verdict: small}}}}\n"
    found = run(*size(case * 2))

    assert told(found) == [("duplicate_id", 23, 5)]
    assert [one.outcome for one in found.results] == ["pass", "error"]


def test_everything_that_is_wrong_is_told_at_once() -> None:
    cases = f"""
        - {{id: A, given: 1, expect: 2, more: 3, todo: 4}}
        - {{id: b, {GIVEN}, expect: {{nothing: 1}}, row: nowhere}}
    """
    assert [one.code for one in run(*size(cases), *lamp("- {id: c, given: {}, expect: {to: dark}}")).problems] == [
        "bad_id", "wrong_type", "wrong_type", "unknown_key", "wrong_type", "unknown_output", "unknown_row",
        "fact_missing",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("case", "code"),
    [
        ("{id: a, given: {files: [{path: a, lines: @x}]}, expect: []}", "fact_invalid"),
        ("{id: a, given: {files: [@{path: a}]}, expect: []}", "fact_invalid"),
        ("{id: a, given: {files: @1}, expect: []}", "fact_invalid"),
        ("{id: a, given: {files: []}, expect: @{signal: code}}", "wrong_type"),
        ("{id: a, given: {files: []}, expect: [{signal: code}], row: @code}", "wrong_type"),
        ("{id: a, given: {files: []}, expect: [{signal: code}], row: @[code, long]}", "wrong_length"),
        ("{id: a, given: {files: []}, expect: [@{}]}", "empty"),
        ("{id: a, given: {files: []}, expect: [{signal: code}], row: [@null]}", "wrong_type"),
        ("{id: a, given: {files: []}, expect: [{item: @-1}]}", "wrong_value"),
    ],
)
def test_a_case_of_a_list_is_read_strictly(case: str, code: str) -> None:
    text, column = placed(case)
    (found,) = told(run(*files(text)))

    assert (found[0], found[2]) == (code, column)


@pytest.mark.parametrize(
    ("case", "code"),
    [
        ("{id: a, given: {state: dark, event: push}, expect: {to: dark}}", "unknown_event"),
        ("{id: a, given: {state: dark, event: 1}, expect: {to: dark}}", "unknown_event"),
        ("{id: a, given: {state: dark}, expect: {to: dark}}", "fact_missing"),
        ("{id: a, given: {state: grey, event: wait}, expect: {to: dark}}", "fact_invalid"),
        ("{id: a, given: {event: wait}, expect: {to: dark}}", "fact_missing"),
        ("{id: a, given: {state: dark, event: wait, force: 1}, expect: {to: dark}}", "fact_unknown"),
        ("{id: a, given: {state: dark, event: wait}, expect: {to: grey}}", "wrong_value"),
        ("{id: a, given: {state: dark, event: wait}, expect: {effects: note}}", "wrong_value"),
        ("{id: a, given: {state: dark, event: wait}, expect: {into: dark}}", "unknown_output"),
        ("{id: a, given: {state: dark, event: wait}, expect: {error: no_row}}", "unknown_code"),
        ("{id: a, given: {state: dark, event: wait}, expect: {to: dark}, row: cool}", "unknown_transition"),
    ],
)
def test_a_case_of_a_machine_is_read_strictly(case: str, code: str) -> None:
    assert [one[0] for one in told(run(*lamp(f"- {case}")))] == [code]


def test_cases_that_are_no_list_do_not_load() -> None:
    from cases_support import GRAVITY, LAMP, LAMP_STATES
    from policy_support import head, table

    for cases in ("cases: {a: 1}\n", "cases: 1\n", "cases: null\n"):
        assert codes(GRAVITY, table(SIZE, "t.size") + cases) == ["wrong_type"]
        assert codes(LAMP_STATES, head("machine", "t.lamp") + LAMP + cases) == ["wrong_type"]


def test_more_faults_than_are_told_end_the_reading_of_one_document() -> None:
    many = "".join(f"- {{id: A, {GIVEN}, expect: {{verdict: small}}}}\n" for _ in range(200))
    found = run(*size(many), *lamp("- {id: a, given: {state: dark, event: wait}, expect: {error: no_transition}}"))

    assert len(found.problems) == 100
    assert found.problems[-1].code == "too_many_problems"
    assert outcomes(found)["a"] == "pass"


def test_facts_that_no_pattern_is_asked_of_are_an_error_of_the_case() -> None:
    from policy_support import table

    body = """\
        hit: first
        order_note: found or not
        inputs: {t: {type: text}}
        outputs: {y: {type: boolean}}
        rows:
          - {id: found, when: {t: {matches: [x]}}, then: {y: true}}
          - {id: rest, then: {y: false}}
        """
    found = run(table(body) + f"cases: [{{id: a, given: {{t: {'a' * 70_000}}}, expect: {{y: false}}}}]\n")

    assert [(one.code, one.mark.line) for one in found.problems] == [("line_too_long", 14)]
    assert outcomes(found) == {"a": "error"}
