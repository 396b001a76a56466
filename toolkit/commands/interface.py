"""What every command shares: its common options, one place that prints, one place that fails."""

from __future__ import annotations

import functools
import gc
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, TypeVar

import click

from toolkit import __version__
from toolkit.errors import StorageError, ToolkitError, UndeterminedError
from toolkit.processes.interrupts import exit_status, terminated_as_interrupt

F = TypeVar("F", bound=Callable[..., Any])

MAX_REASON = 300  # characters of a Python exception's text in a message
COLLECT_AFTER = 100_000  # new containers
HOLDS, FAILS, WRONG_USAGE, UNDETERMINED, INTERRUPTED = 0, 1, 2, 3, 130


def common_options(command: F) -> F:
    """``--json``, ``--cwd`` and ``--debug``, as every command takes them."""
    for option in (
        click.option("--debug", is_flag=True, help="Show the Python traceback of a failure."),
        click.option(
            "--cwd",
            type=click.Path(path_type=Path, exists=True, file_okay=False),
            default=Path(),
            callback=_still_there,
            help="Work as if started in this directory.",
        ),
        click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else."),
    ):
        command = option(command)
    return command


def policy_from_option(command: F) -> F:
    """``--policy-from``, for a command that loads policies."""
    told = "Read what this repository says in .dr from a branch, tag or commit, not from the working tree."
    return click.option("--policy-from", metavar="REF", help=told)(command)


def _still_there(_context: click.Context, _option: click.Parameter, cwd: Path) -> Path:
    """``--cwd`` as it is, unless it is relative to a directory that was removed meanwhile."""
    try:
        cwd.absolute()
    except FileNotFoundError as gone:
        raise click.BadParameter("the current directory is no longer there; go to another, or name one") from gone
    return cwd


def write_json(schema: str, document: Mapping[str, object]) -> None:
    """One JSON document on standard output: sorted keys, valid UTF-8 whatever stands in it."""
    from toolkit.reporting.json_output import dumps

    write_line(dumps({"schema": schema, **document}).rstrip("\n"))


def json_line(value: object) -> str:
    """JSON on one line for machines: sorted keys, in ASCII, so that no reader and no terminal can misread it."""
    import json

    return json.dumps(value, sort_keys=True)


def json_text(value: object, indent: int | None = None) -> str:
    """JSON for people, to be printed by ``write_text``."""
    import json

    return json.dumps(value, sort_keys=True, ensure_ascii=False, indent=indent)


def write_line(text: str) -> None:
    """One line, or a text made safe to print before, on standard output, as UTF-8 on every locale."""
    if sys.stdout is None:
        raise BrokenPipeError("standard output is closed")
    try:
        sys.stdout.flush()
        _write(sys.stdout.buffer, text)
    except BrokenPipeError:
        raise
    except OSError as fault:
        _silence_standard_output()  # what is left in the buffer must not fail once more at exit
        message = f"standard output can't be written: {fault.strerror}"
        step = "send it to a file or program that can take it, and see that there is space"
        raise StorageError("output_not_writable", message, place="standard output", next_step=step) from fault


def write_text(text: str) -> None:
    """Lines for people on standard output; what a terminal would obey, or not show, is spelled out."""
    write_line(_readable(text))


def write_note(text: str) -> None:
    """Lines for people on standard error: progress and warnings."""
    if sys.stderr is not None:
        with suppress(OSError):  # what can't be told there must not cost what was found
            _write(sys.stderr.buffer, _readable(text))


def _readable(text: str) -> str:
    from toolkit.reporting.visible import visible

    return "\n".join(visible(line) for line in text.split("\n"))


def _write(stream: BinaryIO, text: str) -> None:
    stream.write((text + "\n").encode("utf-8", "backslashreplace"))
    stream.flush()


def fails_clearly(command: F) -> F:
    """Turn every failure into its exit status and one clear message: no traceback without ``--debug``."""

    @functools.wraps(command)
    def wrapped(*args: Any, debug: bool = False, as_json: bool = False, **options: Any) -> Any:
        try:
            with terminated_as_interrupt():
                return command(*args, as_json=as_json, **options)
        except (click.ClickException, click.Abort, click.exceptions.Exit):
            raise
        except KeyboardInterrupt as interrupt:
            sys.exit(exit_status(interrupt))
        except BrokenPipeError:
            _silence_standard_output()
            sys.exit(UNDETERMINED)
        except Exception as fault:  # the one place that may let nothing through
            if debug:
                raise
            failure = fault if isinstance(fault, ToolkitError) else unexpected(fault)
            _tell_and_exit(failure, as_json)

    return wrapped  # type: ignore[return-value]


def tell_failure(fault: ToolkitError, as_json: bool) -> None:
    """Every problem on standard error with its place and hint; with ``--json`` an ``error`` document instead."""
    problems = getattr(fault, "problems", ())
    if as_json:
        listed = [problem.to_json() for problem in problems]
        write_json(f"{_program()}.error/v1", {"error": fault.to_json(), "problems": listed})
        return
    for problem in problems:
        write_note(f"{problem}")
    if not problems:
        place = f"{fault.place}: " if fault.place else ""
        write_note(f"error: {place}{fault.message} [{fault.code}]")
    if fault.next_step and not problems:
        write_note(f"next: {fault.next_step}")


def _program() -> str:
    """The program that runs, as its name stands in the machine output."""
    context = click.get_current_context(silent=True)
    return (context.find_root().command.name if context else None) or Path(sys.argv[0]).name


def _tell_and_exit(fault: ToolkitError, as_json: bool) -> NoReturn:
    try:
        tell_failure(fault, as_json)
    except (OSError, StorageError):  # nobody can be told; the status still says it
        _silence_standard_output()
    sys.exit(fault.exit_status)


def unexpected(fault: BaseException) -> UndeterminedError:
    """A failure that is none of our own: of the system, of its resources, or of this program (then it is a bug)."""
    step = "run again with --debug for the details"
    if isinstance(fault, OSError):
        return UndeterminedError("io_error", str(fault) or type(fault).__name__, next_step=step)
    if isinstance(fault, (RecursionError, MemoryError)):
        return UndeterminedError("out_of_resources", f"{type(fault).__name__}: {fault}", next_step=step)
    message = f"an error inside this program: {type(fault).__name__}: {str(fault)[:MAX_REASON]}"
    return UndeterminedError("internal_error", message, next_step=f"{step}, and report it")


def _silence_standard_output() -> None:
    """The reader went away: nothing more is written, at exit neither."""
    import os

    with suppress(OSError, AttributeError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def run_group(group: click.Group, program: str) -> None:
    """Run a program: wrong usage exits 2 with one message, as JSON where ``--json`` was asked for."""
    # A short-lived process makes little garbage while its modules load; looking for it costs a tenth of the run.
    gc.set_threshold(COLLECT_AFTER)
    try:
        status = group.main(prog_name=program, standalone_mode=False)
    except click.ClickException as fault:
        if "--json" in sys.argv:
            _tell_and_exit(ToolkitError("usage", fault.format_message(), next_step=f"{program} --help"), True)
        fault.show()
        sys.exit(WRONG_USAGE)
    except click.Abort:
        sys.exit(INTERRUPTED)
    except OSError as fault:  # the help text could not be written
        if "--debug" in sys.argv:
            raise
        _tell_and_exit(unexpected(fault), False)
    sys.exit(status if isinstance(status, int) else HOLDS)


def version_option(program: str) -> Callable[[F], F]:
    return click.version_option(__version__, prog_name=program)
