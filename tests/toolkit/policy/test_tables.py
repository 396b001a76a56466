"""Tables: what each hit policy answers, what a row may say, and that every decision is the one by the letter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from policy_oracle import VOCABULARIES, Declined, Made, Maker, answers, vocabulary_text
from policy_support import SEVERITY, codes, head, load, one_input, only_problem, refused, table, the_table

from toolkit.policy.language import conditions
from toolkit.policy.language.rows import MAX_ROWS
from toolkit.policy.problems import PolicyError, Undecided
from toolkit.policy.tables import Table

VOCABULARY_TEXTS = tuple(map(vocabulary_text, VOCABULARIES))


def decided(table: Table, facts: Mapping[str, Any]) -> object:
    """What a table answers, in the oracle's terms."""
    try:
        found = table.decide_all(**facts)
    except PolicyError as fault:
        refusal = fault
    else:
        return [(dict(one.outputs), one.row, one.item) for one in found]
    assert refusal.exit_status == (3 if isinstance(refusal, Undecided) else 2)
    assert isinstance(refusal, Undecided) or refusal.code.startswith("fact_")
    return refusal.code if isinstance(refusal, Undecided) else None


def expected(made: Made, facts: Mapping[str, Any]) -> object:
    try:
        return answers(made, dict(facts))
    except Declined as reason:
        return str(reason)


@given(st.integers(0, 2**64))
@settings(max_examples=500)
def test_every_decision_is_the_one_that_the_language_describes(seed: int) -> None:
    maker = Maker(seed)
    made = maker.table()
    loaded = the_table(*VOCABULARY_TEXTS, made.text)
    for _ in range(10):
        facts = maker.facts(made)
        before = repr(facts)
        assert decided(loaded, facts) == expected(made, facts)
        assert repr(facts) == before


# Hit policies.


def three_rows(hit: str) -> Table:
    return the_table(
        table(
            f"hit: {hit}\ninputs: {{n: {{type: integer}}}}\noutputs: {{y: {{type: string}}}}\nrows:\n"
            "  - {id: positive, when: {n: {gt: 0}}, then: {y: positive}}\n"
            "  - {id: small, when: {n: {gte: -5, lte: 5}}, then: {y: small}}\n"
            "  - {id: minus-nine, when: {n: -9}, then: {y: error}}\n"
        )
    )


@pytest.mark.parametrize(
    ("hit", "n", "rows"),
    [
        ("first", 3, ["positive"]),
        ("first", 0, ["small"]),
        ("unique", 9, ["positive"]),
        ("unique", 0, ["small"]),
        ("collect", 3, ["positive", "small"]),
        ("collect", -9, ["minus-nine"]),
        ("collect", -8, []),
    ],
)
def test_a_hit_policy_says_which_rows_answer(hit: str, n: int, rows: list[str]) -> None:
    assert [one.row for one in three_rows(hit).decide_all(n=n)] == rows


@pytest.mark.parametrize(
    ("hit", "n", "code"), [("unique", 3, "several_rows"), ("unique", -8, "no_row"), ("first", -8, "no_row")]
)
def test_no_single_row_is_no_answer(hit: str, n: int, code: str) -> None:
    with pytest.raises(Undecided) as caught:
        three_rows(hit).decide(n=n)
    assert (caught.value.code, caught.value.exit_status) == (code, 3)
    assert caught.value.place == "shipped-1.yaml:1:1"
    assert "dr-policy explain t.table" in (caught.value.next_step or "")
    if code == "several_rows":
        assert "positive, small" in caught.value.message


def test_unique_is_what_a_table_is_that_does_not_say() -> None:
    unsaid = the_table(three_rows_text().replace("hit: first\n", ""))
    assert unsaid.document.hit == "unique"


def three_rows_text() -> str:
    return table(
        "hit: first\ninputs: {n: {type: integer}}\noutputs: {y: {type: string}}\nrows:\n"
        "  - {id: a, when: {n: 1}, then: {y: one}}\n  - {id: b, then: {y: other}}\n"
    )


def test_a_table_with_many_answers_is_not_asked_for_one() -> None:
    with pytest.raises(PolicyError, match="use decide_all"):
        three_rows("collect").decide(n=1)


def test_a_row_may_decline_and_names_itself_and_its_reason() -> None:
    declining = the_table(three_rows_text().replace("{y: one}", "{error: cannot-tell/one}"))
    with pytest.raises(Undecided) as caught:
        declining.decide(n=1)
    assert (caught.value.code, caught.value.exit_status) == ("cannot-tell/one", 3)
    assert "'a'" in caught.value.message
    assert caught.value.place == "shipped-1.yaml:11:5"
    assert declining.decide(n=2).outputs["y"] == "other"


