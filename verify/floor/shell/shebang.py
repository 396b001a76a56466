"""Which program the first line of a file names (``#!/bin/sh``, ``#!/usr/bin/env bash``): what runs a script."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from typing import Final

from toolkit.storage.files import READ_FLAGS

SHEBANG: Final = b"#!"
ENV: Final = "env"  # looks the program up on PATH; options and variables may stand before its name
ENV_SPLITS: Final = ("--split-string=", "-S")


def interpreter_of(path: str, limit: int) -> str | None:
    """The name of the program, without its directory; null where the first ``limit`` bytes name none.

    Only a plain file is opened, and no link is followed. Raises ``OSError`` where the file can't be read.
    """
    head = _head(path, limit)
    if not head.startswith(SHEBANG):
        return None
    return _program(head.removeprefix(SHEBANG).split(b"\n")[0].decode("utf-8", "replace").split())


def _program(words: Sequence[str]) -> str | None:
    names = iter(words)
    name = os.path.basename(next(names, ""))
    if name != ENV:
        return name
    for word in names:
        split = next((word.removeprefix(option) for option in ENV_SPLITS if word.startswith(option)), word)
        if split and not split.startswith("-") and "=" not in split:
            return os.path.basename(split)
    return None


def _head(path: str, limit: int) -> bytes:
    """The first bytes of a plain file, nothing of anything else (opening a pipe or a device may have effects)."""
    if not stat.S_ISREG(os.lstat(path).st_mode):
        return b""
    descriptor = os.open(path, READ_FLAGS)
    try:
        return os.read(descriptor, limit) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
    finally:
        os.close(descriptor)
