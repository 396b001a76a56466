"""A run of cases: each is asked of what is in force, and once more of the layers below where a later one edits that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from toolkit.authoring.testing.asking import Asked, asked_of, differences, holds
from toolkit.authoring.testing.cases import Answer, Case, Unreadable, read_cases
from toolkit.authoring.testing.coverage import Coverage, DocumentCoverage, Uncovered, coverage_of
from toolkit.authoring.testing.results import CHANGED, ERROR, FAIL, PASS, TODO, CaseRun, Result
from toolkit.policy.layers import LAYERS
from toolkit.policy.problems import Flawed, PolicyError, Problem, Problems
from toolkit.policy.sets import PolicySet
from toolkit.policy.syntax.nodes import plain

KINDS: Final = ("table", "machine")

UpTo = Callable[[str], PolicySet]


def run_cases(policies: PolicySet, up_to: UpTo, documents: Sequence[str] = ()) -> CaseRun:
    """Ask all cases of these documents, or of every table and machine of the set.

    ``up_to`` makes the set of the layers up to one; it is asked at most once a layer, and only where a case does not
    hold that a later layer has a say in. Raises ``PolicyError`` for an id that is no document, or no table or machine.
    """
    named = tuple(dict.fromkeys(documents))
    scope = named or tuple(one for one in policies.ids if policies.entry(one).head.kind in KINDS)
    _expect_deciding(policies, named)
    problems = Problems()
    runner = _Runner(policies, up_to)
    results: list[Result] = []
    covered: list[DocumentCoverage] = []
    uncovered: list[Uncovered] = []
    for document in scope:
        asked = runner.asked(document)
        read = read_cases(policies.entry(document), asked.lists, problems)
        found = [result for one in read if (result := runner.result(one, asked)) is not None]
        hit = {answer.row for one in found if one.outcome == PASS for answer in one.decided if answer.row is not None}
        summary, missed = coverage_of(document, asked.rows, hit, len(found))
        results += found
        covered.append(summary)
        uncovered += missed
    told = {*problems.found, *(problem for one in results for problem in one.problems)}
    marks = tuple((one, policies.entry(one).head.mark) for one in named)
    return CaseRun(tuple(results), Coverage(tuple(covered), tuple(uncovered)), _in_order(told), marks)


def _in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Problems in the order of their places, as those of a set are told."""
    return tuple(sorted(problems, key=lambda one: (one.mark, one.code, one.message)))


def _expect_deciding(policies: PolicySet, documents: Sequence[str]) -> None:
    """Hold what was asked for by name. Raises ``PolicyError`` for the first that has no cases by its kind."""
    bases: dict[str, str] = {}
    for one in policies.ids if documents else ():
        entry = policies.entry(one)
        bases |= dict.fromkeys([*(edit.id for edit in entry.edits), *(case.overlay for case in entry.cases)], one)
    for document in documents:
        if document in bases:
            message = f"{document} is an overlay: its cases are asked of {bases[document]}"
            raise PolicyError("wrong_kind", message, next_step=f"dr-policy test {bases[document]}")
        head = policies.entry(document).head
        if head.kind not in KINDS:
            message = f"{document} is a {head.kind} document: only tables and machines have cases"
            raise PolicyError("wrong_kind", message, place=str(head.mark), next_step="dr-policy list")


