"""Code fences, comments and raw HTML that are opened and never closed: what follows is hidden from every reader."""

from __future__ import annotations

from verify.floor.check import CheckEntry, CheckResult, FloorContext
from verify.floor.telling import nothing, quoting
from verify.markdown import Block, BlockKind
from verify.terms import RAN

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
        return nothing("the task has no document")
    unclosed = ((artifact, block) for artifact in artifacts for block in artifact.blocks if not block.closed)
    findings = tuple(quoting(entry, context, artifact, block.line, _fix(block)) for artifact, block in unclosed)
    return CheckResult(RAN, f"documents read: {len(artifacts)}, left open: {len(findings)}", findings)


def _fix(block: Block) -> str:
    close_html = CLOSE_COMMENT if block.marker == COMMENT_END else CLOSE_HTML
    fix = CLOSE_FENCE if block.kind is BlockKind.FENCE else close_html
    return fix.format(marker=block.marker, end=block.end)
