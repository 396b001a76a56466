"""What several checks ask is read once a run, however many of them ask."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolkit.policy.sets import PolicySet
from verify.floor import acceptance
from verify.floor.check import CheckResult, FloorContext
from verify.floor.entries import FloorPlan
from verify.floor.runner import run_floor
from verify.init_task.rules import InitTaskRules
from verify.task import find_workspace, load_task
from verify.terms import STAGE_ALL


class Quiet:
    """Nobody is told how far a run has come."""

    def check_started(self, check: str) -> None:
        """Nothing."""

    def check_finished(self, check: str, result: CheckResult) -> None:
        """Nothing."""


def test_the_plan_of_the_floor_its_rules_and_a_waiver_of_the_prd_are_read_once_a_run(
    tmp_path: Path, policies: PolicySet, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = tmp_path / "datarim" / "tasks"
    tasks.mkdir(parents=True)
    (tasks / "ABC-0001-task-description.md").write_text("# Task\n\n**PRD waived:** it is a spike\n", encoding="utf-8")
    asked: Counter[str] = Counter()

    def counted(name: str, read: Callable[..., Any]) -> Callable[..., Any]:
        def reading(*arguments: Any) -> Any:
            asked[name] += 1
            return read(*arguments)

        return reading

    monkeypatch.setattr(FloorPlan, "from_policy", counted("plan", FloorPlan.from_policy))
    monkeypatch.setattr(InitTaskRules, "from_policy", counted("init task", InitTaskRules.from_policy))
    monkeypatch.setattr(acceptance, "find_waiver", counted("waiver", acceptance.find_waiver))
    task = load_task(find_workspace(tmp_path), "ABC-0001", policies)
    ran = run_floor(FloorContext(task, STAGE_ALL, policies), Quiet())
    waived = [check.name for check in ran if check.result.detail.startswith("the PRD is waived")]
    assert len(waived) > 3
    assert asked == {"plan": 1, "init task": 1, "waiver": 1}
