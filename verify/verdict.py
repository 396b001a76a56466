"""From admitted findings to verdict, outcome, exit status and loop exit: every rule is a table, this only asks them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from verify.decisions import Decided, Questions
from verify.findings import Admitted

if TYPE_CHECKING:
    from toolkit.policy.sets import PolicySet
    from toolkit.policy.tables import Decision
    from verify.layers import LayerResult


class Circumstances(NamedTuple):
    """What besides the findings bears on the outcome; counts are never negative."""

    could_not_run: int
    floor_only: bool
    external_verifier: str | None
    persistent: bool
    max_iter: int


class Judgment(NamedTuple):
    """What the tables said. ``verified`` is the claim that everything that was asked for was done.

    ``decisions`` are what each table was asked and answered.
    """

    verdict: str
    verified: bool
    exit: int
    exit_reason: str | None
    decisions: tuple[Decided, ...]

    @property
    def rows(self) -> Mapping[str, str]:
        """For each table that was asked, the row that answered."""
        return {decided.document: decided.row for decided in self.decisions}


def judge(
    findings: tuple[Admitted, ...],
    layers: tuple[LayerResult, ...],
    circumstances: Circumstances,
    fail_on: str,
    policies: PolicySet,
) -> Judgment:
    """Ask ``verify.verdict``, ``verify.outcome``, ``verify.exit-code`` and ``verify.exit``, in that order."""
    counts, questions = severity_counts(findings, policies), Questions(policies)
    verdict = questions.ask(
        "verify.verdict",
        **counts,
        persistent=circumstances.persistent,
        # Which change is an untrusted-content boundary is not asked of the floor.
        boundary_unreviewed=False,
    )
    not_run = sum(layer.undone for layer in layers)
    errors = sum(layer.failed for layer in layers)
    outcome = questions.ask(
        "verify.outcome",
        verdict=str(verdict.outputs["verdict"]),
        incomplete=sum(bool(layer.malformed) for layer in layers),
        errors=errors,
        could_not_run=circumstances.could_not_run,
        not_run=not_run,
        floor_only=circumstances.floor_only,
        external_verifier=circumstances.external_verifier,
    )
    exit_code = questions.ask(
        "verify.exit-code",
        verdict=str(outcome.outputs["verdict"]),
        undone=errors + not_run,
        over_line=_over_line(counts, fail_on, policies),
    )
    loop = _loop_exit(circumstances, questions)
    exit_status, reason = exit_code.outputs["exit"], loop.outputs["reason"]
    assert isinstance(exit_status, int)
    return Judgment(
        verdict=str(outcome.outputs["verdict"]),
        verified=outcome.outputs["verified"] is True,
        exit=exit_status,
        exit_reason=reason if isinstance(reason, str) else None,
        decisions=questions.decided(),
    )


def severity_counts(findings: tuple[Admitted, ...], policies: PolicySet) -> dict[str, int]:
    """How many findings count, by severity; discarded ones do not."""
    counts = dict.fromkeys(policies.vocabulary("verify.severity").terms, 0)
    for admitted in findings:
        if not admitted.discarded:
            counts[admitted.finding.severity] += 1
    return counts


def _over_line(counts: dict[str, int], fail_on: str, policies: PolicySet) -> bool:
    severities = policies.vocabulary("verify.severity")
    line = severities.rank(fail_on)
    return any(count and severities.rank(severity) <= line for severity, count in counts.items())


def _loop_exit(circumstances: Circumstances, questions: Questions) -> Decision:
    """Whether and why the loop of passes ended; where no model was asked for, none of its passes ever began."""
    return questions.ask(
        "verify.exit",
        external_verifier=circumstances.external_verifier,
        unanimous=False,
        iteration=0 if circumstances.floor_only else 1,
        max_iter=circumstances.max_iter,
        token_ceiling=questions.policies.data("verify.limits")["baseline_tokens"],
        tokens=None,
    )
