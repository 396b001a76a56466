"""Documents that were parsed before are not parsed again: their blocks come from the user's cache, by content.

The key covers the text and the code that parsed it (the parsing modules and the Markdown library, by size and time of
change). An entry is a hint that may be lost at any time; the parser is not even imported where every document is known.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from typing import Any, Final

from toolkit.storage.cache import Cache, cache_root, key_of
from verify.markdown import Block, BlockKind, Cell, parse_markdown
from verify.markdown_prose import CodeSpan, Range

NAMESPACE: Final = "markdown"
OWN: Final = ("verify.markdown", "verify.markdown_parser", "verify.markdown_prose", "verify.parsed")
PARSED_BY: Final = (*OWN, "markdown_it")


def blocks_of(text: str) -> tuple[Block, ...]:
    """What ``parse_markdown`` gives for the text."""
    stamp = _parser_stamp()
    if stamp is None:
        return parse_markdown(text)
    store = Cache(cache_root(), NAMESPACE)
    key = key_of(stamp, text.encode())
    stored = store.get(key)
    if isinstance(stored, list):
        return tuple(map(_block, stored))
    blocks = parse_markdown(text)
    store.put(key, [_record(block) for block in blocks])
    return blocks


@cache
def _parser_stamp() -> bytes | None:
    """Which code would parse; null where it stands in no plain file, and nothing is remembered then."""
    parts = []
    for name in PARSED_BY:
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            return None
        try:
            status = os.stat(spec.origin)
        except OSError:
            return None
        parts.append(f"{name}:{status.st_size}:{status.st_mtime_ns}")
    return "\n".join(parts).encode()


def _record(block: Block) -> list[Any]:
    """The block's fields in order; JSON makes lists of the tuples."""
    return list(block._replace(kind=block.kind.value))  # type: ignore[arg-type]


def _block(record: list[Any]) -> Block:
    block = Block._make(record)
    return block._replace(
        kind=BlockKind(block.kind),
        spans=_spans(block.spans),
        cells=tuple(Cell(text, _spans(spans), _ranges(strong)) for text, spans, strong in block.cells),
        strong=_ranges(block.strong),
    )


def _spans(records: Iterable[Any]) -> tuple[CodeSpan, ...]:
    return tuple(map(CodeSpan._make, records))


def _ranges(records: Iterable[Any]) -> tuple[Range, ...]:
    return tuple((start, end) for start, end in records)
