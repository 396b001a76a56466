"""One bounded child process, or several at once, with real programs that misbehave."""

from __future__ import annotations

import gc
import os
import select
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolkit.errors import ProcessError
from toolkit.processes import supervision
from toolkit.processes.process import Completed, Keep, Running, find_program, run, scrubbed, start, wait_all

AMPLE = 300_000  # never reached, however busy the machine is
SHORT = 100  # for programs that do nothing but outlast it


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a program is waited for takes as long as it takes: no test here passes only on an idle machine."""
    for name in ("GRACE", "DRAIN", "KILL_WAIT"):
        monkeypatch.setattr(supervision, name, AMPLE / 1000)


@pytest.fixture
def no_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """For programs that do not end when they are asked to."""
    monkeypatch.setattr(supervision, "GRACE", 0.1)


@pytest.fixture
def no_drain(monkeypatch: pytest.MonkeyPatch) -> None:
    """For programs whose descendants keep the pipes open."""
    monkeypatch.setattr(supervision, "DRAIN", 0.1)


@pytest.fixture
def shell(tmp_path: Path) -> Callable[..., Completed]:
    def run_script(script: str, timeout_ms: int = AMPLE, **options: Any) -> Completed:
        return run(["sh", "-c", script], **settings(tmp_path, timeout_ms), **options)

    return run_script


def settings(cwd: Path, timeout_ms: int = AMPLE, output_limit: int = 1000) -> dict[str, Any]:
    return {"cwd": cwd, "env": dict(os.environ), "timeout_ms": timeout_ms, "output_limit": output_limit}


def begin(cwd: Path, script: str, timeout_ms: int = AMPLE) -> Running:
    return start(["sh", "-c", script], **settings(cwd, timeout_ms))


def overdue(cwd: Path, script: str) -> Completed:
    """How ``script`` ends whose deadline passes just when it has written to ``ready``."""
    ready = fifo(cwd)
    running = begin(cwd, script)
    ready.read_text()
    running._supervisor._until = 0.0
    return running.wait()


def has_ended(pid: int, within: float = AMPLE / 1000) -> bool:
    """Whether ``pid`` ends in time (or has ended), asked of the kernel and not by polling."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], within)[0])
    finally:
        os.close(descriptor)


def fifo(directory: Path) -> Path:
    """A named pipe: who reads it waits until the program has got as far as writing to it."""
    path = directory / "ready"
    os.mkfifo(path)
    return path


# --- how a program ended ---------------------------------------------------------------------------------------------


def test_both_streams_and_the_exit_code_are_reported(shell: Callable[..., Completed]) -> None:
    ended = shell("echo out; echo err >&2; exit 3")
    assert (ended.exit_code, ended.signal, ended.timed_out) == (3, None, False)
    assert (ended.stdout, ended.stderr) == (b"out\n", b"err\n")
    assert (ended.stdout_truncated, ended.stderr_truncated) == (False, False)


def test_a_killed_program_has_a_signal_and_no_exit_code(shell: Callable[..., Completed]) -> None:
    ended = shell("kill -9 $$")
    assert (ended.exit_code, ended.signal) == (None, signal.SIGKILL)


def test_merged_streams_keep_the_order_of_writing(shell: Callable[..., Completed]) -> None:
    ended = shell("echo 1; echo 2 >&2; echo 3", merge=True)
    assert (ended.stdout, ended.stderr) == (b"1\n2\n3\n", b"")


def test_arguments_reach_the_program_byte_for_byte(tmp_path: Path) -> None:
    hostile = ["a b", "$(touch x)", "-n", "new\nline", os.fsdecode(b"\xff\xfe"), ""]
    ended = run(["printf", "%s|", *hostile], **settings(tmp_path))
    assert ended.stdout == b"|".join(os.fsencode(item) for item in hostile) + b"|"
    assert list(tmp_path.iterdir()) == []


def test_a_program_gets_exactly_the_environment_it_is_given(tmp_path: Path) -> None:
    ended = run(["/usr/bin/env"], cwd=tmp_path, env={"ONLY": "this"}, timeout_ms=AMPLE, output_limit=1000)
    assert ended.stdout == b"ONLY=this\n"


