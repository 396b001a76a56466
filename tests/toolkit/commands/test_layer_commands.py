"""``dr-policy`` and the layers: where a part comes from, what is bound, what is locked, and which tree is asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands_support import Run
from policy_support import head
from repository_support import Repository
from sources_support import LIMITS, USER_LIMITS, write

from toolkit.policy.sets import PolicySet

WORDS = head("vocabulary", "repo.words") + "terms: [{term: a}]\n"
VERDICT = '{"high": 0, "medium": 0, "low": 0, "persistent": false, "boundary_unreviewed": false}'
MACHINE = head("machine", "repo.lamp") + (
    "states: {of: repo.lamp-state, initial: dark, terminal: [broken]}\n"
    "events:\n"
    "  press: {inputs: {force: {type: integer, minimum: 0}}}\n"
    "transitions:\n"
    "  - {id: lit, from: dark, event: press, when: {force: {lt: 9}}, to: bright, effects: [record-reason]}\n"
    "  - {id: smashed, from: [dark, bright], event: press, when: {force: {gte: 9}}, to: broken}\n"
)
STATES = head("vocabulary", "repo.lamp-state") + "terms: [{term: dark}, {term: bright}, {term: broken}]\n"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A repository whose first commit has an overlay, and whose working tree has another one."""
    made = Repository(tmp_path / "repository")
    write(made.path, "limits.yaml", LIMITS)
    made.commit("base", {"src/a.py": "1\n"})
    write(made.path, "limits.yaml", LIMITS.replace("max_iter: 2", "max_iter: 7").replace("1.0.0", "1.1.0", 1))
    return made


