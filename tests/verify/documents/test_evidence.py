"""Evidence: where it is given for a criterion, and what of it counts."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.policy.sets import PolicySet
from verify.criteria import CriteriaRules
from verify.documents.evidence import EvidenceClaim, EvidenceRules, claims_of
from verify.documents.measurable import Reader
from verify.documents.measures import MeasureRules
from verify.documents.rules import DocumentRules
from verify.documents.statements import StatementRules, statements_in
from verify.markdown import parse_markdown
from verify.paths import PathRules
from verify.paths.words import Word

HERE = "datarim/qa/report.md"
COMMIT = "1a2b3c4d"


class Shelf:
    """Two files and one commit; of what is called "locked" nobody can tell."""

    def file(self, word: Word, document: str) -> bool | None:
        assert document == HERE
        return None if "locked" in word.text else word.text in ("src/store.py", "out/run.log")

    def commit(self, name: str) -> bool | None:
        return None if name.startswith("fee") else COMMIT.startswith(name)


Claims = Callable[[str], list[EvidenceClaim]]


@pytest.fixture(scope="module")
def claims(policies: PolicySet) -> Claims:
    """The claims of a document."""
    criteria = CriteriaRules.from_policy(policies)
    reader = Reader(MeasureRules.from_policy(policies), criteria)
    rules = EvidenceRules.from_policy(policies, PathRules.from_policy(policies), reader)
    where = StatementRules.from_policy(policies, DocumentRules.from_policy(policies).bindings, criteria)
    return lambda text: list(claims_of(statements_in(parse_markdown(text), where), HERE, rules, Shelf()))


def accepted(found: list[EvidenceClaim], label: str = "V-AC-1") -> list[bool | None]:
    return [claim.accepted for claim in found if claim.label == label]


# What counts


@pytest.mark.parametrize(
    "said",
    [
        "`pytest -k totals` exits 0",
        "`pytest -k speed` 12 ms",
        "`pytest -k totals` → 3 passed",
        "`pytest tests/gone.py` → 3 passed",
        "`src/store.py` exits 0",
        "src/store.py::test_totals passed",
        "`pytest -k totals` passes",
        "`pytest -k totals`: passed",
        "ran `make check`, no errors",
        "pytest -k totals exits 0",
        "ran pytest -k totals: 3 passed",
        "`make count` prints `3`",
        "`pytest` прошёл, 3 теста",
        "запустил `make check`: без ошибок",
        "`src/store.py:12`",
        "src/store.py:12",
        "see [the store](src/store.py#L12)",
        "`src/store.py` line 12",
        "`src/store.py`, строка 12",
        "`src/store.py` says `T = 1`",
        '`out/run.log`: "3 passed"',
        "`out/run.log` — «готово, 3 теста»",
        f"`{COMMIT}`",
        f"commit {COMMIT}",
        f"done in commit `{COMMIT}`",
        f"коммит {COMMIT}",
        f"logged, see commit {COMMIT}",
        "`src/gone.py:3`, and `pytest` exits 0",
    ],
)
def test_a_command_with_its_outcome_a_place_in_a_file_or_a_commit_counts(said: str, claims: Claims) -> None:
    assert accepted(claims(f"- Evidence: V-AC-1 — {said}\n")) == [True]


@pytest.mark.parametrize(
    "said",
    [
        "logged",
        "done",
        "works",
        "Done.",
        "tested and verified",
        "готово",
        "",
        "-",
        "TBD",
        "12 ms",
        "3 passed",
        "`pytest -k totals`",
        "`pytest -k totals` was run",
        "pytest -k totals",
        "`src/store.py`",
        "`src/gone.py:12`",
        "`src/gone.py` line 12",
        "src/gone.py:12",
        "`0000000`",
        "commit 0000000",
        "`tests/gone.py` exits 0",
        "`tests/gone.py::test_totals` passed",
        "tests/gone.py::test_totals passed",
        "ran ./gone.sh: exits 0",
        "the feedback of everybody was good",
        "`V-AC-2` has it",
    ],
)
def test_words_alone_and_what_is_not_there_prove_nothing(said: str, claims: Claims) -> None:
    assert accepted(claims(f"- Evidence: V-AC-1 — {said}\n")) == [False]


@pytest.mark.parametrize("said", ["commit fee1dead", "`fee1dead`", "`src/locked.py:3`", "done in commit fee1dead"])
def test_what_nobody_can_look_up_is_neither(said: str, claims: Claims) -> None:
    assert accepted(claims(f"- Evidence: V-AC-1 — {said}\n")) == [None]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("logged", "'logged' alone proves nothing"),
        ("", "it says nothing"),
        ("`src/gone.py:12`", "src/gone.py stands under no declared root"),
        ("`src/store.py`", "src/store.py is named without a line or an excerpt"),
        ("`pytest -k totals`", "it names a command without its outcome"),
        ("commit 0000000", "there is no commit 0000000"),
        ("it is so", "it names no command"),
        ("`fee1dead`", "nobody could look whether there is a commit fee1dead"),
    ],
)
def test_a_claim_says_why_it_does_not_count(said: str, why: str, claims: Claims) -> None:
    (claim,) = claims(f"- Evidence: V-AC-1 — {said}\n")
    assert claim.why.startswith(why)


# Where it is given


GIVEN = "`pytest -k totals` exits 0"


@pytest.mark.parametrize(
    "text",
    [
        "Evidence: V-AC-1 — {}\n",
        "- Evidence: V-AC-1: {}\n",
        "- **Evidence:** V-AC-1 {}\n",
        "- *Evidence*: `V-AC-1` {}\n",
        "- Evidence: V-AC-1\n  {}\n",
        "- Evidence: V-AC-1\n  - {}\n",
        "Evidence: V-AC-1\n\n- {}\n",
        "- Доказательство: V-AC-1 — {}\n",
        "Evidence for V-AC-1: {}\n",
        "Evidence (V-AC-1): {}\n",
        "- V-AC-1: totals survive. Evidence: {}\n",
        "- **V-AC-1** totals survive\n  - Evidence: {}\n",
        "### V-AC-1 totals survive\n\nEvidence: {}\n",
        "### Evidence: V-AC-1\n\n{}\n",
        "## Evidence\n\n- V-AC-1: {}\n",
        "## Evidence\n\n### V-AC-1\n\n{}\n",
        "## Доказательства\n\n- V-AC-1 — {}\n",
        "| AC | Evidence |\n| --- | --- |\n| V-AC-1 | {} |\n",
        "| AC | verdict | Test evidence |\n| --- | --- | --- |\n| V-AC-1 totals | PASS | {} |\n",
        "| Критерий | Доказательство |\n| --- | --- |\n| V-AC-1 | {} |\n",
        "| AC | notes |\n| --- | --- |\n| V-AC-1 | Evidence: {} |\n",
        "| step | notes |\n| --- | --- |\n| 1 | Evidence: V-AC-1 {} |\n",
    ],
)
@pytest.mark.parametrize(("said", "counts"), [(GIVEN, True), ("logged", False)])
def test_evidence_is_found_in_every_shape(text: str, said: str, counts: bool, claims: Claims) -> None:
    assert accepted(claims(text.format(said))) == [counts]


@pytest.mark.parametrize(
    "text",
    [
        "- V-AC-1: totals survive. Verify: {}\n",
        "- V-AC-1: {}\n",
        "| AC | verdict |\n| --- | --- |\n| V-AC-1 | {} |\n",
        "```\nEvidence: V-AC-1 — {}\n```\n",
        "<!-- Evidence: V-AC-1 — {} -->\n",
        "`Evidence: V-AC-1` {}\n",
        "Evidence: as for V-AC-1 {}\n",
        "## Evidence\n\nAll of it, as V-AC-1 asks: {}\n",
        "No evidence (of V-AC-1) is here. {}\n",
    ],
)
def test_what_is_in_neither_shape_is_no_evidence(text: str, claims: Claims) -> None:
    assert accepted(claims(text.format(GIVEN))) == []


@pytest.mark.parametrize("label", ["### V-AC-1 totals", "- V-AC-1: totals", "Evidence: V-AC-1", "- Evidence: V-AC-1"])
@pytest.mark.parametrize(
    "fence", ["```\n3 passed in 0.1s\n```", "```sh\n$ pytest\n3 passed\n```", '~~~\n{"ok": true}\n~~~']
)
def test_an_output_in_a_fence_under_the_label_counts(label: str, fence: str, claims: Claims) -> None:
    indent = "  " if label.startswith("- ") else ""
    below = "\n".join(indent + line for line in fence.split("\n"))
    assert True in accepted(claims(f"{label}\n\n{below}\n"))


@pytest.mark.parametrize("fence", ["pytest -k totals", "# run it\npytest -k totals\nmake look", "done", "", "TBD"])
@pytest.mark.parametrize("label", ["### V-AC-1 totals", "Evidence: V-AC-1"])
def test_a_fence_without_an_output_proves_nothing(label: str, fence: str, claims: Claims) -> None:
    assert True not in accepted(claims(f"{label}\n\n```\n{fence}\n```\n"))


def test_a_fence_under_the_next_label_is_not_borrowed(claims: Claims) -> None:
    found = claims("Evidence: V-AC-1\n\nEvidence: V-AC-2\n\n```\n3 passed\n```\n")
    assert (accepted(found), accepted(found, "V-AC-2")) == ([False], [True])


def test_what_stands_after_another_heading_or_item_is_not_borrowed(claims: Claims) -> None:
    assert accepted(claims(f"- Evidence: V-AC-1\n- {GIVEN}\n")) == [False]
    assert accepted(claims(f"Evidence: V-AC-1\n\n## Next\n\n{GIVEN}\n")) == [False]
    assert accepted(claims(f"Evidence: V-AC-1 — logged\n\n- {GIVEN}\n")) == [False]


def test_an_excerpt_may_stand_below_as_a_quotation(claims: Claims) -> None:
    assert accepted(claims("Evidence: V-AC-1 — `src/store.py`\n\n> T = 1\n")) == [True]


def test_lists_and_ranges_give_evidence_for_each_label(claims: Claims) -> None:
    found = claims(f"- Evidence: V-AC-1, V-AC-3..V-AC-5 — {GIVEN}\n")
    assert [(claim.label, claim.accepted) for claim in found] == [
        ("V-AC-1", True),
        ("V-AC-3", True),
        ("V-AC-4", True),
        ("V-AC-5", True),
    ]


def test_two_statements_of_a_line_are_judged_apart(claims: Claims) -> None:
    found = claims(f"Evidence: V-AC-1 {GIVEN}. Evidence: V-AC-2 logged\n")
    assert (accepted(found), accepted(found, "V-AC-2")) == ([True], [False])


def test_a_claim_is_quoted_from_its_line(claims: Claims) -> None:
    (claim,) = claims("# Report\n\ntext\n\n- Evidence: V-AC-1 — `src/store.py:3` ok\n")
    assert (claim.document, claim.line, claim.text) == (HERE, 5, "V-AC-1 — src/store.py:3 ok")


def test_evidence_of_something_else_has_no_label(claims: Claims) -> None:
    (claim,) = claims(f"Evidence: step 3 — {GIVEN}\n")
    assert (claim.label, claim.accepted) == ("", True)
    assert "step 3" in claim.text


@given(st.lists(st.tuples(st.integers(1, 99), st.booleans()), min_size=1, max_size=12, unique_by=lambda it: it[0]))
def test_each_criterion_is_judged_by_its_own_evidence(claims: Claims, said: list[tuple[int, bool]]) -> None:
    text = "".join(f"- Evidence: V-AC-{n} — {GIVEN if good else 'logged'}\n" for n, good in said)
    assert {claim.label: claim.accepted for claim in claims(text)} == {f"V-AC-{n}": good for n, good in said}


@given(st.text(alphabet="EvidenceV-AC1:`| \n-#>~*abc7.py/", max_size=200))
def test_any_text_has_an_answer(claims: Claims, text: str) -> None:
    claims(f"Evidence: V-AC-1 {text}\n")
