"""The gate: what follows from a graph's faults at a stage, and in which mode (Datarim formats, spec graph)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from toolkit.reporting.visible import visible
from verify.errors import WorkspaceError
from verify.spec_graph.grade import Tally
from verify.spec_graph.rules import DOCUMENT, Mode

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet
    from verify.decisions import Questions

TABLE: Final = "verify.spec-gate"
SEVERITIES: Final = "verify.spec-severity"

# States of a document, and decisions, that code itself must name; the tables say what follows.
PRESENT: Final = "present"
WAIVED: Final = "waived"
MISSING: Final = "missing"
NOT_OWED: Final = "not-owed"
BLOCKED: Final = "blocked"
SKIP: Final = "skip"
CONFIGURATION: Final = "configuration"
_SHOWN: Final = 40


class Situation(NamedTuple):
    """What the gate asks for beside the faults: terms of ``verify.spec-gate``."""

    stage: str
    complexity: str
    mode: str
    prd: str = PRESENT
    plan: str = PRESENT


class Decision(NamedTuple):
    """``decision`` is a term of ``verify.spec-gate``, ``exit`` the status of the command."""

    decision: str
    exit: int


def mode_of(environment: Mapping[str, str], mode: Mode) -> str:
    """The mode that the environment asks for. Raises ``WorkspaceError`` (``spec_graph_mode``) for one that is none."""
    said = environment.get(mode.variable, "").strip()
    if not said:
        return mode.default
    if said.casefold() in mode.terms:
        return said.casefold()
    raise WorkspaceError(
        "spec_graph_mode",
        f"{mode.variable} is {visible(said, _SHOWN)!r}, and has to be {' or '.join(mode.terms)}",
        place=mode.variable,
        next_step=f"unset {mode.variable} or set it to {mode.default}; {DOCUMENT} names its terms",
    )


def decide(situation: Situation, counted: Tally, policies: PolicySet) -> Decision:
    """What the gate decides on so many faults."""
    facts = situation._asdict()
    outputs = policies.table(TABLE).decide(**facts, errors=counted.errors, findings=counted.all).outputs
    return Decision(cast(str, outputs["decision"]), cast(int, outputs["exit"]))


def blocks_on_error(situation: Situation, policies: PolicySet) -> bool:
    """Whether one error would block."""
    return decide(situation, Tally(1, 0, 1), policies).decision == BLOCKED


def severity_in_floor(severity: str, blocking: bool, questions: Questions) -> str:
    """How grave a finding of the floor is for a rule of ``severity``; ``blocking``: see ``blocks_on_error``."""
    decision = questions.ask(SEVERITIES, severity=severity, blocking=blocking)
    return cast(str, decision.outputs["severity"])
