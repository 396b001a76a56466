"""What the rules ask of the paths that a plan means to change (Datarim formats, spec graph)."""

from __future__ import annotations

from collections.abc import Iterator

from verify.documents.covering import Covering, Touched, normal
from verify.documents.surface import SurfacePath
from verify.spec_graph.faults import Fault
from verify.spec_graph.graph import Plan, SpecGraph
from verify.spec_graph.rules import DELIVERABLE_COVERAGE


def deliverable_coverage(graph: SpecGraph) -> Iterator[Fault]:
    """A path of the plan's surface in no step that verifies a criterion."""
    plan = graph.sources.plan
    if plan is None or not graph.criteria:
        return
    for path in _unverified(plan, {binding.step.line for binding in graph.bindings if binding.step is not None}):
        message = f"{path.text} stands in no step that verifies a {graph.rules.criteria_prefix.rstrip('-')}"
        fix = f"Cite {path.text} in a step that says what it verifies, or strike it from what the task changes."
        yield Fault(DELIVERABLE_COVERAGE, plan.document, path.line, message, fix, (path.text,))


def _unverified(plan: Plan, verifying: set[int]) -> Iterator[SurfacePath]:
    """The sure paths of a surface that no verifying step (by line) cites, each once. Raises as ``Covering`` does."""
    served = [path for path in plan.surface if path.step is not None and path.step.line in verifying]
    Covering(plan.surface, plan.surface_rules)  # refuses a surface with more globs than can be compared
    covering = Covering(served, plan.surface_rules)
    touched = Touched([_names(path) for path in served], plan.surface_rules)
    seen = {normal(path.text) for path in served}
    for path in plan.surface:
        name = normal(path.text)
        if name in seen or not path.sure:
            continue
        seen.add(name)
        if not covering.covers(_names(path)) and not touched.holds(path):
            yield path


def _names(path: SurfacePath) -> tuple[str, ...]:
    return tuple(map(normal, (path.text, *path.readings)))
