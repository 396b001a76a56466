"""``dr-policy show`` for people: tables drawn as wide as the terminal, machines as tables and as Mermaid."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from commands_support import Run
from golden_support import hold
from jsonschema import Draft202012Validator
from policy_support import head, overlay, table
from sources_support import write

from toolkit.commands.folding import columns

GOLDEN = Path(__file__).parent / "golden" / "show"
SCHEMA = Path(__file__).parents[3] / "docs" / "schemas" / "dr-policy.show.v1.json"
MACHINES = ("review.lifecycle", "judgment.lifecycle")
PROGRAM = Path(sys.executable).parent / "dr-policy"

LINES = table(
    "hit: first\norder_note: the exception stands before the rule\n"
    "inputs:\n"
    "  lines: {type: integer, minimum: 0, maximum: 9000}\n"
    "  path: {type: path}\n"
    "  kind: {type: term, one_of: [code, prose], optional: true}\n"
    "  words: {type: list, items: {type: string}}\n"
    "  who: {type: string, informs: true}\n"
    'let: {over: "lines - 400"}\n'
    "outputs:\n"
    "  tier: {type: term, one_of: [高, low], stronger: [高, low]}\n"
    "  extra: {type: integer, optional: true}\n"
    "require:\n  - {when_output: {tier: low}, inputs: {over: {lte: 0}}}\n"
    "rows:\n"
    "  - id: prose\n"
    "    when:\n"
    "      over: {lte: 0}\n"
    "      any_of: [{kind: prose}, {path: {glob: ['**/*.md', 'docs/**'], ignore_case: true}}]\n"
    "    then: {tier: low, extra: null}\n"
    "  - {id: login, when: {words: {some: [login, logout]}}, then: {tier: 高, extra: {value: over}}}\n"
    "  - {id: nothing, when: {kind: null, words: {count: {lt: 1}}}, then: {error: cannot-tell}}\n"
    "  - {id: rest, then: {tier: 高, extra: 7}}\n"
    "cases:\n"
    "  - {id: a, given: {lines: 1, path: a, kind: prose, words: [], who: x}, expect: {tier: low}}\n",
    "repo.lines",
)
FACT = "a_fact_with_a_longer_name_"
WIDE = table(
    "hit: unique\ninputs:\n"
    + "".join(f"  {FACT}{i}: {{type: boolean}}\n" for i in range(6))
    + "outputs: {y: {type: boolean}}\nrows:\n"
    f"  - {{id: a, when: {{{FACT}0: true, {FACT}1: true, {FACT}5: false}}, then: {{y: true}}}}\n"
    f"  - id: b\n    when: {{any_of: [{{{FACT}0: false}}, {{{FACT}1: false}}, {{{FACT}5: true}}]}}\n"
    "    then: {y: false}\n",
    "repo.wide",
)
TALL = WIDE.replace("repo.wide", "repo.tall").replace("hit: unique", "hit: collect") + "".join(
    f"  - {{id: row-{i}, when: {{{FACT}{i % 6}: true}}, then: {{y: true}}}}\n" for i in range(9)
)
RISK = overlay(
    "insert:\n  - {before: large-change, row: {id: odd, when: {authored_lines: 7}, then: {tier: high}}}\n"
    "cases:\n"
    "  - {id: seven, given: {authored_lines: 7, signals: [], passive: false}, expect: {tier: high}, row: odd}\n",
    "repo.odd",
    base="review.risk",
)


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the surroundings says how wide or how colourful the output is."""
    for name in ("COLUMNS", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with tables of its own."""
    for name, text in (("lines", LINES), ("wide", WIDE), ("tall", TALL)):
        write(tmp_path, f"{name}.yaml", text)
    return tmp_path


def shown(run: Run, *arguments: str) -> str:
    result = run("show", *arguments)
    assert (result.status, result.err) == (0, "")
    return result.out


@pytest.mark.parametrize(
    "document", ["review.risk", "review.forecast", "review.severity", "repo.lines", "repo.wide", "repo.tall", *MACHINES]
)
def test_a_document_is_drawn_like_this(run: Run, document: str) -> None:
    hold(GOLDEN / f"{document}.txt", shown(run, document))


@pytest.mark.parametrize("document", MACHINES)
def test_a_machine_is_this_diagram(run: Run, document: str) -> None:
    hold(GOLDEN / f"{document}.mmd", shown(run, document, "--mermaid"))


def test_a_machine_of_another_profile_is_drawn_as_it_is_in_force(run: Run, root: Path) -> None:
    (root / ".dr" / "config.yaml").write_text("profile: atomic\n")
    hold(GOLDEN / "atomic.review.lifecycle.txt", shown(run, "review.lifecycle"))
    hold(GOLDEN / "atomic.review.lifecycle.mmd", shown(run, "review.lifecycle", "--mermaid"))


def test_the_layer_of_each_row_is_told_where_not_all_are_shipped(run: Run, root: Path) -> None:
    assert " layer " not in shown(run, "review.risk").split("┌")[1]
    write(root, "odd.yaml", RISK)
    hold(GOLDEN / "overlaid.txt", shown(run, "review.risk", "--origin"))


def test_a_payload_is_written_as_yaml(run: Run, root: Path) -> None:
    write(root, "limits.yaml", overlay("set: {/max_iter: 7}\n", base="verify.limits"))
    told = shown(run, "verify.limits")
    assert "\nmax_iter: 7\n" in told
    assert "  overlaid by  .dr/policies/limits.yaml (repo.overlay 1.0.0, repository layer)\n" in told


@pytest.mark.parametrize("width", [40, 60, 80, 100, 140, 300])
def test_nothing_is_wider_than_the_terminal(run: Run, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    for document in ("review.risk", "review.routing", "review.gate", "repo.lines", "repo.tall", *MACHINES):
        lines = shown(run, document).splitlines()
        assert max(map(columns, lines)) <= width, document
        table = [line for line in lines if line[:1] in "┌│├└" and line]
        assert len(set(map(columns, table))) == 1, document


def test_a_table_that_is_too_wide_lies_on_its_side_or_is_stacked(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert f"│ {FACT}0 │ true  │ false │" in shown(run, "repo.wide")
    assert f"{FACT}0: true" in shown(run, "repo.tall")
    monkeypatch.setenv("COLUMNS", "300")
    for document in ("repo.wide", "repo.tall"):
        assert "│ row " in shown(run, document)
        assert f"│ {FACT}0 │ {FACT}1 │" in shown(run, document)


def test_every_cell_of_a_table_stands_in_each_of_its_drawings(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for width in ("60", "100", "300"):
        monkeypatch.setenv("COLUMNS", width)
        told = shown(run, "repo.lines")
        for text in (
            "<= 0",
            "prose",
            "**/*.md,",
            "docs/**",
            "some",
            "login",
            "logout",
            "null",
            "= over",
            "cannot-tell",
        ):
            assert text in told, (width, text)


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
    before = shown(run, "repo.lines")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    told = shown(run, "repo.lines")
    assert ("\x1b" in told) is coloured
    for style in ("1", "36", "32", "90", "0"):
        told = told.replace(f"\x1b[{style}m", "")
    assert told == before


def test_hostile_text_is_drawn_as_what_it_is(run: Run, root: Path) -> None:
    text = head("vocabulary", "repo.words").replace("title: A document", 'title: "[bold]red[/bold] \\e[31m\\u202e"')
    terms = '[{term: "[red]a\\r\\nb", definition: ":smile: \\e[2J\\u200b"}]'
    write(root, "words.yaml", f"{text}anchors: [definition]\nterms: {terms}\n")
    told = shown(run, "repo.words")
    assert all(character.isprintable() or character == "\n" for character in told)
    for spelled in ("[bold]red[/bold] \\x1b[31m\\u202e", "[red]a\\r", ":smile: \\x1b[2J\\u200b"):
        assert spelled in told


def test_a_diagram_is_for_machines_alone(run: Run) -> None:
    result = run("show", "review.risk", "--mermaid")
    assert (result.status, result.out) == (2, "")
    assert "--mermaid draws machines, and review.risk is a table [wrong_kind]" in result.err
    assert "next: see it drawn: dr-policy show review.risk" in result.err
    assert run("show", "review.risk", "--mermaid", "--json").json["error"]["code"] == "wrong_kind"


def test_machine_output_holds_the_diagram_where_it_is_asked_for(run: Run) -> None:
    document = run("show", "review.lifecycle", "--mermaid", "--json").json
    Draft202012Validator(json.loads(SCHEMA.read_bytes())).validate(document)
    assert document["mermaid"] == (GOLDEN / "review.lifecycle.mmd").read_text("utf-8")
    assert "mermaid" not in run("show", "review.lifecycle", "--json").json


def test_origins_beside_a_diagram_are_comments_of_it(run: Run) -> None:
    plain, told = (
        shown(run, "judgment.lifecycle", "--mermaid"),
        shown(run, "judgment.lifecycle", "--mermaid", "--origin"),
    )
    assert told.startswith(plain)
    added = told.removeprefix(plain).splitlines()
    assert len(added) == 7
    assert all(line.startswith("%%   ") for line in added)


def test_on_a_terminal_a_table_is_as_wide_as_it_and_coloured(root: Path) -> None:
    script = (
        "import fcntl, os, pty, struct, subprocess, sys, termios\n"
        "parent, child = pty.openpty()\n"
        "fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 62, 0, 0))\n"
        "run = subprocess.Popen(sys.argv[1:], stdout=child, stdin=subprocess.DEVNULL)\n"
        "os.close(child)\n"
        "told = b''\n"
        "try:\n    while part := os.read(parent, 65536):\n        told += part\n"
        "except OSError:\n    pass\n"
        "run.wait()\nsys.stdout.buffer.write(told)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(PROGRAM), "show", "repo.tall"],
        cwd=root, capture_output=True, timeout=60, check=True,
    )  # fmt: skip
    told = done.stdout.decode().replace("\r\n", "\n")
    assert "\x1b[36m" in told
    widths = [columns(re.sub(r"\x1b\[[0-9]+m", "", line)) for line in told.splitlines()]
    assert 50 < max(widths) <= 62