@pytest.mark.parametrize("kind", ["{glob: [a]}", "{not: {glob: [a]}}", "{present: true, glob: [a]}"])
def test_a_pattern_has_no_place_in_a_unique_table(kind: str) -> None:
    optional = ", optional: true" if "present" in kind else ""
    assert codes(one_input(f"{{type: path{optional}}}", kind, hit="unique")) == ["pattern_in_unique"]


# What a row answers with.


def answering(output: str, said: str, when: str = "", inputs: str = "a: {type: integer}") -> str:
    return table(
        f"hit: first\ninputs: {{{inputs}}}\noutputs: {{y: {output}}}\nrows:\n"
        f"  - {{id: r{when and ', when: ' + when}, then: {{y: {said}}}}}\n"
    )


MAYBE = "a: {type: integer, optional: true}"


@pytest.mark.parametrize(
    ("output", "said", "inputs", "a", "value"),
    [
        ("{type: integer}", "7", "a: {type: integer}", 1, 7),
        ("{type: integer}", "{value: a}", "a: {type: integer}", 5, 5),
        ("{type: string, optional: true}", "null", "a: {type: integer}", 5, None),
        ("{type: list, items: {type: integer}}", "[1, {value: a}]", "a: {type: integer}", 5, (1, 5)),
        ("{type: list, items: {type: string}}", "[]", "a: {type: integer}", 5, ()),
        ("{type: list, items: {type: string}}", "{value: a}", "a: {type: list, items: {type: string}}", ["x"], ("x",)),
        ("{type: boolean}", "{value: a}", "a: {type: boolean}", True, True),
        ("{type: term, of: t.severity}", "{value: a}", "a: {type: term, of: t.severity}", "low", "low"),
        ("{type: term, of: t.severity}", "{value: a}", "a: {type: term, of: t.severity, one_of: [low]}", "low", "low"),
        ("{type: text}", "{value: a}", "a: {type: text}", "x\ny", "x\ny"),
    ],
)
def test_an_output_is_a_constant_or_a_value_that_the_table_was_given(
    output: str, said: str, inputs: str, a: object, value: object
) -> None:
    assert the_table(SEVERITY, answering(output, said, inputs=inputs)).decide(a=a).outputs["y"] == value


@pytest.mark.parametrize(
    ("output", "said", "when", "inputs", "code"),
    [
        ("{type: integer}", "'7'", "", "a: {type: integer}", "wrong_value"),
        ("{type: integer}", "true", "", "a: {type: integer}", "wrong_value"),
        ("{type: integer, maximum: 5}", "7", "", "a: {type: integer}", "wrong_value"),
        ("{type: integer}", "null", "", "a: {type: integer}", "wrong_value"),
        ("{type: boolean}", "1", "", "a: {type: integer}", "wrong_value"),
        ("{type: term, of: t.severity}", "hgih", "", "a: {type: integer}", "wrong_value"),
        ("{type: list, items: {type: string}}", "a", "", "a: {type: integer}", "wrong_value"),
        ("{type: list, items: {type: string}}", "[null]", "", "a: {type: integer}", "wrong_value"),
        ("{type: list, items: {type: string}, optional: true}", "[null]", "", "a: {type: integer}", "wrong_value"),
        ("{type: string}", "[a]", "", "a: {type: integer}", "wrong_value"),
        ("{type: integer}", "{value: b}", "", "a: {type: integer}", "unknown_input"),
        ("{type: integer}", "{valeu: a}", "", "a: {type: integer}", "unknown_key"),
        ("{type: integer}", "{value: [a]}", "", "a: {type: integer}", "wrong_type"),
        ("{type: string}", "{value: a}", "", "a: {type: integer}", "wrong_type"),
        ("{type: string}", "{value: a}", "", "a: {type: path}", "wrong_type"),
        ("{type: integer}", "{value: a}", "", "a: {type: boolean}", "wrong_type"),
        ("{type: list, items: {type: integer}}", "{value: a}", "", "a: {type: integer}", "wrong_type"),
        (
            "{type: term, of: t.severity, one_of: [low]}",
            "{value: a}",
            "",
            "a: {type: term, of: t.severity}",
            "wrong_type",
        ),
        ("{type: term, of: t.severity}", "{value: a}", "", "a: {type: term, of: t.other}", "wrong_type"),
        ("{type: integer}", "{value: a}", "", MAYBE, "null_guard"),
        ("{type: integer, optional: true}", "{value: a}", "", MAYBE, "null_guard"),
        ("{type: integer}", "{value: a}", "{a: {not: 1}}", MAYBE, "null_guard"),
        ("{type: integer}", "{value: a}", "{a: [null, 1]}", MAYBE, "null_guard"),
        ("{type: integer}", "{value: a}", "{a: null}", MAYBE, "null_guard"),
        ("{type: integer}", "{value: a}", "{a: {present: false}}", MAYBE, "null_guard"),
        ("{type: integer}", "{value: a}", "{a: {not: {present: true}}}", MAYBE, "null_guard"),
        ("{type: boolean}", "{value: a}", "{a: {not: false}}", "a: {type: boolean, optional: true}", "null_guard"),
        ("{type: boolean}", "{value: a}", "{a: {not: [false]}}", "a: {type: boolean, optional: true}", "null_guard"),
        ("{type: integer}", "{value: a}", "{any_of: [{a: {present: true}}, {a: 1}]}", MAYBE, "null_guard"),
        ("{type: list, items: {type: integer}}", "[{value: a}]", "", MAYBE, "null_guard"),
        ("{type: record, fields: {}}", "{}", "", "a: {type: integer}", "record_misplaced"),
    ],
)
def test_an_output_of_another_type_does_not_load(output: str, said: str, when: str, inputs: str, code: str) -> None:
    other = head("vocabulary", "t.other") + "order: ascending\nterms: [{term: high}, {term: medium}, {term: low}]\n"
    assert code in codes(SEVERITY, other, answering(output, said, when, inputs))


