"""How ``dr-verify expectations`` shows what it read: lines for a person, one document for a machine."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from toolkit.commands.interface import write_json, write_note, write_text

if TYPE_CHECKING:
    from verify.commands.captured import Notice
    from verify.expectations.reading import Expectations
    from verify.expectations.verdict import Verdict
    from verify.init_task.survey import Surveyed


def tell_deprecation(document: Expectations | None) -> None:
    """One line on standard error for a checklist of an old version."""
    if document is not None and document.deprecated:
        message = f"schema_version {document.version} names no evidence for a wish; write a later version"
        write_note(f"DEPRECATION: {document.path}: {message}")


def describe(document: Expectations | None, verdict: Verdict | None) -> None:
    """Every wish, for a person."""
    blocking = {one.wish: one.reason for one in verdict.blocking} if verdict else {}
    for wish in document.wishes if document is not None else ():
        kinds = ", ".join(filter(None, (wish.evidence_type, wish.verification_mode, *wish.linked)))
        said = f"{wish.name}: {wish.status or 'no status'}" + (f" ({kinds})" if kinds else "")
        if verdict is not None and wish in verdict.overridden:
            said += ", overridden"
        reason = f"; it blocks: {blocking[wish]}" if wish in blocking else ""
        write_text(f"  line {wish.line}: {said}{reason}")


def write_document(
    told: list[Notice],
    *,
    ok: bool,
    looked: list[Surveyed],
    skipped: Iterable[Surveyed] = (),
    document: Expectations | None = None,
    outcome: str | None = None,
    verdict: Verdict | None = None,
) -> None:
    """The machine output of every form of the command."""
    blocking = {one.wish: one.reason for one in verdict.blocking} if verdict else {}
    overridden = verdict.overridden if verdict else ()
    wishes = [
        {
            "blocks": blocking.get(wish),
            "evidence_type": wish.evidence_type or None,
            "line": wish.line,
            "linked": list(wish.linked),
            "overridden": wish in overridden,
            "status": wish.status,
            "title": wish.title,
            "verification_mode": wish.verification_mode or None,
            "wish_id": wish.wish_id or None,
        }
        for wish in (document.wishes if document is not None else ())
    ]
    record = {
        "deprecated": document is not None and document.deprecated,
        "focus_items": [wish.wish_id for wish in blocking],
        "ok": ok,
        "outcome": outcome,
        "problems": [notice._asdict() for notice in told],
        "skipped": [{"reason": one.exempt, "task_id": one.task.id} for one in skipped],
        "tasks": [one.task.id for one in looked],
        "wishes": wishes,
    }
    write_json("dr-verify.expectations/v1", record)
