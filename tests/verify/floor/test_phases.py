"""The gates of the stages: one finding a fault, as grave as the level says; nothing where nothing is to be asked."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from toolkit.policy.sets import PolicySet
from verify.evidence import FindingLimits
from verify.findings import Finding
from verify.floor.check import CheckEntry, CheckResult, FloorContext
from verify.floor.entries import FloorPlan
from verify.floor.gates.evidence import evidence_claims, evidence_of
from verify.floor.gates.forms import stage_gates
from verify.floor.gates.stages import phase_gate, unplanned_criteria
from verify.quotes import QuoteChecker
from verify.task import find_workspace, load_task
from verify.terms import COULD_NOT_RUN, FILE_QUOTE, FLOOR, NOTHING_TO_RUN, RAN, TEST_OUTPUT

ID = "ABC-0001"
PRD = f"datarim/prd/PRD-{ID}.md"
PLAN = f"datarim/plans/{ID}-plan.md"
DESCRIPTION = f"datarim/tasks/{ID}-task-description.md"
QA = f"datarim/qa/qa-report-{ID}.md"
COMPLIANCE = f"datarim/reports/compliance-report-{ID}.md"
GATES = ("prd-measurable", "prd-risks", "plan-steps", "plan-stride", "plan-rollback", "do-evidence")

GOOD_PRD = """# PRD

- V-AC-1: totals survive a restart. Verify: `pytest -k totals` exits 0
- V-AC-2: reading takes at most 50 ms. Verify: `pytest -k speed`

## Risks

| risk | mitigation |
| --- | --- |
| lost writes | fsync |
| slow start | load lazily |
| wrong sums | property tests |
"""
GOOD_PLAN = """# Plan

## Steps

1. Store them. Verifies: V-AC-1
2. Read them. Verifies: V-AC-2

## Security design

- Spoofing: n/a because local only
- Tampering: checksum
- Repudiation: log
- Information disclosure: file mode 0600
- Denial of service: size limit
- Elevation of privilege: no privileges

## Rollback

Revert the commit.
"""
GOOD_DESCRIPTION = """# Task

- Evidence: V-AC-1 — `pytest -k totals` exits 0
- Evidence: V-AC-2 — `pytest -k speed` 12 ms
"""
BAD_PRD = "# PRD\n\n- V-AC-1: it is nice. Verify: `make look`\n"


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

    def entry(self, gate: str) -> CheckEntry:
        entries = FloorPlan.from_policy(self.policies).entries
        return next(entry for entry in entries if entry.id == f"phase_gate:{gate}")

    def run(self, gate: str) -> CheckResult:
        return phase_gate(self.entry(gate), self.context())

    def quoted(self, finding: Finding) -> bool:
        """Whether the finding passes its own quote check."""
        checker = QuoteChecker(self.context().task.workspace, FindingLimits.from_policy(self.policies))
        evidence = finding.evidence
        assert evidence.source is not None
        assert evidence.excerpt is not None
        return checker.check(evidence.source, evidence.excerpt, FLOOR)[0] is True

    def git(self, *command: str) -> str:
        author = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
        done = subprocess.run(["git", *author, *command], cwd=self.root, check=True, capture_output=True, text=True)
        return done.stdout.strip()


@pytest.fixture
def floor(tmp_path: Path, policies: PolicySet, monkeypatch: pytest.MonkeyPatch) -> Floor:
    """A workspace with a task of level 3 and no documents that a gate reads, in no repository."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    floor = Floor(tmp_path / "work", policies)
    floor.write("datarim/tasks.md", f"- {ID} · in_progress · P1 · L3 · thing → tasks/{ID}-task-description.md\n")
    return floor


@pytest.fixture
def good(floor: Floor) -> Floor:
    """The same with a PRD, a plan and evidence that every gate accepts."""
    for path, text in ((PRD, GOOD_PRD), (PLAN, GOOD_PLAN), (DESCRIPTION, GOOD_DESCRIPTION)):
        floor.write(path, text)
    return floor


# Every gate


@pytest.mark.parametrize("gate", GATES)
def test_a_task_that_shows_everything_passes_each_gate(good: Floor, gate: str) -> None:
    result = good.run(gate)
    assert (result.status, result.findings) == (RAN, ())


