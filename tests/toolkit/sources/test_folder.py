"""The layer of a working tree: what is read of it, and what a hostile one may hold."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import pytest
from policy_support import data, head
from sources_support import LAYER_FOLDER, LIMITS, max_iter, refused, told, write

from toolkit.policy.layers import MAX_DOCUMENTS, MAX_SET_BYTES
from toolkit.policy.sets import PolicySet
from toolkit.policy.syntax.nodes import MAX_BYTES
from toolkit.shipped import Shipped
from toolkit.sources import find_layer, load_policies
from toolkit.sources.folder import read_repository

# The layer of a repository.


def test_without_a_repository_the_shipped_set_is_in_force(policies: PolicySet) -> None:
    loaded = load_policies(None)
    assert loaded.policies.ids == policies.ids
    assert loaded.repository_files == ()


def test_a_repository_edits_shipped_data_and_brings_its_own(repository: Path) -> None:
    write(repository, "limits.yaml", LIMITS)
    write(repository, "deep/er/words.yaml", data("[a]", "repo.words", shape="verify.limits"))
    assert [problem.code for problem in refused(repository)] == ["wrong_shape"]
    (repository / LAYER_FOLDER / "deep/er/words.yaml").unlink()
    write(repository, "deep/er/words.yaml", head("vocabulary", "repo.words") + "terms: [{term: a}]\n")
    loaded = load_policies(repository)
    assert loaded.policies.data("verify.limits")["max_iter"] == 2
    assert loaded.policies.vocabulary("repo.words").terms == ("a",)
    assert loaded.repository_files == (".dr/policies/limits.yaml", ".dr/policies/deep/er/words.yaml")


def test_files_that_are_no_policies_are_left_alone(repository: Path) -> None:
    for name in ("README.md", "notes.txt", "limits.yaml.bak", "yaml"):
        write(repository, name, b"\xff")
    assert load_policies(repository).repository_files == ()


@pytest.mark.parametrize("name", ["limits.yml", "limits.YAML", "limits.Yml", ".yml", "deep/limits.yml"])
def test_a_file_that_would_be_overlooked_is_refused(repository: Path, name: str) -> None:
    write(repository, name, LIMITS)
    (problem,) = refused(repository)
    assert (problem.code, problem.mark.file) == ("policy_suffix", f".dr/policies/{name}")


def test_a_file_called_nothing_but_its_suffix_is_read(repository: Path) -> None:
    write(repository, ".yaml", LIMITS)
    assert max_iter(repository) == 2


def test_redefining_a_shipped_document_is_refused_with_both_files(repository: Path) -> None:
    write(repository, "limits.yaml", data("{}", "verify.limits", shape="verify.limits"))
    (problem,) = refused(repository)
    assert problem.code == "duplicate_id"
    assert "policies/verify/limits.yaml" in problem.message


def test_a_document_outside_the_pack_repo_is_refused(repository: Path) -> None:
    write(repository, "mine.yaml", head("vocabulary", "verify.mine") + "terms: [{term: a}]\n")
    (problem,) = refused(repository)
    assert (problem.code, problem.hint) == ("foreign_pack", "call it repo.mine")


def test_every_problem_of_every_file_is_told_at_once(repository: Path) -> None:
    write(repository, "a.yaml", "a: no\n")
    write(repository, "b.yml", LIMITS)
    write(repository, "c.yaml", LIMITS.replace("max_iter: 2", "max_iter: many"))
    (repository / LAYER_FOLDER / "d.yaml").symlink_to("/etc/hostname")
    found = refused(repository)
    assert [(problem.mark.file[-6:], problem.code) for problem in found] == [
        ("a.yaml", "ambiguous_scalar"),
        ("/b.yml", "policy_suffix"),
        ("c.yaml", "wrong_shape"),
        ("d.yaml", "policy_outside_repository"),
    ]


def test_a_file_is_read_up_to_a_mebibyte(repository: Path) -> None:
    write(repository, "limits.yaml", LIMITS + "#" + "x" * (MAX_BYTES - len(LIMITS) - 1))
    assert load_policies(repository).repository_files
    write(repository, "limits.yaml", LIMITS + "#" + "x" * (MAX_BYTES - len(LIMITS)))
    (problem,) = refused(repository)
    assert (problem.code, str(problem.mark)) == ("too_large", ".dr/policies/limits.yaml")


def test_what_follows_when_a_set_is_too_large_is_not_even_read(repository: Path) -> None:
    for number in range(40):
        write(repository, f"w{number:02}.yaml", b"#" * MAX_BYTES)
    layer = read_repository(repository)
    assert sum(len(source.data) for source in layer.sources) == MAX_SET_BYTES + MAX_BYTES
    assert "set_too_large" in [problem.code for problem in refused(repository)]


def test_no_more_names_are_looked_at_than_a_layer_may_have(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolkit.sources.found.MAX_ENTRIES", 20)
    for number in range(21):
        write(repository, f"deep/note-{number}.md", "x")
    assert told(refused(repository)) == [("too_many_files", ".dr/policies/deep")]


def test_more_files_than_a_set_may_have_are_refused(repository: Path) -> None:
    for number in range(MAX_DOCUMENTS + 1):
        write(repository, f"w{number}.yaml", head("vocabulary", f"repo.w{number}") + "terms: [{term: a}]\n")
    assert [problem.code for problem in refused(repository)] == ["too_many_documents"]


# What a hostile tree may hold.


def test_a_file_that_leaves_the_repository_by_a_link_is_refused(repository: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.yaml"
    outside.write_text(LIMITS)
    (repository / LAYER_FOLDER / "linked.yaml").symlink_to(outside)
    (problem,) = refused(repository)
    assert (problem.code, problem.mark.file) == ("policy_outside_repository", ".dr/policies/linked.yaml")


@pytest.mark.parametrize("folder", [".dr", ".dr/policies"])
def test_a_layer_that_leaves_the_repository_by_a_link_is_refused(tmp_path: Path, few: Shipped, folder: str) -> None:
    outside = tmp_path / "outside"
    (outside / "policies").mkdir(parents=True)
    (outside / "policies" / "limits.yaml").write_text(LIMITS)
    (outside / "limits.yaml").write_text(LIMITS)
    root = tmp_path / "repository"
    (root / folder).parent.mkdir(parents=True)
    (root / folder).symlink_to(outside)
    assert find_layer(root) == root
    (problem,) = refused(root)
    assert problem.code == "policy_outside_repository"
    assert problem.hint == "make it a file or folder of the repository itself"


def test_a_linked_folder_within_the_layer_is_refused_and_not_overlooked(repository: Path) -> None:
    elsewhere = repository / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "limits.yaml").write_text(LIMITS)
    (repository / LAYER_FOLDER / "linked").symlink_to(elsewhere)
    assert [problem.code for problem in refused(repository)] == ["policy_unreadable"]


def test_a_link_that_stays_in_the_repository_is_followed(repository: Path) -> None:
    (repository / "limits.yaml").write_text(LIMITS)
    (repository / LAYER_FOLDER / "linked.yaml").symlink_to("../../limits.yaml")
    assert max_iter(repository) == 2


def test_a_link_that_leads_nowhere_is_refused(repository: Path) -> None:
    (repository / LAYER_FOLDER / "gone.yaml").symlink_to("nowhere.yaml")
    (repository / LAYER_FOLDER / "round.yaml").symlink_to("round.yaml")
    assert [problem.mark.file[-9:] for problem in refused(repository)] == ["gone.yaml", "ound.yaml"]


@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_layer_that_is_no_folder_is_refused_and_not_taken_for_absent(tmp_path: Path, few: Shipped, kind: str) -> None:
    layer = tmp_path / LAYER_FOLDER
    layer.parent.mkdir()
    if kind == "file":
        layer.write_text("x")
    else:
        layer.symlink_to("nowhere")
    assert find_layer(tmp_path) == tmp_path
    assert [problem.code for problem in refused(tmp_path)] == ["policy_unreadable"]


def test_a_pipe_is_refused_without_waiting_for_a_writer(repository: Path) -> None:
    os.mkfifo(repository / LAYER_FOLDER / "pipe.yaml")
    (problem,) = refused(repository)
    assert (problem.code, problem.mark.file) == ("not_regular", ".dr/policies/pipe.yaml")


def test_a_name_that_is_no_text_is_shown_escaped_and_its_file_is_read(repository: Path) -> None:
    folder = os.fsencode(repository / LAYER_FOLDER)
    for name in (b"bad-\xff.yaml", b"line\nbreak.yaml", b"\x1b[31m.yaml"):
        (Path(os.fsdecode(folder)) / os.fsdecode(name)).write_bytes(b"a: no\n")
    files = [problem.mark.file for problem in refused(repository)]
    assert files == [
        ".dr/policies/\\x1b[31m.yaml",
        ".dr/policies/bad-\\udcff.yaml",
        ".dr/policies/line\\nbreak.yaml",
    ]


UNPRIVILEGED = """
import os, sys
from pathlib import Path
os.environ["DR_VERIFY_CACHE_DIR"] = "/dev/null/none"  # no cache: each load imports what a cold one needs
os.environ["XDG_CONFIG_HOME"] = "/nowhere"
import toolkit.storage.files
from toolkit.errors import ToolkitError
from toolkit.sources import load_policies, loading
load_policies(None, whole=True)  # imports all that loading needs, as long as it may be read; so are the shipped files
kept = loading.read_shipped()
loading.read_shipped = lambda: kept
if os.geteuid() == 0:
    os.setgroups([]), os.setgid(65534), os.setuid(65534)
