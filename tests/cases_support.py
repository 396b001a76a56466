"""Tables and machines with cases, and what becomes of these."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent, indent

from policy_support import ANY_SHAPE, EFFECTS, head, load, table

from toolkit.authoring.testing import CaseRun, Result, run_cases
from toolkit.policy.layers import LAYERS, PROFILE, REPOSITORY, SHIPPED, USER, Source
from toolkit.policy.problems import PolicyError
from toolkit.policy.sets import PolicySet

GRAVITY = head("vocabulary", "t.gravity") + "order: descending\nterms: [{term: high}, {term: low}]\n"
SIZE = """\
hit: first
order_note: what is closed is closed
inputs:
  lines: {type: integer, minimum: 0}
  gravity: {type: term, of: t.gravity}
  closed: {type: boolean}
outputs:
  verdict: {type: term, one_of: [large, small]}
  limit: {type: integer}
rows:
  - {id: shut, when: {closed: true}, then: {error: is-closed}}
  - {id: grave, when: {gravity: high, lines: {gt: 10}}, then: {verdict: large, limit: 10}}
  - {id: long, when: {lines: {gt: 100}}, then: {verdict: large, limit: 100}}
  - {id: rest, then: {verdict: small, limit: 0}}
"""
FILES = """\
hit: collect
each: files
inputs:
  files: {type: list, items: {type: record, fields: {path: {type: path}, lines: {type: integer}}}}
outputs:
  signal: {type: term, one_of: [code, long]}
rows:
  - {id: code, when: {path: {glob: ["**/*.py"]}}, then: {signal: code}}
  - {id: long, when: {lines: {gt: 9}}, then: {signal: long}}
"""
LAMP = """\
states: {of: t.lamp-state, initial: dark, terminal: [broken]}
events:
  press: {inputs: {force: {type: integer, minimum: 0}}}
  wait: {}
transitions:
  - {id: lit, from: dark, event: press, when: {force: {lt: 9}}, to: bright, effects: [note]}
  - {id: smashed, from: [dark, bright], event: press, when: {force: {gte: 9}}, to: broken}
  - {id: cooled, from: bright, event: wait, to: dark, effects: [note, ring]}
"""
LAMP_STATES = head("vocabulary", "t.lamp-state") + "terms: [{term: dark}, {term: bright}, {term: broken}]\n"


def with_cases(cases: str) -> str:
    """The key ``cases`` from the lines of a list."""
    return "cases:\n" + indent(dedent(cases).strip("\n"), "  ") + "\n"


def size(cases: str = "") -> list[str]:
    """The documents of the table ``t.size``, with these cases."""
    return [GRAVITY, table(SIZE, "t.size") + (with_cases(cases) if cases else "")]


def files(cases: str) -> list[str]:
    """The document ``t.files``: what it decides for each file is a list."""
    return [table(FILES, "t.files") + with_cases(cases)]


def lamp(cases: str) -> list[str]:
    """The documents of the machine ``t.lamp``."""
    return [LAMP_STATES, head("machine", "t.lamp") + LAMP + with_cases(cases)]


def given(lines: int, gravity: str = "low", closed: bool = False) -> str:
    """The facts of a case of ``t.size``."""
    return f"given: {{lines: {lines}, gravity: {gravity}, closed: {str(closed).lower()}}}"


def no_lower(layer: str) -> PolicySet:
    """Of the layers below, where nobody should ask for them."""
    raise AssertionError(f"the layers up to {layer} were asked for")


def run(*documents: str, ids: tuple[str, ...] = ()) -> CaseRun:
    """A run of the cases of a set that has one layer."""
    return run_cases(load(*documents, prove=True), no_lower, ids)


def outcomes(found: CaseRun) -> dict[str, str]:
    """The outcome of each case by its id."""
    return {one.id: one.outcome for one in found.results}


def only(found: CaseRun) -> Result:
    """The one result of a run that has exactly one."""
    (one,) = found.results
    return one


def told(found: CaseRun) -> list[tuple[str, int, int]]:
    """Code, line and column of each problem."""
    return [(one.code, one.mark.line, one.mark.column) for one in found.problems]


class Layers:
    """A set of several layers, the sets of the layers below, and which of these were asked for."""

    def __init__(self, shipped: list[str], **layers: list[str]) -> None:
        documents: Mapping[str, list[str]] = {SHIPPED: shipped, **layers}
        self._sources = [
            Source(f"{layer}-{number}.yaml", text.encode(), layer)
            for layer in LAYERS
            for number, text in enumerate(documents.get(layer, []), start=1)
        ]
        self.asked: list[str] = []
        self.policies = self._set(LAYERS)

    def up_to(self, layer: str) -> PolicySet:
        self.asked.append(layer)
        return self._set(LAYERS[: LAYERS.index(layer) + 1])

    def run(self, *ids: str) -> CaseRun:
        return run_cases(self.policies, self.up_to, ids)

    def _set(self, layers: tuple[str, ...]) -> PolicySet:
        sources = [one for one in self._sources if one.layer in layers]
        return PolicySet.load(sources, ANY_SHAPE, effects=EFFECTS)


__all__ = [
    "PROFILE", "REPOSITORY", "USER", "Layers", "PolicyError", "files", "given", "lamp", "only", "outcomes", "run",
    "size", "told", "with_cases",
]  # fmt: skip
