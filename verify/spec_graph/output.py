"""What a look at the graph says: lines for people, records for machines."""

from __future__ import annotations

from collections.abc import Iterator

from verify.evidence import FindingLimits, clip_fix, quote_line
from verify.spec_graph.faults import Fault
from verify.spec_graph.report import SpecReport
from verify.spec_graph.rules import SpecRules


def head_of(report: SpecReport) -> dict[str, object]:
    """What was looked at."""
    situation = report.situation
    return {"task": report.task_id, "stage": situation.stage, "complexity": situation.complexity}


def counts_of(report: SpecReport) -> dict[str, object]:
    """How many errors and warnings there are."""
    return {"errors": report.counted.errors, "warnings": report.counted.warnings}


def findings_of(report: SpecReport) -> list[dict[str, object]]:
    """The faults as records, with the line at fault as excerpt."""
    return [_record(fault, report.severity_of(fault), report.limits) for fault in report.faults]


def lint_lines(report: SpecReport, *, detailed: bool = False) -> Iterator[str]:
    """One line a fault: its severity, its rule, its place, what is wrong. In detail also the line itself and a fix."""
    for fault in report.faults:
        yield f"{report.severity_of(fault)} {fault.rule}: {fault.place}: {fault.message}"
        if detailed:
            yield f"  | {quote_line(fault.document.path, fault.line, fault.text, report.limits).excerpt}"
            yield f"  fix: {clip_fix(fault.fix, report.limits)}"


def trace_lines(report: SpecReport) -> Iterator[str]:
    """One line a bucket."""
    for name, ids in report.trace.buckets().items():
        yield f"{name}: {', '.join(ids) or '-'}"


def grade_lines(report: SpecReport) -> Iterator[str]:
    """The letter, and what it is for."""
    yield f"grade: {report.grade} (errors: {report.counted.errors}, warnings: {report.counted.warnings})"


def gate_document(report: SpecReport) -> dict[str, object]:
    """What the gate decided, on which documents, and everything that it was decided on."""
    return {
        **head_of(report),
        "mode": report.situation.mode,
        "decision": report.decision,
        "evaluated_artifacts": list(report.evaluated),
        "excluded_artifacts": [excluded._asdict() for excluded in report.excluded],
        "findings": findings_of(report),
        "trace": report.trace.to_json(),
        "grade": report.grade,
    }


def rule_lines(rules: SpecRules) -> Iterator[str]:
    """One line a rule."""
    for rule in rules.rules.values():
        kind = "mandatory" if rule.mandatory else "optional"
        yield f"{rule.severity} {rule.name}: {kind}, at {', '.join(sorted(rule.levels))}"


def _record(fault: Fault, severity: str, limits: FindingLimits) -> dict[str, object]:
    return {
        "rule": fault.rule,
        "severity": severity,
        "artifact_ref": fault.place,
        "excerpt": quote_line(fault.document.path, fault.line, fault.text, limits).excerpt,
        "message": fault.message,
        "suggested_fix": clip_fix(fault.fix, limits),
        "ids": list(fault.ids),
        "ac_criteria": list(fault.criteria),
    }
