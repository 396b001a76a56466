"""What ``dr-policy diff --forbid-weaker`` lets pass, of edits of the shipped policies, and what it does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from policy_support import overlay
from repository_support import Repository
from sources_support import write
from tests_support import Run


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A work tree whose HEAD has no policies of its own."""
    made = Repository(tmp_path / "work")
    made.commit("begin", {"a.txt": "a\n"})
    return made.path


def told(run: Run, root: Path, *options: str) -> dict[str, Any]:
    done = run("dr-policy", "diff", "--from", "HEAD", "--json", *options, cwd=root)
    document: dict[str, Any] = json.loads(done.stdout)
    return document


UNJUDGED = {
    "a high tier that gets no lens": (
        "review.lenses",
        "replace: {all-four: {when: {tier: high}, then: {lenses: []}}}\n",
    ),
    "failed evidence that is approved": (
        "review.lifecycle",
        (
            "replace: {verification-failed: {from: validating, event: evidence, when: {passed: false}, to: approved,"
            " effects: [record-evidence, write-receipt, close-lineage]}}\n"
        ),
    ),
    "findings that are reported no more": (
        "verify.shellcheck-severity",
        "replace: {error: {when: {level: error}, then: {severity: null}}}\n",
    ),
    "a check that is switched off": ("verify.floor", "set: {/checks/shellcheck/enabled: false}\n"),
    "models that are never asked": ("verify.reach", "replace: {reached: {then: {status: skipped, requested: true}}}\n"),
    "a budget without end": ("review.budget", "replace: {half-up-to-the-cap: {then: {budget: 9000000}}}\n"),
    "severities in another order": (
        "verify.severity",
        "remove: [medium]\ninsert: [{at: end, term: {term: medium, definition: a, action: c, example: b}}]\n",
    ),
}


@pytest.mark.parametrize("what", UNJUDGED)
def test_what_no_order_judges_is_not_let_pass_where_nothing_may_be_weaker(run: Run, root: Path, what: str) -> None:
    base, edits = UNJUDGED[what]
    write(root, "edit.yaml", overlay(edits, base=base))
    found = told(run, root, "--forbid-weaker")
    assert not found["ok"]
    assert any(one["may_weaken"] for one in found["changes"])
    assert told(run, root, "--allow-weaker", "meant so")["allowed"]["record"] == "added"


def test_another_profile_is_not_let_pass_either(run: Run, root: Path) -> None:
    write(root, "../config.yaml", "profile: atomic\n")
    assert not told(run, root, "--forbid-weaker")["ok"]


@pytest.mark.parametrize(
    ("base", "edits"),
    [
        # Wording, declining and what is only more than before.
        ("verify.severity", "replace: {low: {definition: worded otherwise, action: c, example: b}}\n"),
        (
            "review.risk",
            "insert: [{at: start, row: {id: z, when: {authored_lines: {gte: 9}}, then: {error: unsure}}}]\n",
        ),
        (
            "review.risk-signals",
            "insert: [{at: end, row: {id: z, when: {path: {glob: ['z/**']}}, then: {signal: auth, reason: z}}}]\n",
        ),
    ],
)
def test_what_can_not_be_weaker_is_let_pass(run: Run, root: Path, base: str, edits: str) -> None:
    write(root, "edit.yaml", overlay(edits, base=base))
    found = told(run, root, "--forbid-weaker")
    assert (found["ok"], len(found["changes"]) > 0) == (True, True)
