"""Spec decay: a PRD or plan that was changed after its approval, without a trail of another review (drift taxonomy)."""

from __future__ import annotations

from toolkit.reporting.visible import visible
from toolkit.repository.commits import short
from verify.documents.revisions import Difference
from verify.errors import VerificationUndetermined
from verify.findings import Finding
from verify.floor.changes import task_history
from verify.floor.check import CheckEntry, CheckResult, FloorContext
from verify.floor.drift.approved import Approved, changes_since, since_approval, stated_approvals, unreviewed
from verify.floor.telling import lacking, nothing, quoting
from verify.terms import RAN

UNAPPROVED = "no PRD or plan says that it is approved"
APPROVED_AS = 'Approved was {place} "{line}". Name the change in the changelog with its day, or have it approved again.'
APPROVED_WITHOUT = (
    "Approved was {place}, without it. Name the change in the changelog with its day, or have it approved again."
)
GONE = 'What was approved is no longer there: {place} "{line}"'
_LONGEST = 200  # characters of an old line that are shown


def spec_decay(entry: CheckEntry, context: FloorContext) -> CheckResult:
    """A finding for each approved document whose content is not what was approved, unless a trail shows a review.

    The content as it stands in the work tree is compared with that of the commit in which the approval, as it is
    worded now, first stood. A trail is an entry of the document's record of changes that names what changed, or a
    report that names the document, of the day of the change or later.
    """
    history = context.once(task_history)
    if history.home is None:
        message = "the workspace lies in no Git repository, so nobody knows what was approved"
        raise VerificationUndetermined("no_repository", message, place=str(context.task.workspace.root))
    git = history.repositories[history.home]
    stated = stated_approvals(context)
    if not stated:
        return nothing(UNAPPROVED)
    details: list[str] = []
    findings: list[Finding] = []
    for document, approval in stated:
        approved, path = since_approval(git, document, approval, context), document.path
        if not approved.versions:
            details.append(f"the approval of {path} is in no commit yet, so there is nothing to compare it with")
            continue
        changes = changes_since(approved, context)
        silent = unreviewed(approved, changes, git, context)
        state = f"{len(silent)} changed without a trail of review" if silent else "each change has its trail of review"
        commit = short(approved.versions[-1].commit.oid)
        details.append(f"{path} was approved in {commit}: {state if changes else 'nothing changed since'}")
        if silent:
            findings.append(_finding(entry, context, approved, silent[0]))
    return CheckResult(RAN, "; ".join(details), tuple(findings))


def _finding(entry: CheckEntry, context: FloorContext, approved: Approved, change: Difference) -> Finding:
    """A finding on the first line that is not what was approved; on the first line of all where that is gone."""
    document, approval = approved.document, approved.versions[-1]
    before, after = change.before_line, change.after_line
    place = f"{document.path}@{short(approval.commit.oid)}"
    line = ""
    if before is not None:
        place, line = f"{place}:{before}", visible(approval.document.line(before).strip(), _LONGEST)
    fix = (APPROVED_WITHOUT if before is None else APPROVED_AS).format(place=place, line=line)
    labels = tuple(sorted(change.labels))
    if after is None:
        message = GONE.format(place=place, line=line)
        return lacking(entry, context, document.path, message, fix, criteria=labels, drift_subtype=entry.uses)
    return quoting(entry, context, document, after, fix, criteria=labels, drift_subtype=entry.uses)
