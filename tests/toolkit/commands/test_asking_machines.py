"""``dr-policy eval`` and ``explain`` of machines: one step, refused where no transition takes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands_support import Run

CLEAN = {"state": "reviewing", "event": "results", "corrections": 0, "escalations": 0}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """No repository: the shipped policies are in force everywhere."""
    return tmp_path


def asked(run: Run, command: str, facts: dict[str, Any], status: int = 0) -> dict[str, Any]:
    result = run(command, "review.lifecycle", "--facts", json.dumps(facts), "--json")
    assert result.status == status, result.err
    document: dict[str, Any] = result.json
    return document


def test_a_step_answers_with_its_state_and_effects(run: Run) -> None:
    answer = asked(run, "eval", CLEAN)
    assert (answer["outputs"]["to"], answer["row"], answer["layer"]) == ("validating", "clean", "shipped")
    assert answer["outputs"]["effects"][0] == "freeze-findings"
    assert answer["version"] == "1.0.1"


def test_an_explanation_says_which_transitions_were_tried(run: Run) -> None:
    (one,) = asked(run, "explain", CLEAN)["explanations"]
    assert [decision["row"] for decision in one["decisions"]] == ["clean"]
    assert one["refusal"] is None


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"state": "approved"}, "terminal_state"),
        ({"state": "validating"}, "no_transition"),
        ({"state": "reviewed"}, "unknown_state"),
        ({"event": "result"}, "unknown_event"),
        ({"event": 1}, "fact_invalid"),
        ({"corrections": True}, "fact_invalid"),
    ],
)
def test_what_no_transition_takes_is_refused_with_a_place(run: Run, changed: dict[str, Any], code: str) -> None:
    error = asked(run, "eval", {**CLEAN, **changed}, status=2)["error"]
    assert (error["code"], error["place"].split(":")[0]) == (code, "policies/review/lifecycle.yaml")


def test_a_missing_event_is_named(run: Run) -> None:
    facts = {name: value for name, value in CLEAN.items() if name != "event"}
    assert asked(run, "eval", facts, status=2)["error"]["code"] == "fact_missing"


def test_a_refused_step_is_explained_and_still_refused(run: Run) -> None:
    (one,) = asked(run, "explain", {**CLEAN, "state": "approved"}, status=2)["explanations"]
    assert (one["decisions"], one["refusal"]["code"]) == ([], "terminal_state")


def test_steps_are_asked_line_by_line_as_well(run: Run, tmp_path: Path) -> None:
    lines = tmp_path / "steps.jsonl"
    lines.write_text(json.dumps(CLEAN) + "\n" + json.dumps({**CLEAN, "state": "approved"}) + "\n")
    result = run("eval", "review.lifecycle", "--facts-lines", str(lines))
    first, second = map(json.loads, result.out.splitlines())
    assert (first["row"], second["error"]["code"], result.status) == ("clean", "terminal_state", 2)
