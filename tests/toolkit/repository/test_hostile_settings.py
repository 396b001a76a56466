"""A repository that wants to run programs, or to change what is read of it, by its own settings or by the caller's."""

from __future__ import annotations

from pathlib import Path

import pytest
from repository_support import Repository, opened

from toolkit.repository.branches import branches_of
from toolkit.repository.changes import changes_of
from toolkit.repository.commits import commits_from, shallow_commits
from toolkit.repository.git import RepositoryError
from toolkit.repository.objects import blobs, commits_named, range_of

PROGRAMS = (
    "alias.log", "alias.rev-parse", "core.alternateRefsCommand", "core.askPass", "core.editor", "core.fsmonitor",
    "core.gitProxy", "core.pager", "core.sshCommand", "credential.helper", "diff.evil.command", "diff.evil.textconv",
    "diff.external", "filter.evil.clean", "filter.evil.process", "filter.evil.smudge", "gpg.program",
    "gpg.ssh.program", "interactive.diffFilter", "merge.evil.driver", "pager.diff-tree", "pager.log",
    "remote.origin.uploadpack", "sequence.editor", "trailer.x.cmd", "uploadpack.packObjectsHook",
)  # fmt: skip
LOOKS = {
    "color.ui": "always", "color.diff": "always", "core.abbrev": "4", "core.quotePath": "true", "diff.ignoreSubmodules":
    "all", "diff.mnemonicPrefix": "true", "diff.noprefix": "true", "diff.relative": "true", "diff.renames": "copies",
    "format.notes": "*", "format.pretty": "oneline", "grep.patternType": "perl", "i18n.logOutputEncoding": "UTF-16",
    "log.abbrevCommit": "true", "log.date": "relative", "log.decorate": "full", "log.diffMerges": "on",
    "log.follow": "true", "log.mailmap": "true", "log.showRoot": "false", "log.showSignature": "true",
    "notes.displayRef": "refs/notes/*",
}  # fmt: skip
NAME = 'na\u00efve\tfile \n"x" \udcff.txt'


def everything(repository: Repository) -> list[object]:
    """What every function reads of a repository."""
    git = opened(repository.path)
    head = repository.head()
    return [
        git.root,
        branches_of(git),
        commits_from(git, (), 100),
        commits_from(git, (), 100, word="two.*"),
        commits_from(git, (), 100, path="b.txt"),
        changes_of(git, [commit.oid for commit in commits_from(git, (), 100)]),
        blobs(git, [f"{head}:a.txt", f"{head}:none", f"{head}:{NAME}"]),
        commits_named(git, [head[:8], "0123456"]),
        range_of(git, "HEAD~1..HEAD"),
        shallow_commits(git),
    ]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "r")
    made.commit("one", {"a.txt": "1\n" * 50, ".gitattributes": "* diff=evil filter=evil merge=evil\n"})
    made.commit("two.* caf\u00e9", {"b.txt": "1\n" * 50, NAME: "x"}, delete=["a.txt"])
    made.commit("three", {"a.txt": "2"})
    made.git("notes", "add", "-m", "two.*", "HEAD")
    return made


def test_no_setting_of_a_repository_runs_a_program(repository: Repository, tmp_path: Path) -> None:
    marker, trap = tmp_path / "marker", tmp_path / "trap"
    trap.write_text(f'#!/bin/sh\necho "$0 $*" >>"{marker}"\n')
    trap.chmod(0o755)
    before = everything(repository)
    signed = repository.git("cat-file", "commit", "HEAD").replace(
        "\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n\n", 1
    )
    oid = repository.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=f"{signed}\n".encode())
    repository.git("update-ref", "HEAD", oid)
    for key in PROGRAMS:
        repository.git("config", key, f"!{trap}" if key.startswith("alias.") else str(trap))
    repository.git("config", "log.showSignature", "true")
    repository.git("config", "filter.evil.required", "true")
    hooks = repository.path / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("post-index-change", "reference-transaction", "post-checkout", "pre-auto-gc"):
        (hooks / hook).symlink_to(trap)
    after = everything(repository)
    assert not marker.exists(), marker.read_text()
    assert after[0] == before[0]


def test_a_missing_object_is_fetched_from_nowhere(repository: Repository, tmp_path: Path) -> None:
    marker, trap = tmp_path / "marker", tmp_path / "trap"
    trap.write_text(f'#!/bin/sh\necho "$0 $*" >>"{marker}"\n')
    trap.chmod(0o755)
    head = repository.head()
    blob = repository.git("rev-parse", "HEAD:a.txt")
    tree = repository.git("rev-parse", "HEAD^{tree}")
    for key, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": f"ext::{trap} %S",
        "remote.origin.vcs": "ext",
        "protocol.ext.allow": "always",
        "core.sshCommand": str(trap),
    }.items():
        repository.git("config", key, value)
    (repository.path / f".git/objects/{blob[:2]}/{blob[2:]}").unlink()
    with pytest.raises(RepositoryError) as caught:
        blobs(opened(repository.path), [f"{head}:a.txt"])
    assert caught.value.code == "object_missing"
    (repository.path / f".git/objects/{tree[:2]}/{tree[2:]}").unlink()
    with pytest.raises(RepositoryError) as caught:
        changes_of(opened(repository.path), [head])
    assert caught.value.code in {"object_missing", "repository_corrupt"}
    assert not marker.exists(), marker.read_text()


def test_no_setting_changes_what_is_read(repository: Repository) -> None:
    before = everything(repository)
    for key, value in LOOKS.items():
        repository.git("config", key, value)
    repository.git("config", "mailmap.blob", "HEAD:a.txt")
    assert everything(repository) == before


def test_nothing_that_the_caller_exports_changes_what_is_read(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = everything(repository)
    other = Repository(tmp_path / "other")
    other.commit("other")
    trace = tmp_path / "trace"
    for name, value in {
        "GIT_DIR": str(other.path / ".git"),
        "GIT_WORK_TREE": str(other.path),
        "GIT_INDEX_FILE": str(other.path / ".git/index"),
        "GIT_OBJECT_DIRECTORY": str(other.path / ".git/objects"),
        "GIT_COMMON_DIR": str(other.path / ".git"),
        "GIT_NAMESPACE": "other",
        "GIT_CEILING_DIRECTORIES": str(tmp_path),
        "GIT_TRACE": str(trace),
        "GIT_TRACE2_EVENT": str(trace),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.bare",
        "GIT_CONFIG_VALUE_0": "true",
        "LC_ALL": "ru_RU.UTF-8",
        "LANGUAGE": "ru",
    }.items():
        monkeypatch.setenv(name, value)
    git = opened(repository.path)
    monkeypatch.setattr(repository, "head", lambda: git.run("rev-parse", "HEAD").decode().strip())
    assert everything(repository) == before
    assert not trace.exists()


def test_replaced_objects_and_grafts_are_not_believed(repository: Repository) -> None:
    before = everything(repository)
    head = repository.head()
    repository.git("replace", head, "HEAD~1")
    (repository.path / ".git/info").mkdir(exist_ok=True)
    (repository.path / ".git/info/grafts").write_text(f"{head}\n")
    assert everything(repository) == before


def test_reading_leaves_the_repository_as_it_was(repository: Repository) -> None:
    def state() -> dict[str, tuple[int, bytes]]:
        files = (path for path in repository.path.rglob("*") if path.is_file())
        return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in files}

    (repository.path / "a.txt").touch()
    before = state()
    everything(repository)
    assert state() == before
