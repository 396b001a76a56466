"""The trace: where every node of the graph stands, and the edges that it stands by."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from verify.spec_graph.graph import SpecGraph

COVERS = "covers"
VERIFIES = "verifies"
LINKS = "links"
EVIDENCE = "evidence"


class Edge(NamedTuple):
    """``source`` is bound to ``target`` at ``path:line``. A step is called "step 2", evidence by its place."""

    kind: str
    source: str
    target: str
    path: str
    line: int

    def to_json(self) -> dict[str, object]:
        return {"from": self.source, "kind": self.kind, "line": self.line, "path": self.path, "to": self.target}


class Trace(NamedTuple):
    """The buckets hold ids in document order.

    ``covered``, ``uncovered`` and ``explicitly_deferred`` part the declared requirements; ``dangling`` are ids that are
    covered and declared nowhere; ``orphaned`` is the contract's other name of what is uncovered.
    """

    covered: tuple[str, ...]
    uncovered: tuple[str, ...]
    dangling: tuple[str, ...]
    orphaned: tuple[str, ...]
    explicitly_deferred: tuple[str, ...]
    edges: tuple[Edge, ...]

    def buckets(self) -> dict[str, tuple[str, ...]]:
        """The five buckets by name, in the contract's order."""
        return {name: getattr(self, name) for name in self._fields[:5]}

    def to_json(self) -> dict[str, object]:
        listed = {name: list(ids) for name, ids in self.buckets().items()}
        return {**listed, "edges": [edge.to_json() for edge in self.edges]}


EMPTY = Trace((), (), (), (), (), ())


def trace_of(graph: SpecGraph) -> Trace:
    """The trace of a graph. Linear in it."""
    known = graph.requirements
    named = (one for cover in graph.covers for names in cover.named for one in names.ids)
    uncovered = tuple(one for one in known if one not in graph.covered and one not in graph.deferred)
    return Trace(
        covered=tuple(one for one in known if one in graph.covered and one not in graph.deferred),
        uncovered=uncovered,
        dangling=tuple(dict.fromkeys(one for one in named if one not in known)),
        orphaned=uncovered,
        explicitly_deferred=tuple(one for one in known if one in graph.deferred),
        edges=tuple(dict.fromkeys(_edges(graph))),
    )


def _edges(graph: SpecGraph) -> Iterator[Edge]:
    sources = graph.sources
    if sources.checklist is not None:
        path = sources.checklist.document.path
        for wish in sources.checklist.wishes:
            yield from (Edge(LINKS, wish.name, label, path, wish.linked_line or wish.line) for label in wish.linked)
    for cover in graph.covers:
        for label in cover.criteria:
            for named in cover.named:
                yield from (Edge(COVERS, label, one, sources.prd.path, cover.line) for one in named.ids)
    if sources.plan is not None:
        path = sources.plan.document.path
        for binding in graph.bindings:
            step = f"step {binding.step.number}" if binding.step else f"a step that line {binding.line} describes"
            yield Edge(VERIFIES, binding.label, step, path, binding.line)
    for proof in sources.proofs:
        yield Edge(EVIDENCE, proof.label, f"{proof.path}:{proof.line}", proof.path, proof.line)
