"""Scripts under judgment: private copies in balanced batches, one shellcheck a processor, a failed batch divided."""

from __future__ import annotations

import heapq
import os
import time
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, NamedTuple

from toolkit.errors import ProcessError
from toolkit.processes.interrupts import uninterrupted
from toolkit.processes.process import Running, scrubbed, start, stop_all, wait_all
from verify.floor.shell.comments import Answer, Comment, Failure, read_answer

if TYPE_CHECKING:
    from verify.floor.shell.program import ShellcheckRules, Source

Batch = tuple[str, ...]
SCRUBBED: Final = ("GIT_", "SHELLCHECK_")  # SHELLCHECK_OPTS would change answers that are kept by our options alone
ENCODING: Final = {"LC_ALL": "C.UTF-8"}


class Outcome(NamedTuple):
    """What became of each source, by its key: its comments, or why there are none."""

    judged: Mapping[str, tuple[Comment, ...]]
    failed: Mapping[str, str]


class Batches:
    """Running processes that judge ``sources``; started by the constructor, which raises ``OSError`` without a disk.

    Each source is judged from a copy with a name of ours, in a directory of ours. So what is judged is what was
    read, no file name can be taken for an option or be garbled on its way back, and a script that sources another
    one is judged alike whichever scripts happen to stand in its batch.
    """

    def __init__(self, program: str, sources: Mapping[str, Source], rules: ShellcheckRules) -> None:
        self._program = program
        self._rules = rules
        token = os.urandom(8).hex()  # no script can name, and so source, another one's copy
        self._names = {key: f"{token}-{at}{source.extension}" for at, (key, source) in enumerate(sources.items())}
        with uninterrupted():  # or an interrupt could leave a directory behind that nobody knows
            self._directory = TemporaryDirectory(prefix="dr-verify-")
            try:
                for key, source in sources.items():
                    Path(self._directory.name, self._names[key]).write_bytes(source.content)
            except BaseException:
                self._directory.cleanup()
                raise
        sizes = {key: len(source.content) for key, source in sources.items()}
        self._processors = _processors()
        self._fresh = balanced(sizes, max(self._processors, sum(sizes.values()) // rules.batch_bytes))
        self._again: list[Batch] = []
        self._judged: dict[str, tuple[Comment, ...]] = {}
        self._failed: dict[str, str] = {}
        self._splits = 0
        self._retry_until: float | None = None
        self._wave = self._next_wave()

    def collect(self) -> Outcome:
        """Wait for the processes.

        A failed batch is halved, and the halves run again, so that one bad script does not take the others with it:
        ``max_splits`` times, and all that in no more time than a first attempt is given.
        """
        try:
            while self._wave:
                for batch, answer in self._answers():
                    self._settle(batch, answer)
                self._wave = self._next_wave()
        finally:
            self.stop()
        return Outcome(self._judged, self._failed)

    def stop(self) -> None:
        """Leave nothing running, and no copies. An interrupt waits until that is done."""
        with uninterrupted():
            stop_all(running for _, running in self._wave if isinstance(running, Running))
            self._directory.cleanup()

    def _next_wave(self) -> list[tuple[Batch, Running | Failure]]:
        """Start as many batches as there are processors; those that failed before come last."""
        due = self._fresh or self._again
        batches, due[:] = due[: self._processors], due[self._processors :]
        patience = self._patience() if due is self._again and batches else self._rules.timeout_ms
        return [(batch, self._start(batch, patience)) for batch in batches]

    def _start(self, batch: Batch, timeout_ms: int) -> Running | Failure:
        names = [self._names[key] for key in batch]
        try:
            return start(
                [self._program, *self._rules.options, "--", *names],
                cwd=Path(self._directory.name),
                env=scrubbed(os.environ, SCRUBBED) | ENCODING,
                timeout_ms=timeout_ms,
                output_limit=self._rules.output_limit,
            )
        except ProcessError as error:
            return Failure(error.message, divisible=False)

    def _answers(self) -> list[tuple[Batch, Answer | Failure]]:
        completed = iter(wait_all(running for _, running in self._wave if isinstance(running, Running)))
        answers: list[tuple[Batch, Answer | Failure]] = []
        for batch, running in self._wave:
            if isinstance(running, Failure):
                answers.append((batch, running))
            else:
                names = [self._names[key] for key in batch]
                answers.append((batch, read_answer(next(completed), names, self._rules.levels)))
        return answers

    def _settle(self, batch: Batch, answer: Answer | Failure) -> None:
        """Note what is known of a batch, or what has to run again."""
        if not isinstance(answer, Failure):
            self._judged |= {key: answer[self._names[key]] for key in batch}
        elif answer.divisible and len(batch) > 1 and self._splits < self._rules.max_splits:
            self._splits += 1
            middle = len(batch) // 2
            self._again += [batch[:middle], batch[middle:]]
        else:
            self._failed |= dict.fromkeys(batch, answer.reason)

    def _patience(self) -> int:
        """How long the next attempt may take: half of what is left, so that a script that hangs is closed in upon."""
        now = time.monotonic()
        if self._retry_until is None:
            self._retry_until = now + self._rules.timeout_ms / 1000
        return max(1, int((self._retry_until - now) * 1000 / 2))


def balanced(sizes: Mapping[str, int], count: int) -> list[Batch]:
    """At most ``count`` batches of nearly the same total size, none empty: the largest first, to the least batch."""
    batches: list[list[str]] = [[] for _ in range(min(count, len(sizes)))]
    loads = [(0, 0, at) for at in range(len(batches))]
    for key in sorted(sizes, key=lambda key: (-sizes[key], key)):
        load, number, at = heapq.heappop(loads)
        batches[at].append(key)
        heapq.heappush(loads, (load + sizes[key], number + 1, at))
    return [tuple(batch) for batch in batches]


def _processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
