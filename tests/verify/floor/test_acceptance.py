"""The checks on acceptance criteria: one finding each, quoted verbatim, and a PRD without any is never a pass."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from toolkit.policy.sets import PolicySet
from verify.evidence import FindingLimits
from verify.findings import Finding
from verify.floor.acceptance import ac_coverage_grep, no_acceptance_criteria
from verify.floor.check import Check, CheckEntry, CheckResult, FloorContext
from verify.quotes import QuoteChecker
from verify.task import find_workspace, load_task
from verify.terms import FILE_QUOTE, FLOOR, NOTHING_TO_RUN, RAN, TEST_OUTPUT

ID = "ABC-0001"
PRD = f"datarim/prd/PRD-{ID}.md"
DESCRIPTION = f"datarim/tasks/{ID}-task-description.md"
PLAN = f"datarim/plans/{ID}-plan.md"
WORKSPACES = Path(__file__).parents[2] / "workspaces"


@dataclass
class Floor:
    root: Path
    policies: PolicySet

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())

    def context(self, task_id: str = ID) -> FloorContext:
        return FloorContext(load_task(find_workspace(self.root), task_id, self.policies), "all", self.policies)

    def run(self, check: Check, task_id: str = ID) -> CheckResult:
        return check(entry(self.policies, check), self.context(task_id))

    def quoted(self, finding: Finding) -> bool:
        """Whether the finding passes its own quote check."""
        checker = QuoteChecker(self.context().task.workspace, FindingLimits.from_policy(self.policies))
        evidence = finding.evidence
        assert evidence.source is not None
        assert evidence.excerpt is not None
        return checker.check(evidence.source, evidence.excerpt, FLOOR)[0] is True


def entry(policies: PolicySet, check: Check) -> CheckEntry:
    """The shipped entry of a check."""
    name = check.__name__
    record = next(record for record in policies.data("verify.floor")["checks"] if record["uses"] == name)
    return CheckEntry(
        record["id"], name, record["severity"], record["category"], tuple(record["stages"]), record["with"]
    )


@pytest.fixture
def floor(tmp_path: Path, policies: PolicySet) -> Floor:
    floor = Floor(tmp_path, policies)
    floor.write(DESCRIPTION, "---\ncomplexity: L3\n---\n# Task\n")
    return floor


def test_each_criterion_without_a_cue_is_one_finding_on_its_own_line(floor: Floor) -> None:
    floor.write(PRD, "# PRD\n\n- **AC-1** one. Verify: `make`\n  - AC-2: two\r\n\n| n | AC |\n|-|-|\n| x | AC-10 |\n")
    result = floor.run(ac_coverage_grep)
    assert [(f.ac_criteria, f.artifact_ref, f.evidence.excerpt) for f in result.findings] == [
        (("AC-2",), f"{PRD}:4", "  - AC-2: two"),
        (("AC-10",), f"{PRD}:8", "| x | AC-10 |"),
    ]
    for finding in result.findings:
        assert (finding.severity, finding.category, finding.check_name) == (
            "medium",
            "completeness",
            "ac_coverage_grep",
        )
        assert (finding.source_layer, finding.finding_id) == (FLOOR, "")
        assert (finding.evidence.type, finding.evidence.source) == (FILE_QUOTE, finding.artifact_ref)
        assert finding.ac_criteria[0] in (finding.suggested_fix or "")
        assert floor.quoted(finding)
    assert result.status == RAN
    assert result.detail.startswith("3 acceptance criteria, 1 with a verification cue")


def test_a_label_defined_twice_is_one_finding_at_its_first_definition(floor: Floor) -> None:
    floor.write(PRD, "- AC-1: x\n- AC-1: y\n")
    (finding,) = floor.run(ac_coverage_grep).findings
    assert finding.artifact_ref == f"{PRD}:1"


@pytest.mark.parametrize("line", ["- AC-1: " + "и" * 300, " " * 3 + "- AC-1: " + "🙂 " * 200, "- AC-1: " + "x" * 192])
def test_a_long_line_is_cut_on_characters_and_says_so(floor: Floor, line: str) -> None:
    floor.write(PRD, line + "\n")
    (finding,) = floor.run(ac_coverage_grep).findings
    excerpt = finding.evidence.excerpt or ""
    if len(line) <= 200:
        assert excerpt == line
    else:
        assert len(excerpt) == 200
        assert excerpt.endswith("[truncated]")
        assert excerpt.removesuffix("[truncated]") in line
    assert floor.quoted(finding)


@pytest.mark.parametrize("line", ["- **AC-1**", "# AC-1", "|a|\n|-|\n|AC-1|"])
def test_a_line_shorter_than_any_quote_still_passes_its_quote_check(floor: Floor, line: str) -> None:
    floor.write(PRD, f"{line}\n")
    (finding,) = floor.run(ac_coverage_grep).findings
    assert floor.quoted(finding)


def test_lines_count_from_the_top_of_the_file_below_front_matter(floor: Floor) -> None:
    floor.write(PRD, "---\ncomplexity: L3\n---\n\n- AC-1: x\n")
    (finding,) = floor.run(ac_coverage_grep).findings
    assert (finding.artifact_ref, finding.evidence.excerpt) == (f"{PRD}:5", "- AC-1: x")


def test_coverage_has_nothing_to_run_without_a_prd_or_criteria(floor: Floor) -> None:
    assert floor.run(ac_coverage_grep).status == NOTHING_TO_RUN
    floor.write(PRD, "# PRD\n")
    result = floor.run(ac_coverage_grep)
    assert (result.status, result.findings) == (NOTHING_TO_RUN, ())


def test_a_prd_without_criteria_is_a_finding_never_a_pass(floor: Floor) -> None:
    floor.write(PRD, "# PRD\n\nAll is said in AC-1 of the other document.\n\n```\n- AC-2: an example\n```\n")
    result = floor.run(no_acceptance_criteria)
    (finding,) = result.findings
    assert (result.status, finding.severity, finding.category) == (RAN, "medium", "completeness")
    assert (finding.artifact_ref, finding.ac_criteria) == (f"{PRD}:1", ())
    assert finding.evidence.type == TEST_OUTPUT
    assert finding.evidence.source == "dr-verify floor no_acceptance_criteria"
    assert finding.evidence.excerpt == f"No acceptance criterion was found in {PRD}."


def test_a_prd_with_criteria_is_counted(floor: Floor) -> None:
    floor.write(PRD, "- AC-1: x\n")
    result = floor.run(no_acceptance_criteria)
    assert (result.status, result.detail, result.findings) == (RAN, "1 acceptance criterion found", ())


@pytest.mark.parametrize(("level", "severity"), [("L2", "low"), ("L3", "medium"), ("L4", "medium")])
def test_a_missing_prd_is_as_grave_as_its_level_says(floor: Floor, level: str, severity: str) -> None:
    floor.write(DESCRIPTION, f"---\ncomplexity: {level}\n---\n")
    result = floor.run(no_acceptance_criteria)
    (finding,) = result.findings
    assert (finding.severity, finding.artifact_ref, finding.evidence.type) == (severity, f"{PRD}:1", TEST_OUTPUT)
    assert PRD in (finding.evidence.excerpt or "")


def test_no_prd_is_due_at_a_level_that_the_policy_does_not_name(floor: Floor) -> None:
    silent = entry(floor.policies, no_acceptance_criteria)._replace(parameters={"absent_severity": {"L4": "high"}})
    assert no_acceptance_criteria(silent, floor.context()).status == NOTHING_TO_RUN


@pytest.mark.parametrize("path", [DESCRIPTION, PLAN])
@pytest.mark.parametrize(
    "line", ["**PRD waived:** a typo only", "> PRD waived: a typo only", "- **PRD waived**: a typo only"]
)
def test_a_waiver_with_a_reason_stands_for_a_missing_prd(floor: Floor, path: str, line: str) -> None:
    floor.write(path, f"# Document\n\n{line}\n")
    result = floor.run(no_acceptance_criteria)
    assert (result.status, result.findings) == (NOTHING_TO_RUN, ())
    assert f"{path}:3" in result.detail
    assert "a typo only" in result.detail


@pytest.mark.parametrize(
    "line",
    [
        "**PRD waived:**",
        "**PRD waived:** TBD",
        "**PRD waived:** TBD by the owner",
        "```\n**PRD waived:** a typo only\n```",
        "<!-- **PRD waived:** a typo only -->",
        "It is not **PRD waived:** a typo only",
    ],
)
def test_a_waiver_without_a_reason_or_in_code_waives_nothing(floor: Floor, line: str) -> None:
    floor.write(DESCRIPTION, f"{line}\n")
    assert floor.run(no_acceptance_criteria).findings


def test_a_waiver_does_not_excuse_a_prd_that_is_there(floor: Floor) -> None:
    floor.write(DESCRIPTION, "**PRD waived:** a typo only\n")
    floor.write(PRD, "# PRD\n")
    assert floor.run(no_acceptance_criteria).findings


@pytest.mark.parametrize(("name", "task"), [("ac-forms", "ACF-0001"), ("fences-and-prefixes", "FEN-0002")])
def test_the_known_workspaces_give_the_known_findings(
    tmp_path: Path, policies: PolicySet, name: str, task: str
) -> None:
    shutil.copytree(WORKSPACES / name, tmp_path / name)
    expected = json.loads((WORKSPACES / name / "expected.json").read_text())
    result = Floor(tmp_path / name, policies).run(ac_coverage_grep, task)
    assert [[*finding.ac_criteria] for finding in result.findings] == [
        entry["ac_criteria"] for entry in expected["expect"]
    ]
    assert {finding.severity for finding in result.findings} == {"medium"}


def test_criteria_are_read_once_for_all_checks(floor: Floor, monkeypatch: pytest.MonkeyPatch) -> None:
    floor.write(PRD, "- AC-1: x\n")
    context = floor.context()
    checks: list[Callable[[CheckEntry, FloorContext], CheckResult]] = [ac_coverage_grep, no_acceptance_criteria]
    first = checks[0](entry(floor.policies, checks[0]), context)

    def never(*_: object) -> None:
        raise AssertionError("the PRD was read again")

    monkeypatch.setattr("verify.floor.acceptance.find_criteria", never)
    second = checks[1](entry(floor.policies, checks[1]), context)
    assert (first.status, second.status) == (RAN, RAN)