@pytest.mark.parametrize(
    "guard",
    [
        "{present: true}",
        "{present: true, gte: 0}",
        "{not: null}",
        "{not: [null, 1]}",
        "{not: {present: false}}",
        "5",
        "[5]",
    ],
)
def test_an_optional_value_may_be_answered_where_its_row_keeps_null_out(guard: str) -> None:
    text = answering("{type: integer}", "{value: a}", f"{{a: {guard}}}", MAYBE)
    assert the_table(text).decide(a=5).outputs["y"] == 5


def test_a_cell_narrows_a_term_to_what_an_output_may_be() -> None:
    text = answering(
        "{type: term, of: t.severity, one_of: [low, medium]}",
        "{value: a}",
        "{a: [low, medium]}",
        "a: {type: term, of: t.severity}",
    )
    assert the_table(SEVERITY, text).decide(a="low").outputs["y"] == "low"
    assert codes(SEVERITY, text.replace("{a: [low, medium]}", "{a: [low, high]}")) == ["wrong_type"]


def test_a_computed_output_beyond_its_bounds_is_no_answer() -> None:
    bounded = the_table(answering("{type: integer, maximum: 5}", "{value: a}"))
    assert bounded.decide(a=5).outputs["y"] == 5
    with pytest.raises(Undecided) as caught:
        bounded.decide(a=6)
    assert caught.value.code == "output_out_of_range"


def test_a_let_beyond_what_json_holds_can_be_tested_and_not_answered() -> None:
    text = table(
        'hit: first\ninputs: {a: {type: integer}}\nlet: {l: "4 * a"}\noutputs: {y: {type: integer}}\nrows:\n'
        "  - {id: huge, when: {l: {gt: 9007199254740991}}, then: {y: 0}}\n  - {id: else, then: {y: {value: l}}}\n"
    )
    assert the_table(text).decide(a=2**53 - 1).row == "huge"
    with pytest.raises(Undecided, match="output_out_of_range"):
        the_table(text).decide(a=-(2**53) + 1)


@pytest.mark.parametrize(
    ("then", "code"),
    [
        ("{}", "missing_key"),
        ("{z: 1}", "missing_key"),
        ("{y: 1, z: 1}", "unknown_key"),
        ("{y: 1, error: no-answer}", "unknown_key"),
        ("{error: Not A Code}", "bad_id"),
        ("{error: 1}", "wrong_type"),
        ("{error: null}", "wrong_type"),
        ("1", "wrong_type"),
        ("[1]", "wrong_type"),
    ],
)
def test_a_row_answers_with_every_output_or_with_a_reason_code(then: str, code: str) -> None:
    text = answering("{type: integer}", "1").replace("then: {y: 1}", f"then: {then}")
    assert code in codes(text)


# ``stronger``.


