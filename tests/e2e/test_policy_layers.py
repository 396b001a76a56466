"""The layers from end to end: which policies judge, where they come from, and that a change never judges itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from drift_repositories import TASK
from policy_support import overlay
from repository_support import Repository
from sources_support import USER_LIMITS, write
from tests_support import Run

OVERLAY = """\
policy: v1
kind: overlay
id: repo.floor
version: 1.0.0
title: Our own file belongs to every task
base: {id: verify.floor, version: ">=1.0,<2"}
set:
  /checks/-:
    id: notes
    uses: command
    severity: high
    category: completeness
    stages: [do]
    with: {argv: ["test", "-e", "notes.md"], timeout_ms: 60000, expected_exit: [0]}
"""
PRD = "---\ncomplexity: L3\n---\n# PRD\n\n## Acceptance criteria\n\n- **AC-1** It holds: `test -e x`\n"
DOCUMENTS = {
    f"datarim/prd/PRD-{TASK}.md": PRD,
    f"datarim/tasks/{TASK}-task-description.md": "---\ncomplexity: L3\n---\n# Task\n",
}
ENTRY = '{rule: "command:notes", reason: "The notes come with release 3", owner: docs, expires: "2999-12-31"}'
WAIVER = f"waivers:\n  - {ENTRY}\n"


@pytest.fixture
def work(tmp_path: Path) -> Repository:
    """A task on a branch; the default branch has a policy that finds something, which the task's branch removes."""
    made = Repository(tmp_path / "work")
    made.commit("the documents and a policy", {**DOCUMENTS, ".dr/policies/floor.yaml": OVERLAY, "notes.txt": "x\n"})
    made.branch(f"feature/{TASK}")
    weaker = OVERLAY.replace("notes.md", "notes.txt").replace("1.0.0", "1.0.1")
    made.commit(f"{TASK}: the policy is in the way", {".dr/policies/floor.yaml": weaker, ".dr/waivers.yaml": WAIVER})
    return made


def verified(run: Run, root: Path, *arguments: str) -> dict[str, Any]:
    command = ("dr-verify", TASK, "--floor-only", "--no-write", "--stage", "do", "--json")
    result = run(*command, *arguments, cwd=root)
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def names(document: dict[str, Any]) -> set[str]:
    ours = ("command:notes", "policy_layer")
    return {one["check_name"] for one in document["findings"] if one["check_name"] in ours}


def test_a_task_that_weakens_its_policies_is_judged_by_those_of_the_base(run: Run, work: Repository) -> None:
    own = verified(run, work.path)
    assert names(own) == {"policy_layer"}
    assert own["policy_from"] is None
    judged = verified(run, work.path, "--policy-from", "main")
    assert names(judged) == {"command:notes"}
    assert judged["policy_from"] == {"revision": "main", "object": work.git("rev-parse", "main")}
    assert judged["policy_files"] == ["main:.dr/policies/floor.yaml"]
    assert judged["waivers"] == {"applied": 0, "expired": [], "file": None, "unused": []}
    assert judged["policy_digest"] != own["policy_digest"]
    assert "policies of this repository are in force: main:.dr/policies/floor.yaml" in judged["warnings"]


def test_a_decision_that_became_weaker_blocks_and_is_told_in_full_by_every_way_to_ask(
    run: Run, work: Repository
) -> None:
    weaker = overlay(
        "replace: {outlived: {when: {layer: {not: floor}, severity: {not: low}, short: {lte: 0}}, "
        "then: {persistent: false}}}\n",
        "repo.patience",
        base="verify.persistence",
    )
    write(work.path, "patience.yaml", weaker)
    found = verified(run, work.path)
    (told,) = [one for one in found["findings"] if "patience" in one["artifact_ref"]]
    assert (found["verdict"], told["severity"]) == ("BLOCKED", "high")
    assert told["evidence"]["excerpt"].startswith("verify.persistence, row outlived: persistent true -> false for ")
    assert run("dr-verify", "floor", "--task", TASK, "--stage", "do", cwd=work.path).returncode >= 1
    facts = told["evidence"]["excerpt"].partition(" for ")[2].partition("; ")[0]
    named = {name: json.loads(value) for name, _, value in (fact.partition(" ") for fact in facts.split(", "))}
    command = ("dr-policy", "eval", "verify.persistence", "--facts", json.dumps(named))
    answers = (run(*command, "--json", *more, cwd=work.path).stdout for more in ((), ("--policy-from", "main")))
    assert [json.loads(answer)["outputs"]["persistent"] for answer in answers] == [False, True]


