"""The shipped decision tables over their whole domains, each held against a second telling of its rule.

An oracle below says in plain Python what the reference says, without looking at the table. A domain lists every
value of every fact (for integers: each boundary, its neighbours and the ends of the range), and all combinations
are decided. So no combination is left to chance, and a row that never decides anything is found as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest

from toolkit.policy.problems import PolicyError, Undecided
from toolkit.policy.sets import PolicySet
from toolkit.policy.tables import Table
from toolkit.policy.types import IntegerType, ListType, TermType

Facts = Mapping[str, Any]
Outputs = dict[str, Any]

BOTH = (True, False)
LARGEST = 2**53 - 1
HIGH_RISK_ITEMS = (
    *("auth", "update", "security", "payments"),
    *("data-exposure", "data-loss", "permissions", "shell-process"),
)
SIGNALS = (*HIGH_RISK_ITEMS, "policy")
SEVERE = ("BLOCKER", "CRITICAL")
LENSES = ("risk", "resilience", "readability", "reliability")
STATES = ("reviewing", "correction_required", "validating", "approved", "escalated", "invalidated")
GATE_OUTPUTS = ("result", "stage", "code", "next")
CAUSED = ("introduced", "behavior-activated", "worsened")


@dataclass(frozen=True, slots=True)
class Spec:
    """A table's id, every value of each of its facts, and the rule told again."""

    table: str
    domain: Mapping[str, tuple[Any, ...]]
    oracle: Callable[[Facts], Outputs]

    def combinations(self) -> Iterator[dict[str, Any]]:
        for values in product(*self.domain.values()):
            yield dict(zip(self.domain, values, strict=True))


def risk(facts: Facts) -> Outputs:
    large = facts["authored_lines"] > 400
    if facts["signals"]:
        return {"tier": "high"}
    if facts["passive"]:
        return {"tier": "medium" if large else "low"}
    return {"tier": "high" if large else "medium"}


def routing(facts: Facts) -> Outputs:
    evidence, cause = facts["evidence_class"], facts["causal_disposition"]
    if facts["severity"] not in SEVERE:
        return {"route": "informational"}
    if evidence is None or cause is None:
        return {"error": "severe-finding-unclassified"}
    if not facts["proof_valid"] or evidence == "insufficient":
        return {"route": "escalate"}
    if cause in ("pre-existing", "base-only"):
        return {"route": "follow-up"}
    if cause not in CAUSED:
        return {"route": "escalate"}
    return {"route": "correction" if evidence == "deterministic" else "refuter"}


def refutation(facts: Facts) -> Outputs:
    routes = {"corroborated": "correction", "refuted": "refuted", "inconclusive": "escalate"}
    return {"route": routes[facts["outcome"]]}


def budget(facts: Facts) -> Outputs:
    half, odd = divmod(facts["changed_lines"], 2)
    return {"budget": min(200, half + odd)}


def forecast(facts: Facts) -> Outputs:
    fits = facts["spent"] + facts["forecast"] <= facts["budget"]
    return {"decision": "proceed" if fits else "escalate"}


def correction_result(facts: Facts) -> Outputs:
    within = facts["actual"] > 0 and facts["spent"] + facts["actual"] <= facts["budget"]
    if not within or facts["attempts"] > facts["max_attempts"]:
        return {"state": "escalated"}
    if facts["passed"]:
        return {"state": "validating"}
    return {"state": "escalated" if facts["attempts"] == facts["max_attempts"] else "correction_required"}


def mode(facts: Facts) -> Outputs:
    said = [(facts[source], source) for source in ("clone", "global") if facts[source] is not None]
    if not said:
        return {"effective": "off", "source": "default"}
    effective = "off" if any(switch == "off" for switch, _ in said) else "on"
    return {"effective": effective, "source": next(source for switch, source in said if switch == effective)}


def lenses(facts: Facts) -> Outputs:
    tier, dominant = facts["tier"], facts["dominant"]
    if tier == "high":
        return {"lenses": LENSES}
    if (tier == "medium") != (dominant is not None):
        return {"error": "dominant-lens-missing" if tier == "medium" else "dominant-lens-unexpected"}
    return {"lenses": () if dominant is None else (dominant,)}


