from __future__ import annotations

from typing import Any

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from toolkit.reporting import markdown
from toolkit.reporting.report import MalformedRecord, Report, Rule

PARSER = MarkdownIt("commonmark").enable("table")


def code_of(text: str) -> list[str]:
    """The contents of all code spans, in order."""
    spans: list[Token] = [child for token in PARSER.parse(text) for child in token.children or ()]
    return [token.content for token in spans if token.type == "code_inline"]


def rows_of(text: str) -> list[list[str]]:
    """The cells of the table's body, as their code spans or plain words read."""
    cells: list[list[str]] = []
    for before, token in zip(PARSER.parse(text), PARSER.parse(text)[1:], strict=False):
        if before.type == "tr_open":
            cells.append([])
        if before.type in {"td_open", "th_open"}:
            cells[-1].append("".join(child.content for child in token.children or ()))
    return cells[1:]


@pytest.mark.parametrize("name", ["rich", "clean", "skipped"])
def test_the_markdown_of_a_report(name: str, golden: Any, request: pytest.FixtureRequest) -> None:
    golden(f"{name}.md", markdown.render(request.getfixturevalue(name)))


def test_the_verdict_is_the_heading_and_the_findings_are_a_table(rich: Report) -> None:
    shown = markdown.render(rich)

    assert shown.startswith("## BLOCKED: `LEDG-0042 (all)`\n\n`1 grave, 1 middling, 1 slight`\n")
    assert rows_of(shown) == [
        ["grave", "review:correctness", "docs/archive.md:3", "the archive names a commit that does not exist"],
        ["middling", "cue", "docs/plan.md:12", "AC-3 has no check"],
        ["slight", "lint", "scripts/run me.sh:7", "SC2086: double quote to prevent globbing"],
    ]


HOSTILE = [
    "a | b",
    "a \\| b",
    "a \\\\| b",
    "|",
    "\\",
    "`",
    "`` ` ``",
    "` | `",
    "@everyone",
    "# heading",
    "<img src=x onerror=alert(1)>",
    "[click](https://evil.example)",
    "https://evil.example www.evil.example",
    "</details>",
    "<!--",
    "&lt;&#124;",
    "$x$ :tada: #1 GH-1",
    " leading and trailing ",
    "   ",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_reads_back_as_it_was_and_has_no_structure(text: str, make_item: Any, make_report: Any) -> None:
    shown = markdown.render(make_report(make_item(message=text, quote=text, fix=text)))

    assert code_of(shown.partition("<details>")[2]).count(text) == 3  # the message, the quote and the fix
    assert [token.type for token in PARSER.parse(shown) if token.type == "heading_open"] == ["heading_open"]
    assert len(rows_of(shown)) == 1


@pytest.mark.parametrize("text", [text for text in HOSTILE if "\\|" not in text])
def test_a_cell_of_the_table_reads_back_as_it_was(text: str, make_item: Any, make_report: Any) -> None:
    ((*_, cell),) = rows_of(markdown.render(make_report(make_item(message=text))))

    assert cell == text


@pytest.mark.parametrize("text", HOSTILE)
def test_a_pipe_stays_in_its_cell_for_a_parser_that_takes_backslashes_in_pairs(
    text: str, make_item: Any, make_report: Any
) -> None:
    shown = markdown.render(make_report(make_item(message=text)))
    row = next(line for line in shown.splitlines() if line.startswith("| middling"))
    pairs = iter(row)

    bare = sum(char == "|" for char in pairs if char != "\\" or not next(pairs))

    assert bare == 5


def test_several_lines_become_one(make_item: Any, make_report: Any) -> None:
    shown = markdown.render(make_report(make_item(message="one\n\n## two\n")))

    assert "one\\n\\n## two\\n" in code_of(shown)


def test_a_span_that_holds_many_runs_of_backticks_needs_no_delimiter_that_github_cannot_read() -> None:
    runs = " ".join("`" * length for length in range(1, 100))

    (fence,) = {token.markup for line in PARSER.parse(markdown._span(runs)) for token in line.children or ()}

    assert len(fence) <= 80


def test_what_does_not_fit_one_comment_is_left_out_from_the_end_and_counted_at_the_top(
    make_item: Any, make_report: Any
) -> None:
    grave = make_item(severity="grave", rank=0, message="the gravest")
    items = [make_item(id=f"F-{number}", message="m" * 200, line=number) for number in range(400)]

    shown = markdown.render(make_report(*items, grave, facts=(("root", "/srv"),)))
    kept = len(rows_of(shown))

    assert len(shown) <= 65_536
    assert "the gravest" in rows_of(shown)[0][3]
    assert 100 < kept < 401
    assert f"**Left out, because a comment holds no more:** findings: {401 - kept} of 401" in shown[:400]
    assert "details of the findings: 401 of 401" in shown[:400]
    assert "/srv" in shown


@pytest.mark.parametrize("text", ["x" * 10**6, "`" * 10**6, "|\\" * 10**6, "\x1b" * 10**6])
def test_no_text_of_any_length_makes_a_comment_too_long(text: str, make_item: Any, make_report: Any) -> None:
    items = [make_item(rule=Rule(text), message=text, path=text, severity=text, fix=text, criteria=(text,))] * 50
    report = make_report(
        *items,
        headline=text,
        subject=text,
        reason=text,
        malformed=(MalformedRecord(text, (text,), text),) * 50,
        facts=((text, text),) * 50,
    )

    shown = markdown.render(report)

    assert len(shown) <= 65_536
    assert "Left out" in shown


def test_a_report_that_fits_leaves_nothing_out(rich: Report) -> None:
    assert "Left out" not in markdown.render(rich)
