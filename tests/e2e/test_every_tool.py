"""Every tool for policies where a repository has none, where its folder is empty, and where it is broken."""

from __future__ import annotations

from pathlib import Path

import pytest
from repository_support import Repository
from tests_support import Run

FACTS = '{"authored_lines": 1, "signals": [], "passive": true}'
# The command, and its status where everything is in order.
TOOLS = {
    "check": (("check",), 0),
    "test": (("test", "--require-all"), 0),
    "analyze": (("analyze",), 0),
    "diff": (("diff", "--from", "HEAD", "--forbid-weaker"), 0),
    "fmt": (("fmt", "--check"), 0),
    "replay": (("replay",), 3),  # nothing was decided yet, so nothing is known
    "lock": (("lock",), 0),
    "show": (("show", "review.risk"), 0),
    "explain": (("explain", "review.risk", "--facts", FACTS), 0),
    "new": (("new", "overlay", "repo.own", "--base", "review.risk", "--dry-run"), 0),
}
BROKEN = "policy: v1\nkind: tabel\nid: repo.x\nversion: 1.0.0\ntitle: x\nsource: x\n"


@pytest.fixture
def work(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "work")
    made.commit("begin", {"a.txt": "a\n"})
    return made


@pytest.mark.parametrize("tool", TOOLS)
def test_a_repository_without_policies_and_one_with_an_empty_folder_are_in_order(
    run: Run, work: Repository, tool: str
) -> None:
    command, status = TOOLS[tool]
    without = run("dr-policy", *command, cwd=work.path)
    (work.path / ".dr/policies").mkdir(parents=True, exist_ok=True)
    empty = run("dr-policy", *command, cwd=work.path)
    assert (without.returncode, empty.returncode) == (status, status), (without.stderr, empty.stderr)


@pytest.mark.parametrize("tool", [tool for tool in TOOLS if tool != "fmt"])  # that asks no set to load
def test_a_set_that_does_not_load_is_told_with_its_place_by_every_tool(run: Run, work: Repository, tool: str) -> None:
    work.commit("break it", {".dr/policies/x.yaml": BROKEN})
    done = run("dr-policy", *TOOLS[tool][0], cwd=work.path)
    said = done.stdout + done.stderr
    assert done.returncode == (1 if tool == "check" else 2), said
    assert ".dr/policies/x.yaml:2:7: " in said
    assert "did you mean 'table'?" in said
    assert "Traceback" not in said
