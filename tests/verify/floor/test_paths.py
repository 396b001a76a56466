"""The file-touched audit on real workspaces: what is reported, what is only counted, and what is never touched."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from toolkit.policy.sets import PolicySet
from verify.evidence import FindingLimits
from verify.findings import Finding
from verify.floor.check import CheckEntry, CheckResult, FloorContext
from verify.floor.paths import cited_paths, declared_roots, file_touched_audit, path_outside_roots
from verify.quotes import QuoteChecker
from verify.task import find_workspace, load_task
from verify.terms import NOTHING_TO_RUN, RAN

TASK = "PTH-0003"
PLAN = f"datarim/plans/{TASK}-plan.md"
STANDING = Path(__file__).parents[2] / "workspaces" / "paths"

Check = Callable[[CheckEntry, FloorContext], CheckResult]


def make_workspace(root: Path, plan: str | None, *files: str) -> Path:
    """A workspace with a plan and empty files. The plan is written as it is."""
    for name in (f"datarim/tasks/{TASK}-task-description.md", *files):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(b"")
    if plan is not None:
        (root / PLAN).parent.mkdir(parents=True, exist_ok=True)
        (root / PLAN).write_text(plan, encoding="utf-8", newline="")
    return root


def make_context(
    policies: PolicySet, root: Path, stage: str = "plan", framework_root: Path | None = None
) -> FloorContext:
    task = load_task(find_workspace(root), TASK, policies)
    return FloorContext(task, stage, policies, framework_root)


def entry_of(policies: PolicySet, check: str) -> CheckEntry:
    record = next(record for record in policies.data("verify.floor")["checks"] if record["id"] == check)
    return CheckEntry(
        check, record["uses"], record["severity"], record["category"], tuple(record["stages"]), record["with"]
    )


def audit(context: FloorContext) -> CheckResult:
    return file_touched_audit(entry_of(context.policies, "file_touched_audit"), context)


def outside(context: FloorContext) -> CheckResult:
    return path_outside_roots(entry_of(context.policies, "path_outside_roots"), context)


def excerpts(result: CheckResult) -> list[str | None]:
    return [finding.evidence.excerpt for finding in result.findings]


def git(*arguments: str, cwd: Path) -> None:
    subprocess.run(["git", *arguments], cwd=cwd, check=True, capture_output=True)


def test_the_workspace_with_known_answers(policies: PolicySet, tmp_path: Path) -> None:
    root = tmp_path / "paths"
    shutil.copytree(STANDING, root, ignore=shutil.ignore_patterns("expected.json"))
    expected = json.loads((STANDING / "expected.json").read_bytes())
    context = make_context(policies, root, expected["stage"])
    findings = audit(context).findings
    assert excerpts(audit(context)) == ["src/missing.py", "docs/gone.toml"]
    for wanted in expected["expect"]:
        assert any(_meets(finding, wanted) for finding in findings), wanted
    for unwanted in expected["forbid"]:
        assert not any(_meets(finding, unwanted) for finding in findings), unwanted
    assert outside(context).findings == ()


def _meets(finding: Finding, wanted: dict[str, str]) -> bool:
    evidence = finding.evidence
    told = " ".join(filter(None, (finding.artifact_ref, evidence.source, evidence.excerpt, finding.suggested_fix)))
    return (
        finding.check_name == wanted["check_name"]
        and wanted.get("severity", finding.severity) == finding.severity
        and wanted.get("mentions", "") in told
        and wanted.get("excerpt", "") in (evidence.excerpt or "")
    )


def test_a_missing_path_is_quoted_alone_at_the_line_of_the_plan(policies: PolicySet, tmp_path: Path) -> None:
    root = make_workspace(tmp_path, "# Plan\n\n1. Touch `src/gone.py:42` and\n   `bash scripts/go.sh --x`.\n")
    first, second = audit(make_context(policies, root)).findings
    assert first.to_json() == {
        "finding_id": "",
        "source_layer": "floor",
        "artifact_ref": f"{PLAN}:3",
        "ac_criteria": [],
        "severity": "low",
        "category": "completeness",
        "evidence": {"type": "file_quote", "source": f"{PLAN}:3", "excerpt": "src/gone.py"},
        "suggested_fix": first.suggested_fix,
        "check_name": "file_touched_audit",
    }
    assert first.suggested_fix is not None
    assert "src/gone.py" in first.suggested_fix
    assert (second.artifact_ref, second.evidence.excerpt) == (f"{PLAN}:4", "scripts/go.sh")


def test_every_finding_passes_its_own_quote_check(policies: PolicySet, tmp_path: Path) -> None:
    plan = (
        "---\nstatus: draft\n---\r\n1. `a.py`, `src/gone.py`,\r\n   `docs/two gone words.md` and `"
        + "long/" * 60
        + "x.py`\r\n"
    )
    root = make_workspace(tmp_path, plan + "2. `../../etc/passwd`\r\n")
    context = make_context(policies, root)
    checker = QuoteChecker(context.task.workspace, FindingLimits.from_policy(policies))
    findings = (*audit(context).findings, *outside(context).findings)
    assert len(findings) == 5
    for finding in findings:
        source, excerpt = finding.evidence.source, finding.evidence.excerpt
        assert source is not None
        assert excerpt is not None
        assert len(excerpt) <= 200
        assert checker.check(source, excerpt, "floor") == (True, None)


def test_a_distinct_path_is_reported_once_at_its_first_line(policies: PolicySet, tmp_path: Path) -> None:
    root = make_workspace(tmp_path, "1. `src/gone.py`\n2. `./src/gone.py`\n3. `src/gone.py:9` and `gone.py`\n")
    (finding,) = audit(make_context(policies, root)).findings
    assert finding.artifact_ref == f"{PLAN}:1"


def test_the_detail_counts_and_prints_the_roots(policies: PolicySet, tmp_path: Path) -> None:
    plan = """\
