"""``dr-policy eval`` and ``dr-policy explain``: ask a table, and ask why."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import click

from toolkit.commands.facts import fact_lines, facts_of, parse_facts
from toolkit.commands.interface import (
    HOLDS,
    WRONG_USAGE,
    common_options,
    fails_clearly,
    json_line,
    json_text,
    write_json,
    write_line,
    write_text,
)
from toolkit.errors import ToolkitError
from toolkit.policy.explaining import Explanation
from toolkit.policy.explaining import explain as explain_decision
from toolkit.policy.problems import PolicyError
from toolkit.policy.sets import PolicySet
from toolkit.policy.tables import Decision, Table
from toolkit.policy.types import thaw
from toolkit.sources import find_layer, load_policies


@click.command("eval")
@click.argument("document", metavar="ID")
@click.option("--facts", metavar="JSON|@FILE", help="The facts as a JSON object, or @FILE that holds one.")
@click.option(
    "--facts-lines", type=click.File("rb"), metavar="FILE", help="One JSON object a line; - is standard input."
)
@click.option("--explain", "with_trace", is_flag=True, help="Say which rows were tried and which cells failed.")
@common_options
@fails_clearly
def evaluate(
    document: str, facts: str | None, facts_lines: IO[bytes] | None, with_trace: bool, cwd: Path, as_json: bool
) -> None:
    """Ask the table ID to decide, from facts given as JSON."""
    if (facts is None) == (facts_lines is None):
        raise PolicyError("usage", "give --facts or --facts-lines, one of the two", next_step="dr-policy eval --help")
    asked = _Asked.of(load_policies(find_layer(cwd.resolve())).policies, document, with_trace)
    if facts_lines is not None:
        sys.exit(_evaluate_lines(asked, facts_lines))
    assert facts is not None
    result = asked.result(facts_of(facts, cwd))
    if as_json:
        write_json("dr-policy.eval/v1", result)
    else:
        write_text(_in_words(result))


def _evaluate_lines(asked: _Asked, file: IO[bytes]) -> int:
    """One result a line; the status is the gravest of the refused ones."""
    status = HOLDS
    name = str(getattr(file, "name", "<stdin>"))
    for number, line in fact_lines(file, name):
        try:
            if isinstance(line, PolicyError):
                raise line
            result = asked.result(parse_facts(line, f"{name}:{number}"))
            write_line(json_line({"line": number, **result}))
        except ToolkitError as fault:
            status = max(status, fault.exit_status, WRONG_USAGE)
            write_line(json_line({"error": fault.to_json(), "line": number}))
    return status


@dataclass(frozen=True, slots=True)
class _Asked:
    """The table that is asked, and what a result says besides its answer."""

    table: Table
    version: str
    layers: Mapping[str, str]
    with_trace: bool

    @classmethod
    def of(cls, policies: PolicySet, document: str, with_trace: bool) -> _Asked:
        table = policies.table(document)
        layers = {row.id: row.layer for row in table.document.rows}
        return cls(table, policies.entry(document).head.version, layers, with_trace)

    def result(self, facts: dict[str, Any]) -> dict[str, Any]:
        decisions = self.table.decide_all(**facts)
        outputs, rows = [_outputs(decision) for decision in decisions], [decision.row for decision in decisions]
        answer: dict[str, Any] = {
            "id": self.table.document.head.id,
            "layer": [self.layers[row] for row in rows],
            "outputs": outputs,
            "row": rows,
            "version": self.version,
        }
        if not self.table.document.lists:
            answer |= {key: answer[key][0] for key in ("layer", "outputs", "row")}
        trace = [one.to_json() for one in explain_decision(self.table, facts)] if self.with_trace else None
        answer["trace"] = trace[0] if trace is not None and self.table.document.each is None else trace
        return answer


def _outputs(decision: Decision) -> dict[str, object]:
    outputs: dict[str, object] = {name: thaw(value) for name, value in decision.outputs.items()}
    if decision.item is not None:
        outputs["item"] = decision.item
    return outputs


def _in_words(result: dict[str, Any]) -> str:
    if isinstance(result["outputs"], list):
        pairs = zip(result["outputs"], result["row"], strict=True)
        lines = [f"{json_text(outputs)}   row {row}" for outputs, row in pairs]
        return "\n".join(lines) or "(no row matches: an empty list)"
    return f"{json_text(result['outputs'])}   row {result['row']}"


@click.command()
@click.argument("document", metavar="ID")
@click.option(
    "--facts", metavar="JSON|@FILE", required=True, help="The facts as a JSON object, or @FILE that holds one."
)
@common_options
@fails_clearly
def explain(document: str, facts: str, cwd: Path, as_json: bool) -> None:
    """Why the table ID answers these facts as it does: rows tried, cells that failed, the row that won, near misses.

    Exit 3 when the table declines to decide.
    """
    policies = load_policies(find_layer(cwd.resolve())).policies
    table = policies.table(document)
    explanations = explain_decision(table, facts_of(facts, cwd))
    refusal = next((one.refusal for one in explanations if one.refusal is not None), None)
    if as_json:
        head = policies.entry(document).head
        traces = [_trace(one) for one in explanations]
        write_json("dr-policy.explain/v1", {"id": head.id, "version": head.version, "explanations": traces})
    else:
        write_text("\n\n".join(_told(one) for one in explanations) or "(no items, so no decisions)")
    if refusal is not None:
        sys.exit(refusal.exit_status)


def _trace(one: Explanation) -> dict[str, object]:
    decided = [{"outputs": _outputs(decision), "row": decision.row} for decision in one.decisions]
    return {**one.to_json(), "decisions": decided}


def _told(one: Explanation) -> str:
    item = f" (item {one.item})" if one.item is not None else ""
    lines = [f"{one.table}{item}", f"  source: {one.source}"]
    lines += [f"  answers {json_text(_outputs(decision))} by row {decision.row}" for decision in one.decisions]
    if one.refusal is not None:
        lines.append(f"  declines: {one.refusal.message} [{one.refusal.code}]")
    elif not one.decisions:
        lines.append("  answers with an empty list: no row matches")
    lines += [f"  let {name} = {json_text(value)}" for name, value in one.lets.items()]
    lines.append("  rows:")
    for row in one.rows:
        own = f": {row.source}" if row.source != one.source else ""
        lines.append(f"    {row.id}: {row.outcome}  [{row.layer}{own}]")
        lines += [f"      {cell.name} is {json_text(cell.value)}, asked: {cell.condition}" for cell in row.failed]
    if one.near_misses:
        lines.append(f"  one fact away: {', '.join(one.near_misses)}")
    return "\n".join(lines)
