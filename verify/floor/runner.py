"""Running the floor: every check that applies, in the policy's order; what can't be run is said, never passed over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from toolkit.errors import UndeterminedError
from verify.errors import VerificationUndetermined
from verify.findings import Finding
from verify.floor.check import CheckEntry, CheckResult, FloorContext
from verify.floor.entries import begin_of, check_of, floor_plan
from verify.terms import COULD_NOT_RUN


class Watcher(Protocol):
    """Who is told how far a run has come (progress is printed in one place, and not here)."""

    def check_started(self, check: str) -> None: ...

    def check_finished(self, check: str, result: CheckResult) -> None: ...


class RanCheck(NamedTuple):
    """One check and what became of it."""

    name: str
    result: CheckResult


def run_floor(context: FloorContext, watcher: Watcher) -> tuple[RanCheck, ...]:
    """Run every check of the stage. Raises ``VerificationUndetermined`` where the policy leaves nothing to check.

    A check that fails by something outside the input (a program, a disk) could not run; it is never clean.
    """
    entries = context.once(floor_plan).at(context.stage)
    if not entries:
        raise VerificationUndetermined(
            "nothing_to_check",
            f"verify.floor has no enabled check for the stage {context.stage}, and checking nothing proves nothing",
            next_step="dr-policy show verify.floor",
        )
    for entry in entries:
        begin = begin_of(entry)
        if begin is not None:
            begin(entry, context)
    return tuple(_run(entry, context, watcher) for entry in entries)


def _run(entry: CheckEntry, context: FloorContext, watcher: Watcher) -> RanCheck:
    watcher.check_started(entry.id)
    try:
        result = check_of(entry)(entry, context)
    except UndeterminedError as fault:
        result = CheckResult(COULD_NOT_RUN, str(fault))
    watcher.check_finished(entry.id, result)
    return RanCheck(entry.id, result)


def findings_of(ran: tuple[RanCheck, ...]) -> Iterator[Finding]:
    """The findings of all checks, in order."""
    for check in ran:
        yield from check.result.findings
