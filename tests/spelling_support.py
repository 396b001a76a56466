"""JSON values as YAML in two styles, with raw parts where a text shall be no legal YAML."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from json.encoder import encode_basestring
from typing import Any


@dataclass(frozen=True)
class Raw:
    """YAML that is written as it stands; two of them are two keys, whatever they spell."""

    text: str
    number: int = 0


def quoted(text: object) -> str:
    if isinstance(text, str):
        return encode_basestring(text)
    return text.text if isinstance(text, Raw) else json.dumps(text)


def flow(value: Any) -> str:
    """YAML in flow style."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quoted(key)}: {flow(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    return quoted(value)


def block(value: Any, indent: int) -> Iterator[str]:
    """The lines of YAML in block style."""
    pad = " " * indent
    if isinstance(value, dict) and value:
        for key, part in value.items():
            yield from _under(f"{pad}{key if _is_word(key) else quoted(key)}:", part, indent)
    elif isinstance(value, list) and value:
        for part in value:
            yield from _under(f"{pad}-", part, indent)
    else:
        yield pad + flow(value)


def _under(start: str, part: Any, indent: int) -> Iterator[str]:
    if isinstance(part, (dict, list)) and part:
        yield start
        yield from block(part, indent + 1)
    else:
        yield f"{start} {flow(part)}"


def _is_word(key: object) -> bool:
    return isinstance(key, str) and key.isascii() and key.isalpha() and key not in ("on", "off", "no", "yes")
