"""Workspaces with logs and archives to count."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from toolkit.policy.sets import PolicySet
from verify.audit.front_matter import Bounds
from verify.statistics.outcomes import Outcomes, read_outcomes
from verify.statistics.rules import StatisticsRules
from verify.statistics.runs import Runs, read_runs

Log = Callable[..., Path]
Archive = Callable[..., Path]


@pytest.fixture(scope="session")
def rules(policies: PolicySet) -> StatisticsRules:
    return StatisticsRules.from_policy(policies)


@pytest.fixture
def log(tmp_path: Path) -> Log:
    """Writes a log in the reference's shape, which has no digest; keys that are null are left out."""
    numbers = iter(range(1, 1000))

    def write(*findings: Any, body: str = "", **header: Any) -> Path:
        number = next(numbers)
        known = {
            "task_id": "LOG-0001",
            "stage": "do",
            "iter": number,
            "finished_at": "2026-05-04T12:00:00Z",
            "verdict": "PASS",
            **header,
            "valid_findings": list(findings),
        }
        kept = {key: value for key, value in known.items() if value is not None}
        path = tmp_path / "datarim" / "qa" / f"verify-LOG-0001-do-{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\n{yaml.safe_dump(kept, sort_keys=False)}---\n{body}")
        return path

    return write


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """Writes an archive from its front matter (as text) and its body."""
    numbers = iter(range(1, 1000))

    def write(front: str | None, body: str = "# Archive\n", area: str = "framework") -> Path:
        path = tmp_path / "documentation" / "archive" / area / f"archive-ARC-{next(numbers):04d}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body if front is None else f"---\n{front}---\n{body}")
        return path

    return write


@pytest.fixture
def runs(tmp_path: Path, policies: PolicySet, rules: StatisticsRules) -> Callable[[], Runs]:
    return lambda: read_runs(tmp_path / "datarim" / "qa", "datarim/qa", policies, rules)


@pytest.fixture
def outcomes(tmp_path: Path, policies: PolicySet, rules: StatisticsRules) -> Callable[[], Outcomes]:
    folder = tmp_path / "documentation" / "archive"
    return lambda: read_outcomes(folder, "documentation/archive", rules.archives, Bounds.from_policy(policies))
