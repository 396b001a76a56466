"""Text for people: the verdict first, then what led to it, gravest first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from toolkit.reporting import lines
from toolkit.reporting.report import Grade, Item, Level, Progress, Report, State, Step
from toolkit.reporting.visible import visible

_BOLD: Final = "1"
_FAINT: Final = "2"
_GRADES: Final = {Grade.PASSED: "1;32", Grade.CONDITIONAL: "1;33", Grade.BLOCKED: "1;31", Grade.SKIPPED: "1;36"}
_LEVELS: Final = {Level.ERROR: "1;31", Level.WARNING: "1;33", Level.NOTE: "1;36"}

_MALFORMED: Final = "Malformed: kept apart, never counted as a finding"


class _Line(NamedTuple):
    text: str
    indent: int = 0
    style: str | None = None


def render(report: Report, *, colour: bool = False, width: int | None = None) -> str:
    """The report as lines of text. Without ``width`` (characters) a line is as long as it is.

    No text of the report adds a line, a colour or any other control of the terminal: see ``visible``.
    """
    shown = (
        _painted(piece, line.style) if colour and piece else piece
        for line in _lines(report)
        for piece in _folded(line, width)
    )
    return "\n".join(shown) + "\n"


def _lines(report: Report) -> Iterator[_Line]:
    verdict = f"{visible(report.headline)}  {visible(report.title)}: {visible(report.reason)}"
    yield _Line(verdict, style=_GRADES[report.grade])
    yield from _counted(report)
    yield from _apart(report, State.WAIVED)
    yield from _malformed(report)
    yield from _apart(report, State.DISCARDED)
    yield from _section("Checks", _checks(report.checks))
    yield from _section("Layers", map(_step, report.layers))
    yield from _section("Run", (f"{visible(label)}: {visible(value)}" for label, value in report.facts))


def _counted(report: Report) -> Iterator[_Line]:
    """The findings that make the verdict, a group a severity."""
    severity = None
    for item in report.in_state(State.COUNTED):
        if item.severity != severity:
            severity = item.severity
            yield _Line("")
            yield _Line(visible(severity), style=_LEVELS[report.level(item)])
        yield from _finding(item)


def _apart(report: Report, state: State) -> Iterator[_Line]:
    items = report.in_state(state)
    if items:
        yield _Line("")
        yield _Line(f"{state.value.capitalize()} ({len(items)})", style=_BOLD)
    for item in items:
        yield from _finding(item, f"{visible(item.severity)}  ")


def _finding(item: Item, prefix: str = "") -> Iterator[_Line]:
    yield _Line(prefix + lines.head(item), 2, _BOLD)
    yield _Line(visible(item.message), 4)
    for label, text in lines.details(item):
        if label == "quote":
            yield _Line(f"| {text}", 4, _FAINT)
        else:
            yield _Line(f"{label}: {text}", 4)


def _malformed(report: Report) -> Iterator[_Line]:
    if report.malformed:
        yield _Line("")
        yield _Line(f"{_MALFORMED} ({len(report.malformed)})", style=_BOLD)
    for malformed in report.malformed:
        yield _Line(visible(malformed.origin), 2, _BOLD)
        for problem in malformed.problems:
            yield _Line(visible(problem), 4)
        if malformed.record:
            yield _Line(f"| {lines.record(malformed)}", 4, _FAINT)


def _checks(checks: tuple[Step, ...]) -> Iterator[str]:
    """What could not be done first, then what need not be; of the others only those that have something to say.

    Checks that say the same thing share a line, unless they could not be done: each of those is told.
    """
    order = (Progress.NOT_DONE, Progress.NOTHING_TO_DO, Progress.DONE)
    told = [step for step in checks if step.detail or step.progress is not Progress.DONE]
    alike: dict[tuple[str, ...], list[Step]] = {}
    for step in sorted(told, key=lambda step: order.index(step.progress)):
        own = (step.name,) if step.progress is Progress.NOT_DONE else ()
        alike.setdefault((step.status, step.detail, *own), []).append(step)
    for first, *others in alike.values():
        yield _step(replace(first, name=f"{first.name} and {len(others)} more") if others else first)
    rest = len(checks) - len(told)
    if rest:
        yield f"{rest} more ran" if told else f"all {rest} ran"


def _step(step: Step) -> str:
    return ": ".join(filter(None, map(visible, (step.name, step.status, step.detail))))


def _section(title: str, rows: Iterable[str]) -> Iterator[_Line]:
    for number, row in enumerate(rows):
        if not number:
            yield _Line("")
            yield _Line(title, style=_BOLD)
        yield _Line(row, 2)


def _folded(line: _Line, width: int | None) -> Iterator[str]:
    """The line in pieces of at most ``width`` characters, broken at spaces; one long word stays whole."""
    margin = " " * line.indent
    if width is None:
        yield (margin + line.text) if line.text else ""
        return
    piece = margin
    for word in line.text.split(" "):
        if len(piece) + len(word) > width and piece.strip():
            yield piece.rstrip()
            piece = margin + "  "
        piece += word + " "
    yield piece.rstrip()


def _painted(text: str, style: str | None) -> str:
    return f"\x1b[{style}m{text}\x1b[0m" if style else text
