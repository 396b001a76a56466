from __future__ import annotations

import gzip
import json
import random
from typing import Any
from urllib.parse import unquote

import pytest
from jsonschema import Draft7Validator

from toolkit.reporting import sarif
from toolkit.reporting.report import Grade, MalformedRecord, Progress, Report, Rule, State, Step


def run_of(report: Report) -> Any:
    return json.loads(sarif.render(report))["runs"][0]


def results_of(report: Report) -> Any:
    return run_of(report)["results"]


def notifications_of(report: Report) -> Any:
    return run_of(report)["invocations"][0]["toolExecutionNotifications"]


@pytest.mark.parametrize("name", ["rich", "clean", "skipped"])
def test_the_sarif_of_a_report_fits_the_standards_schema(
    name: str, golden: Any, sarif_schema: Draft7Validator, request: pytest.FixtureRequest
) -> None:
    printed = sarif.render(request.getfixturevalue(name))

    golden(f"{name}.sarif", printed)
    sarif_schema.validate(json.loads(printed))


def test_a_result_names_its_rule_by_id_and_index(rich: Report) -> None:
    run = run_of(rich)
    rules = run["tool"]["driver"]["rules"]

    assert [rules[result["ruleIndex"]]["id"] for result in run["results"]] == [
        result["ruleId"] for result in run["results"]
    ]
    assert len({rule["id"] for rule in rules}) == len(rules) == 3


def test_levels_follow_the_rank_and_a_rule_takes_that_of_its_gravest_finding(make_item: Any, make_report: Any) -> None:
    ranks = [make_item(rank=rank, severity=word) for rank, word in ((2, "slight"), (0, "grave"), (1, "middling"))]

    run = run_of(make_report(*ranks))

    assert [result["level"] for result in run["results"]] == ["error", "warning", "note"]
    assert run["tool"]["driver"]["rules"][0]["defaultConfiguration"] == {"level": "error"}


def test_a_waived_finding_is_a_suppressed_result_with_its_reason(rich: Report) -> None:
    suppressed = [result for result in results_of(rich) if "suppressions" in result]

    assert [result["suppressions"] for result in suppressed] == [
        [{"kind": "external", "status": "accepted", "justification": "accepted until 2031 by the owner"}]
    ]


def test_what_is_no_finding_opens_no_alert_and_is_a_notification(make_item: Any, make_report: Any) -> None:
    report = make_report(
        make_item(id="F-1", state=State.DISCARDED, reason="no evidence", message="might leak"),
        grade=Grade.CONDITIONAL,
        headline="CONDITIONAL",
        reason="not all of it could be looked at",
        malformed=(MalformedRecord("review", ("no severity",)),),
        checks=(Step("lint", "could-not-run", Progress.NOT_DONE, "killed"), Step("cue", "ran", Progress.DONE, "x")),
    )

    assert results_of(report) == []
    assert [(entry["level"], entry["message"]["text"]) for entry in notifications_of(report)] == [
        ("warning", "CONDITIONAL: not all of it could be looked at"),
        ("error", "lint: could-not-run: killed"),
        ("warning", "review: malformed record: no severity"),
        ("note", "F-1: discarded (no evidence): might leak"),
    ]


def test_a_report_that_blocks_or_was_skipped_without_a_finding_does_not_look_clean(
    make_report: Any, skipped: Report
) -> None:
    blocked = make_report(reason="the operator's verifier says no")

    assert notifications_of(blocked)[0] == {
        "level": "error",
        "message": {"text": "BLOCKED: the operator's verifier says no"},
    }
    assert notifications_of(skipped)[0]["level"] == "note"
    assert run_of(skipped)["invocations"][0]["executionSuccessful"] is False


def test_a_run_in_which_something_could_not_be_done_was_not_successful(rich: Report, clean: Report) -> None:
    assert run_of(rich)["invocations"][0]["executionSuccessful"] is False
    assert run_of(clean)["invocations"][0]["executionSuccessful"] is True


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("docs/a b#c?.md", "docs/a%20b%23c%3F.md"),
        ("50%.md", "50%25.md"),
        ("mailto:x", "mailto%3Ax"),
        ("ü/日.md", "%C3%BC/%E6%97%A5.md"),
        ("caf\udce9.md", "caf%E9.md"),
        ("\ud800", "%ED%A0%80"),
        ("line\nbreak", "line%0Abreak"),
        (None, "."),
        ("", "."),
    ],
)
def test_a_path_is_a_relative_uri_reference(path: str | None, uri: str, make_item: Any, make_report: Any) -> None:
    (result,) = results_of(make_report(make_item(path=path)))

    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": uri, "uriBaseId": "%SRCROOT%"}


def test_an_absolute_path_is_a_file_uri_and_claims_no_base(make_item: Any, make_report: Any) -> None:
    (result,) = results_of(make_report(make_item(path="//srv/a b.md")))

    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "file:///srv/a%20b.md"}


@pytest.mark.parametrize(("line", "start"), [(None, 1), (0, 1), (-5, 1), (7, 7), (10**30, 2**31 - 1)])
def test_every_result_has_a_line_that_every_reader_can_hold(
    line: int | None, start: int, make_item: Any, make_report: Any
) -> None:
    (result,) = results_of(make_report(make_item(line=line)))

    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": start}


def test_the_quoted_line_is_the_snippet_as_it_stands(make_item: Any, make_report: Any) -> None:
    (result,) = results_of(make_report(make_item(quote="\tif {x}[0](y)\n\x1b")))

    assert result["locations"][0]["physicalLocation"]["region"]["snippet"] == {"text": "\tif {x}[0](y)\n\x1b"}


