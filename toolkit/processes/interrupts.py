"""SIGTERM and SIGHUP as an interrupt, so that whoever ends this program leaves nothing of it running or on the disk."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import get_ident, main_thread
from types import FrameType
from typing import Any, Final

SIGNALS: Final = ("SIGINT", "SIGTERM", "SIGHUP")  # by name: not every system has all of them
SIGNALLED: Final = 128  # what a shell adds to the number of the signal that ended a program

Handler = Callable[[int, FrameType | None], Any] | int | None


class Interrupted(KeyboardInterrupt):
    """A signal asked this program to end. What tidies up after a Ctrl-C tidies up after this."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


class _Held:
    """Which signal waits, and for how many blocks. One a process: only its main thread is ever interrupted."""

    blocks = 0
    number: int | None = None


def exit_status(interrupt: KeyboardInterrupt) -> int:
    """What a program exits with that ``interrupt`` ended: 130 for Ctrl-C, 143 for SIGTERM, 129 for SIGHUP."""
    return SIGNALLED + (interrupt.number if isinstance(interrupt, Interrupted) else signal.SIGINT)


@contextmanager
def terminated_as_interrupt() -> Iterator[None]:
    """While the block runs, SIGINT, SIGTERM and SIGHUP raise ``Interrupted`` in the main thread, wherever it is.

    A signal that is ignored (``nohup``) or that somebody else handles is left to them; outside the main thread this
    does nothing. The handlers are put back after the block. After an interrupt they are not: the program is about to
    end, and the signals are ignored from then on, so that a second one does not break off the tidying up.
    """
    taken = _take_over()
    try:
        yield
    except KeyboardInterrupt:
        for number in taken:
            signal.signal(number, signal.SIG_IGN)
        taken.clear()
        raise
    finally:
        for number, handler in taken.items():
            signal.signal(number, handler)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold an ``Interrupted`` back until the end of the block, which must be short.

    Between the start of a program and the moment when somebody is responsible for it, nobody would end it.
    """
    if get_ident() != main_thread().ident:
        yield
        return
    _Held.blocks += 1
    try:
        yield
    finally:
        _Held.blocks -= 1
        if _Held.blocks == 0 and _Held.number is not None:
            number, _Held.number = _Held.number, None
            raise Interrupted(number)


def _take_over() -> dict[int, Handler]:
    """Install the handler where the default stands; the handlers that stood there, by the signal's number."""
    taken: dict[int, Handler] = {}
    if get_ident() != main_thread().ident:
        return taken
    for name in SIGNALS:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            taken[number] = signal.signal(number, _interrupt)
    return taken


def _interrupt(number: int, _: FrameType | None) -> None:
    if _Held.blocks:
        _Held.number = number
        return
    raise Interrupted(number)
