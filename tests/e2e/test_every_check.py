"""Every check of the floor finds something here, and each finding passes the seven rules and its own quote check."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from repository_support import Repository
from tests_support import Run

from toolkit.policy.sets import PolicySet
from verify.admission import FindingRules, read_record
from verify.findings import Finding

TASK = "EVRY-0001"
# What a check that never has a finding notes in its detail instead (Datarim formats, floor).
SILENT = {"test_presence"}

DESCRIPTION = """---
id: EVRY-0001
title: everything at once
status: in_progress
complexity: L3
started: 2026-11-25
---
# EVRY-0001

- Evidence: V-AC-2: done
"""
PRD = """---
status: approved
approved_by: owner
---
# PRD

#### D-REQ-1: a number with one digit
#### D-REQ-02: stated twice
#### D-REQ-02: stated twice, here
#### D-REQ-03: nobody covers it

- **V-AC-1** is {measure}. Verify: `pytest -k one` exits 0
  Covers: D-REQ-02, D-REQ-78
- **V-AC-2** is nice and quick.
  Covers: D-REQ-77
- **V-AC-3** holds.
- **V-AC-A4, V-AC-B5** hold. Covers: D-REQ-02
"""
PLAN = """# Plan

## Surface

- `src/one.py`
- `src/unserved.py`
- `src/missing.py`
- `../../elsewhere.py`

## Steps

1. Write `src/one.py`. Verifies: V-AC-1. Verifies: V-AC-1
2. Look at `src/untouched.py`.

```sh
left open
"""
EXPECTATIONS = """---
task_id: EVRY-0001
artifact: expectations
schema_version: 2
captured_at: 2026-11-20
captured_by: /dr-prd
status: canonical
---
## Expectations

- **1. quick**
  - wish_id: quick
  - Linked AC: V-AC-2
  - How to verify: look at it
  - evidence_type: empirical
  - #### Status history
    - 2026-11-20T08:00Z · /dr-prd · pending → missed · reason: too slow
  - #### Current status
    - missed
"""
ARCHIVE = """# Archive

Done in commit `0123abc456def`, which touched `src/one.py`.
"""
COMMAND = """policy: v1
kind: overlay
id: repo.floor
version: 1.0.0
title: A command that fails
base: {id: verify.floor, version: ">=1.0,<2"}
set:
  /checks/-:
    id: failing
    uses: command
    severity: low
    category: correctness
    stages: [do]
    with: {argv: ["false"]}
  /checks/phase_gate:plan-steps/enabled: false
"""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One task with everything wrong at once."""
    root = tmp_path_factory.mktemp("everything") / "repository"
    prd, plan = f"datarim/prd/PRD-{TASK}.md", f"datarim/plans/{TASK}-plan.md"
    repository = Repository(root)
    repository.commit(
        "before",
        {
            f"datarim/tasks/{TASK}-task-description.md": DESCRIPTION,
            f"datarim/tasks/{TASK}-expectations.md": EXPECTATIONS,
            prd: PRD.format(measure="at most 50 ms"),
            plan: PLAN,
            "src/unserved.py": "U = 1\n",
            "src/untouched.py": "T = 1\n",
            "scripts/run.sh": "#!/bin/sh\ncd $1\n",
        },
    )
    repository.commit(
        f"{TASK}: more than was asked",
        {
            prd: PRD.format(measure="at most 900 ms"),
            "src/one.py": "ONE = 1\n",
            "src/creep.py": "C = 1\n",
            ".dr/policies/floor.yaml": COMMAND,
        },
    )
    return root


@pytest.fixture(scope="module")
def archived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A task whose archive document claims what is not so."""
    root = tmp_path_factory.mktemp("archived") / "repository"
    files = {
        f"datarim/tasks/{TASK}-task-description.md": DESCRIPTION,
        f"documentation/archive/general/archive-{TASK}.md": ARCHIVE,
    }
    Repository(root).commit("before", files)
    return root


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A task of which nothing is there but its description and a PRD without criteria, risks or anything else."""
    root = tmp_path_factory.mktemp("bare") / "repository"
    files = {
        f"datarim/tasks/{TASK}-task-description.md": DESCRIPTION,
        f"datarim/prd/PRD-{TASK}.md": "# PRD\n\nLater.\n",
    }
    Repository(root).commit("before", files)
    return root


@pytest.fixture(scope="module")
def gated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A task whose plan serves one of its criteria."""
    root = tmp_path_factory.mktemp("gated") / "repository"
    files = {
        f"datarim/tasks/{TASK}-task-description.md": DESCRIPTION,
        f"datarim/prd/PRD-{TASK}.md": "# PRD\n\n- V-AC-1: 3 rows. Verify: `true`\n- V-AC-2: 4 rows. Verify: `true`\n",
        f"datarim/plans/{TASK}-plan.md": "# Plan\n\n1. Write. Verifies: V-AC-1\n",
    }
    Repository(root).commit("before", files)
    return root


def _found(run: Run, root: Path, stage: str, **environment: str) -> list[dict[str, Any]]:
    arguments = ("--stage", stage, "--floor-only", "--no-write", "--json")
    result = run("dr-verify", TASK, *arguments, cwd=root, **environment)
    assert result.returncode in (0, 1), result.stderr
    findings: list[dict[str, Any]] = json.loads(result.stdout)["findings"]
    return findings


@pytest.fixture(scope="module")
def findings(run: Run, workspace: Path, bare: Path, gated: Path, archived: Path) -> list[dict[str, Any]]:
    asked = [(workspace, "all"), (workspace, "do"), (bare, "all"), (gated, "plan"), (archived, "archive")]
    found = [finding for root, stage in asked for finding in _found(run, root, stage)]
    return [*found, *_found(run, bare, "plan", DATARIM_SPEC_GRAPH_MODE="sometimes")]


def test_every_check_of_the_floor_finds_what_it_is_there_for(
    findings: list[dict[str, Any]], policies: PolicySet
) -> None:
    wanted = {check["id"] for check in policies.data("verify.floor")["checks"]} - SILENT | {"command:failing"}
    assert wanted - {finding["check_name"] for finding in findings} == set()


def test_every_finding_passes_the_seven_rules_and_its_own_quote_check(
    findings: list[dict[str, Any]], policies: PolicySet
) -> None:
    rules = FindingRules.from_policy(policies)
    for finding in findings:
        shown = {key: value for key, value in finding.items() if key in Finding.__dataclass_fields__}
        assert isinstance(read_record(shown, finding["source_layer"], rules), Finding), finding
        quoted = finding["evidence"]["type"] == "file_quote"
        assert finding["evidence_verified"] == ("true" if quoted else "unchecked"), finding
        assert finding.get("verified_diagnostic") is None, finding
        assert not finding["discarded"], finding
        assert ("drift_subtype" in finding) == finding["check_name"].startswith("drift:"), finding
