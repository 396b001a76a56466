"""The documents that a task owes: told once, by its level and its age, and never of a task that owes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest
from captured_support import ID, TASKS, checklist, description, init_task, question, wish, workspace, write

from toolkit.policy.sets import PolicySet
from verify.evidence import FindingLimits
from verify.findings import Finding
from verify.floor.check import Check, CheckEntry, CheckResult, FloorContext
from verify.floor.entries import FloorPlan
from verify.floor.presence import expectations_presence, init_task_presence, plan_presence
from verify.quotes import QuoteChecker
from verify.task import find_workspace, load_task
from verify.terms import FILE_QUOTE, FLOOR, NOTHING_TO_RUN, RAN, TEST_OUTPUT

TODAY = date(2026, 11, 30)
INIT = f"{TASKS}/{ID}-init-task.md"
DESCRIPTION = f"{TASKS}/{ID}-task-description.md"
EXPECTATIONS = f"{TASKS}/{ID}-expectations.md"
PLAN = f"datarim/plans/{ID}-plan.md"


@dataclass
class Floor:
    root: Path
    policies: PolicySet
    stage: str = "all"

    def context(self) -> FloorContext:
        task = load_task(find_workspace(self.root), ID, self.policies)
        return FloorContext(task, self.stage, self.policies, today=TODAY)

    def run(self, check: Check) -> CheckResult:
        return check(self.entry(check.__name__), self.context())

    def one(self, check: Check) -> Finding:
        result = self.run(check)
        assert result.status == RAN
        (finding,) = result.findings
        assert (finding.category, finding.check_name, finding.source_layer) == ("completeness", check.__name__, FLOOR)
        assert len(finding.evidence.excerpt or "") <= 200
        assert len(finding.suggested_fix or "") <= 500
        return finding

    def entry(self, name: str) -> CheckEntry:
        entries = FloorPlan.from_policy(self.policies).entries
        return next(entry for entry in entries if entry.id == name)

    def quoted(self, finding: Finding) -> bool:
        checker = QuoteChecker(self.context().task.workspace, FindingLimits.from_policy(self.policies))
        assert finding.evidence.source is not None
        assert finding.evidence.excerpt is not None
        return checker.check(finding.evidence.source, finding.evidence.excerpt, FLOOR)[0] is True


@pytest.fixture
def floor(tmp_path: Path, policies: PolicySet) -> Floor:
    return Floor(workspace(tmp_path, init_task=init_task(), expectations=checklist(wish())), policies)


def test_what_is_there_is_no_finding(floor: Floor) -> None:
    write(floor.root, PLAN, "# Plan\n")
    for check in (init_task_presence, expectations_presence, plan_presence):
        result = floor.run(check)
        assert (result.status, result.findings) == (RAN, ())
        assert "is there" in result.detail


@pytest.mark.parametrize(
    ("started", "severity", "said"),
    [
        ("2026-11-25", "medium", "5 day(s) old"),
        ("2026-11-01", "medium", "29 day(s) old"),
        ("2026-10-31", "low", "30 day(s) old"),
        ("2020-01-01", "low", "outside the window of 30"),
        ("2027-01-01", "medium", "inside the window of 30"),
        ("2026-11-25T23:59-05:00", "medium", "4 day(s) old"),
        ("soon", "medium", "no date was found"),
        ("", "medium", "no date was found"),
    ],
)
def test_a_missing_init_task_weighs_by_the_age_of_the_task(
    floor: Floor, started: str, severity: str, said: str
) -> None:
    (floor.root / INIT).unlink()
    write(floor.root, DESCRIPTION, description(started=started))
    finding = floor.one(init_task_presence)
    assert (finding.severity, finding.artifact_ref) == (severity, f"{INIT}:1")
    assert finding.evidence.type == TEST_OUTPUT
    assert finding.evidence.source == "dr-verify floor init_task_presence"
    assert said in (finding.evidence.excerpt or "")


def test_the_init_tasks_own_date_counts_where_the_description_has_none(floor: Floor) -> None:
    write(floor.root, DESCRIPTION, description(started=""))
    write(floor.root, INIT, init_task(captured_at="2020-01-01").replace("maintainer", "''"))
    finding = floor.one(init_task_presence)
    assert finding.severity == "low"


@pytest.mark.parametrize(
    ("old", "new", "line", "quote"),
    [
        ("task_id: ABC-0001", "task_id: ABC-0002", 2, True),
        ("schema_version: 1", "schema_version: 7", 4, True),
        ("operator: maintainer\n", "", 1, False),
        ("status: canonical", "status: [canonical", 8, True),
        ("---\ntask_id", "task_id", 1, False),
    ],
)
def test_a_malformed_front_matter_is_one_finding_that_quotes_its_line(
    floor: Floor, old: str, new: str, line: int, quote: bool
) -> None:
    write(floor.root, INIT, init_task().replace(old, new, 1))
    finding = floor.one(init_task_presence)
    assert finding.severity == "medium"
    assert finding.artifact_ref == f"{INIT}:{line}"
    assert finding.evidence.type == (FILE_QUOTE if quote else TEST_OUTPUT)
    assert floor.quoted(finding) is quote
    assert "day(s) old" in (finding.suggested_fix or "")


def test_several_faults_of_a_front_matter_are_one_finding_that_counts_them(floor: Floor) -> None:
    write(floor.root, INIT, "---\ntask_id: ABC-0001\n---\n")
    finding = floor.one(init_task_presence)
    assert "(and 5 more)" in (finding.evidence.excerpt or "")
    assert "captured_at" in (finding.suggested_fix or "")


def test_faults_below_the_front_matter_are_the_commands_to_tell(floor: Floor) -> None:
    write(floor.root, INIT, init_task(question("nobody")).replace("## Append-log", "## Log"))
    result = floor.run(init_task_presence)
    assert result.findings == ()
    assert f"dr-verify init-task --task {ID} tells 2 more" in result.detail


@pytest.mark.parametrize(("level", "severity"), [("L1", None), ("L2", None), ("L3", "medium"), ("L4", "medium")])
@pytest.mark.parametrize(("check", "place"), [(expectations_presence, EXPECTATIONS), (plan_presence, PLAN)])
def test_expectations_and_a_plan_are_owed_from_l3_on(
    floor: Floor, level: str, severity: str | None, check: Check, place: str
) -> None:
    (floor.root / EXPECTATIONS).unlink()
    write(floor.root, DESCRIPTION, description(complexity=level))
    if severity is None:
        result = floor.run(check)
        assert (result.status, result.findings) == (NOTHING_TO_RUN, ())
        assert level in result.detail
        return
    finding = floor.one(check)
    assert (finding.severity, finding.artifact_ref) == (severity, f"{place}:1")
    assert finding.evidence.type == TEST_OUTPUT
    assert f"{place}: it does not exist" in (finding.evidence.excerpt or "")
    assert level in (finding.evidence.excerpt or "")


@pytest.mark.parametrize(
    "more", [{"legacy": "true"}, {"status": "completed"}, {"status": "cancelled"}, {"status": "archived"}]
)
@pytest.mark.parametrize("check", [init_task_presence, expectations_presence, plan_presence])
def test_a_task_that_is_over_or_older_than_these_rules_owes_nothing(
    floor: Floor, more: dict[str, str], check: Check
) -> None:
    (floor.root / INIT).unlink()
    (floor.root / EXPECTATIONS).unlink()
    write(floor.root, DESCRIPTION, description(**more))
    result = floor.run(check)
    assert (result.status, result.findings) == (NOTHING_TO_RUN, ())
    ((key, value),) = more.items()
    assert f"says {key}: {value}" in result.detail


def test_an_archive_document_ends_what_a_task_owes(floor: Floor) -> None:
    (floor.root / INIT).unlink()
    write(floor.root, f"documentation/archive/area/archive-{ID}.md", "done\n")
    assert floor.run(init_task_presence).status == NOTHING_TO_RUN


def test_malformed_expectations_are_told_once_by_the_check_of_their_status(floor: Floor) -> None:
    write(floor.root, EXPECTATIONS, "no front matter\n")
    result = floor.run(expectations_presence)
    assert result.findings == ()
    assert "expectations_status tells whether it holds" in result.detail


def test_where_no_other_check_tells_it_malformed_expectations_are_told_as_missing_ones(
    floor: Floor, policies: PolicySet, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = FloorPlan.from_policy(policies)
    kept = FloorPlan(entries.all_means, tuple(one for one in entries.entries if one.uses != "expectations_status"))
    monkeypatch.setattr(FloorPlan, "from_policy", lambda _policies: kept)
    assert "is there and holds" in floor.run(expectations_presence).detail
    write(floor.root, EXPECTATIONS, checklist(wish(), task_id="ABC-0002"))
    finding = floor.one(expectations_presence)
    assert (finding.severity, finding.artifact_ref) == ("medium", f"{EXPECTATIONS}:2")
    assert floor.quoted(finding)


@pytest.mark.parametrize(
    ("stage", "plan"), [("prd", False), ("plan", True), ("do", True), ("archive", False), ("all", True)]
)
def test_each_check_belongs_to_its_stages(policies: PolicySet, stage: str, plan: bool) -> None:
    ids = [entry.id for entry in FloorPlan.from_policy(policies).at(stage)]
    assert {"init_task_presence", "expectations_presence", "expectations_status"} <= set(ids)
    assert ("plan_presence" in ids) is plan
