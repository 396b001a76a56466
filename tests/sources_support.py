"""Layers on disk for tests, and what loading says of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from policy_support import overlay

from toolkit.policy.problems import PolicyError, Problem
from toolkit.sources import load_policies
from toolkit.sources.found import FOLDER, POLICIES

LAYER_FOLDER = Path(FOLDER) / POLICIES
LIMITS = overlay("set: {/max_iter: 2}\n", base="verify.limits")
USER_LIMITS = overlay("set: {/max_iter: 8}\n", "user.limits", base="verify.limits")


def write(repository: Path, name: str, text: str | bytes) -> Path:
    """Put a file into the layer of a repository."""
    path = repository / LAYER_FOLDER / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def refused(start: Path, policy_from: str | None = None) -> tuple[Problem, ...]:
    """The problems for which nothing is in force there."""
    with pytest.raises(PolicyError) as caught:
        load_policies(start, policy_from=policy_from)
    return caught.value.problems


def told(problems: tuple[Problem, ...]) -> list[tuple[str, str]]:
    """Code and place of each problem."""
    return [(problem.code, str(problem.mark)) for problem in problems]


def max_iter(start: Path | None, policy_from: str | None = None) -> int:
    """What is in force of the one number that these tests edit."""
    value: int = load_policies(start, policy_from=policy_from).policies.data("verify.limits")["max_iter"]
    return value


def entries(cache: Path) -> list[Path]:
    """What a cache holds."""
    return [path for path in cache.iterdir() if not path.name.startswith(".")] if cache.is_dir() else []
