"""The policy layer in force, held against the one where the work began: what differs, and what became weaker by it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from drift_repositories import TASK
from policy_support import overlay
from repository_support import Repository

from toolkit.errors import UndeterminedError
from toolkit.policy.sets import PolicySet
from toolkit.processes import process
from toolkit.sources.found import FOLDER
from verify.findings import Finding
from verify.floor.check import CheckEntry, CheckResult, FloorContext
from verify.floor.drift import layer_files
from verify.floor.drift.policy_layer import begin
from verify.floor.entries import FloorPlan, check_of
from verify.policies import load_verify_policies
from verify.task import find_workspace, load_task
from verify.terms import NOTHING_TO_RUN, RAN
from verify.waivers import file as waiver_file

DESCRIPTION = {f"datarim/tasks/{TASK}-task-description.md": "# Task\n"}
LAYER = ".dr/policies/"
NAME = ".dr/policies/persistence.yaml"


def persistence(row: str, answer: str, version: str = "1.0.0") -> str:
    """An overlay that makes a row of ``verify.persistence`` answer otherwise; only ``true`` is the graver answer."""
    whens = {
        "floor": "{layer: floor}",
        "low": "{layer: {not: floor}, severity: low}",
        "few-runs": "{layer: {not: floor}, severity: {not: low}, short: {gte: 1}}",
        "outlived": "{layer: {not: floor}, severity: {not: low}, short: {lte: 0}}",
    }
    body = f"replace: {{{row}: {{when: {whens[row]}, then: {{persistent: {answer}}}}}}}\n"
    return overlay(body, base="verify.persistence").replace("1.0.0", version, 1)


STRONGER = persistence("few-runs", "true")
WEAKER = persistence("outlived", "false")
WORDS = overlay(
    'replace: {own-policy: {when: {path: {glob: ["**/.dr", "**/.dr/**"], ignore_case: true}}, '
    "then: {signal: policy, reason: the rules are changed}}}\n",
    "repo.words",
    base="review.risk-signals",
)
LIMITS = overlay("set: {/max_iter: 2}\n", "repo.limits", base="verify.limits")
WAIVERS = (
    'waivers:\n  - {rule: shellcheck, path: "x.sh", reason: "The script goes away", owner: a, expires: "2999-12-31"}\n'
)


def write(root: Path, files: dict[str, str | None]) -> None:
    """Write over a work tree, and commit nothing; null deletes."""
    for name, text in files.items():
        place = root / name
        if text is None:
            place.unlink()
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def entry_of(policies: PolicySet) -> CheckEntry:
    return next(it for it in FloorPlan.from_policy(policies).at("do") if it.uses == "policy_layer")


def context_of(root: Path, policy_from: str | None = None, commits: str | None = None) -> FloorContext:
    workspace = find_workspace(root)
    loaded = load_verify_policies(workspace.root, policy_from)
    task = load_task(workspace, TASK, loaded.policies)
    return FloorContext(task, "do", loaded.policies, policy_tree=loaded.tree, commits=commits)


def check(root: Path, policy_from: str | None = None, commits: str | None = None) -> CheckResult:
    context = context_of(root, policy_from, commits)
    entry = entry_of(context.policies)
    return check_of(entry)(entry, context)


def found(root: Path, policy_from: str | None = None) -> dict[str, str]:
    """How grave the finding about each file is."""
    result = check(root, policy_from)
    assert result.status == RAN, result
    places = [one.artifact_ref for one in result.findings]
    assert places == sorted(set(places))
    for one in result.findings:
        assert (one.category, one.check_name, one.evidence.type) == ("safety", "policy_layer", "test_output")
        assert one.evidence.source == "dr-verify floor policy_layer"
        assert 8 <= len(one.evidence.excerpt or "") <= 200
        assert (one.artifact_ref + (one.evidence.excerpt or "")).isprintable()
    return {one.artifact_ref.removesuffix(":1"): one.severity for one in result.findings}


def only(root: Path, policy_from: str | None = None) -> Finding:
    (one,) = check(root, policy_from).findings
    return one


def said(root: Path, policy_from: str | None = None) -> str:
    return only(root, policy_from).evidence.excerpt or ""


@pytest.fixture
def work(tmp_path: Path) -> Repository:
    """A branch that names no task, begun on ``main``, whose layer has an overlay that makes a table stronger."""
    made = Repository(tmp_path / "work")
    made.commit("the documents", {**DESCRIPTION, NAME: STRONGER})
    made.branch("work")
    return made


# What differs.


def test_a_layer_that_is_as_it_was_is_no_finding(work: Repository) -> None:
    result = check(work.path)
    head = work.git("rev-parse", "--short=12", "main")
    assert (result.status, result.findings) == (RAN, ())
    assert result.detail.endswith(f"0 files differ from {head}, the merge base with main")


def test_what_a_commit_of_nobody_changed_since_the_work_began_is_told(work: Repository) -> None:
    base = work.git("rev-parse", "--short=12", "main")
    work.commit("limits", {f"{LAYER}limits.yaml": LIMITS})
    assert found(work.path) == {f"{LAYER}limits.yaml": "medium"}
    assert said(work.path) == f"added to the layer since {base}, the merge base with main"
    assert "a task of its own" in (only(work.path).suggested_fix or "")


def test_what_is_not_committed_is_told_too(work: Repository) -> None:
    write(work.path, {f"{LAYER}deep/limits.yaml": LIMITS, ".dr/waivers.yaml": WAIVERS, NAME: STRONGER + "# why\n"})
    assert found(work.path) == {
        f"{LAYER}deep/limits.yaml": "medium",
        NAME: "medium",
        ".dr/waivers.yaml": "medium",
    }
    work.git("add", "-A")
    assert len(found(work.path)) == 3


def test_a_commit_of_the_task_is_named_and_stands_once(work: Repository) -> None:
    oid = work.commit(f"{TASK}: limits", {f"{LAYER}limits.yaml": LIMITS})
    assert found(work.path) == {f"{LAYER}limits.yaml": "medium"}
    assert said(work.path) == f"{oid[:12]} {TASK}: limits"
    assert "1 commit, 1 changed files of the policy layer; 1 files differ from" in check(work.path).detail


def test_what_a_task_changed_and_changed_back_is_told_as_the_task_s(work: Repository) -> None:
    work.commit(f"{TASK}: weaker", {NAME: WEAKER})
    work.commit(f"{TASK}: and back", {NAME: STRONGER})
    assert found(work.path) == {NAME: "medium"}
    assert said(work.path).endswith(f"{TASK}: weaker (and 1 more)")
    assert "0 files differ" in check(work.path).detail


def test_a_file_that_was_renamed_is_two_that_differ(work: Repository) -> None:
    work.git("mv", NAME, f"{LAYER}renamed.yaml")
    assert found(work.path) == {NAME: "medium", f"{LAYER}renamed.yaml": "medium"}


def test_the_lock_and_what_is_no_policy_judge_nothing(work: Repository) -> None:
    work.commit("more", {".dr/policy.lock": "x\n", ".dr/notes.md": "x\n", f"{LAYER}README.md": "x\n"})
    assert found(work.path) == {}


def test_another_kind_of_line_endings_is_no_difference(work: Repository) -> None:
    (work.path / NAME).write_bytes(STRONGER.replace("\n", "\r\n").encode())
    assert found(work.path) == {}


def test_only_the_nearest_layer_judges(work: Repository) -> None:
    documents = {f"deep/ws/{name}": text for name, text in DESCRIPTION.items()}
    work.commit("deeper", documents)
    assert found(work.path / "deep/ws") == {}
    write(work.path, {NAME: WEAKER})
    assert found(work.path / "deep/ws") == {f"../../{NAME}": "high"}
    write(work.path, {f"deep/{LAYER}limits.yaml": LIMITS})
    assert found(work.path / "deep/ws") == {f"../../{NAME}": "high", f"../{LAYER}limits.yaml": "medium"}
    write(work.path, {"deep/.dr/waivers.yaml": WAIVERS})
    assert "../.dr/waivers.yaml" in found(work.path / "deep/ws")


@pytest.mark.parametrize("how", ["deleted", "staged", "committed"])
def test_a_layer_that_is_gone_is_told_although_none_is_in_force(work: Repository, how: str) -> None:
    work.git(*(["rm", "-q", NAME] if how != "deleted" else ["rm", "-q", "--cached", NAME]))
    if how == "deleted":
        (work.path / NAME).unlink()
        (work.path / LAYER).rmdir()
        (work.path / ".dr").rmdir()
    if how == "committed":
        work.commit("it was in the way")
    assert not (work.path / ".dr").exists()
    one = only(work.path)
    assert (one.artifact_ref, one.severity) == (f"{NAME}:1", "high")
    assert "persistent true -> false" in (one.evidence.excerpt or "")


# What became weaker.


def test_a_weaker_decision_is_high_and_is_shown_with_facts(work: Repository) -> None:
    work.commit("hm", {NAME: WEAKER})
    one = only(work.path)
    assert (one.artifact_ref, one.severity) == (f"{NAME}:1", "high")
    excerpt = one.evidence.excerpt or ""
    assert excerpt.startswith("verify.persistence, row few-runs: persistent true -> false (and 1 more) for ")
    for fact in ("layer ", "severity ", "runs ", "wanted "):
        assert fact in excerpt


def test_a_stronger_decision_and_other_words_are_medium(work: Repository) -> None:
    without_layer(work)
    write(work.path, {NAME: STRONGER, f"{LAYER}words.yaml": WORDS})
    assert found(work.path) == {NAME: "medium", f"{LAYER}words.yaml": "medium"}


def without_layer(work: Repository) -> None:
    """A new branch, begun where there is no layer."""
    work.branch("main")
    work.commit("no layer", delete=[NAME])
    work.branch("next")


def test_only_the_file_that_edits_what_became_weaker_is_high(work: Repository) -> None:
    write(work.path, {NAME: WEAKER, f"{LAYER}words.yaml": WORDS, ".dr/waivers.yaml": WAIVERS})
    assert found(work.path) == {NAME: "high", f"{LAYER}words.yaml": "medium", ".dr/waivers.yaml": "medium"}


OWN = (
    "policy: v1\nkind: table\nid: repo.own\nversion: 1.0.0\ntitle: Own\nsource: ours\nhit: first\n"
    "inputs: {t: {type: term, of: repo.rank}}\noutputs: {y: {type: boolean, stronger: [true, false]}}\n"
    "rows: [{id: above, when: {t: {gt: low}}, then: {y: true}}, {id: rest, then: {y: false}}]\n"
)


def ranks(*terms: str) -> str:
    listed = ", ".join(f"{{term: {term}}}" for term in terms)
    head = "policy: v1\nkind: vocabulary\nid: repo.rank\nversion: 1.0.0\ntitle: Ranks\nsource: ours\n"
    return f"{head}order: descending\nanchors: []\nterms: [{listed}]\n"


def test_a_vocabulary_that_weakens_a_table_is_high_and_not_what_stands_beside_it(work: Repository) -> None:
    work.branch("main")
    work.commit("own", {f"{LAYER}own.yaml": OWN, f"{LAYER}rank.yaml": ranks("high", "middle", "low")})
    work.branch("next")
    write(work.path, {f"{LAYER}own.yaml": OWN + "# why\n", f"{LAYER}rank.yaml": ranks("high", "low", "middle")})
    assert found(work.path) == {f"{LAYER}own.yaml": "medium", f"{LAYER}rank.yaml": "high"}
    findings = {one.artifact_ref: one.evidence.excerpt for one in check(work.path).findings}
    assert findings[f"{LAYER}rank.yaml:1"] == (
        'repo.own, row above: y true -> false for t "middle"; changed since '
        f"{work.git('rev-parse', '--short=12', 'main')}, the merge base with main"
    )


def test_a_commit_of_the_task_that_weakens_is_high_and_named_behind_what_it_weakened(work: Repository) -> None:
    work.commit(f"{TASK}: easier", {NAME: WEAKER})
    assert found(work.path) == {NAME: "high"}
    assert said(work.path).startswith("verify.persistence, row few-runs: ")


@pytest.mark.parametrize(
    ("before", "after", "severity"), [("atomic", "compact", "high"), ("compact", "atomic", "medium")]
)
def test_a_profile_that_decides_weaker_makes_the_configuration_high(
    work: Repository, before: str, after: str, severity: str
) -> None:
    work.branch("main")
    work.commit("a profile", {".dr/config.yaml": f"profile: {before}\n"})
    work.branch("next")
    write(work.path, {".dr/config.yaml": f"profile: {after}\n"})
    assert found(work.path) == {".dr/config.yaml": severity}
    if severity == "high":
        assert said(work.path).startswith("review.")


def test_how_grave_a_weaker_decision_is_stands_in_the_policy(work: Repository) -> None:
    write(work.path, {NAME: WEAKER})
    context = context_of(work.path)
    entry = entry_of(context.policies)
    entry = entry._replace(parameters={**entry.parameters, "weaker": "low"})
    (one,) = check_of(entry)(entry, context).findings
    assert one.severity == "low"


def test_what_could_not_be_shown_is_said_and_stays_medium(work: Repository) -> None:
    work.branch("main")
    work.commit("own", {f"{LAYER}own.yaml": OWN, f"{LAYER}rank.yaml": ranks("high", "middle", "low")})
    work.branch("next")
    write(work.path, {f"{LAYER}own.yaml": OWN.replace("{t: {", "{u: {")})
    assert found(work.path) == {f"{LAYER}own.yaml": "medium"}
    assert "it could not be shown that repo.own decides nothing weaker now" in said(work.path)


def test_policies_that_did_not_load_where_the_work_began_are_no_ground_for_a_guess(work: Repository) -> None:
    work.branch("main")
    work.commit("broken", {NAME: STRONGER.replace("few-runs", "no-such-row")})
    work.branch("next")
    write(work.path, {NAME: WEAKER})
    assert found(work.path) == {NAME: "medium"}
    assert "the policies there do not load (unknown_item: " in said(work.path)


# What it is held against.


@pytest.fixture
def clone(work: Repository, tmp_path: Path) -> Repository:
    """A clone of it, on a branch of its own that tracks ``main``."""
    work.branch("main")
    work.git("clone", "-q", ".", str(tmp_path / "clone"))
    made = Repository(tmp_path / "clone")
    made.git("checkout", "-q", "-b", "own", "--track", "origin/main")
    return made


def test_the_upstream_is_what_others_have(clone: Repository) -> None:
    clone.commit("weaker", {NAME: WEAKER})
    assert found(clone.path) == {NAME: "high"}
    clone.git("push", "-q", "origin", "HEAD:next")
    clone.git("branch", "-q", "--set-upstream-to", "origin/next")
    assert found(clone.path) == {}
    write(clone.path, {f"{LAYER}words.yaml": WORDS})
    assert found(clone.path) == {f"{LAYER}words.yaml": "medium"}
    assert said(clone.path).endswith(", the merge base with origin/next")


def test_pushing_a_branch_makes_its_changes_nobody_else_s(clone: Repository) -> None:
    clone.commit("weaker", {NAME: WEAKER})
    clone.git("push", "-q", "-u", "origin", "own")
    assert found(clone.path) == {NAME: "high"}


def test_a_detached_head_is_held_against_the_default_branch(clone: Repository) -> None:
    clone.commit("weaker", {NAME: WEAKER})
    clone.git("checkout", "-q", "--detach")
    assert found(clone.path) == {NAME: "high"}


def test_what_others_changed_since_then_is_not_this_work_s(clone: Repository, work: Repository) -> None:
    work.commit("reviewed", {NAME: WEAKER})
    clone.git("fetch", "-q")
    assert found(clone.path) == {}


def test_a_linked_work_tree_is_looked_at_where_it_stands(work: Repository, tmp_path: Path) -> None:
    work.git("worktree", "add", "-q", "-b", "linked", str(tmp_path / "linked"), "main")
    write(tmp_path / "linked", {NAME: WEAKER})
    assert found(tmp_path / "linked") == {NAME: "high"}
    assert found(work.path) == {}


def test_a_shallow_clone_that_has_the_common_commit_is_as_good_as_any(work: Repository, tmp_path: Path) -> None:
    work.branch("main")
    subprocess.run(["git", "clone", "-q", "--depth=1", work.path.as_uri(), str(tmp_path / "shallow")], check=True)
    shallow = Repository(tmp_path / "shallow")
    write(shallow.path, {NAME: WEAKER})
    assert found(shallow.path) == {NAME: "high"}


def test_in_a_shallow_clone_without_a_common_commit_the_task_s_commits_are_told_alone(
    work: Repository, tmp_path: Path
) -> None:
    work.commit("between")
    work.commit("cut off here")
    work.commit(f"{TASK}: weaker", {NAME: WEAKER})
    work.branch("main")
    work.commit("main goes on")
    options = ["--depth=2", "--no-single-branch", "--branch=work"]
    subprocess.run(["git", "clone", "-q", *options, work.path.as_uri(), str(tmp_path / "shallow")], check=True)
    assert found(tmp_path / "shallow") == {NAME: "medium"}
    detail = check(tmp_path / "shallow").detail
    assert (
        "held against no other commit: no commit is shared with origin/main in this clone, which is shallow" in detail
    )


def test_where_nobody_knows_the_default_branch_the_task_s_commits_are_told_alone(work: Repository) -> None:
    work.git("branch", "-q", "-D", "main")
    assert check(work.path) == CheckResult(
        NOTHING_TO_RUN,
        "no commit of the task was found; the layer in force was held against no other commit: there is no upstream, "
        "and no branch is the default one",
    )
    work.commit(f"{TASK}: weaker", {NAME: WEAKER})
    assert found(work.path) == {NAME: "medium"}
    assert "no branch is the default one" in check(work.path).detail


def test_unrelated_histories_leave_the_task_s_commits(work: Repository) -> None:
    work.git("checkout", "-q", "--orphan", "other")
    work.commit(f"{TASK}: a new beginning", {NAME: WEAKER})
    assert found(work.path) == {NAME: "medium"}
    assert "no commit is shared with main" in check(work.path).detail


def test_where_the_task_s_commits_can_t_be_told_the_layer_still_is(work: Repository, tmp_path: Path) -> None:
    work.branch("main")
    subprocess.run(["git", "clone", "-q", "--depth=1", work.path.as_uri(), str(tmp_path / "shallow")], check=True)
    assert found(tmp_path / "shallow") == {}
    (tmp_path / "shallow" / NAME).unlink()
    (tmp_path / "shallow" / LAYER).rmdir()
    assert found(tmp_path / "shallow") == {NAME: "high"}


def test_commits_that_the_user_named_change_nothing_about_it(work: Repository) -> None:
    first = work.head()
    work.commit("weaker", {NAME: WEAKER})
    (one,) = check(work.path, commits=f"{first}..HEAD").findings
    assert one.severity == "high"


# --policy-from.


def test_policies_of_the_default_branch_are_what_they_are(work: Repository) -> None:
    work.commit("weaker", {NAME: WEAKER})
    write(work.path, {f"{LAYER}words.yaml": WORDS})
    assert found(work.path, "main") == {}
    work.git("stash", "-q", "-u")
    work.branch("main")
    work.commit("and main goes on", {f"{LAYER}limits.yaml": LIMITS})
    work.branch("work")
    assert found(work.path, "main") == {}


def test_policies_of_a_commit_are_held_against_where_that_one_began(work: Repository) -> None:
    work.commit("weaker", {NAME: WEAKER})
    work.commit("and back", {NAME: STRONGER})
    assert found(work.path) == {}
    assert found(work.path, "HEAD") == {}
    assert found(work.path, "HEAD~1") == {NAME: "high"}
    assert found(work.path, "HEAD~2") == {}


def test_a_bare_tree_is_held_against_where_the_work_began(work: Repository) -> None:
    work.commit("weaker", {NAME: WEAKER})
    tree = work.git("rev-parse", "HEAD^{tree}")
    work.commit("and back", {NAME: STRONGER})
    assert found(work.path, tree) == {NAME: "high"}


# How it looks.


def test_a_command_that_puts_the_layer_back_comes_too_late(work: Repository) -> None:
    write(work.path, {NAME: WEAKER})
    context = context_of(work.path)
    entry = entry_of(context.policies)
    begin(entry, context)
    write(work.path, {NAME: STRONGER})
    (one,) = check_of(entry)(entry, context).findings
    assert one.severity == "high"


def test_beginning_where_nobody_can_look_is_left_to_the_check(
    work: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = context_of(work.path)
    entry = entry_of(context.policies)

    def unseen(_start: Path) -> None:
        raise UndeterminedError("policy_unreadable", "nobody can look", place="x", next_step="y")

    monkeypatch.setattr(layer_files, "find_layer", unseen)
    begin(entry, context)
    with pytest.raises(UndeterminedError):
        check_of(entry)(entry, context)


@pytest.mark.parametrize(
    ("files", "ahead", "asked"),
    [
        ({}, False, ["rev-parse", "log", "for-each-ref", "ls-tree"]),
        ({}, True, ["rev-parse", "log", "for-each-ref", "merge-base", "ls-tree"]),
        ({NAME: STRONGER}, True, ["rev-parse", "log", "for-each-ref", "merge-base", *["ls-tree"] * 3, "cat-file"]),
    ],
    ids=["no layer", "no layer, and commits", "a layer"],
)
def test_git_is_asked_little_and_least_where_there_is_no_layer(
    files: dict[str, str], ahead: bool, asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = Repository(tmp_path)
    repository.commit("the documents", {**DESCRIPTION, **files})
    repository.branch("own")
    if ahead:
        repository.commit("ahead", {"x": "y\n"})
    context = context_of(repository.path)
    entry = entry_of(context.policies)
    seen: list[str] = []
    start = process.start

    def counted(argv: list[str], **more: object) -> process.Running:
        seen.append(next(word for word in argv[1:] if word[0] != "-" and "=" not in word))
        return start(argv, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(process, "start", counted)
    assert check_of(entry)(entry, context).findings == ()
    assert seen == asked


def test_waivers_that_can_t_be_read_are_no_reason_to_end(work: Repository) -> None:
    outside = work.path.parent / "waivers"
    outside.write_text(WAIVERS)
    (work.path / ".dr/waivers.yaml").symlink_to(outside)
    assert found(work.path) == {".dr/waivers.yaml": "medium"}
    work.git("add", "-A")
    work.commit("a link")
    assert found(work.path) == {".dr/waivers.yaml": "medium"}
    write(work.path, {".dr/waivers.yaml": None})
    assert found(work.path) == {}


def test_the_file_of_waivers_has_one_name() -> None:
    assert f"{FOLDER}/{layer_files.WAIVERS}" == f"{waiver_file.FOLDER}/{waiver_file.NAME}"
