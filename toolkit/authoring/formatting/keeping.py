"""What formatting keeps, whatever it does: what a file says, in its order, and every comment."""

from __future__ import annotations

import json
from collections.abc import Iterator

from toolkit.authoring.formatting.layout import laid_out
from toolkit.authoring.formatting.ordering import KINDS, Order, put_in_order
from toolkit.authoring.formatting.pieces import Collection
from toolkit.authoring.formatting.reading import Untold, read_pieces
from toolkit.policy.documents.heads import LANGUAGE
from toolkit.policy.problems import Flawed, PolicyError, Problem, Problems
from toolkit.policy.syntax.forms import describe
from toolkit.policy.syntax.nodes import MAX_BYTES, ListNode, MapNode, Node, ScalarNode, part_at, read_yaml


def format_policy(data: bytes, file: str) -> bytes:
    """A policy, or a configuration, in the one form. ``file`` is its name in messages.

    Raises ``PolicyError`` with every problem for which it can't be read, and with ``format_unsafe`` where what would
    come out is not the same document with the same comments: then nothing comes out.
    """
    before = _read(data, file)
    if not isinstance(before, MapNode):
        message = f"a policy is a mapping, not {describe(before)}"
        raise PolicyError.of([Problem("wrong_type", message, before.mark, hint=f"begin with: policy: {LANGUAGE}")])
    text = data.decode().removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    try:
        root = read_pieces(text)
        comments = sorted(_comments_in(root))
        made = laid_out(put_in_order(root), root).encode()
        if len(made) > MAX_BYTES:
            message = f"formatted, the file would have {len(made)} bytes; at most {MAX_BYTES} are read"
            raise PolicyError("format_too_large", message, place=file, next_step="split it, or leave it as it is")
        if _said(before) == _said(_read(made, file)) and comments == sorted(_comments_in(read_pieces(made.decode()))):
            return made
    except (Untold, PolicyError) as fault:
        if isinstance(fault, PolicyError) and not fault.problems:
            raise
    message = "formatting would not keep all that this file says, so it is left as it is"
    raise PolicyError(
        "format_unsafe", message, place=file, next_step="report the file: this is a fault of dr-policy fmt"
    )


def _read(data: bytes, file: str) -> Node:
    problems = Problems()
    try:
        return read_yaml(data, file, problems, begin=f"policy: {LANGUAGE}")
    except Flawed:
        raise PolicyError.of(problems.found) from None


def _comments_in(value: Collection) -> Iterator[str]:
    """Every comment of a document, in no order that means anything."""
    for piece in value.pieces:
        yield from (comment.text for comment in piece.above)
        yield from piece.notes
        if isinstance(piece.value, Collection):
            yield from _comments_in(piece.value)
    yield from (comment.text for comment in value.below)


def _said(root: Node) -> str:
    """All that a file says, in its order but for mappings whose keys have a known one."""
    kind = part_at(root, ["kind"])
    order = KINDS.get(kind.value) if isinstance(kind, ScalarNode) and isinstance(kind.value, str) else None
    return json.dumps(_listed(root, order))


def _listed(node: Node, order: Order | None) -> object:
    if isinstance(node, ScalarNode):
        return node.value
    each = order.each if order is not None else None
    if isinstance(node, ListNode):
        return [_listed(item, each) for item in node.items]
    inner = order.inner if order is not None else {}
    pairs = [[key, _listed(value, inner.get(key, each))] for key, value in node.entries.items()]
    return {"entries": sorted(pairs, key=lambda pair: str(pair[0])) if order is not None and order.keys else pairs}
