"""Drift, case by case: what covers a change, which approval counts, what excuses a step, how often Git is asked."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from drift_repositories import DAY, PLAN, PRD, REPORT, START, TASK, Commit, Files, build

from toolkit.errors import UndeterminedError
from toolkit.policy.sets import PolicySet
from toolkit.processes import process
from toolkit.sources.tree import open_tree
from verify.floor.check import CheckResult, FloorContext
from verify.floor.entries import FloorPlan, check_of
from verify.task import find_workspace, load_task
from verify.terms import NOTHING_TO_RUN, RAN

DESCRIPTION = f"datarim/tasks/{TASK}-task-description.md"


@dataclass
class Work:
    """Commits after a first one with the task's documents; what one of the checks makes of them."""

    root: Path
    policies: PolicySet
    start: dict[str, str | bytes | None] = field(default_factory=lambda: {DESCRIPTION: "# Task\n"})
    commits: list[Commit] = field(default_factory=list)

    def plan(self, text: str) -> None:
        self.start[PLAN] = text

    def commit(self, files: Files, message: str = f"{TASK}: work", day: int = 1) -> None:
        self.commits.append(Commit(message, files, day))

    def check(self, name: str, *, workspace: str = "", dirty: Files | None = None, **more: object) -> CheckResult:
        files = {(f"{workspace}/{path}" if workspace else path): text for path, text in self.start.items()}
        build(self.root, [Commit("start", files), *self.commits], dirty=dirty)
        return run(name, self.root / workspace, self.policies, **more)

    def paths(self, name: str, **more: object) -> list[str]:
        result = self.check(name, **more)  # type: ignore[arg-type]
        assert result.status == RAN, result.detail
        return [finding.artifact_ref.removesuffix(":1") for finding in result.findings]


def run(name: str, root: Path, policies: PolicySet, **more: object) -> CheckResult:
    context = FloorContext(load_task(find_workspace(root), TASK, policies), "do", policies, **more)  # type: ignore[arg-type]
    entry = next(it for it in FloorPlan.from_policy(policies).at("do") if it.uses == name)
    return check_of(entry)(entry, context)


@pytest.fixture
def work(tmp_path: Path, policies: PolicySet) -> Work:
    return Work(tmp_path / "work", policies)


# Scope creep.


def test_a_submodule_that_holds_a_planned_path_changes_with_it(work: Work) -> None:
    work.plan("## Files\n\n- `vendor/store/src/a.py`\n- `vendor/read/*.py`\n")
    work.check("scope_creep")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for name in ("vendor/store", "vendor/read", "vendor/other"):
        link = ["update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},{name}"]
        subprocess.run([*git, *link], cwd=work.root, check=True)
    subprocess.run([*git, "commit", "-q", "-m", f"{TASK}: move the pointers"], cwd=work.root, check=True)
    found = run("scope_creep", work.root, work.policies).findings
    assert [finding.artifact_ref for finding in found] == ["vendor/other:1"]


def test_the_finding_names_the_commit_and_the_place_of_the_surface(work: Work) -> None:
    work.plan("# Plan\n\n## Surface\n\n- `src/a.py`\n")
    work.commit({"b.py": "1\n"}, f"{TASK}: first of all")
    work.commit({"b.py": "2\n"}, f"{TASK}: again")
    (finding,) = work.check("scope_creep").findings
    assert (finding.evidence.type, finding.evidence.source) == ("test_output", "dr-verify floor drift:scope_creep")
    assert (finding.evidence.excerpt or "")[12:] == f" {TASK}: first of all (and 1 more)"
    assert (finding.suggested_fix or "").startswith(f'{PLAN}:3 "## Surface" does not name b.py.')


def test_a_path_that_was_deleted_or_renamed_away_is_creep_too(work: Work) -> None:
    work.plan("## Files\n\n- `src/a.py`\n")
    work.start |= {"old.py": "1\n", "gone.py": "2\n"}
    work.commit({"old.py": None, "src/a.py": "1\n", "gone.py": None})
    assert work.paths("scope_creep") == ["gone.py", "old.py"]


def test_a_change_that_a_later_commit_changed_back_was_a_change(work: Work) -> None:
    work.plan("## Files\n\n- `src/a.py`\n")
    work.start["b.py"] = "1\n"
    work.commit({"b.py": "2\n"})
    work.commit({"b.py": "1\n"})
    assert work.paths("scope_creep") == ["b.py"]


