"""The gate: a second telling of its precedence, and what must hold of it whatever its rows say.

The domain has some ten thousand million combinations, so it is sampled: every combination of one and of two facts
that differ from where all is proven, and from where nothing is derived, and any that hypothesis thinks of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.policy.problems import PolicyError, Undecided
from toolkit.policy.sets import PolicySet
from toolkit.policy.types import TermType

Facts = Mapping[str, Any]
Answer = tuple[str, str]  # the result, and stage/code

# Every fact with the values that are proved, then those that deny, in no order that matters.
PROVED: Mapping[str, tuple[Any, ...]] = {
    "profile": ("compact",),
    "mode": ("on",),
    "discovery": ("found",),
    "superseded": (False,),
    "receipt_matches_state": (True,),
    "terminal_state": ("approved",),
    "policy_matches": (True,),
    "binding": ("direct", "composed"),
    "boundary": ("resolved",),
    "base": ("same", "advanced-proven"),
    "candidate_matches": (True,),
    "paths_match": (True,),
    "scope_empty": (False,),
    "delivery": ("one-commit", "exact-range", "not-applicable"),
    "first_publication": ("not-first", "clean"),
    "release_evidence": ("same", "not-applicable"),
    "final_recheck": (True,),
}
OTHERWISE: Mapping[str, tuple[Any, ...]] = {
    "profile": ("atomic",),
    "mode": ("off",),
    "discovery": ("none", "several", "corrupted", "unrelated", "scope-changed"),
    "superseded": (True,),
    "receipt_matches_state": (False,),
    "terminal_state": ("escalated", "invalidated"),
    "policy_matches": (False,),
    "binding": ("denied",),
    "boundary": ("unavailable", "stdin-missing"),
    "base": ("advanced-unproven", "different"),
    "candidate_matches": (False,),
    "paths_match": (False,),
    "scope_empty": (True,),
    "delivery": ("not-one-commit", "range-differs", "outside-genesis"),
    "first_publication": ("path-disclosure", "blob-disclosure"),
    "release_evidence": ("missing", "changed"),
    "final_recheck": (False,),
}
KNOWN_BEFORE = ("profile", "mode")  # never null
DERIVED = tuple(name for name in PROVED if name not in KNOWN_BEFORE)
DOMAIN = {name: (*PROVED[name], *OTHERWISE[name], *(() if name in KNOWN_BEFORE else (None,))) for name in PROVED}
HOLDS = {name: values[0] for name, values in PROVED.items()}
NOTHING_DERIVED = {name: HOLDS[name] if name in KNOWN_BEFORE else None for name in PROVED}

# What a reader of the references would ask, one after the other.
QUESTIONS: tuple[tuple[str, Mapping[Any, Answer]], ...] = (
    ("mode", {"off": ("unmanaged", "mode/disabled")}),
    ("profile", {"atomic": ("unmanaged", "profile/informational")}),
    (
        "discovery",
        {
            "none": ("invalidated", "receipt-discovery/receipt_missing"),
            "several": ("invalidated", "receipt-discovery/receipt_ambiguous"),
            "corrupted": ("invalidated", "receipt-discovery/authority_corrupted"),
            "unrelated": ("invalidated", "receipt-discovery/receipt_unrelated"),
            "scope-changed": ("scope-changed", "receipt-discovery/receipt_scope_changed"),
        },
    ),
    ("receipt_matches_state", {False: ("invalidated", "receipt-binding/receipt-state-mismatch")}),
    ("terminal_state", {"invalidated": ("invalidated", "receipt-binding/receipt-state-mismatch")}),
    ("superseded", {True: ("invalidated", "receipt-binding/superseded")}),
    ("terminal_state", {"escalated": ("escalated", "receipt-binding/escalated")}),
    ("policy_matches", {False: ("invalidated", "receipt-binding/policy-mismatch")}),
    (
        "boundary",
        {
            "unavailable": ("invalidated", "boundary-selection/unavailable"),
            "stdin-missing": ("invalidated", "boundary-selection/stdin-missing"),
        },
    ),
    ("scope_empty", {True: ("invalidated", "receipt-binding/empty-scope")}),
    ("candidate_matches", {False: ("scope-changed", "receipt-binding/candidate-or-paths-mismatch")}),
    ("paths_match", {False: ("scope-changed", "receipt-binding/candidate-or-paths-mismatch")}),
    (
        "base",
        {
            "different": ("invalidated", "receipt-binding/base-mismatch"),
            "advanced-unproven": ("invalidated", "base-advance/unproven"),
        },
    ),
    (
        "delivery",
        {
            "not-one-commit": ("invalidated", "delivery-derivation/range-not-one-commit"),
            "range-differs": ("invalidated", "delivery-derivation/range-differs"),
            "outside-genesis": ("scope-changed", "delivery-derivation/path-outside-genesis"),
        },
    ),
    (
        "first_publication",
        {
            "path-disclosure": ("invalidated", "first-publication/path-disclosure"),
            "blob-disclosure": ("invalidated", "first-publication/blob-disclosure"),
        },
    ),
    (
        "release_evidence",
        {
            "missing": ("invalidated", "release-evidence/missing"),
            "changed": ("invalidated", "release-evidence/changed"),
        },
    ),
    ("binding", {"denied": ("scope-changed", "receipt-binding/candidate-or-paths-mismatch")}),
    ("final_recheck", {False: ("invalidated", "final-recheck/changed")}),
)
UNDETERMINED: Answer = ("error", "undetermined")
ALLOWED: Answer = ("allow", "receipt-binding/bound")

# The denials that the page of the commands lists, with the two that decide nothing.
STAGES_AND_CODES = {
    "receipt-discovery": "receipt_missing receipt_unrelated receipt_scope_changed receipt_ambiguous "
    "authority_corrupted",
    "receipt-binding": "candidate-or-paths-mismatch base-mismatch policy-mismatch receipt-state-mismatch superseded "
    "empty-scope escalated bound",
    "boundary-selection": "unavailable stdin-missing",
    "delivery-derivation": "range-not-one-commit range-differs path-outside-genesis nothing-to-deliver",
    "base-advance": "unproven",
    "first-publication": "path-disclosure blob-disclosure",
    "release-evidence": "missing changed",
    "final-recheck": "changed",
    "mode": "disabled",
    "profile": "informational",
}


def told(facts: Facts) -> Answer:
    """The rule told again."""
    for name, denials in QUESTIONS:
        if facts[name] in denials:
            return denials[facts[name]]
    if all(facts[name] in values for name, values in PROVED.items()):
        return ALLOWED
    return UNDETERMINED


def decided(policies: PolicySet, facts: Facts) -> Answer:
    """What the table says, a refusal told as an answer."""
    try:
        outputs = policies.table("review.gate").decide(**facts).outputs
    except Undecided as refusal:
        return "error", refusal.code
    assert outputs["allowed"] is (outputs["result"] in ("allow", "unmanaged"))
    return str(outputs["result"]), f"{outputs['stage']}/{outputs['code']}"


def changed(facts: Facts, number: int) -> Iterator[dict[str, Any]]:
    """These facts, with that many of them at every other value."""
    for names in combinations(DOMAIN, number):
        yield from _set(dict(facts), names)


def _set(facts: dict[str, Any], names: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    if not names:
        yield facts
        return
    for value in DOMAIN[names[0]]:
        if value != facts[names[0]]:
            yield from _set({**facts, names[0]: value}, names[1:])


ANY_FACTS = st.fixed_dictionaries({name: st.sampled_from(values) for name, values in DOMAIN.items()})
# Nearly everything proved: what random facts hardly ever are.
NEARLY_ALL = st.tuples(
    st.fixed_dictionaries({name: st.sampled_from(values) for name, values in PROVED.items()}),
    st.dictionaries(st.sampled_from(list(DOMAIN)), st.integers(0, 8), max_size=3),
).map(lambda made: {**made[0], **{name: DOMAIN[name][at % len(DOMAIN[name])] for name, at in made[1].items()}})


def test_the_facts_are_those_of_this_telling_and_no_other(policies: PolicySet) -> None:
    inputs = policies.table("review.gate").document.inputs
    assert list(inputs) == list(DOMAIN)
    for name, declared in inputs.items():
        values = declared.type.terms if isinstance(declared.type, TermType) else (True, False)
        assert set(values) == set(DOMAIN[name]) - {None}, name
        assert declared.optional is (name not in KNOWN_BEFORE), name


@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize("start", [HOLDS, NOTHING_DERIVED], ids=["all-proved", "nothing-derived"])
def test_the_gate_answers_as_told_around_the_corners(policies: PolicySet, start: Facts, number: int) -> None:
    for facts in changed(start, number):
        assert decided(policies, facts) == told(facts), facts


@given(facts=ANY_FACTS | NEARLY_ALL)
def test_the_gate_answers_as_told_anywhere(policies: PolicySet, facts: Facts) -> None:
    assert decided(policies, facts) == told(facts)


@given(facts=ANY_FACTS | NEARLY_ALL)
def test_allow_means_that_every_fact_is_proved_and_nothing_else_does(policies: PolicySet, facts: Facts) -> None:
    proved = all(facts[name] in values for name, values in PROVED.items())
    assert (decided(policies, facts) == ALLOWED) is proved


def test_every_combination_of_what_is_proved_allows(policies: PolicySet) -> None:
    for values in product(*PROVED.values()):
        assert decided(policies, dict(zip(PROVED, values, strict=True))) == ALLOWED


@pytest.mark.parametrize("name", DERIVED)
def test_one_fact_that_nobody_could_derive_is_no_answer(policies: PolicySet, name: str) -> None:
    assert decided(policies, {**HOLDS, name: None}) == UNDETERMINED


@pytest.mark.parametrize("name", DOMAIN)
def test_one_fact_away_from_what_is_proved_never_allows(policies: PolicySet, name: str) -> None:
    for value in OTHERWISE[name]:
        result, reason = decided(policies, {**HOLDS, name: value})
        assert result not in ("allow", "error"), value
        assert reason != "receipt-binding/bound"


@given(facts=ANY_FACTS, holes=st.sets(st.sampled_from(DERIVED), min_size=1))
def test_nothing_known_less_ever_allows_more(policies: PolicySet, facts: Facts, holes: set[str]) -> None:
    with_holes = {name: None if name in holes else value for name, value in facts.items()}
    assert decided(policies, with_holes) != ALLOWED


def test_a_fact_that_denies_does_so_alone(policies: PolicySet) -> None:
    for name, denials in QUESTIONS:
        for value, answer in denials.items():
            assert decided(policies, {**NOTHING_DERIVED, name: value}) == answer


def test_every_stage_and_code_is_reached_and_no_other(policies: PolicySet) -> None:
    reached: dict[str, set[str]] = {}
    for table in ("review.gate", "review.gate-deliveries"):
        for row in policies.table(table).document.rows:
            if row.error is None and row.then["stage"] is not None:
                reached.setdefault(str(row.then["stage"]), set()).add(str(row.then["code"]))
    assert reached == {stage: set(codes.split()) for stage, codes in STAGES_AND_CODES.items()}
    assert set(policies.vocabulary("review.gate-stage").terms) == set(reached)
    assert set(policies.vocabulary("review.gate-code").terms) == set().union(*reached.values())


def test_every_move_is_named_somewhere_and_asks_only_for_what_a_gate_knows(policies: PolicySet) -> None:
    moves = policies.vocabulary("review.move")
    tables = ("review.gate", "review.gate-deliveries")
    rows = [row for table in tables for row in policies.table(table).document.rows if row.error is None]
    assert set(moves.terms) == {str(row.then["next"]) for row in rows} - {"None"}
    known = {name: name for name in ("lineage_id", "revision", "successor", "base", "object", "remote", "branch")}
    for move in moves.terms:
        command = moves.anchor(move, "command").format(**known, gate="pre-push", reason="why", actor="who")
        assert command == "-" or command.split()[0] in ("dr-review", "git")


def test_gates_are_unmanaged_as_the_references_report_it(policies: PolicySet) -> None:
    table = policies.table("review.gate")
    off = table.decide(**{**NOTHING_DERIVED, "mode": "off"}).outputs
    informs = table.decide(**{**NOTHING_DERIVED, "profile": "atomic"}).outputs
    assert (off["reported"], informs["reported"]) == ("disabled/unmanaged", "invalidated/unmanaged")
    assert table.decide(**HOLDS).outputs["reported"] is None


@pytest.mark.parametrize("name", KNOWN_BEFORE)
def test_switch_and_profile_are_always_known(policies: PolicySet, name: str) -> None:
    with pytest.raises(PolicyError) as refused:
        policies.table("review.gate").decide(**{**HOLDS, name: None})
    assert refused.value.code == "fact_invalid"


def test_the_gravest_answer_comes_first(policies: PolicySet) -> None:
    results = policies.vocabulary("review.gate-result")
    assert results.terms == ("escalated", "invalidated", "scope-changed", "unmanaged", "allow")
    assert results.order == "descending"


@given(facts=ANY_FACTS | NEARLY_ALL)
def test_the_atomic_profile_never_blocks_and_never_approves(atomic: PolicySet, facts: Facts) -> None:
    expected = told(facts)[1] if facts["mode"] == "off" or facts["profile"] == "atomic" else "undetermined"
    assert decided(atomic, facts)[1] == expected
    assert decided(atomic, facts)[0] in ("unmanaged", "error")
