"""The gate of the work: evidence for every criterion, which somebody else can look at again."""

from __future__ import annotations

from verify.criteria import Criterion
from verify.documents.evidence import EvidenceClaim
from verify.findings import Finding
from verify.floor.check import CheckResult
from verify.floor.gates.evidence import evidence_of
from verify.floor.gates.forms import Asked, asked_criteria
from verify.floor.telling import NO_PRD, nothing, of_criteria, quoting
from verify.task import Artifact
from verify.terms import COULD_NOT_RUN, RAN

GIVE_EVIDENCE = (
    "No evidence for {label} was found. Write `Evidence: {label}` and a command with its outcome, a file with its "
    "line, a commit or an output into {places}."
)
MEND_EVIDENCE = (
    "This does not prove {label}: {why}. Give a command with its outcome, a file with its line, a commit or an output. "
    'The criterion: {prd}:{line} "{text}"'
)


def evidence(asked: Asked) -> CheckResult:
    """A finding for each criterion that nothing proves: its line, or the claim that does not count.

    A criterion of which nobody can tell (a commit is cited, and there is no Git) is none; then the check could not run.
    """
    context = asked.context
    criteria, prd = asked_criteria(context), context.task.prd
    if isinstance(criteria, CheckResult) or prd is None:
        return criteria if isinstance(criteria, CheckResult) else nothing(NO_PRD)
    claims = context.once(evidence_of)
    findings: list[Finding] = []
    unknown: list[str] = []
    for criterion in criteria:
        given = claims.get(criterion.label, ())
        if any(claim.accepted for claim in given):
            continue
        doubtful = next((claim for claim in given if claim.accepted is None), None)
        if doubtful is not None:
            unknown.append(f"{criterion.label} ({doubtful.why})")
        else:
            findings.append(_finding(asked, prd, criterion, given))
    proved = len(criteria) - len(findings) - len(unknown)
    detail = f"{of_criteria(len(criteria))}, {proved} with evidence"
    if unknown:
        return CheckResult(COULD_NOT_RUN, f"{detail}; undetermined: {', '.join(unknown)}", tuple(findings))
    return CheckResult(RAN, detail, tuple(findings))


def _finding(asked: Asked, prd: Artifact, criterion: Criterion, given: tuple[EvidenceClaim, ...]) -> Finding:
    label = criterion.label
    documents = {document.path: document for document in asked.documents}
    claim = next(iter(given), None)
    if claim is None or claim.document not in documents:
        places = " or ".join(asked.context.task.place_of(kind) for kind in asked.gate.documents)
        fix = GIVE_EVIDENCE.format(label=label, places=places)
        return quoting(asked.entry, asked.context, prd, criterion.line, fix, criteria=(label,))
    text = prd.line(criterion.line).strip()
    fix = MEND_EVIDENCE.format(label=label, why=claim.why, prd=prd.path, line=criterion.line, text=text)
    document = documents[claim.document]
    return quoting(asked.entry, asked.context, document, claim.line, fix, criteria=(label,))