def test_other_people_s_commits_and_documents_of_other_tasks_count_as_what_they_are(work: Work) -> None:
    work.plan("## Files\n\n- `src/a.py`\n")
    work.commit({"b.py": "1\n"}, "OTHER-0001: b")
    work.commit({"datarim/plans/OTHER-0001-plan.md": "# x\n", "datarim/tasks.md": "- x\n", PRD: "# PRD\n"})
    work.commit({f"datarim/reports/reflection-{TASK}.md": "x\n", f"documentation/archive/a/archive-{TASK}.md": "x\n"})
    assert work.paths("scope_creep") == ["datarim/plans/OTHER-0001-plan.md"]


@pytest.mark.parametrize(
    ("source", "test"),
    [
        ("src/store.py", "tests/deep/test_store.py"),
        ("store.go", "store_test.go"),
        ("web/store.ts", "web/store.test.tsx"),
        ("web/store.ts", "web/__tests__/store.ts"),
        ("src/Store.java", "test/StoreTest.java"),
        ("bin/store.sh", "tests/store.bats"),
        ("src/store/__init__.py", "tests/test_store.py"),
        ("lib/store.rb", "spec/store_spec.rb"),
    ],
)
def test_the_test_of_a_touched_file_is_planned_with_it(source: str, test: str, work: Work) -> None:
    work.plan(f"## Files\n\n- `{source}`\n")
    work.commit({source: "1\n", test: "1\n"})
    assert work.paths("scope_creep") == []


@pytest.mark.parametrize(
    "test", ["tests/test_other.py", "tests/test_store.go", "tests/store_helper.py", "src/sub/store.py"]
)
def test_any_other_test_is_not(test: str, work: Work) -> None:
    work.plan("## Files\n\n- `src/store.py`\n")
    work.commit({"src/store.py": "1\n", test: "1\n"})
    assert work.paths("scope_creep") == [test]


@pytest.mark.parametrize("named", ["src/a.py", "../src/a.py", "ws/src/a.py"])
def test_a_surface_may_be_written_from_any_root(named: str, work: Work) -> None:
    work.plan(f"## Files\n\n- `{named}`\n")
    where = "ws/src/a.py" if named == "src/a.py" or named.startswith("ws") else "src/a.py"
    work.commit({where: "1\n", "lib/b.py": "1\n"})
    assert work.paths("scope_creep", workspace="ws") == ["../lib/b.py"]


def test_paths_below_datarim_may_be_written_from_there(work: Work) -> None:
    work.plan("## Files\n\n- `skills/a.md`\n")
    work.commit({"datarim/skills/a.md": "1\n"})
    assert work.paths("scope_creep") == []


def test_without_a_plan_a_surface_or_a_commit_there_is_nothing_to_run(work: Work) -> None:
    assert work.check("scope_creep").detail == "there is no plan"
    for plan, detail in (("# Plan\n", "no surface"), ("## Files\n\n- `Store`\n", "no surface")):
        other = replace(work, root=work.root.with_name(f"x{len(plan)}"), start={**work.start, PLAN: plan}, commits=[])
        other.commit({"b.py": "1\n"})
        result = other.check("scope_creep")
        assert (result.status, result.findings) == (NOTHING_TO_RUN, ())
        assert detail in result.detail


@pytest.mark.parametrize("name", ["scope_creep", "execution_skew", "policy_layer"])
def test_before_the_first_commit_there_is_nothing_to_run(name: str, work: Work) -> None:
    work.plan("## Steps\n\n1. Write `a.py`\n")
    assert work.check(name) == CheckResult(NOTHING_TO_RUN, "no commit of the task was found")


@pytest.mark.parametrize("name", ["scope_creep", "execution_skew", "policy_layer"])
def test_where_nobody_knows_where_the_task_s_branch_begins_it_can_t_be_told(name: str, work: Work) -> None:
    work.plan("## Steps\n\n1. Write `a.py`\n")
    work.check(name)
    for command in (["branch", "-q", "-m", "stem"], ["branch", "-q", f"feature/{TASK}"]):
        subprocess.run(["git", *command], cwd=work.root, check=True)
    with pytest.raises(UndeterminedError) as error:
        run(name, work.root, work.policies)
    assert error.value.code == "no_default_branch"
    assert f"feature/{TASK}" in error.value.message