def dominant_lens(facts: Facts) -> Outputs:
    if facts["passive"]:
        return {"lens": "readability"}
    for lens in LENSES[:3]:
        if facts[f"{lens}_lines"] * 2 > facts["authored_lines"]:
            return {"lens": lens}
    return {"lens": "reliability"}


def recovery(facts: Facts) -> Outputs:
    state, reason = facts["predecessor"], facts["disposition"]
    if not facts["leaf_unique"]:
        return {"allowed": False, "code": "leaf-not-unique"}
    if not facts["revision_matches"]:
        return {"allowed": False, "code": "revision-mismatch"}
    if state not in ("approved", "escalated", "invalidated"):
        return {"allowed": False, "code": "not-ended"}
    if (state, reason) not in (("approved", "scope_changed"), ("escalated", "escalated"), ("invalidated",) * 2):
        return {"allowed": False, "code": "disposition-mismatch"}
    if state == "approved" and not facts["scope_changed"]:
        return {"allowed": False, "code": "scope-unchanged"}
    if state == "escalated" and not facts["authorized"]:
        return {"allowed": False, "code": "unauthorized"}
    return {"allowed": True, "code": {"approved": "scope-changed"}.get(state, state)}


def gate_deliveries(facts: Facts) -> Outputs:
    if facts["deliveries"] == 0 and (facts["mode"], facts["profile"]) == ("on", "compact"):
        return dict(zip(GATE_OUTPUTS, ("allow", "delivery-derivation", "nothing-to-deliver", "deliver"), strict=True))
    return dict.fromkeys(GATE_OUTPUTS)


def review_outcome(facts: Facts) -> Outputs:
    if facts["explicit"] not in (None, "closed"):
        return {"outcome": facts["explicit"], "source": "explicit"}
    if facts["recorded"] is not None:
        return {"outcome": facts["recorded"], "source": "derived"}
    if facts["consumed"]:
        return {"outcome": "closed", "source": "derived"}
    return {"outcome": "unknown", "source": "unknown"}


def writer_profile(facts: Facts) -> Outputs:
    if facts["runtime_evidence"]:
        return {"source": "runtime"}
    return {"source": "caller" if facts["caller_evidence"] else "fallback"}


def plan(facts: Facts) -> Outputs:
    escalated = facts["escalate"] is not None
    passive = facts["native_risk"] == "passive" and not escalated
    return {
        "risk": "high" if escalated else "passive" if passive else "medium",
        "writer_verification": "structural-readback" if passive else "self-verification",
        "independent_verifiers": int(escalated),
        "spot_check": True,
    }


def delegation_route(facts: Facts) -> Outputs:
    handed_over = facts["files_explored"] >= 4 or facts["non_trivial_writes"] >= 2
    return {"route": "bounded-worker" if handed_over else "inline"}


def verdict(facts: Facts) -> Outputs:
    if facts["high"] or facts["persistent"] or facts["boundary_unreviewed"]:
        return {"verdict": "BLOCKED"}
    return {"verdict": "CONDITIONAL" if facts["medium"] else "PASS"}


def outcome(facts: Facts) -> Outputs:
    done = not any(facts[name] for name in ("incomplete", "errors", "could_not_run", "not_run"))
    gravest = ("BLOCKED", "CONDITIONAL", "PASS")
    claims = [facts["verdict"]]
    if facts["external_verifier"] == "FAIL":
        claims.append("BLOCKED")
    if not done:
        claims.append("CONDITIONAL")
    return {"verdict": min(claims, key=gravest.index), "verified": done and not facts["floor_only"]}


def exit_code(facts: Facts) -> Outputs:
    if facts["verdict"] == "BLOCKED":
        return {"exit": 1}
    return {"exit": 3 if facts["undone"] else int(facts["over_line"])}


def loop_exit(facts: Facts) -> Outputs:
    ceiling = math.inf if facts["token_ceiling"] is None else facts["token_ceiling"]
    criteria = {
        "external_verifier": facts["external_verifier"] is not None,
        "unanimous_no_findings": facts["unanimous"],
        "max_iter": facts["iteration"] >= facts["max_iter"],
        "cost_ceiling": facts["tokens"] is not None and facts["tokens"] > ceiling,
    }
    reason = next((name for name, met in criteria.items() if met), None)
    return {"stop": reason is not None, "reason": reason}


