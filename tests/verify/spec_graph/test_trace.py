"""The trace: the five buckets, and the edges with their places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from verify.spec_graph.trace import trace_of

PRD = """### D-REQ-01: keep
### D-REQ-02: show
### D-REQ-03: print

Deferred: no printer

## Criteria

- V-AC-1: x. Covers: D-REQ-01
- V-AC-2: y. Covers: D-REQ-77
- V-AC-3: z. Covers: D-REQ-01
"""


def test_each_bucket_holds_ids_in_document_order(reader: Any) -> None:
    trace = trace_of(reader.graph(PRD, "# Plan\n\n1. A. Verifies: V-AC-1, V-AC-2\n"))
    assert trace.buckets() == {
        "covered": ("D-REQ-01",),
        "uncovered": ("D-REQ-02",),
        "dangling": ("D-REQ-77",),
        "orphaned": ("D-REQ-02",),
        "explicitly_deferred": ("D-REQ-03",),
    }


def test_what_is_uncovered_does_not_depend_on_a_plan(reader: Any) -> None:
    assert trace_of(reader.graph(PRD)).uncovered == ("D-REQ-02",)


def test_edges_name_their_ends_and_their_place(reader: Any, wishes: Callable[..., str]) -> None:
    table = "| criterion | evidence |\n|-|-|\n| V-AC-3 | log |\n| V-AC-1 | |\n"
    report = f"Evidence: V-AC-1, V-AC-2: `pytest` exits 0\n\n{table}"
    plan = "# Plan\n\n1. A. Verifies: V-AC-1\n"
    trace = trace_of(reader.graph(PRD, plan, wishes(totals="V-AC-1..V-AC-2"), report))
    assert [(edge.kind, edge.source, edge.target, edge.path, edge.line) for edge in trace.edges] == [
        ("links", "totals", "V-AC-1", "ABC-0001-expectations.md", 5),
        ("links", "totals", "V-AC-2", "ABC-0001-expectations.md", 5),
        ("covers", "V-AC-1", "D-REQ-01", "prd.md", 9),
        ("covers", "V-AC-2", "D-REQ-77", "prd.md", 10),
        ("covers", "V-AC-3", "D-REQ-01", "prd.md", 11),
        ("verifies", "V-AC-1", "step 1", "plan.md", 3),
        ("evidence", "V-AC-1", "qa.md:1", "qa.md", 1),
        ("evidence", "V-AC-2", "qa.md:1", "qa.md", 1),
        ("evidence", "V-AC-3", "qa.md:5", "qa.md", 5),
    ]