@pytest.mark.parametrize(
    ("output", "code"),
    [
        ("{type: boolean, stronger: [true, false]}", None),
        ("{type: boolean, stronger: [false, true]}", None),
        ("{type: boolean, optional: true, stronger: [true, null, false]}", None),
        ("{type: term, one_of: [a, b], stronger: [b, a]}", None),
        ("{type: term, of: t.severity, stronger: [low, high, medium]}", None),
        ("{type: boolean, stronger: [1, 0]}", "wrong_value"),
        ("{type: boolean, stronger: [true]}", "bad_stronger"),
        ("{type: boolean, stronger: [true, true]}", "bad_stronger"),
        ("{type: boolean, stronger: [true, false, true]}", "bad_stronger"),
        ("{type: boolean, stronger: []}", "bad_stronger"),
        ("{type: boolean, stronger: [[true], [false]]}", "wrong_value"),
        ("{type: boolean, stronger: [true, null, false]}", "wrong_value"),
        ("{type: boolean, optional: true, stronger: [true, false]}", "bad_stronger"),
        ("{type: term, one_of: [a, b], stronger: [a]}", "bad_stronger"),
        ("{type: term, one_of: [a, b], stronger: [a, c]}", "wrong_value"),
        ("{type: term, of: t.severity, one_of: [high], stronger: [high, low]}", "wrong_value"),
        ("{type: boolean, stronger: true}", "wrong_type"),
        ("{type: integer, stronger: [1, 2]}", "wrong_type"),
        ("{type: integer, stronger: []}", "wrong_type"),
        ("{type: string, stronger: [a]}", "wrong_type"),
        ("{type: boolean, informs: true}", "unknown_key"),
    ],
)
def test_stronger_lists_every_value_of_an_output_once(output: str, code: str | None) -> None:
    text = table(
        f"hit: first\ninputs: {{a: {{type: integer}}}}\noutputs: {{y: {output}}}\n"
        "rows:\n  - {id: r, then: {error: none}}\n"
    )
    assert codes(SEVERITY, text) == ([code] if code else [])


# Promises.


def promising(require: str) -> str:
    return table(
        "hit: first\ninputs: {match: {type: boolean}, n: {type: integer, optional: true}}\n"
        "outputs: {result: {type: term, one_of: [allow, deny]}}\n"
        f"require: {require}\n"
        "rows:\n  - {id: ask, when: {n: {present: true, gte: 3}}, then: {result: allow}}\n"
        "  - {id: else, then: {result: deny}}\n"
    )


def test_a_dangerous_output_is_reached_only_where_its_promise_holds() -> None:
    promised = the_table(promising("[{when_output: {result: allow}, inputs: {match: true}}]"))
    assert promised.decide(match=True, n=3).outputs["result"] == "allow"
    assert promised.decide(match=False, n=2).outputs["result"] == "deny"
    with pytest.raises(Undecided) as caught:
        promised.decide(match=False, n=3)
    assert caught.value.code == "invariant_broken"
    assert "row 'ask' answers result 'allow' although match forbids it" in caught.value.message


@pytest.mark.parametrize(
    ("require", "code"),
    [
        ("[{when_output: {result: allow}}]", "missing_key"),
        ("[{inputs: {match: true}}]", "missing_key"),
        ("[{when_output: {}, inputs: {match: true}}]", "empty"),
        ("[{when_output: {result: allow}, inputs: {}}]", "empty"),
        ("[{when_output: {result: []}, inputs: {match: true}}]", "empty_cell"),
        ("[{when_output: {result: alow}, inputs: {match: true}}]", "wrong_value"),
        ("[{when_output: {reslt: allow}, inputs: {match: true}}]", "unknown_output"),
        ("[{when_output: {result: allow}, inputs: {mach: true}}]", "unknown_input"),
        ("[{when_output: {result: allow}, inputs: {match: 1}}]", "wrong_value"),
        ("[{when_output: {result: allow}, inputs: {n: {gte: 1}}}]", "null_guard"),
        ("[{when_output: {result: allow}, inputs: {match: true}, unless: 1}]", "unknown_key"),
        ("{result: allow}", "wrong_type"),
    ],
)
def test_a_promise_is_read_strictly(require: str, code: str) -> None:
    assert code in codes(promising(require))


def test_a_promise_has_no_place_for_a_list() -> None:
    text = promising("[{when_output: {result: allow}, inputs: {l: {count: 1}}}]")
    text = text.replace("match: {type: boolean}", "match: {type: boolean}, l: {type: list, items: {type: string}}")
    assert codes(text) == ["wrong_operator"]


