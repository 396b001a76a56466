"""The check ``command``: a team's own command, with real processes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from policy_support import POLICY_LAYER

from toolkit.policy.loading.shaped import validator_of
from toolkit.policy.sets import PolicySet
from toolkit.shipped import shipped_shapes
from verify.evidence import FindingLimits
from verify.floor.check import CheckEntry, CheckResult, FloorContext
from verify.floor.command import command, last_words
from verify.floor.entries import BUILT_IN
from verify.task import find_workspace, load_task

TASK = "ABC-0001"
LIMITS = FindingLimits(200, 8, "[truncated]", 500, 4096)
Run = Callable[..., CheckResult]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "workspace"
    (root / "datarim/tasks").mkdir(parents=True)
    (root / f"datarim/tasks/{TASK}-task-description.md").write_text(f"---\nid: {TASK}\ncomplexity: L3\n---\n# Task\n")
    return root


@pytest.fixture
def run(root: Path, policies: PolicySet) -> Run:
    def run_command(*argv: str, run_commands: bool = True, **parameters: object) -> CheckResult:
        entry = CheckEntry("unit-tests", "command", "high", "correctness", ("do",), {"argv": argv, **parameters})
        task = load_task(find_workspace(root), TASK, policies)
        return command(entry, FloorContext(task, "do", policies, run_commands=run_commands))

    return run_command


def script(root: Path, name: str, text: str) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


# --- what it says ----------------------------------------------------------------------------------------------------


def test_a_command_that_ends_as_expected_is_no_finding(run: Run) -> None:
    result = run("sh", "-c", "echo fine")
    assert (result.status, result.findings) == ("ran", ())
    assert result.detail.startswith("exit 0 after ")


def test_an_unexpected_exit_is_one_finding_with_the_severity_of_the_entry(run: Run) -> None:
    result = run("sh", "-c", "echo one failed; exit 3")
    (finding,) = result.findings
    assert result.status == "ran"
    assert finding.to_json() == {
        "finding_id": "",
        "source_layer": "floor",
        "artifact_ref": f"datarim/tasks/{TASK}-task-description.md:1",
        "ac_criteria": [],
        "severity": "high",
        "category": "correctness",
        "evidence": {"type": "test_output", "source": "command:unit-tests", "excerpt": "one failed"},
        "suggested_fix": "`sh -c 'echo one failed; exit 3'` must exit 0; it exits 3",
        "check_name": "command:unit-tests",
    }


def test_the_expected_status_need_not_be_zero(run: Run) -> None:
    assert run("sh", "-c", "exit 3", expected_exit=[0, 3]).findings == ()
    (finding,) = run("sh", "-c", "exit 0", expected_exit=[1, 3]).findings
    assert str(finding.suggested_fix).endswith("must exit 1 or 3; it exits 0")


def test_a_silent_failure_has_evidence_too(run: Run) -> None:
    (finding,) = run("sh", "-c", "printf ' \\n\\n'; exit 3").findings
    assert finding.evidence.excerpt == "exit 3, no output"


def test_the_finding_points_at_the_artifact_that_the_policy_names(run: Run) -> None:
    (finding,) = run("false", artifact="tests/test_all.py").findings
    assert finding.artifact_ref == "tests/test_all.py:1"


def test_the_end_of_a_long_output_is_the_evidence(run: Run) -> None:
    (finding,) = run("sh", "-c", "seq 1 1000000; echo '3 failed, 2 passed' >&2; echo; exit 1").findings
    excerpt = str(finding.evidence.excerpt)
    assert excerpt.endswith("999999\n1000000\n3 failed, 2 passed")
    numbers = excerpt.splitlines()[:-1]
    assert numbers == [str(number) for number in range(1_000_001 - len(numbers), 1_000_001)]
    assert 190 <= len(excerpt) <= 200


def test_a_last_line_that_is_too_long_keeps_its_beginning(run: Run) -> None:
    (finding,) = run("sh", "-c", "echo first; printf 'error: %0300d\\n' 7; exit 1").findings
    excerpt = str(finding.evidence.excerpt)
    assert excerpt.startswith("error: 000")
    assert excerpt.endswith("[truncated]")
    assert len(excerpt) == 200


def test_a_long_argument_list_is_cut_and_not_refused(run: Run) -> None:
    (finding,) = run("false", "x" * 5000).findings
    assert len(str(finding.suggested_fix)) == 500


# --- how it is run ---------------------------------------------------------------------------------------------------


def test_it_runs_in_the_workspace_and_knows_task_and_stage(
    run: Run, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", "/somewhere/else")
    monkeypatch.setenv("OWN_VARIABLE", "kept")
    told = 'pwd; echo "$DR_TASK_ID $DR_STAGE $OWN_VARIABLE ${GIT_DIR-unset}"; exit 1'
    (finding,) = run("sh", "-c", told).findings
    assert finding.evidence.excerpt == f"{os.path.realpath(root)}\n{TASK} do kept unset"


def test_arguments_are_never_read_by_a_shell(run: Run, root: Path) -> None:
    before = sorted(root.rglob("*"))
    (finding,) = run("sh", "-c", 'printf "%s\\n" "$@"; exit 1', "sh", "$(touch x)", "a; touch y", "*").findings
    assert finding.evidence.excerpt == "$(touch x)\na; touch y\n*"
    assert sorted(root.rglob("*")) == before


def test_standard_input_is_empty(run: Run) -> None:
    assert run("cat").findings == ()


def test_a_program_of_the_workspace_is_named_by_its_path(run: Run, root: Path) -> None:
    script(root, "tools/check.sh", "echo from the workspace; exit 1")
    for name in ("tools/check.sh", "./tools/check.sh", str(root / "tools/check.sh")):
        (finding,) = run(name).findings
        assert finding.evidence.excerpt == "from the workspace"


def test_a_bare_name_runs_nothing_from_the_workspace(run: Run, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(root, "trap", "exit 0")
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}:")
    assert run("trap").status == "could-not-run"


# --- what could not be run is never clean ----------------------------------------------------------------------------


def could_not_run(result: CheckResult) -> str:
    assert (result.status, result.findings) == ("could-not-run", ())
    return result.detail


def test_commands_can_be_switched_off(run: Run, root: Path) -> None:
    script(root, "check.sh", "touch ran")
    assert could_not_run(run("./check.sh", run_commands=False)) == "switched off by --no-commands"
    assert not (root / "ran").exists()


def test_a_command_that_is_not_there(run: Run) -> None:
    assert "no-such-program" in could_not_run(run("no-such-program"))
    assert "missing.sh" in could_not_run(run("./missing.sh"))


def test_a_command_that_the_system_does_not_run(run: Run, root: Path) -> None:
    script(root, "check.sh", "exit 0").chmod(0o644)
    assert "check.sh" in could_not_run(run("./check.sh"))


def test_a_link_is_called_by_its_own_name(run: Run, root: Path) -> None:
    """As the python of a virtual environment is: resolved, it would be another program."""
    (root / ".venv").mkdir()
    (root / ".venv" / "sh").symlink_to("/bin/sh")
    (finding,) = run(".venv/sh", "-c", 'echo "$0"; exit 1').findings
    assert finding.evidence.excerpt == f"{os.path.realpath(root)}/.venv/sh"


def test_a_command_outside_of_the_workspace_is_not_run(run: Run, root: Path, tmp_path: Path) -> None:
    script(tmp_path, "outside.sh", f"touch '{root}/ran'")
    for name in ("../outside.sh", "datarim/../../outside.sh"):
        assert "leads out of the workspace" in could_not_run(run(name))
    assert not (root / "ran").exists()


def test_a_command_that_does_not_end(run: Run) -> None:
    assert could_not_run(run("sleep", "600", timeout_ms=50)) == "no end within 50 ms"


def test_a_command_that_is_killed(run: Run) -> None:
    assert could_not_run(run("sh", "-c", "echo all passed; kill -9 $$")) == "killed by signal 9"


# --- what an entry may say --------------------------------------------------------------------------------------------


def shape_faults(uses: str, parameters: dict[str, object]) -> list[str]:
    """Where the shape of ``verify.floor`` refuses an entry."""
    record = {"id": "c", "uses": uses, "severity": "low", "category": "safety", "stages": ["do"], "with": parameters}
    shape = json.loads(shipped_shapes()["verify.floor"])
    faults = validator_of(shape).iter_errors({"all_means": ["do"], "checks": [POLICY_LAYER, record]})
    return ["/".join(map(str, fault.instance_path[2:])) for fault in faults]


def test_the_shape_knows_the_checks_that_there_are() -> None:
    shape = json.loads(shipped_shapes()["verify.floor"])
    assert shape["properties"]["checks"]["items"]["properties"]["uses"]["enum"] == sorted(BUILT_IN)
    assert shape_faults("comand", {}) == ["uses"]


@pytest.mark.parametrize("artifact", ["tests/test_all.py", "a", "..a/b..", "a/.../b", "./a b", "имя"])
def test_an_artifact_is_named_by_its_path_in_the_workspace(artifact: str) -> None:
    assert shape_faults("command", {"argv": ["true"], "artifact": artifact}) == []


@pytest.mark.parametrize("artifact", ["/etc/passwd", "..", "../x", "a/..", "a/../../x", "a\nb", "a\n", ""])
def test_an_artifact_does_not_leave_the_workspace(artifact: str) -> None:
    assert set(shape_faults("command", {"argv": ["true"], "artifact": artifact})) == {"with/artifact"}


# --- the last words --------------------------------------------------------------------------------------------------


def test_terminal_sequences_and_control_characters_are_left_out() -> None:
    output = "\x1b[31mFAILED\x1b[0m a\x1b]0;title\x07b\x1b(B\x08\x00c\u202ed\n\ttab\n"
    assert last_words(output, LIMITS) == "FAILED abcd\n\ttab"


def test_of_a_progress_line_each_state_is_a_line() -> None:
    assert last_words("10%\r50%\r\r\ndone\r\n", LIMITS) == "10%\n50%\ndone"


@given(st.text(st.characters() | st.sampled_from("\x1b[]0;m\x07\\\r\n"), max_size=500))
def test_they_fit_and_hold_nothing_that_a_terminal_would_obey(output: str) -> None:
    words = last_words(output, LIMITS)
    assert len(words) <= LIMITS.excerpt_max
    assert not set(words) & set("\x1b\x07\x08\r\x00\u202e")


@pytest.mark.parametrize("unit", ["\x1b[0", "\x1b]", "\x1b", "\x1b[", "\x1b \x1b]0;"])
def test_a_megabyte_of_unfinished_sequences_takes_linear_time(unit: str) -> None:
    assert len(last_words(unit * (1_000_000 // len(unit)), LIMITS)) <= LIMITS.excerpt_max
