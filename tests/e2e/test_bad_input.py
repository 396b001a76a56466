"""Bad input gives one clear error with its place, exit 2 or 3, and leaves nothing half-written."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests_support import Run

TASK = "LEDG-0042"
PRD = "datarim/prd/PRD-LEDG-0042.md"
Example = Callable[[str], Path]


def _error(run: Run, *arguments: str, cwd: Path, status: int) -> dict[str, str]:
    """The error of a failed run, as JSON; on the text side there is no traceback and nothing on standard output."""
    told = run("dr-verify", *arguments, "--floor-only", cwd=cwd)
    assert told.returncode == status, told.stdout + told.stderr
    assert "Traceback" not in told.stderr
    assert told.stdout == ""
    result = run("dr-verify", *arguments, "--floor-only", "--json", cwd=cwd)
    assert result.returncode == status
    error: dict[str, str] = json.loads(result.stdout)["error"]
    assert error["code"]
    assert error["message"]
    assert error["next"]
    return error


def _logs(root: Path) -> list[str]:
    folder = root / "datarim" / "qa"
    return sorted(os.listdir(folder)) if folder.exists() else []


def test_outside_of_a_workspace_the_error_says_what_to_do(run: Run, tmp_path: Path) -> None:
    error = _error(run, TASK, cwd=tmp_path, status=2)
    assert error["code"] == "workspace_not_found"
    assert "--workspace" in error["next"]


def test_a_relative_workspace_is_found_from_the_current_directory(run: Run, example: Example) -> None:
    root = example("ledger-repaired")
    result = run("dr-verify", TASK, "--floor-only", "--no-write", "--workspace", f"../{root.name}/src", cwd=root)
    assert result.returncode == 0
    relative = run("dr-verify", TASK, "--floor-only", "--no-write", "--cwd", root.name, cwd=root.parent)
    assert relative.returncode == 0


@pytest.mark.parametrize("task_id", ["../LEDG-0042", "LEDG-0042\n", "ledg-0042", "LEDG", "LEDG-0042/../X-1", "ＡＢ-1"])
def test_what_is_no_task_id_is_refused_before_anything_is_read(run: Run, example: Example, task_id: str) -> None:
    root = example("ledger-repaired")
    assert _error(run, task_id, cwd=root, status=2)["code"] == "invalid_task_id"
    assert _logs(root) == []


def test_a_task_that_is_nowhere_is_no_pass(run: Run, example: Example) -> None:
    root = example("ledger-repaired")
    assert _error(run, "LEDG-9999", cwd=root, status=2)["code"] == "task_not_found"


def test_a_prd_of_fifty_megabytes_is_not_read(run: Run, example: Example) -> None:
    root = example("ledger-repaired")
    with open(root / PRD, "wb") as file:
        file.truncate(50 * 1024 * 1024)
    error = _error(run, TASK, cwd=root, status=2)
    assert error["code"] == "file_too_large"
    assert PRD in (error["place"] or error["message"])
    assert _logs(root) == []


def test_invalid_utf8_is_named_with_its_place(run: Run, example: Example) -> None:
    root = example("ledger-repaired")
    with open(root / PRD, "ab") as file:
        file.write(b"broken \xff here\n")
    error = _error(run, TASK, cwd=root, status=2)
    assert error["code"] == "invalid_utf8"
    assert PRD in error["place"]


def test_an_artifact_that_links_out_of_the_workspace_is_not_read(run: Run, example: Example, tmp_path: Path) -> None:
    root = example("ledger-repaired")
    secret = tmp_path / "secret.md"
    secret.write_text("- AC-1: secret\n")
    (root / PRD).unlink()
    (root / PRD).symlink_to(secret)
    error = _error(run, TASK, cwd=root, status=2)
    assert error["code"] == "path_outside_workspace"
    assert "AC-1" not in json.dumps(error)


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("base: {id: verify.flor, version: '>=1'}\nremove: [/checks/shellcheck]", "unknown_document", 6),
        ("base: {id: verify.floor, version: '>=1'}\nset: {/checks/shellcheck/enabeld: false}", "wrong_shape", 7),
        ("base: {id: verify.floor, version: '>=1'}\nset: {/checks/shellcheck/enabled: no}", "ambiguous_scalar", 7),
    ],
)
def test_a_policy_with_a_typo_is_an_error_with_file_and_line(
    run: Run, example: Example, text: str, code: str, line: int
) -> None:
    root = example("ledger-repaired")
    head = "policy: v1\nkind: overlay\nid: repo.x\nversion: 1.0.0\ntitle: t\n"
    (root / ".dr/policies/typo.yaml").write_text(f"{head}{text}\n")
    error = _error(run, TASK, cwd=root, status=2)
    assert error["code"] == code
    assert error["place"].startswith(f".dr/policies/typo.yaml:{line}:")
    assert _logs(root) == []


def test_words_that_the_policies_do_not_know_are_wrong_usage(run: Run, example: Example) -> None:
    root = example("ledger-repaired")
    for option in (["--stage", "plan "], ["--fail-on", "grave"], ["--external-verifier", "pass"], ["--max-iter", "0"]):
        result = run("dr-verify", TASK, "--floor-only", *option, cwd=root)
        assert result.returncode == 2, option
        assert result.stdout == ""


def test_the_floor_prints_nothing_on_wrong_usage(run: Run, example: Example) -> None:
    root = example("ledger-repaired")
    for arguments in (["floor"], ["floor", "--task", "../x"], ["floor", "--task", TASK, "--stage", "no"]):
        result = run("dr-verify", *arguments, cwd=root)
        assert (result.returncode, result.stdout) == (2, "")


# A child runs the command once, so that everything is imported, gives up its rights, and runs it again: as root,
# permissions would not hold, and without its rights it may not be able to read the interpreter's own modules.
_UNPRIVILEGED = """
import contextlib, io, os, sys
from verify.commands.main import main
os.environ["DR_VERIFY_CACHE_DIR"] = "/dev/null/none"  # no cache: each run imports what a cold one needs
sys.argv.append("--no-write")
silent = io.TextIOWrapper(io.BytesIO())
with contextlib.suppress(SystemExit), contextlib.redirect_stdout(silent):
    main()