try:
    load_policies(Path(sys.argv[1]))
except ToolkitError as fault:
    print(fault.code, fault.exit_status, *(problem.mark.file for problem in getattr(fault, "problems", ())))
else:
    print("loaded")
"""


@pytest.mark.parametrize(
    ("closed", "says"),
    [
        (".dr/policies/limits.yaml", "not_readable 2 .dr/policies/limits.yaml"),
        (".dr/policies/deep", "policy_unreadable 2 .dr/policies/deep"),
        (".dr/policies", "policy_unreadable 2 .dr/policies"),
        (".dr", "policy_unreadable 3"),
        (".dr/config.yaml", "not_readable 2 .dr/config.yaml"),
        ("", "loaded"),
    ],
)
def test_what_may_not_be_read_is_not_taken_for_absent(closed: str, says: str) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as made:
        root = Path(made)
        root.chmod(0o755)
        write(root, "limits.yaml", LIMITS)
        (root / ".dr/config.yaml").write_text("profile: compact\n")
        write(root, "deep/more.yaml", head("vocabulary", "repo.words") + "terms: [{term: a}]\n")
        if closed:
            (root / closed).chmod(0)
        child = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(UNPRIVILEGED), str(root)],
            capture_output=True,
            text=True,
            check=True,
        )
        if closed:
            (root / closed).chmod(0o755)
    assert child.stdout.strip() == says


# The configuration.


def test_a_configuration_that_leaves_the_repository_by_a_link_is_refused(repository: Path, tmp_path: Path) -> None:
    outside = tmp_path / "config.yaml"
    outside.write_text("profile: strict\n")
    (repository / ".dr/config.yaml").symlink_to(outside)
    assert told(refused(repository)) == [("policy_outside_repository", ".dr/config.yaml")]


@pytest.mark.parametrize("name", ["config.yml", "Config.yaml", "config.json"])
def test_a_configuration_that_would_be_overlooked_is_refused(tmp_path: Path, few: Shipped, name: str) -> None:
    (tmp_path / ".dr").mkdir()
    (tmp_path / ".dr" / name).write_text("profile: strict\n")
    assert told(refused(tmp_path)) == [("config_name", f".dr/{name}")]


def test_a_configuration_that_is_no_file_is_refused(repository: Path) -> None:
    (repository / ".dr/config.yaml").mkdir()
    assert told(refused(repository)) == [("not_regular", ".dr/config.yaml")]
