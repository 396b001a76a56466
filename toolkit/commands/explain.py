"""``dr-policy explain``: why a table or a machine answers as it does, for people and for machines."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolkit.commands.asked import Asked, AskedMachine, asked_of, outputs_of
from toolkit.commands.facts import facts_of
from toolkit.commands.interface import (
    common_options,
    fails_clearly,
    policy_from_option,
    write_json,
    write_line,
)
from toolkit.policy.explaining import Explanation
from toolkit.policy.sets import PolicySet
from toolkit.sources import load_policies

if TYPE_CHECKING:
    from toolkit.authoring.telling.questions import Question

MAX_ITEMS = 20  # of an ``each`` table that are told without --all


@click.command()
@click.argument("document", metavar="ID")
@click.option(
    "--facts", metavar="JSON|@FILE", required=True, help="The facts as a JSON object, or @FILE that holds one."
)
@click.option("--all", "every", is_flag=True, help="Tell every row, every item and every change, also of large tables.")
@policy_from_option
@common_options
@fails_clearly
def explain(document: str, facts: str, every: bool, policy_from: str | None, cwd: Path, as_json: bool) -> None:
    """Why the table or machine ID answers these facts as it does.

    The answer first and what decided it, then the rows that were tried and what failed each, then which other fact
    would lead to another row. Exit 3 when a table declines to decide, 2 when a machine refuses the event.
    """
    policies = load_policies(cwd.resolve(), policy_from=policy_from).policies
    asked = asked_of(policies, document)
    given = facts_of(facts, cwd)
    if as_json:
        explanations = asked.explanations(given)
        traces = [_trace(one) for one in explanations]
        write_json("dr-policy.explain/v1", {"id": asked.id, "version": asked.version, "explanations": traces})
    else:
        questions = _questions(asked, given, policies)
        explanations = tuple(one.explanation for one in questions)
        write_line("\n".join(_in_words(questions, every)))
    refusal = next((one.refusal for one in explanations if one.refusal is not None), None)
    if refusal is not None:
        sys.exit(refusal.exit_status)


def _trace(one: Explanation) -> dict[str, object]:
    decided = [{"outputs": outputs_of(decision), "row": decision.row} for decision in one.decisions]
    return {**one.to_json(), "decisions": decided}


def _questions(asked: Asked, facts: dict[str, Any], policies: PolicySet) -> list[Question]:
    """What is asked, one question for each explanation."""
    from toolkit.authoring.drawing.heads import formulas_of
    from toolkit.authoring.telling.questions import machine_question, table_questions

    if isinstance(asked, AskedMachine):
        state, event, inputs = asked.split(facts)
        return [machine_question(asked.machine, state, event, inputs)]
    return table_questions(asked.table, facts, formulas_of(policies.entry(asked.id)))


def _in_words(questions: Sequence[Question], every: bool) -> Iterator[str]:
    """The explanations in lines that are safe to print, one block for each."""
    from toolkit.authoring.telling.told import told
    from toolkit.commands.folding import folded, screen

    where = screen()
    if not questions:
        yield "(no items, so no decisions)"
    shown = questions if every else questions[:MAX_ITEMS]
    for number, question in enumerate(shown):
        if number:
            yield ""
        for line in told(question, every=every):
            pieces = folded(line.text, where.width, line.indent)
            yield from map(where.strong, pieces) if line.title else pieces
    if len(shown) < len(questions):
        yield from ("", f"{len(questions) - len(shown)} more items; --all tells every one")
