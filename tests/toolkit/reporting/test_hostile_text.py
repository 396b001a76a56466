"""Any text in any field: each format stays what it is, and nothing in the text gains a meaning."""

from __future__ import annotations

import json
import re
from dataclasses import fields, is_dataclass, replace
from hashlib import sha256
from itertools import cycle, islice
from typing import Any
from xml.etree.ElementTree import fromstring

from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator
from markdown_it import MarkdownIt

from toolkit.reporting import json_output, junit, markdown, sarif, text
from toolkit.reporting.report import Grade, Item, MalformedRecord, Progress, Report, Rule, State, Step, Tool

SEVERITIES = ("grave", "middling", "slight")

QUICK = settings(deadline=None, max_examples=60)

CHARACTERS = st.characters(exclude_categories=())  # lone surrogates too
BLOCKS = ["\n", "\r\n", "\n\n# forged\n", "\n---\n", "\n| a | b |\n", "- ", "1. ", "> ", "    ", "\t", "```\n"]
INLINE = [
    "`",
    "|",
    "\\",
    "\\|",
    "*",
    "_",
    "~~",
    "$",
    "@user",
    "#1",
    "[x](javascript:y)",
    "![x](y)",
    "https://e.x",
    "{0}",
]
MARKUP = ["<b>", "</details>\n", "<!--", "]]>", "&lt;", "{", "}"]
UNSEEN = ["\x1b[2J", "\x9b", "\x00", "\u202e", "\u2028", "\ufeff", "\ud800", "\ufffe"]
FRAGMENTS = st.sampled_from(BLOCKS + INLINE + MARKUP + UNSEEN)
TEXTS = st.lists(FRAGMENTS | st.text(CHARACTERS, max_size=3), max_size=4).map("".join)


@st.composite
def reports(draw: st.DrawFn) -> Report:
    """A report in which everything occurs, with a few drawn texts in turn in all of its fields."""
    turn = cycle(draw(st.lists(TEXTS, min_size=1, max_size=5)))

    def texts(number: int) -> tuple[str, ...]:
        return tuple(islice(turn, number))

    def item(rank: int, state: State, line: int | None) -> Item:
        rule = Rule(*texts(3))
        message, origin, path, quote, fix, reason = texts(6)
        return Item(
            next(turn), rule, message, SEVERITIES[rank], rank, origin, path, line, quote, fix,
            texts(2), texts(2), texts(2), state, reason,
        )  # fmt: skip

    def step(progress: Progress) -> Step:
        return Step(next(turn), next(turn), progress, next(turn))

    lines = draw(st.lists(st.none() | st.integers(), min_size=3, max_size=3))
    subject, scope, headline, reason = texts(4)
    return Report(
        Tool(*texts(3)),
        subject,
        scope,
        headline,
        reason,
        draw(st.sampled_from(Grade)),
        SEVERITIES,
        items=tuple(item(rank, state, line) for rank, (state, line) in enumerate(zip(State, lines, strict=True))),
        malformed=(MalformedRecord(next(turn), texts(2), next(turn)),),
        checks=tuple(map(step, Progress)),
        layers=tuple(map(step, Progress)),
        facts=(texts(2), texts(2)),  # type: ignore[arg-type]
    )


REPORTS = reports()

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


def tamed(value: Any) -> Any:
    """The same report with a word in place of every text that is not empty, its own for each (severity words stay)."""
    if isinstance(value, str):
        word = sha256(value.encode("utf-8", "surrogatepass")).hexdigest()
        return value if value in SEVERITIES else value and f"x{word}"
    if isinstance(value, tuple):
        return tuple(map(tamed, value))
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{field.name: tamed(getattr(value, field.name)) for field in fields(value)})
    return value


def spelled(value: Any) -> Any:
    """``value`` with the escape of each lone surrogate in its place."""
    if isinstance(value, str):
        return re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", value)
    if isinstance(value, dict):
        return {spelled(key): spelled(item) for key, item in value.items()}
    return list(map(spelled, value)) if isinstance(value, list) else value


def shows(line: str) -> bool:
    return re.sub(r"[\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]", "", line).isprintable()


@given(REPORTS)
@QUICK
def test_text_has_the_lines_of_the_report_and_no_control_character(report: Report) -> None:
    shown = text.render(report)

    assert all(map(shows, shown.split("\n")))
    assert shown.count("\n") == text.render(tamed(report)).count("\n")


@given(REPORTS)
@QUICK
def test_colour_is_the_only_control_in_coloured_text(report: Report) -> None:
    assert re.sub(r"\x1b\[(?:[12];)?\d*m", "", text.render(report, colour=True)) == text.render(report)


@given(st.dictionaries(TEXTS, JSON, max_size=3))
@QUICK
def test_json_is_valid_utf_8_shows_every_character_and_reads_back(document: dict[str, Any]) -> None:
    printed = json_output.dumps(document)

    assert all(map(shows, printed.split("\n")))
    assert json.loads(printed.encode("utf-8")) == spelled(document)


@given(REPORTS)
@QUICK
def test_sarif_fits_the_schema_and_has_a_result_for_every_finding_that_stands(
    sarif_schema: Draft7Validator, report: Report
) -> None:
    document = json.loads(sarif.render(report).encode("utf-8"))

    sarif_schema.validate(document)
    results = document["runs"][0]["results"]
    assert len(results) == 2
    for result in results:
        location = result["locations"][0]["physicalLocation"]["artifactLocation"]
        assert re.fullmatch(r"(?:file:///)?(?:[A-Za-z0-9._~/-]|%[0-9A-F]{2})*", location["uri"])
        assert not re.search(r"\]\(", result["message"]["text"])


@given(REPORTS)
@QUICK
def test_junit_is_well_formed_and_each_case_has_at_most_one_outcome(report: Report) -> None:
    root = fromstring(junit.render(report).encode("utf-8"))

    for case in root.iter("testcase"):
        assert len([child for child in case if child.tag != "system-out"]) <= 1
    for element in root.iter():
        assert all(map(shows, element.attrib.values()))
        assert all(map(shows, (element.text or "").split("\n")))


@given(REPORTS)
@QUICK
def test_markdown_has_our_own_structure_and_hostile_text_in_code_spans_alone(report: Report) -> None:
    parser = MarkdownIt("commonmark").enable("table")
    tokens, plain = parser.parse(markdown.render(report)), parser.parse(markdown.render(tamed(report)))

    assert [(token.type, token.tag, token.level) for token in tokens] == [
        (token.type, token.tag, token.level) for token in plain
    ]
    for token in tokens:
        if token.type == "html_block":
            assert re.fullmatch(r"<details><summary>[A-Za-z :,]+</summary>\n|</details>\n?", token.content)
        for child in token.children or ():
            assert child.type in {"text", "code_inline"}
            assert child.type == "code_inline" or re.fullmatch(r"[A-Za-z0-9 :()]*", child.content)
