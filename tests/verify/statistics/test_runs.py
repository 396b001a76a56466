"""Audit logs as runs: their day, the modes in which peers reviewed, what they found, what can't be counted."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from toolkit.policy.sets import PolicySet
from verify.audit.record import AuditRecord, LayerLine
from verify.audit.writer import write_log
from verify.statistics.runs import Runs
from verify.task import Workspace

Log = Callable[..., Path]
Read = Callable[[], Runs]


def finding(mode: str | None = "cross_claude_family", **changes: Any) -> dict[str, Any]:
    """A finding of a peer review as a log holds it."""
    record: dict[str, Any] = {
        "finding_id": "F-peer_review-1",
        "source_layer": "peer_review",
        "artifact_ref": "a.md:1",
        "ac_criteria": [],
        "severity": "low",
        "category": "correctness",
        **changes,
    }
    return record if mode is None else {**record, "peer_review_mode": mode}


def test_no_folder_is_no_run(runs: Read) -> None:
    assert runs() == ((), (), ())


def test_a_log_is_dated_by_its_end_else_by_its_beginning(log: Log, runs: Read) -> None:
    log(finished_at="2026-05-31T23:30:00-02:00", started_at="2026-01-01T00:00:00Z")
    log(finished_at=None, started_at="2026-01-01")
    log(finished_at=None)
    assert [run.day for run in runs().counted] == [date(2026, 6, 1), date(2026, 1, 1), None]


def test_the_time_of_the_file_is_never_asked(log: Log, runs: Read) -> None:
    os.utime(log(), (0, 0))
    assert runs().counted[0].day == date(2026, 5, 4)


@pytest.mark.parametrize(
    ("header", "findings", "modes", "found"),
    [
        ({}, [finding()], {"cross_claude_family"}, {"cross_claude_family"}),
        ({"peer_review_mode": "same_model_isolated"}, [], {"same_model_isolated"}, set()),
        (
            {"peer_review_mode": "same_model_isolated"},
            [finding(None)],
            {"same_model_isolated"},
            {"same_model_isolated"},
        ),
        (
            {"peer_review_mode": "same_model_isolated"},
            [finding(None, source_layer="floor")],
            {"same_model_isolated"},
            set(),
        ),
        ({}, [finding(discarded=True)], {"cross_claude_family"}, set()),
        ({}, [finding("cross_vendor")], {"cross_vendor"}, {"cross_vendor"}),
        ({}, [finding(None, source_layer="floor")], set(), set()),
        (
            {},
            [finding(None, source_layer="floor", origins=[finding(None, source_layer="floor"), finding()])],
            {"cross_claude_family"},
            {"cross_claude_family"},
        ),
        (
            {},
            [finding(), finding("same_model_isolated", discarded=True)],
            {"cross_claude_family", "same_model_isolated"},
            {"cross_claude_family"},
        ),
        ({"waived_findings": [finding()]}, [], {"cross_claude_family"}, set()),
        ({"known_findings": [finding()]}, [], {"cross_claude_family"}, set()),
    ],
)
def test_modes_come_from_the_header_and_from_findings(
    header: dict[str, Any], findings: list[Any], modes: set[str], found: set[str], log: Log, runs: Read
) -> None:
    log(*findings, **header)
    (run,) = runs().counted
    assert (run.modes, run.found) == (modes, found)


@pytest.mark.parametrize(
    ("header", "findings", "reviewed"),
    [
        ({}, [], None),
        ({"source_layer_breakdown": {"floor": 2, "peer_review": 0}}, [], None),
        ({"source_layer_breakdown": {"floor": 2, "peer_review": 1}}, [], True),
        ({}, [finding(None)], True),
        ({"layers": [{"layer": "peer_review", "status": "skipped"}]}, [], False),
        ({"layers": [{"layer": "peer_review", "status": "ran"}]}, [], True),
        ({"peer_review_mode": "disabled"}, [], False),
        ({"peer_review_mode": "cross_claude_family"}, [], True),
    ],
)
def test_a_run_without_a_mode_says_or_does_not_say_whether_peers_reviewed(
    header: dict[str, Any], findings: list[Any], reviewed: bool | None, log: Log, runs: Read
) -> None:
    log(*findings, **header)
    (run,) = runs().counted
    assert run.reviewed is reviewed


@pytest.mark.parametrize(
    ("cost", "tokens"), [(0, 0), (1234, 1234), (None, None), ("~", None), ("unknown", None), ("N/A", None)]
)
def test_a_cost_is_a_number_or_not_known(cost: object, tokens: int | None, log: Log, runs: Read) -> None:
    log(cost_consumed_tokens=cost)
    assert runs().counted[0].tokens == tokens


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("finished_at", "yesterday", "bad_date"),
        ("finished_at", "2026-02-30T00:00:00Z", "bad_date"),
        ("finished_at", 20260504, "bad_date"),
        ("finished_at", True, "bad_date"),
        ("started_at", "soon", "bad_date"),
        ("cost_consumed_tokens", -1, "bad_figure"),
        ("cost_consumed_tokens", "a lot", "bad_figure"),
        ("cost_consumed_tokens", 1.5, "bad_figure"),
        ("cost_consumed_tokens", True, "bad_figure"),
    ],
)
def test_a_date_or_a_cost_that_is_none_is_a_problem_with_its_line(
    key: str, value: object, code: str, log: Log, runs: Read
) -> None:
    path = log(**({"finished_at": None} | {key: value}))
    read = runs()
    assert (read.counted, read.uncounted) == ((), ())
    (problem,) = read.problems
    assert problem.code == code
    assert problem.mark.file == f"datarim/qa/{path.name}"
    assert path.read_text().splitlines()[problem.mark.line - 1].startswith(f"{key}:")


def test_a_log_of_our_own_is_counted(make_run: Callable[[], Path], runs: Read) -> None:
    make_run()
    (run,) = runs().counted
    assert (run.day, run.tokens, run.reviewed) == (date(2026, 5, 4), 1200, False)


@pytest.fixture
def make_run(tmp_path: Path, policies: PolicySet) -> Callable[[], Path]:
    """Writes a sealed log as a run of this tool leaves it."""
    (tmp_path / "datarim").mkdir(exist_ok=True)
    record = AuditRecord(
        task_id="TST-0001",
        stage="do",
        runtime="none",
        max_iter=3,
        started_at="2026-05-04T12:30:15Z",
        finished_at="2026-05-04T12:31:00Z",
        verdict="PASS",
        verified=False,
        exit=0,
        exit_reason=None,
        policy_digest="sha256:" + "0" * 64,
        tool_version="1.2.3",
        run_id="5f0c",
        cost_consumed_tokens=1200,
        layers=(LayerLine("floor", "ran", ""), LayerLine("peer_review", "skipped", "floor only")),
    )
    return lambda: write_log(record, Workspace(tmp_path, tmp_path / "datarim"), policies).path


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        (lambda data: data[: len(data) // 2], "log_incomplete"),
        (lambda data: data.replace(b"1200", b"1300"), "log_digest_differs"),
        (lambda _: b"", "log_incomplete"),
        (lambda _: b"# no log\n", "log_unreadable"),
    ],
)
def test_a_damaged_log_is_named_and_not_counted(
    damage: Callable[[bytes], bytes], code: str, make_run: Callable[[], Path], log: Log, runs: Read
) -> None:
    path = make_run()
    path.chmod(0o644)
    path.write_bytes(damage(path.read_bytes()))
    log()
    read = runs()
    assert len(read.counted) == 1
    assert [(one.path, one.code) for one in read.uncounted] == [(f"datarim/qa/{path.name}", code)]


def test_a_copy_of_a_log_is_not_a_second_run(make_run: Callable[[], Path], runs: Read) -> None:
    path = make_run()
    copy = path.with_name("verify-TST-0001-do-2.md")
    copy.write_bytes(path.read_bytes())
    read = runs()
    assert len(read.counted) == 1
    assert [(one.path, one.code) for one in read.uncounted] == [(f"datarim/qa/{copy.name}", "duplicate_run")]


def test_a_copy_of_another_tools_log_is_not_a_second_run(log: Log, runs: Read) -> None:
    path = log()
    other = log()
    copy = path.with_name("verify-LOG-0001-do-9.md")
    copy.write_bytes(path.read_bytes())
    read = runs()
    assert [one.path for one in read.counted] == [f"datarim/qa/{path.name}", f"datarim/qa/{other.name}"]
    assert [(one.path, one.code) for one in read.uncounted] == [(f"datarim/qa/{copy.name}", "duplicate_run")]


def test_a_log_that_is_a_link_is_not_followed(log: Log, runs: Read, tmp_path: Path) -> None:
    path = log()
    path.rename(tmp_path / "elsewhere.md")
    path.symlink_to(tmp_path / "elsewhere.md")
    assert [one.code for one in runs().uncounted] == ["is_symlink"]


@pytest.mark.parametrize("mode", ["telepathy", 7, ["cross_vendor"], "\x1b[2J"])
def test_a_mode_that_nobody_knows_is_not_counted_and_said(mode: object, log: Log, runs: Read) -> None:
    log(finding(mode))  # type: ignore[arg-type]
    (one,) = runs().uncounted
    assert one.code == "unknown_mode"
    assert one.reason.isprintable()


def test_other_files_beside_the_logs_are_passed_over(log: Log, runs: Read) -> None:
    folder = log().parent
    (folder / "qa-report-LOG-0001.md").write_text("# Report\n")
    (folder / "verify-notes.md").write_text("---\nfinished_at: never\n---\n")
    assert len(runs().counted) == 1
    assert runs().problems == ()
