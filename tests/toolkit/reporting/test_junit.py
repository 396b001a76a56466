from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element, fromstring

import pytest

from toolkit.reporting import junit
from toolkit.reporting.report import Grade, MalformedRecord, Progress, Report, Rule, State, Step


def cases_of(report: Report) -> dict[str, Element]:
    suite = fromstring(junit.render(report)).find("testsuite")
    assert suite is not None
    return {case.attrib["name"]: case for case in suite.iter("testcase")}


def outcome_of(case: Element) -> str:
    return next((child.tag for child in case if child.tag != "system-out"), "passed")


def text_of(case: Element, tag: str) -> str:
    return case.findtext(tag) or ""


@pytest.mark.parametrize("name", ["rich", "clean", "skipped"])
def test_the_junit_of_a_report(name: str, golden: Any, request: pytest.FixtureRequest) -> None:
    printed = junit.render(request.getfixturevalue(name))

    golden(f"{name}.junit.xml", printed)
    assert fromstring(printed).tag == "testsuites"


def test_each_check_and_each_layer_is_a_case_with_its_outcome(rich: Report) -> None:
    outcomes = {name: outcome_of(case) for name, case in cases_of(rich).items()}

    assert outcomes == {
        "verdict": "failure",
        "cue": "failure",
        "paths": "passed",
        "lint": "error",
        "drift": "skipped",
        "plain": "passed",
        "floor": "passed",
        "review": "error",
        "dispatch": "error",
    }


def test_the_counts_are_those_of_the_cases(rich: Report) -> None:
    root = fromstring(junit.render(rich))
    suite = root.find("testsuite")

    assert suite is not None
    assert suite.attrib == root.attrib
    assert root.attrib == {
        "name": "the-tool LEDG-0042 (all)", "tests": "9", "failures": "2", "errors": "3", "skipped": "1",
    }  # fmt: skip


def test_a_failure_names_the_rule_and_shows_every_finding_of_its_case(make_item: Any, make_report: Any) -> None:
    grave = make_item(message="worse", severity="grave", rank=0, line=99, quote="the line", fix="mend it")
    report = make_report(make_item(message="bad"), grave, checks=(Step("cue", "ran", Progress.DONE),))

    failure = cases_of(report)["cue"].find("failure")

    assert failure is not None
    assert failure.attrib == {"message": "cue: worse (and 1 more)", "type": "grave"}
    assert (failure.text or "").splitlines() == [
        "grave  docs/plan.md:99  cue  F-floor-1",
        "  worse",
        "  quote: the line",
        "  fix: mend it",
        "middling  docs/plan.md:12  cue  F-floor-1",
        "  bad",
    ]


def test_a_finding_that_only_informs_or_does_not_count_fails_nothing(make_item: Any, make_report: Any) -> None:
    report = make_report(
        make_item(severity="slight", rank=2, message="a remark"),
        make_item(state=State.WAIVED, reason="agreed", message="a waiver"),
        make_item(state=State.DISCARDED, reason="no evidence", message="a claim"),
        grade=Grade.PASSED,
        checks=(Step("cue", "ran", Progress.DONE),),
    )

    cases = cases_of(report)

    assert {outcome_of(case) for case in cases.values()} == {"passed"}
    assert all(text in text_of(cases["cue"], "system-out") for text in ("a remark", "waived: agreed", "a claim"))


def test_a_report_that_blocks_without_a_finding_is_not_shown_as_passed(make_report: Any) -> None:
    case = cases_of(make_report(grade=Grade.BLOCKED, reason="the operator's verifier says no"))["verdict"]

    assert outcome_of(case) == "failure"
    assert "the operator's verifier says no" in case[0].attrib["message"]


def test_a_skipped_report_is_neither_passed_nor_failed(skipped: Report) -> None:
    assert {name: outcome_of(case) for name, case in cases_of(skipped).items()} == {"verdict": "skipped"}


def test_an_error_keeps_the_findings_behind_it_readable(make_item: Any, make_report: Any) -> None:
    killed = Step("cue", "could-not-run", Progress.NOT_DONE, "killed")
    report = make_report(make_item(message="found"), checks=(killed,))

    case = cases_of(report)["cue"]

    assert outcome_of(case) == "error"
    assert case[0].attrib["message"] == "could-not-run: killed"
    assert "found" in text_of(case, "system-out")


def test_a_finding_belongs_to_its_check_else_to_its_layer_else_to_a_case_of_its_own(
    make_item: Any, make_report: Any
) -> None:
    steps = {
        "checks": (Step("gate", "ran", Progress.DONE),),
        "layers": (Step("review", "ran", Progress.DONE),),
    }
    items = (
        make_item(rule=Rule("gate:steps")),
        make_item(rule=Rule("claim"), origin="review"),
        make_item(rule=Rule("stray"), origin="elsewhere"),
    )

    outcomes = {name: outcome_of(case) for name, case in cases_of(make_report(*items, **steps)).items()}

    assert outcomes == {"verdict": "failure", "gate": "failure", "review": "failure", "stray": "failure"}


def test_a_malformed_record_is_an_error_of_its_layer_even_of_one_that_is_not_listed(make_report: Any) -> None:
    case = cases_of(make_report(malformed=(MalformedRecord("review", ("no severity",), '{"a": 1}'),)))["review"]

    assert outcome_of(case) == "error"
    assert text_of(case, "system-out").splitlines() == ["no severity", '| {"a": 1}']


def test_facts_are_properties_of_the_suite(rich: Report) -> None:
    properties = [entry.attrib for entry in fromstring(junit.render(rich)).iter("property")]

    assert {"name": "audit log", "value": "qa/verify-LEDG-0042-all-1.md"} in properties


@pytest.mark.parametrize(
    "text", ["\x00\x01\x1b", "\ud800", "\ufffe\uffff", "</failure><error/>", "]]>&amp;\"'", "\x85\x9b"]
)
def test_text_that_xml_can_not_hold_is_spelled_out_and_markup_stays_text(
    text: str, make_item: Any, make_report: Any
) -> None:
    report = make_report(make_item(message=text, rule=Rule(text), origin=text, path=text), reason=text, subject=text)

    cases = list(fromstring(junit.render(report)).iter("testcase"))

    assert [outcome_of(case) for case in cases] == ["failure", "failure"]
