"""What every command shares: its common options, one place that prints, one place that fails."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from toolkit import __version__
from toolkit.errors import ToolkitError

F = TypeVar("F", bound=Callable[..., Any])

HOLDS, FAILS, WRONG_USAGE, UNDETERMINED, INTERRUPTED = 0, 1, 2, 3, 130


def common_options(command: F) -> F:
    """``--json``, ``--cwd`` and ``--debug``, as every command takes them."""
    for option in (
        click.option("--debug", is_flag=True, help="Show the Python traceback of a failure."),
        click.option(
            "--cwd",
            type=click.Path(path_type=Path, exists=True, file_okay=False),
            default=Path(),
            help="Work as if started in this directory.",
        ),
        click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else."),
    ):
        command = option(command)
    return command


def write_json(schema: str, document: Mapping[str, object]) -> None:
    """One JSON document on standard output: sorted keys, valid UTF-8 whatever stands in it."""
    write_line(json_text({"schema": schema, **document}, indent=2))


def json_text(value: object, indent: int | None = None) -> str:
    """JSON with sorted keys; a lone surrogate is escaped, so that the text can always be encoded."""
    import json

    text = json.dumps(value, sort_keys=True, ensure_ascii=False, indent=indent)
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "surrogatepass") if text.isascii() else _escaped(text)


def _escaped(text: str) -> str:
    return "".join(f"\\u{ord(c):04x}" if "\ud800" <= c <= "\udfff" else c for c in text)


def write_line(text: str) -> None:
    """One line on standard output, as UTF-8 on every locale."""
    data = (text + "\n").encode("utf-8", "backslashreplace")
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def write_note(text: str) -> None:
    """One line on standard error: progress and warnings."""
    data = (text + "\n").encode("utf-8", "backslashreplace")
    sys.stderr.buffer.write(data)
    sys.stderr.buffer.flush()


def fails_clearly(command: F) -> F:
    """Turn every failure into its exit status and one clear message: no traceback without ``--debug``."""

    @functools.wraps(command)
    def wrapped(*args: Any, debug: bool = False, as_json: bool = False, **options: Any) -> Any:
        try:
            return command(*args, as_json=as_json, **options)
        except ToolkitError as fault:
            if debug:
                raise
            tell_failure(fault, as_json)
            sys.exit(fault.exit_status)
        except KeyboardInterrupt:
            sys.exit(INTERRUPTED)
        except BrokenPipeError:
            _silence_standard_output()
            sys.exit(UNDETERMINED)
        except (OSError, RecursionError, MemoryError) as fault:
            if debug:
                raise
            tell_failure(_unexpected(fault), as_json)
            sys.exit(UNDETERMINED)

    return wrapped  # type: ignore[return-value]


def tell_failure(fault: ToolkitError, as_json: bool) -> None:
    """Every problem on standard error with its place and hint; with ``--json`` an ``error`` document as well."""
    problems = getattr(fault, "problems", ())
    if as_json:
        write_json("error/v1", {"error": fault.to_json(), "problems": [problem.to_json() for problem in problems]})
        return
    for problem in problems:
        write_note(f"{problem}")
    if not problems:
        place = f"{fault.place}: " if fault.place else ""
        write_note(f"error: {place}{fault.message} [{fault.code}]")
    if fault.next_step and not problems:
        write_note(f"next: {fault.next_step}")


def _unexpected(fault: BaseException) -> ToolkitError:
    code = "io_error" if isinstance(fault, OSError) else "out_of_resources"
    return ToolkitError(code, str(fault) or type(fault).__name__, next_step="run again with --debug for the details")


def _silence_standard_output() -> None:
    """The reader went away: nothing more is written, at exit neither."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def run_group(group: click.Group, program: str) -> None:
    """Run a program: wrong usage exits 2 with one message, as JSON where ``--json`` was asked for."""
    try:
        status = group.main(prog_name=program, standalone_mode=False)
    except click.ClickException as fault:
        if "--json" in sys.argv:
            error = ToolkitError("usage", fault.format_message(), next_step=f"{program} --help")
            write_json("error/v1", {"error": error.to_json(), "problems": []})
        else:
            fault.show()
        sys.exit(WRONG_USAGE)
    except click.Abort:
        sys.exit(INTERRUPTED)
    sys.exit(status if isinstance(status, int) else HOLDS)


def version_option(program: str) -> Callable[[F], F]:
    return click.version_option(__version__, prog_name=program)
