"""Checking the logs of a workspace."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from toolkit.policy.sets import PolicySet
from verify.audit.checking import check_logs
from verify.audit.record import AuditRecord
from verify.audit.writer import write_log
from verify.task import Workspace

Make = Callable[..., AuditRecord]


@pytest.fixture
def logs(workspace: Workspace, policies: PolicySet, make_record: Make) -> list[Path]:
    return [write_log(make_record(), workspace, policies).path for _ in range(4)]


def rewrite(path: Path, data: bytes) -> None:
    path.chmod(0o644)
    path.write_bytes(data)
    path.chmod(0o444)


def found(workspace: Workspace, policies: PolicySet) -> list[tuple[str, str]]:
    return [(problem.code, problem.path.name) for problem in check_logs(workspace, policies)]


def test_logs_as_they_were_written_have_no_problem(logs: list[Path], workspace: Workspace, policies: PolicySet) -> None:
    assert check_logs(workspace, policies) == ()


def test_a_log_that_was_changed_is_found(logs: list[Path], workspace: Workspace, policies: PolicySet) -> None:
    rewrite(logs[1], logs[1].read_bytes().replace(b"CONDITIONAL", b"PASS", 1))
    assert found(workspace, policies) == [("log_digest_differs", logs[1].name)]


def test_a_log_that_was_cut_short_is_found(logs: list[Path], workspace: Workspace, policies: PolicySet) -> None:
    rewrite(logs[1], logs[1].read_bytes()[:-1])
    assert found(workspace, policies) == [("log_incomplete", logs[1].name)]


def test_a_log_that_is_none_is_found(logs: list[Path], workspace: Workspace, policies: PolicySet) -> None:
    rewrite(logs[1], b"hello")
    assert found(workspace, policies) == [("log_unreadable", logs[1].name)]


@pytest.mark.parametrize("mode", [0o644, 0o464, 0o446, 0o666])
def test_a_log_that_may_be_written_is_found(
    logs: list[Path], workspace: Workspace, policies: PolicySet, mode: int
) -> None:
    logs[2].chmod(mode)
    assert found(workspace, policies) == [("log_writable", logs[2].name)]


def test_a_hole_in_the_numbers_is_found_wherever_it_is(
    logs: list[Path], workspace: Workspace, policies: PolicySet
) -> None:
    for removed in logs[:1] + logs[2:3]:
        removed.unlink()
    problems = check_logs(workspace, policies)
    assert [(problem.code, problem.path) for problem in problems] == [
        ("log_number_missing", logs[0]),
        ("log_number_missing", logs[2]),
    ]


def test_a_wide_hole_is_one_problem(logs: list[Path], workspace: Workspace, policies: PolicySet) -> None:
    far = logs[0].with_name("verify-TST-0001-do-999999999.md")
    shutil.copy2(logs[0], far)
    problems = check_logs(workspace, policies)
    assert [problem.code for problem in problems] == ["log_number_missing", "log_name_differs"]
    assert "5 to 999999998" in problems[0].message


def test_a_log_under_the_name_of_another_run_is_found(
    logs: list[Path], workspace: Workspace, policies: PolicySet
) -> None:
    logs[3].unlink()
    shutil.copy2(logs[0], logs[3])
    other = logs[0].with_name("verify-ABC-0001-plan-1.md")
    shutil.copy2(logs[0], other)
    assert found(workspace, policies) == [("log_name_differs", other.name), ("log_name_differs", logs[3].name)]


def test_one_task_can_be_checked_alone(
    logs: list[Path], workspace: Workspace, policies: PolicySet, make_record: Make
) -> None:
    other = write_log(make_record(task_id="ABC-0001"), workspace, policies).path
    other.chmod(0o644)
    assert check_logs(workspace, policies, "TST-0001") == ()
    assert [problem.code for problem in check_logs(workspace, policies, "ABC-0001")] == ["log_writable"]


def test_where_there_is_no_folder_there_is_no_problem(workspace: Workspace, policies: PolicySet) -> None:
    assert check_logs(workspace, policies) == ()
