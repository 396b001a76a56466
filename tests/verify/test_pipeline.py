"""One verification from end to end, inside the process: what is read, and how often."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from toolkit.errors import ToolkitError, UndeterminedError
from toolkit.policy.sets import PolicySet
from toolkit.reporting.json_output import dumps
from verify import pipeline
from verify.audit.reader import read_log
from verify.commands.options import Silent
from verify.floor.check import FloorContext
from verify.floor.runner import RanCheck, Watcher, run_floor
from verify.reporting import document_of, report_of
from verify.verification import Request

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SCHEMAS = EXAMPLES.parent / "docs" / "schemas"


@pytest.fixture
def request_for(tmp_path: Path) -> Request:
    root = tmp_path / "ledger"
    shutil.copytree(EXAMPLES / "ledger", root, ignore=shutil.ignore_patterns("verify-*.md"))
    return Request("LEDG-0042", "all", root, floor_only=True, run_commands=False)


def test_each_artifact_is_read_once_for_all_checks(request_for: Request, monkeypatch: pytest.MonkeyPatch) -> None:
    from verify import artifacts

    read: Counter[str] = Counter()
    real = artifacts.read_bounded

    def counting(path: Path, limit: int) -> bytes:
        read[path.name] += 1
        return real(path, limit)

    monkeypatch.setattr(artifacts, "read_bounded", counting)
    pipeline.verify(request_for, Silent())
    assert read["PRD-LEDG-0042.md"] == read["LEDG-0042-plan.md"] == 1


def test_earlier_logs_are_not_read_where_no_finding_could_outlive_them(
    request_for: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: Any) -> None:
        raise AssertionError("an earlier log was read")

    monkeypatch.setattr(pipeline, "earlier_runs", refuse)
    assert pipeline.verify(request_for, Silent()).persistent == ()


def test_a_floor_that_has_nothing_to_check_is_undetermined(request_for: Request, policies: PolicySet) -> None:
    from verify.errors import VerificationUndetermined

    (request_for.start / ".dr/policies/floor.yaml").unlink()
    checks = [check["id"] for check in policies.data("verify.floor")["checks"] if check["id"] != "policy_layer"]
    edits = "\n".join(f"  '/checks/{check}/enabled': false" for check in checks)
    (request_for.start / ".dr/policies/none.yaml").write_text(
        "policy: v1\nkind: overlay\nid: repo.none\nversion: 1.0.0\ntitle: nothing\n"
        f"base: {{id: verify.floor, version: '>=1'}}\nset:\n{edits}\n"
    )
    with pytest.raises(VerificationUndetermined, match="no enabled check"):
        pipeline.verify(request_for._replace(stage="prd"), Silent())
    assert not list((request_for.start / "datarim").glob("qa/verify-*"))


@pytest.fixture
def committed(request_for: Request) -> Request:
    """The same in a Git repository: a commit of everything, and two that name the task."""
    for command in (
        ("init", "--quiet", "--initial-branch=main"),
        ("add", "--all"),
        ("commit", "--quiet", "--message=Everything"),
        ("commit", "--quiet", "--allow-empty", "--message=LEDG-0042: first"),
        ("commit", "--quiet", "--allow-empty", "--message=LEDG-0042: second"),
    ):
        git(request_for.start, *command)
    return request_for


def git(root: Path, *command: str) -> str:
    author = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    ran = subprocess.run(["git", *author, *command], cwd=root, check=True, capture_output=True, text=True)
    return ran.stdout.strip()


def oids(root: Path, count: int) -> list[str]:
    return git(root, "log", f"-{count}", "--format=%H").split()


def test_the_commits_that_the_user_names_are_the_tasks(committed: Request) -> None:
    run = pipeline.verify(committed._replace(commits="HEAD~1..HEAD", stage="prd"), Silent())
    document = document_of(run)
    assert document["commits"] == oids(committed.start, 1)
    assert document["commits_from"] == "--commits HEAD~1..HEAD"
    assert run.audit_log is not None
    assert oids(committed.start, 1)[0] in (committed.start / run.audit_log).read_text()
    facts = [value for label, value in report_of(run).facts if label == "commit"]
    assert facts == [f"{oids(committed.start, 1)[0][:12]} LEDG-0042: second (--commits HEAD~1..HEAD)"]


def test_commits_are_told_where_a_check_asked_for_them(committed: Request, monkeypatch: pytest.MonkeyPatch) -> None:
    from verify.floor.changes import task_history

    def asking(context: FloorContext, watcher: Watcher) -> tuple[RanCheck, ...]:
        context.once(task_history)
        return run_floor(context, watcher)

    monkeypatch.setattr(pipeline, "run_floor", asking)
    run = pipeline.verify(committed, Silent())
    assert document_of(run)["commits"] == oids(committed.start, 2)
    assert run.commits_from == "names the task"


def test_more_commits_than_a_report_names_are_counted(committed: Request) -> None:
    for number in range(25):
        git(committed.start, "commit", "--quiet", "--allow-empty", f"--message=LEDG-0042: {number}")
    run = pipeline.verify(committed._replace(commits="HEAD~25..HEAD"), Silent())
    most = run.policies.data("verify.limits")["detail_names_max"]
    facts = [value for label, value in report_of(run).facts if label == "commit"]
    assert len(run.commits) == 25
    assert facts[-1] == f"and {25 - most} more"
    assert len(facts) == most + 1


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("stage", ["prd", "do"])
def test_a_range_that_names_nothing_ends_every_run(committed: Request, alone: bool, stage: str) -> None:
    request = committed._replace(commits="nowhere..HEAD", stage=stage)
    with pytest.raises(ToolkitError) as caught:
        (pipeline.run_floor_alone if alone else pipeline.verify)(request, Silent())
    assert caught.value.exit_status == 2
    assert not list((committed.start / "datarim").glob("qa/verify-*"))


def test_a_range_without_a_repository_is_undetermined(request_for: Request) -> None:
    with pytest.raises(UndeterminedError):
        pipeline.verify(request_for._replace(commits="a..b"), Silent())


def test_a_grave_finding_that_is_waived_keeps_no_model_from_being_asked(request_for: Request) -> None:
    asked = request_for._replace(floor_only=False, write=False)
    before = pipeline.verify(asked, Silent())
    assert "finding(s)" in before.layers[1].reason
    grave = {one.finding.check_name for one in before.findings if one.finding.severity == "high"}
    reason = "reason: Somebody looks after this, owner: me, expires: '2999-12-31'"
    lines = "".join(f"  - {{rule: '{name}', {reason}}}\n" for name in sorted(map(str, grave)))
    (request_for.start / ".dr/waivers.yaml").write_text(f"waivers:\n{lines}")
    after = pipeline.verify(asked, Silent())
    assert "no model was reached" in after.layers[1].reason
    assert {one.admitted.finding.check_name for one in after.waived} == grave


def test_a_report_is_what_its_schema_says(committed: Request) -> None:
    schema = json.loads((SCHEMAS / "dr-verify.verification.v1.json").read_text())
    log_schema = json.loads((SCHEMAS / "dr-verify.audit-log.v1.json").read_text())
    (committed.start / ".dr/waivers.yaml").write_text(
        "waivers:\n"
        "  - {rule: ac_coverage_grep, reason: Done by hand, owner: me, expires: '2999-12-31', criteria: [V-AC-2]}\n"
        "  - {rule: unclosed_fence, reason: Verified by hand, owner: me, expires: '2020-01-01', path: 'x/*'}\n"
    )
    before = committed.start / "before.json"
    first = pipeline.verify(committed, Silent())
    before.write_text(dumps(document_of(first)))
    second = pipeline.verify(committed._replace(baseline=before, commits="HEAD~1..HEAD"), Silent())
    for run in (first, second):
        Draft202012Validator(schema).validate(json.loads(dumps(document_of(run))))
        assert run.audit_log is not None
        log = read_log(committed.start / run.audit_log, run.policies)
        shown = {"schema": "dr-verify.audit-log/v1", "log": log.header, "path": "x", "sealed": log.sealed}
        Draft202012Validator(log_schema).validate(json.loads(dumps(shown)))
    assert second.waived
    assert second.compared is not None
    assert second.compared.known
