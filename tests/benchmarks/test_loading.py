"""How long it takes to load the shipped policies, cold and warm, as ratios taken in one process. Not part of the suite.

    python -m pytest tests/benchmarks/test_loading.py --benchmark-only -s -o addopts=

Cold is reading, checking and holding against its shape every document, proofs apart; it is compared with what PyYAML's
loader in C takes for the same bytes. Warm is the whole call that finds them in the cache, and a first decision; it is
compared with the cold load. The two take turns, and the median ratio of the pairs stands under ``extra_info``.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from toolkit.effects import EFFECTS
from toolkit.policy.layers import SHIPPED, Source
from toolkit.policy.sets import PolicySet
from toolkit.shipped import Shipped, read_shipped
from toolkit.sources import load_policies
from toolkit.storage.cache import DIRECTORY_VARIABLE

ROUNDS = 21
RATIOS: list[str] = []


@pytest.fixture(scope="module")
def shipped() -> Shipped:
    return read_shipped()


@pytest.fixture(scope="module", autouse=True)
def told() -> Iterator[None]:
    yield
    print("\nratios (median of pairs):", *RATIOS, sep="\n  ")  # noqa: T201 - the figures are what it is run for


def cold(shipped: Shipped) -> PolicySet:
    sources = [Source(name, data, SHIPPED) for name, data in shipped.documents.items()]
    return PolicySet.load(sources, shipped.shapes, templates=shipped.templates, effects=EFFECTS, prove=False)


def _ratio(benchmark: Any, name: str, ours: Callable[[], object], theirs: Callable[[], object]) -> None:
    """Run the two in turn, A B A B, each without the rubbish of the other."""
    pairs: list[float] = []

    def setup() -> None:
        gc.collect()
        start = time.perf_counter()
        theirs()
        pairs.append(time.perf_counter() - start)
        gc.collect()

    theirs()
    ours()
    benchmark.pedantic(ours, setup=setup, rounds=ROUNDS, iterations=1, warmup_rounds=0)
    ratio = statistics.median(a / b for a, b in zip(benchmark.stats.stats.data, pairs, strict=True))
    benchmark.extra_info["ratio"] = ratio
    RATIOS.append(f"{name}: {ratio:.3f}")


def test_a_cold_load_against_parsing_the_same_bytes(benchmark: Any, shipped: Shipped) -> None:
    loader = yaml.CSafeLoader

    def parse() -> None:
        for data in shipped.documents.values():
            yaml.load(data, Loader=loader)

    _ratio(benchmark, "cold load / parsing with PyYAML in C", lambda: cold(shipped), parse)


def test_a_warm_load_against_a_cold_one(
    benchmark: Any, shipped: Shipped, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DIRECTORY_VARIABLE, str(tmp_path))

    def warm() -> None:
        load_policies(None, user="none").policies.table("verify.outcome")

    _ratio(benchmark, "warm load / cold load", warm, lambda: cold(shipped))