class _Runner:
    """Asks cases, one at a time. What it needs of the layers below is made once, when it is needed."""

    def __init__(self, policies: PolicySet, up_to: UpTo) -> None:
        self._policies = policies
        self._up_to = up_to
        self._lower: dict[str, PolicySet | None] = {}
        self._lower_asked: dict[tuple[str, str], Asked | None] = {}
        self._editors: dict[tuple[str, str], tuple[str, ...]] = {}

    def asked(self, document: str) -> Asked:
        """What is in force under an id."""
        return asked_of(self._policies, document)

    def result(self, case: Case | Unreadable, asked: Asked) -> Result | None:
        """What becomes of a case; null for one that was replaced and is not worth a word."""
        if isinstance(case, Unreadable):
            place = (case.document, case.id, case.layer, case.mark)
            return Result(*place, ERROR, asked.lists, problems=case.problems)
        if case.replaced_by is not None:
            return self._of_replaced(case, asked)
        judged = _judged(case, asked)
        if judged.outcome != PASS:
            judged = self._against_lower(judged, case, asked)
        if case.todo is not None and judged.outcome != ERROR:
            judged = replace(judged, outcome=TODO, changed_by=())
        return judged

    def _of_replaced(self, case: Case, asked: Asked) -> Result | None:
        """A case for which another stands: it is told where a later layer made it false, so that none hides that."""
        judged = _judged(case, asked)
        if judged.outcome == PASS or case.todo is not None:
            return None
        told = self._against_lower(judged, case, asked)
        editors = self._later_editors(case, asked)
        if editors and self._asked_up_to(case) is None:
            unknown = f"the layers up to {case.layer} do not load alone, so whether it held there is not known"
            told = replace(judged, outcome=CHANGED, changed_by=editors, why=(*_said(judged), unknown), problems=())
        return replace(told, replaced_by=case.replaced_by) if told.outcome == CHANGED else None

    def _against_lower(self, judged: Result, case: Case, asked: Asked) -> Result:
        """A case that does not hold, or can't be asked any more, where a later layer has a say in it."""
        editors = self._later_editors(case, asked)
        lower = self._asked_up_to(case) if editors else None
        if lower is None:
            return judged
        before = _judged(case, lower)
        if before.outcome == ERROR:
            return judged
        outcome, by = (CHANGED, editors) if before.outcome == PASS else (FAIL, ())
        return replace(judged, outcome=outcome, changed_by=by, why=_said(judged), problems=())

    def _later_editors(self, case: Case, asked: Asked) -> tuple[str, ...]:
        """The overlays of later layers that edit the document or a vocabulary that it names."""
        key = case.document, case.layer
        if key not in self._editors:
            rank = LAYERS.index(case.layer)
            names = (case.document, *sorted(asked.references))
            edits = (edit for name in names for edit in self._policies.entry(name).edits)
            self._editors[key] = tuple(edit.id for edit in edits if LAYERS.index(edit.layer) > rank)
        return self._editors[key]

    def _asked_up_to(self, case: Case) -> Asked | None:
        """The document as the layers up to the case's own make it; null where these alone don't load."""
        key = case.layer, case.document
        if key not in self._lower_asked:
            if case.layer not in self._lower:
                self._lower[case.layer] = None
                with suppress(PolicyError):  # a user's document may name what only the repository has
                    self._lower[case.layer] = self._up_to(case.layer)
            lower = self._lower[case.layer]
            self._lower_asked[key] = asked_of(lower, case.document) if lower is not None else None
        return self._lower_asked[key]


def _judged(case: Case, asked: Asked) -> Result:
    """A case by itself: pass, fail or error."""
    result = Result(
        case.document, case.id, case.layer, case.mark, ERROR, asked.lists, expected=case.expected, todo=case.todo
    )
    problems = Problems()
    problems.document = case.document
    with suppress(Flawed):  # there are more problems than are told
        asked.hold(case, problems)
    given = plain(case.given)
    if problems.found:
        return replace(result, decided=_decided_anyway(asked, given), problems=tuple(problems.found))
    try:
        decided = asked.answers(given)
    except PolicyError as fault:
        told = Problem(fault.code, fault.message, case.given.mark, case.document, fault.next_step)
        return replace(result, problems=(told,))
    if holds(case.expected, decided):
        return replace(result, outcome=PASS, decided=decided, held=True)
    return replace(result, outcome=FAIL, decided=decided, why=_why(case, asked, given, decided))


def _said(judged: Result) -> tuple[str, ...]:
    """Why a case does not hold, or could not be asked."""
    return judged.why or tuple(problem.message for problem in judged.problems)


def _decided_anyway(asked: Asked, given: Any) -> tuple[Answer, ...]:
    """What is decided for a case that expects what can't be; nothing where its facts can't be asked."""
    try:
        return asked.answers(given)
    except (PolicyError, KeyError):
        return ()


def _why(case: Case, asked: Asked, given: Any, decided: tuple[Answer, ...]) -> tuple[str, ...]:
    """What was decided otherwise, and what kept the first expected row that did not answer from doing so."""
    told = list(differences(case.expected, decided))
    fired = {one.row for one in decided}
    silent = next((one.row for one in case.expected if one.row is not None and one.row not in fired), None)
    if silent is not None:
        told += asked.why_not(given, silent, decided[0].row if decided else None)
    return tuple(told)
