"""How fast a table decides, beside other people's engines in the same run. Not part of the suite.

    python -m pytest tests/benchmarks/test_engines.py --benchmark-only -s -o addopts=

Twelve rows, six facts, first match, ten thousand varied sets of facts. Every engine's answers are held against ours
before anything is timed; then all are asked in turn, round by round, and their median ratio to ours is printed.
"""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from engines_support import OUTPUTS, Engine, Facts, engines, the_table, varied_facts

from toolkit.policy.tracing import Tracer

COUNT = 10_000
ROUNDS = 15
SECONDS = 0.1  # that an engine may take in a round: the slow ones are asked about fewer facts

Others = list[tuple[Engine, Callable[[], object], int]]


@pytest.fixture(scope="module")
def facts() -> list[Facts]:
    """Facts of which every row answers some."""
    made = varied_facts(COUNT)
    rows = Counter(the_table().decide(one).row for one in made)
    assert rows.keys() == OUTPUTS.keys()
    assert min(rows.values()) > COUNT / 100
    return made


def each(ask: Callable[[Any], Any], facts: Sequence[Any]) -> Callable[[], list[Any]]:
    return lambda: [ask(one) for one in facts]


def seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


@pytest.fixture(scope="module")
def others(facts: list[Facts]) -> Others:
    """The engines with a run of each, and of how many facts, after each has given our answers to all of them."""
    table = the_table()
    expected = [table.decide(one).row for one in facts]
    assert all(dict(table.decide(one).outputs) == OUTPUTS[row] for one, row in zip(facts, expected, strict=True))
    found = []
    for engine in engines(facts):
        start = time.perf_counter()
        assert [engine.row_of(engine.ask(one)) for one in engine.facts] == expected, engine.name
        taken = time.perf_counter() - start
        count = min(COUNT, int(COUNT * SECONDS / taken))
        found.append((engine, each(engine.ask, engine.facts[:count]), count))
    return found


def beside_the_engines(
    benchmark: Any, title: str, ours: Callable[[Facts], object], facts: list[Facts], others: Others
) -> None:
    """Run all in turn; print decisions a second (the best round) and the median ratio of ours to theirs."""
    taken: list[list[float]] = [[] for _ in others]

    def setup() -> None:
        for (_, run, count), times in zip(others, taken, strict=True):
            times.append(seconds(run) / count)

    run = each(ours, facts)
    run()
    benchmark.pedantic(run, setup=setup, rounds=ROUNDS, iterations=1, warmup_rounds=0)
    mine = [one / COUNT for one in benchmark.stats.stats.data]
    lines = [f"{title}: {1 / min(mine):,.0f} a second; theirs, and how many times as fast ours is (pure Python: *)"]
    for (engine, _, _), times in sorted(zip(others, taken, strict=True), key=lambda one: min(one[1])):
        ratio = statistics.median(theirs / one for theirs, one in zip(times, mine, strict=True))
        benchmark.extra_info[engine.name] = ratio
        lines.append(f"{engine.name + ' *' * engine.pure:48} {1 / min(times):>11,.0f} {ratio:>8.2f}")
    print("\n" + "\n  ".join(lines))  # noqa: T201 - the figures are what it is run for


def test_a_decision(benchmark: Any, facts: list[Facts], others: Others) -> None:
    beside_the_engines(benchmark, "decisions", the_table().decide, facts, others)


def test_an_explanation_as_json_beside_bare_answers(benchmark: Any, facts: list[Facts], others: Others) -> None:
    beside_the_engines(benchmark, "explanations as JSON", Tracer(the_table()).traces, facts, others)
