"""The four kinds of drift: what was planted is found, and nothing else, in every shape of the documents."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from drift_repositories import PLAN, TASK, Case, Drift, Shapes
from hypothesis import given, settings
from hypothesis import strategies as st

from toolkit.policy.sets import PolicySet
from verify.evidence import FindingLimits
from verify.findings import Finding
from verify.floor.check import FloorContext
from verify.floor.entries import FloorPlan, check_of
from verify.quotes import QuoteChecker
from verify.task import find_workspace, load_task
from verify.terms import FILE_QUOTE, FLOOR, RAN

KINDS = ("scope_creep", "spec_decay", "execution_skew", "orphaned_requirements")
ODD = (
    ("src/an odd name.py", "src/an odd name.py"),
    ('src/"quoted".py', 'src/"quoted".py'),
    ('"source_text.py', '"\\"source_text.py"'),
    ("src/new\nline.py", '"src/new\\nline.py"'),
    ("src/tab\t.py", '"src/tab\\t.py"'),
    ("src/файл.py", "src/файл.py"),
    ("src/caf\udcc3.py", '"src/caf\\303.py"'),
    ("a:1", '"a:1"'),
    ("a:b", "a:b"),
    ("-x", "-x"),
)
EXEMPT = (
    "uv.lock",
    "web/package-lock.json",
    "CHANGELOG.md",
    "tests/test_part_1.py",
    "src/part_1_test.py",
    "api/x_pb2.py",
    f"datarim/qa/verify-{TASK}-do-1.md",
    f"datarim/qa/{TASK}/run.log",
)


def drift_of(root: Path, policies: PolicySet, commits: str | None, stage: str = "do") -> list[Finding]:
    """What the four checks find, each of which has to run; every finding passes its own quote check."""
    context = FloorContext(load_task(find_workspace(root), TASK, policies), stage, policies, commits=commits)
    quotes = QuoteChecker(context.task.workspace, FindingLimits.from_policy(policies))
    found: list[Finding] = []
    for entry in FloorPlan.from_policy(policies).at(stage):
        if entry.uses in KINDS:
            result = check_of(entry)(entry, context)
            assert result.status == RAN or not result.findings, result
            found += result.findings
    for finding in found:
        assert (finding.category, f"drift:{finding.drift_subtype}") == ("consistency", finding.check_name)
        evidence = finding.evidence
        assert evidence.source is not None
        assert evidence.excerpt is not None
        assert len(evidence.excerpt) <= 200
        assert (finding.artifact_ref + evidence.excerpt).encode().decode().isprintable()
        if evidence.type == FILE_QUOTE:
            assert quotes.check(evidence.source, evidence.excerpt, FLOOR)[0] is True, finding
    return found


def places(findings: list[Finding]) -> set[tuple[str, str]]:
    """Check and place of each finding: a path, a step, a label."""

    def place(finding: Finding) -> str:
        path = finding.artifact_ref.rpartition(":")[0]
        if finding.drift_subtype == "execution_skew":
            step = re.search(r"Do (step \d+)", finding.suggested_fix or "")
            assert path == PLAN
            return step[1] if step else ""
        return finding.ac_criteria[0] if finding.drift_subtype == "orphaned_requirements" else path

    return {(finding.check_name or "", place(finding)) for finding in findings}


def found_in(case: Case, root: Path, policies: PolicySet) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """What is found in a case, and what should be."""
    commits, expected = case.make(root)
    return places(drift_of(root, policies, commits)), expected


SHAPES = [
    Shapes(),
    Shapes(surface="heading"),
    Shapes(headed_steps=True),
    Shapes(surface="heading", headed_steps=True, russian=True),
    Shapes(approval="line"),
    Shapes(approval="line", russian=True),
    Shapes(approval="none"),
    Shapes(binding="table"),
    Shapes(commits="trailer"),
    Shapes(commits="branch"),
    Shapes(commits="range"),
]
DRIFTS = [
    Drift(creep=("src/extra.py",)),
    Drift(decay=True),
    Drift(skew=frozenset({2})),
    Drift(orphans=frozenset({1})),
]
EVERYTHING = Drift(("lib/a.py", "b.py"), decay=True, skew=frozenset({2}), orphans=frozenset({1}))


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_nothing_is_found_where_nothing_drifts(shapes: Shapes, tmp_path: Path, policies: PolicySet) -> None:
    found, expected = found_in(Case(shapes=shapes, exempt=EXEMPT), tmp_path, policies)
    assert found == expected == set()


@pytest.mark.parametrize("trail", ["changelog", "report"])
@pytest.mark.parametrize("approval", ["front", "line"])
@pytest.mark.parametrize("russian", [False, True])
def test_a_change_with_a_trail_is_no_decay(
    trail: str, approval: str, russian: bool, tmp_path: Path, policies: PolicySet
) -> None:
    shapes = Shapes(approval=approval, trail=trail, russian=russian)
    assert found_in(Case(shapes=shapes), tmp_path, policies) == (set(), set())


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_all_that_was_planted_is_found_in_every_shape(shapes: Shapes, tmp_path: Path, policies: PolicySet) -> None:
    found, expected = found_in(Case(shapes=shapes, drift=EVERYTHING), tmp_path, policies)
    assert found == expected


@pytest.mark.parametrize("drift", DRIFTS, ids=str)
def test_each_kind_is_found_alone(drift: Drift, tmp_path: Path, policies: PolicySet) -> None:
    found, expected = found_in(Case(drift=drift), tmp_path, policies)
    assert found == expected
    assert len(found) == 1


@pytest.mark.parametrize(("name", "cited"), ODD)
def test_a_path_with_an_odd_name_is_cited_on_one_line(
    name: str, cited: str, tmp_path: Path, policies: PolicySet
) -> None:
    commits, _ = Case(drift=Drift(creep=(name,))).make(tmp_path)
    (finding,) = drift_of(tmp_path, policies, commits)
    assert finding.artifact_ref == f"{cited}:1"


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Any mixture of shapes and drift."""
    criteria = draw(st.integers(1, 5))
    some = st.frozensets(st.integers(1, criteria))
    skew = draw(some)
    drift = Drift(
        creep=tuple(
            draw(st.sets(st.sampled_from(("a.py", "src/other.py", "docs/x.md", "src/part_1.py.bak")), max_size=3))
        ),
        decay=draw(st.booleans()),
        skew=skew if len(skew) < criteria else frozenset(),
        orphans=draw(some),
    )
    shapes = Shapes(
        surface=draw(st.sampled_from(("steps", "heading"))),
        headed_steps=draw(st.booleans()),
        approval=draw(st.sampled_from(("front", "line", "none"))),
        trail=draw(st.sampled_from(("none", "changelog", "report"))),
        binding=draw(st.sampled_from(("verifies", "table"))),
        commits=draw(st.sampled_from(("subject", "trailer", "branch", "range"))),
        russian=draw(st.booleans()),
    )
    return Case(criteria, shapes, drift, tuple(draw(st.sets(st.sampled_from(EXEMPT)))))