def test_a_lost_exit_status_is_not_taken_for_success(tmp_path: Path) -> None:
    """Where SIGCHLD is ignored the system keeps no status; the standard library then says 0."""
    program = """
        import signal, sys
        from pathlib import Path
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        from toolkit.processes.process import run
        bounds = {"timeout_ms": 300000, "output_limit": 9}
        ended = run(["sh", "-c", "exit 7"], cwd=Path("."), env={"PATH": "/usr/bin:/bin"}, **bounds)
        print(ended.exit_code, ended.signal)
    """
    assert in_a_child(program) == "None None\n"


def in_a_child(program: str) -> str:
    command = [sys.executable, "-c", textwrap.dedent(program)]
    ended = subprocess.run(command, cwd=Path(__file__).parents[3], capture_output=True, text=True, check=True)
    assert ended.stderr == ""
    return ended.stdout


# --- the deadline ----------------------------------------------------------------------------------------------------


def test_a_program_that_hangs_is_ended_at_its_deadline(shell: Callable[..., Completed], tmp_path: Path) -> None:
    ended = shell("exec sleep 600", SHORT)
    assert (ended.timed_out, ended.signal) == (True, signal.SIGTERM)
    ended = overdue(tmp_path, "echo begun; echo > ready; exec sleep 600")
    assert (ended.timed_out, ended.signal, ended.stdout) == (True, signal.SIGTERM, b"begun\n")


def test_a_program_may_tidy_up_when_its_time_is_over(tmp_path: Path) -> None:
    # The child says itself that it is ready: just forked it still has its parent's trap, and would lose a signal.
    child = "(trap - TERM; echo > ready; exec sleep 600)"
    tidying = f"trap 'kill $!; echo tidied; exit 5' TERM; echo begun; {child} & wait"
    ended = overdue(tmp_path, tidying)
    assert (ended.timed_out, ended.exit_code) == (True, 5)
    assert ended.stdout == b"begun\ntidied\n"


@pytest.mark.usefixtures("no_grace")
def test_a_program_that_ignores_sigterm_is_killed(tmp_path: Path) -> None:
    ended = overdue(tmp_path, "trap '' TERM; echo > ready; while :; do sleep 600; done")
    assert ended.timed_out
    assert ended.signal == signal.SIGKILL


@pytest.mark.usefixtures("no_grace")
def test_the_grandchildren_die_with_the_program(tmp_path: Path) -> None:
    ended = overdue(tmp_path, "trap '' TERM; sleep 600 & echo $!; echo > ready; wait; wait")
    assert ended.timed_out
    assert has_ended(int(ended.stdout))


@pytest.mark.usefixtures("no_grace")
def test_a_flood_does_not_keep_the_deadline_from_being_kept(tmp_path: Path) -> None:
    flood = "trap '' TERM; head -c 2000 /dev/zero; echo > ready; while :; do echo yyyyyyyyyyyyyyyyyyyyyyy; done"
    ended = overdue(tmp_path, flood)
    assert ended.timed_out
    assert ended.stdout_truncated


# --- descendants that hold the pipe ----------------------------------------------------------------------------------


@pytest.mark.usefixtures("no_drain")
def test_a_grandchild_that_keeps_the_pipe_open_does_not_hold_the_caller(shell: Callable[..., Completed]) -> None:
    ended = shell("sleep 600 & echo $!")
    assert (ended.exit_code, ended.timed_out) == (0, False)
    assert has_ended(int(ended.stdout))


@pytest.mark.usefixtures("no_drain")
def test_a_grandchild_in_a_session_of_its_own_does_not_hold_the_caller(
    shell: Callable[..., Completed], tmp_path: Path
) -> None:
    fifo(tmp_path)
    ended = shell("setsid sh -c 'echo $$; echo > ready; exec sleep 600' & cat ready; exit 4")
    assert (ended.exit_code, ended.timed_out) == (4, False)
    stray = int(ended.stdout)
    os.kill(stray, signal.SIGKILL)
    assert has_ended(stray)