@pytest.mark.parametrize(("level", "severity"), [("L2", "low"), ("L3", "medium"), ("L4", "medium")])
@pytest.mark.parametrize("gate", GATES)
def test_a_finding_is_as_grave_as_the_level_says(floor: Floor, gate: str, level: str, severity: str) -> None:
    floor.write("datarim/tasks.md", f"- {ID} · in_progress · P1 · {level} · thing\n")
    floor.write(PRD, BAD_PRD)
    floor.write(PLAN, "# Plan\n")
    (finding,) = floor.run(gate).findings
    safety = gate in ("plan-stride", "plan-rollback")
    assert (finding.severity, finding.category) == (severity, "safety" if safety else "completeness")
    assert finding.check_name == f"phase_gate:{gate}"
    assert finding.source_layer == FLOOR
    if finding.evidence.type == FILE_QUOTE:
        assert floor.quoted(finding)
    else:
        assert finding.evidence.type == TEST_OUTPUT
        assert finding.evidence.source == f"dr-verify floor phase_gate:{gate}"


@pytest.mark.parametrize("gate", GATES)
def test_a_trivial_task_is_not_asked(floor: Floor, gate: str) -> None:
    floor.write("datarim/tasks.md", f"- {ID} · in_progress · P1 · L1 · thing\n")
    floor.write(PRD, BAD_PRD)
    floor.write(PLAN, "# Plan\n")
    result = floor.run(gate)
    assert (result.status, result.findings) == (NOTHING_TO_RUN, ())
    assert "L1" in result.detail


@pytest.mark.parametrize("gate", GATES)
def test_without_any_document_there_is_nothing_to_ask(floor: Floor, gate: str) -> None:
    result = floor.run(gate)
    assert (result.status, result.findings) == (NOTHING_TO_RUN, ())


@pytest.mark.parametrize("gate", ["prd-measurable", "prd-risks", "plan-steps", "do-evidence"])
def test_a_waived_prd_is_not_asked_for(floor: Floor, gate: str) -> None:
    floor.write(PLAN, GOOD_PLAN)
    floor.write(DESCRIPTION, "**PRD waived:** a typo only\n")
    result = floor.run(gate)
    assert (result.status, result.findings) == (NOTHING_TO_RUN, ())
    assert "a typo only" in result.detail


@pytest.mark.parametrize("gate", ["prd-measurable", "plan-steps", "do-evidence"])
def test_a_prd_without_criteria_is_told_by_another_check(floor: Floor, gate: str) -> None:
    floor.write(PRD, "# PRD\n\nNothing yet.\n")
    floor.write(PLAN, GOOD_PLAN)
    assert floor.run(gate).status == NOTHING_TO_RUN


def test_each_gate_has_its_entry_and_each_entry_its_gate(floor: Floor) -> None:
    entries = [entry for entry in FloorPlan.from_policy(floor.policies).entries if entry.uses == "phase_gate"]
    gates = stage_gates(floor.context())
    assert {entry.id: entry.parameters["gate"] for entry in entries} == {f"phase_gate:{name}": name for name in gates}
    assert set(gates) == set(GATES)


@pytest.mark.parametrize(
    ("stage", "asked"),
    [("prd", GATES[:2]), ("plan", GATES[:5]), ("do", GATES[5:]), ("archive", ()), ("all", GATES)],
)
def test_each_stage_asks_its_gates(floor: Floor, stage: str, asked: tuple[str, ...]) -> None:
    entries = FloorPlan.from_policy(floor.policies).at(stage)
    assert [entry.id for entry in entries if entry.uses == "phase_gate"] == [f"phase_gate:{name}" for name in asked]


# prd


def test_a_vague_criterion_is_quoted_alone(floor: Floor) -> None:
    floor.write(PRD, "# PRD\n\n- V-AC-1: at most 50 ms\n- V-AC-2: nice. Verify: `make look`\n")
    (finding,) = floor.run("prd-measurable").findings
    assert (finding.artifact_ref, finding.ac_criteria) == (f"{PRD}:4", ("V-AC-2",))
    assert finding.evidence.excerpt == "- V-AC-2: nice. Verify: `make look`"
    assert "`returns 404`" in (finding.suggested_fix or "")


