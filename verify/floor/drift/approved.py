"""Approved documents: what each one was at every commit since its approval, and what changed without a review."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import islice
from typing import NamedTuple

from toolkit.repository.commits import Commit, commits_from, shallow_commits
from toolkit.repository.git import Git
from toolkit.repository.objects import blobs
from toolkit.repository.problems import FETCH_HISTORY
from verify.artifacts import BYTE_ORDER_MARK, Artifact
from verify.documents.approvals import Approval, ApprovalRules, Reading, find_approval
from verify.documents.revisions import Difference, differences, parts_of
from verify.documents.trails import entries_in, names_document, report_day
from verify.errors import VerificationUndetermined
from verify.floor.changes import task_history
from verify.floor.check import FloorContext


class Version(NamedTuple):
    """A state of a document: the commit that made it, and the document as it was read from there."""

    commit: Commit
    document: Artifact


class Approved(NamedTuple):
    """An approved document and its ``versions`` since then, the newest first; the last is the one that was approved."""

    document: Artifact
    versions: tuple[Version, ...]


def reading_of(context: FloorContext) -> Reading:
    """How this run reads approved documents. Use it through ``context.once``."""
    rules = ApprovalRules.from_policy(context.policies)
    return Reading(rules, context.task.criteria, context.task.rules.separator)


def stated_approvals(context: FloorContext) -> tuple[tuple[Artifact, Approval], ...]:
    """The documents that say that they are approved."""
    reading = context.once(reading_of)
    documents = (document for kind in reading.rules.documents for document in context.task.all_of(kind))
    stated = ((document, find_approval(document, reading)) for document in documents)
    return tuple((document, approval) for document, approval in stated if approval is not None)


def since_approval(git: Git, document: Artifact, approval: Approval, context: FloorContext) -> Approved:
    """A document with its versions since it was approved in the words in which it is now; none if that is no commit's.

    Two processes, and one more for each further batch of commits. Raises ``VerificationUndetermined``
    (``history_incomplete``, ``too_many_versions``) where the commit that approved it can't be told.
    """
    versions = tuple(islice(_in_these_words(git, document, approval, context), _most(context) + 1))
    if len(versions) > _most(context):
        message = f"{document.path} was changed in more than {_most(context)} commits since its approval"
        raise VerificationUndetermined("too_many_versions", message, place=document.path)
    if versions and versions[-1].commit.oid in shallow_commits(git):
        message = f"this clone is shallow: the commit that approved {document.path} may be an older one"
        raise VerificationUndetermined("history_incomplete", message, place=document.path, next_step=FETCH_HISTORY)
    return Approved(document, versions)


_BATCH = 50  # versions that are read at once; of the largest documents, as much as Git may print


def _in_these_words(git: Git, document: Artifact, approval: Approval, context: FloorContext) -> Iterator[Version]:
    """The versions of a document, the newest first, as long as they are approved in the same words."""
    commits, stored = _changing(git, document, context), _stored(git, document, context)
    for start in range(0, len(commits), _BATCH):
        batch = commits[start : start + _BATCH]
        contents = blobs(git, [f"{commit.oid}:{stored}" for commit in batch])
        for commit in batch:
            then = _as_it_was(document, contents[f"{commit.oid}:{stored}"])
            said = find_approval(then, context.once(reading_of)) if then else None
            if then is None or said is None or said.said != approval.said:
                return
            yield Version(commit, then)


def _most(context: FloorContext) -> int:
    return context.once(reading_of).rules.most_versions


def changes_since(approved: Approved, context: FloorContext) -> tuple[Difference, ...]:
    """The parts of a document that are not what was approved."""
    reading = context.once(reading_of)
    return tuple(differences(parts_of(approved.versions[-1].document, reading), parts_of(approved.document, reading)))


def unreviewed(
    approved: Approved, changes: Sequence[Difference], git: Git, context: FloorContext
) -> tuple[Difference, ...]:
    """Those of the changes that no trail shows to have been looked at on their day, or later."""
    reading = context.once(reading_of)
    entries = entries_in(approved.document, reading)
    kinds = reading.rules.reports.kinds
    reports = [it for kind in kinds for it in context.task.all_of(kind) if names_document(it, approved.document)]
    if not changes or not (entries or reports):
        return tuple(changes)
    days = _days(approved, reading)
    latest = max((_report_day(report, git, context) for report in reports), default=date.min)
    return tuple(
        change
        for change in changes
        if latest < days[change.key]
        and not any(it.day >= days[change.key] and it.names(change, reading.rules.naming) for it in entries)
    )


def _days(approved: Approved, reading: Reading) -> Mapping[str, date]:
    """The day on which each part was last changed: the earliest that may be meant (see ``Commit.day``).

    What is not committed was changed on the day of the last commit at the earliest, which is all that is known of it.
    """
    states = [parts_of(approved.document, reading)]
    states += [parts_of(version.document, reading) for version in approved.versions]
    made_by = [approved.versions[0], *approved.versions]
    days: dict[str, date] = {}
    for newer, older, version in zip(states, states[1:], made_by, strict=False):
        for change in differences(older, newer):
            days.setdefault(change.key, version.commit.day)
    return days


def _report_day(report: Artifact, git: Git, context: FloorContext) -> date:
    """The day that a report gives, else that of its last commit; one that is in no commit yet is of today."""
    said = report_day(report, context.once(reading_of))
    if said is not None:
        return said
    commits = _changing(git, report, context)
    return commits[0].committed_at.date() if commits else context.today


def _changing(git: Git, document: Artifact, context: FloorContext) -> tuple[Commit, ...]:
    """The commits that changed a document, the newest first."""
    return commits_from(git, (), context.once(task_history).rules.most_commits, path=_stored(git, document, context))


def _stored(git: Git, document: Artifact, context: FloorContext) -> str:
    """A document's path in its repository."""
    return os.path.relpath(os.path.realpath(context.task.workspace.root / document.path), git.root)


def _as_it_was(document: Artifact, content: bytes | None) -> Artifact | None:
    """A document with the bytes that it once had, null where it was not there. What is no UTF-8 is replaced."""
    if content is None:
        return None
    text = content.decode("utf-8", "replace").removeprefix(BYTE_ORDER_MARK)
    return Artifact(document.kind, document.path, text, "")
