"""From pieces to text: two spaces a level, 120 columns.

What its author wrote in brackets stays on one line where that fits. Where it does not, a list of scalars is filled line
by line, and so is a mapping whose values are scalars or lists of them; everything else becomes a block. What was
written as a block stays one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from toolkit.authoring.formatting.ordering import Top
from toolkit.authoring.formatting.pieces import Collection, Comment, Leaf, Piece
from toolkit.authoring.formatting.scalars import MAX_SIMPLE_KEY, block_of, folded, needs_quotes, text_of

WIDTH: Final = 120
STEP: Final = 2
NOTE: Final = "  "  # before a comment at the end of a line


def laid_out(top: Top, root: Collection) -> str:
    """The text of a document."""
    _measure(root)
    lines = list(_comments(top.comments, "", first=True))
    if top.comments and top.gap:
        lines.append("")
    lines += _block(root, 0) if root.pieces else ["{}"]
    lines += _comments(root.below, "")
    return "\n".join(lines) + "\n"


def _measure(collection: Collection) -> None:
    """Tell of every collection how wide it is on one line, if it can stand on one."""
    width = 2 + 2 * max(len(collection.pieces) - 1, 0)
    one_line = collection.flow and not collection.below
    collection.commented = bool(collection.below)
    keep = _keeps_quotes(collection, flow=True)
    for piece in collection.pieces:
        if isinstance(piece.value, Collection):
            _measure(piece.value)
            collection.commented = collection.commented or piece.value.commented
            width += piece.value.width or 0
            one_line = one_line and piece.value.width is not None
        elif piece.value is not None:
            width += len(text_of(piece.value, flow=True, keep_quotes=keep)) if collection.flow else 0
        if piece.key is not None:
            key = len(text_of(piece.key, flow=True))
            width += key + 2
            one_line = one_line and key <= MAX_SIMPLE_KEY
        collection.commented = collection.commented or bool(piece.above or piece.notes)
    collection.width = width if one_line and not collection.commented else None


def _keeps_quotes(collection: Collection, *, flow: bool) -> bool:
    """Whether the items of a list keep the quotes that they have, since one of them needs them."""
    return not collection.mapping and any(
        isinstance(piece.value, Leaf) and needs_quotes(piece.value, flow=flow) for piece in collection.pieces
    )


def _comments(comments: Iterable[Comment], margin: str, *, first: bool = False) -> Iterator[str]:
    for comment in comments:
        if comment.blank and not first:
            yield ""
        first = False
        yield margin + comment.text


def _block(collection: Collection, indent: int, *, inside: bool = False) -> Iterator[str]:
    """The lines of a collection as a block, the comments after its last piece aside.

    ``inside``: its first line is to follow the dash of an item, above which the comments of its first piece stand.
    """
    margin = " " * indent
    keep = _keeps_quotes(collection, flow=False)
    for index, piece in enumerate(collection.pieces):
        _settle(piece, indent)
        hoisted = inside and index == 0
        lines = _entry(piece, indent) if collection.mapping else _item(piece, indent, keep=keep)
        if not hoisted:
            yield from _comments(piece.above, margin, first=index == 0)
            if piece.blank and (index > 0 or piece.above):
                yield ""
        yield from lines


def _entry(piece: Piece, indent: int) -> Iterator[str]:
    assert piece.key is not None
    margin, key = " " * indent, text_of(piece.key, flow=False)
    if len(key) > MAX_SIMPLE_KEY:
        yield f"{margin}? {key}"
        key = ""
    yield from _valued(f"{margin}{key}:", piece, indent)


def _settle(piece: Piece, indent: int) -> None:
    """Put above a piece the comments for which its lines have no place: all but one at their ends, and whatever stands
    in brackets that hold nothing, or before the first piece of a block that begins behind the dash of an item.
    """
    value = piece.value
    piece.above += map(Comment, piece.notes[:-1])
    piece.notes = piece.notes[-1:]
    if isinstance(value, Collection):
        if not value.pieces:
            piece.above += value.below
            value.below = []
        elif piece.key is None and not _stays_flow(value, indent):
            inner = value.pieces[0]
            _settle(inner, indent + STEP)
            piece.above += [*map(Comment, piece.notes), *(one._replace(blank=False) for one in inner.above)]
            piece.notes, inner.above = [], []


def _note(piece: Piece) -> str:
    return f"{NOTE}{piece.notes[0]}" if piece.notes else ""


def _valued(head: str, piece: Piece, indent: int, *, keep: bool = False) -> Iterator[str]:
    """The lines of a value after its ``head``: a key with its colon, or the dash of an item."""
    value, note = piece.value, _note(piece)
    if isinstance(value, Leaf):
        yield from _scalar(head, value, note, indent, keep=keep)
        return
    assert value is not None
    below = indent + STEP if piece.key else indent + 2 * STEP
    if not value.pieces:
        yield f"{head} {'{}' if value.mapping else '[]'}{note}"
    elif _fits(value, len(head)):
        yield f"{head} {_flow(value)}{note}"
    elif _is_filled_list(value):
        yield f"{head} ["
        yield from _filled_list(value, below)
        yield f"{' ' * (below - STEP)}]{note}"
    elif _is_filled_mapping(value, indent):
        yield from _filled_mapping(head, value, indent, bool(piece.key), note)
    else:
        yield f"{head}{note}"
        yield from _block(value, below)
        yield from _comments(value.below, " " * below)


def _scalar(head: str, leaf: Leaf, note: str, indent: int, *, keep: bool) -> Iterator[str]:
    room = WIDTH - indent - STEP
    block = block_of(leaf, room)
    text = "" if block else text_of(leaf, flow=False, keep_quotes=keep)
    if not block and len(head) + 1 + len(text) > WIDTH:
        lines = folded(leaf, room)
        block = (">-", lines) if lines else None
    if block is None:
        yield f"{head} {text}{note}"
        return
    yield f"{head} {block[0]}{note}"
    margin = " " * (indent + STEP)
    for line in block[1]:
        yield margin + line if line else ""


def _item(piece: Piece, indent: int, *, keep: bool) -> Iterator[str]:
    """The lines of an item of a list; a block in it begins behind the dash."""
    value, dash = piece.value, f"{' ' * indent}-"
    if not isinstance(value, Collection) or not value.pieces or _stays_flow(value, indent):
        yield from _valued(dash, piece, indent, keep=keep)
        return
    lines = _block(value, indent + STEP, inside=True)
    yield f"{dash} {next(lines)[indent + STEP :]}"
    yield from lines
    yield from _comments(value.below, " " * (indent + STEP))


def _stays_flow(value: Collection, indent: int) -> bool:
    """Whether an item of a list at this indent stays between brackets."""
    return _fits(value, indent + 1) or _is_filled_list(value) or _is_filled_mapping(value, indent)


def _fits(value: Collection, head: int) -> bool:
    """Whether it stands on one line behind ``head`` characters."""
    return value.width is not None and head + 1 + value.width <= WIDTH


def _flow(value: Leaf | Collection | None, *, keep: bool = False) -> str:
    """A value on one line."""
    if isinstance(value, Leaf):
        return text_of(value, flow=True, keep_quotes=keep)
    assert value is not None
    keep = _keeps_quotes(value, flow=True)
    parts = []
    for piece in value.pieces:
        key = f"{text_of(piece.key, flow=True)}: " if piece.key is not None else ""
        parts.append(key + _flow(piece.value, keep=keep))
    inner = ", ".join(parts)
    return f"{{{inner}}}" if value.mapping else f"[{inner}]"


def _is_filled_list(value: Collection) -> bool:
    """Whether a list that does not fit on one line is filled: it was written in brackets, and holds scalars only."""
    return value.flow and not value.mapping and all(isinstance(piece.value, Leaf) for piece in value.pieces)


def _is_filled_mapping(value: Collection, indent: int) -> bool:
    """Whether a mapping that does not fit on one line is filled: each of its flat entries fits on a line."""
    if not value.flow or not value.mapping or value.width is None or not all(map(_is_flat, value.pieces)):
        return False
    return all(indent + STEP + 1 + len(part) <= WIDTH for part in _entries(value))


def _is_flat(piece: Piece) -> bool:
    value = piece.value
    if isinstance(value, Leaf):
        return True
    return value is not None and not value.mapping and all(isinstance(one.value, Leaf) for one in value.pieces)


def _entries(value: Collection) -> list[str]:
    """The entries of a mapping between brackets, each with what follows it."""
    parts = [f"{text_of(piece.key, flow=True)}: {_flow(piece.value)}," for piece in value.pieces if piece.key]
    return [*parts[:-1], parts[-1][:-1] + "}"]


def _filled_list(value: Collection, indent: int) -> Iterator[str]:
    """The items of a list line by line, each with a comma after it.

    Lines begin where they did, and after comments: they may divide the list into groups. From one that is too wide to
    the next comment they are broken anew.
    """
    margin, keep = " " * indent, _keeps_quotes(value, flow=True)
    line, anew = "", False
    for piece in value.pieces:
        part = f"{_flow(piece.value, keep=keep)},"
        too_wide = len(margin) + len(line) + 1 + len(part) > WIDTH
        begins = bool(piece.above) or (piece.begins and not anew)
        anew = not piece.above and (anew or (too_wide and not begins))
        if line and (too_wide or begins):
            yield margin + line
            line = ""
        yield from _comments((comment._replace(blank=False) for comment in piece.above), margin)
        line = f"{line} {part}" if line else part
        if piece.notes:
            yield f"{margin}{line}{_note(piece)}"
            line, anew = "", False
    if line:
        yield margin + line
    yield from _comments((comment._replace(blank=False) for comment in value.below), margin)


def _filled_mapping(head: str, value: Collection, indent: int, keyed: bool, note: str) -> Iterator[str]:
    """The entries of a mapping line by line, below its key or behind its dash."""
    if keyed:
        yield f"{head}{note}"
        note = ""
        head = " " * (indent + STEP - 1)
    start = len(head) + 2
    parts = _entries(value)
    line, anew = f"{head} {{{parts[0]}", False
    for piece, part in zip(value.pieces[1:], parts[1:], strict=True):
        too_wide = len(line) + 1 + len(part) > WIDTH
        begins = piece.begins and not anew
        anew = anew or (too_wide and not begins)
        if too_wide or begins:
            yield line
            line = " " * start + part
        else:
            line += f" {part}"
    yield line + note
