"""Approvals and trails of review: how a document states them, and what counts as a change of it."""

from __future__ import annotations

from datetime import date

import pytest

from toolkit.policy.sets import PolicySet
from verify.artifacts import Artifact
from verify.criteria import CriteriaRules
from verify.documents.approvals import ApprovalRules, Reading, find_approval
from verify.documents.dates import dates_in
from verify.documents.revisions import differences, parts_of
from verify.documents.trails import entries_in, names_document, report_day

PRD = "datarim/prd/PRD-ABC-0001.md"


@pytest.fixture
def reading(policies: PolicySet) -> Reading:
    return Reading(ApprovalRules.from_policy(policies), CriteriaRules.from_policy(policies), "·")


def document(text: str, path: str = PRD) -> Artifact:
    return Artifact("prd", path, text, "")


def changed(before: str, after: str, reading: Reading) -> list[tuple[str, int | None, int | None]]:
    """What differs: its key, and the lines where it does."""
    parts = (parts_of(document(text), reading) for text in (before, after))
    return [(it.key, it.before_line, it.after_line) for it in differences(*parts)]


@pytest.mark.parametrize(
    "text",
    [
        "---\nstatus: approved\n---\n# PRD\n",
        "---\nstatus: Approved\n---\n",
        "---\napproved_at: 2026-11-20\n---\n",
        "---\napproved_by: owner\n---\n",
        "---\nstatus: canonical\napproved_by: owner\n---\n",
        "# PRD\n\nApproved: 2026-11-20 by owner\n",
        "# PRD\n\n**Approved:** 2026-11-20 by owner\n",
        "- Status: final · Approved: 20 November 2026 by owner\n",
        "> Approved by: owner\n",
        "Утверждено: 20.11.2026, заказчик\n",
        "Утвердил: заказчик\n",
    ],
)
def test_a_document_is_approved_in_its_front_matter_or_on_a_line(text: str, reading: Reading) -> None:
    assert find_approval(document(text), reading) is not None


@pytest.mark.parametrize(
    "text",
    [
        "---\nstatus: draft\n---\n",
        "---\nstatus: draft\napproved_by: owner\n---\n",
        "---\napproved_by: tbd\n---\n",
        "---\napproved_by: null\n---\n",
        "---\napproved_by:\n---\n",
        "Approved: no\n",
        "Approved: by owner, soon\n",
        "Approved: pending\n",
        "It was Approved: 2026-11-20 by owner\n",
        "```\nApproved: 2026-11-20 by owner\n```\n",
        "<!-- Approved: 2026-11-20 by owner -->\n",
        "---\nstatus: [approved\n---\n",
    ],
)
def test_and_not_otherwise(text: str, reading: Reading) -> None:
    assert find_approval(document(text), reading) is None


def test_an_approval_in_other_words_is_another_one(reading: Reading) -> None:
    texts = ("approved_by: ann", "approved_by: bob", "approved_by: ann\napproved_at: 2026-11-20", "approved_by:   ann")
    first, second, third, spaced = (find_approval(document(f"---\n{text}\n---\n"), reading) for text in texts)
    assert first != second
    assert first != third
    assert first == spaced


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("2026-11-20T08:00Z and 2026/11/21", ["2026-11-20", "2026-11-21"]),
        ("20.11.2026, 1.2.2026", ["2026-11-20", "2026-02-01"]),
        ("20 Nov 2026, Nov. 21, 2026 and November 22nd 2026", ["2026-11-20", "2026-11-21", "2026-11-22"]),
        ("20 ноября 2026 г.", ["2026-11-20"]),
        ("2026-13-01, 31.02.2026, 1.2.3.2026, v2026-11-200, 12026-11-20", []),
    ],
)
def test_days_are_read_in_their_usual_spellings(text: str, days: list[str], reading: Reading) -> None:
    assert [str(day) for day in dates_in(text, reading.rules.dates)] == days


BASE = "# PRD\n\n- AC-1: a\n- AC-2: b\n\n## Risks\n\nNone at all.\n"


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (BASE.replace("b", "c"), [("AC-2", 4, 4)]),
        (BASE.replace("None at all", "One"), [("prd / risks #1", 8, 8)]),
        (BASE.replace("- AC-2: b\n", ""), [("AC-2", 4, None)]),
        (BASE.replace("- AC-2: b", "- AC-2: b\n- AC-3: c"), [("AC-3", None, 5)]),
        (BASE + "More.\n", [("prd / risks #1", 8, 9)]),
        (BASE.replace("Risks", "Dangers"), [("prd / dangers #1", None, 6), ("prd / risks #1", 6, None)]),
    ],
)
def test_a_change_is_told_by_its_part_and_the_first_line_that_differs(
    after: str, expected: list[tuple[str, int | None, int | None]], reading: Reading
) -> None:
    assert changed(BASE, after, reading) == expected