def test_any_of_several_definitions_may_hold_the_measure(floor: Floor) -> None:
    floor.write(PRD, "- AC-1: quick\n\n## Details\n\n### AC-1 quick\n\nIt takes at most 50 ms.\n")
    assert floor.run("prd-measurable").findings == ()


def test_too_few_risks_are_counted_and_the_first_without_a_mitigation_is_cited(floor: Floor) -> None:
    floor.write(PRD, "# PRD\n\n## Risks\n\n| risk | mitigation |\n| - | - |\n| a | x |\n| lost writes | TBD |\n")
    (finding,) = floor.run("prd-risks").findings
    assert finding.artifact_ref == f"{PRD}:1"
    assert finding.evidence.excerpt == f"1 risk is named with a mitigation in {PRD}; at least 3 are asked for."
    assert f'{PRD}:8 "| lost writes | TBD |"' in (finding.suggested_fix or "")


@pytest.mark.parametrize(("risks", "findings"), [(2, 1), (3, 0), (4, 0)])
def test_the_policy_says_how_many_risks(floor: Floor, risks: int, findings: int) -> None:
    floor.write(PRD, "## Риски\n\n" + "".join(f"- риск {n}. Митигация: мера {n}\n" for n in range(risks)))
    assert len(floor.run("prd-risks").findings) == findings


def test_risks_are_asked_of_a_prd_without_criteria(floor: Floor) -> None:
    floor.write(PRD, "# PRD\n")
    assert len(floor.run("prd-risks").findings) == 1


# plan


def test_a_criterion_without_a_step_is_quoted_from_the_prd(good: Floor) -> None:
    good.write(PLAN, GOOD_PLAN.replace("Verifies: V-AC-2", ""))
    (finding,) = good.run("plan-steps").findings
    assert (finding.artifact_ref, finding.ac_criteria) == (f"{PRD}:4", ("V-AC-2",))
    assert f"No step of {PLAN} serves V-AC-2" in (finding.suggested_fix or "")


@pytest.mark.parametrize(
    "plan",
    [
        "## Steps\n\n1. Both. Verifies: V-AC-1..V-AC-2\n",
        "## Step 1 Both\n\n*Verifies: V-AC-1, V-AC-2*\n",
        "## Steps\n\n1. Both\n\n## Coverage\n\n| AC | Step |\n| - | - |\n| V-AC-1, V-AC-2 | 1 |\n",
        "## Шаги\n\n1. Оба. Проверяет: V-AC-1 и V-AC-2\n",
    ],
)
def test_a_step_or_a_table_may_serve_the_criteria(good: Floor, plan: str) -> None:
    good.write(PLAN, f"# Plan\n\n{plan}")
    assert good.run("plan-steps").findings == ()


def test_a_mention_serves_nothing(good: Floor) -> None:
    good.write(PLAN, "# Plan\n\n## Steps\n\n1. It has to do with V-AC-1 and V-AC-2.\n")
    assert [it.ac_criteria for it in good.run("plan-steps").findings] == [("V-AC-1",), ("V-AC-2",)]


def test_the_categories_without_an_answer_are_named(good: Floor) -> None:
    plan = GOOD_PLAN.replace("- Tampering: checksum\n", "").replace("- Repudiation: log\n", "- Repudiation: n/a\n")
    good.write(PLAN, plan)
    (finding,) = good.run("plan-stride").findings
    line = plan.split("\n").index("- Repudiation: n/a") + 1
    assert finding.evidence.excerpt == f"STRIDE without an answer: Tampering, Repudiation (named at {PLAN}:{line})."


def test_a_plan_without_a_security_design_is_told_in_one_finding(good: Floor) -> None:
    good.write(PLAN, "# Plan\n")
    (finding,) = good.run("plan-stride").findings
    assert finding.artifact_ref == f"{PLAN}:1"
    assert finding.evidence.excerpt == f"{PLAN} has no security design by STRIDE."


def test_a_reason_stands_for_the_security_design(good: Floor) -> None:
    good.write(PLAN, "# Plan\n\nSecurity design: not applicable — a document only\n")
    result = good.run("plan-stride")
    assert (result.findings, f"{PLAN}:3" in result.detail) == ((), True)


def test_a_rollback_that_says_nothing_is_quoted(good: Floor) -> None:
    good.write(PLAN, "# Plan\n\n**Rollback:** n/a\n")
    (finding,) = good.run("plan-rollback").findings
    assert (finding.artifact_ref, finding.evidence.excerpt) == (f"{PLAN}:3", "**Rollback:** n/a")
    assert good.quoted(finding)


