"""Real Git repositories for tests, built one commit at a time, the same on every machine."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from toolkit.repository.git import Git, GitLimits, open_repository

LIMITS = GitLimits(timeout_ms=60_000, output_limit=16 * 1024 * 1024)
# Nothing of the machine's or the user's configuration counts, and nothing that a test's own parent exported.
CONFIGURATION = (
    "user.name=Ada",
    "user.email=ada@example.org",
    "commit.gpgsign=false",
    "tag.gpgsign=false",
    "core.hooksPath=/dev/null",
    "core.autocrlf=false",
    "merge.ff=false",
    "protocol.file.allow=always",
)
BEGINNING = "2024-01-01T12:00:00+0000"


class Repository:
    """A repository with a work tree at ``path``, which is made unless it is there.

    Every commit is dated like the one before it until ``date`` (ISO 8601, or ``@SECONDS +0000``) says otherwise.
    """

    def __init__(self, path: Path, *options: str, branch: str = "main") -> None:
        self.path = path
        self.date = BEGINNING
        path.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", branch, *options)

    def git(self, *arguments: str, stdin: bytes | None = None) -> str:
        """What git prints; the test fails when git does."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        dates = {"GIT_AUTHOR_DATE": self.date, "GIT_COMMITTER_DATE": self.date}
        environment = {**kept, **dates, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
        settings = [part for setting in CONFIGURATION for part in ("-c", setting)]
        command = ["git", *settings, *arguments]
        done = subprocess.run(command, check=False, cwd=self.path, env=environment, input=stdin, capture_output=True)
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def commit(
        self,
        message: str,
        files: Mapping[str, str | bytes] | None = None,
        *,
        delete: Iterable[str] = (),
        modes: Mapping[str, int] | None = None,
    ) -> str:
        """Write and delete files, commit everything, and return the commit's full hash. Nothing to commit is fine."""
        for name, content in (files or {}).items():
            place = self.path / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content.encode() if isinstance(content, str) else content)
        for name, mode in (modes or {}).items():
            (self.path / name).chmod(mode)
        for name in delete:
            (self.path / name).unlink()
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "--cleanup=verbatim", "-F", "-", stdin=message.encode())
        return self.head()

    def branch(self, name: str) -> None:
        """Go to a branch, which is made here unless it is there."""
        there = self.git("branch", "--list", "--format=%(refname:short)", name)
        self.git("checkout", "-q", *([] if there else ["-b"]), name)

    def merge(self, name: str, message: str, files: Mapping[str, str] | None = None) -> str:
        """Merge a branch with a merge commit, into which ``files`` go as well; the merge's full hash."""
        self.git("merge", "-q", "--no-ff", "--no-commit", "-s", "ort", "-X", "ours", name)
        return self.commit(message, files)

    def head(self) -> str:
        """The full hash of the commit that is checked out."""
        return self.git("rev-parse", "HEAD")


def opened(path: Path, limits: GitLimits = LIMITS) -> Git:
    """The repository that holds ``path``, which must be one."""
    git = open_repository(path, limits)
    assert git is not None
    return git


def counting_git(folder: Path, real: str) -> tuple[Path, Path]:
    """A directory with a ``git`` that runs the ``real`` one and writes a line for each run into a file: both."""
    runs = folder / "runs"
    folder.mkdir(parents=True, exist_ok=True)
    runs.touch()
    wrapper = folder / "git"
    wrapper.write_text(f'#!/bin/sh\necho "$*" >>"{runs}"\nexec "{real}" "$@"\n')
    wrapper.chmod(0o755)
    return folder, runs
