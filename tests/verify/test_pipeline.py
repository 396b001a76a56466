"""One verification from end to end, inside the process: what is read, and how often."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from verify import pipeline
from verify.commands.options import Silent
from verify.verification import Request

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


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


def test_a_floor_that_has_nothing_to_check_is_undetermined(request_for: Request, tmp_path: Path) -> None:
    from verify.errors import VerificationUndetermined

    overlay = request_for.start / ".dr/policies/none.yaml"
    checks = ["ac_coverage_grep", "no_acceptance_criteria", "file_touched_audit", "path_outside_roots"]
    checks += ["unclosed_fence", "test_presence", "shellcheck", "unit-tests"]
    overlay.unlink(missing_ok=True)
    (request_for.start / ".dr/policies/floor.yaml").unlink()
    edits = "\n".join(f"  /checks/{check}/enabled: false" for check in checks[:-1])
    overlay.write_text(
        "policy: v1\nkind: overlay\nid: repo.none\nversion: 1.0.0\ntitle: nothing\n"
        f"base: {{id: verify.floor, version: '>=1'}}\nset:\n{edits}\n"
    )
    with pytest.raises(VerificationUndetermined, match="no enabled check"):
        pipeline.verify(request_for, Silent())
    assert not list((request_for.start / "datarim").glob("qa/verify-*"))