def test_what_a_background_filter_still_prints_after_the_end_is_kept(shell: Callable[..., Completed]) -> None:
    ended = shell("(sleep 0.05; echo late) & exit 0")
    assert ended.stdout == b"late\n"


def test_a_program_may_close_its_streams_and_work_on(shell: Callable[..., Completed]) -> None:
    ended = shell("exec >&- 2>&-; sleep 0.1; exit 6")
    assert ended.exit_code == 6


# --- the size of the output ------------------------------------------------------------------------------------------


def test_200_megabytes_cost_bounded_memory_and_do_not_block_the_program() -> None:
    program = """
        import os, resource
        from pathlib import Path
        from toolkit.processes.process import Keep, run
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        script = "head -c 200000000 /dev/zero; head -c 200000000 /dev/zero >&2; exit 9"
        bounds = {"timeout_ms": 300000, "output_limit": 1000000}
        for keep in Keep:
            ended = run(["sh", "-c", script], cwd=Path("."), env=dict(os.environ), keep=keep, **bounds)
            print(ended.exit_code, ended.stdout_truncated, ended.stderr_truncated, len(ended.stdout), len(ended.stderr))
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    """
    *ended, grown = in_a_child(program).splitlines()
    assert ended == ["9 True True 1000000 1000000"] * 2
    assert int(grown) < 20_000  # KiB


def test_the_first_bytes_stay_by_default_and_the_last_on_request(shell: Callable[..., Completed]) -> None:
    script = "seq 1 100000"
    first = shell(script)
    last = shell(script, keep=Keep.LAST)
    assert (first.stdout[:4], last.stdout[-7:]) == (b"1\n2\n", b"100000\n")
    assert len(first.stdout) == len(last.stdout) == 1000
    assert (first.stdout_truncated, last.stdout_truncated) == (True, True)


@pytest.mark.parametrize("keep", list(Keep))
def test_output_of_exactly_the_limit_is_whole(shell: Callable[..., Completed], keep: Keep) -> None:
    ended = shell("head -c 1000 /dev/zero", keep=keep)
    assert len(ended.stdout) == 1000
    assert not ended.stdout_truncated


# --- standard input --------------------------------------------------------------------------------------------------


def test_standard_input_is_empty_unless_it_is_given(shell: Callable[..., Completed]) -> None:
    assert shell("cat; echo end").stdout == b"end\n"


def test_megabytes_of_input_and_output_do_not_deadlock(tmp_path: Path) -> None:
    data = os.urandom(3_000_000)
    ended = run(["cat"], **settings(tmp_path, output_limit=len(data)), stdin=data)
    assert ended.stdout == data


def test_a_program_need_not_read_its_input(shell: Callable[..., Completed]) -> None:
    assert shell("exit 2", stdin=b"x" * 3_000_000).exit_code == 2
    assert shell("exec <&-; sleep 0.1; exit 2", stdin=b"x" * 3_000_000).exit_code == 2


def test_an_input_that_is_never_read_does_not_pass_the_deadline(shell: Callable[..., Completed]) -> None:
    assert shell("exec sleep 600", SHORT, stdin=b"x" * 3_000_000).timed_out


def test_empty_input_is_an_end_of_file(shell: Callable[..., Completed]) -> None:
    assert shell("cat; echo end", stdin=b"").stdout == b"end\n"


# --- several at once, and interrupts ---------------------------------------------------------------------------------


def test_programs_that_are_started_run_at_the_same_time(tmp_path: Path) -> None:
    """Each waits for the other: one after the other they would never end."""
    os.mkfifo(tmp_path / "a")
    os.mkfifo(tmp_path / "b")
    first = begin(tmp_path, "echo 1 > a; cat b")
    second = begin(tmp_path, "cat a; echo 2 > b")
    assert [ended.stdout for ended in wait_all([first, second])] == [b"2\n", b"1\n"]