@pytest.mark.parametrize("name", ["scope_creep", "execution_skew", "policy_layer"])
def test_in_a_shallow_clone_without_one_it_can_t_be_told(name: str, work: Work) -> None:
    work.plan("## Steps\n\n1. Write `a.py`\n")
    work.commit({"x.py": "1\n"}, "OTHER-0001: x")
    work.check(name)
    clone = work.root.with_name("clone")
    subprocess.run(["git", "clone", "-q", "--depth", "1", work.root.as_uri(), str(clone)], check=True)
    with pytest.raises(UndeterminedError) as error:
        run(name, clone, work.policies)
    assert error.value.code == "history_incomplete"


def test_a_doubtful_word_is_a_surface_where_it_covers_something(work: Work) -> None:
    work.plan("## Files\n\n- `bin/tool`\n")
    work.commit({"bin/tool": "1\n", "b.py": "1\n"})
    assert work.paths("scope_creep") == ["b.py"]


@pytest.mark.parametrize("name", ["scope_creep", "spec_decay", "execution_skew", "policy_layer"])
def test_without_git_it_can_t_be_told(name: str, tmp_path: Path, policies: PolicySet) -> None:
    for path, text in ((PLAN, "## Steps\n\n1. Write `a.py`\n"), (DESCRIPTION, "# Task\n")):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    with pytest.raises(UndeterminedError) as error:
        run(name, tmp_path, policies)
    assert error.value.code == "no_repository"