sys.argv.remove("--no-write")
import verify.audit.writer
from toolkit.sources import loading
os.environ["XDG_CONFIG_HOME"] = "/dev/null/none"  # root's own policies are nobody else's to look for
kept = loading.read_shipped()
loading.read_shipped = lambda: kept
if os.getuid() == 0:
    os.setgid(65534); os.setuid(65534)
main()
"""


def test_a_log_folder_that_may_not_be_written_is_undetermined(example: Example, environment: dict[str, str]) -> None:
    root = example("ledger-repaired")
    folder = root / "datarim" / "qa"
    folder.mkdir(exist_ok=True)
    folder.chmod(0o555)
    for parent in (root, *root.parents):
        if parent.stat().st_uid == os.getuid() and parent != Path("/"):
            parent.chmod(parent.stat().st_mode | 0o055)
    arguments = [sys.executable, "-c", _UNPRIVILEGED, TASK, "--stage", "prd", "--floor-only", "--no-commands", "--json"]
    result = subprocess.run(arguments, cwd=root, env=environment, capture_output=True, encoding="utf-8", check=False)
    folder.chmod(0o755)
    assert result.returncode == 3, result.stderr
    error = json.loads(result.stdout)["error"]
    assert error["code"] == "not_writable"
    assert "qa" in error["place"]
    assert _logs(root) == []


def test_a_full_disk_leaves_no_log_and_no_temporary_file(example: Example, environment: dict[str, str]) -> None:
    root = example("ledger")

    def small_files_only() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))

    program = str(Path(sys.executable).parent / "dr-verify")
    arguments = [program, TASK, "--floor-only", "--no-commands", "--json"]
    result = subprocess.run(
        arguments,
        cwd=root,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        preexec_fn=small_files_only,
        check=False,
    )
    assert result.returncode == 3, result.stderr
    assert json.loads(result.stdout)["error"]["code"] in ("file_too_large", "no_space")
    assert _logs(root) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
@pytest.mark.parametrize(
    "arguments", [["stats"], ["floor", "--task", TASK, "--no-commands"], ["audit", "list"], ["resolve-provider"]]
)
def test_an_output_that_can_t_be_written_is_told_once_and_in_our_words(
    arguments: list[str], example: Example, environment: dict[str, str]
) -> None:
    program = str(Path(sys.executable).parent / "dr-verify")
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [program, *arguments],
            cwd=example("ledger"),
            env=environment,
            stdout=full,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            check=False,
        )
    assert result.returncode == 3
    assert result.stderr.count("output_not_writable") == 1
    assert "Exception ignored" not in result.stderr


def test_eight_runs_at_once_all_leave_their_log(example: Example, environment: dict[str, str]) -> None:
    root = example("ledger-repaired")
    program = str(Path(sys.executable).parent / "dr-verify")
    arguments = [program, TASK, "--floor-only", "--no-commands"]
    running = [subprocess.Popen(arguments, cwd=root, env=environment, stdout=subprocess.DEVNULL) for _ in range(8)]
    assert [process.wait() for process in running] == [0] * 8
    assert _logs(root) == sorted(f"verify-{TASK}-all-{n}.md" for n in range(1, 9))
