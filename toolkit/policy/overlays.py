"""Overlays: a later layer edits a data document by key, and every part of the result knows where it came from.

``set`` maps JSON Pointers (RFC 6901) to values, ``remove`` lists pointers. A step into a list is an index, ``-``
(append, in ``set`` only) or the ``id`` of one of its items, so that an entry is named and not counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from toolkit.policy.documents import HEAD, HEAD_OPTIONAL, Head
from toolkit.policy.forms import Form, text_of
from toolkit.policy.nodes import ListNode, MapNode, Node, ScalarNode
from toolkit.policy.problems import Mark, Problems, did_you_mean

Edit = Callable[[Node, Problems], None]


@dataclass(frozen=True, slots=True)
class Overlay:
    """One overlay, read but not applied. ``requires`` are the comparisons that the base's version satisfies."""

    head: Head
    base: str
    base_mark: Mark
    requires: tuple[tuple[str, tuple[int, ...]], ...]
    removals: tuple[tuple[str, Mark], ...]
    settings: tuple[tuple[str, Node, Mark], ...]


def read_overlay(head: Head, form: Form, problems: Problems) -> Overlay:
    """An overlay of a data document."""
    Form(form.node, "the overlay", problems, required=(*HEAD, "base"), optional=(*HEAD_OPTIONAL, "set", "remove"))
    base = Form(form.need("base"), "base", problems, required=("id", "version"))
    requires = _comparisons(base.text("version"), base.need("version").mark, problems)
    removals = tuple((text_of(item, "a pointer", problems), item.mark) for item in form.items("remove"))
    settings = tuple(form.entries("set"))
    if not removals and not settings:
        problems.fail("empty", "the overlay changes nothing", form.mark, "give it 'set' or 'remove'")
    return Overlay(
        head, base.text("id"), base.need("id").mark, requires, removals, tuple((k, v, m) for k, v, m in settings)
    )


def apply_overlay(overlay: Overlay, head: Head, root: MapNode, problems: Problems) -> None:
    """Edit the document in place: removals first, then settings in the order in which they stand."""
    if head.kind != "data":
        message = f"{head.id} is a {head.kind}: only data documents can be overlaid"
        problems.fail("not_overlayable", message, overlay.base_mark)
    if not satisfies(head.version, overlay.requires):
        message = f"the overlay asks for another version of {head.id} than {head.version}"
        problems.fail("base_version", message, overlay.base_mark, "look at what changed, then widen base.version")
    for pointer, mark in overlay.removals:
        with problems.unit():
            _remove(root, pointer, mark, problems)
    for pointer, node, mark in overlay.settings:
        with problems.unit():
            _set(root, pointer, node, mark, problems)


def satisfies(version: str, requires: tuple[tuple[str, tuple[int, ...]], ...]) -> bool:
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


def _comparisons(text: str, mark: Mark, problems: Problems) -> tuple[tuple[str, tuple[int, ...]], ...]:
    read = []
    for part in text.split(","):
        match = _comparison().match(part.strip())
        if match is None:
            message = f"{text[:60]!r} is no version requirement"
            problems.fail("bad_version", message, mark, 'comma-joined comparisons, e.g. ">=1.0,<2"')
        numbers = [int(number) for number in match[2].split(".")]
        read.append((match[1], tuple((*numbers, 0, 0)[:3])))
    return tuple(read)


def _steps(pointer: str, mark: Mark, problems: Problems) -> list[str]:
    if not pointer.startswith("/") or len(pointer) > 1000:
        problems.fail("bad_pointer", f"{pointer[:60]!r} is no JSON Pointer", mark, "begin with a slash: /key/inner")
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer[1:].split("/")]


def _parent(root: MapNode, steps: list[str], mark: Mark, problems: Problems) -> ListNode | MapNode:
    node: Node = root.entries["value"]
    for step in steps[:-1]:
        node = _child(node, step, mark, problems)
    if isinstance(node, ScalarNode):
        problems.fail("bad_pointer", f"nothing stands below a scalar ({'/'.join(steps)[:60]})", mark)
    return node


def _child(node: Node, step: str, mark: Mark, problems: Problems) -> Node:
    if isinstance(node, MapNode):
        if step not in node.entries:
            problems.fail("bad_pointer", f"there is no {step[:60]!r} here", mark, did_you_mean(step, node.entries))
        return node.entries[step]
    if isinstance(node, ListNode):
        return node.items[_index(node, step, mark, problems)]
    problems.fail("bad_pointer", f"nothing stands below a scalar ({step[:60]!r})", mark)


def _index(node: ListNode, step: str, mark: Mark, problems: Problems) -> int:
    ids = {_id_of(item): index for index, item in enumerate(node.items)}
    if step in ids:
        return ids[step]
    if step.isascii() and step.isdigit() and len(step) < 7 and int(step) < len(node.items):
        return int(step)
    problems.fail("bad_pointer", f"the list has no item {step[:60]!r}", mark, did_you_mean(step, filter(None, ids)))


def _id_of(node: Node) -> str:
    named = node.entries.get("id") if isinstance(node, MapNode) else None
    return named.value if isinstance(named, ScalarNode) and isinstance(named.value, str) else ""


def _remove(root: MapNode, pointer: str, mark: Mark, problems: Problems) -> None:
    steps = _steps(pointer, mark, problems)
    parent = _parent(root, steps, mark, problems)
    if isinstance(parent, ListNode):
        del parent.items[_index(parent, steps[-1], mark, problems)]
        return
    _child(parent, steps[-1], mark, problems)
    del parent.entries[steps[-1]]
    del parent.key_marks[steps[-1]]


def _set(root: MapNode, pointer: str, node: Node, mark: Mark, problems: Problems) -> None:
    steps = _steps(pointer, mark, problems)
    parent = _parent(root, steps, mark, problems)
    if isinstance(parent, MapNode):
        parent.entries[steps[-1]] = node
        parent.key_marks[steps[-1]] = mark
    elif steps[-1] == "-":
        if _id_of(node) and any(_id_of(item) == _id_of(node) for item in parent.items):
            problems.fail("duplicate_id", f"the list has an item {_id_of(node)!r} already", mark, "set it by its id")
        parent.items.append(node)
    else:
        parent.items[_index(parent, steps[-1], mark, problems)] = node


@cache
def _comparison() -> re.Pattern[str]:
    return re.compile(r"(>=|<=|==|>|<)\s*([0-9]{1,9}(?:\.[0-9]{1,9}){0,2})\Z")