def test_a_task_of_many_commits_and_paths_asks_git_as_often_as_a_small_one(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    work.plan("## Files\n\n- `src/**`\n- `lib/*.py`\n")
    for number in range(500):
        work.commit({f"src/{number}/{at}.py": "1\n" for at in range(9)} | {f"other/{number}.py": "1\n"})
    assert len(work.paths("scope_creep")) == 500
    asked: list[str] = []
    start = process.start

    def counted(argv: list[str], **more: object) -> process.Running:
        asked.append(next(word for word in argv[1:] if word[0] != "-" and "=" not in word))
        return start(argv, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(process, "start", counted)
    context = FloorContext(load_task(find_workspace(work.root), TASK, work.policies), "do", work.policies)
    for entry in FloorPlan.from_policy(work.policies).at("do"):
        if entry.uses in ("scope_creep", "spec_decay", "execution_skew", "orphaned_requirements", "policy_layer"):
            check_of(entry)(entry, context)
    # The last one asks whether there were policies where the work began: none are in force now.
    assert asked == ["rev-parse", "log", "for-each-ref", "diff-tree", "ls-tree"]


# Spec decay.

APPROVED = "---\nstatus: approved\napproved_by: owner\n---\n"
AGREED = "# PRD\n\n- V-AC-1: at most 50 ms\n- V-AC-2: kept\n"
EASIER = AGREED.replace("50", "900")


def day(number: int) -> str:
    return f"2023-11-{15 + number}"


def test_the_finding_quotes_the_line_now_and_then(work: Work) -> None:
    work.start[PRD] = APPROVED + AGREED
    work.commit({PRD: APPROVED + EASIER})
    (finding,) = work.check("spec_decay").findings
    assert (finding.artifact_ref, finding.evidence.excerpt) == (f"{PRD}:7", "- V-AC-1: at most 900 ms")
    assert finding.ac_criteria == ("V-AC-1",)
    fix = finding.suggested_fix or ""
    assert fix.startswith(f"Approved was {PRD}@")
    assert ':7 "- V-AC-1: at most 50 ms". Name the change' in fix


def test_what_is_gone_is_found_where_it_should_stand(work: Work) -> None:
    work.start[PRD] = APPROVED + AGREED
    work.commit({PRD: APPROVED + AGREED.replace("- V-AC-2: kept\n", "")})
    (finding,) = work.check("spec_decay").findings
    assert (finding.artifact_ref, finding.evidence.type) == (f"{PRD}:1", "test_output")
    assert '"- V-AC-2: kept"' in (finding.evidence.excerpt or "")


def test_a_plan_decays_like_a_prd_and_an_uncommitted_edit_is_a_change(work: Work) -> None:
    work.plan("# Plan\n\nApproved: 2023-11-15 by owner\n\n1. Do `a.py`\n")
    result = work.check("spec_decay", dirty={PLAN: "# Plan\n\nApproved: 2023-11-15 by owner\n\n1. Do `b.py`\n"})
    assert [finding.artifact_ref for finding in result.findings] == [f"{PLAN}:5"]


@pytest.mark.parametrize(
    "renewed",
    [
        "---\nstatus: approved\napproved_by: another\n---\n",
        "---\nstatus: approved\napproved_by: owner\napproved_at: 2023-11-17\n---\n",
    ],
)
def test_the_last_approval_counts(renewed: str, work: Work) -> None:
    work.start[PRD] = APPROVED + AGREED
    work.commit({PRD: renewed + EASIER})
    assert work.paths("spec_decay") == []


def test_an_approval_that_left_and_came_back_is_a_new_one(work: Work) -> None:
    work.start[PRD] = APPROVED + AGREED
    work.commit({PRD: "---\nstatus: draft\napproved_by: owner\n---\n" + EASIER})
    work.commit({PRD: APPROVED + EASIER}, day=2)
    assert work.paths("spec_decay") == []


def test_a_document_that_is_a_draft_again_is_not_approved(work: Work) -> None:
    work.start[PRD] = APPROVED + AGREED
    work.commit({PRD: "---\nstatus: draft\n---\n" + EASIER})
    assert work.check("spec_decay").status == NOTHING_TO_RUN


def test_what_was_changed_and_changed_back_is_what_was_approved(work: Work) -> None:
    work.start[PRD] = APPROVED + AGREED
    work.commit({PRD: APPROVED + EASIER})
    work.commit({PRD: (APPROVED + AGREED).replace("\n", "\r\n")}, day=2)
    assert work.paths("spec_decay") == []


TABLE = "\n| a | b |\n|---|:-:|\n| 1 | 2 |\n\n* one\n  > * two\n"


@pytest.mark.parametrize(
    ("formatted", "found"),
    [
        ("\n| a   | b   |\n| --- | :-: |\n| 1   | 2   |\n\n- one\n  > - two\n", False),
        ("\n|a|b|\n|-|-|\n|1|2|\n\n- one\n  > * two\n", False),
        ("\n| a | b |\n|---|:-:|\n| 1 | 3 |\n\n* one\n  > * two\n", True),
        ("\n| a | b |\n|---|:-:|\n| 1 2 | |\n\n* one\n  > * two\n", True),
        ("\n| a | b |\n|---|:-:|\n| 1 | 2 |\n\n- one\n  > - two\n\n----\n", True),
    ],
)
def test_what_a_formatter_sets_is_no_change(formatted: str, found: bool, work: Work) -> None:
    work.start[PRD] = APPROVED + AGREED + TABLE
    work.commit({PRD: APPROVED + AGREED + formatted})
    assert bool(work.paths("spec_decay")) is found


def test_an_approval_is_found_however_many_commits_ago_it_was_given(work: Work) -> None:
    work.start[PRD] = APPROVED + AGREED
    for number in range(120):
        work.commit({PRD: APPROVED + EASIER.replace("900", str(900 + number))})
    (finding,) = work.check("spec_decay").findings
    assert "at most 50 ms" in (finding.suggested_fix or "")


def test_an_approval_in_no_commit_has_nothing_to_compare_with(work: Work) -> None:
    work.start[PRD] = AGREED
    result = work.check("spec_decay", dirty={PRD: APPROVED + AGREED, PLAN: APPROVED + "# Plan\n"})
    assert (result.status, result.findings) == (RAN, ())
    assert result.detail.count("is in no commit yet") == 2


@pytest.mark.parametrize(("row_day", "found"), [(0, True), (1, True), (2, False), (3, False)])
def test_a_trail_is_of_the_day_of_the_change_or_later(row_day: int, found: bool, work: Work) -> None:
    row = f"\n## Changelog\n\n- {day(row_day)}: V-AC-1 may be slower\n"
    work.start[PRD] = APPROVED + AGREED
    work.commit({PRD: APPROVED + EASIER + row}, day=2)
    assert bool(work.paths("spec_decay")) is found


@pytest.mark.parametrize(("row_day", "found"), [(1, True), (2, False)])
def test_a_change_that_was_rebased_later_keeps_its_day(row_day: int, found: bool, work: Work) -> None:
    row = f"\n## Changelog\n\n- {day(row_day)}: V-AC-1 may be slower\n"
    work.start[PRD] = APPROVED + AGREED
    work.commit({PRD: APPROVED + EASIER + row}, day=2)
    work.paths("spec_decay")
    person = {"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b", "GIT_COMMITTER_DATE": f"{day(9)}T12:00:00+0000"}
    for command in (["reset", "-q"], ["commit", "-q", "--amend", "--no-edit"]):
        subprocess.run(["git", *command], cwd=work.root, env={**os.environ, **person}, check=True)
    assert bool(run("spec_decay", work.root, work.policies).findings) is found


def test_each_change_needs_its_own_trail(work: Work) -> None:
    row = f"\n## Changelog\n\n- {day(2)}: V-AC-1 may be slower\n"
    work.start[PRD] = APPROVED + AGREED
    work.commit({PRD: APPROVED + EASIER + row}, day=2)
    assert work.commits
    work.commit({PRD: APPROVED + EASIER.replace("kept", "lost") + row}, day=3)
    assert work.paths("spec_decay") == [f"{PRD}:8"]


def test_an_old_entry_does_not_excuse_a_new_change_of_the_same_thing(work: Work) -> None:
    row = f"\n## Changelog\n\n- {day(2)}: V-AC-1 may be slower\n"
    work.start[PRD] = APPROVED + AGREED
    work.commit({PRD: APPROVED + EASIER + row}, day=2)
    work.commit({PRD: APPROVED + EASIER.replace("900", "9000") + row}, day=3)
    assert work.paths("spec_decay") == [f"{PRD}:7"]


@pytest.mark.parametrize(
    ("report", "found"),
    [
        (f"---\ndate: {day(2)}\n---\nRead PRD-{TASK}.\n", False),
        (f"---\ndate: {day(1)}\n---\nRead PRD-{TASK}.\n", True),
        (f"---\ndate: {day(3)}\n---\nRead everything.\n", True),
        (f"# QA\n\nDate: {day(3)}\n\nRead `{PRD}`.\n", False),
        (f"Read PRD-{TASK}.\n", False),
    ],
)
def test_a_report_of_that_day_or_later_that_names_the_document_is_a_trail(report: str, found: bool, work: Work) -> None:
    work.start[PRD] = APPROVED + AGREED
    work.commit({PRD: APPROVED + EASIER}, day=2)
    work.commit({REPORT: report}, "report", day=2)
    assert bool(work.paths("spec_decay")) is found


def test_an_undated_report_is_of_the_day_of_its_commit(work: Work) -> None:
    work.start |= {PRD: APPROVED + AGREED, REPORT: f"Read PRD-{TASK}.\n"}
    work.commit({PRD: APPROVED + EASIER}, day=2)
    assert work.paths("spec_decay") == [f"{PRD}:7"]


def test_in_a_shallow_clone_the_approval_may_be_older_than_its_first_commit(work: Work) -> None:
    work.start[PRD] = APPROVED + AGREED
    work.commit({PRD: APPROVED + EASIER})
    work.commit({PRD: APPROVED + EASIER + "More.\n"})
    work.check("spec_decay")
    clone = work.root.with_name("clone")
    for depth, code in (("1", "history_incomplete"), ("2", "history_incomplete")):
        subprocess.run(["git", "clone", "-q", "--depth", depth, work.root.as_uri(), f"{clone}{depth}"], check=True)
        with pytest.raises(UndeterminedError) as error:
            run("spec_decay", clone.with_name(f"clone{depth}"), work.policies)
        assert error.value.code == code


def test_documents_of_a_workspace_inside_the_repository_are_found(work: Work) -> None:
    work.start[PRD] = APPROVED + AGREED
    work.commit({f"ws/{PRD}": APPROVED + EASIER})
    assert work.paths("spec_decay", workspace="ws") == [f"{PRD}:7"]


# Execution skew.

STEPS = "## Steps\n\n1. Write `src/a.py`. Verifies: V-AC-1\n2. Think.\n3. Fill `src/deep/` and `src/c.py`.\n"


def test_a_step_is_untouched_when_none_of_its_paths_was(work: Work) -> None:
    work.plan(STEPS)
    work.commit({"src/deep/x.py": "1\n"})
    (finding,) = work.check("execution_skew").findings
    assert (finding.artifact_ref, finding.ac_criteria) == (f"{PLAN}:3", ("V-AC-1",))
    assert finding.evidence.excerpt == "1. Write `src/a.py`. Verifies: V-AC-1"
    assert (finding.suggested_fix or "").startswith("1 commit of the task, and none touches src/a.py.")


@pytest.mark.parametrize(("evidence", "found"), [("`pytest -k a` exits 0", False), ("done", True)])
def test_evidence_of_what_a_step_verifies_excuses_it(evidence: str, found: bool, work: Work) -> None:
    work.plan(STEPS)
    work.start[DESCRIPTION] = f"# Task\n\n- Evidence: V-AC-1: {evidence}\n"
    work.commit({"src/c.py": "1\n"})
    assert bool(work.paths("execution_skew")) is found


def test_steps_of_documents_and_of_nested_repositories_are_not_judged(work: Work) -> None:
    work.plan(
        f"## Steps\n\n1. Write `datarim/tasks/{TASK}-expectations.md`.\n2. Change `code/tool/a.py`.\n3. `src/a.py`\n"
    )
    work.commit({"src/a.py": "1\n"})
    build(work.root / "code/tool", [Commit("x", {"a.py": "1\n"})])
    assert work.paths("execution_skew") == []


def test_a_step_that_names_only_what_git_ignores_is_not_judged(work: Work) -> None:
    work.plan(
        "## Steps\n\n1. Build `out/app.js`.\n2. Build `out/b.js` from `src/b.ts`.\n3. See `../x.py`, `link/y.py`.\n"
    )
    work.commit({"src/a.py": "1\n", ".gitignore": "out/\n"})
    assert work.paths("execution_skew") == [f"{PLAN}:4", f"{PLAN}:5"]


# The policy layer.


def test_a_change_of_the_policies_is_told_whatever_the_plan_says(work: Work) -> None:
    work.plan("## Files\n\n- `.dr/`\n")
    work.commit({".dr/policies/floor.yaml": "x\n", ".dr/waivers.yaml": "x\n", "examples/a/.dr/policies/b.yaml": "x\n"})
    work.commit({".dr/policies/other.yaml": "x\n"}, "OTHER-0001: policies")
    result = work.check("policy_layer")
    assert [(it.artifact_ref, it.severity, it.category, it.drift_subtype) for it in result.findings] == [
        (".dr/policies/floor.yaml:1", "medium", "safety", None),
        (".dr/waivers.yaml:1", "medium", "safety", None),
    ]


def test_a_layer_above_the_workspace_is_this_repository_s_too(work: Work) -> None:
    work.commit({".dr/policies/floor.yaml": "x\n"})
    assert work.paths("policy_layer", workspace="deep/ws") == ["../../.dr/policies/floor.yaml"]


def test_a_change_judges_nothing_where_the_policies_are_those_of_a_commit_without_it(work: Work) -> None:
    work.commit({".dr/policies/floor.yaml": "x\n", ".dr/config.yaml": "x\n"})
    work.commit({".dr/waivers.yaml": "x\n"})
    assert len(work.check("policy_layer").findings) == 3
    for revision, expected in (
        ("HEAD~2", []),
        ("HEAD~1", [".dr/config.yaml:1", ".dr/policies/floor.yaml:1"]),
        ("HEAD", [".dr/config.yaml:1", ".dr/policies/floor.yaml:1", ".dr/waivers.yaml:1"]),
        ("HEAD~2^{tree}", [".dr/config.yaml:1", ".dr/policies/floor.yaml:1", ".dr/waivers.yaml:1"]),
    ):
        named = revision if "{" not in revision else git(work.root, "rev-parse", revision)
        result = run("policy_layer", work.root, work.policies, policy_tree=open_tree(work.root, named))
        assert [it.artifact_ref for it in result.findings] == expected
        if len(expected) < 3:
            assert f"{len(expected)} of them in force: the layer is that of {revision}" in result.detail


def test_a_policy_changed_before_and_after_the_commit_in_force_is_part_of_it(work: Work) -> None:
    work.commit({".dr/policies/floor.yaml": "x\n"})
    work.commit({".dr/policies/floor.yaml": "y\n"})
    work.check("policy_layer")
    tree = open_tree(work.root, "HEAD~1")
    assert len(run("policy_layer", work.root, work.policies, policy_tree=tree).findings) == 1


def test_in_a_shallow_clone_it_is_not_known_whether_a_change_is_in_force(work: Work, tmp_path: Path) -> None:
    work.commit({".dr/policies/floor.yaml": "x\n"})
    work.commit({"src/a.py": "x\n"})
    work.check("policy_layer")
    shallow = tmp_path / "shallow"
    subprocess.run(["git", "clone", "-q", "--depth=3", work.root.as_uri(), str(shallow)], check=True)
    (shallow / ".git/shallow").write_text(git(shallow, "rev-parse", "HEAD~2") + "\n")
    tree = open_tree(shallow, "HEAD~2")
    with pytest.raises(UndeterminedError) as caught:
        run("policy_layer", shallow, work.policies, policy_tree=tree)
    assert caught.value.code == "history_incomplete"


def git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True).stdout.strip()


def test_the_days_of_the_builder_are_what_these_tests_take_them_for() -> None:
    assert START % DAY == 0
