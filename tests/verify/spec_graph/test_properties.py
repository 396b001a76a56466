"""Random graphs, written down in random shapes, give the faults that a second telling of the rules expects.

The oracle works on the model alone and never sees Markdown; so a shape that is misread is found as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from verify.spec_graph.lint import faults_of
from verify.spec_graph.trace import trace_of

Found = Counter[tuple[str, tuple[str, ...]]]


@dataclass(frozen=True)
class Criterion:
    labels: tuple[str, ...]
    covers: tuple[tuple[str, ...], ...]  # statements, each a list of ids


@dataclass(frozen=True)
class Model:
    requirements: tuple[tuple[str, bool], ...]  # id, deferred; an id may stand twice
    criteria: tuple[Criterion, ...]
    steps: tuple[tuple[str, ...], ...]
    wishes: tuple[tuple[str, ...], ...]


REQUIREMENT = st.integers(1, 8).map(lambda number: f"D-REQ-{number:02d}")
LABEL = st.builds(lambda axis, number: f"V-AC-{axis}{number}", st.sampled_from(("", "A", "B")), st.integers(1, 5))
LABELS = st.lists(LABEL, max_size=4).map(tuple)


@st.composite
def models(draw: st.DrawFn) -> Model:
    owned = draw(st.lists(LABEL, unique=True, max_size=7))
    criteria = []
    while owned:
        size = draw(st.integers(1, 2))
        labels, owned = tuple(owned[:size]), owned[size:]
        covers = draw(st.lists(st.lists(REQUIREMENT, min_size=1, max_size=3).map(tuple), max_size=2))
        criteria.append(Criterion(labels, tuple(covers)))
    requirements = draw(st.lists(st.tuples(REQUIREMENT, st.booleans()), max_size=7))
    steps, wishes = draw(st.lists(LABELS, max_size=4)), draw(st.lists(LABELS, max_size=4))
    return Model(tuple(requirements), tuple(criteria), tuple(steps), tuple(wishes))


def expected(model: Model) -> Found:
    parts = (_of_requirements(model), _of_statements(model), _of_pairs(model), _of_criteria(model), _of_wishes(model))
    return Counter(fault for part in parts for fault in part)


Faults = Iterator[tuple[str, tuple[str, ...]]]


def _declared(model: Model) -> set[str]:
    return {one for one, _ in model.requirements}


def _covered(model: Model) -> dict[str, set[str]]:
    """What each criterion with a statement covers."""
    covers: dict[str, set[str]] = {}
    for criterion in model.criteria:
        for statement in criterion.covers:
            for label in criterion.labels:
                covers.setdefault(label, set()).update(statement)
    return covers


def _of_requirements(model: Model) -> Faults:
    for one, count in Counter(one for one, _ in model.requirements).items():
        yield from [("dreq-id-unique", (one,))] * (count - 1)
    deferred = {one for one, put_off in model.requirements if put_off}
    covered = set().union(*_covered(model).values())
    yield from (("dreq-orphan", (one,)) for one in _declared(model) - deferred - covered)


def _of_statements(model: Model) -> Faults:
    declared = _declared(model)
    for statement in (statement for criterion in model.criteria for statement in criterion.covers):
        unknown = tuple(one for one in statement if one not in declared)
        if len(unknown) == len(statement):
            yield "dreq-dangling", unknown
        else:
            yield from (("covers-resolves", (one,)) for one in unknown)


def _of_pairs(model: Model) -> Faults:
    for criterion in model.criteria:
        for one, count in Counter(one for statement in criterion.covers for one in statement).items():
            for label in criterion.labels:
                yield from [("binding-no-duplicate", (label, one))] * (count - 1)
    for step in model.steps:
        for label, count in Counter(step).items():
            yield from [("binding-no-duplicate", (label,))] * (count - 1)


def _of_criteria(model: Model) -> Faults:
    planned = {label for step in model.steps for label in step}
    for criterion in model.criteria:
        if len({label[5] for label in criterion.labels} & {"A", "B"}) > 1:
            yield "axis-separation", criterion.labels
        for label in criterion.labels:
            if not criterion.covers:
                yield "vac-covers-present", (label,)
            if label not in planned:
                yield "vac-binding-present", (label,)


def _of_wishes(model: Model) -> Faults:
    planned = {label for step in model.steps for label in step}
    whole = {label for label, covers in _covered(model).items() if covers & _declared(model) and label in planned}
    for number, linked in enumerate(model.wishes):
        if not whole.intersection(linked):
            yield "graph-complete-l3", (f"wish-{number}",)


class Writer:
    """Writes a model down, each part in one of its shapes."""

    def __init__(self, draw: Callable[[int], int]) -> None:
        self._draw = draw

    def prd(self, model: Model) -> str:
        parts = ["# PRD", "## Requirements"]
        parts += [self._requirement(one, put_off) for one, put_off in model.requirements]
        parts += ["## Criteria"]
        parts += [self._criterion(criterion) for criterion in model.criteria]
        return "\n\n".join(parts) + "\n"

    def plan(self, model: Model) -> str:
        headed = self._draw(2)
        steps = []
        for number, labels in enumerate(model.steps, 1):
            said = self._statement("Verifies", labels) if labels else "Nothing more."
            steps.append(f"### Step {number}: work\n\n{said}" if headed else f"{number}. Work.\n   {said}")
        return "# Plan\n\n## Steps\n\n" + "\n\n".join(steps) + "\n"

    def _requirement(self, one: str, put_off: bool) -> str:
        why = "Deferred: no budget" if put_off else "Nothing more."
        shapes = (
            f"### {one}: a text\n\n{why}",
            f"- **{one}** — a text\n  {why}",
            f"* {one}: a text. {why}",
            f"**{one}:** a text. {why}",
            f"| id | text |\n| --- | --- |\n| {one} | a text. {why} |",
        )
        return shapes[self._draw(len(shapes))]

    def _criterion(self, criterion: Criterion) -> str:
        labels = ", ".join(criterion.labels)
        said = [self._statement("Covers", statement) for statement in criterion.covers]
        items = "".join(f"\n  {statement}" for statement in said)
        paragraphs = "".join(f"\n\n{statement}" for statement in said)
        shapes = (
            f"- {labels}: a text{items}",
            f"- [ ] **{labels}:** a text.{items}",
            f"#### {labels}: a text{paragraphs}",
            f"| label | text |\n| --- | --- |\n| {labels} | a text. {'<br>'.join(said)} |",
        )
        return shapes[self._draw(len(shapes))]

    def _statement(self, name: str, labels: tuple[str, ...]) -> str:
        joined = (", ", " and ", "; ")[self._draw(3)].join(labels)
        return (f"{name}: {joined}.", f"**{name}:** {joined}", f"*{name}: {joined}.*", f"It holds ({name}: {joined}).")[
            self._draw(4)
        ]


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(model=models(), data=st.data())
def test_the_faults_of_a_graph_do_not_depend_on_how_it_is_written_down(
    reader: Any, wishes: Callable[..., str], model: Model, data: st.DataObject
) -> None:
    writer = Writer(lambda count: data.draw(st.integers(0, count - 1)))
    checklist = wishes(**{f"wish-{number}": ", ".join(labels) for number, labels in enumerate(model.wishes)})
    graph = reader.graph(writer.prd(model), writer.plan(model), checklist)
    assert Counter((fault.rule, fault.ids) for fault in faults_of(graph, "L3")) == expected(model)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(model=models(), data=st.data())
def test_the_buckets_of_the_trace_part_the_declared_requirements(
    reader: Any, model: Model, data: st.DataObject
) -> None:
    writer = Writer(lambda count: data.draw(st.integers(0, count - 1)))
    trace = trace_of(reader.graph(writer.prd(model)))
    parted = [*trace.covered, *trace.orphaned, *trace.explicitly_deferred]
    assert sorted(parted) == sorted({one for one, _ in model.requirements})
    assert not set(parted) & set(trace.dangling)


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    st.lists(
        st.sampled_from(
            (
                "D-REQ-",
                "01",
                "..",
                "V-AC-",
                "1",
                "A",
                ": ",
                "Covers",
                "**",
                "|",
                "\n",
                "\n\n",
                "- ",
                "# ",
                "`",
                "é",
                " ",
            )
        ),
        max_size=40,
    ).map("".join)
)
def test_any_text_is_some_graph_and_every_fault_quotes_one_of_its_lines(reader: Any, text: str) -> None:
    for fault in faults_of(reader.graph(text, text, text), "L4"):
        assert 1 <= fault.line <= len(fault.document.lines)
