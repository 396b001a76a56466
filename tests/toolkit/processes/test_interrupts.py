"""Signals that end a program, sent to a real one whose children do not listen to them."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolkit.processes.interrupts import Interrupted, exit_status, terminated_as_interrupt, uninterrupted

ROOT = Path(__file__).parents[3]
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
WAITING = """
    import os, sys
    from pathlib import Path
    from tempfile import TemporaryDirectory
    from toolkit.processes.interrupts import exit_status, terminated_as_interrupt
    from toolkit.processes.process import run
    try:
        with terminated_as_interrupt(), TemporaryDirectory(dir="."):
            script = "trap '' TERM HUP INT; sleep 600 & echo $$ $! > ready; wait; wait; sleep 600"
            run(["sh", "-c", script], cwd=Path("."), env=dict(os.environ), timeout_ms=600000, output_limit=9)
    except KeyboardInterrupt as interrupt:
        sys.exit(exit_status(interrupt))
"""


def begin(cwd: Path, program: str, *before: str) -> subprocess.Popen[bytes]:
    argv = [*before, sys.executable, "-c", textwrap.dedent(program)]
    return subprocess.Popen(argv, cwd=cwd, env={**os.environ, "PYTHONPATH": str(ROOT)})


def has_ended(pid: int) -> bool:
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], 300)[0])
    finally:
        os.close(descriptor)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_ends_the_children_too_and_leaves_no_directory(tmp_path: Path, number: signal.Signals) -> None:
    os.mkfifo(tmp_path / "ready")
    with begin(tmp_path, WAITING) as program:
        children = [int(pid) for pid in (tmp_path / "ready").read_text().split()]
        program.send_signal(number)
        assert program.wait() == 128 + number
    assert all(map(has_ended, children))
    assert [path.name for path in tmp_path.iterdir()] == ["ready"]


def test_a_second_signal_does_not_break_off_the_tidying_up(tmp_path: Path) -> None:
    program = """
        import signal, sys
        from toolkit.processes.interrupts import Interrupted, terminated_as_interrupt
        try:
            with terminated_as_interrupt():
                signal.raise_signal(signal.SIGTERM)
        except Interrupted:
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                signal.raise_signal(number)
            sys.exit(9)
    """
    with begin(tmp_path, program) as running:
        assert running.wait() == 9


def test_a_program_under_nohup_goes_on(tmp_path: Path) -> None:
    program = """
        import signal, sys
        from toolkit.processes.interrupts import terminated_as_interrupt
        with terminated_as_interrupt():
            signal.raise_signal(signal.SIGHUP)
        sys.exit(9)
    """
    with begin(tmp_path, program, "nohup") as running:
        assert running.wait() == 9


def handlers() -> list[object]:
    return [signal.getsignal(number) for number in SIGNALS]


@pytest.fixture
def restored() -> Iterator[None]:
    """After an interrupt the signals stay ignored, which the tests that follow must not be."""
    before = [(number, signal.getsignal(number)) for number in SIGNALS]
    yield
    for number, handler in before:
        signal.signal(number, handler)


@pytest.mark.parametrize("fault", [None, LookupError])
def test_the_handlers_are_put_back(fault: type[Exception] | None) -> None:
    before = handlers()
    try:
        with terminated_as_interrupt():
            assert handlers() != before
            with terminated_as_interrupt():  # within itself it changes nothing
                pass
            assert handlers() != before
            if fault is not None:
                raise fault
    except LookupError:
        pass
    assert handlers() == before


def test_outside_the_main_thread_it_does_nothing() -> None:
    seen: list[bool] = []

    def work() -> None:
        before = handlers()
        with terminated_as_interrupt(), uninterrupted():
            seen.append(handlers() == before)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [True]


@pytest.mark.usefixtures("restored")
def test_an_interrupt_waits_for_the_end_of_an_uninterrupted_block() -> None:
    steps = []

    def work() -> None:
        with uninterrupted():
            with uninterrupted():
                signal.raise_signal(signal.SIGTERM)
                steps.append("inner")
            steps.append("outer")
        steps.append("never")

    with pytest.raises(Interrupted, match="SIGTERM") as caught, terminated_as_interrupt():
        work()
    assert steps == ["inner", "outer"]
    assert exit_status(caught.value) == 143


def test_an_interrupt_of_python_itself_exits_as_ctrl_c_does() -> None:
    assert exit_status(KeyboardInterrupt()) == 130
