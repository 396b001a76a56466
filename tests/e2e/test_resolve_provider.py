"""``dr-verify resolve-provider`` as a user and a script run it: three lines, exit statuses of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from tests_support import Run

SCHEMAS = Path(__file__).resolve().parents[2] / "docs" / "schemas"
COMMAND = ("dr-verify", "resolve-provider")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A workspace without configuration."""
    (tmp_path / "datarim").mkdir()
    return tmp_path


def configure(folder: Path, provider: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "config.yaml"
    path.write_text(f"peer_review:\n  provider: {provider}\n  fallback_model: sonnet\n")
    return path


def test_three_lines_and_nothing_else(run: Run, place: Path) -> None:
    result = run(*COMMAND, cwd=place)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == "sonnet\ncross_claude_family\nfallback_subagent\n"


def test_flag_project_user_and_fallback_in_this_order(run: Run, place: Path) -> None:
    home = place / "home"
    configure(home / ".config" / "datarim", "opus")
    configure(place / "datarim", "haiku")
    below = place / "src"
    below.mkdir()
    asked = (["--peer-provider=none"], [], ["--no-config"])
    answers = [run(*COMMAND, *arguments, cwd=below, HOME=str(home)).stdout.split() for arguments in asked]
    (place / "datarim" / "config.yaml").unlink()
    answers.append(run(*COMMAND, cwd=below, HOME=str(home)).stdout.split())
    assert answers == [
        ["none", "disabled", "cli_flag"],
        ["haiku", "cross_claude_family", "per_project_config"],
        ["sonnet", "cross_claude_family", "fallback_subagent"],
        ["opus", "same_model_isolated", "per_user_config"],
    ]


def test_the_answer_comes_before_the_warnings_for_who_reads_both_as_one(
    place: Path, environment: dict[str, str]
) -> None:
    project = configure(place / "datarim", "sonnet")
    user = configure(place / "home", "groq")
    program = str(Path(sys.executable).parent / "dr-verify")
    arguments = [program, "resolve-provider", "--project-config", str(project), "--user-config", str(user)]
    result = subprocess.run(
        arguments, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=True
    )
    first, second, third, warning = result.stdout.splitlines()
    assert (first, second, third) == ("sonnet", "cross_claude_family", "per_project_config")
    assert warning.startswith("WARN: ")


def test_the_codex_runtime_degrades_and_says_so(run: Run, place: Path) -> None:
    result = run(*COMMAND, "--project-config", "no.yaml", "--user-config", "no.yaml", cwd=place, CODEX_RUNTIME="1")
    assert result.stdout == "opus\nsame_model_isolated\nfallback_isolated\n"
    assert "WARN: Codex runtime detected, falling back to same_model_isolated mode\n" in result.stderr
    assert run(*COMMAND, cwd=place, CODEX_RUNTIME="0").stdout.startswith("sonnet\n")


def test_an_invalid_provider_exits_1_with_the_line_of_the_contract(run: Run, place: Path) -> None:
    line = "resolve-peer-provider: invalid provider 'groq' (whitelist: sonnet haiku opus none)\n"
    flag = run(*COMMAND, "--peer-provider", "groq", cwd=place)
    assert (flag.returncode, flag.stdout, flag.stderr) == (1, "", line)
    configure(place / "datarim", "groq")
    file = run(*COMMAND, cwd=place)
    assert (file.returncode, file.stdout) == (1, "")
    assert file.stderr.startswith(line)
    assert "datarim/config.yaml:2" in file.stderr


def test_a_cost_above_the_cap_exits_2_with_the_line_of_the_contract(run: Run, place: Path) -> None:
    result = run(*COMMAND, "--estimate-cost", "0.11", cwd=place)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "resolve-peer-provider: cost cap breach: estimated 0.11 > threshold 0.10\n"
    assert run(*COMMAND, "--estimate-cost", "0.10", cwd=place).returncode == 0
    assert run(*COMMAND, "--estimate-cost=0.11", cwd=place, PEER_REVIEW_COST_THRESHOLD="0.2").returncode == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["--bogus"],
        ["--peer-provider"],
        ["extra"],
        ["--no-config=1"],
        ["--cwd", "/nowhere/at/all"],
        ["--estimate-cost", "lots"],
        ["--project-config", "datarim"],
    ],
)
def test_wrong_usage_exits_1_and_never_the_status_of_the_cost_cap(arguments: list[str], run: Run, place: Path) -> None:
    result = run(*COMMAND, *arguments, cwd=place)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("resolve-peer-provider: ")
    as_json = run(*COMMAND, "--json", *arguments, cwd=place)
    assert as_json.returncode == 1
    assert json.loads(as_json.stdout)["error"]["message"]


def test_a_broken_configuration_names_file_and_line_and_resolves_to_nothing(run: Run, place: Path) -> None:
    (place / "datarim" / "config.yaml").write_text("peer_review:\n  provider: [haiku\n")
    result = run(*COMMAND, cwd=place)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("resolve-peer-provider: datarim/config.yaml:3: ")


def test_a_datarim_that_is_a_link_out_of_its_workspace_is_refused(run: Run, tmp_path: Path) -> None:
    configure(tmp_path / "elsewhere", "haiku")
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "datarim").symlink_to(tmp_path / "elsewhere")
    result = run(*COMMAND, cwd=tmp_path / "w")
    assert (result.returncode, result.stdout) == (1, "")


def test_json_holds_the_same_answer_and_its_warnings(run: Run, place: Path) -> None:
    configure(place / "datarim", "haiku")
    user = configure(place / "home", "opus")
    result = run(*COMMAND, "--json", "--user-config", str(user), cwd=place)
    document = json.loads(result.stdout)
    Draft202012Validator(json.loads((SCHEMAS / "dr-verify.resolve-provider.v1.json").read_bytes())).validate(document)
    assert (document["provider"], document["mode"], document["source_layer"]) == (
        "haiku",
        "cross_claude_family",
        "per_project_config",
    )
    assert len(document["warnings"]) == 1


def test_help_states_the_contract(run: Run, place: Path) -> None:
    result = run(*COMMAND, "--help", cwd=place)
    assert result.returncode == 0
    for word in ("Resolution chain", "cross_claude_family", "fallback_isolated", "PEER_REVIEW_COST_THRESHOLD", "cap"):
        assert word in result.stdout
    for status in ("0  resolved", "1  invalid provider", "2  cost cap breach"):
        assert status in result.stdout