@pytest.fixture
def root(repository: Repository) -> Path:
    return repository.path


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user with an overlay."""
    folder = tmp_path / "configuration/dr/policies"
    folder.mkdir(parents=True, mode=0o700)
    (folder / "limits.yaml").write_text(USER_LIMITS)
    (folder / "limits.yaml").chmod(0o600)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "configuration"))
    return folder


# --policy-from.


def test_every_command_that_loads_policies_reads_them_from_a_revision(run: Run) -> None:
    for revision, value, version in ((None, 7, "1.0.0+repo.overlay@1.1.0"), ("HEAD", 2, "1.0.0+repo.overlay@1.0.0")):
        option = ("--policy-from", revision) if revision else ()
        shown = run("show", "verify.limits", "--json", *option).json
        assert (shown["document"]["value"]["max_iter"], shown["version"]) == (value, version)
        (listed,) = [one for one in run("list", "--json", *option).json["documents"] if one["id"] == "verify.limits"]
        assert (listed["version"], listed["digest"]) == (version, shown["digest"])
        hashed = run("hash", "verify", "--json", *option).json
        assert {"id": "verify.limits", "version": version, "digest": shown["digest"]} in hashed["documents"]
        for command in ("eval", "explain"):
            assert run(command, "verify.verdict", "--facts", VERDICT, *option).status == 0
    checked = run("check", "--json", "--policy-from", "HEAD").json
    assert checked["repository_files"] == ["HEAD:.dr/policies/limits.yaml"]


def test_a_document_that_is_only_in_the_working_tree_can_t_be_asked_there(run: Run, root: Path) -> None:
    write(root, "words.yaml", WORDS)
    assert run("show", "repo.words").status == 0
    result = run("show", "repo.words", "--policy-from", "main", "--json")
    assert (result.status, result.json["error"]["code"]) == (2, "unknown_document")


@pytest.mark.parametrize("command", [["check"], ["show", "verify.limits"], ["list"], ["hash"]])
def test_a_revision_that_is_none_is_wrong_usage_of_every_command(run: Run, command: list[str]) -> None:
    result = run(*command, "--policy-from", "nowhere", "--json")
    assert (result.status, result.json["error"]["code"]) == (2, "unknown_revision")
    assert result.json["error"]["next"]


def test_a_layer_is_found_from_below_with_cwd(run: Run) -> None:
    assert run("check", "--json", "--cwd", "src").json["repository_files"] == [".dr/policies/limits.yaml"]
    result = run("check", "--json", "--cwd", "src", "--policy-from", "HEAD")
    assert result.json["repository_files"] == ["HEAD:.dr/policies/limits.yaml"]


# show and list.


def test_the_origin_of_each_part_is_its_layer_its_place_and_its_overlay(run: Run, user: Path) -> None:
    result = run("show", "verify.limits", "--origin", "--json")
    document, *parts = result.json["origins"]
    assert (document["part"], document["layer"], document["overlay"]) == ("", "shipped", None)
    assert document["file"] == "policies/verify/limits.yaml"
    assert parts == [
        {
            "part": "/max_iter",
            "layer": "repository",
            "file": ".dr/policies/limits.yaml",
            "line": 7,
            "column": 18,
            "overlay": "repo.overlay",
        }
    ]
    assert "  /max_iter     repository  .dr/policies/limits.yaml:7 (repo.overlay)" in run(
        "show", "verify.limits", "--origin"
    ).out.split("\n")
    assert "origins" not in run("show", "verify.limits", "--json").json


def test_the_origin_of_a_row_names_its_line(run: Run, policies: PolicySet) -> None:
    result = run("show", "review.budget", "--origin", "--json")
    rows = {one["part"]: one for one in result.json["origins"]}
    assert [part for part in rows if part] == [f"row {row.id}" for row in policies.table("review.budget").document.rows]
    for row in policies.table("review.budget").document.rows:
        assert rows[f"row {row.id}"]["line"] == row.mark.line


def test_a_machine_is_listed_and_shown_with_its_transitions(run: Run, root: Path) -> None:
    write(root, "lamp.yaml", MACHINE)
    write(root, "states.yaml", STATES)
    listed = {one["id"]: one["kind"] for one in run("list", "--json").json["documents"]}
    assert listed["repo.lamp"] == "machine"
    text = run("show", "repo.lamp", "--origin").out
    for said in ("states     dark, bright, broken", "begins in  dark", "ends in    broken"):
        assert f"  {said}\n" in text
    assert "Event press\n  force  an integer, at least 0\n" in text
    assert "│ lit        │ dark   │ press │ force: < 9  │ bright │ record-reason │\n" in text
    assert "│ smashed    │ dark   │ press │ force: >= 9 │ broken │               │\n" in text
    assert "│            │ bright │       │             │        │               │\n" in text
    assert "  transition lit      repository  .dr/policies/lamp.yaml:11\n" in text
    assert run("show", "repo.lamp", "--json").json["document"]["transitions"][0]["id"] == "lit"


# hash.


def test_a_digest_covers_the_closure_of_its_pack_and_the_profile(run: Run, root: Path, policies: PolicySet) -> None:
    (root / ".dr/policies/limits.yaml").unlink()
    result = run("hash", "review", "--json").json
    assert (result["entry"], result["digest"]) == ("review", policies.pack_digest("review"))
    assert tuple(one["id"] for one in result["documents"]) == policies.closure("review")
    assert result["profile"] == "compact"
    text = run("hash").out
    assert text.split("\n")[:-1] == [f"{policies.pack_digest(pack)}  {pack}" for pack in policies.packs]
    (root / ".dr/config.yaml").write_text("profile: atomic\n")
    assert run("hash", "verify", "--json").json["digest"] != policies.pack_digest("verify")


def test_the_user_s_layer_has_no_part_in_a_digest(run: Run, user: Path) -> None:
    shown = run("show", "verify.limits", "--json").json["version"]
    assert "user.limits" in shown
    bound = run("hash", "verify", "--json").json
    (user / "limits.yaml").unlink()
    assert run("hash", "verify", "--json").json == bound


def test_a_pack_that_is_none_is_told_with_the_nearest(run: Run) -> None:
    result = run("hash", "reviev", "--json")
    assert (result.status, result.json["error"]["code"]) == (2, "unknown_pack")
    assert result.json["error"]["next"] == "did you mean 'review'?"


# lock and check --locked.


def test_a_lock_is_written_once_and_then_holds(run: Run, root: Path) -> None:
    assert run("check", "--locked").status == 1
    result = run("lock")
    assert (result.status, result.err) == (0, "")
    assert result.out.startswith("wrote .dr/policy.lock, ")
    text = (root / ".dr/policy.lock").read_text()
    assert '  verify.limits: {version: "1.0.0+repo.overlay@1.1.0", digest: "sha256:' in text
    assert run("lock").out.startswith("unchanged: .dr/policy.lock, ")
    assert run("lock", "--json").json["written"] is False
    checked = run("check", "--locked")
    assert (checked.status, checked.out.rstrip().endswith("(profile compact, as locked)")) == (0, True)


def test_without_a_lock_check_says_how_to_make_one(run: Run) -> None:
    (problem,) = run("check", "--locked", "--json").json["problems"]
    assert (problem["code"], problem["file"], problem["hint"]) == (
        "lock_missing",
        ".dr/policy.lock",
        "run: dr-policy lock",
    )
    (problem,) = run("check", "--locked", "--json", "--policy-from", "main").json["problems"]
    assert problem["file"] == "main:.dr/policy.lock"


def test_every_document_that_is_not_as_locked_is_a_problem(run: Run, root: Path) -> None:
    write(root, "words.yaml", WORDS)
    assert run("lock").status == 0
    (root / ".dr/policies/words.yaml").unlink()
    write(root, "more.yaml", WORDS.replace("repo.words", "repo.more"))
    write(root, "limits.yaml", LIMITS)
    result = run("check", "--locked", "--json")
    assert result.status == 1
    assert sorted((one["code"], one["document"]) for one in result.json["problems"]) == [
        ("lock_added", "repo.more"),
        ("lock_changed", "verify.limits"),
        ("lock_removed", "repo.words"),
    ]
    assert all(
        set(one) == {"code", "file", "line", "column", "document", "message", "hint"} for one in result.json["problems"]
    )
    assert run("check").status == 0


def test_content_that_changed_under_its_version_is_neither_accepted_nor_locked(run: Run, root: Path) -> None:
    assert run("lock").status == 0
    before = (root / ".dr/policy.lock").read_bytes()
    edited = LIMITS.replace("1.0.0", "1.1.0", 1)
    write(root, "limits.yaml", edited)
    (problem,) = run("check", "--locked", "--json").json["problems"]
    assert (problem["code"], problem["document"]) == ("changed_under_version", "verify.limits")
    refused = run("lock", "--json")
    assert refused.status == 2
    assert refused.json["error"]["code"] == "changed_under_version"
    assert "verify.limits" in refused.json["error"]["message"]
    assert refused.json["error"]["next"] == "raise the version in .dr/policies/limits.yaml, then run: dr-policy lock"
    assert (root / ".dr/policy.lock").read_bytes() == before
    write(root, "limits.yaml", edited.replace("1.1.0", "1.2.0"))
    assert (run("lock").status, run("check", "--locked").status) == (0, 0)


def test_a_damaged_lock_is_told_with_its_place_and_is_not_written_over(run: Run, root: Path) -> None:
    (root / ".dr/policy.lock").write_text("lock: v1\nprofile: compact\ndocuments: {a.b: 1}\n")
    (problem,) = run("check", "--locked", "--json").json["problems"]
    assert (problem["code"], problem["file"], problem["line"]) == ("wrong_type", ".dr/policy.lock", 3)
    result = run("lock", "--json")
    assert (result.status, result.json["error"]["place"]) == (2, ".dr/policy.lock:3:18")
    assert "remove it" in result.json["error"]["next"]
    assert run("check").status == 0


def test_a_lock_is_read_from_the_tree_that_it_locks(run: Run, root: Path, repository: Repository) -> None:
    assert run("lock").status == 0
    repository.commit("locked")
    write(root, "limits.yaml", LIMITS)
    (root / ".dr/policy.lock").unlink()
    assert run("check", "--locked").status == 1
    assert run("check", "--locked", "--policy-from", "main").status == 0
    repository.commit("edited", {".dr/policies/limits.yaml": LIMITS.replace("1.0.0", "1.3.0", 1)})
    repository.git("checkout", "-q", "main~1", "--", ".dr/policy.lock")
    repository.commit("the old lock")
    result = run("check", "--locked", "--json", "--policy-from", "main")
    assert [(one["code"], one["file"]) for one in result.json["problems"]] == [("lock_changed", "main:.dr/policy.lock")]


def test_a_repository_without_policies_is_locked_at_the_top_of_its_work_tree(run: Run, root: Path) -> None:
    (root / ".dr/policies/limits.yaml").unlink()
    (root / ".dr/policies").rmdir()
    (root / ".dr").rmdir()
    assert run("lock", "--cwd", "src").status == 0
    assert (root / ".dr/policy.lock").is_file()
    assert run("check", "--locked", "--cwd", "src").status == 0


def test_the_user_s_layer_has_no_part_in_a_lock(run: Run, user: Path, root: Path) -> None:
    assert run("lock").status == 0
    assert "user" not in (root / ".dr/policy.lock").read_text()
    checked = run("check", "--locked", "--json").json
    assert (checked["ok"], len(checked["user_files"])) == (True, 1)
    (user / "limits.yaml").unlink()
    assert run("check", "--locked").status == 0
