"""How checks tell what they found: findings in the form of the seven rules, results without any, words that recur."""

from __future__ import annotations

from typing import Final

from verify.artifacts import Artifact
from verify.evidence import FindingLimits, clip_fix, message_evidence, quote_line
from verify.findings import Evidence, Finding
from verify.floor.check import CheckEntry, CheckResult, FloorContext
from verify.terms import FLOOR, NOTHING_TO_RUN

NO_PRD: Final = "there is no PRD"
NO_PLAN: Final = "there is no plan"
NO_EXPECTATIONS: Final = "there are no expectations"


def limits_of(context: FloorContext) -> FindingLimits:
    """The lengths that this run keeps to. Use it through ``context.once``."""
    return FindingLimits.from_policy(context.policies)


def finding(
    entry: CheckEntry,
    context: FloorContext,
    ref: str,
    evidence: Evidence,
    fix: str,
    *,
    criteria: tuple[str, ...] = (),
    severity: str | None = None,
    drift_subtype: str | None = None,
    check_name: str | None = None,
) -> Finding:
    """A finding of a check at ``ref`` (``path:line``): as grave as its entry says, and called like it, if not told.

    ``fix`` is cut to its limit; ``evidence`` has to keep to its own.
    """
    return Finding(
        source_layer=FLOOR,
        artifact_ref=ref,
        severity=entry.severity if severity is None else severity,
        category=entry.category,
        evidence=evidence,
        ac_criteria=criteria,
        drift_subtype=drift_subtype,
        suggested_fix=clip_fix(fix, context.once(limits_of)),
        check_name=entry.id if check_name is None else check_name,
    )


def quoting(
    entry: CheckEntry,
    context: FloorContext,
    document: Artifact,
    line: int,
    fix: str,
    *,
    text: str | None = None,
    criteria: tuple[str, ...] = (),
    severity: str | None = None,
    drift_subtype: str | None = None,
) -> Finding:
    """A finding about a line (1-based) that is wrong or lacks something: it is quoted verbatim, or ``text`` of it is.

    What is quoted can be looked up again, which is what makes a claim more than somebody's word.
    """
    quoted = document.line(line) if text is None else text
    evidence = quote_line(document.path, line, quoted, context.once(limits_of))
    ref = f"{document.path}:{line}"
    return finding(
        entry, context, ref, evidence, fix, criteria=criteria, severity=severity, drift_subtype=drift_subtype
    )


def lacking(
    entry: CheckEntry,
    context: FloorContext,
    path: str,
    message: str,
    fix: str,
    *,
    line: int = 1,
    criteria: tuple[str, ...] = (),
    severity: str | None = None,
    drift_subtype: str | None = None,
) -> Finding:
    """A finding about something that no line shows, at ``path``, where it is or should stand.

    There is nothing to quote, so the evidence is what the check says.
    """
    evidence = message_evidence(entry.id, message, context.once(limits_of))
    ref = f"{path}:{line}"
    return finding(
        entry, context, ref, evidence, fix, criteria=criteria, severity=severity, drift_subtype=drift_subtype
    )


def nothing(why: str) -> CheckResult:
    """The result of a check that has nothing to look at."""
    return CheckResult(NOTHING_TO_RUN, why)


def of_criteria(number: int) -> str:
    """``number`` criteria, in words."""
    return "1 acceptance criterion" if number == 1 else f"{number} acceptance criteria"