def test_a_program_is_not_held_up_while_its_caller_does_something_else(tmp_path: Path) -> None:
    """A megabyte is more than a pipe holds: the program reaches its last line only if somebody drains the pipe."""
    ready = fifo(tmp_path)
    running = begin(tmp_path, "head -c 1000000 /dev/zero; echo done > ready")
    assert ready.read_text() == "done\n"
    assert running.wait().stdout_truncated


def test_the_deadline_is_kept_while_nobody_waits(tmp_path: Path) -> None:
    running = begin(tmp_path, "exec sleep 600", SHORT)
    assert has_ended(running.pid)
    assert running.wait().timed_out


def test_waiting_twice_gives_the_same(tmp_path: Path) -> None:
    running = begin(tmp_path, "exit 3")
    assert running.wait() == running.wait()


def test_a_stopped_program_is_gone_and_not_called_late(tmp_path: Path) -> None:
    running = begin(tmp_path, "exec sleep 600")
    running.stop()
    running.stop()
    assert has_ended(running.pid, within=0)
    ended = running.wait()
    assert (ended.signal, ended.timed_out) == (signal.SIGTERM, False)


def test_leaving_a_with_block_by_an_exception_leaves_nothing_running(tmp_path: Path) -> None:
    with pytest.raises(LookupError), begin(tmp_path, "exec sleep 600") as running:
        raise LookupError
    assert has_ended(running.pid, within=0)


@pytest.mark.usefixtures("no_grace")
def test_an_interrupt_while_waiting_ends_all_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The signal is sent from another thread, as soon as this one is about to wait."""
    ready = fifo(tmp_path)
    running = [begin(tmp_path, "trap '' TERM; echo > ready; sleep 600"), begin(tmp_path, "exec sleep 600")]
    ready.read_text()
    main = threading.main_thread().ident
    assert main is not None
    about_to_wait = threading.Event()

    def interrupt() -> None:
        about_to_wait.wait()
        signal.pthread_kill(main, signal.SIGINT)

    join = supervision.Supervisor.join

    def told(supervisor: supervision.Supervisor) -> None:
        about_to_wait.set()
        join(supervisor)

    monkeypatch.setattr(supervision.Supervisor, "join", told)
    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        wait_all(running)
    assert all(has_ended(handle.pid, within=0) for handle in running)


def test_a_handle_that_is_dropped_takes_its_program_with_it(tmp_path: Path) -> None:
    running = begin(tmp_path, "exec sleep 600")
    pid = running.pid
    del running
    gc.collect()
    assert has_ended(pid)


def test_nothing_outlives_an_interpreter_that_ends_without_waiting(tmp_path: Path) -> None:
    program = """
        import os
        from pathlib import Path
        from toolkit.processes.process import start
        kept = start(["sleep", "600"], cwd=Path("."), env=dict(os.environ), timeout_ms=3000000, output_limit=9)
        print(kept.pid)
    """
    assert has_ended(int(in_a_child(program)))


LEFT_BEHIND = """
import os
from pathlib import Path
from toolkit.processes.process import run
bounds = {"cwd": Path("."), "env": dict(os.environ), "output_limit": 1000}
run(["cat"], **bounds, timeout_ms=300000, stdin=b"x")
before = sorted(os.listdir("/proc/self/fd"))
for _ in range(5):
    run(["cat"], **bounds, timeout_ms=300000, stdin=b"x")
    run(["sleep", "600"], **bounds, timeout_ms=1)
print(sorted(os.listdir("/proc/self/fd")) == before)
try:
    print(os.waitpid(-1, os.WNOHANG))
except ChildProcessError:
    print("no child")