def test_a_plan_without_a_rollback_is_told(good: Floor) -> None:
    good.write(PLAN, "# Plan\n")
    (finding,) = good.run("plan-rollback").findings
    assert (finding.artifact_ref, finding.evidence.type) == (f"{PLAN}:1", TEST_OUTPUT)


@pytest.mark.parametrize("stage", ["plan", "all"])
def test_the_criteria_without_a_step_are_known_to_other_checks(good: Floor, stage: str) -> None:
    good.write(PLAN, GOOD_PLAN.replace("Verifies: V-AC-2", ""))
    assert unplanned_criteria(good.context(stage)) == {"V-AC-2"}


@pytest.mark.parametrize("stage", ["prd", "do", "archive"])
def test_at_a_stage_that_does_not_ask_for_steps_none_are_told(good: Floor, stage: str) -> None:
    good.write(PLAN, "# Plan\n")
    assert unplanned_criteria(good.context(stage)) == frozenset()


def test_without_a_plan_or_at_a_level_that_is_not_asked_none_are_told(good: Floor) -> None:
    (good.root / PLAN).unlink()
    assert unplanned_criteria(good.context()) == frozenset()
    good.write(PLAN, "# Plan\n")
    assert unplanned_criteria(good.context()) == {"V-AC-1", "V-AC-2"}
    good.write("datarim/tasks.md", f"- {ID} · in_progress · P1 · L1 · thing\n")
    assert unplanned_criteria(good.context()) == frozenset()


def test_a_gate_that_is_switched_off_tells_none(good: Floor, monkeypatch: pytest.MonkeyPatch) -> None:
    good.write(PLAN, "# Plan\n")
    whole = FloorPlan.from_policy(good.policies)
    without = whole._replace(entries=tuple(it for it in whole.entries if it.id != "phase_gate:plan-steps"))
    monkeypatch.setattr(FloorPlan, "from_policy", lambda _: without)
    assert unplanned_criteria(good.context()) == frozenset()


# do


def test_a_criterion_without_evidence_is_quoted_from_the_prd(good: Floor) -> None:
    good.write(DESCRIPTION, "# Task\n\n- Evidence: V-AC-1 — `pytest -k totals` exits 0\n")
    (finding,) = good.run("do-evidence").findings
    assert (finding.artifact_ref, finding.ac_criteria) == (f"{PRD}:4", ("V-AC-2",))
    assert QA in (finding.suggested_fix or "")


def test_a_claim_that_does_not_count_is_quoted_itself(good: Floor) -> None:
    good.write(DESCRIPTION, GOOD_DESCRIPTION.replace("`pytest -k speed` 12 ms", "`src/gone.py:3`"))
    (finding,) = good.run("do-evidence").findings
    assert (finding.artifact_ref, finding.ac_criteria) == (f"{DESCRIPTION}:4", ("V-AC-2",))
    assert finding.evidence.excerpt == "- Evidence: V-AC-2 — `src/gone.py:3`"
    assert "src/gone.py stands under no declared root" in (finding.suggested_fix or "")
    assert f'{PRD}:4 "- V-AC-2: reading takes' in (finding.suggested_fix or "")
    assert good.quoted(finding)


@pytest.mark.parametrize("path", [DESCRIPTION, QA, COMPLIANCE])
def test_each_of_the_documents_may_give_the_evidence(good: Floor, path: str) -> None:
    good.write(DESCRIPTION, "# Task\n")
    good.write(path, GOOD_DESCRIPTION)
    assert good.run("do-evidence").findings == ()


@pytest.mark.parametrize("path", [PRD, PLAN])
def test_other_documents_give_no_evidence(good: Floor, path: str) -> None:
    good.write(DESCRIPTION, "# Task\n")
    good.write(path, (good.root / path).read_text() + "\n" + GOOD_DESCRIPTION)
    assert len(good.run("do-evidence").findings) == 2


def test_one_good_claim_makes_up_for_a_bad_one(good: Floor) -> None:
    good.write(QA, "- Evidence: V-AC-1 — logged\n- Evidence: V-AC-2 — done\n")
    assert good.run("do-evidence").findings == ()


