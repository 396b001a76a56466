"""What statuses and overrides mean: who may let a wish pass, and on what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import pytest
from captured_support import ID, checklist, wish
from hypothesis import given, settings
from hypothesis import strategies as st

from toolkit.policy.sets import PolicySet
from verify.artifacts import Artifact, ArtifactRules
from verify.criteria import CriteriaRules
from verify.expectations.reading import read_expectations
from verify.expectations.rules import ExpectationRules
from verify.expectations.verdict import Records, Verdict, judge

Judge = Callable[..., Verdict]
BACKED = {
    "override": "waits for the vendor",
    "override_by": "agent",
    "override_class": "external-blocker",
    "override_artifact": "XYZ-0007",
}
ROWS = "- XYZ-0007 · open · P1 · L2 · the vendor\n- ABC-0001 · open · P1 · L3 · mine\n"


@pytest.fixture(scope="session")
def verdict(policies: PolicySet) -> Judge:
    rules, labels = ExpectationRules.from_policy(policies), CriteriaRules.from_policy(policies).labels
    artifacts = ArtifactRules.from_policy(policies)

    def call(*wishes: str, records: Iterable[str] = (ROWS,)) -> Verdict:
        artifact = Artifact("expectations", f"datarim/tasks/{ID}-expectations.md", checklist(*wishes), "sha256:0")
        read = read_expectations(artifact, rules, labels)
        assert not read.problems, read.problems
        return judge(read, Records(ID, lambda: records, artifacts), rules)

    return call


def partial(fields: Mapping[str, str], status: str = "partial") -> str:
    return wish("late", status, fields)


@pytest.mark.parametrize("status", ["met", "n-a", "pending", "deleted"])
def test_what_is_resolved_passes(verdict: Judge, status: str) -> None:
    found = verdict(wish("a", status), wish("b", "met"))
    assert (found.outcome, found.blocking, found.overridden) == ("PASS", (), ())
    assert found.lines(ID) == ("PASS: all expectation items met / n-a / pending / deleted",)


@pytest.mark.parametrize("status", ["partial", "missed"])
def test_what_is_open_blocks_in_the_order_of_the_document(verdict: Judge, status: str) -> None:
    found = verdict(wish("z", status), wish("m", "met"), wish("быстро", status))
    assert found.lines(ID) == (
        "BLOCKED: 2 expectation(s) require resolution",
        "Focus items: z,быстро",
        f"Next step: /dr-do {ID} --focus-items z,быстро",
    )
    assert {one.reason for one in found.blocking} == {"it carries no override"}


def test_the_word_of_the_operator_is_enough(verdict: Judge) -> None:
    for name in ("operator", "Operator", "`operator`", "operator (Ann)"):
        found = verdict(partial({"override": "good enough", "override_by": name}), wish("b", "met"))
        assert found.outcome == "CONDITIONAL_PASS", name
        assert found.lines(ID) == (
            "CONDITIONAL_PASS: all partial/missed items carry an operator-authored or artefact-backed override",
        )


@pytest.mark.parametrize(
    ("text", "counts"),
    [("ten chars!", True), ("nine char", False), ("десять бук", True), ("девять бу", False), ("ёёёёё", False)],
)
def test_the_length_of_an_override_is_told_in_characters(verdict: Judge, text: str, counts: bool) -> None:
    found = verdict(partial({"override": f"  {text}  ", "override_by": "operator"}))
    assert (found.outcome == "CONDITIONAL_PASS") is counts
    if not counts:
        assert f"has {len(text)} of at least 10 characters" in found.blocking[0].reason


def test_an_override_may_take_several_lines(verdict: Judge) -> None:
    assert verdict(partial({"override": "good\n    enough\n    now", "override_by": "operator"})).outcome != "BLOCKED"


@pytest.mark.parametrize("kind", ["time-dependent", "external-blocker", "operator-authorized", "plan-scope-boundary"])
@pytest.mark.parametrize("name", ["agent", "", "somebody", "operators"])
def test_anybody_elses_word_takes_a_class_and_a_task_on_record(verdict: Judge, kind: str, name: str) -> None:
    fields = {**BACKED, "override_by": name, "override_class": kind}
    assert verdict(partial(fields)).outcome == "CONDITIONAL_PASS"
    assert "override_class is none of" in verdict(partial({**fields, "override_class": ""})).blocking[0].reason
    assert "override_class is none of" in verdict(partial({**fields, "override_class": "other"})).blocking[0].reason
    assert "no override_artifact" in verdict(partial({**fields, "override_artifact": ""})).blocking[0].reason


@pytest.mark.parametrize(
    "artifact",
    [
        "XYZ-0007",
        "`XYZ-0007`",
        "see XYZ-0007, please",
        "datarim/tasks/XYZ-0007-task-description.md",
        "[XYZ-0007](../tasks/XYZ-0007-expectations.md)",
        "datarim/prd/PRD-XYZ-0007.md",
        "ABC-0001 and XYZ-0007",
        "XYZ-0007.",
    ],
)
def test_the_artifact_names_a_task_by_its_id_or_its_document(verdict: Judge, artifact: str) -> None:
    assert verdict(partial({**BACKED, "override_artifact": artifact})).outcome == "CONDITIONAL_PASS"


@pytest.mark.parametrize(
    "artifact",
    [
        "ABC-0001",  # its own
        "datarim/tasks/ABC-0001-task-description.md",
        "XYZ-0008",
        "XYZ-000",
        "XYZ-00077",
        "XYZ-0007-FU-more",
        "MXYZ-0007",
        "xyz-0007",
        "the ticket of the vendor",
        "XYZ",
    ],
)
def test_a_task_that_is_not_on_record_or_its_own_backs_nothing(verdict: Judge, artifact: str) -> None:
    found = verdict(partial({**BACKED, "override_artifact": artifact}))
    assert found.outcome == "BLOCKED"
    assert "names no other task that stands in the backlog or tasks" in found.blocking[0].reason


@pytest.mark.parametrize(
    ("row", "stands"),
    [
        ("- XYZ-0007 · open", True),
        ("| XYZ-0007 | open |", True),
        ("- **XYZ-0007** open", True),
        ("- _XYZ-0007_: open", True),
        ("(XYZ-0007)", True),
        ("- XYZ-0007-FU-more · open", False),
        ("- XYZ-00071 · open", False),
        ("- AXYZ-0007 · open", False),
        ("", False),
    ],
)
def test_a_task_is_on_record_as_a_whole_token(verdict: Judge, row: str, stands: bool) -> None:
    found = verdict(partial(BACKED), records=("", row))
    assert (found.outcome == "CONDITIONAL_PASS") is stands


def test_a_compound_id_is_its_own_task(verdict: Judge) -> None:
    fields = {**BACKED, "override_artifact": "ABC-0001-FU-rest"}
    assert verdict(partial(fields), records=("- ABC-0001-FU-rest · open",)).outcome == "CONDITIONAL_PASS"
    assert verdict(partial(fields), records=("- ABC-0001 · open",)).outcome == "BLOCKED"


def test_the_records_are_not_read_for_an_operators_word(verdict: Judge) -> None:
    class Never:
        def __iter__(self) -> object:
            raise AssertionError

    assert (
        verdict(partial({"override": "good enough", "override_by": "operator"}), records=Never()).outcome != "BLOCKED"
    )


@settings(deadline=None)
@given(st.lists(st.sampled_from(["met", "pending", "n-a", "deleted", "partial", "missed"]), min_size=1, max_size=6))
def test_a_verdict_passes_exactly_where_nothing_is_open(verdict: Judge, statuses: list[str]) -> None:
    found = verdict(*(wish(f"w{at}", status) for at, status in enumerate(statuses)))
    opened = [f"w{at}" for at, status in enumerate(statuses) if status in {"partial", "missed"}]
    assert [one.wish.wish_id for one in found.blocking] == opened
    assert found.outcome == ("BLOCKED" if opened else "PASS")
