"""What the logs of a workspace tell of past decisions: all of it or a problem, never a part in silence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from toolkit.authoring.past import Past
from toolkit.authoring.replaying import UNDECIDABLE, replay
from toolkit.errors import ToolkitError
from toolkit.policy.sets import PolicySet
from verify.audit.record import AuditRecord
from verify.audit.seal import sealed
from verify.audit.writer import write_log
from verify.decisions import Decided
from verify.past_decisions import MAX_PROBLEMS, past_decisions
from verify.task import Workspace

Make = Callable[..., AuditRecord]
GOLDEN = Path(__file__).parent / "golden"
NAME = "verify-TST-0001-do-1.md"
REFERENCE = "---\ntask_id: TST-0001\nstage: all\niter: 2\nverdict: BLOCKED\nmalformed: []\n---\n# Findings\n"
OURS = "---\nschema: dr-verify.log/v1\ntask_id: TST-0001\nstage: do\niter: 1\nverdict: PASS\nrun_id: forged\n"


def found(start: Path, policies: PolicySet, named: str | None = None) -> Past:
    past = past_decisions(start, None if named is None else Path(named), policies)
    assert past is not None
    return past


def forged(workspace: Workspace, decisions: str, name: str = NAME, more: str = "") -> Path:
    """A log with the right seal, whatever it says."""
    path = workspace.datarim / "qa" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(sealed(f"{OURS}{more}decisions: {decisions}\n---\n# Log\n".encode()))
    return path


def codes(past: Past) -> list[str]:
    return [problem.code for problem in past.problems]


def test_the_decisions_of_all_logs_come_with_their_log(
    workspace: Workspace, policies: PolicySet, make_record: Make
) -> None:
    write_log(make_record(decisions_left_out=0, decisions=make_record().decisions[:2]), workspace, policies)
    write_log(make_record(decisions=make_record().decisions[3:], run_id="77"), workspace, policies)
    (workspace.root / "below").mkdir()
    past = found(workspace.root / "below", policies)
    assert (past.records, past.empty, past.problems) == (2, (), ())
    assert [one.document for one in past.decisions] == ["verify.verdict", "verify.exit", "verify.disposition"]
    first, last = past.decisions[0], past.decisions[-1]
    assert (first.facts, first.outputs, first.row, first.times) == (
        {"high": 0, "medium": 1, "persistent": False},
        {"verdict": "CONDITIONAL"},
        "medium-finding",
        1,
    )
    assert (first.origin.file, first.origin.record, first.at) == (f"datarim/qa/{NAME}", "5f0c", "2026-05-04T12:31:00Z")
    assert (last.times, last.origin.record) == (3, "77")


def test_what_a_log_left_out_is_a_problem(workspace: Workspace, policies: PolicySet, make_record: Make) -> None:
    write_log(make_record(), workspace, policies)
    past = found(workspace.root, policies)
    assert len(past.decisions) == 3
    assert codes(past) == ["decisions_left_out"]
    assert past.problems[0].place == f"datarim/qa/{NAME}"


def test_logs_of_earlier_releases_and_of_other_tools_hold_nothing_and_are_named(
    workspace: Workspace, policies: PolicySet
) -> None:
    folder = workspace.datarim / "qa"
    folder.mkdir()
    (folder / NAME).write_bytes((GOLDEN / "without-decisions" / NAME).read_bytes())
    (folder / "verify-TST-0001-all-2.md").write_text(REFERENCE)
    (folder / "verify-TST-0001-plan-1.md").write_bytes((GOLDEN / "earlier" / NAME).read_bytes())
    (folder / "qa-report-TST-0001.md").write_text("no log")
    past = found(workspace.root, policies)
    assert (past.decisions, past.problems, past.records) == ((), (), 3)
    names = ["verify-TST-0001-all-2.md", NAME, "verify-TST-0001-plan-1.md"]
    assert past.empty == tuple(f"datarim/qa/{name}" for name in names)


def test_a_log_that_was_changed_or_cut_is_told_and_the_others_are_read(
    workspace: Workspace, policies: PolicySet, make_record: Make
) -> None:
    paths = [write_log(make_record(), workspace, policies).path for _ in range(3)]
    for path in paths[:2]:
        path.chmod(0o644)
    paths[0].write_bytes(paths[0].read_bytes().replace(b"    high: 0", b"    high: 1"))
    paths[1].write_bytes(paths[1].read_bytes()[:-40])
    past = found(workspace.root, policies)
    assert codes(past) == ["log_digest_differs", "log_incomplete", "decisions_left_out"]
    assert {one.origin.file for one in past.decisions} == {"datarim/qa/verify-TST-0001-do-3.md"}
    assert past.records == 3


def test_decisions_without_a_digest_are_nobody_s(workspace: Workspace, policies: PolicySet) -> None:
    (workspace.datarim / "qa").mkdir()
    entry = "decisions: [{document: verify.exit, facts: {}, outputs: {}, row: x}]\n"
    text = REFERENCE.replace("malformed: []\n", f"malformed: []\n{entry}")
    (workspace.datarim / "qa" / NAME).write_text(text)
    past = found(workspace.root, policies)
    assert (past.decisions, codes(past)) == ((), ["log_not_sealed"])


GOOD = "{document: verify.exit, facts: {tokens: 1}, outputs: {stop: true}, row: x}"


@pytest.mark.parametrize(
    ("decisions", "expected", "taken"),
    [
        ("{}", ["log_unreadable"], 0),
        ("three", ["log_unreadable"], 0),
        ("[]", [], 0),
        (f"[{GOOD}]", [], 1),
        (f"[{GOOD}, x, [1], null]", ["decision_invalid"] * 3, 1),
        (f"[{GOOD}, {{document: verify.exit, facts: {{1: 2}}, outputs: {{}}, row: x}}]", ["decision_invalid"], 1),
        ("[{document: verify.exit, facts: {a: 1e999}, outputs: {}, row: x}]", ["decision_invalid"], 0),
        ("[{document: [verify.exit], facts: {}, outputs: {}, row: x}]", ["decision_invalid"], 0),
        ("[{document: verify.exit, facts: {}, outputs: {}, row: x, times: -1}]", ["decision_invalid"], 0),
        ("[{document: verify.exit, facts: {}, outputs: {}, row: x, code: y}]", ["decision_invalid"], 0),
        (f"[{', '.join(['x'] * 5000)}, {GOOD}]", ["decision_invalid"] * (MAX_PROBLEMS + 1) + ["too_many_problems"], 0),
    ],
)
def test_a_log_that_says_something_else_is_told_entry_by_entry(
    decisions: str, expected: Sequence[str], taken: int, workspace: Workspace, policies: PolicySet
) -> None:
    forged(workspace, decisions)
    past = found(workspace.root, policies)
    assert codes(past) == list(expected)
    assert len(past.decisions) == taken


@pytest.mark.parametrize("count", ["5", "true", "many", "-1", "false", "null", "[]", '""', "0.0"])
def test_a_count_of_what_was_left_out_that_is_not_nought_is_believed(
    count: str, workspace: Workspace, policies: PolicySet
) -> None:
    forged(workspace, f"[{GOOD}]", more=f"decisions_left_out: {count}\n")
    assert codes(found(workspace.root, policies)) == ["decisions_left_out"]


HOSTILE: dict[str, tuple[str, str]] = {
    "text of a megabyte": (
        f"{{document: verify.exit, facts: {{tokens: {'x' * 2**20}}}, outputs: {{}}, row: x}}",
        "fact_missing",
    ),
    "unknown document": ("{document: no.such, facts: {}, outputs: {}, row: x}", "unknown_document"),
    "a document of another kind": ("{document: verify.limits, facts: {}, outputs: {}, row: x}", "wrong_kind"),
    "deep facts": (
        f"{{document: verify.spec-grade, facts: {{errors: {'[' * 50}{']' * 50}, warnings: 0}}, outputs: {{}}, row: x}}",
        "fact_invalid",
    ),
    "floats": ("{document: verify.spec-grade, facts: {errors: 1.0, warnings: 0}, outputs: {}, row: x}", "fact_invalid"),
    "a huge number": (
        "{document: verify.spec-grade, facts: {errors: 99999999999999999999999999, warnings: 0}, outputs: {}, row: x}",
        "fact_invalid",
    ),
    "many facts": (
        "{document: verify.spec-grade, facts: {"
        + ", ".join(f"f{n}: 0" for n in range(5000))
        + "}, outputs: {}, row: x}",
        "fact_missing",
    ),
}


@pytest.mark.parametrize(("entry", "code"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_question_can_t_be_asked_and_harms_nobody(
    entry: str, code: str, workspace: Workspace, policies: PolicySet
) -> None:
    forged(workspace, f"[{entry}]")
    past = found(workspace.root, policies)
    assert past.problems == ()
    (one,) = replay(policies, past.decisions).questions
    assert one.outcome == UNDECIDABLE
    assert one.reason is not None
    assert one.reason.code == code
    assert len(one.reason.message) < 500


def test_a_log_or_folder_is_named_as_the_user_named_it(
    workspace: Workspace, policies: PolicySet, make_record: Make
) -> None:
    write_log(make_record(), workspace, policies)
    start = workspace.datarim
    for named, place in (
        (f"qa/{NAME}", f"qa/{NAME}"),
        ("qa", f"qa/{NAME}"),
        ("./qa/", f"qa/{NAME}"),
        ("..", f"qa/{NAME}"),
        (str(workspace.datarim / "qa"), str(workspace.datarim / "qa" / NAME)),
        (".", f"qa/{NAME}"),
    ):
        past = found(start, policies, named)
        assert {one.origin.file for one in past.decisions} == {place}, named


def test_what_is_no_log_and_no_folder_of_logs_is_somebody_else_s(workspace: Workspace, policies: PolicySet) -> None:
    (workspace.root / "src").mkdir()
    (workspace.root / "src/x.py").write_text("")
    for named in ("src", "src/x.py"):
        assert past_decisions(workspace.root, Path(named), policies) is None
    elsewhere = workspace.root.parent / f"{workspace.root.name}-elsewhere"
    elsewhere.mkdir()
    assert past_decisions(elsewhere, None, policies) is None


def test_a_workspace_without_logs_is_looked_at_and_holds_none(workspace: Workspace, policies: PolicySet) -> None:
    assert found(workspace.root, policies) == Past()
    (workspace.datarim / "qa").mkdir()
    assert found(workspace.root, policies, "datarim/qa") == Past()


def test_a_folder_of_logs_that_leaves_the_workspace_is_refused(
    workspace: Workspace, policies: PolicySet, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (workspace.datarim / "qa").symlink_to(tmp_path_factory.mktemp("elsewhere"))
    with pytest.raises(ToolkitError) as caught:
        past_decisions(workspace.root, None, policies)
    assert caught.value.code == "log_folder_outside"


def test_every_decision_that_a_run_could_record_comes_back(
    workspace: Workspace, policies: PolicySet, make_record: Make
) -> None:
    facts: dict[str, Any] = {
        "a": True,
        "b": False,
        "c": None,
        "d": -(2**53 - 1),
        "e": "no",
        "f": "1.0",
        "g": "~",
        "h": "",
    }
    one = Decided("verify.exit", facts, {"list": ["x", None, 1]}, "yes", 2)
    write_log(make_record(decisions=(one,)), workspace, policies)
    (read,) = found(workspace.root, policies).decisions
    assert (read.document, read.facts, read.outputs, read.row, read.times) == (
        "verify.exit", facts, {"list": ["x", None, 1]}, "yes", 2,
    )  # fmt: skip
