"""``dr-policy check`` and the lint: what fails, what is only told, and of which files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands_support import Result, Run
from jsonschema import Draft202012Validator
from policy_support import head
from repository_support import Repository
from sources_support import write

SCHEMA = json.loads((Path(__file__).parents[3] / "docs/schemas/dr-policy.check.v1.json").read_bytes())
RISK = (
    "policy: v1\nkind: overlay\nid: repo.risk\nversion: 1.0.0\ntitle: Larger\n"
    'base: {id: review.risk, version: ">=1.0,<2"}\n'
    "replace:\n"
    "  large-change: {when: {authored_lines: {gt: 600}}, then: {tier: high}}\n"
)
CASES = (
    "cases:\n"
    "  - id: large\n"
    "    given: {authored_lines: 601, signals: [], passive: false}\n"
    "    expect: {tier: high}\n"
    "    row: large-change\n"
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return Repository(tmp_path / "repository").path


def checked(run: Run, *arguments: str) -> Result:
    result = run("check", "--json", *arguments)
    Draft202012Validator(SCHEMA).validate(result.json)
    return result


def test_what_nobody_sees_fails_in_a_policy_and_in_the_configuration(run: Run, root: Path) -> None:
    write(root, "risk.yaml", RISK + CASES + "# \u202e hidden\n")
    (root / ".dr/config.yaml").write_text("profile: compact  # a\u200bb\n")
    result = checked(run)
    assert result.status == 1
    told = [(one["code"], one["file"], one["line"], one["column"]) for one in result.json["problems"]]
    assert told == [
        ("invisible_character", ".dr/config.yaml", 1, 22),
        ("bidirectional_control", ".dr/policies/risk.yaml", 14, 3),
    ]
    text = run("check")
    assert text.status == 1
    assert ".dr/policies/risk.yaml:14:3: bidirectional_control: U+202E" in text.out


def test_a_letter_that_looks_like_another_fails_with_the_name_of_the_document(run: Run, root: Path) -> None:
    write(root, "words.yaml", head("vocabulary", "repo.words") + "terms: [{term: p\u0430ss}]\n")
    (problem,) = checked(run).json["problems"]
    assert (problem["code"], problem["document"], problem["line"]) == ("homoglyph", "repo.words", 7)


def test_a_row_of_the_repository_s_own_without_a_case_is_a_warning_at_its_place(run: Run, root: Path) -> None:
    write(root, "risk.yaml", RISK)
    result = checked(run)
    assert result.status == 0
    assert result.json["ok"]
    (warning,) = result.json["warnings"]
    assert (warning["code"], warning["document"]) == ("row_without_case", "review.risk")
    assert (warning["file"], warning["line"]) == (".dr/policies/risk.yaml", 8)
    text = run("check")
    assert text.status == 0
    assert text.out.startswith("ok: ")
    assert text.err.startswith("warning: .dr/policies/risk.yaml:8:")


def test_a_case_of_the_overlay_that_holds_covers_its_row_and_one_that_fails_does_not(run: Run, root: Path) -> None:
    write(root, "risk.yaml", RISK + CASES)
    assert checked(run).json["warnings"] == []
    write(root, "risk.yaml", RISK + CASES.replace("601", "600"))
    assert [one["code"] for one in checked(run).json["warnings"]] == ["row_without_case"]


def test_warnings_are_told_beside_problems(run: Run, root: Path) -> None:
    write(root, "risk.yaml", RISK + "# \u200b\n")
    document = checked(run).json
    assert [one["code"] for one in document["problems"]] == ["invisible_character"]
    assert [one["code"] for one in document["warnings"]] == ["row_without_case"]
    text = run("check")
    assert "1 problem(s)\nwarning: " in text.err


def test_the_files_of_the_user_are_looked_at_too(
    run: Run, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "configuration/dr/policies"
    folder.mkdir(parents=True, mode=0o700)
    (folder / "risk.yaml").write_text(RISK.replace("repo.risk", "user.risk").replace("Larger", "Lar\u00adger"))
    (folder / "risk.yaml").chmod(0o600)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "configuration"))
    document = checked(run).json
    assert [one["code"] for one in document["problems"]] == ["invisible_character"]
    assert [one["code"] for one in document["warnings"]] == ["row_without_case"]


def test_a_revision_is_looked_at_as_it_stands_there(run: Run, tmp_path: Path) -> None:
    repository = Repository(tmp_path / "another")
    write(repository.path, "risk.yaml", RISK + CASES + "# \u200b\n")
    repository.commit("base", {"a": "1"})
    write(repository.path, "risk.yaml", RISK + CASES)
    assert checked(run, "--cwd", str(repository.path)).status == 0
    document = checked(run, "--cwd", str(repository.path), "--policy-from", "HEAD").json
    assert [one["file"] for one in document["problems"]] == ["HEAD:.dr/policies/risk.yaml"]


def test_a_repository_without_policies_has_nothing_to_lint(run: Run) -> None:
    result = checked(run)
    assert (result.status, result.json["warnings"], result.json["problems"]) == (0, [], [])
