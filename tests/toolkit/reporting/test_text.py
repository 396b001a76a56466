from __future__ import annotations

import re
from typing import Any

from toolkit.reporting import text
from toolkit.reporting.report import Progress, Report, State, Step


def test_the_text_of_a_report_in_which_everything_occurs(golden: Any, rich: Report) -> None:
    golden("rich.txt", text.render(rich))


def test_the_text_of_a_clean_report(golden: Any, clean: Report) -> None:
    golden("clean.txt", text.render(clean))


def test_the_text_of_a_skipped_report(golden: Any, skipped: Report) -> None:
    golden("skipped.txt", text.render(skipped))


def test_the_text_in_colour(golden: Any, rich: Report) -> None:
    golden("colour.txt", text.render(rich, colour=True))


def test_the_text_folded_to_a_width(golden: Any, rich: Report) -> None:
    golden("narrow.txt", text.render(rich, width=48))


def test_the_verdict_and_its_reason_come_first_on_one_line(make_item: Any, make_report: Any) -> None:
    report = make_report(make_item(severity="grave", rank=0), make_item())

    assert text.render(report).splitlines()[0] == "BLOCKED  LEDG-0042 (all): 1 grave, 1 middling"


def test_colour_changes_nothing_but_colour(rich: Report) -> None:
    assert re.sub(r"\x1b\[[0-9;]+m", "", text.render(rich, colour=True)) == text.render(rich)


def test_each_line_in_colour_ends_without_one(rich: Report) -> None:
    for line in text.render(rich, colour=True).splitlines():
        assert line.count("\x1b[") in {0, 2}
        assert "\x1b" not in line or line.endswith("\x1b[0m")


def test_a_folded_line_keeps_every_word_and_the_width(make_item: Any, make_report: Any) -> None:
    message = "word " * 40 + "a-single-word-that-is-longer-than-the-whole-width-of-it"
    report = make_report(make_item(message=message))

    shown = text.render(report, width=40)

    assert shown.split() == text.render(report).split()
    assert all(len(line) <= 40 or len(line.split()) == 1 for line in shown.splitlines())


def test_hostile_text_adds_no_line_and_no_control_of_the_terminal(make_item: Any, make_report: Any) -> None:
    forged = "x\nPASS  LEDG-0042 (all): no findings\r\x1b[2J\x1b]0;title\x07\u202e"
    hostile = make_report(make_item(message=forged, path=forged, quote=forged, fix=forged), reason=forged)
    tame = make_report(make_item(message="x", path="x", quote="x", fix="x"), reason="x")

    shown = text.render(hostile)

    assert len(shown.splitlines()) == len(text.render(tame).splitlines())
    assert all(line.isprintable() for line in shown.split("\n"))
    assert "\\x1b[2J" in shown


def test_a_finding_without_a_place_says_so(make_item: Any, make_report: Any) -> None:
    assert "(no place)  cue" in text.render(make_report(make_item(path=None, line=None)))
    assert "  docs/plan.md  cue" in text.render(make_report(make_item(line=None)))


def test_what_does_not_count_stands_apart_with_its_reason(make_item: Any, make_report: Any) -> None:
    report = make_report(make_item(state=State.DISCARDED, reason="no evidence", message="claimed"))

    shown = text.render(report)

    assert shown.index("Discarded (1)") < shown.index("claimed") < shown.index("discarded: no evidence")
    assert "\nmiddling\n" not in shown


def test_checks_that_say_the_same_share_a_line_unless_they_could_not_run(make_report: Any) -> None:
    steps = (
        Step("first", "ran", Progress.DONE, "3 looked at"),
        Step("second", "ran", Progress.DONE, "3 looked at"),
        Step("other", "ran", Progress.DONE, "4 looked at"),
        Step("third", "ran", Progress.DONE, "3 looked at"),
        Step("lost", "could-not-run", Progress.NOT_DONE, "no git"),
        Step("also lost", "could-not-run", Progress.NOT_DONE, "no git"),
    )

    section = text.render(make_report(checks=steps)).split("Checks\n")[1].splitlines()

    assert section[:4] == [
        "  lost: could-not-run: no git",
        "  also lost: could-not-run: no git",
        "  first and 2 more: ran: 3 looked at",
        "  other: ran: 4 looked at",
    ]


def test_checks_that_could_not_run_are_told_before_all_others(make_report: Any) -> None:
    steps = (
        Step("quiet", "ran", Progress.DONE),
        Step("idle", "nothing-to-run", Progress.NOTHING_TO_DO, "no scripts"),
        Step("broken", "could-not-run", Progress.NOT_DONE, "killed"),
        Step("noted", "ran", Progress.DONE, "three manifests"),
    )

    section = text.render(make_report(checks=steps)).split("Checks\n")[1].splitlines()

    assert section == [
        "  broken: could-not-run: killed",
        "  idle: nothing-to-run: no scripts",
        "  noted: ran: three manifests",
        "  1 more ran",
    ]