1. `src/a.py`, `src/gone.py`, `skills/s.md`, `tasks/PTH-0003-task-description.md` and `PTH-0003-plan.md`
2. `App.js`, `C:\\x.py`
3. Create `n.py`
"""
    root = make_workspace(tmp_path / "w", plan, "src/a.py")
    make_workspace(tmp_path / "fw", None, "skills/s.md")
    result = audit(make_context(policies, root, framework_root=tmp_path / "fw"))
    assert result.status == RAN
    assert result.detail == "6 paths cited, 1 missing, 1 to be created, 2 unsure; roots: ., datarim, ../fw"


def test_without_a_plan_there_is_nothing_to_run_and_the_reason_is_given(policies: PolicySet, tmp_path: Path) -> None:
    context = make_context(policies, make_workspace(tmp_path, None))
    for result in (audit(context), outside(context)):
        assert (result.status, result.findings) == (NOTHING_TO_RUN, ())
        assert "no plan" in result.detail


def test_a_plan_that_cites_nothing_ran(policies: PolicySet, tmp_path: Path) -> None:
    result = audit(make_context(policies, make_workspace(tmp_path, "# Plan\n")))
    assert (result.status, result.findings) == (RAN, ())
    assert result.detail.startswith("0 paths cited, 0 missing")


@pytest.mark.parametrize(("stage", "owed"), [("plan", False), ("all", False), ("do", True), ("archive", True)])
def test_a_new_file_is_owed_only_when_the_work_is_asked_for_by_name(
    policies: PolicySet, tmp_path: Path, stage: str, owed: bool
) -> None:
    root = make_workspace(tmp_path, "1. Create `src/n.py`\n2. Touch `src/gone.py` and `src/m.py` (new)\n")
    result = audit(make_context(policies, root, stage))
    assert excerpts(result) == (["src/n.py", "src/gone.py", "src/m.py"] if owed else ["src/gone.py"])


def test_a_path_that_leaves_every_root_is_reported_apart_and_is_not_missing(
    policies: PolicySet, tmp_path: Path
) -> None:
    plan = "1. `../../etc/passwd`\n2. `/etc/passwd`\n3. `out/key.pem`\n4. `../src/a.py`\n"
    root = make_workspace(tmp_path / "w", plan, "src/a.py")
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/key.pem").write_bytes(b"secret")
    (root / "out").symlink_to("../secret")
    context = make_context(policies, root)
    assert excerpts(outside(context)) == ["../../etc/passwd", "/etc/passwd", "out/key.pem"]
    assert {(finding.severity, finding.category) for finding in outside(context).findings} == {("low", "safety")}
    assert audit(context).findings == ()
    assert "3 outside of every root" in outside(context).detail


def test_nothing_outside_is_probed(policies: PolicySet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = "1. `../../etc/passwd`\n2. `/etc/passwd`\n3. `out/key.pem`\n4. `src/gone.py`\n"
    root = make_workspace(tmp_path / "w", plan)
    (tmp_path / "secret").mkdir()
    (root / "out").symlink_to("../secret")
    context = make_context(policies, root)
    context.once(cited_paths)
    context.once(declared_roots)
    probed: list[str] = []
    for name in ("lstat", "stat", "readlink", "scandir", "open", "access"):
        original = getattr(os, name)

        def recording(path: os.PathLike[str], *args: object, _original: object = original, **kwargs: object) -> object:
            probed.append(os.fspath(path))
            return _original(path, *args, **kwargs)  # type: ignore[operator]

        monkeypatch.setattr(os, name, recording)
    result, escaped = audit(context), outside(context)
    monkeypatch.undo()
    assert (len(result.findings), len(escaped.findings)) == (1, 3)
    own = [path for path in probed if not path.endswith(".py") or path.startswith(str(tmp_path))]
    assert f"{root}/out" in own
    assert [path for path in own if path != str(root) and not path.startswith(f"{root}/")] == []


def test_one_note_instead_of_findings_when_all_misses_stand_in_one_nested_repository(
    policies: PolicySet, tmp_path: Path
) -> None:
    plan = "1. `skills/a.md`, `dev-tools/b.sh` and `b.sh`\n"
    root = make_workspace(tmp_path / "w", plan, "code/fw/skills/a.md", "code/fw/dev-tools/b.sh")
    git("init", "-q", cwd=root / "code/fw")
    result = audit(make_context(policies, root))
    assert (result.status, result.findings) == (RAN, ())
    assert "2 missing" in result.detail
    assert "code/fw" in result.detail
    assert "--framework-root" in result.detail
    declared = audit(make_context(policies, root, framework_root=root / "code/fw"))
    assert declared.detail == "3 paths cited, 0 missing, 0 unsure; roots: ., datarim, code/fw"


def test_one_miss_that_stands_nowhere_brings_every_finding_back(policies: PolicySet, tmp_path: Path) -> None:
    root = make_workspace(tmp_path / "w", "1. `skills/a.md` and `skills/gone.md`\n", "code/fw/skills/a.md")
    git("init", "-q", cwd=root / "code/fw")
    assert excerpts(audit(make_context(policies, root))) == ["skills/a.md", "skills/gone.md"]


def test_no_folder_is_searched_when_nothing_is_missing(
    policies: PolicySet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = make_context(policies, make_workspace(tmp_path, "1. `src/a.py`\n", "src/a.py"))

    def refuse(path: object) -> None:
        raise AssertionError(f"{path} was listed")

    monkeypatch.setattr(os, "scandir", refuse)
    assert audit(context).findings == ()


@pytest.mark.parametrize("start", ["", "code/fw", "src", "datarim/plans"])
def test_the_answer_is_the_same_wherever_the_workspace_is_entered(
    policies: PolicySet, tmp_path: Path, start: str
) -> None:
    root = make_workspace(tmp_path / "w", "1. `src/a.py` and `src/gone.py`\n", "src/a.py", "code/fw/src/gone.py")
    (tmp_path / "alias").symlink_to("w")
    for entered in (root / start, tmp_path / "alias" / start):
        assert excerpts(audit(make_context(policies, entered))) == ["src/gone.py"]


def test_findings_of_hostile_names_are_valid_text_on_one_line(policies: PolicySet, tmp_path: Path) -> None:
    root = make_workspace(tmp_path / "w", "1. `skills/a.md`\n")
    for name in ("new\nline", os.fsdecode(b"\xff"), 'q"uote'):
        folder = root / name
        (folder / "skills").mkdir(parents=True)
        (folder / "skills/a.md").write_bytes(b"")
        git("init", "-q", cwd=folder)
    result = audit(make_context(policies, root, framework_root=tmp_path / "f\nw"))
    assert result.findings == ()
    assert "\n" not in result.detail
    result.detail.encode("utf-8")
