"""Claims of a document: which digits are a commit's, and which figures an output has to show."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.policy.sets import PolicySet
from verify.documents.archive_claims import ClaimRules, Claims, claims_in
from verify.markdown import parse_markdown
from verify.paths import PathRules

WHOLE = "0123456789abcdef0123456789abcdef01234567"


def read(text: str, policies: PolicySet) -> Claims:
    return claims_in(parse_markdown(text), ClaimRules.from_policy(policies), PathRules.from_policy(policies))


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("Done in `abc1234`.", ["abc1234"]),
        ("Done in `ABC1234`.", ["abc1234"]),
        (f"Done in `{WHOLE}`.", [WHOLE]),
        ("Done in commit abc1234.", ["abc1234"]),
        ("Commit: abc1234", ["abc1234"]),
        ("Commit deadbeef holds it", ["deadbeef"]),
        ("Commits abc1234, def5678 and 0a1b2c3", ["abc1234", "def5678", "0a1b2c3"]),
        ("Commit (`abc1234`), then `def5678`.", ["abc1234", "def5678"]),
        ("Сделано в коммите abc1234", ["abc1234"]),
        ("commit `1234567`", ["1234567"]),
        ("commit 1234567.", ["1234567"]),
        (f"commit `{WHOLE}{'0' * 24}`", [f"{WHOLE}{'0' * 24}"]),
        ("| what | commit |\n| --- | --- |\n| x | `abc1234` |", ["abc1234"]),
        ("## Landed as `abc1234`", ["abc1234"]),
    ],
)
def test_digits_are_a_commit_in_code_or_after_the_word(text: str, digits: list[str], policies: PolicySet) -> None:
    commits = read(text, policies).commits
    assert [claim.digits for claim in commits] == digits
    assert all(claim.certain for claim in commits)


@pytest.mark.parametrize(
    "text",
    [
        "Done in abc1234.",
        "On 20241130 we commit 1000000 rows",
        "The colour `#aabbccd`, the digest `sha256:abc1234def`",
        "id `550e8400-e29b-41d4-a716-446655440000` and 550e8400-e29b-41d4-a716-446655440000",
        "The site was `defaced`, we `acceded`",
        "commit `abc12`",
        f"commit `{WHOLE}0`",
        "```\ncommit abc1234\n```",
        "<!-- commit abc1234 -->",
        "see https://example.org/commit/abc1234",
        "commit -abc1234 src/abc1234.py abc1234-x",
        "`git show abc1234`",
        f"Pushed commit `0000000`, `{'0' * 40}`",
    ],
)
def test_other_digits_and_words_are_none(text: str, policies: PolicySet) -> None:
    assert read(text, policies).commits == ()


@pytest.mark.parametrize(
    "text",
    [
        "There are `1234567` rows",
        "A value of `12345e67`",
        f"The file has MD5 `{WHOLE[:32]}`",
        f"The checksum is `{WHOLE}`",
        f"An image `{WHOLE}{'0' * 24}`",
        "See trace id `4bf92f3577b3`",
        "In the repository of the site: `abc1234`",
        "Commit `abc1234` of the submodule",
        "Done in [`abc1234`](https://example.org/other/commit/abc1234)",
        "The commit `abc1234` was squashed",
        "After the rebase the old commit `abc1234` is gone",
        "Cherry-picked from `abc1234`",
        "The action is pinned to commit `abc1234`",
        "The migration `abc1234` creates the table",
        "Alembic revision `abc1234`",
        "Model checkpoint `abc1234`",
        "Перебазирован: был коммит `abc1234`",
    ],
)
def test_digits_that_may_be_something_else_claim_nothing_for_sure(text: str, policies: PolicySet) -> None:
    assert [claim.certain for claim in read(text, policies).commits] == [False]


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("`abc1234` adds `src/a.py`.", ("src/a.py",)),
        ("`src/a.py` came with commit abc1234", ("src/a.py",)),
        ("`abc1234` adds\n`src/a.py` and `src/b.py`.", ("src/a.py", "src/b.py")),
        ("| `abc1234` | `src/a.py` |\n| --- | --- |\n| `abc1234` | `src/a.py` |", ("src/a.py",)),
        ("`abc1234` is it. `src/a.py` is another matter.", ()),
        ("`abc1234` is it; `src/a.py` is another matter.", ()),
        ("`abc1234` was verified by `tests/test_a.py`", ()),
        ("`abc1234` does not touch `src/a.py`", ()),
        ("12 passed at `abc1234` (`datarim/qa/run.log`)", ()),
    ],
)
def test_a_commit_claims_the_paths_of_its_sentence(text: str, paths: tuple[str, ...], policies: PolicySet) -> None:
    (claim,) = read(text, policies).commits
    assert claim.paths == paths


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("12 passed (`datarim/qa/run.log`).", [("12", "passed", "datarim/qa/run.log")]),
        ("`run.log`: 12 passed, 3 skipped", [("12", "passed", "run.log"), ("3", "skipped", "run.log")]),
        ("Tests passed: 12, failed: 3 (`run.log`)", [("12", "passed", "run.log"), ("3", "failed", "run.log")]),
        ("Tests: 12 passed (`run.log`)", [("12", "tests", "run.log")]),
        ("12/12 tests, see `run.txt`", [("12", "tests", "run.txt")]),
        ("All 1,234 tests pass. Output: `run.log`", [("1,234", "tests", "run.log")]),
        ("Coverage is 93.5% in `cov.xml`", [("93.5", "%", "cov.xml")]),
        ("p95 is 42 ms (`bench.txt`)", [("42", "ms", "bench.txt")]),
        (
            "| tests | 12 passed | `run.log` |\n| --- | --- | --- |\n| tests | 12 passed | `run.log` |",
            [("12", "passed", "run.log")],
        ),
        ("12 тестов прошло (`run.log`)", [("12", "тестов", "run.log")]),
        ("5 findings in `datarim/qa/qa-report-X-0001.md`", [("5", "findings", "datarim/qa/qa-report-X-0001.md")]),
    ],
)
def test_a_figure_with_what_it_counts_claims_its_output(
    text: str, figures: list[tuple[str, str, str]], policies: PolicySet
) -> None:
    assert [(it.figure, it.word, it.output) for it in read(text, policies).figures] == figures


@pytest.mark.parametrize(
    "text",
    [
        "12 passed.",
        "12 passed. The log is somewhere: `run.log`",
        "12 passed (`src/a.py`)",
        "12 passed (`a.log`, `b.log`)",
        "about 12 tests, ~13 tests, at most 14 tests, <15 tests, 16+ tests (`run.log`)",
        "0 failed (`run.log`)",
        "The 2.1 tests are in `run.log`",
        "Step 3 of V-AC-12 in 2024-11-12, v1.12 (`run.log`)",
        "`12 passed` (`src/a.log` `b.log`)",
        "We ran the 12 tests:\n\n- so\n\n```\n11 passed\n```",
    ],
)
def test_a_figure_that_is_vague_or_without_one_output_claims_nothing(text: str, policies: PolicySet) -> None:
    assert read(text, policies).figures == ()


def test_a_figure_may_lead_up_to_the_output_below_it(policies: PolicySet) -> None:
    (claim,) = read("It says 12 passed:\n\n```\n12 passed\n```\n", policies).figures
    assert claim.fence is not None
    assert claim.output == ""


def test_a_claim_stands_on_its_own_line(policies: PolicySet) -> None:
    claims = read("One.\nTwo in\n`abc1234`, and\ncommit def5678; 12 passed\nin `run.log`.\n", policies)
    assert [claim.line for claim in claims.commits] == [3, 4]
    assert [claim.line for claim in claims.figures] == [4]


@given(st.text(alphabet="abcdef0123456789 commit`.,;:()|\n", max_size=200))
def test_any_text_has_an_answer(policies: PolicySet, text: str) -> None:
    lines = text.count("\n") + 1
    claims = read(text, policies)
    assert all(1 <= claim.line <= lines for claim in (*claims.commits, *claims.figures))