def disposition(facts: Facts) -> Outputs:
    kind, found = facts["evidence_type"], facts["excerpt_found"]
    reason: str | None
    if facts["parse"] == "error":
        reason = "parse_error"
    elif not facts["schema_valid"] or kind is None:
        reason = "malformed_evidence"
    else:
        reason = "no_evidence_provided" if kind == "absent" else None
    looked_up = reason is None and kind == "file_quote" and found is not None
    verified = ("true" if found else "false") if looked_up else "unchecked"
    return {"discarded": reason is not None, "discard_reason": reason, "evidence_verified": verified}


def skip(facts: Facts) -> Outputs:
    if facts["complexity"] == "L1":
        return {"skip": True, "reason": "an L1 task is not verified"}
    if facts["archived"] and facts["stage"] != "archive":
        reason = "the task is archived: only its archive can still be verified (--stage archive)"
        return {"skip": True, "reason": reason}
    return {"skip": False, "reason": None}


COUNTS = (0, 1, 2, LARGEST)
EXTERNAL = ("PASS", "FAIL", None)
REVIEW_OUTCOMES = ("declined", "unavailable", "closed", "unknown")
VERDICTS = ("BLOCKED", "CONDITIONAL", "PASS")

SPECS = (
    Spec(
        "review.risk",
        {
            "authored_lines": (0, 1, 399, 400, 401, LARGEST),
            "signals": ((), *((signal,) for signal in SIGNALS), ("auth", "auth"), SIGNALS),
            "passive": BOTH,
        },
        risk,
    ),
    Spec(
        "review.routing",
        {
            "severity": (*SEVERE, "WARNING", "SUGGESTION"),
            "evidence_class": ("deterministic", "inferential", "insufficient", None),
            "causal_disposition": (*CAUSED, "pre-existing", "base-only", "unknown", None),
            "proof_valid": BOTH,
        },
        routing,
    ),
    Spec("review.refutation", {"outcome": ("corroborated", "refuted", "inconclusive")}, refutation),
    Spec("review.budget", {"changed_lines": (*range(410), LARGEST - 1, LARGEST)}, budget),
    Spec(
        "review.forecast",
        {
            "forecast": (1, 2, 20, 42, 43, 60, 61, 200, LARGEST),
            "spent": (0, 1, 18, 40, 59, 60, 61, LARGEST),
            "budget": (0, 1, 60, 61, 199, 200, LARGEST),
        },
        forecast,
    ),
    Spec(
        "review.correction-result",
        {
            "actual": (0, 1, 20, 21, 60, 61, LARGEST),
            "spent": (0, 1, 39, 40, 60, 61, LARGEST),
            "budget": (0, 1, 60, 200, LARGEST),
            "attempts": (1, 2, 3, 4, LARGEST),
            "max_attempts": (1, 2, 3, LARGEST),
            "passed": BOTH,
        },
        correction_result,
    ),
    Spec("review.lenses", {"tier": ("high", "medium", "low"), "dominant": (*LENSES, None)}, lenses),
    Spec(
        "review.dominant-lens",
        {
            "passive": BOTH,
            "authored_lines": (0, 1, 2, 59, 60, 61, LARGEST),
            "risk_lines": (0, 1, 29, 30, 31, LARGEST),
            "resilience_lines": (0, 1, 29, 30, 31, LARGEST),
            "readability_lines": (0, 1, 29, 30, 31, LARGEST),
        },
        dominant_lens,
    ),
    Spec(
        "review.recovery",
        {
            "predecessor": STATES,
            "disposition": ("scope_changed", "invalidated", "escalated"),
            "scope_changed": BOTH,
            "authorized": BOTH,
            "leaf_unique": BOTH,
            "revision_matches": BOTH,
        },
        recovery,
    ),
    Spec(
        "review.gate-deliveries",
        {"profile": ("compact", "atomic"), "mode": ("on", "off"), "deliveries": COUNTS},
        gate_deliveries,
    ),
    Spec("review.mode", {"clone": ("on", "off", None), "global": ("on", "off", None)}, mode),
    Spec(
        "delegation.outcome",
        {"explicit": (*REVIEW_OUTCOMES, None), "recorded": ("declined", "unavailable", None), "consumed": BOTH},
        review_outcome,
    ),
    Spec("delegation.writer-profile", {"runtime_evidence": BOTH, "caller_evidence": BOTH}, writer_profile),
    Spec(
        "delegation.plan",
        {
            "native_risk": ("passive", "medium", "high", "unknown", "unassessable"),
            "escalate": (*HIGH_RISK_ITEMS, None),
            "rdd": ("on", "off", "unknown"),
            "outcome": REVIEW_OUTCOMES,
        },
        plan,
    ),
    Spec(
        "delegation.route",
        {"files_explored": (0, 1, 2, 3, 4, 5, LARGEST), "non_trivial_writes": (0, 1, 2, 3, LARGEST)},
        delegation_route,
    ),
    Spec(
        "verify.verdict",
        {"high": COUNTS, "medium": COUNTS, "low": COUNTS, "persistent": BOTH, "boundary_unreviewed": BOTH},
        verdict,
    ),
    Spec(
        "verify.outcome",
        {
            "verdict": VERDICTS,
            "incomplete": (0, 1, LARGEST),
            "errors": (0, 1, LARGEST),
            "could_not_run": (0, 1, LARGEST),
            "not_run": (0, 1, LARGEST),
            "floor_only": BOTH,
            "external_verifier": EXTERNAL,
        },
        outcome,
    ),
    Spec("verify.exit-code", {"verdict": VERDICTS, "undone": COUNTS, "over_line": BOTH}, exit_code),
    Spec(
        "verify.exit",
        {
            "external_verifier": EXTERNAL,
            "unanimous": BOTH,
            "iteration": (0, 1, 2, 3, 4, LARGEST),
            "max_iter": (0, 1, 3, LARGEST),
            "token_ceiling": (None, 0, 99, 100, 101, LARGEST),
            "tokens": (None, 0, 99, 100, 101, LARGEST),
        },
        loop_exit,
    ),
    Spec(
        "verify.disposition",
        {
            "evidence_type": ("file_quote", "test_output", "absent", None),
            "parse": ("ok", "error"),
            "schema_valid": BOTH,
            "excerpt_found": (*BOTH, None),
        },
        disposition,
    ),
    Spec(
        "verify.skip",
        {
            "complexity": ("L1", "L2", "L3", "L4"),
            "archived": BOTH,
            "stage": ("prd", "plan", "do", "archive", "all"),
        },
        skip,
    ),
)

