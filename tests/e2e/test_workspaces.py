"""Workspaces with known answers: findings that must be there, findings that must not, and no false high."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests_support import Run

WORKSPACES = Path(__file__).resolve().parents[1] / "workspaces"


def _agrees(finding: dict[str, Any], entry: dict[str, Any]) -> bool:
    evidence = finding["evidence"]
    said = " ".join((finding["artifact_ref"], evidence.get("excerpt", ""), finding.get("suggested_fix", "")))
    tests = {
        "check_name": lambda wanted: finding.get("check_name") == wanted,
        "check_name_any": lambda wanted: finding.get("check_name") in wanted,
        "severity": lambda wanted: finding["severity"] == wanted,
        "category": lambda wanted: finding["category"] == wanted,
        "ac_criteria": lambda wanted: set(finding["ac_criteria"]) == set(wanted),
        "mentions": lambda wanted: wanted in said,
        "excerpt": lambda wanted: wanted in evidence.get("excerpt", ""),
        "artifact": lambda wanted: wanted in finding["artifact_ref"],
    }
    return all(tests[key](wanted) for key, wanted in entry.items())


def _git(root: Path, *command: str) -> None:
    author = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *author, *command], cwd=root, check=True)


def _build(name: str, root: Path) -> dict[str, Any]:
    """The workspace as a repository on ``main``: its history where there is one, else one commit of its files."""
    shutil.copytree(WORKSPACES / name, root)
    expected: dict[str, Any] = json.loads((root / "expected.json").read_text())
    history = [{"message": "base", "files": {}}]
    (root / "expected.json").unlink()
    if (root / "history.json").exists():
        history = json.loads((root / "history.json").read_text())
        (root / "history.json").unlink()
    _git(root, "init", "-q", "-b", "main")
    for commit in history:
        for path, text in commit["files"].items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        _git(root, "add", "-A")
        _git(root, "commit", "-q", "-m", commit["message"])
    return expected


@pytest.mark.parametrize("name", sorted(path.parent.name for path in WORKSPACES.glob("*/expected.json")))
def test_a_workspace_gives_what_is_known_of_it(name: str, run: Run, tmp_path: Path) -> None:
    root = tmp_path / name
    expected = _build(name, root)
    arguments = ["--stage", expected["stage"], *expected["args"], "--floor-only", "--no-write", "--json"]
    result = run("dr-verify", expected["task"], *arguments, cwd=root)
    document = json.loads(result.stdout)
    if expected["verdict"] is not None:
        assert document["verdict"] == expected["verdict"]
    for entry in expected["expect"]:
        assert any(_agrees(finding, entry) for finding in document["findings"]), entry
    for entry in expected["forbid"]:
        assert not any(_agrees(finding, entry) for finding in document["findings"]), entry
    wanted = [entry for entry in expected["expect"] if entry.get("severity") == "high"]
    for finding in document["findings"]:
        if finding["severity"] == "high":
            assert any(_agrees(finding, entry) for entry in wanted), finding