def test_a_fingerprint_survives_a_shift_of_lines_and_another_order(make_item: Any, make_report: Any) -> None:
    def prints(*items: Any) -> dict[str, str]:
        return {
            result["properties"]["id"]: result["partialFingerprints"]["primaryLocationLineHash"]
            for result in results_of(make_report(*items))
        }

    first, second = make_item(id="a", quote="one", line=3), make_item(id="b", quote="two", line=9)
    moved, also_moved = make_item(id="a", quote="one", line=30), make_item(id="b", quote="two", line=19)

    assert prints(first, second) == prints(also_moved, moved)


def test_findings_that_differ_in_rule_file_text_or_subject_have_fingerprints_of_their_own(
    make_item: Any, make_report: Any
) -> None:
    items = [
        make_item(),
        make_item(rule=Rule("other")),
        make_item(path="other.md"),
        make_item(message="other"),
        make_item(criteria=("AC-9",)),
        make_item(),
    ]

    prints = [result["partialFingerprints"]["primaryLocationLineHash"] for result in results_of(make_report(*items))]

    assert len(set(prints)) == len(items)
    assert sum(text.endswith(":2") for text in prints) == 1


def test_a_message_is_literal_it_has_no_placeholder_and_no_link(make_item: Any, make_report: Any) -> None:
    item = make_item(message="{0} [click](https://evil.example) \x1b[2J", fix="${x}", notes=("{{",))

    (result,) = results_of(make_report(item))

    assert result["message"]["text"] == ("{{0}} [click] (https://evil.example) \\x1b[2J\nFix: ${{x}}\nNote: {{{{")


@pytest.mark.parametrize(
    "text", ["x" * 5000, "{" * 5000, "](" * 5000, "\x00" * 5000, "a{b](" * 999, "\U000e0041" * 3000]
)
def test_texts_and_ids_are_bounded(text: str, make_item: Any, make_report: Any) -> None:
    report = make_report(
        make_item(rule=Rule(text, text), message=text, fix=text, criteria=(text,) * 99, tags=(text,) * 99, quote=text)
    )

    run = run_of(report)
    (rule,), (result,) = run["tool"]["driver"]["rules"], run["results"]

    assert len(rule["id"]) <= 255
    assert len(rule["shortDescription"]["text"]) <= 1024
    assert all(len(line) <= 1024 + len("Fix: ") for line in result["message"]["text"].split("\n"))
    assert len(result["locations"][0]["physicalLocation"]["region"]["snippet"]["text"]) <= 1024
    assert len(result["properties"]["criteria"]) == 10
    assert len(result["properties"]["tags"]) == 1


def test_rule_ids_that_become_equal_when_cut_are_one_rule(make_item: Any, make_report: Any) -> None:
    items = [make_item(rule=Rule("r" * 300 + tail)) for tail in "ab"]

    run = run_of(make_report(*items))

    assert [result["ruleIndex"] for result in run["results"]] == [0, 0]
    assert len(run["tool"]["driver"]["rules"]) == 1


def test_over_the_limit_of_results_the_gravest_stay_and_the_rest_is_counted(
    make_item: Any, make_report: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sarif, "MAX_RESULTS", 25)
    few = [make_item(id=f"g{n}", severity="grave", rank=0, path=f"z{n}") for n in range(3)]
    many = [make_item(id=f"s{n}", severity="slight", rank=2, path=f"a{n}") for n in range(25)]

    report = make_report(*many, *few)
    results = results_of(report)

    assert len(results) == 25
    assert [result["properties"]["id"] for result in results[:3]] == ["g0", "g1", "g2"]
    assert notifications_of(report)[0]["message"]["text"].startswith("3 of the findings were left out")


def test_findings_that_do_not_compress_are_left_out_before_the_file_is_too_large(
    make_item: Any, make_report: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sarif, "MAX_PACKED", 300_000)
    noise = random.Random(7)

    def text() -> str:
        return "".join(map(chr, noise.choices(range(0x4E00, 0x9FA5), k=1000)))

    items = [make_item(id=f"F-{n}", message=text(), quote=text(), rule=Rule(f"r{n}", text())) for n in range(90)]
    grave = make_item(id="F-grave", severity="grave", rank=0)

    report = make_report(*items, grave)
    printed = sarif.render(report)

    run = json.loads(printed)["runs"][0]
    assert len(gzip.compress(printed.encode())) < 400_000
    assert 30 < len(run["results"]) < len(items)
    assert run["results"][0]["properties"]["id"] == "F-grave"
    assert len(run["tool"]["driver"]["rules"]) == len(run["results"])
    assert f"{len(items) + 1 - len(run['results'])} of the findings were left out" in str(run["invocations"])


def test_notifications_are_bounded_and_say_so(make_report: Any) -> None:
    report = make_report(malformed=tuple(MalformedRecord("review", (f"problem {n}",)) for n in range(600)))

    notifications = notifications_of(report)

    assert len(notifications) == 501
    assert notifications[0]["message"]["text"].startswith("BLOCKED: ")
    assert notifications[-1]["message"]["text"] == "101 more notifications were left out."


def test_runs_over_other_subjects_stand_side_by_side(make_report: Any) -> None:
    ids = {run_of(make_report(subject=name))["automationDetails"]["id"] for name in ("A-1", "A-2")}

    assert ids == {"the-tool/A-1/all/", "the-tool/A-2/all/"}


def test_an_encoded_path_decodes_to_the_same_octets(make_item: Any, make_report: Any) -> None:
    path = "dir/ name\t%41\udcff.md"

    (result,) = results_of(make_report(make_item(path=path)))
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]

    assert unquote(uri, errors="surrogateescape") == path
