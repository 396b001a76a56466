"""``dr-policy init``: what it writes and where, that it writes over nothing, and that a cut run is completed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from commands_support import Run
from jsonschema import Draft202012Validator
from repository_support import Repository
from sources_support import LIMITS, max_iter, write

from toolkit.authoring.schemas.published import NAMES
from toolkit.sources import load_policies

SCHEMAS = Path(__file__).parents[3] / "docs" / "schemas"
FILES = [".dr/config.yaml", ".dr/README.md", *(f".dr/schemas/{name}.json" for name in NAMES)]
NOBODY = 65534


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return Repository(tmp_path / "repository").path


def contents(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes() for path in (root / ".dr").rglob("*") if path.is_file()
    }


def told(run: Run, *arguments: str) -> Any:
    """The one document of a run that held."""
    result = run("init", "--json", *arguments)
    assert result.status == 0, result.err
    schema = json.loads((SCHEMAS / "dr-policy.init.v1.json").read_bytes())
    Draft202012Validator(schema).validate(result.json)
    return result.json


def outcomes(document: Any) -> set[str]:
    return {one["outcome"] for one in document["files"]}


def test_it_writes_a_configuration_a_note_and_a_schema_for_each_kind(run: Run, root: Path) -> None:
    document = told(run)

    assert [one["file"] for one in document["files"]] == FILES
    assert outcomes(document) == {"written"}
    assert sorted(contents(root)) == sorted(FILES)
    assert (document["root"], document["work_tree"], document["profile"]) == (".", True, "compact")
    config = (root / ".dr/config.yaml").read_text()
    assert config.splitlines()[0] == "# yaml-language-server: $schema=schemas/config.json"
    assert (root / ".dr" / config.splitlines()[0].partition("=")[2]).is_file()
    assert config.splitlines()[-1] == "profile: compact"


def test_nothing_of_it_is_a_policy_and_everything_still_loads(run: Run, root: Path, policies: Any) -> None:
    told(run)

    loaded = load_policies(root)
    assert loaded.policies.ids == policies.ids
    assert loaded.repository_files == (".dr/config.yaml",)
    assert run("check").status == 0


def test_a_git_tree_with_it_is_read_as_well(run: Run, root: Path) -> None:
    told(run)
    write(root, "limits.yaml", LIMITS)
    Repository(root).commit("policies")
    write(root, "limits.yaml", LIMITS.replace("max_iter: 2", "max_iter: 7"))

    loaded = load_policies(root, policy_from="HEAD")
    assert loaded.repository_files == ("HEAD:.dr/config.yaml", "HEAD:.dr/policies/limits.yaml")
    assert (max_iter(root, "HEAD"), max_iter(root)) == (2, 7)


def test_it_says_what_it_wrote_and_how_to_go_on(run: Run, root: Path) -> None:
    result = run("init")

    assert result.status == 0
    assert result.out.splitlines() == [
        f"at the top of this Git work tree: {root}",
        "  written    .dr/config.yaml",
        "  written    .dr/README.md",
        f"  written    .dr/schemas/ ({len(NAMES)} files)",
        "next:",
        "  dr-policy new overlay repo.large-change --base review.risk",
        "  dr-policy check",
        "  dr-policy test",
    ]
    for command in result.out.splitlines()[-3:]:
        assert run(*command.split()[1:]).status == 0


def test_running_it_again_changes_nothing(run: Run, root: Path) -> None:
    told(run)
    before = contents(root)
    times = {path: path.stat().st_mtime_ns for path in (root / ".dr").rglob("*")}

    assert outcomes(told(run)) == {"unchanged"}
    assert contents(root) == before
    assert {path: path.stat().st_mtime_ns for path in (root / ".dr").rglob("*")} == times
    assert "next:" not in run("init").out


def test_what_somebody_edited_is_left_and_said(run: Run, root: Path) -> None:
    told(run)
    (root / ".dr/config.yaml").write_text("profile: atomic # ours\n")
    (root / ".dr/README.md").write_text("ours\n")
    (root / ".dr/schemas/table.json").write_text("{}\n")

    result = run("init")

    assert result.status == 0
    assert "left as they are" in result.err
    for name in (".dr/config.yaml", ".dr/README.md", ".dr/schemas/table.json"):
        assert name in result.err
    assert (root / ".dr/config.yaml").read_text() == "profile: atomic # ours\n"
    assert (root / ".dr/README.md").read_text() == "ours\n"
    assert (root / ".dr/schemas/table.json").read_text() == "{}\n"
    assert told(run)["profile"] == "atomic"


def test_schemas_are_brought_up_to_date_and_never_back(run: Run, root: Path) -> None:
    told(run)
    path = root / ".dr/schemas/table.json"
    whole = path.read_text()
    comment = json.loads(whole)["$comment"]
    for version, outcome in (("0.0.9", "refreshed"), ("99.0.0", "kept")):
        old = json.dumps({"$comment": comment.replace(comment.split()[3], f"{version}:")})
        path.write_text(old)
        by_file = {one["file"]: one["outcome"] for one in told(run)["files"]}
        assert by_file[".dr/schemas/table.json"] == outcome
        assert set(by_file.values()) == {"unchanged", outcome}
        assert path.read_text() == (whole if outcome == "refreshed" else old)


def test_a_new_vocabulary_of_the_repository_is_offered_after_the_next_run(run: Run, root: Path) -> None:
    told(run)
    assert run("new", "vocabulary", "repo.words").status == 0

    by_file = {one["file"]: one["outcome"] for one in told(run)["files"]}

    assert by_file[".dr/schemas/table.json"] == "refreshed"
    assert '"repo.words"' in (root / ".dr/schemas/table.json").read_text()


def test_schemas_know_nothing_of_the_users_own_layer(
    run: Run, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "configuration/dr/policies"
    folder.mkdir(parents=True, mode=0o700)
    words = folder / "words.yaml"
    words.write_text(
        "policy: v1\nkind: vocabulary\nid: user.words\nversion: 1.0.0\ntitle: T\nsource: S\nterms: [{term: a}]\n"
    )
    words.chmod(0o600)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "configuration"))

    told(run)

    assert "user.words" in load_policies(root).policies.ids
    assert all(b"user.words" not in data for data in contents(root).values())


# Where.


def test_it_stands_at_the_top_of_the_work_tree_unless_told_otherwise(run: Run, root: Path) -> None:
    inner = root / "packages/one"
    inner.mkdir(parents=True)

    assert told(run, "--cwd", str(inner))["root"] == "../.."
    assert not (inner / ".dr").exists()

    here = run("init", "--here", "--cwd", str(inner))
    assert here.status == 0
    assert here.out.startswith(f"in this directory: {inner}\n")
    assert f"that of {root} no longer does" in here.err
    assert (inner / ".dr/config.yaml").is_file()

    above = run("init", "--cwd", str(inner))
    assert f"the nearer .dr of {inner} holds, not this one" in above.err


def test_without_git_it_stands_where_the_command_runs(run: Run, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()

    assert run("init", "--cwd", str(bare)).out.startswith(
        f"in this directory (there is no Git work tree here): {bare}\n"
    )
    document = told(run, "--cwd", str(bare))
    assert (document["root"], document["work_tree"]) == (".", False)


def test_a_linked_work_tree_has_one_of_its_own(run: Run, root: Path, tmp_path: Path) -> None:
    repository = Repository(root)
    repository.commit("base", {"a": "1\n"})
    repository.git("worktree", "add", "-q", str(tmp_path / "linked"))

    assert told(run, "--cwd", str(tmp_path / "linked"))["root"] == "."
    assert not (root / ".dr").exists()


# The profile.


def test_a_profile_is_chosen_where_nothing_chose_one(run: Run, root: Path) -> None:
    assert told(run, "--profile", "atomic")["profile"] == "atomic"
    assert load_policies(root).policies.profile == "atomic"
    assert outcomes(told(run, "--profile", "atomic")) == {"unchanged"}


def test_a_profile_that_is_none_is_refused_before_anything_is_written(run: Run, root: Path) -> None:
    result = run("init", "--profile", "atomik", "--json")

    assert result.status == 2
    assert result.json["error"]["code"] == "unknown_profile"
    assert result.json["error"]["next"] == "did you mean 'atomic'?"
    assert not (root / ".dr").exists()


def test_another_profile_than_the_one_chosen_is_not_written_over_it(run: Run, root: Path) -> None:
    told(run)
    result = run("init", "--profile", "atomic", "--json")

    assert result.status == 2
    assert result.json["error"]["code"] == "profile_differs"
    assert result.json["error"]["place"] == ".dr/config.yaml"
    assert load_policies(root).policies.profile == "compact"


# What is broken, or in the way.


def test_beside_policies_that_do_not_load_it_offers_what_is_shipped(run: Run, root: Path) -> None:
    write(root, "broken.yaml", "policy: v1\n")

    result = run("init")

    assert result.status == 0
    assert "don't load" in result.err
    assert '"review.risk"' in (root / ".dr/schemas/overlay.json").read_text()
    assert run("check").status == 1


def test_a_configuration_that_can_not_be_read_is_told(run: Run, root: Path) -> None:
    (root / ".dr").mkdir()
    (root / ".dr/config.yaml").write_text("profil: atomic\n")

    result = run("init")

    assert result.status == 2
    assert ".dr/config.yaml:1:1: unknown_key" in result.err
    assert sorted(contents(root)) == [".dr/config.yaml"]


@pytest.mark.parametrize("name", ["config.yml", "config.json", "Config.yaml"])
def test_what_would_be_overlooked_is_told_and_nothing_is_put_beside_it(name: str, run: Run, root: Path) -> None:
    (root / ".dr").mkdir()
    (root / ".dr" / name).write_text("profile: atomic\n")

    result = run("init")

    assert result.status == 2
    assert "config_name" in result.err
    assert sorted(contents(root)) == [f".dr/{name}"]


@pytest.mark.parametrize("options", [(), ("--here",)])
@pytest.mark.parametrize("place", ["bare", "bare/refs", "repository/.git", "repository/.git/hooks"])
def test_nothing_is_written_among_git_s_own_files(
    run: Run, root: Path, tmp_path: Path, place: str, options: tuple[str, ...]
) -> None:
    Repository(root).git("init", "-q", "--bare", str(tmp_path / "bare"))
    (root / ".git/hooks").mkdir(exist_ok=True)

    result = run("init", *options, "--json", "--cwd", str(tmp_path / place))

    assert (result.status, result.json["error"]["code"]) == (2, "no_work_tree")
    assert "checkout" in result.json["error"]["next"]
    assert not list(tmp_path.rglob(".dr"))


def test_an_empty_configuration_is_nobody_s_work_and_is_written_anew(run: Run, root: Path) -> None:
    told(run)
    whole = contents(root)
    (root / ".dr/config.yaml").write_bytes(b"")

    document = told(run)

    assert {one["file"]: one["outcome"] for one in document["files"]}[".dr/config.yaml"] == "written"
    assert contents(root) == whole
    assert run("init").err == ""


def test_an_empty_configuration_takes_the_profile_that_is_wanted(run: Run, root: Path) -> None:
    (root / ".dr").mkdir()
    (root / ".dr/config.yaml").write_bytes(b"")

    result = run("init", "--profile", "atomic")

    assert (result.status, result.err) == (0, "")
    assert load_policies(root, user="none").policies.profile == "atomic"


def test_a_configuration_that_says_nothing_but_is_not_empty_is_left_alone(run: Run, root: Path) -> None:
    (root / ".dr").mkdir()
    (root / ".dr/config.yaml").write_bytes(b"# mine\n")

    assert run("init").status == 2
    assert (root / ".dr/config.yaml").read_bytes() == b"# mine\n"


@pytest.mark.parametrize(
    "command", [("init",), ("test",), ("check",), ("fmt",), ("diff", "--from", "HEAD"), ("diff", "shipped", ".")]
)
def test_where_dr_is_no_folder_every_command_says_so(run: Run, root: Path, command: tuple[str, ...]) -> None:
    Repository(root).commit("first", {"a": "1"})
    (root / ".dr").write_text("mine")

    result = run(*command)

    told = result.out + result.err
    assert result.status == (1 if command == ("check",) else 2)  # a check's answer is that there are problems
    assert ".dr: not_a_folder: " in told
    assert "move it away" in told
    assert (root / ".dr").read_text() == "mine"


def test_a_folder_that_leaves_the_repository_is_refused(run: Run, root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / ".dr").symlink_to(outside)

    result = run("init")

    assert result.status == 2
    assert "policy_outside_repository" in result.err
    assert not list(outside.iterdir())


def test_schemas_that_leave_the_repository_are_refused(run: Run, root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / ".dr").mkdir()
    (root / ".dr/schemas").symlink_to(outside)

    result = run("init")

    assert result.status == 2
    assert "policy_outside_repository" in result.err
    assert not list(outside.iterdir())


def child(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A script in a process of its own, which has imported the program."""
    begin = (
        "import sys, os, resource, sysconfig\nfrom toolkit.commands.main import main\nimport toolkit.commands.init\n"
    )
    command = [sys.executable, "-B", "-c", begin + script, *arguments]  # a module cut short would stay on disk
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


