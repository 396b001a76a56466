"""``dr-policy eval``: ask a table or a machine."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import IO, Any

import click

from toolkit.commands.asked import Asked, asked_of
from toolkit.commands.facts import fact_lines, facts_of, parse_facts
from toolkit.commands.interface import (
    HOLDS,
    WRONG_USAGE,
    common_options,
    fails_clearly,
    json_line,
    json_text,
    policy_from_option,
    write_json,
    write_line,
    write_text,
)
from toolkit.errors import ToolkitError
from toolkit.policy.problems import PolicyError
from toolkit.sources import load_policies


@click.command("eval")
@click.argument("document", metavar="ID")
@click.option("--facts", metavar="JSON|@FILE", help="The facts as a JSON object, or @FILE that holds one.")
@click.option(
    "--facts-lines", type=click.File("rb"), metavar="FILE", help="One JSON object a line; - is standard input."
)
@click.option("--explain", "with_trace", is_flag=True, help="Say which rows were tried and which cells failed.")
@policy_from_option
@common_options
@fails_clearly
def evaluate(
    *,
    document: str,
    facts: str | None,
    facts_lines: IO[bytes] | None,
    with_trace: bool,
    policy_from: str | None,
    cwd: Path,
    as_json: bool,
) -> None:
    """Ask the table ID to decide, or the machine ID for a step, from facts given as JSON.

    The facts of a machine are its state and event, and the event's inputs.
    """
    if (facts is None) == (facts_lines is None):
        raise PolicyError("usage", "give --facts or --facts-lines, one of the two", next_step="dr-policy eval --help")
    asked = asked_of(load_policies(cwd.resolve(), policy_from=policy_from).policies, document)
    if facts_lines is not None:
        sys.exit(_evaluate_lines(asked, facts_lines, with_trace))
    assert facts is not None
    result = _result(asked, facts_of(facts, cwd), with_trace)
    if as_json:
        write_json("dr-policy.eval/v1", result)
    else:
        write_text(_in_words(result))


def _evaluate_lines(asked: Asked, file: IO[bytes], with_trace: bool) -> int:
    """One result a line; the status is the gravest of the refused ones."""
    status = HOLDS
    name = str(getattr(file, "name", "<stdin>"))
    for number, line in fact_lines(file, name):
        try:
            if isinstance(line, PolicyError):
                raise line
            given = parse_facts(line, f"{name}:{number}")
            text = json_line({"line": number, **_result(asked, given, with_trace=False)})
            write_line(_with_trace(text, asked, given) if with_trace else text)
        except ToolkitError as fault:
            status = max(status, fault.exit_status, WRONG_USAGE)
            write_line(json_line({"error": fault.to_json(), "line": number}))
    return status


def _with_trace(result: str, asked: Asked, facts: dict[str, Any]) -> str:
    """A result on one line with its trace, which comes as text: to write it anew would take most of the time."""
    traces = asked.traces(facts)
    # A quotation mark within a string is escaped, so this stands where the key does; only the version comes after it.
    before, _, after = result.rpartition('"trace": null')
    trace = f"[{', '.join(traces)}]" if asked.each else traces[0]
    return f'{before}"trace": {trace}{after}'


def _result(asked: Asked, facts: dict[str, Any], with_trace: bool) -> dict[str, Any]:
    """The keys of one result; where the answer is a list, so are outputs, rows and layers."""
    given = asked.answers(facts)
    answer: dict[str, Any] = {
        "id": asked.id,
        "layer": [one.layer for one in given],
        "outputs": [one.outputs for one in given],
        "row": [one.row for one in given],
        "version": asked.version,
    }
    if not asked.lists:
        answer |= {key: answer[key][0] for key in ("layer", "outputs", "row")}
    trace = [one.to_json() for one in asked.explanations(facts)] if with_trace else None
    answer["trace"] = trace[0] if trace is not None and not asked.each else trace
    return answer


def _in_words(result: dict[str, Any]) -> str:
    if isinstance(result["outputs"], list):
        pairs = zip(result["outputs"], result["row"], strict=True)
        lines = [f"{json_text(outputs)}   row {row}" for outputs, row in pairs]
        return "\n".join(lines) or "(no row matches: an empty list)"
    return f"{json_text(result['outputs'])}   row {result['row']}"