# ``each``.

EACH = table(
    "hit: {hit}\neach: findings\n"
    "inputs:\n  findings: {type: list, items: {type: record, fields: {severity: {type: term, of: t.severity}}}}\n"
    "  strict: {type: boolean}\n"
    "outputs: {route: {type: string}}\nrows:\n"
    "  - {id: grave, when: {severity: {gte: medium}}, then: {route: correct}}\n"
    "  - {id: strict, when: {strict: true}, then: {route: inform}}\n"
    "  - {id: low, when: {severity: low, strict: false}, then: {error: ignored}}\n"
)


def test_each_decides_once_for_every_item_and_says_which() -> None:
    routed = the_table(SEVERITY, EACH.replace("{hit}", "first"))
    answers = routed.decide_all(findings=[{"severity": "low"}, {"severity": "high"}], strict=True)
    assert [(one.item, one.row, one.outputs["route"]) for one in answers] == [
        (0, "strict", "inform"),
        (1, "grave", "correct"),
    ]
    assert routed.decide_all(findings=[], strict=True) == ()
    collected = the_table(SEVERITY, EACH.replace("{hit}", "collect"))
    answers = collected.decide_all(findings=[{"severity": "high"}, {"severity": "low"}], strict=True)
    assert [(one.item, one.row) for one in answers] == [(0, "grave"), (0, "strict"), (1, "strict")]


def test_one_item_that_is_declined_declines_the_whole_question() -> None:
    routed = the_table(SEVERITY, EACH.replace("{hit}", "first"))
    with pytest.raises(Undecided, match="ignored"):
        routed.decide_all(findings=[{"severity": "high"}, {"severity": "low"}], strict=False)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("each: findings", "each: findngs", "unknown_input"),
        ("each: findings", "each: strict", "wrong_type"),
        ("each: findings", "each: 1", "wrong_type"),
        ("}}}}\n", "}}}, optional: true}\n", "wrong_type"),
        ("severity: {type: term, of: t.severity}", "strict: {type: boolean}", "duplicate_id"),
        ("severity: {type: term, of: t.severity}", "any_of: {type: boolean}", "reserved_name"),
        ("severity: {type: term, of: t.severity}", "Severity: {type: boolean}", "bad_name"),
        ("{severity: {type: term, of: t.severity}}", "{}", "empty"),
        ("severity: {gte: medium}", "findings: {count: 1}", "wrong_operator"),
        ("route: {type: string}", "item: {type: string}", "reserved_name"),
    ],
)
def test_each_needs_a_list_of_records_with_names_of_their_own(old: str, new: str, code: str) -> None:
    text = EACH.replace("{hit}", "first")
    assert old in text
    assert code in codes(SEVERITY, text.replace(old, new, 1))


# Limits and the frame.


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("hit: first", "hit: frist", "unknown_word"),
        ("hit: first", "hitt: first", "unknown_key"),
        ("hit: first", "order_note: [x]", "wrong_type"),
        ("hit: first", "cases: {}", "wrong_type"),
        ("inputs: {n: {type: integer}}", "inputs: []", "wrong_type"),
        ("outputs: {y: {type: string}}", "outputs: {}", "empty"),
        ("id: a,", "id: b,", "duplicate_id"),
        ("id: a,", "id: A,", "bad_id"),
        ("id: a,", "", "missing_key"),
        ("id: a,", "id: a, note: x,", "unknown_key"),
        ("id: a,", "id: a, source: 1,", "wrong_type"),
    ],
)
def test_the_frame_of_a_table_is_read_strictly(old: str, new: str, code: str) -> None:
    text = three_rows_text()
    assert old in text
    assert code in codes(text.replace(old, new, 1))


def test_a_row_id_that_stands_twice_is_told_with_both_lines() -> None:
    problem = only_problem(three_rows_text().replace("id: b", "id: a"))
    assert (problem.code, problem.mark.line) == ("duplicate_id", 12)
    assert "first at line 11" in problem.message


def test_a_table_has_rows_and_at_most_ten_thousand() -> None:
    frame = "hit: first\ninputs: {n: {type: integer}}\noutputs: {y: {type: integer}}\nrows:"
    assert codes(table(frame + " []\n")) == ["empty"]
    rows = [f"\n  - {{id: r{n}, when: {{n: {n}}}, then: {{y: 1}}}}" for n in range(MAX_ROWS + 1)]
    assert the_table(table(frame + "".join(rows[:-1]) + "\n")).decide(n=MAX_ROWS - 1).row == f"r{MAX_ROWS - 1}"
    problem = only_problem(table(frame + "".join(rows) + "\n"))
    assert (problem.code, problem.mark.line) == ("too_many_rows", 11)


