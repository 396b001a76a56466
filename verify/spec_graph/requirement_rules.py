"""What the rules ask of requirements and of the statements that cite them (Datarim formats, spec graph)."""

from __future__ import annotations

from collections.abc import Iterator

from verify.spec_graph.faults import Fault, listed_ids, quoted
from verify.spec_graph.graph import Cover, SpecGraph
from verify.spec_graph.rules import DANGLING, ID_FORMAT, ID_UNIQUE, ORPHAN, RESOLVES


def id_format(graph: SpecGraph) -> Iterator[Fault]:
    """An id that is not spelled as one, where it is declared; or where it is cited, and not declared so."""
    prd = graph.sources.prd
    form = f"{graph.rules.labels.family}- and at least {graph.rules.labels.digits_min} digits"
    told: set[str] = set()
    for one in graph.declarations:
        if not one.named.right:
            told.add(one.named.written)
            message = f"{one.named.written} is declared, which is no requirement id"
            fix = f"Spell {one.named.written} as {form}, such as {one.id}, here and wherever it is cited."
            yield Fault(ID_FORMAT, prd, one.line, message, fix, (one.named.written,))
    for cover in graph.covers:
        for named in cover.named:
            if not named.right and named.written not in told:
                message = f"{listed_ids(cover.criteria)} covers {named.written}, which is no requirement id"
                fix = f"Spell {named.written} as {form}, as it is declared."
                yield Fault(ID_FORMAT, prd, cover.line, message, fix, (named.written,), cover.criteria)


def id_unique(graph: SpecGraph) -> Iterator[Fault]:
    """A requirement that is declared once more."""
    prd = graph.sources.prd
    for one in graph.declarations:
        first = graph.requirements[one.id]
        repeats = one.firm if first.firm else first.alone and one.alone
        if one is not first and repeats and one.named.right and first.named.right:
            message = f"{one.id} is declared a second time"
            fix = f"Give this requirement an id of its own; {one.id} is declared at {quoted(prd, first.line)}"
            yield Fault(ID_UNIQUE, prd, one.line, message, fix, (one.id,))


def dangling(graph: SpecGraph) -> Iterator[Fault]:
    """A ``Covers:`` of which nothing is declared: its criterion hangs in the air."""
    for cover in graph.covers:
        missing = _undeclared(graph, cover)
        if missing and not graph.declared_in(cover) and _all_right(cover):
            message = f"{listed_ids(cover.criteria)} covers {listed_ids(missing)}, and nothing of it is declared"
            yield _unresolved(DANGLING, graph, cover, tuple(missing), message)


def covers_resolve(graph: SpecGraph) -> Iterator[Fault]:
    """An id that is declared nowhere, in a ``Covers:`` whose other ids tell what it covers."""
    for cover in graph.covers:
        if graph.declared_in(cover) or not _all_right(cover):
            for named in cover.named:
                missing = tuple(one for one in named.ids if one not in graph.requirements)
                if missing and named.right:
                    message = f"{listed_ids(cover.criteria)} covers {listed_ids(missing)}, which is declared nowhere"
                    yield _unresolved(RESOLVES, graph, cover, missing, message)


def orphan(graph: SpecGraph) -> Iterator[Fault]:
    """A requirement that no criterion covers, and that was not put off."""
    prd = graph.sources.prd
    for one, declaration in graph.requirements.items():
        if one not in graph.covered and one not in graph.deferred:
            message = f"{one} is covered by no {graph.rules.criteria_prefix.rstrip('-')}"
            fix = f"Write `Covers: {one}` into the criterion that holds it to account, or `Deferred: why` beside {one}."
            yield Fault(ORPHAN, prd, declaration.line, message, fix, (one,))


def _undeclared(graph: SpecGraph, cover: Cover) -> list[str]:
    return [one for named in cover.named for one in named.ids if one not in graph.requirements]


def _all_right(cover: Cover) -> bool:
    return all(named.right for named in cover.named)


def _unresolved(rule: str, graph: SpecGraph, cover: Cover, missing: tuple[str, ...], message: str) -> Fault:
    fix = f"Declare {listed_ids(missing)} in {graph.sources.prd.path}, or cite the requirement that is meant."
    return Fault(rule, graph.sources.prd, cover.line, message, fix, missing, cover.criteria)
