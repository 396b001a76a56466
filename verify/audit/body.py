"""The part of a log for people: the same run in Markdown, every foreign text in a code span of its own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Final

from toolkit.reporting.visible import visible
from verify.audit.record import AuditRecord

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet
    from verify.decisions import Decided
    from verify.findings import Admitted, Malformed
    from verify.waivers.applying import Waived

# In a span of at most this length some run of 1 to 80 backticks is missing, and that one can delimit it.
SPAN: Final = 1000


def render(record: AuditRecord, policies: PolicySet) -> str:
    """The record as Markdown. Nothing that a document, a tool or a model wrote becomes structure."""
    return "".join(f"{line}\n" for line in chain(_head(record), _findings(record, policies), _rest(record)))


def _head(record: AuditRecord) -> Iterator[str]:
    trusted = "verified" if record.verified else "not verified"
    tokens = "unknown" if record.cost_consumed_tokens is None else str(record.cost_consumed_tokens)
    yield ""
    yield f"# Verification of {record.task_id}: stage {record.stage}, run {record.iter}"
    yield ""
    yield f"**{span(record.verdict) if record.verdict else 'Skipped'}**, {trusted}, exit status {record.exit}."
    yield ""
    yield f"- From {span(record.started_at)} to {span(record.finished_at)}, run {span(record.run_id)}"
    yield f"- Runtime {span(record.runtime)}, {record.passes} of at most {record.max_iter} passes, tokens: {tokens}"
    if record.exit_reason is not None:
        yield f"- The loop ended by {span(record.exit_reason)}"
    yield f"- Policies {span(record.policy_digest)}, dr-verify {span(record.tool_version)}"
    yield from (f"- Root {span(root)}" for root in record.roots)
    if record.commits_from is not None:
        yield f"- Commits: {len(record.commits)} ({span(record.commits_from)})"
    if record.compared is not None:
        yield f"- Baseline {span(record.compared.file)}, {record.compared.fixed} of its findings fixed"


def _findings(record: AuditRecord, policies: PolicySet) -> Iterator[str]:
    counted = [admitted for admitted in record.findings if not admitted.discarded]
    yield from ("", "## Findings")
    if not counted:
        yield from ("", "None that counts.")
    for severity in policies.vocabulary("verify.severity").terms:
        group = [admitted for admitted in counted if admitted.finding.severity == severity]
        yield from _section(f"### {severity.capitalize()}: {len(group)}", chain.from_iterable(map(_finding, group)))
    waived = chain.from_iterable(map(_waived, record.waived))
    yield from _section(f"### Waived: {len(record.waived)}", waived)
    if record.compared is not None:
        known = chain.from_iterable(map(_finding, record.compared.known))
        yield from _section(f"### Known from the baseline: {len(record.compared.known)}", known)
    discarded = [admitted for admitted in record.findings if admitted.discarded]
    yield from _section(f"### Discarded: {len(discarded)}", chain.from_iterable(map(_finding, discarded)))


def _rest(record: AuditRecord) -> Iterator[str]:
    malformed = chain.from_iterable(map(_malformed, record.malformed))
    layers = (f"- {span(line.layer)} {span(line.status)}: {span(line.reason)}" for line in record.layers)
    checks = (f"- {span(line.check_name)} {span(line.status)}: {span(line.detail)}" for line in record.checks)
    yield from _section(f"## Malformed: {len(record.malformed)}", malformed)
    yield from _section("## Layers", layers)
    yield from _section("## Checks", checks)
    yield from _section("## Decisions", map(_decision, record.decisions))
    yield from _section("## Warnings", (f"- {span(warning)}" for warning in record.warnings))
    yield ""


def _section(heading: str, lines: Iterable[str]) -> Iterator[str]:
    """A heading with its lines, or nothing where there are none."""
    rows = list(lines)
    if rows:
        yield from ("", heading, "", *rows)


def _finding(admitted: Admitted) -> Iterator[str]:
    finding, evidence = admitted.finding, admitted.finding.evidence
    criteria = f" ({', '.join(map(span, finding.ac_criteria))})" if finding.ac_criteria else ""
    kind = finding.category if finding.drift_subtype is None else f"{finding.category}, {finding.drift_subtype}"
    yield f"- {span(finding.finding_id)} {kind} at {span(finding.artifact_ref)}{criteria}"
    if admitted.discard_reason is not None:
        yield f"  - discarded: {admitted.discard_reason}"
    if evidence.source is not None and evidence.excerpt is not None:
        yield f"  - {evidence.type} from {span(evidence.source)}: {span(evidence.excerpt)}"
        yield f"  - evidence verified: {admitted.evidence_verified}"
    labelled = (
        ("note", admitted.verified_diagnostic),
        ("check", finding.check_name),
        ("suggested fix", finding.suggested_fix),
        ("reported by", finding.agent_origin),
    )
    yield from (f"  - {label}: {span(text)}" for label, text in labelled if text is not None)
    if len(admitted.origins) > 1:
        yield f"  - merged from: {', '.join(span(origin.finding.finding_id) for origin in admitted.origins)}"


def _waived(one: Waived) -> Iterator[str]:
    yield from _finding(one.admitted)
    yield f"  - waived: {span(one.waivers[0].standing)}"


def _decision(decided: Decided) -> str:
    facts = ", ".join(f"{name} {json.dumps(value, ensure_ascii=False)}" for name, value in decided.facts.items())
    outputs = ", ".join(f"{name} {json.dumps(value, ensure_ascii=False)}" for name, value in decided.outputs.items())
    times = "" if decided.times == 1 else f", {decided.times} times"
    return f"- {span(decided.document)} {span(decided.row)}{times}: {span(facts)}: {span(outputs)}"


def _malformed(malformed: Malformed) -> Iterator[str]:
    yield f"- {span(malformed.source_layer)}: {malformed.discard_reason}"
    yield from (f"  - {span(problem)}" for problem in malformed.problems)


def span(text: str) -> str:
    """``text`` on one line in a code span, or bare where it is one plain word."""
    shown = visible(text, SPAN)
    if not shown:
        return "(empty)"
    if shown.isascii() and shown.isalnum():
        return shown
    runs = {len(run) for run in re.findall("`+", shown)}
    fence = "`" * next(length for length in range(1, SPAN) if length not in runs)
    pad = " " if shown.strip(" ") and (shown[0] in " `" or shown[-1] in " `") else ""
    return f"{fence}{pad}{shown}{pad}{fence}"
