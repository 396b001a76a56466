"""What a repository may say otherwise about the shipped tables, and what no overlay can make them answer."""

from __future__ import annotations

import pytest
from policy_support import overlay

from toolkit.effects import EFFECTS
from toolkit.policy.layers import PROFILE, REPOSITORY, SHIPPED, Source
from toolkit.policy.problems import PolicyError, Problem
from toolkit.policy.sets import PolicySet
from toolkit.shipped import read_shipped

ALLOW = "{result: allow, stage: receipt-binding, code: bound, next: deliver, allowed: true, reported: null}"
UNMANAGED = "{result: unmanaged, stage: %s, code: disabled, next: own-rules, allowed: true, reported: null}"
LET_THROUGH = (
    "{result: invalidated, stage: receipt-binding, code: superseded, next: start, allowed: true, reported: null}"
)
BOUND_BUT_FOR_THE_LAST_LOOK = (
    "{profile: compact, mode: 'on', discovery: found, superseded: false, receipt_matches_state: true, "
    "terminal_state: approved, policy_matches: true, binding: direct, boundary: resolved, base: same, "
    "candidate_matches: true, paths_match: true, scope_empty: false, delivery: one-commit, "
    "first_publication: not-first, release_evidence: same}"
)


def loaded(base: str, body: str, *, profile: str = "compact") -> PolicySet:
    """The shipped documents of one pack, edited by a repository."""
    shipped = read_shipped()
    own = overlay(body, base=base).encode()
    pack = f"policies/{base.partition('.')[0]}/"
    sources = [
        *(Source(file, data, SHIPPED) for file, data in shipped.documents.items() if file.startswith(pack)),
        *(Source(file, data, PROFILE) for file, data in shipped.profiles.get(profile, {}).items()),
        Source("overlay.yaml", own, REPOSITORY),
    ]
    return PolicySet.load(sources, shipped.shapes, templates=shipped.templates, effects=EFFECTS, profile=profile)


def refused(base: str, body: str, *, profile: str = "compact") -> tuple[Problem, ...]:
    with pytest.raises(PolicyError) as caught:
        loaded(base, body, profile=profile)
    return caught.value.problems


@pytest.mark.parametrize("profile", ["compact", "atomic"])
@pytest.mark.parametrize(
    "edit",
    [
        f"insert: [{{at: start, row: {{id: open, then: {ALLOW}}}}}]",
        f"insert: [{{before: undetermined, row: {{id: open, when: {{discovery: found}}, then: {ALLOW}}}}}]",
        f"insert: [{{at: start, row: {{id: open, when: {BOUND_BUT_FOR_THE_LAST_LOOK}, then: {ALLOW}}}}}]",
        f"replace: {{undetermined: {{then: {ALLOW}}}}}",
        f"replace: {{undetermined: {{then: {UNMANAGED % 'mode'}}}}}",
        f"replace: {{undetermined: {{then: {UNMANAGED % 'profile'}}}}}",
        f"replace: {{undetermined: {{then: {UNMANAGED % 'final-recheck'}}}}}",
        f"insert: [{{at: start, row: {{id: open, then: {LET_THROUGH}}}}}]",
    ],
)
def test_no_overlay_opens_the_gate(edit: str, profile: str) -> None:
    problems = refused("review.gate", f"{edit}\n", profile=profile)
    assert {problem.code for problem in problems} == {"requirement_broken"}
    assert all(problem.hint for problem in problems), "each with facts for which it would have"


@pytest.mark.parametrize(
    ("base", "edit"),
    [
        ("review.risk", "insert: [{at: start, row: {id: easy, then: {tier: low}}}]"),
        ("review.risk", "replace: {passive-change: {then: {tier: low}}}"),
        ("review.forecast", "replace: {exceeds: {when: {left: {lt: 0}}, then: {decision: proceed}}}"),
        (
            "review.routing",
            "replace: {no-proof: {when: {proof_valid: false}, then: {route: correction}}}",
        ),
        (
            "review.correction-result",
            "replace: {nothing-changed: {when: {actual: 0}, then: {state: validating}}}",
        ),
        (
            "review.recovery",
            (
                "replace: {unauthorized: {when: {predecessor: escalated, disposition: escalated},"
                " then: {allowed: true, code: escalated}}}"
            ),
        ),
        ("review.recovery", "insert: [{at: start, row: {id: any, then: {allowed: true, code: invalidated}}}]"),
        (
            "review.gate-deliveries",
            (
                "replace: {each-is-judged: {when: {deliveries: {gte: 1}}, then: {result: allow, stage: null,"
                " code: null, next: null}}}"
            ),
        ),
        (
            "delegation.outcome",
            (
                "insert: [{at: start, row: {id: said, when: {explicit: closed},"
                " then: {outcome: closed, source: explicit}}}]"
            ),
        ),
        (
            "verify.outcome",
            (
                "replace: {undone: {when: {external_verifier: {not: FAIL}, undone: {gte: 1}, verdict: {not: BLOCKED}},"
                " then: {verdict: PASS, verified: true}}}"
            ),
        ),
        ("verify.exit-code", "replace: {blocked: {when: {verdict: BLOCKED}, then: {exit: 2}}}"),
    ],
)
def test_no_overlay_makes_a_table_promise_what_it_requires_proof_of(base: str, edit: str) -> None:
    assert "requirement_broken" in {problem.code for problem in refused(base, f"{edit}\n")}


