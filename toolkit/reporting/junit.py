"""JUnit XML: a test case a check and a layer, so that a build server shows what blocked and what never ran."""

from __future__ import annotations

from collections.abc import Iterator

from toolkit.reporting import lines
from toolkit.reporting.report import Grade, Item, Level, MalformedRecord, Progress, Report, State, Step
from toolkit.reporting.suites import Suite, SuiteCase, write_suites
from toolkit.reporting.visible import visible


def render(report: Report) -> str:
    """The report as one test suite.

    The verdict is a case of its own, so that a report which blocks without a finding is not shown as passed. A
    counted finding fails the case of its check, else of its layer, unless it is of the last severity: that one
    informs, and stands in the case's output beside the findings that don't count.
    """
    name = f"{visible(report.tool.name)} {visible(report.title)}"
    cases = [_verdict(report), *_cases(report)]
    for case in cases:
        case.group = ".".join(filter(None, (report.tool.name, report.subject, case.group)))
    return write_suites(name, [Suite(name, cases, tuple(report.facts))])


def _verdict(report: Report) -> SuiteCase:
    case = SuiteCase("", "verdict", output=[f"{visible(report.headline)}: {visible(report.reason)}"])
    if report.grade is Grade.SKIPPED:
        case.skip = report.reason
    elif report.grade is not Grade.PASSED:
        case.fail(report.reason, report.headline, ())
    return case


def _cases(report: Report) -> list[SuiteCase]:
    """The checks, the layers, and a case for each rule whose finding belongs to none of them."""
    checks = {step.name: _case("checks", step) for step in report.checks}
    layers = {step.name: _case("layers", step) for step in report.layers}
    others: dict[str, SuiteCase] = {}
    for state in State:
        for item in report.in_state(state):
            home = _home(item, checks, layers) or others.setdefault(item.rule.id, SuiteCase("rules", item.rule.id))
            _add(home, item, report)
    for malformed in report.malformed:
        _refuse(layers.setdefault(malformed.origin, SuiteCase("layers", malformed.origin)), malformed)
    return [*checks.values(), *layers.values(), *others.values()]


def _case(group: str, step: Step) -> SuiteCase:
    case = SuiteCase(group, step.name, output=[visible(step.detail)] if step.detail else [])
    told = ": ".join(filter(None, (step.status, step.detail)))
    if step.progress is Progress.NOT_DONE:
        case.error = told
    elif step.progress is Progress.NOTHING_TO_DO:
        case.skip = told
    return case


def _home(item: Item, checks: dict[str, SuiteCase], layers: dict[str, SuiteCase]) -> SuiteCase | None:
    """The case of the check that the rule names (``check`` or ``check:detail``), else of the layer."""
    rule = item.rule.id
    return checks.get(rule) or checks.get(rule.partition(":")[0]) or layers.get(item.origin)


def _add(case: SuiteCase, item: Item, report: Report) -> None:
    if item.state is State.COUNTED and report.level(item) is not Level.NOTE:
        case.fail(f"{item.rule.id}: {item.message}", item.severity, tuple(_described(item)))
    else:
        case.output.extend(_described(item))


def _refuse(case: SuiteCase, malformed: MalformedRecord) -> None:
    case.error = case.error or "a malformed record: it is no finding, and what was meant is not known"
    case.output.extend([*map(visible, malformed.problems), f"| {lines.record(malformed)}"])


def _described(item: Item) -> Iterator[str]:
    yield f"{visible(item.severity)}  {lines.head(item)}"
    yield f"  {visible(item.message)}"
    for label, text in lines.details(item):
        yield f"  {label}: {text}"
