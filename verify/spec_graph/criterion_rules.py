"""What the rules ask of criteria, of what they are bound to, and of wishes (Datarim formats, spec graph)."""

from __future__ import annotations

from collections.abc import Iterator

from verify.expectations.wishes import Wish
from verify.spec_graph.faults import Fault, listed_ids, quoted
from verify.spec_graph.graph import SpecGraph
from verify.spec_graph.rules import (
    AXIS_SEPARATION,
    BINDING_PRESENT,
    COMPLETE,
    COVERS_PRESENT,
    NO_DUPLICATE,
    SpecRules,
)


def covers_present(graph: SpecGraph) -> Iterator[Fault]:
    """A criterion whose block covers nothing."""
    prd = graph.sources.prd
    for label, line in graph.criteria.items():
        if label not in graph.covering:
            fix = f"Write `Covers: {graph.rules.labels.family}-nn` into the block of {label}: what does it serve?"
            yield Fault(COVERS_PRESENT, prd, line, f"{label} covers no requirement", fix, (label,), (label,))


def binding_present(graph: SpecGraph) -> Iterator[Fault]:
    """A criterion that no step of the plan verifies."""
    prd = graph.sources.prd
    for label, line in graph.criteria.items():
        if label not in graph.planned:
            fix = f"Write `Verifies: {label}` into the step of the plan that makes it hold."
            yield Fault(BINDING_PRESENT, prd, line, f"no step of the plan verifies {label}", fix, (label,), (label,))


def no_duplicate(graph: SpecGraph) -> Iterator[Fault]:
    """A pair that is bound once more in the same document."""
    yield from _repeated_covers(graph)
    plan = graph.sources.plan
    if plan is None:
        return
    seen: dict[tuple[str, int], int] = {}
    for binding in graph.bindings:
        if binding.step is None:
            continue
        pair = binding.label, binding.step.line
        if pair in seen:
            step = f"step {binding.step.number}"
            message = f"{step} verifies {binding.label} once more"
            fix = f"Say once that {step} verifies {binding.label}; it stands at {quoted(plan.document, seen[pair])}"
            yield Fault(NO_DUPLICATE, plan.document, binding.line, message, fix, (binding.label,), (binding.label,))
        seen.setdefault(pair, binding.line)


def _repeated_covers(graph: SpecGraph) -> Iterator[Fault]:
    prd = graph.sources.prd
    seen: dict[tuple[str, str], int] = {}
    for cover in graph.covers:
        named = [one for named in cover.named for one in named.ids]
        for label in cover.criteria:
            for one in named:
                if (label, one) in seen:
                    message = f"{label} covers {one} once more"
                    fix = f"Say once that {label} covers {one}; it stands at {quoted(prd, seen[label, one])}"
                    yield Fault(NO_DUPLICATE, prd, cover.line, message, fix, (label, one), (label,))
                seen.setdefault((label, one), cover.line)


def axis_separation(graph: SpecGraph) -> Iterator[Fault]:
    """A block of criteria whose labels, defined or bound in it, lie on several axes."""
    for block in graph.blocks:
        labels = tuple(dict.fromkeys((*block.defined, *block.bound)))
        axes = {axis for label in labels if (axis := _axis(label, graph.rules))}
        if len(axes) > 1:
            message = f"the block of {listed_ids(block.defined)} mixes the axes {' and '.join(sorted(axes))}"
            fix = f"Give each axis a block of its own; here stand {listed_ids(labels)}."
            yield Fault(AXIS_SEPARATION, graph.sources.prd, block.line, message, fix, labels, block.defined)


def _axis(label: str, rules: SpecRules) -> str:
    first = label.removeprefix(rules.criteria_prefix)[:1]
    return first if first.isalpha() else ""


def complete(graph: SpecGraph) -> Iterator[Fault]:
    """A wish without a criterion that covers a requirement and, where there is a plan, that a step verifies."""
    checklist, planned = graph.sources.checklist, graph.sources.plan is not None
    if checklist is None:
        return
    for wish in checklist.wishes:
        if wish.status in graph.rules.settled or wish.line in checklist.accepted:
            continue
        defined = [label for label in wish.linked if label in graph.criteria]
        if any(label in graph.grounded and (not planned or label in graph.planned) for label in defined):
            continue
        owed = "a requirement and a step" if planned else "a requirement"
        message = f"the wish {wish.name} {_lacking(wish, graph)}"
        how = "`Covers:`, and `Verifies:` in a step" if planned else "`Covers:`"
        fix = f"Link {wish.name} to a criterion of the PRD that has {owed} ({how})."
        yield Fault(COMPLETE, checklist.document, wish.line, message, fix, (wish.name,), tuple(defined))


def _lacking(wish: Wish, graph: SpecGraph) -> str:
    """What keeps a wish from having a path, in the words of the contract."""
    if not wish.linked:
        return f"has no linked {graph.rules.criteria_prefix.rstrip('-')}"
    if not any(label in graph.criteria for label in wish.linked):
        return f"links to undeclared {listed_ids(wish.linked)}"
    grounded = tuple(label for label in wish.linked if label in graph.grounded)
    if not grounded:
        return f"has no requirement through {listed_ids(wish.linked)}"
    return f"has no explicit plan binding for {listed_ids(grounded)}"
