"""The graph itself: what a task's documents say of each other, read into nodes and edges with their places."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import NamedTuple

from verify.artifacts import Artifact
from verify.criteria import Criterion, Definition
from verify.criteria.labels import find_mentions
from verify.criteria.pieces import Piece
from verify.documents.bindings import bound_in
from verify.documents.coverage import StepBinding
from verify.documents.rules import BindingRules
from verify.documents.surface import SurfacePath, SurfaceRules
from verify.errors import VerificationUndetermined
from verify.expectations.reading import Wish
from verify.spec_graph.requirements import Declaration, Named, citations_in, declarations_in, name_in
from verify.spec_graph.rules import SpecRules


class Plan(NamedTuple):
    """What the graph needs of a plan."""

    document: Artifact
    bindings: tuple[StepBinding, ...]
    surface: tuple[SurfacePath, ...]
    surface_rules: SurfaceRules


class Checklist(NamedTuple):
    """The wishes of a task, and the document that lists them.

    ``accepted`` are the lines of wishes that are not fulfilled, and that the operator let pass.
    """

    document: Artifact
    wishes: tuple[Wish, ...]
    accepted: frozenset[int] = frozenset()


class Proof(NamedTuple):
    """A statement that there is evidence for a criterion: where (``path``, 1-based ``line``)."""

    label: str
    path: str
    line: int


class Sources(NamedTuple):
    """What a graph is built from. ``criteria`` are the PRD's; ``plan`` and ``checklist`` are null where missing.

    ``proving`` are the paths of the documents that ``proofs`` were looked for in.
    """

    prd: Artifact
    criteria: tuple[Criterion, ...]
    plan: Plan | None = None
    checklist: Checklist | None = None
    proofs: tuple[Proof, ...] = ()
    proving: tuple[str, ...] = ()


class Cover(NamedTuple):
    """One ``Covers:`` in the block of some criteria, and what it names."""

    criteria: tuple[str, ...]
    named: tuple[Named, ...]
    line: int


class CriterionBlock(NamedTuple):
    """The block of some criteria: the labels that it defines, and those that statements in it bind."""

    defined: tuple[str, ...]
    bound: tuple[str, ...]
    line: int


@dataclass(frozen=True)
class SpecGraph:
    """Nodes and edges, and the rules by which they were read.

    Criteria are those that the graph binds; all lines but the plan's and the checklist's are the PRD's.
    """

    sources: Sources
    rules: SpecRules
    declarations: tuple[Declaration, ...]
    criteria: Mapping[str, int]
    blocks: tuple[CriterionBlock, ...]
    covers: tuple[Cover, ...]
    bindings: tuple[StepBinding, ...]

    @cached_property
    def requirements(self) -> Mapping[str, Declaration]:
        """Each requirement by id, with the place that declares it first (a firm one, if there is any)."""
        found: dict[str, Declaration] = {}
        for declaration in sorted(self.declarations, key=lambda one: (not one.firm, not one.alone, one.line)):
            found.setdefault(declaration.id, declaration)
        return dict(sorted(found.items(), key=lambda entry: entry[1].line))

    @cached_property
    def deferred(self) -> Mapping[str, str]:
        """The requirements that are put off, each with the reason: any place that declares one may say so."""
        return {one.id: one.deferred for one in reversed(self.declarations) if one.deferred is not None}

    @cached_property
    def covering(self) -> frozenset[str]:
        """The criteria with a ``Covers:`` that names something, whether that exists or not."""
        return frozenset(label for cover in self.covers for label in cover.criteria)

    @cached_property
    def covered(self) -> frozenset[str]:
        """The declared requirements that a criterion covers."""
        return frozenset(one for cover in self.covers for one in self.declared_in(cover))

    @cached_property
    def grounded(self) -> frozenset[str]:
        """The criteria that cover a declared requirement."""
        return frozenset(label for cover in self.covers if self.declared_in(cover) for label in cover.criteria)

    @cached_property
    def planned(self) -> frozenset[str]:
        """The criteria that a step of the plan verifies."""
        return frozenset(binding.label for binding in self.bindings)

    def declared_in(self, cover: Cover) -> tuple[str, ...]:
        """The requirements that a statement names and that are declared."""
        return tuple(one for named in cover.named for one in named.ids if one in self.requirements)


def build_graph(sources: Sources, bindings: BindingRules, rules: SpecRules) -> SpecGraph:
    """Read the graph off its documents; linear in them.

    Whatever they say is some graph, but one whose ranges stand for more pairs than the policy allows:
    ``VerificationUndetermined`` (``spec_graph_too_large``).
    """
    definitions = _definitions(sources.criteria)
    declarations = declarations_in(sources.prd.blocks, definitions, bindings, rules)
    starts = sorted(one.line for one in declarations if not one.inside)
    blocks: list[CriterionBlock] = []
    covers: list[Cover] = []
    for definition in definitions:
        own = tuple(label for label in definition.labels if rules.binds(label))
        if own:
            pieces = _own_pieces(definition, starts)
            blocks.append(CriterionBlock(own, tuple(_bound(pieces, bindings, rules)), definition.line))
            covers += _covers(own, pieces, bindings, rules)
    _refuse_too_many(covers, sources.prd, rules)
    steps = sources.plan.bindings if sources.plan else ()
    return SpecGraph(
        sources,
        rules,
        declarations,
        {one.label: one.line for one in sources.criteria if rules.binds(one.label)},
        tuple(blocks),
        tuple(covers),
        tuple(binding for binding in steps if rules.binds(binding.label)),
    )


def _refuse_too_many(covers: Sequence[Cover], prd: Artifact, rules: SpecRules) -> None:
    """Two ranges in a few words make ten thousand pairs; a document of such would be read for hours."""
    if sum(len(cover.criteria) * sum(len(named.ids) for named in cover.named) for cover in covers) > rules.most_pairs:
        raise VerificationUndetermined(
            "spec_graph_too_large",
            f"{prd.path} binds more than {rules.most_pairs} pairs of criteria and requirements, and was not judged",
            place=prd.path,
            next_step="name what a criterion covers without long ranges, or raise most_pairs in verify.spec-graph",
        )


def _definitions(criteria: Sequence[Criterion]) -> list[Definition]:
    """Each definition once (one that defines several labels belongs to several criteria), in order of line."""
    once = {id(definition): definition for criterion in criteria for definition in criterion.definitions}
    return sorted(once.values(), key=lambda definition: definition.line)


def _own_pieces(definition: Definition, declared: Sequence[int]) -> tuple[Piece, ...]:
    """The pieces of a criterion's block, as far as no requirement is declared in it."""
    place = bisect_right(declared, definition.line)
    if place == len(declared) or declared[place] > definition.end:
        return definition.pieces
    stop = declared[place]
    return tuple(takewhile(lambda piece: piece.line < stop, definition.pieces))


def _covers(
    labels: tuple[str, ...], pieces: Sequence[Piece], bindings: BindingRules, rules: SpecRules
) -> Iterator[Cover]:
    for statement in citations_in(pieces, bindings, rules.labels):
        if statement.labels:
            named = tuple(name_in(written, rules.labels) for written in statement.labels)
            yield Cover(labels, named, statement.line)


def _bound(pieces: Sequence[Piece], bindings: BindingRules, rules: SpecRules) -> Iterator[str]:
    """The labels that any statement of a block binds."""
    names = (*bindings.covers, *bindings.verifies, *bindings.evidence)
    labels = rules.criteria.labels
    for statement in bound_in(pieces, names, lambda text: find_mentions(text, labels), bindings.joiners):
        yield from (label for label in statement.labels if rules.binds(label))
