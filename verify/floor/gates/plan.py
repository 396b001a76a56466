"""The gates of the plan: a step for every criterion, a security design, a way back."""

from __future__ import annotations

from verify.criteria import Criterion
from verify.documents.rollback import RollbackRules, find_rollback
from verify.documents.threats import StrideRules, read_stride
from verify.floor.acceptance import prd_criteria
from verify.floor.check import CheckResult, FloorContext
from verify.floor.gates.forms import Asked, asked_criteria
from verify.floor.readings import step_bindings
from verify.floor.telling import NO_PLAN, lacking, nothing, of_criteria, quoting
from verify.terms import RAN

NAME_A_STEP = "No step of {plan} serves {label}. Name it in the step that does: `Verifies: {label}`."
ANSWER_STRIDE = (
    "Answer each category in a table or list of {path}, such as `| Tampering | checksum of each record |` or "
    "`| Spoofing | n/a because it runs locally |`; or say `Security design: not applicable — why`."
)
SAY_HOW_BACK = (
    "Say how the change is taken back: a heading `Rollback` with the steps under it, or a line "
    "`Rollback: revert the commit; the old format is still read`."
)


def unserved(context: FloorContext) -> tuple[Criterion, ...] | CheckResult:
    """The criteria of the PRD that no step of the plan serves; else why nothing can be asked of it.

    Use it through ``context.once``.
    """
    criteria = asked_criteria(context)
    if isinstance(criteria, CheckResult):
        return criteria
    if context.task.plan is None:
        return nothing(NO_PLAN)
    served = {binding.label for binding in context.once(step_bindings)}
    return tuple(criterion for criterion in criteria if criterion.label not in served)


def steps(asked: Asked) -> CheckResult:
    """A finding for each criterion of the PRD that no step of the plan serves."""
    context = asked.context
    missing, prd, plan = context.once(unserved), context.task.prd, context.task.plan
    if isinstance(missing, CheckResult) or prd is None or plan is None:
        return missing if isinstance(missing, CheckResult) else nothing(NO_PLAN)
    total = len(context.once(prd_criteria))
    fixes = ((it, NAME_A_STEP.format(plan=plan.path, label=it.label)) for it in missing)
    findings = tuple(quoting(asked.entry, context, prd, it.line, fix, criteria=(it.label,)) for it, fix in fixes)
    return CheckResult(RAN, f"{of_criteria(total)}, {total - len(missing)} served by a step of {plan.path}", findings)


def stride(asked: Asked) -> CheckResult:
    """A finding when a category of STRIDE is answered nowhere, and nothing says why there is no security design."""
    documents = asked.documents
    if not documents:
        return nothing(NO_PLAN)
    task = asked.context.task
    rules = StrideRules.from_policy(asked.context.policies, task.criteria, task.rules.separator)
    read = [(document, read_stride(document.blocks, rules)) for document in documents]
    exempted = next((f"{document.path}:{found.exempted}" for document, found in read if found.exempted), None)
    if exempted:
        return CheckResult(RAN, f"{exempted} says why there is no security design")
    answered = {name for _, found in read for name in found.answered}
    missing = [category.name for category in rules.categories if category.name not in answered]
    if not missing:
        return CheckResult(RAN, f"all {len(rules.categories)} categories are answered")
    named = ((name, f"{document.path}:{found.named[name]}") for document, found in read for name in found.named)
    places = dict(reversed(list(named)))
    listed = ", ".join(f"{name} (named at {places[name]})" if name in places else name for name in missing)
    path = asked.place
    whole = len(missing) == len(rules.categories) and not places
    message = f"{path} has no security design by STRIDE." if whole else f"STRIDE without an answer: {listed}."
    line = min((found.named[name] for _, found in read[:1] for name in found.named), default=1)
    finding = lacking(asked.entry, asked.context, path, message, ANSWER_STRIDE.format(path=path), line=line)
    return CheckResult(RAN, message, (finding,))


def rollback(asked: Asked) -> CheckResult:
    """A finding when the plan does not say how to go back."""
    documents = asked.documents
    if not documents:
        return nothing(NO_PLAN)
    task = asked.context.task
    rules = RollbackRules.from_policy(asked.context.policies, task.criteria, task.rules.separator)
    found = [(document, find_rollback(document.blocks, rules)) for document in documents]
    said = next(((document, place) for document, place in found if place is not None and place.said), None)
    if said is not None and said[1] is not None:
        return CheckResult(RAN, f"{said[0].path}:{said[1].line} says how to go back")
    for document, place in found:
        if place is not None:
            finding = quoting(asked.entry, asked.context, document, place.line, SAY_HOW_BACK)
            return CheckResult(RAN, f"{document.path}:{place.line} names a rollback and does not say how", (finding,))
    message = f"{asked.place} does not say how to go back."
    finding = lacking(asked.entry, asked.context, asked.place, message, SAY_HOW_BACK)
    return CheckResult(RAN, message, (finding,))
