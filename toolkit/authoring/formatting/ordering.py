"""The order of keys: that of the head, of each kind, and of the parts that have known keys.

What is not listed here keeps its order: an order may mean something (of lets, of settings), or be the author's own (of
inputs, of the keys of a payload). No list is touched. A mapping keeps its order where a comment stands before its first
key and another key would come first: whether it is about that key or about all of them can't be told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from toolkit.authoring.formatting.pieces import Collection, Comment, Leaf, Piece

MODELINE: Final = "yaml-language-server:"


@dataclass(frozen=True, slots=True)
class Order:
    """``keys`` of a mapping in their order; ``inner`` says what is ordered in the values of some keys.

    Without ``keys`` the mapping keeps its order, and ``each`` is of all its values, or of all items of a list.
    """

    keys: tuple[str, ...] = ()
    inner: Mapping[str, Order] = field(default_factory=dict)
    each: Order | None = None


HEAD: Final = ("policy", "kind", "id", "version", "title", "source")
_TYPE: Final = ("type", "of", "one_of", "minimum", "maximum", "items", "fields", "optional", "informs", "stronger")
_FIELDS: Final = Order(each=Order(_TYPE))
_ITEMS: Final = Order(_TYPE, {"fields": _FIELDS})
_DECLARED: Final = Order(each=Order(_TYPE, {"items": _ITEMS, "fields": _FIELDS}))
_ROW: Final = Order(("id", "when", "then", "source"))
_TRANSITION: Final = Order(("id", "from", "event", "when", "to", "effects", "source"))
_CASES: Final = Order(each=Order(("id", "given", "expect", "row", "todo")))
_REQUIRE: Final = Order(each=Order(("when_output", "inputs")))
# A row and a transition have no keys in common that stand in another order.
_PART: Final = Order(("id", "from", "event", "when", "then", "to", "effects", "source"))
_PLACES: Final = ("after", "before", "at")
_INSERTION: Final = Order((*_PLACES, "row", "transition", "term"), {"row": _PART, "transition": _PART})

KINDS: Final[Mapping[str, Order]] = {
    "vocabulary": Order((*HEAD, "order", "anchors", "terms")),
    "table": Order(
        (*HEAD, "hit", "order_note", "each", "inputs", "let", "outputs", "require", "rows", "cases"),
        {"inputs": _DECLARED, "outputs": _DECLARED, "require": _REQUIRE, "rows": Order(each=_ROW), "cases": _CASES},
    ),
    "machine": Order(
        (*HEAD, "order_note", "states", "events", "transitions", "cases"),
        {
            "states": Order(("of", "initial", "terminal")),
            "events": Order(each=Order(inner={"inputs": _DECLARED})),
            "transitions": Order(each=_TRANSITION),
            "cases": _CASES,
        },
    ),
    "data": Order((*HEAD, "shape", "templates", "value")),
    "overlay": Order(
        (*HEAD, "base", "remove", "replace", "insert", "require", "set", "pin", "cases"),
        {
            "base": Order(("id", "version")),
            "replace": Order(each=_PART),
            "insert": Order(each=_INSERTION),
            "require": _REQUIRE,
            "cases": _CASES,
        },
    ),
}


class Top(NamedTuple):
    """The comments at the top of a file that are about all of it; ``gap`` says whether an empty line ends them."""

    comments: list[Comment]
    gap: bool


def put_in_order(root: Collection) -> Top:
    """Order the keys of a document in place; what is about all of it is taken from before its first key."""
    top = _top_of(root)
    kind = next((piece.value for piece in root.pieces if piece.key is not None and piece.key.value == "kind"), None)
    order = KINDS.get(kind.value) if isinstance(kind, Leaf) else None
    if order is not None:
        _apply(order, root)
    return top


def _top_of(root: Collection) -> Top:
    """The comments before a document to the last empty line, or to the line for editors."""
    if not root.pieces:
        return Top([], False)
    first = root.pieces[0]
    count = len(first.above) if first.blank else 0
    for index, comment in enumerate(first.above):
        if comment.blank:
            count = max(count, index)
        if MODELINE in comment.text:
            count = max(count, index + 1)
    top, first.above = first.above[:count], first.above[count:]
    gap = first.above[0].blank if first.above else first.blank
    if first.above:
        first.above[0] = first.above[0]._replace(blank=False)
    else:
        first.blank = False
    return Top(top, gap)


def _apply(order: Order, value: Leaf | Collection | None) -> None:
    if not isinstance(value, Collection):
        return
    if value.mapping and order.keys:
        _sort(value, order.keys)
    for piece in value.pieces:
        inner = order.inner.get(piece.key.value, order.each) if piece.key is not None else order.each
        if inner is not None:
            _apply(inner, piece.value)


def _sort(mapping: Collection, keys: tuple[str, ...]) -> None:
    rank = {key: index for index, key in enumerate(keys)}
    if not mapping.pieces or any(_name(piece) not in rank for piece in mapping.pieces):
        return
    ordered = sorted(mapping.pieces, key=lambda piece: rank[_name(piece)])
    if ordered[0] is mapping.pieces[0] or not mapping.pieces[0].above:
        mapping.pieces = ordered


def _name(piece: Piece) -> str:
    return piece.key.value if piece.key is not None else ""