"""


def test_no_descriptor_and_no_zombie_is_left(tmp_path: Path) -> None:
    """In a process of its own: what other tests have open or running must not count."""
    argv = [sys.executable, "-c", LEFT_BEHIND]
    told = subprocess.run(argv, cwd=tmp_path, capture_output=True, encoding="utf-8", check=True)
    assert told.stdout == "True\nno child\n"


# --- systems without a pidfd -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("without_waitid", [False, True])
def test_all_this_holds_where_the_kernel_has_no_pidfd(
    shell: Callable[..., Completed], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without_waitid: bool
) -> None:
    def refuse(_: int) -> int:
        raise OSError("not implemented")

    monkeypatch.setattr(supervision.os, "pidfd_open", refuse)
    if without_waitid:
        monkeypatch.delattr(supervision.os, "waitid")
    assert shell("echo out; exit 3").exit_code == 3
    assert shell("exec >&- 2>&-; sleep 0.1; exit 6").exit_code == 6
    monkeypatch.setattr(supervision, "GRACE", 0.1)
    assert overdue(tmp_path, "trap '' TERM; echo > ready; while :; do sleep 600; done").signal == signal.SIGKILL
    monkeypatch.setattr(supervision, "DRAIN", 0.1)
    ended = shell("sleep 600 & echo $!; exit 4")
    assert (ended.exit_code, ended.timed_out) == (4, False)
    monkeypatch.undo()
    assert has_ended(int(ended.stdout))


# --- programs that do not start --------------------------------------------------------------------------------------


def refused(argv: list[str], cwd: Path) -> str:
    with pytest.raises(ProcessError) as caught:
        run(argv, **settings(cwd))
    assert caught.value.next_step
    return caught.value.code


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    assert refused(["no-such-program"], tmp_path) == "program_not_found"
    assert refused(["./no-such-program"], tmp_path) == "program_not_found"
    assert refused(["/no/such/program"], tmp_path) == "program_not_found"


@pytest.mark.parametrize(
    ("content", "mode"),
    [
        pytest.param(b"#!/bin/sh\n", 0o644, id="no-right"),
        pytest.param(b"#!/no/such/interpreter\n", 0o755, id="no-interpreter"),
        pytest.param(b"\x00\x01\x02", 0o755, id="no-program"),
    ],
)
def test_a_program_that_the_system_does_not_run(tmp_path: Path, content: bytes, mode: int) -> None:
    program = tmp_path / "program"
    program.write_bytes(content)
    program.chmod(mode)
    assert refused(["./program"], tmp_path) == "program_not_executable"


def test_a_directory_is_no_program(tmp_path: Path) -> None:
    assert refused([str(tmp_path)], tmp_path) == "program_not_executable"


def test_a_missing_working_directory_is_not_called_a_missing_program(tmp_path: Path) -> None:
    assert refused(["true"], tmp_path / "gone") == "working_directory_unusable"


def test_arguments_that_the_system_refuses(tmp_path: Path) -> None:
    assert refused(["true", "nul\0byte"], tmp_path) == "program_not_started"
    assert refused(["true", "x" * 10_000_000], tmp_path) == "program_not_started"


# --- finding programs, and the environment ---------------------------------------------------------------------------


def test_a_relative_entry_of_the_path_runs_nothing_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = tmp_path / "trap"
    trap.write_text("#!/bin/sh\necho sprung\n")
    trap.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    for path in (".", "", ":/bin", "bin/.."):
        assert find_program("trap", {"PATH": path}) is None
    assert find_program("trap", {"PATH": f".:{tmp_path}"}) == str(trap)


def test_what_is_on_the_path_and_can_not_be_run_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "tool").write_text("")
    (tmp_path / "sh").mkdir()
    assert find_program("tool", {"PATH": str(tmp_path)}) is None
    assert find_program("sh", {"PATH": f"{tmp_path}:/bin"}) == "/bin/sh"


def test_an_entry_of_path_that_cannot_be_looked_at_is_passed_over() -> None:
    assert find_program("sh", {"PATH": f"/{'x' * 300}:/bin"}) == "/bin/sh"


def test_git_variables_are_scrubbed_and_others_stay() -> None:
    environment = {"GIT_DIR": "x", "GIT_INDEX_FILE": "y", "GITHUB_TOKEN": "t", "PATH": "/bin"}
    assert scrubbed(environment) == {"GITHUB_TOKEN": "t", "PATH": "/bin"}
