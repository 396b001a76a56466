"""The shims as a user installs and calls them, against the commands that they stand for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests_support import Run

SCHEMAS = Path(__file__).resolve().parents[2] / "docs" / "schemas"
PROGRAM = Path(sys.executable).parent / "dr-verify"
Example = Callable[[str], Path]
Call = Callable[..., "subprocess.CompletedProcess[str]"]


def held(name: str, text: str) -> Any:
    document = json.loads(text)
    Draft202012Validator(json.loads((SCHEMAS / f"{name}.json").read_bytes())).validate(document)
    return document


@pytest.fixture
def shims(run: Run, tmp_path: Path) -> Path:
    directory = tmp_path / "dev tools"
    result = run("dr-verify", "install", "shims", str(directory))
    assert result.returncode == 0, result.stderr
    return directory


@pytest.fixture
def call(shims: Path, environment: dict[str, str]) -> Call:
    """Calls a shim as a hook would, with an empty PATH."""

    def start(name: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [shims / name, *arguments],
            cwd=cwd,
            env={**environment, "PATH": ""},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    return start


@pytest.mark.parametrize(
    ("name", "command", "arguments"),
    [
        ("dr-verify-floor.sh", ("floor",), ("--task=LEDG-0042", "--stage=prd", "--no-commands")),
        ("dr-verify-floor.sh", ("floor",), ("--bogus",)),
        ("resolve-peer-provider.sh", ("resolve-provider",), ("--peer-provider", "haiku")),
        ("resolve-peer-provider.sh", ("resolve-provider",), ("--peer-provider", "groq")),
        ("resolve-peer-provider.sh", ("resolve-provider",), ("--estimate-cost", "0.2")),
        ("resolve-peer-provider.sh", ("resolve-provider",), ("--help",)),
        ("measure-prospective-rate.sh", ("stats", "--json"), ("--verify-dir", "datarim/qa", "--since", "2026-01-01")),
    ],
)
def test_a_shim_says_and_exits_as_its_command_does(
    name: str, command: tuple[str, ...], arguments: tuple[str, ...], call: Call, run: Run, example: Example
) -> None:
    root = example("ledger")
    (root / "datarim" / "qa").mkdir(exist_ok=True)
    shim = call(name, *arguments, cwd=root)
    direct = run("dr-verify", *command, *arguments, cwd=root)
    assert (shim.returncode, shim.stdout) == (direct.returncode, direct.stdout)


def test_the_floor_exits_with_its_number_of_high_findings(call: Call, example: Example) -> None:
    result = call("dr-verify-floor.sh", "--task", "LEDG-0042", cwd=example("ledger"))
    high = [json.loads(line)["severity"] for line in result.stdout.splitlines()].count("high")
    assert result.returncode == high
    assert high > 0


def test_both_streams_of_a_floor_name_the_rules_of_the_graph_in_findings_alone(call: Call, example: Example) -> None:
    result = call("dr-verify-floor.sh", "--task", "LEDG-0042", "--stage", "plan", cwd=example("ledger"))
    assert "[spec_graph graph-complete-l3] scanning" in result.stderr
    assert "dr-spec-lint:" not in result.stderr
    assert "spec-graph-gate:" not in result.stderr


def test_a_checklist_of_what_is_no_task_does_not_hold(call: Call, example: Example) -> None:
    result = call("check-expectations-checklist.sh", "--task", "foo", cwd=example("ledger"))
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("ERROR: invalid task_id 'foo': ")


def test_the_rates_are_printed_as_json_under_their_names(call: Call, example: Example) -> None:
    document = json.loads(call("measure-prospective-rate.sh", cwd=example("ledger")).stdout)
    assert {"cross_claude_family_rate", "same_model_isolated_rate"} <= document.keys()


def test_json_tells_what_was_done(run: Run, tmp_path: Path) -> None:
    directory = tmp_path / "bin"
    first = held("dr-verify.install.v1", run("dr-verify", "install", "shims", str(directory), "--json").stdout)
    assert {one["action"] for one in first["files"]} == {"created"}
    assert (first["directory"], first["program"]) == (str(directory), str(PROGRAM))
    second = held("dr-verify.install.v1", run("dr-verify", "install", "shims", str(directory), "--json").stdout)
    assert {one["action"] for one in second["files"]} == {"unchanged"}
    (directory / "dr-lint.sh").write_text("mine\n")
    left = run("dr-verify", "uninstall", "shims", "--json", str(directory))
    assert left.returncode == 1
    files = {one["name"]: one for one in held("dr-verify.uninstall.v1", left.stdout)["files"]}
    assert files["dr-lint.sh"]["reason"]
    assert [one["action"] for one in files.values()].count("removed") == len(files) - 1
    assert os.listdir(directory) == ["dr-lint.sh"]


def test_a_file_in_the_way_is_named_and_nothing_is_written(run: Run, tmp_path: Path) -> None:
    (tmp_path / "dr-trace.sh").write_text("theirs\n")
    result = run("dr-verify", "install", "shims", ".", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert "dr-trace.sh" in result.stderr
    assert "not_a_shim" in result.stderr
    assert os.listdir(tmp_path) == ["dr-trace.sh"]


def test_the_directory_is_meant_from_where_the_caller_works(run: Run, tmp_path: Path) -> None:
    assert run("dr-verify", "install", "shims", "bin", "--cwd", str(tmp_path), cwd=Path("/")).returncode == 0
    assert (tmp_path / "bin" / "dr-lint.sh").is_file()
    assert run("dr-verify", "uninstall", "shims", "bin", "--cwd", str(tmp_path), cwd=Path("/")).returncode == 0
    assert os.listdir(tmp_path / "bin") == []


def test_the_repository_around_does_not_say_what_is_installed(run: Run, tmp_path: Path) -> None:
    layer = tmp_path / ".dr" / "policies"
    layer.mkdir(parents=True)
    (layer / "shims.yaml").write_text(
        "policy: v1\nkind: overlay\nid: repo.shims\nversion: 1.0.0\ntitle: Ours\n"
        'base: {id: verify.shims, version: ">=1.0,<2"}\nset:\n  /shims/-: {name: ls.sh, command: [floor]}\n'
    )
    assert run("dr-verify", "install", "shims", "bin", cwd=tmp_path).returncode == 0
    assert not (tmp_path / "bin" / "ls.sh").exists()


@pytest.mark.parametrize("arguments", [[], ["missing/bin"], ["file"]])
def test_a_directory_that_cannot_be_is_refused(arguments: list[str], run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = run("dr-verify", "install", "shims", *arguments, cwd=tmp_path)
    assert result.returncode in {2, 3}
    assert result.stdout == ""
    assert os.listdir(tmp_path) == ["file"]


def test_every_shim_is_plain_shell(shims: Path) -> None:
    shellcheck = Path(sys.executable).parent / "shellcheck"
    files = sorted(map(str, shims.iterdir()))
    result = subprocess.run([shellcheck, "-s", "sh", *files], capture_output=True, encoding="utf-8", check=False)
    assert (result.returncode, result.stdout) == (0, "")


def test_an_empty_name_is_no_directory_to_install_into(run: Run, tmp_path: Path) -> None:
    for command in ("install", "uninstall"):
        result = run("dr-verify", command, "shims", "", cwd=tmp_path)
        assert (result.returncode, result.stdout, list(tmp_path.iterdir())) == (2, "", [])
