"""A verification as a report: the JSON document of the machine output, and what every other format shows of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from toolkit import __version__
from toolkit.reporting.report import (
    Grade,
    Item,
    MalformedRecord,
    Progress,
    Report,
    Rule,
    State,
    Step,
    Tool,
    tally,
)
from toolkit.reporting.visible import visible
from verify.baseline import REPORT_SCHEMA, fingerprint_of, rule_of
from verify.findings import Admitted, Malformed
from verify.recording import breakdown
from verify.references import split_reference
from verify.terms import COULD_NOT_RUN, ERROR, NOT_RUN, NOTHING_TO_RUN, RAN, SKIPPED
from verify.verification import Verification, rfc3339
from verify.waivers.accepted import COMMAND

if TYPE_CHECKING:
    from toolkit.repository.revisions import Revision

TOOL = "dr-verify"
SKIPPED_HEADLINE = "SKIPPED"
NO_REPLACEMENT = "this does not replace the single-agent QA review (/dr-qa)"
_PROGRESS = {
    RAN: Progress.DONE,
    NOTHING_TO_RUN: Progress.NOTHING_TO_DO,
    SKIPPED: Progress.NOTHING_TO_DO,
    COULD_NOT_RUN: Progress.NOT_DONE,
    NOT_RUN: Progress.NOT_DONE,
    ERROR: Progress.NOT_DONE,
}


def report_of(run: Verification) -> Report:
    """The report of a verification, for every format."""
    severities = run.policies.vocabulary("verify.severity").terms
    items = tuple(_items(run, severities))
    return Report(
        tool=Tool(TOOL, __version__),
        subject=run.task.id,
        scope=run.request.stage,
        headline=run.judgment.verdict if run.judgment else SKIPPED_HEADLINE,
        reason=_reason(run, items, severities),
        grade=_grade(run),
        severities=severities,
        items=items,
        malformed=tuple(_malformed(record) for record in run.malformed),
        checks=tuple(_step(c.name, c.result.status, c.result.detail) for c in run.checks),
        layers=tuple(_step(layer.layer, layer.status, layer.reason) for layer in run.layers),
        facts=tuple(_facts(run)),
        document=document_of(run),
    )


def _revision(revision: Revision | None) -> dict[str, object] | None:
    """The revision that the repository's policies and waivers are of; null for the working tree."""
    return None if revision is None else {"object": revision.oid, "revision": visible(revision.text)}


def document_of(run: Verification) -> dict[str, object]:
    """The JSON document of ``dr-verify TASK-ID --json`` (keys as documented under ``docs/schemas``)."""
    judgment = run.judgment
    return {
        "audit_log": run.audit_log,
        "baseline": run.compared.to_json() if run.compared else None,
        "checks": [
            {"check_name": check.name, "detail": check.result.detail, "status": check.result.status}
            for check in run.checks
        ],
        "commits": [commit.oid for commit in run.commits],
        "commits_from": run.commits_from,
        "decided_by": dict(judgment.rows) if judgment else {},
        "complexity": run.task.complexity,
        "exit": judgment.exit if judgment else 0,
        "exit_reason": judgment.exit_reason if judgment else None,
        "findings": [{**one.to_json(), "fingerprint": fingerprint_of(one.finding)} for one in run.findings],
        "iter": run.iteration,
        "layers": [{"layer": one.layer, "reason": one.reason, "status": one.status} for one in run.layers],
        "malformed": [record.to_json() for record in run.malformed],
        "persistent": list(run.persistent),
        "policy_digest": run.policy_digest,
        "policy_files": list(run.policy_files),
        "policy_from": _revision(run.policy_revision),
        "roots": list(run.roots),
        "run_id": run.run_id,
        "schema": REPORT_SCHEMA,
        "skipped": {"reason": run.skipped} if run.skipped is not None else None,
        "source_layer_breakdown": breakdown(run),
        "stage": run.request.stage,
        "started_at": rfc3339(run.started_at),
        "task_id": run.task.id,
        "tool_version": __version__,
        "verdict": judgment.verdict if judgment else None,
        "verified": judgment.verified if judgment else False,
        "waived": [one.to_json() for one in run.waived],
        "waivers": run.waivers.to_json(),
        "warnings": list(run.warnings),
    }


