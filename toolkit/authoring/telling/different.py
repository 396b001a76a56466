"""The last part of an explanation: the changes of one fact that lead to another answer, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from toolkit.authoring.telling.changes import Changes, changes_of
from toolkit.authoring.telling.lines import Line, answer
from toolkit.authoring.telling.outcomes import Change, Outcome
from toolkit.authoring.telling.questions import Question
from toolkit.policy.language.rules import COLLECT
from toolkit.policy.language.transitions import TO
from toolkit.policy.tables import Decision

MAX_CHANGES: Final = 8
MAX_ADDITIONS: Final = 5  # to an answer that is a list: each row could be one


def different(question: Question, every: bool) -> Iterator[Line]:
    changes = changes_of(question)
    now = question.explanation
    ordered = sorted(changes.found, key=lambda change: _rank(change.outcome, now.decisions))
    most = MAX_ADDITIONS if question.document.hit == COLLECT else MAX_CHANGES
    shown = ordered if every else ordered[:most]
    if shown or changes.kept:
        yield Line("What would have to be different, one fact at a time", 0, True)
    for change in shown:
        yield Line(f"{_changed(question, change)} -> {_outcome(question, changes, change.outcome)}", 2)
    if len(shown) < len(ordered):
        yield Line(f"{len(ordered) - len(shown)} more changes lead to another row; --all shows them", 2)
    yield from _kept(changes, every)


def _kept(changes: Changes, every: bool) -> Iterator[Line]:
    kept = changes.kept if every else changes.kept[:MAX_CHANGES]
    if kept:
        also = "also one fact away" if changes.found else "one fact away"
        more = f" and {len(changes.kept) - len(kept)} more" if len(kept) < len(changes.kept) else ""
        yield Line(f"{also}, though no change was found that lets it decide: {', '.join(kept)}{more}", 2)
    if not changes.whole:
        yield Line("(not every change was tried: the table is large, or tells very many values apart)", 2)


def _rank(outcome: Outcome, decisions: Sequence[Decision]) -> int:
    """Changes that only take something away come first, those that change no answer last."""
    if _same(outcome, decisions):
        return 2
    before = [decision.row for decision in decisions]
    return int(outcome.code is not None or any(decision.row not in before for decision in outcome.decisions))


def _same(outcome: Outcome, decisions: Sequence[Decision]) -> bool:
    return [one.outputs for one in outcome.decisions] == [one.outputs for one in decisions] and not outcome.code


def _changed(question: Question, change: Change) -> str:
    if any(change.name == let.name for let in question.document.lets):
        return f"if {change.name} were {change.words}"  # whether facts give that is another question
    example = f" (such as {change.example})" if change.example is not None and change.example != change.words else ""
    return f"{change.name} {change.words}{example}"


def _outcome(question: Question, changes: Changes, outcome: Outcome) -> str:
    ids = [question.document.rows[number].id for number in outcome.rows]
    if question.document.hit == COLLECT:
        return _collects(outcome, ids, [question.document.rows[number].id for number in changes.now])
    if not ids:
        return "refused as well" if question.explanation.refusal else "refused" if question.step else "no row matches"
    if outcome.code is not None:
        return f"row {ids[0]}, which declines to decide ({outcome.code})"
    if question.step is not None:
        return f"transition {ids[0]}, to {outcome.decisions[0].outputs[TO]}"
    said = "the same answer" if _same(outcome, question.explanation.decisions) else answer(outcome.decisions[0])
    return f"row {ids[0]}, {said}"


def _collects(outcome: Outcome, ids: Sequence[str], before: Sequence[str]) -> str:
    """Which rows match then as well, and which do not any more."""
    answers = {decision.row: answer(decision) for decision in outcome.decisions}
    said = [f"row {one} too" + (f", {answers[one]}" if one in answers else "") for one in ids if one not in before]
    said += [f"row {one} no longer" for one in before if one not in ids]
    if outcome.code is not None:
        said.append(f"declines to decide ({outcome.code})")
    return "; ".join(said) or "an empty list"
