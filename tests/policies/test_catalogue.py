"""Every vocabulary, table and machine that others rely on stands under its name, with the terms that they write."""

from __future__ import annotations

import pytest

from toolkit.policy.sets import PolicySet

VOCABULARIES = {
    "verify.severity": ("descending", "high medium low"),
    "verify.category": (None, "correctness completeness consistency safety"),
    "verify.drift": (None, "scope_creep spec_decay execution_skew orphaned_requirements"),
    "verify.evidence-type": (None, "file_quote test_output absent"),
    "verify.verdicts": ("descending", "BLOCKED CONDITIONAL PASS"),
    "verify.layers": ("descending", "floor peer_review dispatch"),
    "review.tier": ("descending", "high medium low"),
    "review.signal": (
        None,
        "auth update security payments data-exposure data-loss permissions shell-process policy",
    ),
    "review.lens": ("sequence", "risk resilience readability reliability"),
    "review.severity": ("descending", "BLOCKER CRITICAL WARNING SUGGESTION"),
    "review.evidence-class": (None, "deterministic inferential insufficient"),
    "review.causal-disposition": (
        None,
        "introduced behavior-activated worsened pre-existing base-only unknown",
    ),
    "review.proof-kind": (None, "changed-hunk candidate-created-path differential-test before-after"),
    "review.state": (None, "reviewing correction_required validating approved escalated invalidated"),
    "review.gate-result": ("descending", "escalated invalidated scope-changed unmanaged allow"),
    "delegation.high-risk-items": (
        None,
        "auth update security payments data-exposure data-loss permissions shell-process",
    ),
}
TABLES: dict[str, tuple[str, str]] = {
    "verify.verdict": ("high medium low persistent boundary_unreviewed", "verdict"),
    "verify.outcome": (
        "verdict incomplete errors could_not_run not_run floor_only external_verifier",
        "verdict verified",
    ),
    "verify.exit-code": ("verdict undone over_line", "exit"),
    "verify.exit": ("external_verifier unanimous iteration max_iter token_ceiling tokens", "stop reason"),
    "verify.disposition": (
        "evidence_type parse schema_valid excerpt_found",
        "discarded discard_reason evidence_verified",
    ),
    "review.risk-signals": ("files", "signal reason"),
    "review.risk": ("authored_lines signals passive", "tier"),
    "review.lenses": ("tier dominant", "lenses"),
    "review.budget": ("changed_lines", "budget"),
    "review.routing": ("severity evidence_class causal_disposition proof_valid", "route"),
    "review.refutation": ("outcome", "route"),
    "review.forecast": ("forecast spent budget", "decision"),
    "review.correction-result": ("actual spent budget attempts max_attempts passed", "state"),
    "review.gate": (
        (
            "profile mode discovery superseded receipt_matches_state terminal_state policy_matches binding boundary "
            "base candidate_matches paths_match scope_empty delivery first_publication release_evidence final_recheck"
        ),
        "result stage code next",
    ),
    "review.recovery": (
        "predecessor disposition scope_changed authorized leaf_unique revision_matches",
        "allowed code",
    ),
    "review.mode": ("clone global", "effective source"),
    "delegation.outcome": ("explicit recorded consumed", "outcome source"),
    "delegation.writer-profile": ("runtime_evidence caller_evidence", "source"),
    "delegation.plan": (
        "native_risk escalate rdd outcome",
        "risk writer_verification independent_verifiers spot_check",
    ),
    "delegation.route": ("files_explored non_trivial_writes", "route"),
}


@pytest.mark.parametrize("name", VOCABULARIES)
def test_a_vocabulary_has_its_terms_in_their_order(policies: PolicySet, name: str) -> None:
    order, terms = VOCABULARIES[name]
    vocabulary = policies.vocabulary(name)
    assert vocabulary.terms == tuple(terms.split())
    assert order in (None, vocabulary.order)


@pytest.mark.parametrize("name", TABLES)
def test_a_table_asks_for_its_facts_and_gives_its_outputs(policies: PolicySet, name: str) -> None:
    facts, outputs = TABLES[name]
    document = policies.table(name).document
    assert " ".join(document.inputs) == facts
    assert [one for one in document.outputs if one in outputs.split()] == outputs.split()


def test_the_probes_of_a_boundary_are_the_six_of_the_reference(policies: PolicySet) -> None:
    assert policies.vocabulary("verify.boundary-probes").terms == (
        "fence-escape",
        "nonce-predictability",
        "trust-class cross-promotion",
        "provenance-forgery",
        "size-guard-bypass",
        "fail-open",
    )


def test_the_prefix_of_a_finding_follows_the_lens_and_not_its_place(policies: PolicySet) -> None:
    lenses = policies.vocabulary("review.lens")
    prefixes = {lens: lenses.anchor(lens, "prefix") for lens in lenses.terms}
    assert prefixes == {"risk": "R1", "readability": "R2", "reliability": "R3", "resilience": "R4"}


def test_a_decision_that_can_be_graver_says_which_one_is(policies: PolicySet) -> None:
    """So that a comparison of policies can say weaker. What is left out names no gravity, only a kind or a source."""
    kinds = {
        ("verify.exit", "stop"), ("verify.exit", "reason"), ("verify.disposition", "discard_reason"),
        ("review.gate", "stage"), ("review.gate", "code"), ("review.gate", "next"),
        ("review.recovery", "code"), ("review.mode", "source"),
        ("delegation.outcome", "source"), ("delegation.writer-profile", "source"), ("review.risk-signals", "signal"),
    }  # fmt: skip
    for name in TABLES:
        document = policies.table(name).document
        for output, declared in document.outputs.items():
            if declared.describe().startswith(("a term", "true or false")) and (name, output) not in kinds:
                assert output in document.stronger, f"{name}: {output}"
