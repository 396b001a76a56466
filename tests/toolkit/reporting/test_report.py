from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from toolkit.errors import ToolkitError
from toolkit.reporting import formats
from toolkit.reporting.report import Grade, Level, MalformedRecord, Progress, Report, State, Step, tally
from toolkit.reporting.visible import visible


def test_the_tally_names_each_severity_that_occurs_and_counts_only_what_counts(make_item: Any) -> None:
    items = [make_item(), make_item(), make_item(severity="slight", rank=2), make_item(severity="grave", rank=0)]
    waived = make_item(state=State.WAIVED)

    assert tally([*items, waived], ("grave", "middling", "slight")) == "1 grave, 2 middling, 1 slight"
    assert tally([waived], ("grave", "middling", "slight")) == "no findings"


def test_the_gravest_rank_is_an_error_the_last_a_note_and_what_lies_between_a_warning(
    make_item: Any, make_report: Any
) -> None:
    report = make_report(severities=("a", "b", "c", "d"))

    levels = [report.level(make_item(rank=rank)) for rank in range(4)]

    assert levels == [Level.ERROR, Level.WARNING, Level.WARNING, Level.NOTE]
    assert make_report(severities=("only",)).level(make_item(rank=0)) is Level.ERROR


def test_findings_stand_gravest_first_and_then_by_place_whatever_order_they_came_in(
    make_item: Any, make_report: Any
) -> None:
    slight = make_item(severity="slight", rank=2, path="a.md")
    late, early = make_item(path="b.md", line=20), make_item(path="b.md", line=3)
    nowhere = make_item(path=None, line=None)

    shown = make_report(slight, late, early, nowhere).in_state(State.COUNTED)

    assert shown == (nowhere, early, late, slight)
    assert make_report(nowhere, early, slight, late).in_state(State.COUNTED) == shown


def test_a_report_is_complete_only_when_all_that_was_due_was_done_and_could_be_read(make_report: Any) -> None:
    done, idle = Step("a", "ran", Progress.DONE), Step("b", "nothing-to-run", Progress.NOTHING_TO_DO)
    failed = Step("c", "could-not-run", Progress.NOT_DONE)

    assert make_report(checks=(done, idle), layers=(done,)).complete
    assert not make_report(grade=Grade.SKIPPED).complete
    assert not make_report(checks=(done, failed)).complete
    assert not make_report(layers=(failed,)).complete
    assert not make_report(malformed=(MalformedRecord("review", ("no severity",)),)).complete


def test_a_report_can_not_be_changed(clean: Report) -> None:
    with pytest.raises(FrozenInstanceError):
        clean.headline = "PASS"  # type: ignore[misc]


@pytest.mark.parametrize("name", formats.NAMES)
def test_every_named_format_renders_a_report(name: str, rich: Report) -> None:
    assert formats.renderer(name)(rich).endswith("\n")


def test_colour_and_width_reach_the_text_format(rich: Report) -> None:
    assert "\x1b[" in formats.renderer("text", colour=True)(rich)
    assert len(formats.renderer("text", width=30)(rich).splitlines()) > len(formats.renderer("text")(rich).splitlines())


def test_an_unknown_format_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ToolkitError) as caught:
        formats.renderer("yaml")

    assert caught.value.code == "unknown_format"
    assert "sarif" in str(caught.value.next_step)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ünïcode 日本 🌈", "plain ünïcode 日本 🌈"),
        ("non-breaking\xa0space", "non-breaking\xa0space"),
        ("two\nlines\r\n", "two\\nlines\\r\\n"),
        ("\x1b[2J\x9b31m", "\\x1b[2J\\x9b31m"),
        ("a\u202eb\u2066c\u200bd\ufeff", "a\\u202eb\\u2066c\\u200bd\\ufeff"),
        ("line\u2028sep\x85\x7f", "line\\u2028sep\\x85\\x7f"),
        ("\ud800\udc9c", "\\ud800\\udc9c"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_what_does_not_show_is_spelled_out(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_limit_bounds_what_is_shown_and_says_that_something_is_missing() -> None:
    assert visible("abcdef", 6) == "abcdef"
    assert visible("abcdefg", 6) == "abcde…"
    assert visible("\x1b" * 100, 10) == "\\x1b\\x1b\\…"