# A process ends with the lowest eight bits of its status: 256 is 0 to whoever asked.
@pytest.mark.parametrize("status", [256, 512, -256, 4])
@pytest.mark.parametrize(
    ("base", "row"),
    [
        ("verify.exit-code", "blocked: {when: {verdict: BLOCKED}, then: {exit: %d}}"),
        (
            "verify.spec-gate",
            (
                "blocks: {when: {mode: hard, complexity: [L3, L4], stage: {not: do}, errors: {gte: 1}},"
                " then: {decision: blocked, exit: %d}}"
            ),
        ),
    ],
)
def test_an_exit_status_is_one_of_the_four_that_mean_something(base: str, row: str, status: int) -> None:
    assert {one.code for one in refused(base, f"replace: {{{row % status}}}\n")} == {"wrong_value"}


@pytest.mark.parametrize("stages", ["[prd]", "[prd, plan]", "[prd, plan, archive]"])
def test_all_stages_always_take_in_the_one_whose_checks_watch_the_policies(stages: str) -> None:
    assert {one.code for one in refused("verify.floor", f"set: {{/all_means: {stages}}}\n")} == {"wrong_shape"}


@pytest.mark.parametrize("branches", ["[]", "[nope]", "[main]"])
def test_no_branch_that_may_be_the_default_one_is_taken_out_of_sight(branches: str) -> None:
    found = refused("verify.history", f"set: {{/default_branches: {branches}}}\n")
    assert {one.code for one in found} == {"wrong_shape"}


def test_a_repository_adds_to_the_branches_that_may_be_the_default_one() -> None:
    policies = loaded("verify.history", "set: {/default_branches/-: stable}\n")
    assert policies.data("verify.history")["default_branches"][-1] == "stable"


def test_a_repository_says_where_its_own_risks_lie() -> None:
    policies = loaded(
        "review.risk-signals",
        """\
        remove: [shell-path]
        replace: {payments-path: {when: {path: {glob: ["ledger/**"]}}, then: {signal: payments, reason: money}}}
        insert: [{after: auth-path, row: {id: sso, when: {path: {glob: ["door/**"]}}, then: {signal: auth, reason: s}}}]
        """,
    )
    paths = ("run.sh", "ledger/a.py", "door/a.py", "billing/a.py")
    blank = {"change": "modified", "authored_lines": 0, "added_text": "", "old_mode": "100644", "new_mode": "100644"}
    decisions = policies.table("review.risk-signals").decide_all(files=[{"path": path, **blank} for path in paths])
    assert [(one.item, one.row) for one in decisions] == [(1, "payments-path"), (2, "sso")]


def test_a_third_round_of_judgment_needs_a_state_that_there_is_not() -> None:
    edit = """\
        insert:
          - at: end
            transition:
              {id: again, from: rejudging_second, event: fixed, when: {exact_ids: true, within_paths: true},
               to: fixing_third}
        """
    assert [problem.code for problem in refused("judgment.lifecycle", edit)] == ["unknown_state"]


def test_no_transition_leaves_an_end_and_no_two_answer_the_same_event() -> None:
    leaves = "insert: [{at: end, transition: {id: again, from: escalated, event: evidence, to: approved}}]\n"
    assert [problem.code for problem in refused("review.lifecycle", leaves)] == ["leaves_terminal"]
    second = "insert: [{at: end, transition: {id: easy, from: validating, event: evidence, to: approved}}]\n"
    assert {problem.code for problem in refused("review.lifecycle", second)} == {"overlap"}


ARCHIVED = '"the task is archived: only its archive can still be verified (--stage archive)"'


@pytest.mark.parametrize(
    "body",
    [
        "remove: [trivial, archived, verify]\ninsert: [{at: start, row: {id: all, then: {skip: true, reason: hm}}}]",
        "insert: [{at: start, row: {id: all, then: {skip: true, reason: null}}}]",
        "insert: [{at: start, row: {id: all, then: {skip: true, reason: an L1 task is not verified}}}]",
        f"replace: {{archived: {{when: {{archived: true}}, then: {{skip: true, reason: {ARCHIVED}}}}}}}",
    ],
)
def test_no_overlay_leaves_alone_what_is_neither_trivial_nor_archived(body: str) -> None:
    told = {problem.code for problem in refused("verify.skip", body + "\n")}
    assert told
    assert told <= {"requirement_broken", "wrong_value"}
