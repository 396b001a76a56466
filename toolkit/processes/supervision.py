"""The thread behind a running program: it drains the pipes, keeps the deadline and ends the process group."""

from __future__ import annotations

import os
import selectors
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from enum import Enum
from typing import IO, TYPE_CHECKING, Final

from toolkit.errors import ProcessError
from toolkit.processes.completed import CHUNK, Capture, Completed, Keep

if TYPE_CHECKING:
    from subprocess import Popen

# Mechanics, not policy, in seconds: how long a program may take over an orderly end, how long its output is still
# read after its end, how long the kernel may take over a SIGKILL, how often a request to stop is looked for.
GRACE: Final = 0.5
DRAIN: Final = 0.5
WAKE: Final = 0.2
KILL_WAIT: Final = 5.0
TICK: Final = 0.05
POLLING_TICK: Final = 0.005  # without a pidfd the end itself is looked for at every tick


class Phase(Enum):
    """Where a program is in its life. Each phase ends at a time of its own, if nothing ends it earlier."""

    RUNNING = "running"
    TERMINATING = "terminating"
    KILLED = "killed"
    DRAINING = "draining"
    OVER = "over"


class Supervisor:
    """Owns a started process until it is reaped. ``run`` is the thread's body; the rest is called from outside."""

    def __init__(
        self,
        process: Popen[bytes],
        *,
        argv: tuple[str, ...],
        begun: float,
        timeout: float,
        output_limit: int,
        keep: Keep,
        stdin: bytes | None,
    ) -> None:
        self.pid = process.pid
        self._process = process
        self._argv = argv
        self._begun = begun
        self._until = begun + timeout
        self._phase = Phase.RUNNING
        self._stdout = Capture(output_limit, keep)
        self._stderr = Capture(output_limit, keep)
        self._unsent = memoryview(stdin or b"")
        self._selector: selectors.BaseSelector
        self._open_outputs = 0
        self._pidfd: int | None = None
        self._timed_out = False
        self._stop_requested = False
        # Held while a signal is sent or the leader is reaped: once reaped, its number may be somebody else's.
        # Reentrant, because a collected handle may call ``destroy`` in the middle of anything.
        self._reaping = threading.RLock()
        self._reaped = False
        self._status: int | None = None
        self._failure: Exception | None = None
        self._completed: Completed | None = None
        self._done = threading.Event()

    def run(self) -> None:
        """Drain, keep time, end the group, reap. Never raises: a fault is kept for ``result``."""
        try:
            with selectors.DefaultSelector() as self._selector:
                self._watch()
                while self._phase is not Phase.OVER:
                    self._step()
        except (OSError, MemoryError) as error:
            self._failure = error
        finally:
            self._signal_group(signal.SIGKILL)
            self._reap()
            self._close()
            self._completed = self._report()
            self._done.set()

    def join(self) -> None:
        """Wait until ``run`` has ended."""
        # Not Thread.join: interrupted once, it takes the thread for ended from then on. And not one endless wait: a
        # signal that arrives just before the lock blocks is seen only when it wakes up.
        while not self._done.wait(WAKE):
            pass

    def result(self) -> Completed:
        """What ``run`` found out; call it after ``join``. Raises ``ProcessError`` ``program_lost``."""
        if self._failure is not None:
            raise ProcessError(
                "program_lost",
                f"{self._argv[0]!r} was killed, because it could not be watched: {self._failure}",
                place=self._argv[0],
                next_step="look at the limits on open files and memory, then run it again",
            ) from self._failure
        assert self._completed is not None
        return self._completed

    def request_stop(self) -> None:
        """Ask the thread to end the group; it looks at every tick."""
        self._stop_requested = True

    def destroy(self) -> None:
        """Kill the group at once, unless its leader has been reaped."""
        self._stop_requested = True
        self._signal_group(signal.SIGKILL)

    def _watch(self) -> None:
        self._read_from(self._process.stdout, self._stdout)
        self._read_from(self._process.stderr, self._stderr)
        if self._process.stdin is not None:
            os.set_blocking(self._process.stdin.fileno(), False)
            self._selector.register(self._process.stdin, selectors.EVENT_WRITE, self._feed)
        try:
            self._pidfd = os.pidfd_open(self.pid)
        except (AttributeError, OSError):  # not Linux, an old kernel, or a sandbox that forbids it
            return
        self._selector.register(self._pidfd, selectors.EVENT_READ, self._leader_ended)

    def _read_from(self, pipe: IO[bytes] | None, capture: Capture) -> None:
        if pipe is None:
            return
        os.set_blocking(pipe.fileno(), False)
        self._selector.register(pipe, selectors.EVENT_READ, lambda: self._drain(pipe, capture))
        self._open_outputs += 1

    def _step(self) -> None:
        now = time.monotonic()
        if self._stop_requested and self._phase in (Phase.RUNNING, Phase.DRAINING):
            self._end_phase(now)
        elif now >= self._until:
            self._timed_out = self._timed_out or self._phase is Phase.RUNNING
            self._end_phase(now)
        tick = TICK if self._pidfd is not None else POLLING_TICK
        for key, _ in self._selector.select(max(0.0, min(tick, self._until - now))):
            handle: Callable[[], None] = key.data
            handle()
        if self._pidfd is None and self._phase is not Phase.DRAINING and self._has_ended():
            self._leader_ended()
        if self._phase is Phase.DRAINING and self._open_outputs == 0:
            self._phase = Phase.OVER

    def _end_phase(self, now: float) -> None:
        if self._phase is Phase.RUNNING:
            self._enter(Phase.TERMINATING, now + GRACE)
            self._signal_group(signal.SIGTERM)
        elif self._phase is Phase.TERMINATING:
            self._enter(Phase.KILLED, now + KILL_WAIT)
            self._signal_group(signal.SIGKILL)
        else:
            self._phase = Phase.OVER

    def _enter(self, phase: Phase, until: float) -> None:
        self._phase = phase
        self._until = until

    def _leader_ended(self) -> None:
        """Its pipes may be held open by a descendant: they are read for a while, then no more."""
        if self._pidfd is not None:
            self._selector.unregister(self._pidfd)
        if self._phase is not Phase.OVER:
            self._enter(Phase.DRAINING, time.monotonic() + DRAIN)

    def _has_ended(self) -> bool:
        """Whether the leader is a zombie; it is left one where the system allows, so that its number stays taken.

        Where it does not, the group is killed at once: nobody could tell later whether the number is still its own.
        """
        if not hasattr(os, "waitid"):
            ended = self._try_reap()
            if ended:
                self._kill_group(signal.SIGKILL)
            return ended
        try:
            return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None
        except ChildProcessError:
            return True

    def _drain(self, pipe: IO[bytes], capture: Capture) -> None:
        try:
            chunk = os.read(pipe.fileno(), CHUNK)
        except BlockingIOError:
            return
        if chunk:
            capture.add(chunk)
            return
        self._selector.unregister(pipe)
        pipe.close()
        self._open_outputs -= 1

    def _feed(self) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        try:
            self._unsent = self._unsent[os.write(pipe.fileno(), self._unsent[:CHUNK]) :]
        except BlockingIOError:
            return
        except BrokenPipeError:  # a program need not read what it is given
            self._unsent = memoryview(b"")
        if not self._unsent:
            self._selector.unregister(pipe)
            pipe.close()

    def _signal_group(self, number: signal.Signals) -> None:
        with self._reaping:
            if not self._reaped:
                self._kill_group(number)

    def _kill_group(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):  # nobody is left, or only processes that are not ours
            os.killpg(self.pid, number)

    def _reap(self) -> None:
        until = time.monotonic() + KILL_WAIT
        while not self._try_reap() and time.monotonic() < until:
            time.sleep(POLLING_TICK)

    def _try_reap(self) -> bool:
        with self._reaping:
            if self._reaped:
                return True
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:  # somebody else's SIGCHLD handling took the status: unknown, not zero
                self._reaped = True
                self._process.returncode = 0  # only so that Popen does not look for it again
                return True
            if pid == 0:
                return False
            self._reaped = True
            self._status = os.waitstatus_to_exitcode(status)
            self._process.returncode = self._status
            return True

    def _close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()
        if self._pidfd is not None:
            os.close(self._pidfd)

    def _report(self) -> Completed:
        status = self._status
        return Completed(
            argv=self._argv,
            exit_code=status if status is not None and status >= 0 else None,
            signal=-status if status is not None and status < 0 else None,
            stdout=self._stdout.value(),
            stderr=self._stderr.value(),
            stdout_truncated=self._stdout.truncated,
            stderr_truncated=self._stderr.truncated,
            timed_out=self._timed_out,
            duration_ms=int((time.monotonic() - self._begun) * 1000),
        )