@pytest.mark.parametrize(
    ("cited", "counts"),
    [
        ("src/store.py:1", True),
        (f"qa-report-{ID}.md:1", True),
        ("../../src/store.py:1", True),
        ("src:1", False),
        ("src/store.py", False),
        ("src/gone.py:1", False),
        ("../../../outside.py:1", False),
    ],
)
def test_a_cited_file_has_to_stand_under_a_root(good: Floor, cited: str, counts: bool) -> None:
    good.write("src/store.py", "T = 1\n")
    good.write("../outside.py", "T = 1\n")
    good.write(QA, "# Report\n")
    good.write(DESCRIPTION, f"- Evidence: V-AC-1, V-AC-2 — `{cited}`\n")
    assert bool(good.run("do-evidence").findings) is not counts


def test_a_link_that_leads_out_of_the_workspace_is_no_evidence(good: Floor) -> None:
    good.write("../outside/store.py", "T = 1\n")
    (good.root / "linked").symlink_to(good.root.parent / "outside")
    good.write(DESCRIPTION, "- Evidence: V-AC-1, V-AC-2 — `linked/store.py:1`\n")
    assert len(good.run("do-evidence").findings) == 2


@pytest.fixture
def committed(good: Floor) -> Iterator[Floor]:
    """The workspace as a repository with one commit."""
    good.git("init", "-q", "-b", "main")
    good.git("add", "-A")
    good.git("commit", "-q", "-m", "base")
    yield good
    shutil.rmtree(good.root / ".git", ignore_errors=True)


def test_a_commit_counts_where_it_exists(committed: Floor) -> None:
    oid = committed.git("rev-parse", "HEAD")
    unknown = ("0" if oid[0] != "0" else "1") * 12
    committed.write(DESCRIPTION, f"- Evidence: V-AC-1 — commit {oid[:9]}\n- Evidence: V-AC-2 — `{unknown}`\n")
    (finding,) = committed.run("do-evidence").findings
    assert finding.ac_criteria == ("V-AC-2",)
    assert f"there is no commit {unknown}" in (finding.suggested_fix or "")


def test_without_git_a_commit_is_neither_good_nor_bad(good: Floor) -> None:
    good.write(DESCRIPTION, "- Evidence: V-AC-1 — commit 1a2b3c4\n- Evidence: V-AC-2 — logged\n")
    result = good.run("do-evidence")
    assert result.status == COULD_NOT_RUN
    assert "V-AC-1" in result.detail
    assert [it.ac_criteria for it in result.findings] == [("V-AC-2",)]


def test_without_git_other_evidence_still_counts(good: Floor) -> None:
    good.write(DESCRIPTION, GOOD_DESCRIPTION.replace("12 ms", "12 ms, commit 1a2b3c4"))
    result = good.run("do-evidence")
    assert (result.status, result.findings) == (RAN, ())


def test_a_program_named_git_that_is_not_there_is_no_no(committed: Floor, monkeypatch: pytest.MonkeyPatch) -> None:
    committed.write(DESCRIPTION, "- Evidence: V-AC-1, V-AC-2 — commit 1a2b3c4\n")
    monkeypatch.setenv("PATH", str(committed.root))
    result = committed.run("do-evidence")
    assert (result.status, result.findings) == (COULD_NOT_RUN, ())
    assert os.environ["PATH"] == str(committed.root)


def test_the_evidence_is_there_for_other_checks(good: Floor) -> None:
    good.write(QA, "- Evidence: V-AC-1 — logged\n- Evidence: step 2 — `make` exits 0\n")
    context = good.context()
    found = evidence_of(context)
    assert {label: [claim.accepted for claim in claims] for label, claims in found.items()} == {
        "V-AC-1": [True, False],
        "V-AC-2": [True],
    }
    assert [claim.text for claim in evidence_claims(context) if not claim.label] == ["step 2 — make exits 0"]


def test_an_own_policy_may_read_evidence_elsewhere(good: Floor) -> None:
    context = good.context()
    gates = {**stage_gates(context)}
    gates["do-evidence"] = gates["do-evidence"]._replace(documents=("qa_report",))
    context = replace(context)
    context._made[stage_gates] = gates
    assert len(phase_gate(good.entry("do-evidence"), context).findings) == 2
