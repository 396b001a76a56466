"""Overlays: a later layer edits a document, and every part of the result knows where it came from.

Rows, transitions and terms are edited by their names (``remove``, ``replace``, ``insert``), a table's invariants are
added to (``require``), a payload is edited by JSON Pointers (``remove``, ``set``). Inputs, outputs, lets and hit policy
are out of reach: what a document promises to those who ask it is not another layer's to change. An edit brings its
``cases``, which are asked of what is in force and decide nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from toolkit.policy.documents.heads import HEAD, Head
from toolkit.policy.layers import USER
from toolkit.policy.problems import Mark, Problems, did_you_mean, shown
from toolkit.policy.syntax.forms import Form, text_of
from toolkit.policy.syntax.items import AT, ENDS, ITEMS, POSITIONS, ItemEditor, name_of
from toolkit.policy.syntax.nodes import ListNode, MapNode, Node, copied
from toolkit.policy.syntax.pointers import Editor

EDITS = ("remove", "replace", "insert", "require", "set")
EDITS_OF = {
    "table": ("remove", "replace", "insert", "require"),
    "machine": ("remove", "replace", "insert"),
    "vocabulary": ("remove", "replace", "insert"),
    "data": ("remove", "set"),
}
_DECIDING = ("table", "machine")  # what has rows to pin, and cases

Comparison = tuple[str, tuple[int, ...]]
Named = tuple[str, Mark]


class Insertion(NamedTuple):
    """A new part and its place: ``position`` is ``after``, ``before`` or ``at``; ``word`` what the overlay calls it."""

    position: str
    anchor: str
    word: str
    node: Node
    mark: Mark


class BroughtCases(NamedTuple):
    """The cases that an overlay brings to the document which it is about, unread."""

    overlay: str
    layer: str
    nodes: tuple[Node, ...]


class Overlay(NamedTuple):
    """One overlay, read but not applied. ``requires`` are the comparisons that the base's version satisfies."""

    head: Head
    base: str
    base_mark: Mark
    requires: tuple[Comparison, ...]
    cases_at: Mark | None  # where it says that it has cases, be there any or none
    edits: dict[str, Mark]  # the kinds of edit that it makes, and where
    removals: tuple[Named, ...]
    replacements: tuple[tuple[str, Node, Mark], ...]
    insertions: tuple[Insertion, ...]
    invariants: tuple[Node, ...]
    settings: tuple[tuple[str, Node, Mark], ...]
    pins: tuple[Named, ...]
    cases: tuple[Node, ...]  # unread: whoever asks them reads them

    def inserts(self, name: str) -> bool:
        """Whether the part of this name is the overlay's own."""
        kinds = {kind.word: kind for kind in ITEMS.values()}
        return any(name_of(one.node, kinds[one.word]) == name for one in self.insertions)


def read_overlay(head: Head, form: Form, problems: Problems) -> Overlay:
    """An overlay of a document of any kind; which edits that kind allows is told when it is applied."""
    known = ("base", *HEAD, "source", *EDITS, "pin", "cases")
    form.expect(("base",), known)
    base = Form(form.need("base"), "base", problems, required=("id", "version"))
    requires = _comparisons(base.text("version"), base.need("version").mark, problems)
    if form.has("pin") and head.layer != USER:
        message = "only the user's own overlays pin rows against a repository"
        problems.fail("pin_misplaced", message, form.node.key_marks["pin"])
    overlay = Overlay(
        head, base.text("id"), base.need("id").mark, requires, form.node.key_marks.get("cases"),
        {key: form.node.key_marks[key] for key in EDITS if form.has(key)},
        tuple((text_of(item, "an item of remove", problems), item.mark) for item in form.items("remove")),
        tuple(form.entries("replace")),
        tuple(_insertion(item, problems) for item in form.items("insert")),
        tuple(form.items("require")),
        tuple(form.entries("set")),
        tuple((text_of(item, "an item of pin", problems), item.mark) for item in form.items("pin")),
        tuple(form.items("cases")),
    )  # fmt: skip
    if not any(overlay[6:]) and form.node.entries.keys() <= set(known):
        problems.fail("empty", "the overlay changes nothing", form.mark, f"give it one of {', '.join(EDITS)}")
    return overlay


def _insertion(node: Node, problems: Problems) -> Insertion:
    words = tuple(kind.word for kind in ITEMS.values())
    form = Form(node, "the insertion", problems, optional=(*POSITIONS, *words))
    positions = [key for key in POSITIONS if form.has(key)]
    parts = [word for word in words if form.has(word)]
    if len(positions) != 1 or len(parts) != 1:
        hint = "e.g. {after: some-row, row: {...}} or {at: end, row: {...}}"
        problems.fail("bad_insertion", "an insertion names one place and one new part", node.mark, hint)
    position = positions[0]
    anchor = form.choice(AT, ENDS) if position == AT else form.text(position)
    return Insertion(position, anchor, parts[0], form.need(parts[0]), form.need(position).mark)