def _items(run: Verification, severities: tuple[str, ...]) -> Iterator[Item]:
    """Every finding once: those that count, the discarded ones, and those that are set apart with who accepted them."""
    titles = {check["id"]: check.get("title", "") for check in run.policies.data("verify.floor")["checks"]}

    def item(admitted: Admitted, state: State, reason: str | None) -> Item:
        finding = admitted.finding
        name = rule_of(finding)
        title = titles.get(name.removeprefix(COMMAND)) or _meaning(run, finding.category)
        reference = split_reference(finding.artifact_ref)
        return Item(
            id=finding.finding_id,
            rule=Rule(name, title),
            message=title,
            severity=finding.severity,
            rank=severities.index(finding.severity),
            origin=finding.source_layer,
            path=reference.path,
            line=reference.start or None,
            quote=finding.evidence.excerpt,
            fix=finding.suggested_fix,
            criteria=finding.ac_criteria,
            tags=(finding.category, *((finding.drift_subtype,) if finding.drift_subtype else ())),
            notes=tuple(_notes(admitted)),
            state=state,
            reason=reason,
        )

    for one in run.findings:
        yield item(one, State.DISCARDED if one.discarded else State.COUNTED, one.discard_reason)
    for waived in run.waived:
        yield item(waived.admitted, State.WAIVED, waived.waivers[0].standing)
    if run.compared:
        for known in run.compared.known:
            yield item(known, State.WAIVED, f"known: it stands in the baseline {run.compared.file}")


def _meaning(run: Verification, category: str) -> str:
    return run.policies.vocabulary("verify.category").anchor(category, "definition")


def _notes(admitted: Admitted) -> Iterator[str]:
    if admitted.verified_diagnostic:
        yield admitted.verified_diagnostic
    if len(admitted.origins) > 1:
        yield "reported by " + ", ".join(origin.finding.finding_id for origin in admitted.origins)


def _malformed(record: Malformed) -> MalformedRecord:
    import json

    return MalformedRecord(record.source_layer, record.problems, json.dumps(record.record, sort_keys=True))


def _step(name: str, status: str, detail: str) -> Step:
    return Step(name, status, _PROGRESS[status], detail)


def _grade(run: Verification) -> Grade:
    if run.judgment is None:
        return Grade.SKIPPED
    verdicts = run.policies.vocabulary("verify.verdicts")
    grades = (Grade.BLOCKED, Grade.CONDITIONAL, Grade.PASSED)  # gravest first, as the vocabulary
    return grades[verdicts.rank(run.judgment.verdict)]


def _reason(run: Verification, items: tuple[Item, ...], severities: tuple[str, ...]) -> str:
    """One line: what was counted, and what keeps the run from being a verification."""
    judgment = run.judgment
    if judgment is None:
        return run.skipped or ""
    parts = [tally(items, severities)]
    if run.waived:
        parts.append(f"{len(run.waived)} waived")
    if run.compared:
        parts.append(f"{len(run.compared.known)} known, {run.compared.fixed} fixed since the baseline")
    missed = [check.name for check in run.checks if check.result.status == COULD_NOT_RUN]
    if missed:
        parts.append(f"could not run: {', '.join(missed)}")
    if run.request.external_verifier:
        parts.append(f"external verifier: {run.request.external_verifier}")
    if not judgment.verified:
        models = run.layers[1:]
        left_out = not any(layer.requested for layer in models)
        why = "floor only, no model looked" if left_out else "not verified: " + models[0].reason if models else ""
        parts.append(why)
    return "; ".join(parts)


def _facts(run: Verification) -> Iterator[tuple[str, str]]:
    yield "complexity", f"{run.task.complexity} ({run.task.complexity_source})"
    if run.judgment:
        yield "decided by", ", ".join(f"{table} {row}" for table, row in run.judgment.rows.items())
    yield "roots", ", ".join(run.roots)
    yield "policies", run.policy_digest
    if run.compared:
        yield "baseline", run.compared.file
    yield from _commit_facts(run)
    if run.audit_log:
        yield "audit log", run.audit_log
    for warning in run.warnings:
        yield "warning", warning
    if run.judgment:
        yield "note", NO_REPLACEMENT


def _commit_facts(run: Verification) -> Iterator[tuple[str, str]]:
    """The task's commits, as many as a detail names, and how many more there are."""
    if not run.commits:
        return
    from toolkit.repository.commits import short

    most = run.policies.data("verify.limits")["detail_names_max"]
    for commit in run.commits[:most]:
        yield "commit", f"{short(commit.oid)} {commit.subject} ({commit.why})"
    if len(run.commits) > most:
        yield "commit", f"and {len(run.commits) - most} more"
