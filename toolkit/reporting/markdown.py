"""Markdown for a comment on a pull request: text of the report stays in code spans, and the whole fits one comment."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from toolkit.reporting import lines
from toolkit.reporting.report import Item, MalformedRecord, Report, State, Step
from toolkit.reporting.visible import visible

# GitHub answers a longer one with "Body is too long (maximum is 65536 characters)".
LIMIT: Final = 65_536
NOTE_ROOM: Final = 512  # for the note on what was left out

# GitHub's parser reads no delimiter of more than 80 backticks. A span of at most this length has no room for all the
# runs of 1 to 80 of them, so a shorter delimiter that the text doesn't hold always exists.
SPAN: Final = 1_000
CELL: Final = 240


@dataclass(frozen=True, slots=True)
class _Section:
    """A part of the comment. Its rows are left out one by one, from the end, when room runs short."""

    name: str
    head: str
    rows: tuple[str, ...]
    tail: str = ""


def render(report: Report) -> str:
    """The report as GitHub-flavoured Markdown of at most 65,536 characters.

    Nothing in it but our own headings, table and lists has structure: a mention, a link, HTML or a pipe in any
    text of the report is shown as it was written. What doesn't fit is left out from the end and counted at the top.
    """
    head = f"## {_span(report.headline)}: {_span(report.title)}\n\n{_span(report.reason)}\n"
    room = LIMIT - NOTE_ROOM - len(head)
    parts, missing = [], []
    for section in _sections(report):
        text, left_out = _fitted(section, room)
        room -= len(text)
        parts.append(text)
        if left_out:
            missing.append(f"{section.name}: {left_out} of {len(section.rows)}")
    note = f"\n**Left out, because a comment holds no more:** {'; '.join(missing)}.\n" if missing else ""
    return head + note + "".join(parts)


def _sections(report: Report) -> Iterator[_Section]:
    counted = report.in_state(State.COUNTED)
    table = "\n| Severity | Rule | Where | Finding |\n| --- | --- | --- | --- |\n"
    yield _Section("findings", table, tuple(map(_row, counted)))
    yield _folded("Details of the findings", map(_described, counted))
    yield _folded("Waived", map(_described, report.in_state(State.WAIVED)))
    yield _folded("Malformed: kept apart, never counted as a finding", map(_malformed, report.malformed))
    yield _folded("Discarded", map(_described, report.in_state(State.DISCARDED)))
    yield _folded("Checks", map(_step, report.checks))
    yield _folded("Layers", map(_step, report.layers))
    yield _folded("Run", (f"- {_span(label)}: {_span(value)}\n" for label, value in report.facts))


def _folded(title: str, rows: Iterable[str]) -> _Section:
    """A section that a reader unfolds."""
    return _Section(title.lower(), f"\n<details><summary>{title}</summary>\n\n", tuple(rows), "\n</details>\n")


def _fitted(section: _Section, room: int) -> tuple[str, int]:
    """The section within ``room`` characters, and the number of rows left out; without a row it is left out whole."""
    used = len(section.head) + len(section.tail)
    kept: list[str] = []
    for row in section.rows:
        used += len(row)
        if used > room:
            break
        kept.append(row)
    text = "".join((section.head, *kept, section.tail)) if kept else ""
    return text, len(section.rows) - len(kept)


def _row(item: Item) -> str:
    cells = (item.severity, item.rule.id, lines.place(item), item.message)
    return f"| {' | '.join(_cell(cell) for cell in cells)} |\n"


def _described(item: Item) -> str:
    parts = [f"- {_span(item.severity)} {_span(item.rule.id)} at {_span(lines.place(item))}: {_span(item.message)}\n"]
    parts.extend(f"  - {label}: {_span(text)}\n" for label, text in lines.details(item))
    return "".join(parts)


def _malformed(malformed: MalformedRecord) -> str:
    problems = "; ".join(malformed.problems)
    return f"- {_span(malformed.origin)}: {_span(problems)}\n  - record: {_span(lines.record(malformed))}\n"


def _step(step: Step) -> str:
    detail = f": {_span(step.detail)}" if step.detail else ""
    return f"- {_span(step.name)} {_span(step.status)}{detail}\n"


def _cell(text: str) -> str:
    """A code span for a table, which GitHub cuts into cells before it looks for code spans.

    A pipe is escaped, and backslashes before it are doubled: GitHub's parser takes them in pairs, so an odd number
    is what keeps the pipe inside the cell.
    """
    *before, last = _span(text, CELL).split("|")
    return "".join(part + "\\" * (len(part) - len(part.rstrip("\\"))) + "\\|" for part in before) + last


def _span(text: str, limit: int = SPAN) -> str:
    """``text`` in a code span, where nothing has a meaning, or bare where it is one plain word."""
    shown = visible(text, limit)
    if shown.isascii() and shown.isalnum():
        return shown
    if not shown:
        return "(empty)"
    runs = {len(run) for run in re.findall("`+", shown)}
    fence = "`" * next(length for length in range(1, limit) if length not in runs)
    pad = " " if shown.strip(" ") and (shown[0] in " `" or shown[-1] in " `") else ""
    return f"{fence}{pad}{shown}{pad}{fence}"