def test_waivers_come_from_the_same_revision_as_policies(run: Run, work: Repository) -> None:
    work.branch("main")
    work.commit("waived", {".dr/waivers.yaml": WAIVER})
    work.branch(f"feature/{TASK}")
    (work.path / ".dr/waivers.yaml").write_text("waivers: broken\n")
    judged = verified(run, work.path, "--policy-from", "main")
    assert names(judged) == set()
    assert [one["check_name"] for one in judged["waived"]] == ["command:notes"]
    assert judged["waived"][0]["waiver"]["place"] == "main:.dr/waivers.yaml:2"


def test_the_floor_alone_takes_its_policies_from_there_too(run: Run, work: Repository) -> None:
    result = run("dr-verify", "floor", "--task", TASK, "--stage", "do", "--policy-from", "main", cwd=work.path)
    found = {json.loads(line)["check_name"] for line in result.stdout.splitlines()}
    assert "command:notes" in found
    assert "policy_layer" not in found


def test_a_revision_that_can_t_be_asked_ends_the_run_without_a_verdict(run: Run, work: Repository) -> None:
    for revision, status, code in (("nowhere", 2, "unknown_revision"), ("--all", 2, "invalid_revision")):
        result = run("dr-verify", TASK, "--json", f"--policy-from={revision}", cwd=work.path)
        assert (result.returncode, json.loads(result.stdout)["error"]["code"]) == (status, code)
    work.git("tag", "main", "HEAD")
    result = run("dr-verify", TASK, "--json", "--policy-from", "main", cwd=work.path)
    assert (result.returncode, json.loads(result.stdout)["error"]["code"]) == (2, "ambiguous_revision")


def test_the_user_s_policies_are_in_force_and_are_named(run: Run, work: Repository, tmp_path: Path) -> None:
    home = tmp_path / "configuration"
    folder = home / "dr/policies"
    folder.mkdir(parents=True, mode=0o700)
    (folder / "limits.yaml").write_text(USER_LIMITS)
    (folder / "limits.yaml").chmod(0o600)
    more = {"XDG_CONFIG_HOME": str(home)}
    listed = json.loads(run("dr-policy", "list", "--json", cwd=work.path, **more).stdout)["documents"]
    assert any("user.limits@1.0.0" in one["version"] for one in listed)
    result = run("dr-verify", TASK, "--floor-only", "--no-write", "--json", cwd=work.path, **more)
    assert any("policies of this user are in force" in one for one in json.loads(result.stdout)["warnings"])
    hashed = run("dr-policy", "hash", "verify", cwd=work.path, **more).stdout
    assert hashed == run("dr-policy", "hash", "verify", cwd=work.path).stdout


def test_a_lock_of_one_machine_holds_on_another(run: Run, work: Repository, tmp_path: Path) -> None:
    work.branch("main")
    assert run("dr-policy", "lock", cwd=work.path).returncode == 0
    work.commit("locked")
    other = tmp_path / "other"
    work.git("clone", "-q", str(work.path), str(other))
    assert run("dr-policy", "check", "--locked", cwd=other / "datarim").returncode == 0
    assert run("dr-policy", "check", "--locked", "--policy-from", "HEAD", cwd=other).returncode == 0
    write(other, "floor.yaml", OVERLAY.replace("high", "low"))
    result = run("dr-policy", "check", "--locked", cwd=other)
    assert (result.returncode, "changed_under_version" in result.stdout, "verify.floor" in result.stdout) == (
        1,
        True,
        True,
    )


def test_a_hostile_layer_reads_no_file_and_runs_nothing(run: Run, work: Repository, tmp_path: Path) -> None:
    secret = tmp_path / "secret.yaml"
    secret.write_text("secret: word\n")
    for name, target in (("a.yaml", str(secret)), ("b.yaml", "../../../secret.yaml"), ("c.yaml", "/etc/passwd")):
        (work.path / ".dr/policies" / name).symlink_to(target)
    for arguments in ((), ("--policy-from", "HEAD")):
        work.commit("links")
        result = run("dr-policy", "check", *arguments, cwd=work.path)
        assert result.returncode == 1
        assert "word" not in result.stdout + result.stderr
        assert "root:" not in result.stdout + result.stderr
        assert result.stdout.count("policy_outside_repository" if not arguments else "policy_link") == 3
