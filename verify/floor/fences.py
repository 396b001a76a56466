"""Code fences, comments and raw HTML that are opened and never closed: what follows is hidden from every reader."""

from __future__ import annotations

from collections.abc import Iterator

from verify.evidence import FindingLimits, clip_fix, quote_line
from verify.findings import Finding
from verify.floor.check import CheckEntry, CheckResult, FloorContext
from verify.markdown import Block, BlockKind
from verify.task import Artifact
from verify.terms import FLOOR, NOTHING_TO_RUN, RAN

CLOSE_FENCE = (
    "Close the code fence with a line of its own, {marker}, indented like its first line; "
    "until then everything down to line {end} counts as code."
)
CLOSE_COMMENT = "Close the comment with -->; until then everything down to line {end} counts as part of it."
CLOSE_HTML = (
    "Close the raw HTML that is open here with {marker}; until then everything down to line {end} is part of it."
)
COMMENT_END = "-->"


def unclosed_fence(entry: CheckEntry, context: FloorContext) -> CheckResult:
    """A finding for each code fence, comment or other raw HTML of the task's own documents whose end is missing.

    One inside a list item or block quote ends with that, which is rarely what was meant, and is reported too.
    """
    artifacts = context.task.own
    if not artifacts:
        return CheckResult(NOTHING_TO_RUN, "the task has no document")
    limits = FindingLimits.from_policy(context.policies)
    findings = tuple(
        _finding(entry, artifact, block, limits) for artifact in artifacts for block in _unclosed(artifact)
    )
    return CheckResult(RAN, f"documents read: {len(artifacts)}, left open: {len(findings)}", findings)


def _unclosed(artifact: Artifact) -> Iterator[Block]:
    return (block for block in artifact.blocks if not block.closed)


def _finding(entry: CheckEntry, artifact: Artifact, block: Block, limits: FindingLimits) -> Finding:
    close_html = CLOSE_COMMENT if block.marker == COMMENT_END else CLOSE_HTML
    fix = CLOSE_FENCE if block.kind is BlockKind.FENCE else close_html
    return Finding(
        source_layer=FLOOR,
        artifact_ref=f"{artifact.path}:{block.line}",
        severity=entry.severity,
        category=entry.category,
        evidence=quote_line(artifact.path, block.line, artifact.line(block.line), limits),
        suggested_fix=clip_fix(fix.format(marker=block.marker, end=block.end), limits),
        check_name=entry.id,
    )
