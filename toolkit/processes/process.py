"""Run one bounded child process, or several at once: a group of its own, killed whole, its output capped.

POSIX only. A descendant that leaves the group (``setsid``) is not found by a group kill. It can't hold a caller up,
because nobody waits for it; who must leave nothing behind runs the program under a supervisor process of its own.
"""

from __future__ import annotations

import errno
import os
import time
import weakref
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from toolkit.errors import ProcessError
from toolkit.processes.completed import Completed, Keep
from toolkit.processes.interrupts import uninterrupted
from toolkit.processes.supervision import Supervisor

if TYPE_CHECKING:
    from subprocess import Popen

__all__ = ["Completed", "Keep", "Running", "find_program", "run", "scrubbed", "start", "stop_all", "wait_all"]

SCRUBBED_PREFIXES: Final = ("GIT_",)  # a hook's GIT_DIR would make every git below it work on the wrong repository


class Running:
    """A program at work: a thread drains its pipes and keeps its deadline while the caller does other things.

    As a context manager it leaves nothing running. A handle that is dropped, or alive when the interpreter ends, takes
    its process group with it.
    """

    def __init__(self, supervisor: Supervisor) -> None:
        import threading

        self.pid = supervisor.pid
        self._supervisor = supervisor
        weakref.finalize(self, supervisor.destroy)
        threading.Thread(target=supervisor.run, name=f"process-{supervisor.pid}", daemon=True).start()

    def wait(self) -> Completed:
        """How it ended; at the latest shortly after its deadline. An interrupt here ends the program first."""
        try:
            self._supervisor.join()
        except BaseException:
            self.stop()
            raise
        return self._supervisor.result()

    def stop(self) -> None:
        """End the whole group (SIGTERM, a grace, SIGKILL) and return when it has ended. Idempotent."""
        stop_all([self])

    def request_stop(self) -> None:
        """Ask for what ``stop`` does, without waiting for it."""
        self._supervisor.request_stop()

    def join(self) -> None:
        """Return when the program has ended and nobody of its group is left."""
        self._supervisor.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def run(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    timeout_ms: int,
    output_limit: int,
    stdin: bytes | None = None,
    keep: Keep = Keep.FIRST,
    merge: bool = False,
) -> Completed:
    """Run ``argv`` to its end: ``start`` and ``wait`` in one; parameters and errors are those of ``start``."""
    running = start(
        argv,
        cwd=cwd,
        env=env,
        timeout_ms=timeout_ms,
        output_limit=output_limit,
        stdin=stdin,
        keep=keep,
        merge=merge,
    )
    return running.wait()


def start(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    timeout_ms: int,
    output_limit: int,
    stdin: bytes | None = None,
    keep: Keep = Keep.FIRST,
    merge: bool = False,
) -> Running:
    """Start ``argv`` in ``cwd`` with exactly the environment ``env``, and return at once.

    A name without a slash is looked up on ``env``'s PATH (see ``find_program``), a relative path under ``cwd``.
    Standard input is closed unless ``stdin`` is given. Each stream keeps ``output_limit`` bytes; ``merge`` sends
    standard error into standard output, in the order of writing. Raises ``ProcessError``: ``program_not_found``,
    ``program_not_executable``, ``working_directory_unusable`` or ``program_not_started``.
    """
    begun = time.monotonic()
    with uninterrupted():
        process = _launch(argv, cwd=cwd, env=env, piped=stdin is not None, merge=merge)
        supervisor = Supervisor(
            process,
            argv=tuple(argv),
            begun=begun,
            timeout=timeout_ms / 1000,
            output_limit=output_limit,
            keep=keep,
            stdin=stdin,
        )
        try:
            return Running(supervisor)
        except RuntimeError as error:  # no thread to be had
            supervisor.destroy()
            raise _not_started(argv[0], error) from error
        except BaseException:
            supervisor.destroy()
            raise


def wait_all(running: Iterable[Running]) -> list[Completed]:
    """Every program's end, in the given order. Whatever goes wrong on the way ends all of them first."""
    handles = list(running)
    try:
        return [handle.wait() for handle in handles]
    except BaseException:
        stop_all(handles)
        raise


def stop_all(running: Iterable[Running]) -> None:
    """End every program as ``Running.stop`` does, all of them at the same time. An interrupt waits until it is done."""
    handles = list(running)
    with uninterrupted():
        for handle in handles:
            handle.request_stop()
        for handle in handles:
            handle.join()


def scrubbed(environment: Mapping[str, str], prefixes: Sequence[str] = SCRUBBED_PREFIXES) -> dict[str, str]:
    """``environment`` without the variables whose names begin with one of ``prefixes``."""
    return {name: value for name, value in environment.items() if not name.startswith(tuple(prefixes))}


def find_program(name: str, env: Mapping[str, str]) -> str | None:
    """The absolute path of ``name`` on ``env``'s PATH, or null.

    Relative and empty entries of PATH are passed over: they would run a file of the directory that is being verified.
    So are those where this user may not look, as any shell does.
    """
    for directory in map(Path, os.get_exec_path(env)):
        candidate = directory / name
        if directory.is_absolute() and os.path.isfile(candidate) and os.access(candidate, os.X_OK):
            return str(candidate)
    return None


def _launch(argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], piped: bool, merge: bool) -> Popen[bytes]:
    import subprocess

    program = argv[0] if "/" in argv[0] else find_program(argv[0], env)
    if program is None:
        raise _not_found(argv[0])
    try:
        return subprocess.Popen(
            [program, *argv[1:]],
            cwd=cwd,
            env=env,
            stdin=subprocess.PIPE if piped else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if merge else subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise _refusal(program, cwd, error) from error


def _refusal(program: str, cwd: Path, error: OSError | ValueError) -> ProcessError:
    """Why a program did not start: ENOENT alone may mean the program, its interpreter or the directory to run in."""
    if not cwd.is_dir() or not os.access(cwd, os.X_OK):
        return ProcessError(
            "working_directory_unusable",
            f"{str(cwd)!r} is no directory that a program can run in",
            place=str(cwd),
            next_step="name a directory that exists and may be entered",
        )
    number = error.errno if isinstance(error, OSError) else None
    if number in (errno.ENOENT, errno.ENOTDIR) and not Path(cwd, program).exists():
        return _not_found(program)
    if number in (errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.EPERM, errno.ENOEXEC, errno.ELOOP):
        return ProcessError(
            "program_not_executable",
            f"{program!r} is there, but the system does not run it ({errno.errorcode[number]})",
            place=program,
            next_step="give it the right to be executed, and a first line that names an interpreter that exists",
        )
    return _not_started(program, error)


def _not_started(program: str, error: Exception) -> ProcessError:
    return ProcessError(
        "program_not_started",
        f"{program!r} could not be started: {error}",
        place=program,
        next_step="look at its arguments and at the limits on processes and memory, then run it again",
    )


def _not_found(name: str) -> ProcessError:
    return ProcessError(
        "program_not_found",
        f"there is no program {name!r}",
        place=name,
        next_step="install it, or put its directory on PATH",
    )
