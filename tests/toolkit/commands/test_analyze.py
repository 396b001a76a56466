"""``dr-policy analyze``: what people and machines are told, and with which status the program ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands_support import Result, Run
from jsonschema import Draft202012Validator
from policy_support import head, table
from sources_support import write

SCHEMA = Path(__file__).parents[3] / "docs/schemas/dr-policy.analyze.v1.json"
OUTPUTS = "outputs: {y: {type: term, one_of: [allow, deny]}}\n"
GAP = (
    "inputs: {n: {type: integer, minimum: 0}, b: {type: boolean}}\n"
    + OUTPUTS
    + "rows:\n  - {id: low, when: {n: {lt: 3}, b: true}, then: {y: allow}}\n"
    "  - {id: high, when: {n: {gte: 3}}, then: {y: deny}}\n"
)
SHADOWED = (
    "hit: first\ninputs: {n: {type: integer, minimum: 0}}\n"
    + OUTPUTS
    + "rows:\n  - {id: some, when: {n: {lt: 9}}, then: {y: allow}}\n"
    "  - {id: late, when: {n: {lt: 3}}, then: {y: deny}}\n  - {id: rest, then: {y: deny}}\n"
)
FINE = SHADOWED.replace("{lt: 3}", "{lt: 12}")
OPEN = (
    "hit: first\ninputs: {p: {type: path}}\n"
    + OUTPUTS
    + "rows:\n  - {id: docs, when: {p: {glob: ['docs/**']}}, then: {y: allow}}\n"
    "  - {id: texts, when: {p: {glob: ['docs/*.md']}}, then: {y: deny}}\n  - {id: rest, then: {y: deny}}\n"
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path


def own(root: Path, body: str) -> None:
    write(root, "own.yaml", table(body, "repo.own"))


def told(run: Run, *arguments: str) -> tuple[int, Any]:
    """The status and the document, which the published schema describes."""
    result = run("analyze", *arguments, "--json")
    document = json.loads(result.out)
    Draft202012Validator(json.loads(SCHEMA.read_text())).validate(document)
    return result.status, document


def test_a_fault_is_told_with_its_place_and_facts_and_exits_1(run: Run, root: Path) -> None:
    own(root, SHADOWED)
    result = run("analyze", "repo.own")
    assert result.status == 1
    assert result.out == (
        "repo.own\n"
        "  fault     shadowed: the row 'late' never decides: earlier rows take all that it matches ('some')\n"
        "            at .dr/policies/own.yaml:12:5\n"
        "            for instance n 0\n"
        "\n"
        "1 table analyzed: 1 fault, 2 good to know (--all tells them)\n"
    )
    status, document = told(run, "repo.own")
    assert (status, document["ok"], document["tables"], document["left_out"]) == (1, False, 1, 0)
    (fault,) = [one for one in document["proofs"] if one["fault"] and one["status"] == "refuted"]
    assert (fault["kind"], fault["subject"], fault["witness"]) == ("shadowed", ["late", "some"], {"n": 0})
    assert (fault["file"], fault["line"]) == (".dr/policies/own.yaml", 12)


def test_with_all_what_holds_and_what_is_good_to_know_are_told_too(run: Run, root: Path) -> None:
    own(root, FINE)
    result = run("analyze", "repo.own", "--all")
    assert result.status == 0
    lines = result.out.split("\n")
    assert "  info      order: 'some' has to stand before 'late': both match some facts and answer differently" in lines
    assert "  holds     the row 'late' decides some facts" in lines
    assert lines[lines.index("  holds     the row 'late' decides some facts") + 1] == "            for instance n 9"
    assert lines[-2] == "1 table analyzed: 0 faults, 3 good to know"


def test_without_a_fault_there_is_one_line(run: Run, root: Path) -> None:
    own(root, FINE)
    result = run("analyze", "repo.own")
    assert (result.status, result.out) == (0, "1 table analyzed: 0 faults, 3 good to know (--all tells them)\n")
    assert told(run, "repo.own")[1]["ok"] is True


def test_what_can_t_be_told_exits_3_and_says_why(run: Run, root: Path) -> None:
    own(root, OPEN)
    result = run("analyze", "repo.own")
    assert result.status == 3
    assert "  not known shadowed: it is not known whether the row 'texts' decides any facts: it hangs on" in result.out
    assert result.out.endswith("1 table analyzed: 0 faults, 1 not known, 2 good to know (--all tells them)\n")
    status, document = told(run, "repo.own")
    assert (status, document["ok"]) == (3, False)
    # A fault is graver than what is not known.
    write(root, "other.yaml", table(SHADOWED, "repo.other"))
    assert run("analyze", "repo.own", "repo.other").status == 1


def test_a_set_that_does_not_load_for_a_gap_is_analyzed_with_the_witness_of_check(run: Run, root: Path) -> None:
    own(root, GAP)
    checked = run("check", "--json").json
    (problem,) = checked["problems"]
    assert problem["code"] == "gap"
    status, document = told(run)
    assert status == 1
    (fault,) = [one for one in document["proofs"] if one["kind"] == "gap" and one["status"] == "refuted"]
    assert problem["hint"] == f"for instance n {fault['witness']['n']}, b false"
    assert fault["message"] == problem["message"]
    text = run("analyze", "repo.own").out
    assert "  fault     gap: no row of repo.own matches some facts\n" in text
    assert "            for instance n 0, b false\n" in text


def test_other_problems_are_told_with_their_places(run: Run, root: Path) -> None:
    own(root, GAP.replace("type: boolean", "type: bolean"))
    result = run("analyze")
    assert result.status == 2
    assert ".dr/policies/own.yaml:7:" in result.err
    assert "did you mean 'boolean'?" in result.err
    failed = run("analyze", "--json")
    assert failed.status == 2
    assert failed.json["problems"] == run("check", "--json").json["problems"]


def test_an_unknown_document_is_wrong_usage(run: Run) -> None:
    result = run("analyze", "verify.verdct", "--json")
    assert (result.status, result.json["error"]["code"]) == (2, "unknown_document")
    assert result.json["error"]["next"] == "did you mean 'verify.verdict'?"


def test_where_there_is_nothing_to_analyze_nothing_is_said_to_hold(run: Run) -> None:
    result = run("analyze", "verify.severity", "verify.limits")
    assert (result.status, result.out) == (2, "")
    assert "there is nothing to analyze: verify.limits is a data, verify.severity is a vocabulary" in result.err
    assert run("analyze", "verify.severity", "--json").json["error"]["code"] == "nothing_to_analyze"


def test_documents_that_are_left_out_are_counted(run: Run, root: Path) -> None:
    own(root, FINE)
    result = run("analyze", "repo.own", "verify.severity")
    assert result.out.endswith("; left out, since of them nothing is claimed: 1 other document\n")
    assert told(run, "repo.own", "verify.severity")[1]["left_out"] == 1


@pytest.mark.parametrize("profile", ["compact", "atomic"])
def test_the_shipped_policies_have_no_fault_in_either_profile(run: Run, root: Path, profile: str) -> None:
    (root / ".dr").mkdir()
    (root / ".dr/config.yaml").write_text(f"profile: {profile}\n")
    status, document = told(run)
    faults = [
        (one["document"], one["subject"]) for one in document["proofs"] if one["fault"] and one["status"] != "proved"
    ]
    assert (faults, status) == ([], 0)
    assert [one for one in document["proofs"] if one["status"] == "not proved"] == []
    assert document["profile"] == profile
    assert document["tables"] > 0
    assert document["machines"] > 0


def test_an_overlay_that_shadows_a_shipped_row_is_told(run: Run, root: Path) -> None:
    write(
        root,
        "early.yaml",
        head("overlay", "repo.early", source=None)
        + 'base: {id: review.risk, version: ">=1.0,<2"}\n'
        + "insert: [{at: start, row: {id: lines, when: {authored_lines: {gte: 0}}, then: {tier: high}}}]\n",
    )
    result = run("analyze", "review.risk")
    assert result.status == 1
    assert result.out.count("  fault     shadowed: ") == 5
    assert "earlier rows take all that it matches ('lines')" in result.out


def test_what_a_witness_holds_can_t_command_a_terminal(run: Run, root: Path) -> None:
    own(
        root,
        "hit: first\ninputs: {s: {type: string}}\n"
        + OUTPUTS
        + 'rows:\n  - {id: odd, when: {s: "\\u202e\\u001b"}, then: {y: allow}}\n'
        '  - {id: late, when: {s: "\\u202e\\u001b"}, then: {y: deny}}\n  - {id: rest, then: {y: deny}}\n',
    )
    result: Result = run("analyze", "repo.own")
    assert result.status == 1
    assert "\u202e" not in result.out
    assert "\u001b" not in result.out
