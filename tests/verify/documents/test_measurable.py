"""What makes a criterion measurable, in English and Russian, and which numbers measure nothing."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolkit.policy.sets import PolicySet
from verify.criteria import CriteriaRules, find_criteria
from verify.documents.measurable import Measure, Reader, find_measure
from verify.documents.measures import MeasureRules
from verify.markdown import parse_markdown


@pytest.fixture(scope="module")
def reader(policies: PolicySet) -> Reader:
    return Reader(MeasureRules.from_policy(policies), CriteriaRules.from_policy(policies))


def measure(text: str, reader: Reader) -> Measure | None:
    """The measure of the first criterion of a document."""
    criterion = find_criteria(parse_markdown(text), reader.criteria)[0]
    return next(filter(None, (find_measure(it.pieces, reader) for it in criterion.definitions)), None)


@pytest.mark.parametrize(
    "text",
    [
        "reading takes at most 50 ms. Verify: `pytest -k speed`",
        "answers within 2 minutes",
        "answers within a minute",
        "latency stays under a second",
        "p95 latency <= 200ms",
        "p95 is below 300 ms at 50 rps",
        "coverage ≥ 40%",
        "availability 99.9 %",
        "exactly 3 rows are written",
        "at least two replicas answer",
        "the client retries exactly once",
        "at most the last 10 entries are kept",
        "supports 100 concurrent users",
        "a 5-minute window holds",
        "costs less than $5 a day",
        "10 of 10 samples agree",
        "all 12/12 cases agree",
        "twice the throughput: 2x",
        "ответ приходит в течение 5 секунд",
        "не более одного повтора",
        "не дольше минуты",
        "занимает 12 мс",
        "не менее 99,9 % запросов",
        "ровно 3 строки",
        "zero downtime",
        "two retries are made",
        "за минуту",
    ],
)
def test_a_number_with_a_comparison_or_a_unit_is_a_measure(text: str, reader: Reader) -> None:
    assert measure(f"- AC-1: {text}\n", reader)


@pytest.mark.parametrize(
    "text",
    [
        "GET /x returns 404",
        "an unknown id returns a `404`",
        'the answer equals "ok"',
        "says «готово»",
        "count == 3",
        "`len(rows) == 3`",
        "`limit = 5`",
        '`add 1 2` → "3"',
        "status 200",
        "responds with HTTP status 404",
        "raises `ValueError`",
        "the default is `json`",
        "returns an empty list",
        'output is "done"',
        "the exit status is 2",
        "works. Expected: 3",
        "возвращает 404",
        "возвращает ошибку 404",
        "сумма равна 6",
    ],
)
def test_an_exact_expected_value_is_a_measure(text: str, reader: Reader) -> None:
    assert measure(f"- AC-1: {text}\n", reader)


@pytest.mark.parametrize(
    "text",
    [
        "totals survive a restart. Verify: `pytest -k totals` exits 0",
        "Verify: `pytest -k totals` exits with code 1",
        "Verify: `make test` passes",
        "Verify: `ruff check .` reports no errors",
        "Verify: run `make e2e`; `make e2e` must succeed",
        "all tests pass. Verify: `pytest -q`",
        "`dr-verify floor` prints `PASS`",
        "`cat out.txt` prints 3",
        'Verify: `test "$(wc -l < out.csv)" -eq 3`',
        "команда `make check` завершается с кодом 0",
        "`make check` проходит без ошибок",
        "тесты проходят. Проверка: `pytest`",
    ],
)
def test_a_command_whose_exit_or_output_is_stated_is_a_measure(text: str, reader: Reader) -> None:
    assert measure(f"- AC-1: {text}\n", reader)


@pytest.mark.parametrize(
    "text",
    [
        "reading is nice and quick. Verify: `make look`",
        "быстро и удобно. Проверка: `make look`",
        "fast and secure",
        "uses `pytest` for tests",
        "all tests pass",
        "more users are happy",
        "over time it gets better",
        "the reader returns the list of users",
        "it reports errors",
        "it prints a report",
        "it exits",
        "once users log in they see it",
        "only users of the team see it",
        "the work between requests goes on",
        "is shared by users",
        "у нас только пользователи",
        "the store is `src/store.py`",
        "Verify: `pytest -k speed --timeout=30`",
        "Verify: `timeout 5 pytest`",
    ],
)
def test_words_and_a_bare_command_are_no_measure(text: str, reader: Reader) -> None:
    assert measure(f"- AC-1: {text}\n", reader) is None


@pytest.mark.parametrize(
    "text",
    [
        "3",
        "like D-REQ-01 and AC-4 of 2",
        "done by 2024-01-01",
        "done by 01.02.2024",
        "works in version 2",
        "runs on v1.2.3",
        "look at `a.py:3`",
        "look at a.py:3",
        "like section 3.2",
        "step 3 is nice",
        "like #12 and № 3",
        "like https://example.org/5%20ms",
        "UTF-8 and SHA-256 everywhere",
        "available 24/7",
        "at 12:30 every day",
        "шаг 2 с ошибкой",
        "is nice. Estimate: 3 days",
        "is nice. Estimate: 3 days. Verify: `make look`",
        "is nice. Priority: 1",
        "is nice. Срок: 3 дня",
    ],
)
def test_a_number_that_names_something_or_measures_the_work_is_no_measure(text: str, reader: Reader) -> None:
    assert measure(f"- AC-1: {text}\n", reader) is None


def test_a_measure_after_another_field_counts(reader: Reader) -> None:
    assert measure("- AC-1: is nice. Estimate: 3 days. Verify: `make look` exits 0\n", reader)


@pytest.mark.parametrize(
    "shape", ["- AC-1: x\n  {}\n", "### AC-1 x\n\n{}\n", "**AC-1:** x\n{}\n", "- [ ] AC-1: x\n  - {}\n"]
)
@pytest.mark.parametrize(("text", "counts"), [("takes at most 5 s", True), ("takes little time", False)])
def test_a_measure_may_stand_anywhere_in_the_block(shape: str, text: str, counts: bool, reader: Reader) -> None:
    assert bool(measure(shape.format(text), reader)) is counts


@pytest.mark.parametrize(
    ("fence", "counts"),
    [
        ("$ pytest -k totals\n3 passed", True),
        ("$ make check\nall fine", True),
        ("pytest -k totals  # exits 0", True),
        ('test "$n" -eq 3', True),
        ("pytest -k totals", False),
        ("pytest -k 3\nmake look", False),
    ],
)
def test_a_fence_counts_where_it_shows_or_tests_an_outcome(fence: str, counts: bool, reader: Reader) -> None:
    assert bool(measure(f"### AC-1 x\n\n```sh\n{fence}\n```\n", reader)) is counts


@pytest.mark.parametrize(
    ("head", "row", "counts"),
    [
        ("what | check", "at most 3 | `make look`", True),
        ("what | check", "nice | `make look` exits 0", True),
        ("what | expected", "nice | 0", True),
        ("what | ожидаемый результат", "nice | `ok`", True),
        ("what | check", "nice | `make look`", False),
        ("what | estimate", "nice | 3 days", False),
        ("what | phase", "nice | 0", False),
    ],
)
def test_a_row_is_read_cell_by_cell(head: str, row: str, counts: bool, reader: Reader) -> None:
    assert bool(measure(f"| AC | {head} |\n| --- | --- | --- |\n| AC-1 | {row} |\n", reader)) is counts


def test_the_line_of_a_measure_is_told(reader: Reader) -> None:
    found = measure("# PRD\n\n- AC-1: nice\n  and takes at most 5 s\n", reader)
    assert found == Measure("at most 5", 4)


def test_the_measure_of_the_next_criterion_is_not_borrowed(reader: Reader) -> None:
    assert measure("- AC-1: nice\n- AC-2: at most 5 s\n", reader) is None


@given(st.text(alphabet='AC-1 :`5ms<=>"\n|.→exits0#', max_size=80))
@settings(max_examples=150)
def test_any_text_has_an_answer(reader: Reader, text: str) -> None:
    measure(f"- AC-1: x {text}\n", reader)


@given(st.integers(0, 10**9), st.sampled_from(["at most {}", "<= {}", "{} ms", "{} %", "не более {}", "returns {}"]))
def test_every_number_counts_in_every_form(reader: Reader, number: int, form: str) -> None:
    assert measure(f"- AC-1: {form.format(number)}\n", reader)


@pytest.mark.parametrize(
    "text",
    [
        "totals survive 100 restarts",
        "the list keeps 50 newest snapshots",
        "a user sees 2 panels",
        "все 12 сценариев проходят",
        "выживает 100 перезапусков",
        "сохраняет 50 последних снимков",
        "all 14 unit specs are green",
    ],
)
def test_a_number_of_things_is_a_measure_whatever_they_are(text: str, reader: Reader) -> None:
    assert measure(f"- V-AC-1: {text}\n", reader) is not None


@pytest.mark.parametrize(
    "text",
    ["follows OAuth 2 strictly", "is easy to use with Windows 10", "the class 5 address", "в духе ГОСТ 34 и иных"],
)
def test_a_number_before_no_plural_is_none(text: str, reader: Reader) -> None:
    assert measure(f"- V-AC-1: {text}\n", reader) is None
