"""A workspace and a run to log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from verify.audit.record import AuditRecord, CheckLine, LayerLine, RawOutput
from verify.baseline import Compared
from verify.decisions import Decided
from verify.findings import Admitted, Evidence, Finding, Malformed
from verify.task import Workspace
from verify.waivers.applying import Waived, WaiverTally
from verify.waivers.waiver import Waiver


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "datarim").mkdir()
    return Workspace(root=tmp_path, datarim=tmp_path / "datarim")


@pytest.fixture
def make_record() -> Callable[..., AuditRecord]:
    """A small run with one of everything; changes by field."""

    def make(**changes: Any) -> AuditRecord:
        return replace(RECORD, **changes)

    return make


def admitted(
    finding: Finding, verified: str = "true", discarded: str | None = None, note: str | None = None
) -> Admitted:
    return Admitted(finding, discarded is not None, discarded, verified, note, "2026-05-04T12:30:16Z")


PLAN = "datarim/plans/TST-0001-plan.md"
FLOOR = admitted(
    Finding(
        "floor",
        f"{PLAN}:12",
        "low",
        "completeness",
        Evidence("file_quote", f"{PLAN}:12", "`src/нет.py` | # no heading"),
        finding_id="F-floor-1",
        check_name="file_touched_audit",
    )
)
DISPATCH = admitted(
    Finding(
        "dispatch",
        f"{PLAN}:3",
        "medium",
        "consistency",
        Evidence("file_quote", f"{PLAN}:3", "Two lines\nof the `plan`"),
        ("AC-1", "AC-2"),
        "F-dispatch-1",
        "execution_skew",
        "Say why step 4 was left out.",
        agent_origin="reviewer",
    ),
    "false",
    note=f"the quote was not found in {PLAN}: it may be invented",
)
PEER = admitted(replace(DISPATCH.finding, source_layer="peer_review", severity="low", finding_id="F-peer_review-1"))
ABSENT = admitted(
    Finding("dispatch", "a.md:1", "high", "safety", Evidence("absent"), finding_id="F-dispatch-2"),
    "unchecked",
    "no_evidence_provided",
)
WAIVER = Waiver(
    ".dr/waivers.yaml",
    2,
    "shellcheck",
    None,
    None,
    "scripts/**",
    "SC2034",
    ("AC-1",),
    "TST-0001",
    "Vendored, password: hunter2 is upstream's",
    "platform `team`",
    date(2026, 12, 31),
)
KNOWN = admitted(replace(FLOOR.finding, finding_id="F-floor-3"))
RECORD = AuditRecord(
    task_id="TST-0001",
    stage="do",
    runtime="claude",
    max_iter=3,
    started_at="2026-05-04T12:30:15Z",
    finished_at="2026-05-04T12:31:00Z",
    verdict="CONDITIONAL",
    verified=False,
    exit=0,
    exit_reason="max_iter",
    policy_digest="sha256:" + "0" * 64,
    tool_version="1.2.3",
    run_id="5f0c",
    decided_by={"verify.verdict": "medium-finding", "verify.exit": "iterations-used-up"},
    decisions=(
        Decided(
            "verify.verdict",
            {"high": 0, "medium": 1, "persistent": False},
            {"verdict": "CONDITIONAL"},
            "medium-finding",
        ),
        Decided(
            "verify.exit", {"tokens": None, "max_iter": 3}, {"stop": True, "reason": "max_iter"}, "iterations-used-up"
        ),
        Decided("verify.skip", {"stage": "do"}, {"reason": "password: hunter2"}, "trivial"),
        Decided("verify.disposition", {"evidence_type": "file_quote"}, {"discarded": False}, "quotation-found", 3),
    ),
    passes=2,
    cost_consumed_tokens=1234,
    source_layer_breakdown={"floor": 1, "peer_review": 1, "dispatch": 2},
    roots=(".", "datarim"),
    checks=(CheckLine("shellcheck", "could-not-run", "password: hunter2 is in the way"),),
    layers=(
        LayerLine("floor", "ran", "8 checks"),
        LayerLine("peer_review", "error", "no answer"),
        LayerLine("dispatch", "ran", "3 agents"),
    ),
    findings=(
        replace(FLOOR, origins=(FLOOR,)),
        replace(DISPATCH, finding=replace(PEER.finding, severity="medium"), origins=(PEER, DISPATCH)),
        ABSENT,
    ),
    waived=(Waived(admitted(replace(FLOOR.finding, finding_id="F-floor-2", check_name="shellcheck")), (WAIVER,)),),
    waivers=WaiverTally(
        ".dr/waivers.yaml", 1, (), (WAIVER._replace(line=9, text="token=hunter2", expires=date(2020, 1, 1)),)
    ),
    compared=Compared("before.json", "sha256:" + "3" * 64, (KNOWN,), 2),
    commits=("4" * 40, "5" * 40),
    commits_from="names the task; on the branch feature/TST-0001",
    malformed=(
        Malformed(
            "dispatch",
            {"severity": "HIGH", "api_key": "hunter2", "note": None},
            ("severity: must be one of high, medium, low, written so, not 'HIGH'",),
            "malformed_evidence",
        ),
    ),
    raw_outputs=(RawOutput("dispatch", "reviewer", 1, "token=hunter2\n---\n# not a heading\n"),),
    artifacts={PLAN: "sha256:" + "1" * 64, "datarim/prd/PRD-KEY-0001.md": "sha256:" + "2" * 64},
    warnings=("WARN: Codex runtime detected",),
)
