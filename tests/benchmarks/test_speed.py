"""How long whole commands take, as ratios to other commands of the same run. Not part of the suite.

    python -m pytest tests/benchmarks --benchmark-only -s -o addopts=

Each benchmark interleaves its command with the one it is compared with, and records the median ratio under
``extra_info``; a table of all ratios is printed at the end.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROUNDS = 7
BIN = Path(sys.executable).parent
SHELLCHECK = [str(BIN / "shellcheck"), "--norc", "-S", "warning", "-f", "json"]
RATIOS: list[str] = []


def _script(number: int) -> str:
    """A script of the usual kind and length, with something to warn of."""
    body = "\n".join(
        f'step_{n}() {{\n  local name="$1"\n  if [ -f "$name" ]; then\n    echo "$name {number} {n}"\n  fi\n}}'
        for n in range(25)
    )
    return f"#!/usr/bin/env bash\nset -eu\n{body}\nfor entry in $(ls); do step_1 $entry; done\n"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A task with 40 criteria, 200 cited paths (half of them there) and 50 scripts."""
    root = tmp_path_factory.mktemp("speed")
    for folder in ("datarim/prd", "datarim/plans", "datarim/tasks", "scripts", "src"):
        (root / folder).mkdir(parents=True)
    criteria = "\n".join(f"- **AC-{n}** holds. Verify: `pytest -k t{n}`" for n in range(1, 41))
    (root / "datarim/prd/PRD-SPD-1.md").write_text(f"# PRD\n**Complexity:** Level 3\n\n{criteria}\n")
    steps = "\n".join(f"{n}. Change `src/m{n}.py`. *Verifies: AC-{n % 40 + 1}*" for n in range(1, 201))
    (root / "datarim/plans/SPD-1-plan.md").write_text(f"# Plan\n\n{steps}\n")
    (root / "datarim/tasks/SPD-1-task-description.md").write_text("---\nid: SPD-1\ncomplexity: L3\n---\n# SPD-1\n")
    for n in range(1, 101):
        (root / f"src/m{n}.py").write_text("x = 1\n")
    for n in range(50):
        (root / f"scripts/s{n}.sh").write_text(_script(n))
    return root


@pytest.fixture(scope="module")
def bare(workspace: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same workspace without its scripts."""
    root = tmp_path_factory.mktemp("bare") / "workspace"
    shutil.copytree(workspace, root, ignore=shutil.ignore_patterns("scripts"))
    return root


@pytest.fixture(scope="module", autouse=True)
def told() -> Iterator[None]:
    yield
    print("\nratios (median of pairs):", *RATIOS, sep="\n  ")  # noqa: T201 - the figures are what it is run for


def _dr_verify(root: Path, cache: Path, *more: str) -> Callable[[], None]:
    argv = [str(BIN / "dr-verify"), "SPD-1", "--floor-only", "--no-write", *more]

    def run() -> None:
        env = {**os.environ, "DR_VERIFY_CACHE_DIR": str(cache)}
        subprocess.run(argv, cwd=root, env=env, stdout=subprocess.DEVNULL, check=False)

    return run


def _ratio(benchmark: Any, name: str, ours: Callable[[], None], theirs: Callable[[], None]) -> None:
    """Run the two in turn, A B A B; pytest-benchmark keeps ours, the ratio is of each pair."""
    pairs: list[float] = []

    def setup() -> None:
        start = time.perf_counter()
        theirs()
        pairs.append(time.perf_counter() - start)

    theirs()
    ours()
    benchmark.pedantic(ours, setup=setup, rounds=ROUNDS, iterations=1, warmup_rounds=0)
    mine = benchmark.stats.stats.data
    ratio = statistics.median(a / b for a, b in zip(mine, pairs, strict=True))
    benchmark.extra_info["ratio"] = ratio
    RATIOS.append(f"{name}: {ratio:.2f}")


def test_a_cold_floor_against_two_shellcheck_processes(benchmark: Any, workspace: Path, tmp_path: Path) -> None:
    scripts = sorted(str(path) for path in (workspace / "scripts").iterdir())
    caches = iter(tmp_path / f"cache{n}" for n in range(ROUNDS + 2))

    def two_processes() -> None:
        halves = (scripts[::2], scripts[1::2])
        running = [subprocess.Popen([*SHELLCHECK, *half], stdout=subprocess.DEVNULL) for half in halves]
        for process in running:
            process.wait()

    def cold() -> None:
        _dr_verify(workspace, next(caches))()

    _ratio(benchmark, "cold floor / two shellcheck processes", cold, two_processes)


def test_a_warm_floor_against_one_without_scripts(benchmark: Any, workspace: Path, bare: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    _dr_verify(workspace, cache)()
    ours = _dr_verify(workspace, cache)
    theirs = _dr_verify(bare, cache)
    _ratio(benchmark, "second run / run without scripts", ours, theirs)


def test_a_floor_without_scripts_against_importing_yaml_and_click(benchmark: Any, bare: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"

    def imports() -> None:
        subprocess.run([sys.executable, "-c", "import yaml, click"], check=True)

    _ratio(benchmark, "run without scripts / import yaml, click", _dr_verify(bare, cache), imports)
