"""The gates of the requirements: criteria that can be measured, risks with their mitigations."""

from __future__ import annotations

from verify.criteria import Criterion
from verify.documents.measurable import Reader, find_measure
from verify.documents.measures import MeasureRules
from verify.documents.risks import Risk, RiskRules, find_risks
from verify.floor.check import CheckResult, FloorContext
from verify.floor.gates.forms import Asked, asked_criteria, without_prd
from verify.floor.telling import NO_PRD, lacking, nothing, of_criteria, quoting
from verify.task import Artifact
from verify.terms import RAN

SAY_WHAT = (
    "{label} names no number, exact value or outcome. Say what is measured, such as `at most 50 ms`, "
    "`returns 404`, or a command with its outcome: `Verify: pytest -k name exits 0`."
)
NAME_RISKS = (
    "Name them in {path} as rows of a table `| risk | mitigation |`, or under a heading `Risks` as "
    "`- what may happen. Mitigation: what is done about it`."
)
FIRST_WITHOUT = ' Without a mitigation so far: {path}:{line} "{text}".'


def measure_reader(context: FloorContext) -> Reader:
    """The rules by which measures are read. Use it through ``context.once``."""
    return Reader(MeasureRules.from_policy(context.policies), context.task.criteria)


def measurable(asked: Asked) -> CheckResult:
    """A finding for each criterion whose block says nothing that can be measured.

    That a criterion says nowhere how it is verified is told by ``ac_coverage_grep``.
    """
    context = asked.context
    criteria, prd = asked_criteria(context), context.task.prd
    if isinstance(criteria, CheckResult) or prd is None:
        return criteria if isinstance(criteria, CheckResult) else nothing(NO_PRD)
    reader = context.once(measure_reader)
    vague = [criterion for criterion in criteria if not _is_measurable(criterion, reader)]
    fixes = ((it, SAY_WHAT.format(label=it.label)) for it in vague)
    findings = tuple(quoting(asked.entry, context, prd, it.line, fix, criteria=(it.label,)) for it, fix in fixes)
    return CheckResult(RAN, f"{of_criteria(len(criteria))}, {len(criteria) - len(vague)} measurable", findings)


def risks(asked: Asked) -> CheckResult:
    """A finding when fewer risks are named with their mitigations than the policy asks for."""
    context = asked.context
    documents = asked.documents
    if not documents:
        return without_prd(context)
    rules = RiskRules.from_policy(context.policies, context.task.criteria)
    found = [(document, risk) for document in documents for risk in find_risks(document.blocks, rules)]
    mitigated = sum(risk.mitigated for _, risk in found)
    count = {0: "no risk is", 1: "1 risk is"}.get(mitigated, f"{mitigated} risks are")
    said = f"{count} named with a mitigation"
    if mitigated >= asked.gate.at_least:
        return CheckResult(RAN, said)
    message = f"{said} in {asked.place}; at least {asked.gate.at_least} are asked for."
    fix = NAME_RISKS.format(path=asked.place) + _without(found)
    finding = lacking(asked.entry, context, asked.place, message, fix)
    return CheckResult(RAN, message, (finding,))


def _is_measurable(criterion: Criterion, reader: Reader) -> bool:
    return any(find_measure(definition.pieces, reader) for definition in criterion.definitions)


def _without(found: list[tuple[Artifact, Risk]]) -> str:
    """The first risk that is named without a mitigation, as it stands."""
    for document, risk in found:
        if not risk.mitigated:
            return FIRST_WITHOUT.format(path=document.path, line=risk.line, text=document.line(risk.line).strip())
    return ""
