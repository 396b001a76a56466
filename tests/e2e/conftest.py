"""The installed programs, run as a user runs them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from repository_support import Repository
from tests_support import Run

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The caller's environment with a cache and a home of the tests' own."""
    home = tmp_path_factory.mktemp("home")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("DR_", "GIT_", "XDG_"))}
    return {**kept, "HOME": str(home), "DR_VERIFY_CACHE_DIR": str(home / "cache"), "NO_COLOR": "1"}


@pytest.fixture(scope="session")
def run(environment: dict[str, str]) -> Run:
    """Run one of the installed programs and capture what it says."""

    def call(program: str, *arguments: str, cwd: Path | None = None, **more: str) -> subprocess.CompletedProcess[str]:
        installed = Path(sys.executable).parent / program
        return subprocess.run(
            [str(installed), *arguments],
            cwd=cwd,
            env={**environment, **more},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    return call


@pytest.fixture
def example(tmp_path: Path) -> Callable[[str], Path]:
    """A copy of a shipped example, so that logs stay out of the checkout: a repository with one commit of all of it."""

    def copy(name: str) -> Path:
        target = tmp_path / name
        shutil.copytree(REPOSITORY / "examples" / name, target, ignore=shutil.ignore_patterns("verify-*.md"))
        Repository(target).commit("The ledger")
        return target

    return copy
