"""Applying waivers: what they cover, what they leave alone, and which of them nobody needs."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.policy.language.patterns import PatternBudget, pattern_test
from toolkit.policy.sets import PolicySet
from verify.baseline import fingerprint_of
from verify.findings import Admitted, Evidence, Finding
from verify.floor.check import CheckResult
from verify.floor.runner import RanCheck
from verify.layers import LayerResult
from verify.waivers.accepted import Accepted, Apart, rules_looked_at
from verify.waivers.applying import Waived, Waivers
from verify.waivers.rules import WaiverRules
from verify.waivers.waiver import Waiver

TODAY = date(2026, 5, 4)
PLAN = "datarim/plans/ABCD-0001-plan.md"


def waiver(line: int = 1, check: str | None = "shellcheck", path: str | None = None, **changes: Any) -> Waiver:
    at = None if path is None else pattern_test("glob", (PatternBudget().compile("glob", path, False),), False)
    plain = Waiver(".dr/waivers.yaml", line, check, None, None, path, None, (), None, "Vendored", "me", TODAY, at)
    return plain._replace(**changes)


def finding(check: str | None = "shellcheck", **changes: Any) -> Finding:
    plain = Finding(
        "floor", "scripts/run.sh:3", "high", "safety", Evidence("file_quote", "scripts/run.sh:3", "for x in `ls`"),
        ("AC-1",), "F-floor-1", check_name=check,
    )  # fmt: skip
    return replace(plain, **changes)


def admitted(one: Finding, discarded: bool = False, origins: tuple[Admitted, ...] = ()) -> Admitted:
    reason = "no_evidence_provided" if discarded else None
    return Admitted(one, discarded, reason, "true", None, "2026-05-04T12:30:16Z", origins)


REVIEW = finding(None, source_layer="dispatch", finding_id="F-dispatch-1")


@pytest.fixture
def rules(policies: PolicySet) -> WaiverRules:
    return WaiverRules.from_policy(policies)


def held(rules: WaiverRules, *waivers: Waiver, task: str = "ABCD-0001", today: date = TODAY) -> Waivers:
    return Waivers.of(".dr/waivers.yaml", waivers, task, today, rules)


@pytest.mark.parametrize(
    ("one", "covered"),
    [
        (waiver(), True),
        (waiver(rule="shellchec"), False),
        (waiver(rule="Shellcheck"), False),
        (waiver(rule=None, category="safety", text="for x"), False),
        (waiver(path="scripts/*"), True),
        (waiver(path="scripts/**"), True),
        (waiver(path="**/run.sh"), True),
        (waiver(path="run.sh"), False),
        (waiver(path="scripts"), False),
        (waiver(path="scripts/run.sh:3"), False),
        (waiver(text="in `ls`"), True),
        (waiver(text="in `LS`"), False),
        (waiver(criteria=("AC-1", "AC-2")), True),
        (waiver(criteria=("AC-10",)), False),
    ],
)
def test_a_waiver_covers_what_all_its_keys_mean(one: Waiver, covered: bool) -> None:
    assert one.covers(finding()) is covered


def test_a_waiver_for_criteria_covers_no_finding_that_names_another_or_none() -> None:
    one = waiver(criteria=("AC-1",))
    assert not one.covers(finding(ac_criteria=("AC-1", "AC-2")))
    assert not one.covers(finding(ac_criteria=()))


def test_a_category_means_findings_that_no_check_made() -> None:
    one = waiver(rule=None, category="safety", text="for x")
    assert one.covers(REVIEW)
    assert not one.covers(replace(REVIEW, category="correctness"))
    assert not one.covers(replace(REVIEW, check_name="shellcheck"))


@pytest.mark.parametrize("reference", ["./scripts/run.sh:3", "scripts/../scripts/run.sh", "scripts//run.sh:3-4"])
def test_a_path_is_compared_in_one_spelling(reference: str) -> None:
    assert waiver(path="scripts/run.sh").covers(finding(artifact_ref=reference))


def test_a_name_that_is_no_text_breaks_no_glob() -> None:
    assert waiver(path="scripts/**").covers(finding(artifact_ref="scripts/\udcff.sh:1"))


def test_evidence_that_is_absent_holds_no_text() -> None:
    assert not waiver(text="for x").covers(finding(evidence=Evidence("absent")))


def test_a_waived_finding_stays_whole_and_the_first_waiver_that_covers_it_counts(rules: WaiverRules) -> None:
    waivers = held(rules, waiver(1, path="other/*"), waiver(2), waiver(3))
    staying, waived = waivers.apply([admitted(finding()), admitted(finding("other"))])
    assert [one.finding.check_name for one in staying] == ["other"]
    assert [(one.admitted, [w.line for w in one.waivers]) for one in waived] == [(admitted(finding()), [2])]
    record = waived[0].to_json()
    assert record["waiver"] == waiver(2).to_json()
    assert {key: value for key, value in record.items() if key != "waiver"} == admitted(finding()).to_json()


def test_a_waiver_holds_on_its_last_day_and_not_after(rules: WaiverRules) -> None:
    assert held(rules, waiver(), today=date(2026, 5, 4)).apply([admitted(finding())])[1]
    after = held(rules, waiver(), today=date(2026, 5, 5))
    assert not after.apply([admitted(finding())])[1]
    tally = after.tally((), lambda _: True)
    assert [one.line for one in tally.expired] == [1]
    assert tally.unused == ()
    assert "2026-05-04" in tally.warnings()[0]


def test_a_waiver_for_another_task_is_as_if_it_were_not_there(rules: WaiverRules) -> None:
    other = held(rules, waiver(task="ABCD-0002"), waiver(task="ABCD-0002", expires=date(2020, 1, 1)))
    assert not other.apply([admitted(finding())])[1]
    assert other.tally((), lambda _: True).warnings() == ()
    assert held(rules, waiver(task="ABCD-0001")).apply([admitted(finding())])[1]


def test_what_tells_of_changed_policies_is_never_waived(rules: WaiverRules) -> None:
    layer = admitted(finding("policy_layer"))
    assert held(rules, waiver(rule="policy_layer")).apply([layer]) == ((layer,), ())


def test_what_does_not_count_is_not_waived_besides(rules: WaiverRules) -> None:
    discarded = admitted(finding(), discarded=True)
    assert held(rules, waiver()).apply([discarded]) == ((discarded,), ())


def test_a_reviewers_word_is_not_waived_together_with_the_floors(rules: WaiverRules) -> None:
    floor, review = admitted(finding(severity="low")), admitted(REVIEW)
    merged = admitted(finding(), origins=(floor, review))
    assert held(rules, waiver()).apply([merged]) == ((merged,), ())
    own = waiver(2, rule=None, category="safety", text="for x")
    _, waived = held(rules, waiver(1), own).apply([merged])
    assert [w.line for w in waived[0].waivers] == [1, 2]
    assert held(rules, waiver(1), own).tally(waived, lambda _: True).unused == ()


def test_unused_is_only_a_waiver_whose_subject_was_looked_at(rules: WaiverRules) -> None:
    waivers = held(rules, waiver(9, rule="gone"), waiver(3), waiver(5, rule="later"))
    tally = waivers.tally((), lambda one: one.rule != "later")
    assert [one.line for one in tally.unused] == [3, 9]
    assert [warning.split(":")[1] for warning in tally.warnings()] == ["3", "9"]
    assert tally.to_json()["applied"] == 0


def test_a_check_that_could_not_run_or_a_layer_that_did_not_leaves_no_waiver_unused(
    rules: WaiverRules, policies: PolicySet
) -> None:
    checks = (
        RanCheck("shellcheck", CheckResult("could-not-run", "")),
        RanCheck("test_presence", CheckResult("nothing-to-run", "")),
        RanCheck("unit-tests", CheckResult("ran", "")),
    )
    named = ("shellcheck", "test_presence", "command:unit-tests", "unit-tests")
    waivers = held(
        rules,
        *(waiver(line, rule=name) for line, name in enumerate(named, 1)),
        waiver(5, rule=None, category="safety", text="for x"),
    )
    accepted = Accepted(waivers, None, policies, "all")

    def unused(dispatch: str) -> list[int]:
        layers = (LayerResult("floor", "ran", ""), LayerResult("dispatch", dispatch, ""))
        tally = accepted.tally(Apart((), ()), rules_looked_at(checks, layers, policies))
        return [one.line for one in tally.unused]

    assert unused("not-run") == [3, 4]
    assert unused("ran") == [3, 4, 5]


@given(
    lines=st.lists(st.sampled_from(["shellcheck", "other", "policy_layer"]), max_size=6),
    checks=st.lists(st.sampled_from(["shellcheck", "other", "policy_layer"]), max_size=6),
)
def test_no_finding_is_lost_or_counted_twice(policies: PolicySet, lines: list[str], checks: list[str]) -> None:
    waivers = held(WaiverRules.from_policy(policies), *(waiver(line, rule=name) for line, name in enumerate(lines, 1)))
    findings = [admitted(finding(name, finding_id=f"F-floor-{number}")) for number, name in enumerate(checks)]
    staying, waived = waivers.apply(findings)
    both = [*staying, *(one.admitted for one in waived)]
    assert sorted(both, key=findings.index) == findings
    assert all(isinstance(one, Waived) and one.admitted.finding.check_name in lines for one in waived)
    assert all(one.admitted.finding.check_name != "policy_layer" for one in waived)


def test_two_waivers_on_one_line_are_two(rules: WaiverRules) -> None:
    waivers = held(rules, waiver(1), waiver(1, rule="gone"))
    _, waived = waivers.apply([admitted(finding())])
    assert [one.rule for one in waivers.tally(waived, lambda _: True).unused] == ["gone"]


def test_a_fingerprint_means_one_finding_wherever_its_line_moves(rules: WaiverRules) -> None:
    meant = finding()
    waivers = held(rules, waiver(rule=None, fingerprint=fingerprint_of(meant)))
    moved = replace(meant, artifact_ref="./scripts/run.sh:40")
    other = replace(meant, evidence=Evidence("file_quote", "scripts/run.sh:3", "for y in `ls`"))
    staying, waived = waivers.apply([admitted(moved), admitted(other)])
    assert [one.admitted.finding for one in waived] == [moved]
    assert [one.finding for one in staying] == [other]


def test_of_several_waivers_that_cover_a_finding_the_first_of_the_file_counts(rules: WaiverRules) -> None:
    meant = finding()
    by_name, by_fingerprint = waiver(7), waiver(3, rule=None, fingerprint=fingerprint_of(meant))
    _, (one,) = held(rules, by_name, by_fingerprint).apply([admitted(meant)])
    assert one.waivers == (by_fingerprint,)


def test_a_fingerprint_waives_nothing_that_nobody_can_waive(rules: WaiverRules) -> None:
    layer = admitted(finding("policy_layer"))
    one = waiver(rule=None, fingerprint=fingerprint_of(layer.finding))
    assert held(rules, one).apply([layer]) == ((layer,), ())
