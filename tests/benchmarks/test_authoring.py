"""How long the tools for editing policies take on the shipped set, as ratios to loading it cold. Not part of the suite.

    python -m pytest tests/benchmarks/test_authoring.py --benchmark-only -s -o addopts=

Each tool and a cold load with all its proofs take turns in one process; the median ratio of the pairs is printed.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from policy_support import overlay

from toolkit.authoring.analysis import analyze
from toolkit.authoring.comparison import compare
from toolkit.authoring.formatting import format_policy
from toolkit.authoring.testing import run_cases
from toolkit.effects import EFFECTS
from toolkit.policy.layers import REPOSITORY, SHIPPED, Source
from toolkit.policy.sets import PolicySet
from toolkit.shipped import Shipped, read_shipped

ROUNDS = 9
RATIOS: list[str] = []
RAISED = "replace: {large-change: {when: {authored_lines: {gt: 600}}, then: {tier: high}}}\n"


@pytest.fixture(scope="module")
def shipped() -> Shipped:
    return read_shipped()


@pytest.fixture(scope="module", autouse=True)
def told() -> Iterator[None]:
    yield
    print("\nratios to a cold load (median of pairs):", *RATIOS, sep="\n  ")  # noqa: T201 - what it is run for


def cold(shipped: Shipped, *more: str) -> PolicySet:
    sources = [Source(name, data, SHIPPED) for name, data in shipped.documents.items()]
    sources += [Source(f"{place}.yaml", text.encode(), REPOSITORY) for place, text in enumerate(more)]
    return PolicySet.load(sources, shipped.shapes, templates=shipped.templates, effects=EFFECTS)


def ratio(benchmark: Any, name: str, shipped: Shipped, tool: Callable[[], object]) -> None:
    pairs: list[float] = []

    def setup() -> None:
        gc.collect()
        start = time.perf_counter()
        cold(shipped)
        pairs.append(time.perf_counter() - start)
        gc.collect()

    tool()
    benchmark.pedantic(tool, setup=setup, rounds=ROUNDS)
    found = statistics.median(own / load for own, load in zip(benchmark.stats.stats.data, pairs, strict=True))
    benchmark.extra_info["ratio"] = round(found, 2)
    RATIOS.append(f"{name}: {found:.2f}")


def test_cases(benchmark: Any, shipped: Shipped) -> None:
    policies = cold(shipped)
    ratio(benchmark, "test", shipped, lambda: run_cases(policies, lambda _layer: policies))


def test_analysis(benchmark: Any, shipped: Shipped) -> None:
    policies = cold(shipped)
    ratio(benchmark, "analyze", shipped, lambda: analyze(policies))


def test_comparison_of_one_raised_threshold(benchmark: Any, shipped: Shipped) -> None:
    before, after = cold(shipped), cold(shipped, overlay(RAISED, base="review.risk"))
    ratio(benchmark, "diff, one threshold", shipped, lambda: compare(before, after))


def test_formatting_of_every_document(benchmark: Any, shipped: Shipped) -> None:
    files = shipped.documents.items()
    ratio(benchmark, "fmt, all", shipped, lambda: [format_policy(data, name) for name, data in files])