EVERY_TABLE = pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.table)


def answer(table: Table, facts: Facts) -> tuple[Outputs, str]:
    """What a table answers, a refusal told as an output, and the row that said so."""
    try:
        decision = table.decide(**facts)
    except Undecided as refusal:
        refusing = [row for row in table.document.rows if row.error and str(row.mark) == refusal.place]
        if [row.error for row in refusing] != [refusal.code]:
            raise
        return {"error": refusal.code}, refusing[0].id
    return dict(decision.outputs), decision.row


@EVERY_TABLE
def test_every_combination_of_facts_gets_the_one_answer_of_the_rule(policies: PolicySet, spec: Spec) -> None:
    table = policies.table(spec.table)
    fired = set()
    for facts in spec.combinations():
        outputs, row = answer(table, facts)
        fired.add(row)
        assert outputs == spec.oracle(facts), f"{row} answers otherwise for {facts}"
    assert fired == {row.id for row in table.document.rows}, "every row decides something"


@EVERY_TABLE
def test_a_domain_holds_every_value_that_a_table_knows(policies: PolicySet, spec: Spec) -> None:
    inputs = policies.table(spec.table).document.inputs
    assert list(spec.domain) == list(inputs)
    for name, declared in inputs.items():
        assert (None in spec.domain[name]) == declared.optional
        kind = declared.type
        listed = {item for value in spec.domain[name] for item in (value if isinstance(value, tuple) else (value,))}
        if isinstance(kind, ListType):
            kind = kind.items
        if isinstance(kind, TermType):
            assert listed - {None} == set(kind.terms)
        if isinstance(kind, IntegerType):
            assert {kind.minimum, LARGEST} <= listed


@EVERY_TABLE
def test_a_table_refuses_a_number_below_its_range(policies: PolicySet, spec: Spec) -> None:
    table = policies.table(spec.table)
    facts = next(spec.combinations())
    for name, declared in table.document.inputs.items():
        if isinstance(declared.type, IntegerType):
            with pytest.raises(PolicyError) as refused:
                table.decide(**{**facts, name: declared.type.minimum - 1})
            assert refused.value.code == "fact_invalid"
            assert name in refused.value.message
