"""JUnit XML: a test case a check and a layer, so that a build server shows what blocked and what never ran."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element, SubElement

from toolkit.reporting import lines
from toolkit.reporting.report import Grade, Item, Level, MalformedRecord, Progress, Report, State, Step
from toolkit.reporting.visible import visible


@dataclass(slots=True)
class _Case:
    """One test case in the making. It ends in one outcome: an error before a failure, a failure before a skip."""

    group: str
    name: str
    error: str | None = None
    skip: str | None = None
    failure: str | None = None
    kind: str = ""
    failed: list[str] = field(default_factory=list)
    more: int = -1
    output: list[str] = field(default_factory=list)

    def fail(self, message: str, kind: str, body: Sequence[str]) -> None:
        """The first failure, the gravest, gives the message; every one gives its lines."""
        if self.failure is None:
            self.failure, self.kind = message, kind
        self.failed.extend(body)
        self.more += 1

    def outcome(self) -> tuple[str, dict[str, str]] | None:
        """The element that says how the case ended, with its attributes; null is a pass."""
        if self.error is not None:
            return "error", {"message": visible(self.error), "type": "error"}
        if self.failure is not None:
            more = f" (and {self.more} more)" if self.more else ""
            return "failure", {"message": visible(self.failure) + more, "type": visible(self.kind)}
        if self.skip is not None:
            return "skipped", {"message": visible(self.skip)}
        return None


def render(report: Report) -> str:
    """The report as one test suite.

    The verdict is a case of its own, so that a report which blocks without a finding is not shown as passed. A
    counted finding fails the case of its check, else of its layer, unless it is of the last severity: that one
    informs, and stands in the case's output beside the findings that don't count.
    """
    from xml.etree.ElementTree import indent, tostring

    cases = [_verdict(report), *_cases(report)]
    root = Element("testsuites", _attributes(report, cases))
    suite = SubElement(root, "testsuite", _attributes(report, cases))
    if report.facts:
        properties = SubElement(suite, "properties")
        for label, value in report.facts:
            SubElement(properties, "property", {"name": visible(label), "value": visible(value)})
    for case in cases:
        _append(suite, case, report)
    indent(root)
    octets: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return octets.decode("utf-8") + "\n"


def _verdict(report: Report) -> _Case:
    case = _Case("", "verdict", output=[f"{visible(report.headline)}: {visible(report.reason)}"])
    if report.grade is Grade.SKIPPED:
        case.skip = report.reason
    elif report.grade is not Grade.PASSED:
        case.fail(report.reason, report.headline, ())
    return case


def _cases(report: Report) -> list[_Case]:
    """The checks, the layers, and a case for each rule whose finding belongs to none of them."""
    checks = {step.name: _case("checks", step) for step in report.checks}
    layers = {step.name: _case("layers", step) for step in report.layers}
    others: dict[str, _Case] = {}
    for state in State:
        for item in report.in_state(state):
            home = _home(item, checks, layers) or others.setdefault(item.rule.id, _Case("rules", item.rule.id))
            _add(home, item, report)
    for malformed in report.malformed:
        _refuse(layers.setdefault(malformed.origin, _Case("layers", malformed.origin)), malformed)
    return [*checks.values(), *layers.values(), *others.values()]


def _case(group: str, step: Step) -> _Case:
    case = _Case(group, step.name, output=[visible(step.detail)] if step.detail else [])
    told = ": ".join(filter(None, (step.status, step.detail)))
    if step.progress is Progress.NOT_DONE:
        case.error = told
    elif step.progress is Progress.NOTHING_TO_DO:
        case.skip = told
    return case


def _home(item: Item, checks: dict[str, _Case], layers: dict[str, _Case]) -> _Case | None:
    """The case of the check that the rule names (``check`` or ``check:detail``), else of the layer."""
    rule = item.rule.id
    return checks.get(rule) or checks.get(rule.partition(":")[0]) or layers.get(item.origin)


def _add(case: _Case, item: Item, report: Report) -> None:
    if item.state is State.COUNTED and report.level(item) is not Level.NOTE:
        case.fail(f"{item.rule.id}: {item.message}", item.severity, tuple(_described(item)))
    else:
        case.output.extend(_described(item))


def _refuse(case: _Case, malformed: MalformedRecord) -> None:
    case.error = case.error or "a malformed record: it is no finding, and what was meant is not known"
    case.output.extend([*map(visible, malformed.problems), f"| {lines.record(malformed)}"])


def _described(item: Item) -> Iterator[str]:
    yield f"{visible(item.severity)}  {lines.head(item)}"
    yield f"  {visible(item.message)}"
    for label, text in lines.details(item):
        yield f"  {label}: {text}"


def _attributes(report: Report, cases: list[_Case]) -> dict[str, str]:
    ends = [outcome[0] for case in cases if (outcome := case.outcome())]
    counts = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    name = f"{visible(report.tool.name)} {visible(report.title)}"
    return {"name": name, "tests": str(len(cases)), **{key: str(ends.count(end)) for key, end in counts.items()}}


def _append(suite: Element, case: _Case, report: Report) -> None:
    names = filter(None, (report.tool.name, report.subject, case.group))
    element = SubElement(suite, "testcase", {"classname": visible(".".join(names)), "name": visible(case.name)})
    outcome = case.outcome()
    text = list(case.output)
    if outcome is not None:
        end = SubElement(element, *outcome)
        if outcome[0] == "failure" and case.failed:
            end.text = "\n".join(case.failed)
        else:
            text[:0] = case.failed  # an error hides the failures behind it; what they say stays readable
    if text:
        SubElement(element, "system-out").text = "\n".join(text)
