"""JUnit XML: suites of cases that end in an outcome each, written so that no text in them can break it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement

from toolkit.reporting.visible import visible


@dataclass(slots=True)
class SuiteCase:
    """One test case in the making. It ends in one outcome: an error before a failure, a failure before a skip.

    ``group`` is what it belongs to. The lines of ``failed`` and ``output`` are visible text already; all else is made
    so.
    """

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


class Suite(NamedTuple):
    """A suite and its cases; ``properties`` are names and values that belong to all of them."""

    name: str
    cases: Sequence[SuiteCase]
    properties: tuple[tuple[str, str], ...] = ()


def write_suites(name: str, suites: Sequence[Suite]) -> str:
    """The suites as one document, with the counts of each and of all together."""
    from xml.etree.ElementTree import indent, tostring

    root = Element("testsuites", _attributes(name, [case for suite in suites for case in suite.cases]))
    for suite in suites:
        element = SubElement(root, "testsuite", _attributes(suite.name, suite.cases))
        if suite.properties:
            properties = SubElement(element, "properties")
            for label, value in suite.properties:
                SubElement(properties, "property", {"name": visible(label), "value": visible(value)})
        for case in suite.cases:
            _append(element, case)
    indent(root)
    octets: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return octets.decode("utf-8") + "\n"


def _attributes(name: str, cases: Iterable[SuiteCase]) -> dict[str, str]:
    ends = [case.outcome() for case in cases]
    tags = [end[0] for end in ends if end is not None]
    counts = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    return {
        "name": visible(name),
        "tests": str(len(ends)),
        **{key: str(tags.count(tag)) for key, tag in counts.items()},
    }


def _append(suite: Element, case: SuiteCase) -> None:
    element = SubElement(suite, "testcase", {"classname": visible(case.group), "name": visible(case.name)})
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
