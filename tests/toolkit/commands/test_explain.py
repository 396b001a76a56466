"""``dr-policy explain`` for people: the answer first, then its reason, then what was tried and what would change it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands_support import Run
from golden_support import hold
from policy_support import head, overlay, table
from sources_support import LAYER_FOLDER

GOLDEN = Path(__file__).parent / "golden" / "explain"

PATHS = table(
    "hit: first\norder_note: what is secret comes before everything else\n"
    "inputs: {path: {type: path}, note: {type: text, optional: true}}\n"
    "outputs: {tier: {type: string}}\nrows:\n"
    "  - {id: secret, when: {path: {glob: ['secret/**', 'keys/*.pem']}}, then: {error: cannot-tell}}\n"
    "  - {id: spoken, source: whoever says so is believed,"
    " when: {note: {present: true, matches: ['(?i)urgent', '\\bnow\\b']}}, then: {tier: high}}\n"
    "  - id: docs\n    when:\n"
    "      any_of: [{path: {glob: ['docs/**']}}, {path: {glob: ['**/*.md'], ignore_case: true}}]\n"
    "    then: {tier: low}\n"
    "  - {id: else, then: {tier: medium}}\n",
    "repo.paths",
)
SIGNALS = table(
    "hit: collect\ninputs: {lines: {type: integer, minimum: 0}, words: {type: list, items: {type: string}}}\n"
    "outputs: {signal: {type: string}}\nrows:\n"
    "  - {id: large, when: {lines: {gt: 400}}, then: {signal: size}}\n"
    "  - {id: login, source: the rule of words, when: {words: {some: login}}, then: {signal: auth}}\n"
    "  - {id: empty, when: {words: {count: 0}}, then: {signal: none}}\n",
    "repo.signals",
)
EACH = table(
    "each: findings\nhit: first\n"
    "inputs: {findings: {type: list, items: {type: record, fields: {n: {type: integer}}}}}\n"
    "outputs: {y: {type: boolean}}\nrows:\n"
    "  - {id: big, when: {n: {gte: 5}}, then: {y: true}}\n  - {id: small, then: {y: false}}\n",
    "repo.each",
)
LARGE_CHANGE = overlay(
    "replace:\n  large-change: {when: {authored_lines: {gt: 600}}, then: {tier: high}}\n",
    "repo.large-change",
    base="review.risk",
)
ROWS = 200
MANY = table(
    "hit: first\ninputs: {n: {type: integer}, is_on: {type: boolean}}\noutputs: {y: {type: integer}}\nrows:\n"
    + "".join(f"  - {{id: r{i}, when: {{n: {i}, is_on: true}}, then: {{y: {i}}}}}\n" for i in range(ROWS))
    + "  - {id: other, then: {y: -1}}\n",
    "repo.many",
)


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the surroundings says how wide or how colourful the output is."""
    for name in ("COLUMNS", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with tables of its own."""
    layer = tmp_path / LAYER_FOLDER
    layer.mkdir(parents=True)
    for name, text in (("paths", PATHS), ("signals", SIGNALS), ("each", EACH), ("many", MANY)):
        (layer / f"{name}.yaml").write_text(text)
    return tmp_path


def told(run: Run, document: str, facts: dict[str, Any], *options: str, status: int = 0) -> str:
    result = run("explain", document, "--facts", json.dumps(facts), *options)
    assert result.status == status, result.err
    assert result.err == ""
    return result.out


RESULTS = {"event": "results", "corrections": 0, "escalations": 0}
QUESTIONS: dict[str, tuple[str, dict[str, Any], int]] = {
    "first": ("review.risk", {"authored_lines": 612, "signals": [], "passive": False}, 0),
    "first-row": ("review.risk", {"authored_lines": 3, "signals": ["auth", "policy"], "passive": True}, 0),
    "unique-let": ("review.forecast", {"forecast": 2, "spent": 2, "budget": 3}, 0),
    "let-as-output": ("review.budget", {"changed_lines": 61}, 0),
    "null": (
        "review.routing",
        {"severity": "BLOCKER", "evidence_class": "inferential", "causal_disposition": None, "proof_valid": True},
        3,
    ),
    "near-misses": (
        "review.routing",
        {"severity": "BLOCKER", "evidence_class": "inferential", "causal_disposition": "worsened", "proof_valid": True},
        0,
    ),
    "collect": ("repo.signals", {"lines": 500, "words": ["login", "logout"]}, 0),
    "collect-nothing": ("repo.signals", {"lines": 1, "words": ["x"]}, 0),
    "each": ("repo.each", {"findings": [{"n": 1}, {"n": 9}]}, 0),
    "glob": ("repo.paths", {"path": "notes/README.MD", "note": None}, 0),
    "pattern": ("repo.paths", {"path": "src/a.py", "note": "Please look.\nIt is URGENT."}, 0),
    "declined": ("repo.paths", {"path": "keys/host.pem", "note": None}, 3),
    "machine-step": ("review.lifecycle", {"state": "reviewing", **RESULTS}, 0),
    "machine-end": ("review.lifecycle", {"state": "approved", "event": "evidence", "passed": True}, 2),
    "machine-event": ("review.lifecycle", {"state": "validating", **RESULTS}, 2),
    "machine-facts": (
        "review.lifecycle",
        {"state": "correction_required", "event": "validation", "forecast_open": True, "result": None},
        2,
    ),
    "many-rows": ("repo.many", {"n": 7, "is_on": False}, 0),
}  # fmt: skip


@pytest.mark.parametrize("name", QUESTIONS)
def test_an_explanation_reads_like_this(run: Run, name: str) -> None:
    document, facts, status = QUESTIONS[name]
    hold(GOLDEN / f"{name}.txt", told(run, document, facts, status=status))


def test_a_row_of_an_overlay_names_its_layer_and_file(run: Run, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / LAYER_FOLDER / "large-change.yaml").write_text(LARGE_CHANGE)
    hold(
        GOLDEN / "overlay.txt",
        told(run, "review.risk", {"authored_lines": 612, "signals": [], "passive": False}),
    )
    monkeypatch.setenv("COLUMNS", "150")
    before = told(run, "review.risk", {"authored_lines": 500, "signals": [], "passive": False})
    assert "asked: more than 600  [repository layer, .dr/policies/large-change.yaml:8]" in before


def test_the_answer_and_its_reason_are_the_first_sentence(run: Run) -> None:
    first, _, _ = told(run, "repo.each", {"findings": [{"n": 9}]}).partition("\n")
    assert first == "repo.each, item 0, answers y true: row big decided, because n is 9, at least 5."


def test_all_shows_every_row_of_a_large_table(run: Run) -> None:
    facts = {"n": 7, "is_on": False}
    short, long = told(run, "repo.many", facts), told(run, "repo.many", facts, "--all")
    assert len(short.splitlines()) < 20
    assert "199 more that fail; --all shows every row" in short
    for number in range(ROWS):
        assert f"  r{number}: no, " in long


def test_rows_after_the_first_match_are_told_with_their_conditions_by_all(run: Run) -> None:
    facts = {"path": "secret/x", "note": None}
    assert "3 rows after it were not tried" in told(run, "repo.paths", facts, status=3)
    shown = told(run, "repo.paths", facts, "--all", status=3)
    assert "else: not tried; matches always" in shown
    assert "docs: not tried; matches where one of several alternatives holds" in shown


def test_of_many_items_the_first_are_told_unless_all_are_asked_for(run: Run) -> None:
    facts = {"findings": [{"n": number} for number in range(30)]}
    short, long = told(run, "repo.each", facts), told(run, "repo.each", facts, "--all")
    assert "item 19," in short
    assert "item 20," not in short
    assert "10 more items; --all tells every one" in short
    assert "item 29," in long


def test_the_narrower_the_terminal_the_more_lines(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    for name, (document, facts, status) in QUESTIONS.items():
        lines = told(run, document, facts, status=status).splitlines()
        assert max(map(len, lines)) <= 50, name


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [
        ({}, False),
        ({"CLICOLOR_FORCE": "1"}, True),
        ({"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, False),
        ({"CLICOLOR_FORCE": "1", "CLICOLOR": "0"}, False),
    ],
)
def test_colour_is_where_it_is_asked_for(
    run: Run, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], coloured: bool
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    shown = told(run, "repo.each", {"findings": [{"n": 9}]})
    assert ("\x1b[1m" in shown) is coloured
    assert ("\x1b" in shown) is coloured


def test_hostile_text_is_spelled_out(run: Run, root: Path) -> None:
    text = head("table", "repo.hostile", source=None) + (
        'source: "red \\e[31m\\u202e"\nhit: first\ninputs: {x: {type: string}}\noutputs: {y: {type: string}}\nrows:\n'
        '  - {id: a, when: {x: "\\e]0;owned\\a"}, then: {y: "\\e[2J"}}\n  - {id: b, then: {y: "\\r\\u200b"}}\n'
    )
    (root / LAYER_FOLDER / "hostile.yaml").write_text(text)
    for facts in ({"x": "\x1b]0;owned\x07"}, {"x": "\x1b[31m\n"}):
        shown = told(run, "repo.hostile", facts, "--all")
        assert all(character.isprintable() or character == "\n" for character in shown)
