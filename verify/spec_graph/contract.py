"""What a look at the graph says in the shapes that Datarim's own tools print with ``--format json``.

``--json`` is another thing: one document of this program, with a schema of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from verify.evidence import quote_line
from verify.spec_graph.faults import Fault
from verify.spec_graph.grade import Tally
from verify.spec_graph.output import head_of
from verify.spec_graph.report import SpecReport
from verify.spec_graph.rules import SpecRules

LAYER: Final = "spec-lint"
READ: Final = "it was read"
Record = dict[str, object]


def finding_records(report: SpecReport) -> Iterator[Record]:
    """Each fault as a finding, in the order of the lint."""
    for number, fault in enumerate(report.faults, 1):
        yield _finding(number, fault, report)


def trace_record(report: SpecReport) -> Record:
    """The buckets at the top, and the edges below them."""
    return {"task": report.task_id, **report.trace.to_json()}


def grade_record(grade: str, counted: Tally, computed_from: str) -> Record:
    """The letter, what it is for, and where that comes from."""
    infos = counted.all - counted.errors - counted.warnings
    basis = {"errors": counted.errors, "warnings": counted.warnings, "infos": infos}
    return {"grade": grade, "basis": basis, "computed_from": computed_from}


def task_grade_record(report: SpecReport) -> Record:
    """The grade of a task's graph."""
    return grade_record(report.grade, report.counted, f"{LAYER}:{report.task_id}")


def check_record(report: SpecReport) -> Record:
    """lint, trace and grade in one."""
    return {**head_of(report), **_found(report)}


def gate_record(report: SpecReport) -> Record:
    """What was decided, on which documents, and everything that it was decided on."""
    skipped = {"reason": report.excluded[0].reason} if report.skipped and report.excluded else {}
    return {
        **head_of(report),
        "mode": report.situation.mode,
        "decision": report.decision,
        **skipped,
        "evaluated_artifacts": [{"path": path, "reason": READ} for path in report.evaluated],
        "excluded_artifacts": [excluded._asdict() for excluded in report.excluded],
        **_found(report),
    }


def rule_records(rules: SpecRules) -> list[Record]:
    """Every rule: how grave it is, whether it may be ignored, at which levels it is due."""
    return [
        {"id": rule.name, "severity": rule.severity, "mandatory": rule.mandatory, "applies_to": sorted(rule.levels)}
        for rule in rules.rules.values()
    ]


def _found(report: SpecReport) -> Record:
    return {
        "findings": list(finding_records(report)),
        "trace": trace_record(report),
        "grade": task_grade_record(report),
    }


def _finding(number: int, fault: Fault, report: SpecReport) -> Record:
    return {
        "finding_id": f"F-spec-{number}",
        "source_layer": LAYER,
        "artifact_ref": fault.place,
        "ac_criteria": list(fault.criteria),
        "severity": report.severity_of(fault),
        "category": report.rules.category,
        "evidence": quote_line(fault.document.path, fault.line, fault.text, report.limits).to_json(),
        "message": fault.message,
        "check_name": fault.rule,
    }
