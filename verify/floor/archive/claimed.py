"""Claims of the archive document: commits that exist and touched what is said, figures that stand in their output."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from toolkit.errors import UndeterminedError
from toolkit.reporting.visible import visible
from verify.documents.archive_claims import ClaimRules, Claims, CommitClaim, FigureClaim, claims_in
from verify.findings import Finding
from verify.floor.archive.named_commits import NamedCommits, Standing
from verify.floor.archive.outputs import Outputs
from verify.floor.check import CheckEntry, CheckResult, FloorContext
from verify.floor.paths import path_rules
from verify.floor.telling import nothing, quoting
from verify.task import ARCHIVE, Artifact
from verify.terms import COULD_NOT_RUN, RAN

NO_COMMIT = "There is no commit {digits} in this repository. Name the commit that holds the work."
UNKNOWN = "the shallow clone, or a search that ended at its bounds, does not tell of the commit {commit}"
NOT_TOUCHED = "{commit} touched {touched}, and not {path}. Name the commit that did, or the path that it touched."
NO_OUTPUT = "{path} does not exist, so nothing shows {figure} {word}. Cite the output that does."
NOT_SHOWN = "{figure} does not stand in {place}. Correct the figure, or cite the output that shows it."


class Fault(NamedTuple):
    """A claim that does not hold: its line (1-based), and what is so instead."""

    line: int
    fix: str


def archive_claim(entry: CheckEntry, context: FloorContext) -> CheckResult:
    """A finding for each claim of the task's archive document that does not hold.

    What can't be looked up (a shallow clone, an output that can't be read) makes no finding: the check could not run,
    and the claims that could be looked up are told all the same.
    """
    archives = context.task.all_of(ARCHIVE)
    if not archives:
        return nothing("there is no archive document of the task")
    rules = ClaimRules.from_policy(context.policies)
    claimed = [(it, claims_in(it.blocks, rules, context.once(path_rules))) for it in archives]
    count = sum(len(claims.commits) + len(claims.figures) for _, claims in claimed)
    if not count:
        return nothing("the archive document names no commit, and no figure with its output")
    findings: list[Finding] = []
    unknown: list[str] = []
    for document, claims in claimed:
        judging = _Judging(document, claims, rules, context)
        faults = sorted((*judging.commits(), *judging.figures()))
        findings += (
            quoting(entry, context, document, fault.line, visible(fault.fix)) for fault in dict.fromkeys(faults)
        )
        unknown += judging.unknown
    detail = f"{count} claim{'' if count == 1 else 's'}, {len(findings)} that do not hold"
    if unknown:
        return CheckResult(
            COULD_NOT_RUN, f"{detail}; not looked up: {'; '.join(dict.fromkeys(unknown))}", tuple(findings)
        )
    return CheckResult(RAN, detail, tuple(findings))


class _Judging:
    """The claims of one document against Git and the outputs. ``unknown`` says what could not be looked up."""

    def __init__(self, document: Artifact, claims: Claims, rules: ClaimRules, context: FloorContext) -> None:
        self.unknown: list[str] = []
        self._document = document
        self._context = context
        self._claims = claims
        self._outputs = Outputs(context, rules.figures)

    def commits(self) -> Iterator[Fault]:
        """What is wrong with the commits."""
        if not self._claims.commits:
            return
        try:
            named = NamedCommits(self._context, self._claims.commits)
            yield from (fault for claim in self._claims.commits for fault in self._commit(claim, named))
        except UndeterminedError as fault:
            self.unknown.append(str(fault))

    def figures(self) -> Iterator[Fault]:
        """What is wrong with the figures."""
        for claim in self._claims.figures:
            try:
                yield from self._figure(claim)
            except UndeterminedError as fault:
                self.unknown.append(str(fault))

    def _commit(self, claim: CommitClaim, named: NamedCommits) -> Iterator[Fault]:
        match named.standing(claim):
            case Standing.NO_COMMIT:
                yield Fault(claim.line, NO_COMMIT.format(digits=claim.digits))
            case Standing.NOT_TOUCHED:
                said, path = named.touched(claim), ", ".join(claim.paths)
                yield Fault(claim.line, NOT_TOUCHED.format(commit=claim.digits, touched=said, path=path))
            case Standing.UNKNOWN:
                self.unknown.append(UNKNOWN.format(commit=claim.digits))

    def _figure(self, claim: FigureClaim) -> Iterator[Fault]:
        output = self._outputs.of(claim, self._document.path)
        if output is None:
            yield Fault(claim.line, NO_OUTPUT.format(path=claim.output, figure=claim.figure, word=claim.word))
        elif not output.shows(claim) and (claim.fence is None or output.says(claim.word)):
            fix = NOT_SHOWN.format(figure=f"{claim.figure} {claim.word}", place=output.place(claim.word))
            yield Fault(claim.line, fix)
