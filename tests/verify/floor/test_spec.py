"""The rules of the spec graph as checks of the floor: which run, how grave their findings are, and what yields."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from toolkit.policy.sets import PolicySet
from verify.evidence import FindingLimits
from verify.findings import Finding
from verify.floor.check import CheckEntry, CheckResult, FloorContext
from verify.floor.entries import FloorPlan
from verify.floor.expectations import expectations_status, structure_of
from verify.floor.spec import spec_graph_configuration, spec_rule
from verify.quotes import QuoteChecker
from verify.task import find_workspace, load_task
from verify.terms import FILE_QUOTE, FLOOR, NOTHING_TO_RUN, RAN, TEST_OUTPUT

ID = "ABC-0001"
PRD = f"datarim/prd/PRD-{ID}.md"
PLAN = f"datarim/plans/{ID}-plan.md"
WISHES = f"datarim/tasks/{ID}-expectations.md"
DESCRIPTION = f"datarim/tasks/{ID}-task-description.md"
MODE = "DATARIM_SPEC_GRAPH_MODE"
FAULTY = "# PRD\n\n### D-REQ-01: keep\n### D-REQ-02: show\n\n- V-AC-1: x. Covers: D-REQ-01, D-REQ-77\n"


@dataclass
class Floor:
    root: Path
    policies: PolicySet

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())

    def context(self, stage: str = "all") -> FloorContext:
        return FloorContext(load_task(find_workspace(self.root), ID, self.policies), stage, self.policies)

    def entry(self, name: str) -> CheckEntry:
        """The shipped entry of a check."""
        return next(entry for entry in FloorPlan.from_policy(self.policies).entries if entry.id == name)

    def run(self, rule: str, stage: str = "all") -> CheckResult:
        return spec_rule(self.entry(f"dr-spec-lint:{rule}"), self.context(stage))

    def quoted(self, finding: Finding) -> bool:
        """Whether the finding passes its own quote check."""
        checker = QuoteChecker(self.context().task.workspace, FindingLimits.from_policy(self.policies))
        evidence = finding.evidence
        assert evidence.source is not None
        assert evidence.excerpt is not None
        return checker.check(evidence.source, evidence.excerpt, FLOOR)[0] is True


@pytest.fixture
def floor(tmp_path: Path, policies: PolicySet, monkeypatch: pytest.MonkeyPatch) -> Floor:
    monkeypatch.delenv(MODE, raising=False)
    made = Floor(tmp_path, policies)
    made.write(DESCRIPTION, "---\ncomplexity: L3\n---\n# Task\n")
    return made


def test_there_is_one_check_for_each_rule_and_all_of_them_run_at_plan_and_at_all(floor: Floor) -> None:
    plan = FloorPlan.from_policy(floor.policies)
    named = {f"dr-spec-lint:{rule['rule']}" for rule in floor.policies.data("verify.spec-graph")["rules"]}
    ours = {entry.id for entry in plan.entries if entry.uses == "spec_rule"}
    assert ours == named
    for stage, runs in (("prd", False), ("plan", True), ("do", False), ("archive", False), ("all", True)):
        at = {entry.id for entry in plan.at(stage)}
        assert (ours | {"spec-graph-gate:configuration"} <= at) is runs
        assert bool(ours & at) is runs


def test_a_finding_quotes_the_line_at_fault_and_names_what_it_is_about(floor: Floor) -> None:
    floor.write(PRD, FAULTY)
    result = floor.run("covers-resolves")
    (finding,) = result.findings
    assert result.status == RAN
    assert (finding.artifact_ref, finding.evidence.type) == (f"{PRD}:6", FILE_QUOTE)
    assert finding.evidence.excerpt == "- V-AC-1: x. Covers: D-REQ-01, D-REQ-77"
    assert (finding.severity, finding.category, finding.check_name, finding.ac_criteria) == (
        *("medium", "completeness", "dr-spec-lint:covers-resolves"),
        ("V-AC-1",),
    )
    assert finding.suggested_fix is not None
    assert "D-REQ-77" in finding.suggested_fix
    assert floor.quoted(finding)


def test_the_other_declaration_stands_in_the_fix(floor: Floor) -> None:
    floor.write(PRD, "### D-REQ-01: keep\n### D-REQ-01: show\n")
    (finding,) = floor.run("dreq-id-unique").findings
    assert finding.artifact_ref == f"{PRD}:2"
    assert f'{PRD}:1 "### D-REQ-01: keep"' in (finding.suggested_fix or "")


@pytest.mark.parametrize(
    ("mode", "stage", "level", "severity"),
    [
        ("hard", "all", "L3", "high"),
        ("hard", "plan", "L4", "high"),
        ("hard", "plan", "L2", "medium"),
        ("advisory", "all", "L3", "medium"),
        ("", "plan", "L4", "medium"),
        ("harder", "plan", "L4", "medium"),
    ],
)
def test_an_error_is_high_only_where_the_gate_would_block(
    floor: Floor, monkeypatch: pytest.MonkeyPatch, mode: str, stage: str, level: str, severity: str
) -> None:
    monkeypatch.setenv(MODE, mode)
    floor.write(DESCRIPTION, f"---\ncomplexity: {level}\n---\n# Task\n")
    floor.write(PRD, FAULTY)
    assert [finding.severity for finding in floor.run("covers-resolves", stage).findings] == [severity]


def test_in_hard_mode_a_warning_stays_medium_and_an_information_low(
    floor: Floor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MODE, "hard")
    floor.write(PRD, FAULTY + "  Covers: D-REQ-01\n")
    assert [finding.severity for finding in floor.run("dreq-orphan").findings] == ["medium"]
    assert [finding.severity for finding in floor.run("binding-no-duplicate").findings] == ["low"]


@pytest.mark.parametrize(
    ("rule", "written", "why"),
    [
        ("dreq-orphan", (), "PRD"),
        ("vac-binding-present", (PRD,), "plan"),
        ("vac-deliverable-coverage", (PRD,), "plan"),
        ("graph-complete-l3", (PRD, PLAN), "expectations"),
    ],
)
def test_a_document_that_is_missing_leaves_a_rule_nothing_to_run(
    floor: Floor, rule: str, written: tuple[str, ...], why: str
) -> None:
    for path in written:
        floor.write(path, FAULTY if path == PRD else "# Plan\n\n1. Work.\n")
    result = floor.run(rule)
    assert (result.status, result.findings) == (NOTHING_TO_RUN, ())
    assert why in result.detail


def test_a_rule_that_is_not_due_at_the_level_has_nothing_to_run(floor: Floor) -> None:
    floor.write(DESCRIPTION, "---\ncomplexity: L2\n---\n# Task\n")
    floor.write(PRD, FAULTY)
    assert floor.run("dreq-orphan").status == NOTHING_TO_RUN
    assert floor.run("covers-resolves").status == RAN


def test_a_criterion_that_the_gate_of_the_steps_tells_is_not_told_twice(floor: Floor) -> None:
    floor.write(PRD, FAULTY)
    floor.write(PLAN, "# Plan\n\n1. Work.\n")
    told = floor.run("vac-binding-present")
    gates = [entry for entry in FloorPlan.from_policy(floor.policies).at("all") if entry.id == "phase_gate:plan-steps"]
    assert len(told.findings) == (0 if gates else 1)


def test_without_the_plan_a_wish_needs_no_step(floor: Floor) -> None:
    floor.write(PRD, FAULTY)
    floor.write(WISHES, "## Expectations\n\n- **1. totals**\n  - wish_id: totals\n  - Linked AC: V-AC-1\n")
    assert floor.run("graph-complete-l3").findings == ()
    floor.write(PLAN, "# Plan\n\n1. Work.\n")
    (finding,) = floor.run("graph-complete-l3").findings
    assert finding.artifact_ref == f"{WISHES}:3"
    assert floor.quoted(finding)


WISH = "## Expectations\n\n- **1. totals**\n{fields}"
MISPLACED = WISH.format(fields="   - wish_id: totals\n   - Linked AC: V-AC-1\n")
ABSENT = WISH.format(fields="  - wish_id: totals\n")
EMPTY = WISH.format(fields="  - wish_id: totals\n  - Linked AC:\n")
FRONT = f"---\ntask_id: {ID}\nartifact: expectations\nschema_version: 2\n---\n"


@pytest.mark.parametrize("text", [MISPLACED, ABSENT, EMPTY])
def test_a_link_that_could_not_be_read_is_told_with_the_structure_alone(floor: Floor, text: str) -> None:
    floor.write(PRD, FAULTY)
    floor.write(WISHES, FRONT + text)
    result = floor.run("graph-complete-l3")
    assert result.findings == ()
    assert "1 told by expectations_status" in result.detail
    context = floor.context()
    (told,) = expectations_status(floor.entry("expectations_status"), context).findings
    assert (told.evidence.excerpt or "").startswith("structure: ")
    assert any("Связанный AC" in problem.message for problem in context.once(structure_of))


@pytest.mark.parametrize("text", [MISPLACED, ABSENT, EMPTY])
def test_where_nobody_tells_the_structure_such_a_wish_is_told(
    floor: Floor, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    floor.write(PRD, FAULTY)
    floor.write(WISHES, FRONT + text)
    whole = FloorPlan.from_policy(floor.policies)
    entry = floor.entry("dr-spec-lint:graph-complete-l3")
    without = whole._replace(entries=tuple(it for it in whole.entries if it.uses != "expectations_status"))
    monkeypatch.setattr(FloorPlan, "from_policy", lambda _: without)
    (finding,) = spec_rule(entry, floor.context()).findings
    assert "no linked V-AC" in (finding.suggested_fix or "")


@pytest.mark.parametrize(
    "text",
    [
        # The link can be read, and names nothing that the graph binds, or what no document declares.
        WISH.format(fields="   - wish_id: totals\n  - Linked AC: later\n"),
        WISH.format(fields="   - wish_id: totals\n  - Linked AC: V-AC-7\n"),
        # Another wish is at fault.
        MISPLACED + "- **2. print**\n  - wish_id: print\n  - Linked AC: V-AC-7\n",
        # That the section is missing is all that is told.
        MISPLACED.replace("## Expectations", "## Wishes").replace("   - wish_id", "  - wish_id"),
    ],
)
def test_a_wish_whose_own_link_is_at_fault_is_told_beside_the_structure(floor: Floor, text: str) -> None:
    floor.write(PRD, FAULTY)
    floor.write(WISHES, FRONT + text)
    assert len(floor.run("graph-complete-l3").findings) == 1


def test_a_mode_that_is_none_is_a_configuration_fault(floor: Floor, monkeypatch: pytest.MonkeyPatch) -> None:
    floor.write(PRD, FAULTY)
    monkeypatch.setenv(MODE, "harder")
    entry = floor.entry("spec-graph-gate:configuration")
    (finding,) = spec_graph_configuration(entry, floor.context()).findings
    assert (finding.severity, finding.category, finding.artifact_ref) == ("high", "correctness", f"{PRD}:1")
    assert (finding.evidence.type, finding.evidence.source) == (TEST_OUTPUT, f"dr-verify floor {entry.id}")
    assert "harder" in (finding.evidence.excerpt or "")


@pytest.mark.parametrize("documents", [(), (PRD,), (PRD, PLAN), (PLAN, WISHES)])
def test_a_missing_document_is_never_a_configuration_fault(floor: Floor, documents: tuple[str, ...]) -> None:
    for path in documents:
        floor.write(path, "# Something\n")
    assert spec_graph_configuration(floor.entry("spec-graph-gate:configuration"), floor.context()).findings == ()