# Everything is imported first, by a cold run, and what is shipped is read: it may stand where nobody else can read.
UNPRIVILEGED = f"""
import shutil, toolkit.shipped, toolkit.sources.loading
shipped = toolkit.shipped.read_shipped()
toolkit.shipped.read_shipped = toolkit.sources.loading.read_shipped = lambda: shipped
os.chdir(sys.argv[1])
os.environ["DR_VERIFY_CACHE_DIR"] = "/dev/null/none"
for place in ("own", "closed"):
    sys.argv = ["dr-policy", "init", "--cwd", place]
    try:
        main()
    except SystemExit as ended:
        print(ended.code)
    if place == "own":
        os.setgroups([]), os.setgid({NOBODY}), os.setuid({NOBODY})
"""
RUN_IT = "sys.argv = ['dr-policy', 'init', '--cwd', sys.argv[1]]\nmain()\n"


def test_a_limit_on_file_sizes_is_told_and_no_half_file_is_left(run: Run, root: Path) -> None:
    done = child(f"resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))\n{RUN_IT}", str(root))

    assert done.returncode == 3
    assert "[file_too_large]" in done.stderr
    assert "run the same command again" in done.stderr
    whole = told(run)
    assert "written" in outcomes(whole)
    assert not [name for name in contents(root) if name not in FILES]
    assert outcomes(told(run)) == {"unchanged"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser may become somebody else")
def test_a_folder_that_may_not_be_written_is_told() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as made:
        root = Path(made)
        root.chmod(0o755)
        for place in ("own", "closed"):
            (root / place).mkdir()
        done = child(UNPRIVILEGED, made)
        written = sorted(path.name for path in root.glob("*/.dr"))

    assert done.stdout.splitlines()[-1] == "3"
    assert "[not_writable]" in done.stderr
    assert "give this user the right to write there" in done.stderr
    assert written == [".dr"]


def test_a_run_that_is_killed_is_completed_by_the_next(run: Run, root: Path) -> None:
    """After so many files that it wrote: what is there is whole, and the next run writes the rest."""
    script = (
        "import toolkit.storage.files as files\n"
        "left = [int(sys.argv[2])]\n"
        "def dying(real):\n"
        "    def create(*arguments):\n"
        "        if left[0] == 0: os.kill(os.getpid(), 9)\n"
        "        left[0] -= 1\n"
        "        return real(*arguments)\n"
        "    return create\n"
        "files._claim = dying(files._claim)\n"
    )
    for files in (0, 3, len(FILES) - 1):
        repository = Repository(root.parent / f"killed-{files}").path
        done = child(script + RUN_IT, str(repository), str(files))
        assert done.returncode == -signal.SIGKILL
        there = {name for name in contents(repository) if not name.endswith(".tmp")}
        assert len(there) == files
        document = told(run, "--cwd", str(repository))
        by_outcome = [one["outcome"] for one in document["files"]]
        assert by_outcome.count("unchanged") == files
        assert by_outcome.count("written") == len(FILES) - files
        assert load_policies(repository).policies.ids