@pytest.mark.parametrize(
    "after",
    [
        BASE.replace("\n", "\r\n"),
        BASE.replace("None at all.", "None\n  at  all."),
        "---\nstatus: approved\n---\n" + BASE,
        "\ufeff" + BASE,
        BASE.replace("# PRD\n", "# PRD\n\nApproved: 2026-11-20 by owner\n"),
        BASE + "\n## Changelog\n\n- 2026-11-20: first\n\n### Older\n\n- AC-1: what it was\n",
    ],
)
def test_front_matter_approvals_trails_and_white_space_are_no_content(after: str, reading: Reading) -> None:
    assert changed(BASE, after.removeprefix("\ufeff"), reading) == []


def test_ticking_a_box_changes_nothing_and_adding_one_does(reading: Reading) -> None:
    plan = "## Steps\n\n1. [ ] do\n   - [ ] this\n"
    assert changed(plan, plan.replace("[ ]", "[x]"), reading) == []
    assert changed(plan, plan.replace("1. [ ] do", "1. do"), reading) == []
    assert changed(plan, plan + "2. [ ] more\n", reading) != []


def test_what_is_in_code_is_content(reading: Reading) -> None:
    assert changed("# A\n\n```\nx\n```\n", "# A\n\n```\ny\n```\n", reading) == [("a #1", 4, 4)]


@pytest.mark.parametrize(
    "trail",
    [
        "| day | what |\n| --- | --- |\n| 2026-11-26 | AC-2: 900 ms |",
        "- 2026-11-26 — AC-2 has more time",
        "### 2026-11-26\n\n- AC-2 has more time",
        "- 2026-11-26\n  - AC-2 has more time",
        "26 ноября 2026: AC-1..AC-3 ослаблены",
        "- 2026-11-26: reading may be slower",
    ],
)
@pytest.mark.parametrize("heading", ["Changelog", "Revision history", "Журнал изменений"])
def test_an_entry_names_a_change_by_label_or_by_word(trail: str, heading: str, reading: Reading) -> None:
    before = "# PRD\n\n- AC-2: reading takes 50 ms\n"
    after = f"# PRD\n\n- AC-2: reading takes 900 ms\n\n## {heading}\n\n{trail}\n"
    (change,) = differences(parts_of(document(before), reading), parts_of(document(after), reading))
    entries = [entry for entry in entries_in(document(after), reading) if entry.names(change, reading.rules.naming)]
    assert [entry.day for entry in entries] == [date(2026, 11, 26)]


@pytest.mark.parametrize(
    "trail",
    [
        "- 2026-11-26: AC-1 has more time",
        "- 2026-11-26: updated",
        "- AC-2 has more time",
        "- 2026-11-26: new wording of AC-20",
    ],
)
def test_an_entry_without_a_day_or_the_name_of_the_change_is_no_trail(trail: str, reading: Reading) -> None:
    before = "# PRD\n\n- AC-2: reading takes 50 ms\n"
    after = f"# PRD\n\n- AC-2: reading takes 900 ms\n\n## Changelog\n\n{trail}\n"
    (change,) = differences(parts_of(document(before), reading), parts_of(document(after), reading))
    assert not any(entry.names(change, reading.rules.naming) for entry in entries_in(document(after), reading))


def test_a_report_names_the_document_by_its_whole_name_and_says_its_day(reading: Reading) -> None:
    report = document("---\ndate: 2026-11-26\n---\nRead PRD-ABC-0001.md.\n", "datarim/qa/qa-report-ABC-0001.md")
    assert names_document(report, document(""))
    assert not names_document(document("PRD-ABC-00012, PRD-ABC-0001-FU"), document(""))
    assert report_day(report, reading) == date(2026, 11, 26)
    assert report_day(document("# QA\n\nДата: 26.11.2026\n"), reading) == date(2026, 11, 26)
    assert report_day(document("# QA of 2026-11-26\n"), reading) is None
