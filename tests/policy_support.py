"""Policy documents written in tests, and what loading says of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from textwrap import dedent

from toolkit.policy.layers import LAYERS, REPOSITORY, SHIPPED, Source
from toolkit.policy.problems import PolicyError, Problem
from toolkit.policy.sets import PolicySet
from toolkit.policy.tables import Table

ANY_SHAPE = {"any": b"true"}
EFFECTS = ("note", "ring")

# The one check that every floor has.
POLICY_LAYER = {
    "id": "policy_layer",
    "uses": "policy_layer",
    "severity": "medium",
    "category": "safety",
    "stages": ["do", "archive"],
    "enabled": True,
    "with": {"paths": [".dr/policies/**", ".dr/config.yaml", ".dr/waivers.yaml"], "weaker": "high"},
}

SEVERITY = """\
policy: v1
kind: vocabulary
id: t.severity
version: 1.0.0
title: How grave
source: ours
order: descending
anchors: [definition]
terms:
  - {term: high, definition: broken}
  - {term: medium, definition: in doubt}
  - {term: low, definition: noticed}
"""


def head(kind: str, identity: str, *, source: str | None = "ours") -> str:
    """The common head of a document."""
    lines = ["policy: v1", f"kind: {kind}", f"id: {identity}", "version: 1.0.0", "title: A document"]
    return "\n".join([*lines, *([f"source: {source}"] if source is not None else [])]) + "\n"


def table(body: str, identity: str = "t.table") -> str:
    """A table from the part below its head."""
    return head("table", identity) + dedent(body)


def data(value: str, identity: str = "t.data", shape: str = "any") -> str:
    """A data document from its payload in YAML, written in flow style or as an indented block."""
    return head("data", identity) + f"shape: {shape}\nvalue: {value}\n"


def overlay(body: str, identity: str = "repo.overlay", base: str = "t.data", version: str = ">=1.0,<2") -> str:
    """An overlay from the part below its base."""
    return head("overlay", identity, source=None) + f'base: {{id: {base}, version: "{version}"}}\n' + dedent(body)


def one_input(declared: str, cell: str, *, hit: str = "collect", more: str = "") -> str:
    """A table of one input ``x`` and one row ``hit`` that tests it."""
    return table(
        f"hit: {hit}\ninputs:\n  x: {declared}\n{more}outputs:\n  y: {{type: boolean}}\n"
        f"rows:\n  - id: hit\n    when: {{x: {cell}}}\n    then: {{y: true}}\n"
    )


def layered(
    *documents: str | bytes, templates: Mapping[str, bytes] | None = None, user_edits: bool = True, **layers: list[str]
) -> PolicySet:
    """A set, proved, of shipped documents and those of the named layers: ``profile``, ``user``, ``repository``."""
    sources = [*_sources(documents, SHIPPED), *(one for name in LAYERS for one in _sources(layers.get(name, ()), name))]
    return PolicySet.load(sources, ANY_SHAPE, templates=templates, effects=EFFECTS, user_edits=user_edits)


def problems_of(*documents: str | bytes, user_edits: bool = True, **layers: list[str]) -> list[tuple[str, str, str]]:
    """Code, file and line, and document of every problem of a set of several layers."""
    try:
        layered(*documents, user_edits=user_edits, **layers)
    except PolicyError as fault:
        return [(one.code, f"{one.mark.file}:{one.mark.line}", one.document) for one in fault.problems]
    return []


def load(
    *documents: str | bytes,
    own: Iterable[str | bytes] = (),
    shapes: Mapping[str, bytes] = ANY_SHAPE,
    prove: bool = False,
) -> PolicySet:
    """A set of shipped documents and a repository's ``own``."""
    sources = [*_sources(documents, SHIPPED), *_sources(own, REPOSITORY)]
    return PolicySet.load(sources, shapes, effects=EFFECTS, prove=prove)


def refused(
    *documents: str | bytes, own: Iterable[str | bytes] = (), shapes: Mapping[str, bytes] = ANY_SHAPE
) -> tuple[Problem, ...]:
    """The problems for which a set does not load, proofs aside; none if it does."""
    try:
        load(*documents, own=own, shapes=shapes)
    except PolicyError as fault:
        return fault.problems
    return ()


def codes(*documents: str | bytes, own: Iterable[str | bytes] = ()) -> list[str]:
    """The codes of the problems of a set."""
    return [problem.code for problem in refused(*documents, own=own)]


def only_problem(*documents: str | bytes, own: Iterable[str | bytes] = ()) -> Problem:
    """The one problem of a set that has exactly one."""
    (problem,) = refused(*documents, own=own)
    return problem


def the_table(*documents: str) -> Table:
    """The table ``t.table`` of a set, whatever can be proved of it."""
    return load(*documents, prove=False).table("t.table")


def _sources(documents: Iterable[str | bytes], layer: str) -> list[Source]:
    encoded = [one.encode() if isinstance(one, str) else one for one in documents]
    return [Source(f"{layer}-{number}.yaml", data, layer) for number, data in enumerate(encoded, start=1)]
