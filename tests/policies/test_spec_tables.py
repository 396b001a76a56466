"""The tables of the spec graph over their whole domains, each held against a second telling of its rule."""

from __future__ import annotations

from itertools import product

from toolkit.policy.sets import PolicySet

LEVELS = ("L1", "L2", "L3", "L4")
STAGES = ("prd", "plan", "do", "qa", "compliance", "verify")
COUNTS = (0, 1, 2, 3, 4, 5, 2**53 - 1)


def test_the_grade_is_a_letter_of_errors_first_and_then_of_warnings(policies: PolicySet) -> None:
    for errors, warnings in product(COUNTS, COUNTS):
        of_errors = "F" if errors > 2 else "D" if errors else None
        of_warnings = "C" if warnings > 3 else "B" if warnings else "A"
        grade = policies.table("verify.spec-grade").decide(errors=errors, warnings=warnings).outputs["grade"]
        assert grade == (of_errors or of_warnings)


def test_only_an_error_where_the_gate_blocks_is_high(policies: PolicySet) -> None:
    for severity, blocking in product(("error", "warning", "info"), (True, False)):
        outputs = policies.table("verify.spec-severity").decide(severity=severity, blocking=blocking).outputs
        grave = "high" if severity == "error" and blocking else "low" if severity == "info" else "medium"
        assert outputs == {"severity": grave}


def test_the_gate_over_every_stage_level_mode_and_state_of_the_documents(policies: PolicySet) -> None:
    states = product(("present", "waived", "missing"), ("present", "not-owed", "missing"))
    counts = [(errors, errors + other) for errors in (0, 1, 3) for other in (0, 1)]
    for stage, level, mode, (prd, plan), (errors, findings) in product(
        STAGES, LEVELS, ("advisory", "hard"), list(states), counts
    ):
        facts = {"stage": stage, "complexity": level, "mode": mode, "prd": prd, "plan": plan}
        outputs = policies.table("verify.spec-gate").decide(**facts, errors=errors, findings=findings).outputs
        assert (outputs["decision"], outputs["exit"]) == _expected(**facts, errors=errors, findings=findings)


def _expected(
    *, stage: str, complexity: str, mode: str, prd: str, plan: str, errors: int, findings: int
) -> tuple[str, int]:
    if complexity == "L1" or prd == "waived" or (prd == "missing" and complexity == "L2"):
        return "skip", 0
    if prd == "missing":
        return "configuration", 2
    if errors and mode == "hard" and complexity in ("L3", "L4") and stage != "do":
        return "blocked", 1
    if plan == "missing" and not errors:
        return "configuration", 2
    return ("advisory", 0) if findings else ("clean", 0)


def test_every_rule_is_due_at_l3_and_l4_and_only_the_faults_of_ids_at_l2(policies: PolicySet) -> None:
    rules = policies.data("verify.spec-graph")["rules"]
    errors = {rule["rule"] for rule in rules if rule["severity"] == "error"}
    assert errors == {"dreq-id-format", "dreq-id-unique", "covers-resolves", "dreq-dangling", "graph-complete-l3"}
    for rule in rules:
        due = ("L2", "L3", "L4") if rule["rule"] in errors - {"graph-complete-l3"} else ("L3", "L4")
        assert rule["levels"] == due
    assert [rule["rule"] for rule in rules if rule["severity"] == "info"] == ["binding-no-duplicate"]
