"""Facts from the command line: JSON read strictly, bounded, one error for one line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from toolkit.policy.problems import PolicyError
from toolkit.storage.strict_json import loads

MAX_FACTS = 16 * 1024 * 1024  # bytes of one JSON object


def facts_of(text: str, cwd: Path) -> dict[str, Any]:
    """The facts of ``--facts``: a JSON object, or ``@FILE`` that holds one."""
    if not text.startswith("@"):
        return parse_facts(text, "--facts")
    path = cwd / text[1:]
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FACTS + 1)
    except (OSError, ValueError) as fault:  # a NUL byte is in no file's name
        reason = getattr(fault, "strerror", None) or "no file has such a name"
        raise PolicyError("facts_unreadable", f"the facts can't be read: {reason}", place=str(path)) from fault
    return parse_facts(_decoded(data, str(path)), str(path))


def fact_lines(file: IO[bytes], name: str) -> Iterator[tuple[int, str | PolicyError]]:
    """The non-blank lines of a file, numbered from 1; a line that can't be read comes as the error that says so."""
    number = 0
    while line := file.readline(MAX_FACTS + 1):
        number += 1
        place = f"{name}:{number}"
        if len(line) > MAX_FACTS:
            while line and not line.endswith(b"\n"):
                line = file.readline(MAX_FACTS)
            yield number, PolicyError("facts_too_large", f"a line has at most {MAX_FACTS} bytes", place=place)
        elif line.strip():
            try:
                yield number, _decoded(line, place)
            except PolicyError as fault:
                yield number, fault


def parse_facts(text: str, place: str) -> dict[str, Any]:
    """A JSON object with no key twice and no NaN."""
    if len(text) > MAX_FACTS:
        raise PolicyError("facts_too_large", f"facts have at most {MAX_FACTS} bytes", place=place)
    try:
        value = loads(text)
    except json.JSONDecodeError as fault:
        where = f"{place}:{fault.lineno}:{fault.colno}"
        raise PolicyError("facts_not_json", f"the facts are no JSON: {fault.msg}", place=where) from fault
    except (ValueError, RecursionError) as fault:
        raise PolicyError("facts_not_json", f"the facts are no JSON: {fault}", place=place) from fault
    if not isinstance(value, dict):
        raise PolicyError("facts_not_json", "the facts must be a JSON object", place=place)
    return value


def _decoded(data: bytes, place: str) -> str:
    if len(data) > MAX_FACTS:
        raise PolicyError("facts_too_large", f"facts have at most {MAX_FACTS} bytes", place=place)
    try:
        return data.decode()
    except UnicodeDecodeError as fault:
        raise PolicyError("facts_not_utf8", f"byte {fault.start} is not UTF-8", place=place) from fault