def test_declarations_that_are_wrong_are_told_without_their_consequences() -> None:
    found = refused(three_rows_text().replace("n: {type: integer}", "n: {type: integr}, m: {tpye: boolean}"))
    assert [problem.code for problem in found] == ["unknown_word", "missing_key", "unknown_key"]


# What deciding costs, and what it leaves alone.


def test_a_cell_is_compiled_once_for_all_decisions(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[object] = []
    for name in ("Equals", "OneOf", "Compare", "Pattern", "Items", "Present", "Not", "AllOf"):
        kind = getattr(conditions, name)
        original = kind.compile
        monkeypatch.setattr(kind, "compile", lambda self, original=original: compiled.append(self) or original(self))
    policies = load(SEVERITY, EACH.replace("{hit}", "first"), prove=False)
    once = len(compiled)
    assert once == 4
    for _ in range(3):
        policies.table("t.table").decide_all(findings=[{"severity": "high"}] * 5, strict=True)
    assert len(compiled) == once
    assert policies.table("t.table") is policies.table("t.table")


def test_the_outputs_of_a_row_are_built_once_and_nobody_can_change_them() -> None:
    shared = the_table(three_rows_text())
    first, second = shared.decide(n=1), shared.decide(n=1)
    assert first is second
    with pytest.raises(TypeError):
        first.outputs["y"] = "changed"  # type: ignore[index]
    with pytest.raises(AttributeError):
        first.row = "other"  # type: ignore[misc]
    computed = the_table(
        answering("{type: list, items: {type: string}}", "{value: a}", inputs="a: {type: list, items: {type: string}}")
    )
    given = ["x"]
    answered = computed.decide(a=given).outputs
    given.append("y")
    assert answered["y"] == ("x",)
    with pytest.raises(TypeError):
        answered["y"] = ()  # type: ignore[index]


def test_nobody_can_change_what_a_table_is() -> None:
    document = the_table(three_rows_text()).document
    with pytest.raises(TypeError):
        document.inputs["z"] = document.inputs["n"]  # type: ignore[index]
    with pytest.raises(TypeError):
        document.rows[0].then["y"] = "changed"  # type: ignore[index]


def test_the_facts_that_were_given_are_left_as_they_were() -> None:
    facts = {"findings": [{"severity": "high"}], "strict": True}
    the_table(SEVERITY, EACH.replace("{hit}", "first")).decide_all(**facts)
    assert facts == {"findings": [{"severity": "high"}], "strict": True}


# What is wrong with a fact is told the same however the table has got ready, and whatever else it says.

LONG = "a" * 70_000


def test_a_line_that_is_too_long_is_refused_before_and_after_the_table_got_ready() -> None:
    ready = the_table(
        table(
            "hit: first\ninputs: {b: {type: text}}\noutputs: {n: {type: integer}}\nrows:\n"
            "  - {id: all, then: {n: 1}}\n  - {id: never, when: {b: {matches: [x]}}, then: {n: 2}}\n"
        )
    )
    for _ in range(2):
        with pytest.raises(PolicyError) as caught:
            ready.decide(b=LONG)
        assert (caught.value.code, caught.value.place) == ("line_too_long", "shipped-1.yaml:1:1")
        ready.get_ready()


def test_a_fault_of_one_item_is_told_whatever_is_decided_of_another() -> None:
    listed = the_table(
        table(
            "hit: collect\neach: items\n"
            "inputs: {items: {type: list, items: {type: record, fields: {f: {type: text}}}}}\n"
            "outputs: {n: {type: integer}}\nrows:\n"
            "  - {id: refused, when: {f: a}, then: {error: nope}}\n"
            "  - {id: x, when: {f: {matches: [x]}}, then: {n: 3}}\n"
        )
    )
    with pytest.raises(PolicyError) as caught:
        listed.decide_all(items=[{"f": "a"}, {"f": LONG}])
    assert caught.value.code == "line_too_long"


def test_a_bad_fact_is_told_with_the_place_of_the_table_that_declares_it() -> None:
    with pytest.raises(PolicyError) as caught:
        the_table(one_input("{type: integer}", "1", hit="first")).decide(y=1)
    assert (caught.value.code, caught.value.place) == ("fact_missing", "shipped-1.yaml:1:1")