@settings(max_examples=25, deadline=None)
@given(cases())
def test_any_mixture_is_told_apart(policies: PolicySet, case: Case) -> None:
    with TemporaryDirectory() as folder:
        found, expected = found_in(case, Path(folder), policies)
        assert found == expected


def test_an_orphan_is_high_only_where_the_stage_is_asked_for_by_name(tmp_path: Path, policies: PolicySet) -> None:
    commits, _ = Case(drift=Drift(orphans=frozenset({1}))).make(tmp_path)
    assert [finding.severity for finding in drift_of(tmp_path, policies, commits, "do")] == ["high"]
    assert [finding.severity for finding in drift_of(tmp_path, policies, commits, "archive")] == ["high"]


def test_an_orphan_is_left_to_the_gate_of_the_steps_where_that_ran(tmp_path: Path, policies: PolicySet) -> None:
    commits, _ = Case(drift=Drift(orphans=frozenset({1}))).make(tmp_path)
    assert drift_of(tmp_path, policies, commits, "all") == []


def test_an_orphan_at_all_is_medium_where_the_gate_does_not_run(tmp_path: Path, policies: PolicySet) -> None:
    from verify.floor.drift.orphans import orphaned_requirements

    commits, _ = Case(drift=Drift(orphans=frozenset({1}))).make(tmp_path)
    document = tmp_path / f"datarim/tasks/{TASK}-task-description.md"
    document.write_text(document.read_text().replace("L3", "L1"))
    context = FloorContext(load_task(find_workspace(tmp_path), TASK, policies), "all", policies, commits=commits)
    entry = next(it for it in FloorPlan.from_policy(policies).entries if it.uses == "orphaned_requirements")
    assert [finding.severity for finding in orphaned_requirements(entry, context).findings] == ["medium"]


def test_evidence_or_a_step_keeps_a_criterion_from_being_an_orphan(tmp_path: Path, policies: PolicySet) -> None:
    case = Case(drift=Drift(orphans=frozenset({1, 2})), shapes=replace(Shapes(), surface="heading"))
    commits, _ = case.make(tmp_path)
    document = tmp_path / f"datarim/tasks/{TASK}-task-description.md"
    document.write_text(document.read_text() + "- Evidence: V-AC-2: `pytest -k part_2` exits 0\n")
    assert places(drift_of(tmp_path, policies, commits)) == {("drift:orphaned_requirements", "V-AC-1")}
    plan = tmp_path / PLAN
    plan.write_text(plan.read_text().replace("Write part 1.", "Write part 1. Verifies: V-AC-1"))
    assert drift_of(tmp_path, policies, commits) == []