def check_base(overlay: Overlay, head: Head, problems: Problems) -> None:
    """Whether the overlay may edit the document ``head`` in the ways that it does."""
    if head.version and not satisfies(head.version, overlay.requires):
        message = f"the overlay asks for another version of {head.id} than {head.version}"
        problems.fail("base_version", message, overlay.base_mark, "look at what changed, then widen base.version")
    allowed = EDITS_OF.get(head.kind, ())
    for key, mark in overlay.edits.items():
        if key not in allowed:
            message = f"{key!r} can't edit {head.id}, which is a {head.kind}"
            problems.fail("wrong_edit", message, mark, f"it takes {', '.join(allowed)}" if allowed else None)
    if overlay.cases_at is not None and head.kind not in _DECIDING:
        message = f"{head.id} is a {head.kind}: only tables and machines have cases"
        problems.add("wrong_edit", message, overlay.cases_at)
    if overlay.pins and head.kind not in _DECIDING:
        problems.fail("wrong_edit", f"{head.id} is a {head.kind}: only rows are pinned", overlay.pins[0][1])


def item_editor(head: Head, root: MapNode, problems: Problems) -> ItemEditor | None:
    """The editor of a document's rows, transitions or terms, for every overlay of it; null where it has no list."""
    kind = ITEMS[head.kind]
    listed = root.entries.get(kind.list)
    return ItemEditor(listed, kind, problems) if isinstance(listed, ListNode) else None


def apply_to_items(overlay: Overlay, editor: ItemEditor, root: MapNode, problems: Problems) -> None:
    """Edit the rows, transitions or terms of ``root``: removals, then replacements, then insertions.

    They stand in the tree once the editor has finished.
    """
    kind = editor.kind
    for name, mark in overlay.removals:
        with problems.unit():
            editor.remove(name, mark)
    for name, node, mark in overlay.replacements:
        with problems.unit():
            editor.replace(name, node, mark)
    for one in overlay.insertions:
        with problems.unit():
            if one.word != kind.word:
                message = f"no {one.word}s can be inserted among {kind.list}"
                problems.fail("wrong_edit", message, one.node.mark, did_you_mean(kind.word, (kind.word,)))
            editor.insert(one.node, one.position, one.anchor, one.mark)
    _add_invariants(overlay, root)


def _add_invariants(overlay: Overlay, root: MapNode) -> None:
    if overlay.invariants:
        present = root.entries.setdefault("require", ListNode([], overlay.edits["require"]))
        root.key_marks.setdefault("require", overlay.edits["require"])
        if isinstance(present, ListNode):
            present.items.extend(overlay.invariants)


def apply_to_payload(overlay: Overlay, editor: Editor, problems: Problems) -> None:
    """Edit a data document in place: the removals all at once, then the settings in their order."""
    if "value" not in editor.root.entries:
        return  # told where the document is read
    editor.remove_all(overlay.removals)
    for pointer, node, mark in overlay.settings:
        with problems.unit():
            editor.set(pointer, copied(node), mark)


def satisfies(version: str, requires: tuple[Comparison, ...]) -> bool:
    """Whether a semantic version (overlay suffixes ignored) satisfies every comparison."""
    have = tuple(int(part) for part in version.split("+", 1)[0].split("."))
    tests: dict[str, Callable[[tuple[int, ...]], bool]] = {
        ">=": lambda other: have >= other,
        ">": lambda other: have > other,
        "<=": lambda other: have <= other,
        "<": lambda other: have < other,
        "==": lambda other: have == other,
    }
    return all(tests[symbol](other) for symbol, other in requires)


def _comparisons(text: str, mark: Mark, problems: Problems) -> tuple[Comparison, ...]:
    read = []
    for part in text.split(","):
        match = comparison_pattern().match(part.strip())
        if match is None:
            message = f"{shown(text)} is no version requirement"
            problems.fail("bad_version", message, mark, 'comma-joined comparisons, e.g. ">=1.0,<2"')
        numbers = [int(number) for number in match[2].split(".")]
        read.append((match[1], tuple((*numbers, 0, 0)[:3])))
    return tuple(read)


@cache
def comparison_pattern() -> re.Pattern[str]:
    return re.compile(r"(>=|<=|==|>|<)\s*([0-9]{1,9}(?:\.[0-9]{1,9}){0,2})\Z")
